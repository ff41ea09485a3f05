/** What is remembered of a vault's texts as a snapshot file beside those of the catalog: a process that is spawned to search reads few. */
import { assemble, bodyOf, headOf, warnOfDamage } from "../catalog/snapshot/format.js";
import type { SnapshotStore } from "../catalog/snapshot/store.js";
import type { Log } from "../log.js";
import type { SignatureColumns } from "../search/text-filter.js";
import type { SignatureMemory } from "../search/text-learner.js";
import type { VaultPath } from "../storage/path.js";
import type { Storage } from "../storage/storage.js";

/** A change of what signatures hold or how they are laid out. */
const VERSION = 1;

/** What the file must agree with to be of use. */
interface Kind {
  readonly edition: string;
  readonly identity: string;
  readonly stampLength: number;
  readonly version: number;
}

interface Head extends Kind {
  readonly files: number;
  readonly words: number;
  readonly pathBytes: number;
}

export function textSnapshot(store: SnapshotStore, { identity, stampLength }: Storage, log: Log): SignatureMemory {
  const kind: Kind = { edition: store.edition, identity, stampLength, version: VERSION };
  const name = `${identity} texts`;
  return {
    async load() {
      const bytes = await store.load(name);
      const columns = bytes && decoded(bytes, kind);
      if (bytes && !columns) warnOfDamage(bytes, log);
      return columns;
    },
    async save(columns) {
      await store.save(name, encoded(columns, kind));
    },
  };
}

function encoded({ paths, stamps, lengths, words }: SignatureColumns, kind: Kind): readonly Uint8Array[] {
  const pathText = Buffer.from(JSON.stringify(paths));
  const head: Head = { ...kind, files: paths.length, words: words.length, pathBytes: pathText.byteLength };
  const parts = [stamps, lengths, words].map((column) => [
    new Uint8Array(column.buffer, column.byteOffset, column.byteLength),
  ]);
  return assemble(Buffer.from(JSON.stringify(head)), [...parts, [pathText]]);
}

/** Undefined for what is of another kind or not what was written. */
function decoded(bytes: Uint8Array, kind: Kind): SignatureColumns | undefined {
  try {
    const start = headOf(bytes, bytes.byteLength);
    const head = start && (JSON.parse(Buffer.from(start).toString()) as Head);
    if (!head || !isOf(kind, head)) return undefined;
    const body = bodyOf(bytes);
    return (
      body && {
        stamps: body.floats(head.files * kind.stampLength),
        lengths: body.words(head.files),
        words: body.words(head.words),
        paths: JSON.parse(body.bytes(head.pathBytes).toString()) as VaultPath[],
      }
    );
  } catch {
    return undefined;
  }
}

function isOf(kind: Kind, head: Kind): boolean {
  return (
    head.edition === kind.edition &&
    head.identity === kind.identity &&
    head.stampLength === kind.stampLength &&
    head.version === kind.version
  );
}
