/** Shows a note that is not a task. */
import type { JSX } from "preact";
import { Dialog } from "../parts/dialog.js";
import { Icon } from "../parts/icon.js";
import { Backlinks, NoteBody } from "../parts/note-body.js";
import { QueryState } from "../parts/query-state.js";
import { usePage } from "../state/page.js";
import { useCall } from "../state/queries.js";
import { WORDS } from "../words.js";

export function NoteDrawer({ name }: { readonly name: string }): JSX.Element {
  const page = usePage();
  const query = useCall("read_note", { path: name });
  const note = query.data.value;
  const title = (note?.path ?? name).replace(/^.*\//s, "").replace(/\.md$/i, "");
  return (
    <Dialog label={title} name="drawer" onClose={() => page.address.close()}>
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
  const body = text.replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, "");
  const [line, heading] = /^\s*# (.*)(?:\n|$)/.exec(body) ?? [];
  return line !== undefined && heading?.trim() === title ? body.slice(line.length) : body;
}
