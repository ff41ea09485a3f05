/** Small sets of numbers that cost next to nothing: most hold none or one, and half a million of them are kept. */

export type IdSet = undefined | number | number[];

/** The set with an id that is not in it yet. */
export function withNewId(set: IdSet, id: number): IdSet {
  if (set === undefined) return id;
  if (typeof set === "number") return [set, id];
  set.push(id);
  return set;
}

export function withoutId(set: IdSet, id: number): IdSet {
  if (typeof set === "number") return set === id ? undefined : set;
  const place = set?.indexOf(id) ?? -1;
  if (set === undefined || place === -1) return set;
  // No set has an order, so the last may take the place.
  const last = set.pop();
  if (last !== undefined && place < set.length) set[place] = last;
  return set.length > 1 ? set : set[0];
}

export function idsIn(set: IdSet): readonly number[] {
  return set === undefined ? [] : typeof set === "number" ? [set] : set;
}
