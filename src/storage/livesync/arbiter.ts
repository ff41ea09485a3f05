/** On a cluster, where two nodes may both accept a write over one revision: whether a version of ours counts, and what becomes of it where it does not (docs/livesync.md). */
import { isDeepStrictEqual } from "node:util";
import { pausing } from "./client.js";
import type { RawDocument } from "./codec/document.js";
import type { Couch } from "./couch.js";
import { isBehind, STALE_PAUSES } from "./replica.js";
import { generationOf } from "./stamp.js";

/** How a version of ours fares: it counts, or another does. */
export type WriteVerdict =
  | { readonly kind: "stands" }
  | {
      readonly kind: "lost";
      readonly winner: string;
      /** Both were made of the same version, so that ours holds nothing of others' that the winner lacks. */
      readonly isSibling: boolean;
    };

/** A version of ours beside the one that counts. */
export interface Loser {
  readonly id: string;
  readonly revision: string;
}

export class Arbiter {
  readonly #couch: Couch;

  constructor(couch: Couch) {
    this.#couch = couch;
  }

  /** How a document that was written as `revision` fares. */
  async verdict(document: RawDocument, revision: string): Promise<WriteVerdict> {
    const { _id: id, _rev: parent } = document;
    for (const pause of [...STALE_PAUSES, 0]) {
      const found = (await this.#couch.byIds([id])).get(id);
      // Of two versions one of which is deleted the other counts: a deletion was made over ours.
      if (found?.kind === "deleted") return { kind: "stands" };
      if (found?.kind === "document" && !isBehind(found, revision)) {
        const winner = String(found.document["_rev"]);
        if (winner === revision) return { kind: "stands" };
        const history = await this.#couch.history(id);
        if (history.includes(revision)) return { kind: "stands" };
        return { kind: "lost", winner, isSibling: typeof parent !== "string" || history.includes(parent) };
      }
      await pausing(pause);
    }
    return { kind: "stands" };
  }

  /**
   * A version that a node took although the write as a whole was refused: other nodes hear of it later, and it may come to count.
   * @param before the versions that stood side by side before the write
   */
  async stray(document: RawDocument, before: readonly string[]): Promise<Stray | undefined> {
    const { _id: id, _rev: parent } = document;
    const found = (await this.#couch.byIds([id])).get(id);
    if (found?.kind !== "document") return undefined;
    const { _rev: current, _conflicts: conflicts } = found.document;
    const beside = (Array.isArray(conflicts) ? conflicts : []).map(String).filter((one) => !before.includes(one));
    const generation = (typeof parent === "string" ? generationOf(parent) : 0) + 1;
    for (const revision of [String(current), ...beside]) {
      if (generationOf(revision) !== generation || before.includes(revision)) continue;
      const isCurrent = revision === current;
      const version = isCurrent ? found.document : await this.#couch.revision(id, revision);
      if (version && isSameVersion(document, version)) return { id, revision, isCurrent, isAlone: beside.length === 0 };
    }
    return undefined;
  }

  /** Takes away one version of ours, and no other. What fails is left to be seen as a version in conflict. */
  async discard({ id, revision }: Loser): Promise<void> {
    await this.#couch.put({ _id: id, _rev: revision, _deleted: true }).catch(() => undefined);
  }
}

export interface Stray extends Loser {
  readonly isCurrent: boolean;
  /** Nothing stands beside it: it is as good as written. */
  readonly isAlone: boolean;
}

/** Whether two documents say the same; what begins with an underscore is the database's. */
export function isSameVersion(one: RawDocument, other: RawDocument): boolean {
  return isDeepStrictEqual(own(one), own(other));
}

function own(document: RawDocument): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(document).filter(([name]) => !name.startsWith("_")));
}
