/**
 * On a cluster, where nodes may each accept a write over one revision, decides whether our version is current
 * (docs/livesync.md). All servers follow CouchDB's rule.
 */
import { setTimeout as delay } from "node:timers/promises";
import { randomInt } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type RawDocument, generationOf } from "./codec/document.js";
import type { Couch, LeafVersion } from "./couch.js";
import { isBehind, STALE_PAUSES_MS } from "./replica.js";

type WriteVerdict =
  /** Or in the current version's history. */
  | { readonly kind: "accepted" }
  | {
      readonly kind: "lost";
      readonly winner: string;
      /** Of the same parent: the winner lacks only our change. */
      readonly isSibling: boolean;
    }
  /** Another version of the same parent was acknowledged. */
  | { readonly kind: "withdrawn" }
  | { readonly kind: "undecided" };

export interface Loser {
  readonly id: string;
  readonly revision: string;
}

const UNDECIDED_TIMEOUT_MS = 5000;
/** A stopped node never answers. */
const ALL_NODES_TIMEOUT_MS = 1000;
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 320;
/** The winner waits this long for a losing version's server. */
const COMPETING_TIMEOUT_MS = 500;

/** For a write that most nodes accepted. */
export async function judgeWrite(
  couch: Couch,
  document: RawDocument,
  revision: string,
  copies: number,
): Promise<WriteVerdict> {
  if (copies === 1) return { kind: "accepted" };
  const { _id: id, _rev: parent } = document;
  for (const pause of [...STALE_PAUSES_MS, 0]) {
    const found = (await couch.byIds([id])).get(id);
    if (found?.kind === "deleted") return { kind: "accepted" };
    if (found?.kind === "document" && !isBehind(found, revision)) {
      const winner = String(found.document["_rev"]);
      if (winner === revision) return { kind: "accepted" };
      const history = await couch.history(id);
      if (history.includes(revision)) return { kind: "accepted" };
      return { kind: "lost", winner, isSibling: typeof parent !== "string" || history.includes(parent) };
    }
    await delay(pause);
  }
  return { kind: "accepted" };
}

/**
 * Judges a write that too few nodes accepted (202), from all copies. The server of a losing version repeats its change
 * on the winner. A loser that stays was acknowledged, so the winner, which was not, is withdrawn.
 * @param known versions that do not compete: older ones and our own
 */
export async function decide(
  couch: Couch,
  document: RawDocument,
  revision: string,
  { known, copies }: { readonly known: readonly string[]; readonly copies: number },
): Promise<WriteVerdict> {
  const { _id: id, _rev: parent } = document;
  const start = performance.now();
  const timeout = COMPETING_TIMEOUT_MS + randomInt(COMPETING_TIMEOUT_MS);
  let [competingSince, isReached] = [Infinity, false];
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    const versions = await versionsOnCopies(couch, id, copies);
    const own = versions.find((one) => one.revision === revision);
    if (versions.some((one) => one !== own && one.history.includes(revision))) return { kind: "accepted" };
    const rivals = versions.filter((one) => one !== own && !one.isDeleted && !known.includes(one.revision));
    if (own && rivals.length === 0) {
      // Copies were read after reaching most nodes: most have our version.
      if (isReached) return { kind: "accepted" };
      isReached = await couch.hasQuorum().catch(() => false);
    } else if (own) {
      const winner = winnerOf([...rivals, own]);
      if (winner !== own) {
        const isSibling = typeof parent !== "string" || winner.history.includes(parent);
        return { kind: "lost", winner: winner.revision, isSibling };
      }
      competingSince = Math.min(competingSince, performance.now());
      const isLate = performance.now() - competingSince > timeout;
      if (isLate && (await discardVersion(couch, { id, revision }, document))) return { kind: "withdrawn" };
    }
    if (performance.now() - start > UNDECIDED_TIMEOUT_MS) return { kind: "undecided" };
    await delay(pause);
  }
}

/** On all copies; on most if a node does not answer; else none. */
async function versionsOnCopies(couch: Couch, id: string, copies: number): Promise<readonly LeafVersion[]> {
  const ask = (count: number): Promise<readonly LeafVersion[]> =>
    couch.versions(id, count, AbortSignal.timeout(ALL_NODES_TIMEOUT_MS));
  return ask(copies).catch(() => ask(Math.floor(copies / 2) + 1).catch(() => []));
}

/** One node may have accepted a refused write. */
export async function findStray(
  couch: Couch,
  document: RawDocument,
  before: readonly string[],
): Promise<Stray | undefined> {
  const { _id: id, _rev: parent } = document;
  const found = (await couch.byIds([id])).get(id);
  if (found?.kind !== "document") return undefined;
  const { _rev: current, _conflicts: conflicts } = found.document;
  const others = (Array.isArray(conflicts) ? conflicts : []).map(String).filter((one) => !before.includes(one));
  const generation = (typeof parent === "string" ? generationOf(parent) : 0) + 1;
  for (const revision of [String(current), ...others]) {
    if (generationOf(revision) !== generation || before.includes(revision)) continue;
    const isCurrent = revision === current;
    const version = isCurrent ? found.document : await couch.revision(id, revision);
    if (version && isSameVersion(document, version)) return { id, revision, isCurrent, isAlone: others.length === 0 };
  }
  return undefined;
}

/**
 * On failure it remains as a conflict.
 * @param document written back if another server deleted the last other version
 * @returns whether it was deleted
 */
export async function discardVersion(couch: Couch, { id, revision }: Loser, document?: RawDocument): Promise<boolean> {
  try {
    const gone = await couch.put({ _id: id, _rev: revision, _deleted: true });
    if (gone.kind !== "written") return false;
    const found = document && (await couch.byIds([id])).get(id);
    if (found?.kind !== "deleted") return true;
    await couch.put({ ...document, _id: id, _rev: gone.revision });
    return false;
  } catch {
    return false;
  }
}

interface Stray extends Loser {
  readonly isCurrent: boolean;
  readonly isAlone: boolean;
}

/** CouchDB's rule: longest history, then greatest hash. */
function winnerOf(versions: readonly LeafVersion[]): LeafVersion {
  return versions.reduce((best, one) => {
    const longer = generationOf(one.revision) - generationOf(best.revision);
    return longer > 0 || (longer === 0 && one.revision > best.revision) ? one : best;
  });
}

/** The database owns fields with an underscore. */
export function isSameVersion(one: RawDocument, other: RawDocument): boolean {
  return isDeepStrictEqual(own(one), own(other));
}

function own(document: RawDocument): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(document).filter(([name]) => !name.startsWith("_")));
}
