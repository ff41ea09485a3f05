/** Searches that only go forward, so that all searches in a text together take linear time. */

export class ForwardSearch {
  readonly #text: string;
  readonly #what: string | RegExp;
  #found = -1;

  constructor(text: string, what: string | RegExp) {
    this.#text = text;
    this.#what = what;
  }

  /** Infinite when there is none. */
  from(at: number): number {
    if (this.#found < at) this.#found = this.#look(at);
    return this.#found;
  }

  #look(at: number): number {
    if (typeof this.#what === "string") {
      const found = this.#text.indexOf(this.#what, at);
      return found === -1 ? Infinity : found;
    }
    this.#what.lastIndex = at;
    return this.#what.exec(this.#text)?.index ?? Infinity;
  }
}

/** The runs of backticks in a range: inline code ends at the next run of the same length. */
export class CodeRuns {
  readonly #byLength = new Map<number, { readonly starts: number[]; next: number }>();

  constructor(text: string, from: number, end: number) {
    for (let at = text.indexOf("`", from); at !== -1 && at < end;) {
      let stop = at;
      while (stop < end && text.charCodeAt(stop) === 96) stop += 1;
      const runs = this.#byLength.get(stop - at);
      if (runs) runs.starts.push(at);
      else this.#byLength.set(stop - at, { starts: [at], next: 0 });
      at = text.indexOf("`", stop);
    }
  }

  /** `from` must not decrease. */
  closing(length: number, from: number): number | undefined {
    const runs = this.#byLength.get(length);
    if (runs === undefined) return undefined;
    while (runs.next < runs.starts.length && (runs.starts[runs.next] ?? 0) < from) runs.next += 1;
    const start = runs.starts[runs.next];
    return start === undefined ? undefined : start + length;
  }
}
