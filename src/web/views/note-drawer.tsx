/** Shows a note that is not a task. */
import type { JSX } from "preact";
import { Dialog } from "../parts/dialog.js";
import { Icon } from "../parts/icon.js";
import { Backlinks, NoteBody } from "../parts/note-body.js";
import { QueryState } from "../parts/query-state.js";
import { bodyStart, noteName } from "../state/names.js";
import { usePage } from "../state/page.js";
import { useCall } from "../state/queries.js";
import { WORDS } from "../words.js";

export function NoteDrawer({ name }: { readonly name: string }): JSX.Element {
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
            {note.link !== undefined && (
              <a class="button" href={note.link}>
                <Icon name="obsidian" /> {WORDS.openInObsidian}
              </a>
            )}
          </footer>
        </article>
      )}
    </Dialog>
  );
}

/** Without properties and the title's heading. */
function textBelow(title: string, text: string): string {
  const body = text.slice(bodyStart(text));
  const [line, heading] = /^\s*# (.*)(?:\n|$)/.exec(body) ?? [];
  return line !== undefined && heading?.trim() === title ? body.slice(line.length) : body;
}
