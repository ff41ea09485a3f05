/** Parses and formats RFC 5545 rules with TaskNotes' leading `DTSTART:…;` (docs: tasks, "Series"). */
import { type CivilDate, civilDate, dayNumber, daysInMonth, type DayNumber, type Weekday } from "../../dates/days.js";

/** `recurrence_anchor` in notes. */
export type RecurrenceAnchor = "scheduled" | "completion";

export type Frequency = "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY";

/** `ordinal`: negative from the end. */
export interface RuleWeekday {
  readonly weekday: Weekday;
  readonly ordinal?: number;
}

export interface RecurrenceRule {
  readonly frequency: Frequency;
  readonly interval: number;
  readonly count?: number;
  /** Inclusive. */
  readonly until?: DayNumber;
  readonly weekStart: Weekday;
  readonly byDay: readonly RuleWeekday[];
  readonly byMonthDay: readonly number[];
  readonly byMonth: readonly number[];
  readonly byYearDay: readonly number[];
  readonly byWeekNo: readonly number[];
  readonly bySetPos: readonly number[];
}

export type Reading<Rule> = ({ readonly understood: true } & Rule) | NotUnderstood;

export interface NotUnderstood {
  readonly understood: false;
  readonly reason: string;
}

export const NO_RULE_PARTS: Omit<RecurrenceRule, "frequency"> = {
  interval: 1,
  weekStart: 0,
  byDay: [],
  byMonthDay: [],
  byMonth: [],
  byYearDay: [],
  byWeekNo: [],
  bySetPos: [],
};

export const MAX_INTERVAL = 1000;
const MAX_LIST = 24;
const MAX_TEXT = 500;
const WEEKDAY_CODES = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;
const FREQUENCIES: readonly string[] = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"] satisfies Frequency[];

/** The time zone is ignored. */
const START = /^(\s*DTSTART(?:;[\w-]+=[^:;]*)*:)(\d{8})(T\d{6}Z?)?(?:;|\r?\n|$)/i;
const DAY_DIGITS = /^(\d{4})(\d{2})(\d{2})(?:T\d{6}Z?)?$/i;

/** Parts that are ignored: tasks repeat by days. */
const CLOCK_PARTS: ReadonlySet<string> = new Set(["BYHOUR", "BYMINUTE", "BYSECOND"]);

const NUMBER_LISTS = {
  BYMONTHDAY: { field: "byMonthDay", most: 31, fromEnd: true },
  BYMONTH: { field: "byMonth", most: 12, fromEnd: false },
  BYYEARDAY: { field: "byYearDay", most: 366, fromEnd: true },
  BYWEEKNO: { field: "byWeekNo", most: 53, fromEnd: true },
  BYSETPOS: { field: "bySetPos", most: 366, fromEnd: true },
} as const;

/** Also for invalid rules. */
export const looksLikeRRule = (text: string): boolean => /(?:^|[;:\s])(?:FREQ|DTSTART)\s*[=:;]/i.test(text);

export function parseRRule(text: string): Reading<{ readonly rule: RecurrenceRule; readonly start?: DayNumber }> {
  if (text.length > MAX_TEXT) return misread(`It is longer than ${MAX_TEXT} characters.`);
  const [prefix = "", , digits] = START.exec(text) ?? [];
  const start = digits === undefined ? undefined : parseDayDigits(digits);
  if (digits !== undefined && start === undefined) return misread(`DTSTART ${digits} is not a day.`);
  const rule = parseParts(
    text
      .slice(prefix.length)
      .trim()
      .replace(/^RRULE:/i, ""),
  );
  return rule.understood && start !== undefined ? { ...rule, start } : rule;
}

/** `start`: `20261122` or `20261122T093000Z`. */
export function withStart(text: string, start: string): string {
  const found = START.exec(text);
  if (!found) return `DTSTART:${start};${text}`;
  const [, name = "", digits = "", time = ""] = found;
  return `${name}${start}${text.slice(name.length + digits.length + time.length)}`;
}

export function formatRRule(rule: RecurrenceRule): string {
  const list = (name: string, values: readonly (string | number)[]) =>
    values.length > 0 ? [`${name}=${values.join(",")}`] : [];
  return [
    `FREQ=${rule.frequency}`,
    ...(rule.interval === 1 ? [] : [`INTERVAL=${rule.interval}`]),
    ...(rule.weekStart === 0 ? [] : [`WKST=${WEEKDAY_CODES[rule.weekStart]}`]),
    ...list("BYMONTH", rule.byMonth),
    ...list("BYWEEKNO", rule.byWeekNo),
    ...list("BYYEARDAY", rule.byYearDay),
    ...list("BYMONTHDAY", rule.byMonthDay),
    ...list(
      "BYDAY",
      rule.byDay.map(({ weekday, ordinal = "" }) => `${ordinal}${WEEKDAY_CODES[weekday]}`),
    ),
    ...list("BYSETPOS", rule.bySetPos),
    ...(rule.count === undefined ? [] : [`COUNT=${rule.count}`]),
    ...(rule.until === undefined ? [] : [`UNTIL=${formatDayDigits(rule.until)}`]),
  ].join(";");
}

