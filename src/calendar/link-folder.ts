/** Stores calendar links, with what each shows: a private file each, named by its secret's hash. */
import fs from "node:fs";
import { join } from "node:path";
import { VaultError, systemCode } from "../errors.js";
import { makePrivateFolder } from "../private-folder.js";
import { sha256 } from "../text/hash.js";
import { foldName } from "../storage/path.js";
import { randomBytes } from "node:crypto";

interface LinkFolderOptions {
  readonly folder: string;
  /** A folder may be renamed. */
  readonly vault: () => string;
}

const CALENDARS = "calendars";
const MAX_LINKS = 100;
const MAX_NAME_LENGTH = 100;
const ENDING = ".json";
// Do not follow a link or wait for a FIFO.
const PLAIN = (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

export type LinkFolder = ReturnType<typeof linkFolder>;

/** Reads the folder for each call. */
export function linkFolder(options: LinkFolderOptions) {
  const folderNow = (): string => join(options.folder, CALENDARS, sha256(options.vault()).slice(0, 32));

  const find = (digest: string): FeedLink | undefined => readLink(join(folderNow(), digest + ENDING));

  function list(): readonly FeedLink[] {
    return filesIn(folderNow())
      .flatMap((file) => readLink(file) ?? [])
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** @returns the secret, which is not stored @throws ALREADY_EXISTS, TOO_LARGE, INVALID_ARGUMENT for the name */
  function add(link: FeedLink): string {
    const name = usableName(link.name);
    const links = list();
    if (links.some((other) => foldName(other.name) === foldName(name)))
      throw new VaultError("ALREADY_EXISTS", `There is a calendar link ${JSON.stringify(name)} already.`, {
        hint: "Its address was shown when it was created. calendar revoke removes it; then it can be created again.",
      });
    if (links.length >= MAX_LINKS)
      throw new VaultError("TOO_LARGE", `There are ${MAX_LINKS} calendar links already.`, {
        hint: "calendar links lists them, calendar revoke takes one back.",
      });
    const secret = randomBytes(32).toString("base64url");
    const folder = folderNow();
    makePrivateFolder(folder);
    const file = join(folder, feedDigest(secret) + ENDING);
    // A server may read it at any moment.
    const unfinished = `${file}.tmp`;
    const text = `${JSON.stringify({ name, filters: link.filters }, null, 2)}\n`;
    fs.writeFileSync(unfinished, text, { mode: 0o600, flag: "wx", flush: true });
    fs.renameSync(unfinished, file);
    return secret;
  }

  function revoke(name: string): void {
    const files = filesIn(folderNow()).filter((file) => {
      const link = readLink(file);
      return link !== undefined && foldName(link.name) === foldName(name.trim());
    });
    if (files.length === 0)
      throw new VaultError("FILE_NOT_FOUND", `There is no calendar link ${JSON.stringify(name)}.`, {
        hint: "calendar links lists those there are.",
      });
    for (const file of files) fs.rmSync(file);
  }

  return { find, list, add, revoke };
}

function filesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder).flatMap((name) => (name.endsWith(ENDING) ? [join(folder, name)] : []));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

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

export interface FeedLink {
  readonly name: string;
  readonly filters: CalendarFilters;
}

export function isFeedSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

export function feedDigest(secret: string): string {
  return sha256(secret);
}

const CALENDAR_DATES = ["due", "scheduled", "both"] as const;
type CalendarDates = (typeof CALENDAR_DATES)[number];

/** Not both: tasks would appear twice. */
const CALENDAR_COMPONENTS = ["event", "todo"] as const;
type CalendarComponent = (typeof CALENDAR_COMPONENTS)[number];

/** Default: outstanding tasks, as events on the due, else scheduled day. */
export interface CalendarFilters {
  readonly area?: string | undefined;
  readonly project?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Adds done tasks and done days of series. */
  readonly done?: boolean | undefined;
  readonly dates?: CalendarDates | undefined;
  readonly component?: CalendarComponent | undefined;
  readonly alarm?: string | undefined;
}

const isText = (value: unknown): value is string => typeof value === "string";
const FITS: Readonly<Record<keyof CalendarFilters, (value: unknown) => boolean>> = {
  area: isText,
  project: isText,
  tags: (value) => Array.isArray(value) && value.every(isText),
  done: (value) => typeof value === "boolean",
  dates: (value) => CALENDAR_DATES.includes(value as CalendarDates),
  component: (value) => CALENDAR_COMPONENTS.includes(value as CalendarComponent),
  alarm: (value) => isText(value) && minutesOf(value) !== undefined,
};

function readFilters(value: unknown): CalendarFilters {
  const given = Object(value) as Readonly<Record<string, unknown>>;
  const fits = Object.entries(FITS).every(([name, test]) => given[name] === undefined || test(given[name]));
  if (typeof value === "object" && value !== null && fits) return value;
  throw new VaultError("INVALID_ARGUMENT", "What this calendar shows cannot be read.", {
    hint: "Revoke its link and make a new one.",
  });
}

export function minutesOf(clockTime: string): number | undefined {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(clockTime.trim()) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}
