/** Collects the best of many hits without sorting all of them. */

/** Fewer hits are sorted only at the end. */
const MIN_KEPT = 64;

interface Hit<Doc> {
  readonly doc: Doc;
  readonly score: number;
}

/** In the order that sorting all documents would give. */
export class BestHits<Doc> {
  readonly #limit: number;
  readonly #tieBreak: (a: Doc, b: Doc) => number;
  #hits: Hit<Doc>[] = [];
  /** Once there are enough, worse hits are dropped. */
  #worst: Hit<Doc> | undefined;
  #total = 0;

  /** @param tieBreak for equal scores; equal documents keep their order */
  constructor(limit: number, tieBreak: (a: Doc, b: Doc) => number) {
    this.#limit = limit;
    this.#tieBreak = tieBreak;
  }

  get total(): number {
    return this.#total;
  }

  add(doc: Doc, score: number): void {
    this.#total++;
    const worst = this.#worst;
    if (worst !== undefined && (worst.score - score || this.#tieBreak(doc, worst.doc)) >= 0) return;
    this.#hits.push({ doc, score });
    if (this.#hits.length >= this.#limit * 2 && this.#hits.length >= MIN_KEPT) this.#cut();
  }

  /** Best first, at most `limit`. */
  documents(): Doc[] {
    this.#cut();
    return this.#hits.map(({ doc }) => doc);
  }

  #cut(): void {
    this.#hits.sort((a, b) => b.score - a.score || this.#tieBreak(a.doc, b.doc));
    if (this.#hits.length < this.#limit) return;
    this.#hits.length = this.#limit;
    this.#worst = this.#hits.at(-1);
  }
}
