/** TaskNotes' reminders: reading, wording, and moments (docs: tasks, "Reminders"). */
import { type Clock, instantOf, type LocalDate, localTimeOf, parseLocalDate } from "../../clock.js";
import { addMonths, FIRST_DAY, LAST_DAY, toDayNumber, toLocalDate } from "../../dates/days.js";
import { parseDay, weekdayName } from "../../dates/read-day.js";
import { invalidArgument } from "../../errors.js";
import { bareName, firstText, offsetText } from "./property-values.js";
import type { Property, PropertyValue } from "../../markdown/frontmatter/property.js";

type Base = "due" | "scheduled";

export interface Reminder {
  readonly relatedTo?: Base;
  readonly offset?: string;
  /** Local without a zone. */
  readonly absoluteTime?: string;
  readonly description?: string;
  /** From the day's beginning, so the day must have no clock time. */
  readonly ofDay?: true;
}

export interface TaskReminder {
  /** `15m before due`. */
  readonly text: string;
  /** `2026-12-03 23:45`; undefined without the day. */
  readonly at: string | undefined;
  readonly base?: Base;
  /** The day has no clock time. */
  readonly fromMidnight?: true;
  /** Without a base: `2026-12-01T08:00:00Z`. */
  readonly instant?: string;
}

/** `HH:MM`. */
export interface ClockTimes {
  readonly due?: string | undefined;
  readonly scheduled?: string | undefined;
}

/** Origins of reminders, as in the note. */
export type ReminderDays = Readonly<Partial<Record<Base, string>>>;

