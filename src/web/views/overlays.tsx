/** Everything above a view: the drawer, dialogs and menus. */
import type { ComponentChildren, JSX } from "preact";
import { AskDialog } from "../parts/ask-dialog.js";
import { ClashDialog } from "../parts/clash-dialog.js";
import { ObsidianLink } from "../parts/controls.js";
import { Dialog } from "../parts/dialog.js";
import { Icon } from "../parts/icon.js";
import { MoveMenu } from "../parts/move-menu.js";
import { Backlinks, NoteBody } from "../parts/note-body.js";
import { QueryState } from "../parts/query-state.js";
import { QuickAdd } from "../parts/quick-add.js";
import { SearchDialog, type SearchDialogProps } from "../parts/search-dialog.js";
import { SelectionBar } from "../parts/selection-bar.js";
import { type AddPlace, usePage } from "../state/page.js";
import { noteName, textBelow } from "../state/names.js";
import { useCall } from "../state/queries.js";
import { singleKeys } from "../state/stored.js";
import { WORDS } from "../words.js";
import { TaskDrawer } from "./task-drawer.js";

interface OverlaysProps extends Partial<Pick<SearchDialogProps, "views">> {
  /** Of the page alone, by key. */
  readonly keys?: Readonly<Record<string, string>>;
  readonly children?: ComponentChildren;
}

export function Overlays({ views = [], keys = {}, children }: OverlaysProps): JSX.Element {
  const page = usePage();
  const { task, note } = page.address.route.value.params;
  const overlay = page.overlay.value;
  const add = overlay.kind === "add" && (overlay.place ?? addPlace(page.address.filters.value));
  const clash = page.changes.clash.value;
  return (
    <>
      {task !== undefined && <TaskDrawer key={task} id={task} />}
      {note !== undefined && <NoteDrawer key={note} name={note} />}
      {overlay.kind === "search" && <SearchDialog views={views} onChoose={overlay.onChoose} />}
      {overlay.kind === "keys" && <KeyHelp keys={keys}>{children}</KeyHelp>}
      {overlay.kind === "ask" && <AskDialog question={overlay.question} />}
      <SelectionBar />
      {overlay.kind === "move" && <MoveMenu key={overlay.task.id} task={overlay.task} anchor={overlay.anchor} />}
      {add && (
        <Dialog
          label={add.name === undefined ? WORDS.quickAdd : WORDS.addTo(add.name)}
          name="add-dialog"
          onClose={() => page.closeOverlay()}
        >
          <QuickAdd name="quick-add-dialog" takesFocus place={add} />
        </Dialog>
      )}
      {clash && <ClashDialog clash={clash} />}
    </>
  );
}

/** A view's filters as values for added tasks. */
function addPlace({ area: filter, project }: Readonly<Record<string, string>>): AddPlace {
  const area = filter === WORDS.unassigned ? undefined : filter;
  return { name: project ?? area, area, project };
}

/** The list of keys, and the switch for single-character keys. @param children further settings */
function KeyHelp({ keys: more, children }: Pick<OverlaysProps, "keys" | "children">): JSX.Element {
  const page = usePage();
  return (
    <Dialog label={WORDS.keys} name="key-help" onClose={() => page.closeOverlay()}>
      <dl class="properties stack">
        {Object.entries({ ...WORDS.keyHelp, ...more }).map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <label class="switch">
        <input
          type="checkbox"
          checked={singleKeys.value === "on"}
          aria-describedby="single-keys-help"
          onChange={({ currentTarget }) => (singleKeys.value = currentTarget.checked ? "on" : "off")}
        />
        {WORDS.singleKeys}
      </label>
      <p class="hint" id="single-keys-help">
        {WORDS.singleKeysHelp}
      </p>
      {children}
    </Dialog>
  );
}

/** For a note that is no task. */
function NoteDrawer({ name }: { readonly name: string }): JSX.Element {
  const page = usePage();
  const query = useCall("read_note", { path: name });
  const note = query.data.value;
  const title = noteName(note?.path ?? name);
  return (
    <Dialog label={title} name="drawer" hasHeading={false} onClose={() => page.address.close()}>
      <QueryState query={query} />
      {note && (
        <article class="sheet stack">
          <h2 class="sheet-title">{title}</h2>
          <NoteBody path={note.path} text={textBelow(title, note.text)} isTickable />
          <Backlinks path={note.path} />
          <footer class="origin stack">
            <p class="row hint">
              <Icon name="note" /> {note.path}
            </p>
            <ObsidianLink link={note.link} />
          </footer>
        </article>
      )}
    </Dialog>
  );
}
