/** The revisions of the documents that were seen last: a database that lacks one of them was restored from a backup, or made anew (docs/livesync.md). */
import { generationOf } from "./stamp.js";

/** So many are compared, in one request. */
const COUNT = 20;

export class RecentRevisions {
  readonly #revisions = new Map<string, string>();

  get all(): ReadonlyMap<string, string> {
    return this.#revisions;
  }

  of(id: string): string | undefined {
    return this.#revisions.get(id);
  }

  /** A document was seen, or written, in this revision. */
  saw(id: string, revision: string): void {
    const before = this.#revisions.get(id);
    if (before !== undefined && generationOf(before) > generationOf(revision)) return;
    this.#revisions.delete(id);
    this.#revisions.set(id, revision);
    for (const oldest of this.#revisions.keys()) {
      if (this.#revisions.size <= COUNT) break;
      this.#revisions.delete(oldest);
    }
  }

  /** Begins anew with these, the last one as the newest. */
  reset(revisions: Iterable<readonly [id: string, revision: string]>): void {
    this.#revisions.clear();
    for (const [id, revision] of revisions) this.saw(id, revision);
  }
}
