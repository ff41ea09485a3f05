/** The values of Bases: types, reading, writing, comparing and order. */
import type { Moment } from "moment";
import { type Clock, localTimeOf, parseLocalDate } from "../../clock.js";
import type { PropertyValue } from "../../markdown/frontmatter/property.js";
import { nestedLink } from "../../markdown/links/property-links.js";
import { addMonths, type CivilDate, civilDate, FIRST_DAY, LAST_DAY, toDayNumber } from "../../dates/days.js";
import { foldName, type VaultPath } from "../../storage/path.js";
import { textOrder } from "../../tasks/rows/checkbox-rows.js";
import type { CompiledPattern } from "../../text/javascript-pattern.js";

export type Value =
  | null
  | boolean
  | number
  | string
  | DateValue
  | Duration
  | readonly Value[]
  | ReadonlyMap<string, Value>
  | LinkValue
  | TagValue
  | FileValue
  | Pattern;

export const TYPE_NAMES = [
  "string",
  "number",
  "boolean",
  "date",
  "duration",
  "list",
  "object",
  "link",
  "file",
  "regexp",
  "null",
] as const;
export type TypeName = (typeof TYPE_NAMES)[number];

/** An instant; without `hasTime` a whole day, at its midnight in the vault's zone. */
export class DateValue {
  readonly ms: number;
  readonly hasTime: boolean;

  constructor(ms: number, hasTime: boolean) {
    this.ms = ms;
    this.hasTime = hasTime;
  }
}

export class Duration {
  readonly months: number;
  readonly days: number;
  readonly ms: number;

  constructor(months: number, days: number, ms: number) {
    this.months = months;
    this.days = days;
    this.ms = ms;
  }

  times(factor: number): Duration {
    return new Duration(this.months * factor, this.days * factor, this.ms * factor);
  }

  /** As moment counts a month. */
  get length(): number {
    return ((this.months * 146_097) / 4_800 + this.days) * DAY_MS + this.ms;
  }
}

export class LinkValue {
  /** Without subpath; an address such as `https://…` leads to no file. */
  readonly target: string;
  readonly display: string | undefined;
  /** The file whose folder decides between several. */
  readonly from: VaultPath;

  constructor(target: string, display: string | undefined, from: VaultPath) {
    this.target = target;
    this.display = display;
    this.from = from;
  }
}

/** A tag equals a text with or without `#`. */
export class TagValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

export class Pattern {
  readonly compiled: CompiledPattern;
  /** As written. */
  readonly text: string;

  constructor(compiled: CompiledPattern, text: string) {
    this.compiled = compiled;
    this.text = text;
  }
}

export abstract class FileValue {
  abstract readonly path: VaultPath;
}

export function typeOf(value: Value): TypeName {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value as "boolean" | "number" | "string";
  if (value instanceof DateValue) return "date";
  if (value instanceof LinkValue) return "link";
  if (value instanceof TagValue) return "string";
  if (value instanceof FileValue) return "file";
  if (value instanceof Duration) return "duration";
  if (value instanceof Pattern) return "regexp";
  return value instanceof Map ? "object" : "list";
}

const WORDS: Readonly<Partial<Record<TypeName, string>>> = {
  null: "empty",
  string: "text",
  regexp: "regular expression",
};
export const typeWord = (type: TypeName): string => WORDS[type] ?? type;

/** An empty list is falsy. */
export function isTruthy(value: Value): boolean {
  if (value === null || typeof value !== "object") return Boolean(value);
  return !Array.isArray(value) || value.length > 0;
}

export const isEmptyValue = (value: Value): boolean =>
  value === null ||
  value === "" ||
  (Array.isArray(value) ? value.length === 0 : value instanceof Map && value.size === 0);

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const UNITS: Readonly<Record<string, Duration>> = {
  y: new Duration(12, 0, 0),
  M: new Duration(1, 0, 0),
  w: new Duration(0, 7, 0),
  d: new Duration(0, 1, 0),
  h: new Duration(0, 0, 60 * MINUTE_MS),
  m: new Duration(0, 0, MINUTE_MS),
  s: new Duration(0, 0, 1000),
};
const LONG_UNIT = /^(?:year|month|week|day|hour|minute|second)s?$/i;

