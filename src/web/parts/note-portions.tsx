/** A note's text, a long one in parts on request: drawing a megabyte would block the page. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { openLinked } from "../state/note-links.js";
import { usePage } from "../state/page.js";
import { WORDS } from "../words.js";
import { LazyNote } from "./lazy-note-text.js";

const PORTION = 30_000;

export function NotePortions({ text }: { readonly text: string }): JSX.Element {
  const page = usePage();
  const shown = useSignal(1);
  const portions = cutAtLines(text);
  const rest = portions.length - shown.value;
  return (
    <>
      {portions.slice(0, shown.value).map((portion, index) => (
        <LazyNote key={index} text={portion} onLink={(target) => void openLinked(page, target)} />
      ))}
      {rest > 0 && (
        <button type="button" onClick={() => shown.value++}>
          {WORDS.showMore}
        </button>
      )}
    </>
  );
}

/** Parts that end at an empty line if possible. */
function cutAtLines(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const blank = text.length - at > PORTION ? text.lastIndexOf("\n\n", at + PORTION) : text.length;
    const end = blank > at ? blank : at + PORTION;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}
