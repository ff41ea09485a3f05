/** Keeps the mirror in the cache folder between processes, readable by no one else; losing it costs only time. */
import fs from "node:fs";
import { join } from "node:path";
import type { Ids } from "../../clock.js";
import type { VaultPath } from "../path.js";
import { sha256 } from "../../text/hash.js";
import { isRecord, isTexts } from "./codec/document.js";
import type { KeptEvidence } from "./codec/settings.js";
import type { Range, Sequence } from "./couch.js";
import type { MirroredFile } from "./mirror.js";
import { revisionStamp } from "./stamp.js";

/** What is kept: the files as of a place in the feed of changes. */
export interface KeptMirror {
  readonly fingerprint: string;
  /** When the server made the database, where it says so. */
  readonly instance: string | undefined;
  /** `pbkdf2salt` as the database has it. */
  readonly salt: string | undefined;
  readonly sequence: Sequence;
  /** What was not listed yet when a long listing was cut short. */
  readonly unlisted: readonly Range[];
  /** The revisions that were seen last, by id: a database that lacks one has been restored or made anew. */
  readonly recent: readonly (readonly [id: string, revision: string])[];
  readonly files: readonly MirroredFile[];
  /** Documents to look at again: what is wrong with them is not kept. */
  readonly doubtful: readonly string[];
  readonly evidence: KeptEvidence;
}

const EDITION = 4;
const SUFFIX = ".livesync";
/** A larger file is none of ours. */
const MAX_BYTES = 512 * 1024 * 1024;
// A link, a FIFO or another user's file in our place is not ours to trust.
const OPEN = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

/** One file as it is written: half the size of an object with names. */
type Row = readonly [
  id: string,
  revision: string,
  path: string,
  size: number,
  modified: number,
  created: number,
  type: string,
  isInline: 0 | 1,
  chunks: string,
  conflicts: readonly string[],
];

export class MirrorFile {
  readonly #file: string;
  readonly #folder: string;
  readonly #identity: string;
  readonly #ids: Ids;

  /** @param identity of the database, without credentials */
  constructor(folder: string, identity: string, ids: Ids) {
    this.#folder = folder;
    this.#identity = identity;
    this.#ids = ids;
    this.#file = join(folder, `${sha256(identity).slice(0, 16)}${SUFFIX}`);
  }

  /** Undefined when there is none, or none that can be trusted. */
  load(): KeptMirror | undefined {
    try {
      const bytes = readOwn(this.#file);
      const end = bytes.lastIndexOf("\n");
      const content = bytes.subarray(0, Math.max(0, end));
      if (sha256(content) !== bytes.toString("latin1", end + 1)) return undefined;
      return read(JSON.parse(content.toString("utf8")), this.#identity);
    } catch {
      return undefined;
    }
  }

  /** @returns whether it was saved */
  save({ files, evidence, ...rest }: KeptMirror): boolean {
    const { encrypted, v2, obfuscated, caseSensitive, notes, sample } = evidence;
    const text = JSON.stringify({
      edition: EDITION,
      identity: this.#identity,
      ...rest,
      evidence: { encrypted, v2, obfuscated, caseSensitive, notes, sample },
      files: files.map(rowOf),
    });
    const temporary = `${this.#file}.${process.pid}-${this.#ids.next()}.tmp`;
    try {
      fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      fs.writeFileSync(temporary, `${text}\n${sha256(text)}`, { mode: 0o600, flag: "wx" });
      fs.renameSync(temporary, this.#file);
      return true;
    } catch {
      fs.rmSync(temporary, { force: true });
      return false;
    }
  }
}

function readOwn(path: string): Buffer {
  const handle = fs.openSync(path, OPEN);
  try {
    const stat = fs.fstatSync(handle);
    const isOurs = stat.isFile() && stat.size <= MAX_BYTES && (process.getuid?.() ?? stat.uid) === stat.uid;
    return isOurs ? fs.readFileSync(handle) : Buffer.alloc(0);
  } finally {
    fs.closeSync(handle);
  }
}

function rowOf({ id, revision, stat, type, isInline, chunks, conflicts }: MirroredFile): Row {
  const { path, size, modified, created } = stat;
  return [id, revision, path, size, modified, created, type ?? "", isInline ? 1 : 0, chunks, conflicts];
}

function read(kept: unknown, identity: string): KeptMirror | undefined {
  if (!isRecord(kept) || kept["edition"] !== EDITION || kept["identity"] !== identity) return undefined;
  // The checksum vouches for what this program wrote.
  const { fingerprint, sequence, doubtful, files, evidence } = kept;
  if (typeof fingerprint !== "string" || !isTexts(doubtful) || !Array.isArray(files) || !isRecord(evidence)) {
    return undefined;
  }
  if (typeof sequence !== "string" && typeof sequence !== "number") return undefined;
  const { caseSensitive, sample } = evidence;
  return {
    fingerprint,
    sequence,
    doubtful,
    instance: typeof kept["instance"] === "string" ? kept["instance"] : undefined,
    salt: typeof kept["salt"] === "string" ? kept["salt"] : undefined,
    unlisted: kept["unlisted"] as KeptMirror["unlisted"],
    recent: kept["recent"] as KeptMirror["recent"],
    files: (files as readonly Row[]).map(fileOf),
    evidence: {
      encrypted: evidence["encrypted"] === true,
      v2: evidence["v2"] === true,
      obfuscated: evidence["obfuscated"] === true,
      caseSensitive: typeof caseSensitive === "boolean" ? caseSensitive : undefined,
      notes: evidence["notes"] === true,
      sample: typeof sample === "string" ? sample : undefined,
    },
  };
}

function fileOf(row: Row): MirroredFile {
  const [id, revision, path, size, modified, created, type, isInline, chunks, conflicts] = row;
  return {
    id,
    revision,
    stat: { path: path as VaultPath, size, modified, created, stamp: revisionStamp(revision) },
    type: type === "" ? undefined : type,
    chunks,
    conflicts,
    isInline: isInline === 1,
    fault: undefined,
  };
}
