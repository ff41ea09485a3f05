/** Objects that are met again and again, so that what is made of them is made once and kept as long as they are. */

const lasting = new WeakSet<object>();

/** Says of an object that it will be met again. */
export function lasts(value: object): void {
  lasting.add(value);
}

export function isLasting(value: object): boolean {
  return lasting.has(value);
}

/** A function that is worked out once for each object that lasts, and whose values then last as well. */
export function onceIfLasting<From extends object, Made extends object>(
  make: (from: From) => Made,
): (from: From) => Made {
  const kept = new WeakMap<From, Made>();
  return (from) => {
    if (!lasting.has(from)) return make(from);
    const known = kept.get(from);
    if (known) return known;
    const made = make(from);
    lasting.add(made);
    kept.set(from, made);
    return made;
  };
}
