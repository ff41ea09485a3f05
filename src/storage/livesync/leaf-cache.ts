/** The chunks that were fetched last, as the database holds them, so that a file that was read is edited without fetching it again. */
import { isLeaf, type RawDocument } from "./codec/document.js";

/** Characters. */
const ROOM = 8 * 1024 * 1024;

export class LeafCache {
  readonly #leaves = new Map<string, RawDocument>();
  #held = 0;

  get(id: string): RawDocument | undefined {
    return this.#leaves.get(id);
  }

  /** Which of these are to be fetched, each once. */
  missing(ids: readonly string[]): readonly string[] {
    return [...new Set(ids)].filter((id) => !this.#leaves.has(id));
  }

  add(leaf: RawDocument): void {
    const { _id: id } = leaf;
    if (!isLeaf(leaf) || this.#leaves.has(id)) return;
    this.#leaves.set(id, leaf);
    this.#held += lengthOf(leaf);
    for (const [oldest, other] of this.#leaves) {
      if (this.#held <= ROOM) break;
      this.#leaves.delete(oldest);
      this.#held -= lengthOf(other);
    }
  }
}

function lengthOf({ data }: RawDocument): number {
  return typeof data === "string" ? data.length : 0;
}