/** `7d`, `1 week`, `3M`; undefined for another text. */
export function parseDuration(text: string): Duration | undefined {
  const [, count, word = ""] = /^\s*([+-]?\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*$/.exec(text) ?? [];
  const first = /^mo/i.test(word) ? "M" : word.charAt(0).toLowerCase();
  const unit = LONG_UNIT.test(word) ? first : word;
  return count === undefined || !Object.hasOwn(UNITS, unit) ? undefined : UNITS[unit]?.times(Number(count));
}

interface Civil {
  readonly day: number;
  /** Since midnight by local clock time. */
  readonly time: number;
}

/** Of each zone, by UTC day; undefined for a day on which the offset changes. */
const offsetsIn = new Map<string, Map<number, number | undefined>>();
const MAX_DAYS = 20_000;

/** Dates in the vault's time zone. */
export class Zone {
  readonly now: DateValue;
  readonly #timeZone: string;
  readonly #moment: (ms: number) => Moment;
  readonly #offsets: Map<number, number | undefined>;

  constructor({ timeZone, now }: Pick<Clock, "timeZone" | "now">, moment: (ms: number) => Moment) {
    this.#timeZone = timeZone;
    this.#moment = moment;
    const known = offsetsIn.get(timeZone);
    this.#offsets = known ?? new Map();
    if (!known) offsetsIn.set(timeZone, this.#offsets);
    this.now = new DateValue(now(), true);
  }

  dayOf({ ms }: DateValue): DateValue {
    return new DateValue(this.#instant(this.#civil(ms).day, 0), false);
  }

  /** `YYYY-MM-DD`, with or without a time; undefined for another text. */
  parse(text: string): DateValue | undefined {
    const match =
      /^\s*(\d{4}-\d\d-\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?\s*(Z|[+-]\d\d:?\d\d)?)?\s*$/.exec(text);
    const day = match ? parseLocalDate(match[1] ?? "") : undefined;
    if (!match || day === undefined) return undefined;
    const [hour, minute, second] = [match[2], match[3], match[4] ?? "0"].map(Number) as [number, number, number];
    if (match[2] === undefined) return new DateValue(this.#instant(toDayNumber(day), 0), false);
    if (hour > 23 || minute > 59 || second > 59) return undefined;
    const time = ((hour * 60 + minute) * 60 + second) * 1000 + Number((match[5] ?? "0").padEnd(3, "0"));
    const zone = match[6];
    if (zone === undefined) return new DateValue(this.#instant(toDayNumber(day), time), true);
    const [, sign, hours = "0", minutes = "0"] = /([+-])(\d\d):?(\d\d)/.exec(zone) ?? [];
    const east = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
    return new DateValue(toDayNumber(day) * DAY_MS + time - east, true);
  }

  /** Months are limited to their last day; days keep the local clock time. */
  add({ ms, hasTime }: DateValue, { months, days, ms: more }: Duration): DateValue | null {
    const whole = months === 0 && days === 0 ? undefined : this.#civil(ms);
    const part = Math.trunc(days);
    const moved = whole ? this.#instant(addMonths(whole.day, Math.trunc(months)) + part, whole.time) : ms;
    const sum = moved + (days - part) * DAY_MS + more;
    return Math.abs(sum) < 8e15 ? new DateValue(sum, hasTime || more !== 0 || days !== part) : null;
  }

  field(date: DateValue, name: string): number {
    const { day, time } = this.#civil(date.ms);
    const unit = TIME_UNITS[name];
    if (unit !== undefined) return Math.floor(time / unit.ms) % unit.count;
    return civilDate(day)[name as keyof CivilDate];
  }

  format({ ms }: DateValue, pattern: string): string {
    return this.#moment(ms)
      .utcOffset(this.#offset(ms) / MINUTE_MS)
      .format(pattern);
  }

  relative({ ms }: DateValue): string {
    return this.#moment(ms).from(this.#moment(this.now.ms));
  }

  time(date: DateValue): string {
    return this.text(date, true).slice(11, 19);
  }

  /** ISO 8601 without a zone. */
  text(date: DateValue, withTime = date.hasTime): string {
    const iso = new Date(date.ms + this.#offset(date.ms)).toISOString();
    return withTime ? iso.slice(0, -5) : iso.slice(0, -14);
  }

  #civil(ms: number): Civil {
    const local = ms + this.#offset(ms);
    const day = Math.floor(local / DAY_MS);
    return { day, time: local - day * DAY_MS };
  }

  #instant(day: number, time: number): number {
    const local = day * DAY_MS + time;
    const guess = local - this.#offset(local);
    return local - this.#offset(guess);
  }

  #offset(ms: number): number {
    const day = Math.floor(ms / DAY_MS);
    if (!this.#offsets.has(day)) {
      if (this.#offsets.size > MAX_DAYS) this.#offsets.clear();
      const [start, end] = [this.#ask(day * DAY_MS), this.#ask((day + 1) * DAY_MS)];
      this.#offsets.set(day, start === end ? start : undefined);
    }
    return this.#offsets.get(day) ?? this.#ask(ms);
  }

  /** Of years with four digits. */
  #ask(ms: number): number {
    const now = (): number => Math.min(Math.max(ms, FIRST_MS), LAST_MS);
    return localTimeOf({ now, timeZone: this.#timeZone }).offset * MINUTE_MS;
  }
}

const [FIRST_MS, LAST_MS] = [(FIRST_DAY + 1) * DAY_MS, LAST_DAY * DAY_MS];
const TIME_UNITS: Readonly<Record<string, { readonly ms: number; readonly count: number }>> = {
  hour: { ms: 60 * MINUTE_MS, count: 24 },
  minute: { ms: MINUTE_MS, count: 60 },
  second: { ms: 1000, count: 60 },
  millisecond: { ms: 1, count: 1000 },
};

const LINK = /^\s*!?\[\[([^[\]|]+)(?:\|([^[\]]*))?\]\]\s*$/;

/** A text that is one `[[link]]`, or undefined. */
export function parseLink(text: string, from: VaultPath): LinkValue | undefined {
  const [, written = "", display] = (text.includes("[[") && LINK.exec(text)) || [];
  const target = written.replace(/#.*$/s, "").replace(/\\$/, "").trim();
  return target === "" ? undefined : new LinkValue(target, display?.trim() || undefined, from);
}

/** @param type of its name, in `.obsidian/types.json` */
export function propertyValue(raw: PropertyValue, type: string | undefined, zone: Zone, from: VaultPath): Value {
  if (Array.isArray(raw)) {
    const [link] = nestedLink(raw) ?? [];
    return (
      (link === undefined ? undefined : parseLink(link, from)) ??
      raw.map((item) => propertyValue(item, undefined, zone, from))
    );
  }
  if (raw === null) return null;
  if (typeof raw === "object")
    return new Map(Object.entries(raw).map(([key, inner]) => [key, propertyValue(inner, undefined, zone, from)]));
  if (type === "multitext" || type === "tags" || type === "aliases") return [propertyValue(raw, undefined, zone, from)];
  if (type === "text" && typeof raw !== "string") return String(raw);
  if (typeof raw !== "string") return raw;
  if (raw.trim() === "" && type !== undefined && type !== "text") return null;
  if (type === "number" && raw.trim() !== "" && Number.isFinite(Number(raw))) return Number(raw);
  const date = type === "text" || !/^\s*\d{4}-/.test(raw) ? undefined : zone.parse(raw);
  return date ?? parseLink(raw, from) ?? raw;
}

const RANKS = "boolean number date duration string list object regexp null".split(" ");
const rankOf = (type: TypeName): number => RANKS.indexOf(type === "link" || type === "file" ? "string" : type);

/** Empty values are last in both directions. @param text how values are written */
export function compareValues(a: Value, b: Value, text: (value: Value) => string, isDescending = false): number {
  const [typeA, typeB] = [typeOf(a), typeOf(b)];
  const [rankA, rankB] = [rankOf(typeA), rankOf(typeB)];
  if (a === null || b === null) return rankA - rankB;
  const way = isDescending ? -1 : 1;
  if (rankA !== rankB) return way * (rankA - rankB);
  if (a instanceof DateValue && b instanceof DateValue) return way * (a.ms - b.ms);
  if (a instanceof Duration && b instanceof Duration) return way * (a.length - b.length);
  if (typeof a === "number" || typeof a === "boolean") return way * (Number(a) - Number(b));
  return way * textOrder.compare(text(a), text(b));
}

/** Tags ignore case and `#`. */
export const tagKey = (name: string): string => foldName(name.replace(/^#+/, ""));
