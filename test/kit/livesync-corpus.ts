/** The dumps of real LiveSync databases in `test/corpus/livesync`, and what they hold. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { RawDocument } from "../../src/storage/livesync/codec/document.js";

const FOLDER = join(import.meta.dirname, "..", "corpus", "livesync");

export const VARIANTS = ["plain", "e2ee-v1", "e2ee-v2", "e2ee-v2-obfuscated", "legacy-0.24-plain-eden"] as const;
export type Variant = (typeof VARIANTS)[number];

export interface Dump {
  /** Every leaf revision: load with POST `_bulk_docs` `{ new_edits: false, docs }`. */
  readonly docs: readonly RawDocument[];
  /** The two `_local` documents, to be PUT without `_rev`. */
  readonly local: readonly RawDocument[];
  /** What `_all_docs` would answer: of each document the winning revision, and no tombstone. */
  readonly winners: readonly RawDocument[];
}

export interface Expected {
  readonly passphrase: string | null;
  readonly ids: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, { readonly size: number; readonly sha256: string }>>;
  readonly deleted: readonly string[];
  readonly tombstoned: readonly string[];
  readonly hidden: Readonly<Record<string, string>>;
  readonly conflicted: Readonly<
    Record<string, { readonly winner: string; readonly revisions: Readonly<Record<string, string>> }>
  >;
}

export interface SetupSample {
  readonly uri: string;
  readonly setupPassphrase: string;
  readonly expected: {
    readonly couchDB_URI: string;
    readonly couchDB_USER: string;
    readonly couchDB_PASSWORD: string;
    readonly couchDB_DBNAME: string;
    readonly passphrase: string;
    readonly usePathObfuscation: boolean;
  };
}

export function readDump(variant: Variant): { readonly dump: Dump; readonly expected: Expected } {
  const text = gunzipSync(readFileSync(join(FOLDER, `${variant}.json.gz`))).toString();
  const { docs, local } = JSON.parse(text) as Pick<Dump, "docs" | "local">;
  const expected = JSON.parse(readFileSync(join(FOLDER, "expected", `${variant}.json`), "utf8")) as Expected;
  return { dump: { docs, local, winners: winning(docs) }, expected };
}

export function readSetupSample(): SetupSample {
  return JSON.parse(readFileSync(join(FOLDER, "setup-uri", "sample.json"), "utf8")) as SetupSample;
}

export function expectedFile(path: string): Buffer {
  return readFileSync(join(FOLDER, "expected", "files", path));
}

/** CouchDB's choice: not deleted before deleted, then the longer history, then the greater hash. */
function winning(docs: readonly RawDocument[]): readonly RawDocument[] {
  const best = new Map<string, RawDocument>();
  for (const document of docs) {
    const rival = best.get(document["_id"]);
    if (rival === undefined || rank(document) > rank(rival)) best.set(document["_id"], document);
  }
  return [...best.values()].filter((document) => document["_deleted"] !== true);
}

function rank({ _rev, _deleted }: RawDocument): string {
  const [generation = "", hash = ""] = String(_rev).split("-");
  return `${_deleted === true ? 0 : 1} ${generation.padStart(10, "0")} ${hash}`;
}
