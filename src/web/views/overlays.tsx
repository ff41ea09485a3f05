/** Everything above a view: the drawer, dialogs and menus. */
import type { ComponentChildren, JSX } from "preact";
import { AskDialog } from "../parts/ask-dialog.js";
import { ClashDialog } from "../parts/clash-dialog.js";
import { Dialog } from "../parts/dialog.js";
import { KeyHelp } from "../parts/key-help.js";
import { MoveMenu } from "../parts/move-menu.js";
import { QuickAdd } from "../parts/quick-add.js";
import { SearchDialog, type SearchDialogProps } from "../parts/search-dialog.js";
import { SelectionBar } from "../parts/selection-bar.js";
import { type AddPlace, usePage } from "../state/page.js";
import { WORDS } from "../words.js";
import { NoteDrawer } from "./note-drawer.js";
import { TaskDrawer } from "./task-drawer.js";

interface OverlaysProps extends Partial<Pick<SearchDialogProps, "views">> {
  /** Below the keys. */
  readonly children?: ComponentChildren;
}

export function Overlays({ views = [], children }: OverlaysProps): JSX.Element {
  const page = usePage();
  const { task, note } = page.address.route.value.params;
  const overlay = page.overlay.value;
  const clash = page.changes.clash.value;
  const today = page.connection.today.value;
  return (
    <>
      {task !== undefined && <TaskDrawer key={task} id={task} />}
      {note !== undefined && <NoteDrawer key={note} name={note} />}
      {overlay.kind === "search" && <SearchDialog today={today} views={views} onChoose={overlay.onChoose} />}
      {overlay.kind === "keys" && <KeyHelp>{children}</KeyHelp>}
      {overlay.kind === "ask" && <AskDialog question={overlay.question} />}
      <SelectionBar />
      {overlay.kind === "move" && (
        <MoveMenu key={overlay.task.id} task={overlay.task} anchor={overlay.anchor} today={today} />
      )}
      {overlay.kind === "add" && (
        <Dialog label={WORDS.quickAdd} name="add-dialog" onClose={() => page.closeOverlay()}>
          <QuickAdd name="quick-add-dialog" takesFocus place={overlay.place ?? addPlace(page.address.filters.value)} />
        </Dialog>
      )}
      {clash && <ClashDialog clash={clash} />}
    </>
  );
}

/** A view's filters as values for added tasks. */
function addPlace({ area, project }: Readonly<Record<string, string>>): AddPlace {
  return { area: area === WORDS.unassigned ? undefined : area, project };
}
