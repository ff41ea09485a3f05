/**
 * A vault's tasks as RFC 5545 calendars, cached until they or the day change; `ical.js` folds and escapes lines (docs:
 * calendar, "The feed").
 */
import type { AllTasks } from "../tasks/api.js";
import type { Tasks } from "../tasks/service.js";
import type { Task } from "../tasks/task.js";
import { sha256 } from "../text/hash.js";
import { calendarEntries, type CalendarEntry } from "./entries.js";
import { type CalendarFilters, minutesOf } from "./link-folder.js";
import { loopTurn } from "../async/timers.js";
import type { LocalDate } from "../clock.js";
import { toDayNumber, toLocalDate } from "../dates/days.js";
import { linksAsText } from "../markdown/plain-text.js";
import type { Priority } from "../tasks/fields/vocabulary.js";

export interface CalendarText {
  readonly bytes: Buffer;
  readonly hash: string;
  readonly entries: number;
}

interface TaskCalendarOptions {
  readonly tasks: Pick<Tasks, "all" | "search">;
  readonly vaultId: string;
  readonly linkTo: (task: Task) => string | undefined;
}

const MAX_CACHED = 16;

export class TaskCalendar {
  readonly #options: TaskCalendarOptions;
  #made = new Map<string, Promise<CalendarText>>();
  #of: AllTasks | undefined;

  constructor(options: TaskCalendarOptions) {
    this.#options = options;
  }

  async read(name: string, filters: CalendarFilters): Promise<CalendarText> {
    const now = await this.#options.tasks.all();
    if (this.#of?.tasks !== now.tasks || this.#of.today !== now.today) {
      this.#of = now;
      this.#made = new Map();
    }
    const key = JSON.stringify([name, filters]);
    const known = this.#made.get(key);
    if (known) return known;
    const made = this.#make(name, filters, now);
    const all = this.#made;
    all.set(key, made);
    made.catch(() => all.delete(key));
    const [oldest] = all.keys();
    if (all.size > MAX_CACHED && oldest !== undefined) all.delete(oldest);
    return made;
  }

  async #make(name: string, filters: CalendarFilters, now: AllTasks): Promise<CalendarText> {
    const { vaultId, linkTo } = this.#options;
    const accepts = await this.#accepts(filters);
    const entries = await calendarEntries(now, filters, vaultId, accepts);
    const text = await writeCalendar(entries, { name, filters, linkTo });
    const bytes = Buffer.from(text);
    return { bytes, hash: sha256(bytes), entries: entries.length };
  }

  async #accepts({ area, project, tags }: CalendarFilters): Promise<(task: Task) => boolean> {
    if (area === undefined && project === undefined && tags === undefined) return () => true;
    const found = await this.#options.tasks.search({ query: "*", area, project, tags });
    const places = new Set(found.tasks.map(placeOf));
    return (task) => places.has(placeOf(task));
  }
}

const placeOf = ({ path, line = 0 }: Task): string => `${line}:${path}`;

interface CalendarHead {
  readonly name: string;
  readonly filters: CalendarFilters;
  readonly linkTo: (task: Task) => string | undefined;
}

/** As in jCal (RFC 7265). */
type Property = readonly [
  name: string,
  parameters: Readonly<Record<string, string>>,
  type: string,
  ...values: unknown[],
];
type Component = readonly [name: string, properties: readonly Property[], components: readonly Component[]];

/** Octets, without the continuation line's leading space. */
const FOLD_AT = 74;
const LINE_END = "\r\n";
const PIECE = 20;
const REFRESH = "PT1H";
const PRIORITY_NUMBERS: Readonly<Record<Priority, number>> = { High: 1, Medium: 5, Low: 9 };

async function writeCalendar(entries: readonly CalendarEntry[], head: CalendarHead): Promise<string> {
  const ical = await loadIcal();
  const write = (component: Component): string => ical.stringify.component([...component], ical.design.icalendar);
  const [begin, end] = write(["vcalendar", headProperties(head), entries.length === 0 ? [UTC] : []]).split(
    /(?=END:VCALENDAR$)/,
  );
  const parts = [begin ?? ""];
  for (const [at, entry] of entries.entries()) {
    if (at > 0 && at % PIECE === 0) await loopTurn();
    const rule = entry.series && ical.Recur.fromString(entry.series.rule).toJSON();
    parts.push(write(head.filters.component === "todo" ? todo(entry, head) : event(entry, head, rule)), LINE_END);
  }
  return `${parts.join("")}${end ?? ""}${LINE_END}`;
}

async function loadIcal() {
  const { default: ical } = await import("ical.js");
  ical.foldLength = FOLD_AT;
  // Clients expect these names without parameters.
  for (const name of ["name", "x-wr-calname"]) ical.design.icalendar.property[name] = { defaultType: "text" };
  return ical;
}

