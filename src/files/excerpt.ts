/** Shows a text's matching lines with the lines around them (docs: notes-and-files, "search"). */
import { weightOf } from "../text/answer-weight.js";

export interface MatchingLines {
  readonly count: number;
  /** From 0. */
  readonly lines: readonly number[];
  /** UTF-16 units. Absent when all lines are short. */
  readonly starts?: readonly number[] | undefined;
}

interface ExcerptOptions {
  readonly context: number;
  /** Weight (text/answer-weight), approximately. */
  readonly most: number;
  /** Stays visible in a cut line. */
  readonly focus: string | undefined;
}

interface Excerpt {
  /** `>    3: line` for a match, `     4: line` around it, `---` for a gap. */
  readonly text: string;
  readonly shown: number;
}

/** UTF-16 units. */
export const MAX_MATCH_LENGTH = 400;
const MAX_CONTEXT_LENGTH = 200;
const GAP = "---";

/** @param found in order */
export function excerptOf(text: string, found: MatchingLines, options: ExcerptOptions): Excerpt {
  const lineAt = lineReader(text);
  const rows: string[] = [];
  let [weight, shown, next] = [0, 0, 0];
  for (const [index, line] of found.lines.entries()) {
    // The next match shows its own lines.
    const end = Math.min(line + options.context, (found.lines[index + 1] ?? Infinity) - 1);
    for (let number = Math.max(next, line - options.context); number <= end; number++) {
      const content = lineAt(number);
      if (content === undefined) break;
      if (number > next && rows.length > 0) rows.push(GAP);
      const matches = number === line;
      const at = matches ? (found.starts?.[index] ?? content.indexOf(options.focus ?? "")) : 0;
      const row = rowOf(
        number,
        cut(content, Math.max(0, at), matches ? MAX_MATCH_LENGTH : MAX_CONTEXT_LENGTH),
        matches,
      );
      weight += weightOf(row) + 1;
      // Always shows lines before the first match.
      if (weight > options.most && shown > 0) return { text: withoutGap(rows), shown };
      rows.push(row);
      if (matches) shown++;
      next = number + 1;
    }
  }
  return { text: rows.join("\n"), shown };
}

function withoutGap(rows: readonly string[]): string {
  return (rows.at(-1) === GAP ? rows.slice(0, -1) : rows).join("\n");
}

function rowOf(number: number, shown: string, matches: boolean): string {
  return `${matches ? ">" : " "} ${String(number + 1).padStart(4)}: ${shown}`;
}

/** @param longest UTF-16 units */
function cut(line: string, at: number, longest: number): string {
  if (line.length <= longest) return line;
  const start = Math.max(0, Math.min(at - longest / 4, line.length - longest));
  const end = Math.min(line.length, start + longest);
  // Drops half a surrogate pair.
  const middle = line.slice(start, end).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
  return `${start > 0 ? "…" : ""}${middle}${end < line.length ? "…" : ""}`;
}

/** In ascending order. A final newline begins no line. */
function lineReader(text: string): (number: number) => string | undefined {
  let [current, start] = [0, 0];
  return (number) => {
    for (; current < number; current++) {
      const newline = text.indexOf("\n", start);
      if (newline === -1) return undefined;
      start = newline + 1;
    }
    if (start >= text.length) return undefined;
    const end = text.indexOf("\n", start);
    return text.slice(start, end === -1 ? undefined : end);
  };
}