const OFFSET =
  /^([+-]?)P(?=[\dT])(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;
const INSTANT =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2}))?(?:[.,]\d+)?(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/i;

interface Distance {
  readonly months: number;
  readonly days: number;
  readonly seconds: number;
}

function readOffset(text: string): Distance | undefined {
  const found = OFFSET.exec(text);
  if (found === null) return undefined;
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(2)
    .map((digits: string | undefined) => Number(digits ?? 0));
  const sign = found[1] === "-" ? -1 : 1;
  return {
    months: sign * (12 * years + months),
    days: sign * (7 * weeks + days),
    seconds: sign * (3600 * hours + 60 * minutes + seconds),
  };
}

export function readEntry(item: PropertyValue): Reminder | string {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return "is no mapping";
  const { id, type, relatedTo, offset, absoluteTime, description } = item;
  if (typeof id !== "string" && typeof id !== "number") return "has no id";
  const more = typeof description === "string" ? { description } : {};
  if (type === "absolute") {
    const isTime = typeof absoluteTime === "string" && wallOf(absoluteTime)?.time !== undefined;
    return isTime ? { absoluteTime, ...more } : "has no absoluteTime that can be read";
  }
  if (type !== "relative") return "is neither relative nor absolute";
  if (relatedTo !== "due" && relatedTo !== "scheduled") return "is related to neither due nor scheduled";
  if (typeof offset !== "string" || readOffset(offset) === undefined) return "has no offset such as -PT15M";
  return { relatedTo, offset, ...more };
}

export function readReminders({ value }: Property): {
  readonly reminders: readonly Reminder[];
  readonly problem?: string;
} {
  if (value === null || value === "") return { reminders: [] };
  const items = Array.isArray(value) ? value : [value];
  const entries = items.map(readEntry);
  const wrong = entries.find((entry) => typeof entry === "string");
  const reminders = entries.filter((entry) => typeof entry !== "string");
  if (wrong === undefined) {
    const ids = items.map((item) => JSON.stringify((item as { readonly id?: PropertyValue }).id));
    return { reminders, ...(new Set(ids).size < ids.length && { problem: "has two reminders with a duplicate id" }) };
  }
  return { reminders, problem: `has an entry that is no reminder: it ${wrong}` };
}

interface Wall {
  readonly day: LocalDate;
  /** `09:00:00`; undefined for a day alone. */
  readonly time: string | undefined;
  readonly zone: string | undefined;
}

function wallOf(text: string): Wall | undefined {
  const [, date = text.trim(), minutes, seconds = "00", zone] = INSTANT.exec(text.trim()) ?? [];
  const day = parseLocalDate(date);
  if (day === undefined || (minutes !== undefined && (minutes > "23:59" || minutes.slice(3) > "59"))) return undefined;
  if (minutes === undefined) return { day, time: undefined, zone: undefined };
  return { day, time: `${minutes}:${seconds > "59" ? "59" : seconds}`, zone: zone?.toUpperCase() };
}

/** With clock times, which the fields omit. */
export function reminderDays(places: { get(name: Base): Property | undefined }): ReminderDays {
  const textOf = (name: Base): string => {
    const property = places.get(name);
    return bareName((property && firstText(property)) ?? "");
  };
  return { due: textOf("due"), scheduled: textOf("scheduled") };
}

type Zone = Pick<Clock, "timeZone">;

/** Programs write midnight for a day without a time. */
export function clockTimes({ due = "", scheduled = "" }: ReminderDays, zone: Zone): ClockTimes | undefined {
  const timeIn = (text: string): string | undefined => {
    const wall = text.includes(":") ? wallOf(text) : undefined;
    if (wall?.time === undefined) return undefined;
    const time = wall.zone === undefined ? wall.time : readLocal(instantOfWall(wall, zone), zone).time;
    return time === "00:00:00" ? undefined : time?.slice(0, 5);
  };
  const times = { due: timeIn(due), scheduled: timeIn(scheduled) };
  return times.due === undefined && times.scheduled === undefined ? undefined : times;
}

const instantOfWall = ({ day, time = "00:00:00", zone }: Wall, { timeZone }: Zone): number =>
  zone === undefined ? instantOf(`${day}T${time}`, timeZone) : Date.parse(`${day}T${time}${withColon(zone)}`);

const withColon = (zone: string): string =>
  zone.replace(/^([+-]\d{2}):?(\d{2})?$/, (_, hours: string, minutes = "00") => `${hours}:${minutes}`);

/** `2026-12-03T23:45:00.000` in the clock's zone. */
const localText = (instant: number, { timeZone }: Zone): string => localTimeOf({ now: () => instant, timeZone }).text;

/** Days are calendar steps; the clock part is elapsed time. */
function instantIn(reminder: Reminder, days: ReminderDays, zone: Zone): number | undefined {
  const { absoluteTime, relatedTo, offset = "" } = reminder;
  if (absoluteTime !== undefined) {
    const wall = wallOf(absoluteTime);
    return wall && instantOfWall(wall, zone);
  }
  const base = relatedTo === undefined ? undefined : wallOf(days[relatedTo] ?? "");
  const distance = readOffset(offset);
  if (base === undefined || distance === undefined) return undefined;
  const local: Wall = base.zone === undefined ? base : readLocal(instantOfWall(base, zone), zone);
  const number = addMonths(toDayNumber(local.day), distance.months) + distance.days;
  if (!(number > FIRST_DAY && number < LAST_DAY)) return undefined;
  const instant = instantOfWall({ ...local, day: toLocalDate(number) }, zone) + distance.seconds * 1000;
  return instant > MIN_INSTANT && instant < MAX_INSTANT ? instant : undefined;
}

const [MIN_INSTANT, MAX_INSTANT] = [Date.parse("0001-01-03T00:00:00Z"), Date.parse("9999-12-29T00:00:00Z")];

function readLocal(instant: number, zone: Zone): Wall {
  const [day = "", time = ""] = localText(instant, zone).split("T");
  return { day: day as LocalDate, time: time.slice(0, 8), zone: undefined };
}

/** `2026-12-03 23:45` */
export function momentOf(reminder: Reminder, days: ReminderDays, zone: Zone): string | undefined {
  const instant = instantIn(reminder, days, zone);
  return instant === undefined ? undefined : localText(instant, zone).slice(0, 16).replace("T", " ");
}

/** `Thu 2026-12-03 23:45` */
export const momentText = (at: string): string => `${weekdayName(at.slice(0, 10) as LocalDate)} ${at}`;

/** Ascending; those without a moment are last. */
export function shownReminders(
  reminders: readonly Reminder[],
  days: ReminderDays,
  zone: Zone,
): readonly TaskReminder[] {
  return reminders
    .map((reminder): TaskReminder => {
      const { relatedTo } = reminder;
      const isOfDay = relatedTo !== undefined && wallOf(days[relatedTo] ?? "")?.time === undefined;
      const instant = relatedTo === undefined ? instantIn(reminder, days, zone) : undefined;
      return {
        text: wordsOf(reminder, zone),
        at: momentOf(reminder, days, zone),
        ...(relatedTo !== undefined && { base: relatedTo }),
        ...(isOfDay && { fromMidnight: true }),
        ...(instant !== undefined && { instant: new Date(instant).toISOString().replace(".000Z", "Z") }),
      };
    })
    .sort(({ at: one = "~" }, { at: other = "~" }) => (one < other ? -1 : Number(one > other)));
}

function wordsOf(reminder: Reminder, zone: Zone): string {
  const { relatedTo = "due", offset = "", absoluteTime } = reminder;
  if (absoluteTime !== undefined) return momentOf(reminder, {}, zone) ?? absoluteTime;
  const [, sign = "", ...numbers] = OFFSET.exec(offset) ?? [];
  const units = ["y", "mo", "w", "d", "h", "m", "s"];
  const parts = numbers.flatMap((number: string | undefined, place) =>
    number === undefined || Number(number) === 0 ? [] : [`${Number(number)}${units[place] ?? ""}`],
  );
  return parts.length === 0
    ? `at ${relatedTo}`
    : `${parts.join(" ")} ${sign === "-" ? "before" : "after"} ${relatedTo}`;
}

export function meaningOf(reminder: Reminder, zone: Zone): string {
  const { absoluteTime, relatedTo = "", offset = "" } = reminder;
  if (absoluteTime !== undefined) return String(instantIn(reminder, {}, zone));
  const { months = 0, days = 0, seconds = 0 } = readOffset(offset) ?? {};
  return [relatedTo, months, days, seconds].map((part) => (part === 0 ? 0 : part)).join(" ");
}

export function whyNot({ relatedTo, ofDay }: Reminder, days: ReminderDays): string | undefined {
  if (relatedTo === undefined) return undefined;
  const base = wallOf(days[relatedTo] ?? "");
  const name = relatedTo === "due" ? "due date" : "scheduled date";
  if (base === undefined) return `The task has no ${name} to remind of.`;
  if (ofDay && base.time !== undefined) return `The task's ${name} has a clock time; say how long before or after it.`;
  return undefined;
}

/** For a type file, whose schema asks for the offset. */
export function withOffset(absoluteTime: string, { timeZone }: Zone): string {
  const wall = wallOf(absoluteTime);
  if (wall === undefined || wall.zone !== undefined) return absoluteTime;
  const instant = instantOfWall(wall, { timeZone });
  const { text, offset } = localTimeOf({ now: () => instant, timeZone });
  return text.slice(0, 19) + offsetText(offset);
}

export const MAX_REMINDERS = 20;
const MAX_NUMBER = 10_000;
const BASE = "(?:the )?(due|scheduled)(?: date)?";
const SPAN = new RegExp(`^(\\d{1,5}) ?((?:m|min|minute|h|hour|d|day|w|week)s?) (before|after) ${BASE}$`);
const AT_BASE = new RegExp(`^at ${BASE}$`);
const TIME = "([01]?\\d|2[0-3]):([0-5]\\d)";
const TIME_OF_BASE = new RegExp(`^${TIME} (?:(\\d{1,5}) days? before )?${BASE}$`);
const DAY_AND_TIME = new RegExp(`^(.+?)[ t]${TIME}$`);

function readOne(text: string, today: LocalDate): Reminder | undefined {
  const words = text
    .trim()
    .toLowerCase()
    .replace(/\s+/g, " ")
    .replace(/^remind /, "");
  const [, base] = AT_BASE.exec(words) ?? [];
  if (base !== undefined) return { relatedTo: base as Base, offset: "PT0M" };
  const [, digits, unit = "", side, of] = SPAN.exec(words) ?? [];
  if (digits !== undefined && Number(digits) <= MAX_NUMBER)
    return { relatedTo: of as Base, offset: offsetOf(Number(digits), unit.charAt(0), side === "before") };
  const [, hours, minutes, before = "0", day] = TIME_OF_BASE.exec(words) ?? [];
  if (hours !== undefined && Number(before) <= MAX_NUMBER) {
    const distance = 60 * Number(hours) + Number(minutes) - 1440 * Number(before);
    return { relatedTo: day as Base, offset: minutesText(distance), ofDay: true };
  }
  const [, named = "", hour = "", minute = ""] = DAY_AND_TIME.exec(words) ?? [];
  const found = named === "" ? undefined : parseDay(named, today);
  if (found === undefined || found.time !== undefined) return undefined;
  return { absoluteTime: `${found.day}T${hour.padStart(2, "0")}:${minute}:00` };
}

/** In one unit, as the app's editor reads it. */
function offsetOf(count: number, unit: string, isBefore: boolean): string {
  const sign = isBefore && count > 0 ? "-" : "";
  if (count === 0) return "PT0M";
  if (unit === "d" || unit === "w") return `${sign}P${unit === "w" ? 7 * count : count}D`;
  return `${sign}PT${count}${unit.toUpperCase()}`;
}

function minutesText(minutes: number): string {
  const size = Math.abs(minutes);
  if (size > 0 && size % 1440 === 0) return offsetOf(size / 1440, "d", minutes < 0);
  return size % 60 === 0 ? offsetOf(size / 60, "h", minutes < 0) : offsetOf(size, "m", minutes < 0);
}

/** Days may contain commas. */
export function parseReminders(text: string, today: LocalDate): readonly Reminder[] | { readonly unread: string } {
  const parts = text.split(",");
  const found: Reminder[] = [];
  for (let at = 0; at < parts.length; at++) {
    const one = readOne(parts[at] ?? "", today);
    const joined = one ?? readOne(parts.slice(at, at + 2).join(","), today);
    if (joined === undefined) return { unread: (parts[at] ?? "").trim() };
    if (one === undefined) at++;
    found.push(joined);
  }
  return found;
}

export function requireReminders(text: string, today: LocalDate): readonly Reminder[] {
  if (text.trim() === "") return [];
  const found = parseReminders(text, today);
  if ("unread" in found)
    throw invalidArgument(
      `${JSON.stringify(found.unread.slice(0, 60))} is no reminder. Write: 15m before due, at scheduled, 18:00 1 day before due, tomorrow 18:30.`,
    );
  return found;
}

interface RemindingTask {
  readonly title: string;
  readonly reminders: readonly TaskReminder[];
}

export function momentsOf({ title, reminders }: RemindingTask, clock: Clock, hasTitle = false): readonly string[] {
  const now = localTimeOf(clock).text.slice(0, 16).replace("T", " ");
  return reminders.map(({ text, at, base, fromMidnight }) => {
    const of = hasTitle ? `"${title}": ` : "";
    if (at === undefined) return `${of}No reminder yet: ${text}, and the task has no such day.`;
    const past = at < now ? " (in the past)" : "";
    const why = fromMidnight && base ? `: ${base} has no clock time, so it counts from 00:00` : "";
    return `${of}Reminds ${momentText(at)}${past}${why}.`;
  });
}
