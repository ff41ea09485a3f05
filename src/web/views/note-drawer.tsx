/** Shows a note that is not a task. */
import type { JSX } from "preact";
import { Dialog } from "../parts/dialog.js";
import { Icon } from "../parts/icon.js";
import { Backlinks, NoteBody } from "../parts/note-body.js";
import { Skeleton } from "../parts/query-state.js";
import { usePage, useQuery } from "../state/page.js";
import { WORDS } from "../words.js";

export function NoteDrawer({ name }: { readonly name: string }): JSX.Element {
  const page = usePage();
  const query = useQuery(name, ({ connection }, signal) => connection.call("read_note", { path: name }, { signal }));
  const note = query.data.value;
  const failure = query.failure.value;
  const title = (note?.path ?? name).replace(/^.*\//s, "").replace(/\.md$/i, "");
  return (
    <Dialog label={title} name="drawer" onClose={() => page.address.close()}>
      {!note && !failure && <Skeleton />}
      {failure && <p class="problem">{failure.message}</p>}
      {note && (
        <article class="sheet">
          <h2 class="sheet-title">{title}</h2>
          <NoteBody path={note.path} text={note.text.replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, "")} isTickable />
          <Backlinks path={note.path} />
          <footer class="origin">
            <p>
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
