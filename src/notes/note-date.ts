/** The day of a note: its own date, else its last change (docs: notes-and-files, "Dates of notes"). */
import { parseLocalDate, type Clock, type LocalDate } from "../clock.js";
import { fold } from "../text/fold.js";
import { parseDay } from "../dates/read-day.js";
import { bareLink } from "../markdown/links/property-links.js";
import { baseName, type VaultPath } from "../storage/path.js";
import type { PeriodicNotesSettings } from "../obsidian/plugin-settings.js";
import { dayFromMoment, type MomentLocale } from "../templates/moment-format.js";
import { factsOfKind, type NoteFacts } from "./note-facts.js";

/** `changed`: the note has no date of its own. */
export const DATE_SOURCES = ["name", "date", "created", "day", "changed"] as const;
type DateSource = (typeof DATE_SOURCES)[number];

export interface DayOfNote {
  readonly day: LocalDate;
  readonly source: DateSource;
}

/** In order of preference. */
const PROPERTIES = ["date", "created", "day"] as const;
const ISO_DAY = /(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/;

interface DatedNote {
  readonly stat: { readonly path: VaultPath; readonly modified: number };
  readonly facts: NoteFacts;
}

export type NoteDates = (note: DatedNote) => DayOfNote;

/** @param periodic for daily notes */
export async function noteDates(
  periodic: Pick<PeriodicNotesSettings, "day"> & Partial<MomentLocale>,
  clock: Clock,
): Promise<NoteDates> {
  const dayOfName = await dailyNames(periodic);
  return (note) => {
    const { path, modified } = note.stat;
    const named = dayOfName(path);
    if (named !== undefined) return { day: named, source: "name" };
    for (const source of PROPERTIES) {
      const day = propertyDay(source, note.facts, clock.today());
      if (day !== undefined) return { day, source };
    }
    return { day: clock.dayOf(modified), source: "changed" };
  };
}

/** Reads days in file names: in the format of daily notes, or ISO days. */
async function dailyNames({
  day: { folder, format },
  locale = "en",
  weekStart,
}: Pick<PeriodicNotesSettings, "day"> & Partial<MomentLocale>) {
  const read = await dayFromMoment(format, { locale, weekStart });
  return (path: VaultPath): LocalDate | undefined => {
    const stem = path.replace(/\.md$/i, "");
    const below = folder === "" ? stem : stem.startsWith(`${folder}/`) ? stem.slice(folder.length + 1) : undefined;
    const iso = ISO_DAY.exec(baseName(path))?.[0];
    return (below === undefined ? undefined : read(below)) ?? (iso === undefined ? undefined : parseLocalDate(iso));
  };
}

function propertyDay(name: string, facts: NoteFacts, today: LocalDate): LocalDate | undefined {
  for (const line of factsOfKind(facts, "property")) {
    const end = line.indexOf("=");
    if (fold(line.slice(0, end).trim()) !== name) continue;
    const read = parseDay(bareLink(line.slice(end + 1)).slice(0, 40), today);
    // A word such as "today" in a note is not a date.
    if (read !== undefined && !read.inWords) return read.day;
  }
  return undefined;
}
