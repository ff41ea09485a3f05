/** This user's last versions on a cluster, for the process after a killed writer. */
import { parseJson } from "../../text/decoded.js";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { putNewest } from "../../async/newest.js";
import { makePrivateFolder } from "../../private-folder.js";
import { sha256 } from "../../text/hash.js";
import { isRecord, type RawDocument } from "./codec/document.js";

export interface OwnVersion {
  readonly id: string;
  readonly revision: string;
  /** The database forgets old revisions, but no chunk. Undefined for a new or long file. */
  readonly base: RawDocument | undefined;
  /** False: too few nodes accepted it, as reported. */
  readonly isAcknowledged: boolean;
}

const MAX_VERSIONS = 1000;
const MAX_BASE_LENGTH = 8 * 1024;
/** A longer file keeps the last versions. */
const MAX_FILE_SIZE = 4 * 1024 * 1024;

export class OwnVersions {
  readonly #file: string | undefined;
  readonly #versions = new Map<string, OwnVersion>();
  #isLoaded = false;

  /** @param folder undefined: store nothing @param identity without credentials */
  constructor(folder: string | undefined, identity: string) {
    this.#file = folder === undefined ? undefined : join(folder, `${sha256(identity).slice(0, 16)}.written`);
  }

  of(id: string): readonly OwnVersion[] {
    this.#load();
    return [...this.#versions.values()].filter((version) => version.id === id);
  }

  get ids(): ReadonlySet<string> {
    this.#load();
    return new Set([...this.#versions.values()].map(({ id }) => id));
  }

  add(version: OwnVersion): void {
    this.#remember(version);
    if (this.#file === undefined || !version.isAcknowledged) return;
    const { id, revision, base } = version;
    const document = base && JSON.stringify(base).length <= MAX_BASE_LENGTH ? base : undefined;
    try {
      makePrivateFolder(dirname(this.#file));
      fs.appendFileSync(this.#file, `${JSON.stringify({ id, revision, base: document })}\n`, { mode: 0o600 });
      if (fs.statSync(this.#file).size > MAX_FILE_SIZE) this.#shorten(this.#file);
    } catch {}
  }

  delete(revision: string): void {
    this.#versions.delete(revision);
  }

  #remember(version: OwnVersion): void {
    putNewest(this.#versions, version.revision, version, MAX_VERSIONS);
  }

  #load(): void {
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    const since = [...this.#versions.values()];
    for (const line of this.#file === undefined ? [] : linesOf(this.#file)) {
      const version = versionIn(line);
      if (version) this.#remember(version);
    }
    for (const version of since) this.#remember(version);
  }

  #shorten(file: string): void {
    const shorter = `${file}-${process.pid}`;
    fs.writeFileSync(shorter, `${linesOf(file).join("\n")}\n`, { mode: 0o600 });
    fs.renameSync(shorter, file);
  }
}

function linesOf(file: string): readonly string[] {
  try {
    return fs.readFileSync(file, "utf8").trim().split("\n").slice(-MAX_VERSIONS);
  } catch {
    return [];
  }
}

function versionIn(line: string): OwnVersion | undefined {
  const found = parseJson(line);
  if (!isRecord(found)) return undefined;
  const { id, revision, base } = found;
  if (typeof id !== "string" || typeof revision !== "string") return undefined;
  return { id, revision, base: isRecord(base) ? (base as RawDocument) : undefined, isAcknowledged: true };
}
