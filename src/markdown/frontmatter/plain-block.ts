/** Reads block scalars (`title: >-`, `note: |`) of plain frontmatter: lines of one indentation with empty ones between. */

const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const DASH = 45;
export const LITERAL = 124;
export const FOLDED = 62;

export interface BlockScalar {
  readonly value: string;
  /** The start of the next content, after any empty lines. */
  readonly next: number;
}

/**
 * The block scalar whose indicator is at `start`; undefined for forms left to the YAML parser: an indentation indicator, `+`, a
 * comment after the indicator, no text, lines of spaces, and in a folded one (`>`) lines indented further than the first.
 * @param end where the frontmatter ends, at the start of a line @param outer the indentation of its key
 */
export function readBlockScalar(text: string, start: number, end: number, outer: number): BlockScalar | undefined {
  const isFolded = text.charCodeAt(start) === FOLDED;
  const isStripped = text.charCodeAt(start + 1) === DASH;
  let at = lineAfterBlanks(text, start + (isStripped ? 2 : 1));
  if (at === -1) return undefined;
  const first = at;
  const indent = skipSpaces(text, at) - at;
  let value = "";
  let empty = 0;
  while (at < end) {
    const content = skipSpaces(text, at);
    const next = lineAfterBlanks(text, content);
    if (next !== -1) {
      if (content > at || value === "") return undefined;
      empty += 1;
      at = next;
      continue;
    }
    const inside = content - at;
    if (inside <= outer) break;
    if (inside < indent || (isFolded && inside > indent)) return undefined;
    const feed = text.indexOf("\n", content);
    const line = text.slice(at + indent, text.charCodeAt(feed - 1) === RETURN ? feed - 1 : feed);
    if (holdsControl(line)) return undefined;
    if (at > first) value += isFolded && empty === 0 ? " " : "\n".repeat(isFolded ? empty : empty + 1);
    value += line;
    empty = 0;
    at = feed + 1;
  }
  if (value === "") return undefined;
  return { value: isStripped ? value : `${value}\n`, next: at };
}

/** Tabs and stray line ends are left to the YAML parser. */
function holdsControl(line: string): boolean {
  for (let index = 0; index < line.length; index += 1) if (line.charCodeAt(index) < SPACE) return true;
  return false;
}

function skipSpaces(text: string, from: number): number {
  let index = from;
  while (text.charCodeAt(index) === SPACE) index += 1;
  return index;
}

/** The start of the next line if only spaces are left on this one, else -1. */
function lineAfterBlanks(text: string, from: number): number {
  const index = skipSpaces(text, from);
  const code = text.charCodeAt(index);
  if (code === NEWLINE) return index + 1;
  return code === RETURN && text.charCodeAt(index + 1) === NEWLINE ? index + 2 : -1;
}
