/** The note renderer, loaded with the first note. Until then, or if loading fails, the plain text is shown. */
import { signal } from "@preact/signals";
import type { FunctionComponent, JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { DrawnNoteProps } from "./note-text.js";

const renderer = signal<{ readonly DrawnNote: FunctionComponent<DrawnNoteProps> } | undefined>(undefined);

export function LazyNote(props: DrawnNoteProps): JSX.Element {
  useEffect(() => {
    if (renderer.value === undefined)
      import("./note-text.js").then(
        ({ DrawnNote }) => (renderer.value = { DrawnNote }),
        () => {},
      );
  }, []);
  const { DrawnNote } = renderer.value ?? {};
  return DrawnNote ? <DrawnNote {...props} /> : <pre class="note-text plain">{props.text}</pre>;
}
