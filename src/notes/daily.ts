/** Finds the daily note that a caller means, whether it exists or not (docs: notes-and-files, "Notes stay notes"). */
import type { LocalDate } from "../clock.js";
import { parseDay } from "../dates/day-words.js";
import { toDayNumber, toLocalDate } from "../dates/day-number.js";
import { VaultError } from "../errors.js";
import type { DailyNoteSettings } from "../index/settings.js";
import { baseName, foldName, type PathRules, type VaultPath } from "../storage/path.js";
import { dailyNotePath } from "../templates/daily-note.js";
import { dayFromMoment } from "../templates/moment-format.js";
import type { Vault } from "../vault/vault.js";

/** For formats without a whole day: this many days before and after today are compared with the name. */
const DAYS_AROUND = 31;

export interface DailyNote {
  readonly day: LocalDate;
  readonly path: VaultPath;
}

/**
 * The daily note that a new note's name means: `daily`, a day, or a name in the format of daily notes. Paths and names with
 * `.md` are ordinary notes.
 */
export async function dailyNoteNamed(vault: Vault, name: string): Promise<DailyNote | undefined> {
  return /[\\/]|\.md\s*$/i.test(name) ? undefined : dailyNoteMeant(vault, name);
}

/** The daily note that a path, a name, `daily` or a day in words means, existing or not; undefined when it means none. */
export async function dailyNoteMeant(vault: Vault, reference: string): Promise<DailyNote | undefined> {
  const text = reference
    .trim()
    .replace(/^!?\[\[|\]\]$/g, "")
    .replace(/^\//, "")
    .replace(/\.md$/i, "");
  const { dailyNotes } = await vault.settings();
  const today = vault.clock.today();
  const name = baseName(text as VaultPath);
  const isName = name === text;
  const named = parseDay(isName && /^daily(?: note)?$/i.test(name) ? today : name, today)?.day;
  const around = Array.from({ length: 2 * DAYS_AROUND + 1 }, (_, at) =>
    toLocalDate(toDayNumber(today) + Math.ceil(at / 2) * (at % 2 === 0 ? 1 : -1)),
  );
  const inFormat = await dayInFormat(dailyNotes, text);
  for (const day of [named, inFormat, ...around]) {
    if (day === undefined) continue;
    const path = await pathOf(day, dailyNotes, vault.pathRules);
    if (path === undefined) return undefined;
    const stem = foldName(path.slice(0, -".md".length));
    const isMeant =
      foldName(text) === stem ||
      (isName && (day === named || foldName(name) === foldName(baseName(path).slice(0, -".md".length))));
    if (isMeant) return { day, path };
  }
  return undefined;
}

/** The day of a path, by the format of daily notes. */
async function dayInFormat({ folder, format }: DailyNoteSettings, text: string): Promise<LocalDate | undefined> {
  const read = await dayFromMoment(format);
  return read(text.startsWith(`${folder}/`) ? text.slice(folder.length + 1) : text);
}

/** Undefined when the settings give no valid path. */
async function pathOf(day: LocalDate, settings: DailyNoteSettings, rules: PathRules): Promise<VaultPath | undefined> {
  try {
    return await dailyNotePath(day, settings, rules);
  } catch (error) {
    if (error instanceof VaultError) return undefined;
    throw error;
  }
}
