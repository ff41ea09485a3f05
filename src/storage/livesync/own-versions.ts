/**
 * The versions that processes of this user wrote last on a cluster, stored in the cache folder: a version that loses to another
 * server's is merged by any process that sees it, also when its writer was killed.
 */
import fs from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../text/hash.js";
import { isRecord } from "./codec/document.js";

export interface OwnVersion {
  readonly id: string;
  readonly revision: string;
  /** Its parent; undefined for a new file. */
  readonly parent?: string | undefined;
}

export const MAX_REMEMBERED = 200;
const MAX_FILE_SIZE = 128 * 1024;

export class OwnVersions {
  readonly #file: string;

  /** @param identity of the database, without credentials */
  constructor(folder: string, identity: string) {
    this.#file = join(folder, `${sha256(identity).slice(0, 16)}.written`);
  }

  /** The last ones; none if they cannot be read. */
  load(): readonly OwnVersion[] {
    try {
      return this.#lines().flatMap((line) => versionIn(line) ?? []);
    } catch {
      return [];
    }
  }

  /** If the folder cannot be written, a version is remembered only in its process. */
  add({ id, revision, parent }: OwnVersion): void {
    try {
      fs.mkdirSync(join(this.#file, ".."), { recursive: true, mode: 0o700 });
      fs.appendFileSync(this.#file, `${JSON.stringify({ id, revision, parent })}\n`, { mode: 0o600 });
      if (fs.statSync(this.#file).size > MAX_FILE_SIZE) this.#shorten();
    } catch {
      // Nothing else is lost.
    }
  }

  #shorten(): void {
    const shorter = `${this.#file}-${process.pid}`;
    fs.writeFileSync(shorter, `${this.#lines().join("\n")}\n`, { mode: 0o600 });
    fs.renameSync(shorter, this.#file);
  }

  #lines(): readonly string[] {
    return fs.readFileSync(this.#file, "utf8").trim().split("\n").slice(-MAX_REMEMBERED);
  }
}

/** Undefined for a line that was cut short. */
function versionIn(line: string): OwnVersion | undefined {
  try {
    const found: unknown = JSON.parse(line);
    if (!isRecord(found)) return undefined;
    const { id, revision, parent } = found;
    if (typeof id !== "string" || typeof revision !== "string") return undefined;
    return { id, revision, parent: typeof parent === "string" ? parent : undefined };
  } catch {
    return undefined;
  }
}
