/** A title with its inline Markdown drawn, as Obsidian draws it; what is edited stays the source. */
import type { ComponentChildren, JSX } from "preact";

/** An escaped character, code, or a text between two runs of one mark; what is not closed shows as written. */
const MARKED = /\\([!-/:-@[-`{-~])|`([^`]+)`|(([*_~=])\4*)(?!\4|\s)(.+?)(?<!\s|\4)\3(?!\4)/g;

const DRAWN: Readonly<Record<string, "em" | "strong" | "del" | "mark" | undefined>> = {
  "*": "em",
  _: "em",
  "**": "strong",
  __: "strong",
  "~~": "del",
  "==": "mark",
};

export function InlineText({ text }: { readonly text: string }): JSX.Element {
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const { 0: whole, index, 1: escaped, 2: code, 3: run = "", 4: mark, 5: inner = "" } of text.matchAll(MARKED)) {
    parts.push(text.slice(at, index));
    at = index + whole.length;
    // Within a word `_` is a letter.
    const isWord = mark === "_" && (/\w/.test(text.charAt(index - 1)) || /\w/.test(text.charAt(at)));
    const Mark = isWord ? undefined : DRAWN[run.slice(0, 2)];
    // `***` is two marks.
    const rest = run.slice(2);
    if (escaped ?? code) parts.push(escaped ?? <code>{code}</code>);
    else if (Mark)
      parts.push(
        <Mark>
          <InlineText text={rest + inner + rest} />
        </Mark>,
      );
    else parts.push(run, <InlineText text={inner} />, run);
  }
  return <>{[...parts, text.slice(at)]}</>;
}
