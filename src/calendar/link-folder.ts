/** Keeps a vault's calendar links in the user's state folder, one file each, named by the hash of its secret and readable by no one else. */
import fs from "node:fs";
import { join } from "node:path";
import { VaultError } from "../errors.js";
import { sha256 } from "../text/hash.js";
import { foldName } from "../storage/path.js";
import { readFilters, type CalendarFilters } from "./filters.js";
import { randomBytes } from "node:crypto";

export interface LinkFolderOptions {
  /** The state folder; made when missing. */
  readonly folder: string;
  /** What identifies the vault, asked each time: a folder may be reached under another name by now. */
  readonly vault: () => string;
}

const CALENDARS = "calendars";
const MAX_LINKS = 100;
const MAX_NAME_LENGTH = 100;
const ENDING = ".json";
// A link or a FIFO in our place is not ours to read.
const PLAIN = (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

/** Nothing is cached: a link that was just made or revoked counts. */
export class LinkFolder implements FeedLinks {
  readonly #options: LinkFolderOptions;

  constructor(options: LinkFolderOptions) {
    this.#options = options;
  }

  find(digest: string): FeedLink | undefined {
    return readLink(join(this.#folder(), digest + ENDING));
  }

  /** In the order of their names. */
  list(): readonly FeedLink[] {
    return this.#files()
      .flatMap((file) => readLink(file) ?? [])
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * Makes a link.
   * @returns its secret, which is shown only this once
   * @throws VaultError ALREADY_EXISTS, or INVALID_ARGUMENT for a name that cannot be one
   */
  add(link: FeedLink): string {
    const name = usableName(link.name);
    const links = this.list();
    if (links.some((other) => foldName(other.name) === foldName(name)))
      throw new VaultError("ALREADY_EXISTS", `There is a calendar link ${JSON.stringify(name)} already.`, {
        hint: "Its address was shown when it was made. calendar revoke takes it back; then it can be made anew.",
      });
    if (links.length >= MAX_LINKS)
      throw new VaultError("TOO_LARGE", `There are ${MAX_LINKS} calendar links already.`, {
        hint: "calendar links lists them, calendar revoke takes one back.",
      });
    const secret = newFeedSecret();
    const folder = this.#folder();
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, feedDigest(secret) + ENDING);
    // Written as a whole: a server may read it at any moment.
    const unfinished = `${file}.tmp`;
    const text = `${JSON.stringify({ name, filters: link.filters }, null, 2)}\n`;
    fs.writeFileSync(unfinished, text, { mode: 0o600, flag: "wx", flush: true });
    fs.renameSync(unfinished, file);
    return secret;
  }

  /** Revokes a link; from then on its address leads nowhere. @throws VaultError FILE_NOT_FOUND */
  revoke(name: string): void {
    const files = this.#files().filter((file) => {
      const link = readLink(file);
      return link !== undefined && foldName(link.name) === foldName(name.trim());
    });
    if (files.length === 0)
      throw new VaultError("FILE_NOT_FOUND", `There is no calendar link ${JSON.stringify(name)}.`, {
        hint: "calendar links lists those there are.",
      });
    for (const file of files) fs.rmSync(file);
  }

  #folder(): string {
    return join(this.#options.folder, CALENDARS, sha256(this.#options.vault()).slice(0, 32));
  }

  #files(): readonly string[] {
    const folder = this.#folder();
    try {
      return fs.readdirSync(folder).flatMap((name) => (name.endsWith(ENDING) ? [join(folder, name)] : []));
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }
}

/** Undefined for a file that is no valid link: its address then leads nowhere. */
function readLink(file: string): FeedLink | undefined {
  try {
    const value: unknown = JSON.parse(readPlain(file));
    if (typeof value !== "object" || value === null) return undefined;
    const { name, filters } = value as Readonly<Record<string, unknown>>;
    return typeof name === "string" ? { name, filters: readFilters(filters) } : undefined;
  } catch {
    return undefined;
  }
}

function readPlain(file: string): string {
  const handle = fs.openSync(file, fs.constants.O_RDONLY | PLAIN);
  try {
    return fs.readFileSync(handle, "utf8");
  } finally {
    fs.closeSync(handle);
  }
}

function usableName(name: string): string {
  const trimmed = name.trim();
  const isUsable = trimmed !== "" && trimmed.length <= MAX_NAME_LENGTH && !/[\u0000-\u001f\u007f]/.test(trimmed);
  if (isUsable) return trimmed;
  throw new VaultError("INVALID_ARGUMENT", `A calendar's name has 1 to ${MAX_NAME_LENGTH} characters in one line.`);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** A calendar that somebody may read. */
export interface FeedLink {
  /** What its owner and calendar programs call it. */
  readonly name: string;
  readonly filters: CalendarFilters;
}

/** Where links are stored: never the secret, only its digest. */
export interface FeedLinks {
  /** @param digest of the secret that was shown */
  find(digest: string): FeedLink | undefined;
}

/** 32 bytes in letters that every address may hold: 43 characters. */
export function newFeedSecret(): string {
  return randomBytes(32).toString("base64url");
}

export function isFeedSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

export function feedDigest(secret: string): string {
  return sha256(secret);
}