export function formatDayDigits(day: DayNumber): string {
  const { year, month, day: dayOfMonth }: CivilDate = civilDate(day);
  return `${year}`.padStart(4, "0") + `${month}`.padStart(2, "0") + `${dayOfMonth}`.padStart(2, "0");
}

const misread = (reason: string): NotUnderstood => ({ understood: false, reason });

function parseDayDigits(text: string): DayNumber | undefined {
  const [year = 0, month = 0, day = 0] = (DAY_DIGITS.exec(text) ?? []).slice(1).map(Number);
  const exists = year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  return exists ? dayNumber(year, month, day) : undefined;
}

function parseParts(text: string): Reading<{ readonly rule: RecurrenceRule }> {
  const parts = new Map<string, string>();
  for (const part of text.replace(/;$/, "").split(";")) {
    const [, name = "", value = ""] = /^([A-Z]+)=(.*)$/.exec(part.trim().toUpperCase()) ?? [];
    if (name === "") return misread(`"${part}" is not a part of a rule.`);
    if (parts.has(name)) return misread(`It has ${name} twice.`);
    parts.set(name, value);
  }
  const rule: RuleDraft = {};
  for (const [name, value] of parts) {
    const problem = readPart(rule, name, value);
    if (problem !== undefined) return misread(problem);
  }
  const { frequency } = rule;
  if (frequency === undefined) return misread("It has no FREQ.");
  return { understood: true, rule: { ...NO_RULE_PARTS, ...rule, frequency } };
}

type RuleDraft = { -readonly [Key in keyof RecurrenceRule]?: RecurrenceRule[Key] };

const WRONG: Readonly<Partial<Record<string, string>>> = {
  FREQ: "is none of DAILY, WEEKLY, MONTHLY and YEARLY",
  // A literal: formatting a number loads Intl data (10 ms at each start).
  INTERVAL: "is no whole number from 1 to 1,000",
  COUNT: "is no whole number from 1 on",
  UNTIL: "is no day that exists",
  WKST: "is no weekday",
  BYDAY: "is no list of weekdays",
  ...Object.fromEntries(Object.keys(NUMBER_LISTS).map((name) => [name, "is no list of such numbers"])),
};

/** @returns what is wrong */
function readPart(draft: RuleDraft, name: string, value: string): string | undefined {
  const wrong = `${name}=${value} ${WRONG[name] ?? "is no part of a rule that can be followed"}.`;
  if (CLOCK_PARTS.has(name)) return undefined;
  if (name in NUMBER_LISTS) {
    const { field, most, fromEnd } = NUMBER_LISTS[name as keyof typeof NUMBER_LISTS];
    const numbers = readList(value, (item) => readNumber(item, most, fromEnd));
    if (numbers === undefined) return wrong;
    draft[field] = [...new Set(numbers)].sort((a, b) => a - b);
    return undefined;
  }
  switch (name) {
    case "FREQ":
      if (!FREQUENCIES.includes(value)) return wrong;
      draft.frequency = value as Frequency;
      return undefined;
    case "INTERVAL":
      return assign(draft, "interval", readNumber(value, MAX_INTERVAL, false), wrong);
    case "COUNT":
      return assign(draft, "count", readNumber(value, Number.MAX_SAFE_INTEGER, false), wrong);
    case "UNTIL":
      return assign(draft, "until", parseDayDigits(value), wrong);
    case "WKST":
      return assign(draft, "weekStart", readWeekday(value)?.weekday, wrong);
    case "BYDAY":
      return assign(draft, "byDay", readList(value, readWeekday), wrong);
    default:
      return wrong;
  }
}

function assign<Key extends keyof RuleDraft>(
  draft: RuleDraft,
  key: Key,
  value: RuleDraft[Key] | undefined,
  wrong: string,
): string | undefined {
  if (value === undefined) return wrong;
  draft[key] = value;
  return undefined;
}

function readList<Item>(text: string, read: (item: string) => Item | undefined): Item[] | undefined {
  const items = text.split(",").map((item) => read(item.trim()));
  return items.length <= MAX_LIST && items.every((item) => item !== undefined) ? items : undefined;
}

function readNumber(text: string, most: number, fromEnd: boolean): number | undefined {
  if (!/^[+-]?\d{1,15}$/.test(text)) return undefined;
  const number = Number(text);
  return Math.abs(number) <= most && (number > 0 || (fromEnd && number < 0)) ? number : undefined;
}

function readWeekday(text: string): RuleWeekday | undefined {
  const [, digits = "", code = ""] = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(text) ?? [];
  const weekday = (WEEKDAY_CODES as readonly string[]).indexOf(code);
  if (weekday < 0) return undefined;
  if (digits === "") return { weekday: weekday as Weekday };
  const ordinal = readNumber(digits, 53, true);
  return ordinal === undefined ? undefined : { weekday: weekday as Weekday, ordinal };
}
