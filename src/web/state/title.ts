/** Parses a title's inline Markdown and links as Obsidian does, for display only. */

export type TitlePart = string | { readonly tag: Tag; readonly inner: readonly TitlePart[] };
type Tag = "em" | "strong" | "del" | "mark" | "code";

const TAGS: Readonly<Record<string, Tag | undefined>> = {
  "*": "em",
  _: "em",
  "**": "strong",
  __: "strong",
  "~~": "del",
  "==": "mark",
};

/** An escaped character, code, a link, or text between equal marks; unclosed marks show as written. */
const MARKED =
  /\\([!-/:-@[-`{-~])|`([^`]+)`|!?\[\[(?:[^[\]|]*\|)?([^[\]|]+)\]\]|!?\[([^[\]]+)\]\((?:[^()]|\([^()]*\))*\)|(([*_~=])\6*)(?!\6|\s)(.+?)(?<!\s|\6)\5(?!\6)/g;

export function titleParts(text: string): readonly TitlePart[] {
  const parts: TitlePart[] = [];
  let at = 0;
  for (const match of text.matchAll(MARKED)) {
    const { 0: whole, index, 1: escaped, 2: code, 3: link, 4: name, 5: run = "", 6: sign, 7: inner = "" } = match;
    parts.push(text.slice(at, index));
    at = index + whole.length;
    const shown = link ?? name;
    // Within a word `_` is a letter.
    const isWord = sign === "_" && (/\w/.test(text.charAt(index - 1)) || /\w/.test(text.charAt(at)));
    const tag = isWord ? undefined : TAGS[run.slice(0, 2)];
    // `***` is two marks.
    const rest = run.slice(2);
    if (escaped !== undefined) parts.push(escaped);
    else if (code !== undefined) parts.push({ tag: "code", inner: [code] });
    else if (shown !== undefined) parts.push(...titleParts(shown));
    else if (tag) parts.push({ tag, inner: titleParts(rest + inner + rest) });
    else parts.push(run, ...titleParts(inner), run);
  }
  return [...parts, text.slice(at)];
}

/** For messages and names, without elements. */
export function plainTitle(text: string): string {
  const plain = (parts: readonly TitlePart[]): string =>
    parts.map((part) => (typeof part === "string" ? part : plain(part.inner))).join("");
  return plain(titleParts(text));
}