/** Strict readers refuse a calendar without components (RFC 5545, section 3.4). */
const UTC: Component = [
  "vtimezone",
  [["tzid", {}, "text", "UTC"]],
  [
    [
      "standard",
      [
        ["dtstart", {}, "date-time", "1970-01-01T00:00:00"],
        ["tzoffsetfrom", {}, "utc-offset", "+00:00"],
        ["tzoffsetto", {}, "utc-offset", "+00:00"],
      ],
      [],
    ],
  ],
];

function headProperties({ name }: CalendarHead): Property[] {
  return [
    text("version", "2.0"),
    text("prodid", "-//obsidian-vault-mcp-server//Tasks//EN"),
    text("calscale", "GREGORIAN"),
    text("name", name),
    text("x-wr-calname", name),
    ["refresh-interval", {}, "duration", REFRESH],
    ["x-published-ttl", {}, "unknown", REFRESH],
  ];
}

/** Without time zone: the note's day everywhere. */
function event(entry: CalendarEntry, head: CalendarHead, rule: unknown): Component {
  const { day, series } = entry;
  const leftOut = series?.leftOut ?? [];
  const properties: Property[] = [
    ...identity(entry),
    ["dtstart", {}, "date", day],
    ["dtend", {}, "date", dayAfter(day)],
    ...(rule === undefined ? [] : [["rrule", {}, "recur", rule] as const]),
    ...(leftOut.length === 0 ? [] : [["exdate", {}, "date", ...leftOut] as const]),
    ...words(entry, head),
    text("status", "CONFIRMED"),
    text("transp", "TRANSPARENT"),
  ];
  return ["vevent", properties, alarms(entry, head, {})];
}

function todo(entry: CalendarEntry, head: CalendarHead): Component {
  const { day, isDone, task } = entry;
  const start = head.filters.dates === "both" ? task.scheduled : undefined;
  const properties: Property[] = [
    ...identity(entry),
    ...(start !== undefined && start < day ? [["dtstart", {}, "date", start] as const] : []),
    ["due", {}, "date", day],
    ...words(entry, head),
    ["priority", {}, "integer", PRIORITY_NUMBERS[task.priority]],
    text("status", isDone ? "COMPLETED" : task.status === "In Progress" ? "IN-PROCESS" : "NEEDS-ACTION"),
    ...(isDone ? [["percent-complete", {}, "integer", 100] as const] : []),
  ];
  // Else an alarm counts from the start.
  return ["vtodo", properties, alarms(entry, head, { related: "END" })];
}

function identity({ uid, task }: CalendarEntry): Property[] {
  // The same vault gives the same bytes.
  const changed = new Date(Math.floor(task.modified / 1000) * 1000).toISOString().replace(".000", "");
  return [text("uid", uid), ["dtstamp", {}, "date-time", changed]];
}

function words({ task, isDone }: CalendarEntry, { linkTo, filters }: CalendarHead): Property[] {
  const link = linkTo(task);
  const { area, parentProjects, tags } = task;
  const title = linksAsText(task.title);
  const description = [
    ...(area === undefined ? [] : [`Area: ${area}`]),
    ...(parentProjects.length === 0 ? [] : [`Project: ${parentProjects.join(", ")}`]),
    ...(link === undefined ? [] : [link]),
  ];
  const categories = [...new Set([...(area === undefined ? [] : [area]), ...tags])];
  return [
    text("summary", isDone && filters.component !== "todo" ? `✓ ${title}` : title),
    ...(description.length === 0 ? [] : [text("description", description.join("\n"))]),
    ...(categories.length === 0 ? [] : [text("categories", ...categories)]),
    ...(link === undefined ? [] : [["url", {}, "uri", link] as const]),
  ];
}

function alarms(
  { task, isDone, reminders = [] }: CalendarEntry,
  { filters }: CalendarHead,
  side: Readonly<Record<string, string>>,
) {
  if (isDone) return [];
  const own = filters.alarm === undefined ? undefined : minutesOf(filters.alarm);
  return [...new Set([...(own === undefined ? [] : [own]), ...reminders])].map((one) => {
    const trigger: Property =
      typeof one === "number" ? ["trigger", side, "duration", durationOf(one)] : ["trigger", {}, "date-time", one];
    return ["valarm", [text("action", "DISPLAY"), text("description", linksAsText(task.title)), trigger], []] as const;
  });
}

/** In days: 24 hours differ when the clocks change. */
function durationOf(minutes: number): string {
  const size = Math.abs(minutes);
  const part = (count: number, unit: string): string => (count > 0 ? `${count}${unit}` : "");
  const time = part(Math.floor(size / 60) % 24, "H") + part(size % 60, "M");
  if (minutes === 0) return "PT0S";
  return `${minutes < 0 ? "-" : ""}P${part(Math.floor(size / 1440), "D")}${time === "" ? "" : `T${time}`}`;
}

const text = (name: string, ...values: readonly string[]): Property => [name, {}, "text", ...values.map(clean)];

/** Removes lone surrogates and most control characters. */
const clean = (value: string): string =>
  value
    .replace(/\r\n?/g, "\n")
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, " ")
    .replace(/\p{Surrogate}/gu, "\ufffd");

const dayAfter = (day: LocalDate): LocalDate => toLocalDate(toDayNumber(day) + 1);
