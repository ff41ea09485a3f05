/** The day of a note: its own date, else its last change (docs: notes-and-files, "Dates of notes"). */
import { type Clock, type LocalDate, parseLocalDate } from "../clock.js";
import { baseName, type VaultPath } from "../storage/path.js";
import type { PeriodicNotesSettings } from "../obsidian/plugin-settings.js";
import { dayFromMoment, momentIn, type MomentLocale } from "../templates/moment-format.js";
import type { DATE_PROPERTIES } from "./note-rows.js";

/** `changed`: the note has no date of its own. */
export const DATE_SOURCES = ["name", "date", "created", "day", "changed"] as const;
type DateSource = (typeof DATE_SOURCES)[number];

export interface DayOfNote {
  readonly day: LocalDate;
  readonly source: DateSource;
}

const ISO_DAY = /(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/;

export interface DayNames {
  read(path: VaultPath): LocalDate | undefined;
  /** SQL: true for all rows of `file` with a day. */
  readonly condition: string;
}

interface DatedNote {
  readonly path: VaultPath;
  readonly modified: number;
  readonly day: LocalDate | null;
  readonly dated: (typeof DATE_PROPERTIES)[number] | null;
}

export function dayOfNote({ path, modified, day, dated }: DatedNote, names: DayNames, clock: Clock): DayOfNote {
  const named = names.read(path);
  if (named !== undefined) return { day: named, source: "name" };
  return day !== null && dated !== null ? { day, source: dated } : { day: clock.dayOf(modified), source: "changed" };
}

/** In the format of daily notes, or ISO days. */
export async function dayNames({
  day: { folder, format },
  locale = "en",
  weekStart,
}: Pick<PeriodicNotesSettings, "day"> & Partial<MomentLocale>): Promise<DayNames> {
  const read = await dayFromMoment(format, { locale, weekStart });
  return {
    read: (path) => {
      const stem = path.replace(/\.md$/i, "");
      const below = folder === "" ? stem : stem.startsWith(`${folder}/`) ? stem.slice(folder.length + 1) : undefined;
      const iso = ISO_DAY.exec(baseName(path))?.[0];
      return (below === undefined ? undefined : read(below)) ?? (iso === undefined ? undefined : parseLocalDate(iso));
    },
    // Other languages may have their own digits.
    condition: locale === "en" ? `file.path GLOB '*${"[0-9]".repeat(/Y{4}/.test(format) ? 4 : 2)}*'` : "1",
  };
}

/** For periodic notes. @throws VaultError INVALID_ARGUMENT */
export async function assertLocale(locale: string): Promise<void> {
  await momentIn({ locale });
}
