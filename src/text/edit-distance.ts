/** The number of typing errors between two words. */

/**
 * Optimal string alignment over UTF-16 units: insertions, deletions, replacements and swaps of neighbours.
 * @returns at most `limit + 1`, which means "more than `limit`"
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (a.length > b.length) return editDistance(b, a, limit);
  const beyond = limit + 1;
  if (b.length - a.length > limit) return beyond;
  let start = 0;
  while (start < a.length && a.charCodeAt(start) === b.charCodeAt(start)) start++;
  let cut = 0;
  while (cut < a.length - start && a.charCodeAt(a.length - 1 - cut) === b.charCodeAt(b.length - 1 - cut)) cut++;
  return alignedDistance(a.slice(start, a.length - cut), b.slice(start, b.length - cut), limit);
}

function alignedDistance(a: string, b: string, limit: number): number {
  const beyond = limit + 1;
  if (a.length === 0) return Math.min(b.length, beyond);
  const width = b.length + 1;
  let beforeLast = new Int32Array(0);
  let last = Int32Array.from({ length: width }, (_, column) => Math.min(column, beyond));
  for (let row = 1; row <= a.length; row++) {
    const current = new Int32Array(width).fill(beyond);
    let least = Math.min(row, beyond);
    current[0] = least;
    const unit = a.charCodeAt(row - 1);
    for (let column = Math.max(1, row - limit); column <= Math.min(b.length, row + limit); column++) {
      const other = b.charCodeAt(column - 1);
      let cost = (last[column - 1] ?? beyond) + (unit === other ? 0 : 1);
      cost = Math.min(cost, (last[column] ?? beyond) + 1, (current[column - 1] ?? beyond) + 1);
      if (row > 1 && column > 1 && unit === b.charCodeAt(column - 2) && a.charCodeAt(row - 2) === other) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? beyond) + 1);
      }
      current[column] = Math.min(cost, beyond);
      least = Math.min(least, cost);
    }
    if (least > limit) return beyond;
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? beyond;
}
