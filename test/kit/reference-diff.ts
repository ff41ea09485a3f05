/** A plain unified diff by longest common subsequence, as `diff -u` writes it: the reference that patches are tested against. */

interface Step {
  readonly mark: " " | "-" | "+";
  readonly line: string;
}

/** The patch that makes `after` of `before`, with so many lines of context; empty when they are equal. */
export function referenceDiff(before: string, after: string, { name = "note.md", context = 3 } = {}): string {
  const steps = stepsBetween(linesWithEnds(before), linesWithEnds(after));
  const hunks = hunksOf(steps, context).map(([from, to]) => hunkText(steps, from, to));
  return hunks.length === 0 ? "" : `--- a/${name}\n+++ b/${name}\n${hunks.join("")}`;
}

function linesWithEnds(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function stepsBetween(old: readonly string[], young: readonly string[]): Step[] {
  const common = old.map(() => young.map(() => 0));
  const at = (row: number, column: number): number => common[row]?.[column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--)
    for (let column = young.length - 1; column >= 0; column--)
      (common[row] ?? [])[column] =
        old[row] === young[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const steps: Step[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < young.length) {
    const [one, other] = [old[row], young[column]];
    if (one !== undefined && one === other) {
      steps.push({ mark: " ", line: one });
      row++;
      column++;
    } else if (one !== undefined && (other === undefined || at(row + 1, column) >= at(row, column + 1))) {
      steps.push({ mark: "-", line: one });
      row++;
    } else {
      steps.push({ mark: "+", line: other ?? "" });
      column++;
    }
  }
  return steps;
}

/** Ranges of steps: each change with its context, those that touch in one. */
function hunksOf(steps: readonly Step[], context: number): [from: number, to: number][] {
  const hunks: [number, number][] = [];
  for (const [index, { mark }] of steps.entries()) {
    if (mark === " ") continue;
    const [from, to] = [Math.max(0, index - context), Math.min(steps.length, index + context + 1)];
    const last = hunks.at(-1);
    if (last && from <= last[1]) last[1] = to;
    else hunks.push([from, to]);
  }
  return hunks;
}

function hunkText(steps: readonly Step[], from: number, to: number): string {
  const count = (mark: string, start: number, end: number) =>
    steps.slice(start, end).filter((step) => step.mark === " " || step.mark === mark).length;
  const side = (mark: string) => {
    const [before, lines] = [count(mark, 0, from), count(mark, from, to)];
    return `${lines === 0 ? before : before + 1}${lines === 1 ? "" : `,${lines}`}`;
  };
  const lines = steps
    .slice(from, to)
    .map(({ mark, line }) => (line.endsWith("\n") ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`));
  return `@@ -${side("-")} +${side("+")} @@\n${lines.join("")}`;
}
