/** The name a caller probably meant: one lookup for misspelt arguments and tools. */

/** How a name is compared: compatible characters as one, no case, no spaces, `_` or `-`. */
export function folded(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\s_-]/g, "");
}

/** The known name closest to `name`; undefined when none is close enough to be worth naming. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = folded(name.slice(0, 100));
  if (wanted === "") return undefined;
  let best: string | undefined;
  let bestCost = Math.max(1, Math.floor(wanted.length / 3)) + 0.5;
  for (const candidate of known) {
    const cost = costOf(wanted, folded(candidate));
    if (cost < bestCost) [best, bestCost] = [candidate, cost];
  }
  return best;
}

function costOf(wanted: string, candidate: string): number {
  const contains = wanted.length >= 2 && (candidate.includes(wanted) || wanted.includes(candidate));
  return Math.min(distance(wanted, candidate), contains ? 1 : Infinity);
}

/** Levenshtein's distance with neighbouring letters swapped counted as one. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(at(last, column) + 1, at(line, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      line.push(cost);
    }
    [beforeLast, last] = [last, line];
  }
  return at(last, b.length);
}

function at(line: readonly number[], index: number): number {
  return line[index] ?? Infinity;
}
