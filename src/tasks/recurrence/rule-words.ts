/** Rules in words, as on the Tasks plugin's lines (docs: tasks, "Checkbox lines"). */
import { parseLocalDate } from "../../clock.js";
import { exactDate, MONTH_NAMES, ordinal, WEEKDAY_NAMES } from "../../dates/calendar-terms.js";
import { civilDate, type DayNumber, toDayNumber, type Weekday } from "../../dates/days.js";
import { MONTH_WORDS, WEEKDAY_WORDS } from "../../dates/english.js";
import {
  formatDayDigits,
  formatRRule,
  type Frequency,
  looksLikeRRule,
  MAX_INTERVAL,
  NO_RULE_PARTS,
  parseRRule,
  type Reading,
  type RecurrenceAnchor,
  type RecurrenceRule,
  type RuleWeekday,
} from "./recurrence-rule.js";

/** Restarts at each day it counts from. */
export interface WordRule {
  readonly rule: RecurrenceRule;
  readonly whenDone: boolean;
}

type RulePart = Partial<RecurrenceRule>;

const WORKDAYS: readonly RuleWeekday[] = ([0, 1, 2, 3, 4] as const).map((weekday) => ({ weekday }));

const NAMED_RULES: ReadonlyMap<string, string> = new Map([
  ["daily", "every day"],
  ["weekdays", "every weekday"],
  ["weekly", "every week"],
  ["biweekly", "every 2 weeks"],
  ["monthly", "every month"],
  ["quarterly", "every 3 months"],
  ["yearly", "every year"],
]);

const FREQUENCY_OF_UNIT: Readonly<Record<string, Frequency>> = {
  day: "DAILY",
  week: "WEEKLY",
  month: "MONTHLY",
  year: "YEARLY",
};

const WHOLE = /^every ?(.+?)(?: on (.+?))?(?: until (.+?)| for (\d{1,6}) times?)?( when done)?$/;
/** The plugin requires one blank in `when done`. */
const BLANKS = /\s+(?!done$)/g;
const UNIT = /^(?:([1-9]\d{0,3}) ?)?(day|week|month|year)s?$/;
const PLACE = /^(?:(\d{1,2})(?:st|nd|rd|th))?(?:(?:^| )(last))?(?: day$|(?:(?:^| )([a-z]+))?$)/;

/** `start` is a DTSTART; only words have `whenDone`. */
export function parseRule(text: string): Reading<Pick<WordRule, "rule"> & Partial<WordRule & { start: DayNumber }>> {
  return looksLikeRRule(text) ? parseRRule(text) : parseRuleWords(text);
}

export function parseRuleWords(text: string): Reading<WordRule> {
  const plain = text.trim().toLowerCase().replace(BLANKS, " ");
  const match = WHOLE.exec(NAMED_RULES.get(plain) ?? plain);
  const [, subject = "", places, until, times, done] = match ?? [];
  const base = match ? subjectOf(subject) : undefined;
  const chosen = places === undefined ? {} : placesOf(places);
  const end = endOf(until, times);
  if (!base || !chosen || !end || !canCombine(base, chosen)) {
    return { understood: false, reason: `"${text}" is not a rule that is understood.` };
  }
  return { understood: true, rule: { ...NO_RULE_PARTS, ...base, ...chosen, ...end }, whenDone: done !== undefined };
}

/** Whether the start gives the day of the month; short months then use their last day. */
export function clampsToMonth({ frequency, byDay, byMonthDay, byMonth, byYearDay, byWeekNo }: RecurrenceRule): boolean {
  const lists = [byDay, byMonthDay, byMonth, byYearDay, byWeekNo];
  return (frequency === "MONTHLY" || frequency === "YEARLY") && lists.every((list) => list.length === 0);
}

function subjectOf(text: string): (RulePart & { readonly frequency: Frequency }) | undefined {
  const [, digits = "1", unit = ""] = UNIT.exec(text) ?? [];
  const frequency = FREQUENCY_OF_UNIT[unit];
  const interval = Number(digits);
  if (frequency !== undefined) return interval <= MAX_INTERVAL ? { frequency, interval } : undefined;
  if (/^weekdays?$/.test(text)) return { frequency: "WEEKLY", byDay: WORKDAYS };
  const weekdays = weekdaysOf(text);
  if (weekdays) return { frequency: "WEEKLY", byDay: weekdays };
  const byMonth = listOf(text, (word) => MONTH_WORDS.get(word));
  return byMonth && { frequency: "YEARLY", byMonth };
}

function placesOf(text: string): RulePart | undefined {
  const weekdays = weekdaysOf(text);
  if (weekdays) return { byDay: weekdays };
  const inFigures = text
    .replace(/\bfirst\b/g, "1st")
    .replace(/\bsecond\b/g, "2nd")
    .replace(/\bthird\b/g, "3rd");
  const places = listOf(inFigures.replace(/^the /, ""), placeOf);
  if (!places) return undefined;
  const byDay = places.filter((place) => typeof place !== "number");
  if (byDay.length === places.length) return { byDay };
  const byMonthDay = places.filter((place) => typeof place === "number");
  return byMonthDay.length === places.length ? { byMonthDay: ascending(byMonthDay) } : undefined;
}

/** `15th`, `last`, `2nd last`, also with a weekday. */
function placeOf(text: string): number | RuleWeekday | undefined {
  const [, digits, last, word] = PLACE.exec(text) ?? [];
  if (digits === undefined && last === undefined) return undefined;
  const place = Number(digits ?? 1) * (last === undefined ? 1 : -1);
  const most = word === undefined ? 31 : 5;
  if (place === 0 || Math.abs(place) > most) return undefined;
  if (word === undefined) return place;
  const weekday = WEEKDAY_WORDS.get(word);
  return weekday === undefined ? undefined : { weekday, ordinal: place };
}

/** Positions require months or years. The plugin ignores weekdays after days. */
function canCombine(base: RulePart & { readonly frequency: Frequency }, chosen: RulePart): boolean {
  if ((base.byDay && chosen.byMonthDay) || (chosen.byDay && (base.byDay || base.frequency === "DAILY"))) return false;
  const needsMonth = chosen.byMonthDay !== undefined || chosen.byDay?.some(({ ordinal }) => ordinal !== undefined);
  return needsMonth !== true || base.frequency === "MONTHLY" || base.frequency === "YEARLY";
}

function endOf(until: string | undefined, times: string | undefined): RulePart | undefined {
  if (times !== undefined) return Number(times) > 0 ? { count: Number(times) } : undefined;
  if (until === undefined) return {};
  const day = dateOf(until);
  return day === undefined ? undefined : { until: day };
}

function dateOf(text: string): DayNumber | undefined {
  const written = parseLocalDate(text);
  if (written !== undefined) return toDayNumber(written);
  const monthFirst = /^([a-z]+) (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/.exec(text);
  const dayFirst = /^(\d{1,2})(?:st|nd|rd|th)? ([a-z]+),? (\d{4})$/.exec(text);
  const [month = "", day, year] = monthFirst?.slice(1) ?? [dayFirst?.[2], dayFirst?.[1], dayFirst?.[3]];
  return exactDate(Number(year), MONTH_WORDS.get(month) ?? 0, Number(day));
}

const weekdaysOf = (text: string): RuleWeekday[] | undefined =>
  listOf(text, (word): Weekday | undefined => WEEKDAY_WORDS.get(word))?.map((weekday) => ({ weekday }));

function listOf<Item>(text: string, read: (item: string) => Item | undefined): Item[] | undefined {
  const words = text.split(/ ?, ?(?:and )?(?:the )?| and (?:the )?/);
  const items = [...new Set(words)].map(read);
  return items.every((item) => item !== undefined) ? items : undefined;
}

const ascending = (list: readonly number[]): number[] => [...new Set(list)].sort((a, b) => a - b);

const UNITS = { DAILY: "day", WEEKLY: "week", MONTHLY: "month", YEARLY: "year" } as const;
/** Exists in every month. */
const SAFE_DAY = 28;

export function toRRule(words: WordRule, start: DayNumber): { recurrence: string; anchor: RecurrenceAnchor } {
  const rule = words.whenDone ? words.rule : withClampedDay(words.rule, start);
  return {
    recurrence: `DTSTART:${formatDayDigits(start)};${formatRRule(rule)}`,
    anchor: words.whenDone ? "completion" : "scheduled",
  };
}

export function toRuleWords(rule: RecurrenceRule, anchor: RecurrenceAnchor): string | undefined {
  const byDay = rule.byDay.toSorted((one, other) => one.weekday - other.weekday);
  const plain = withoutClampedDay({ ...rule, byDay });
  const words = `every ${subject(plain)}${places(plain)}${end(plain)}${anchor === "completion" ? " when done" : ""}`;
  const read = parseRuleWords(words);
  // Parts without words were dropped.
  return read.understood && formatRRule(read.rule) === formatRRule(plain) ? words : undefined;
}

/** `every month` from the 30th is the last of the days 28 to 30. */
function withClampedDay(rule: RecurrenceRule, start: DayNumber): RecurrenceRule {
  const { month, day } = civilDate(start);
  if (!clampsToMonth(rule) || day <= SAFE_DAY) return rule;
  if (rule.frequency === "YEARLY" && month !== 2) return rule;
  const byMonthDay = Array.from({ length: day - SAFE_DAY + 1 }, (_, place) => SAFE_DAY + place);
  const byMonth = rule.frequency === "YEARLY" ? [month] : [];
  return { ...rule, byMonth, byMonthDay, bySetPos: [-1] };
}

function withoutClampedDay(rule: RecurrenceRule): RecurrenceRule {
  const { byMonthDay, bySetPos, byDay, byMonth, frequency } = rule;
  const isClamped =
    bySetPos.join() === "-1" &&
    byDay.length === 0 &&
    byMonthDay.length > 1 &&
    byMonthDay.every((day, place) => day === SAFE_DAY + place) &&
    (frequency === "MONTHLY" ? byMonth.length === 0 : frequency === "YEARLY" && byMonth.join() === "2");
  return isClamped ? { ...rule, byMonthDay: [], byMonth: [], bySetPos: [] } : rule;
}

function subject({ frequency, interval, byDay, byMonth }: RecurrenceRule): string {
  if (frequency === "YEARLY" && byMonth.length > 0) {
    return joined(byMonth.map((month) => MONTH_NAMES[month - 1] ?? ""));
  }
  if (frequency === "WEEKLY" && interval === 1 && isWorkweek(byDay)) return "weekday";
  return interval === 1 ? UNITS[frequency] : `${interval} ${UNITS[frequency]}s`;
}

function places({ frequency, interval, byDay, byMonthDay }: RecurrenceRule): string {
  if (byMonthDay.length > 0) return ` on the ${joined(byMonthDay.map(ordinalOf))}`;
  if (byDay.length === 0 || (frequency === "WEEKLY" && interval === 1 && isWorkweek(byDay))) return "";
  const names = byDay.map(({ weekday, ordinal }) =>
    ordinal === undefined ? WEEKDAY_NAMES[weekday] : `${ordinalOf(ordinal)} ${WEEKDAY_NAMES[weekday]}`,
  );
  return byDay.some(({ ordinal }) => ordinal !== undefined) ? ` on the ${joined(names)}` : ` on ${names.join(", ")}`;
}

function end({ until, count }: RecurrenceRule): string {
  if (count !== undefined) return ` for ${count} ${count === 1 ? "time" : "times"}`;
  if (until === undefined) return "";
  const { year, month, day } = civilDate(until);
  return ` until ${MONTH_NAMES[month - 1]} ${day}, ${String(year).padStart(4, "0")}`;
}

const isWorkweek = (byDay: readonly RuleWeekday[]): boolean =>
  byDay.length === 5 && byDay.every(({ weekday, ordinal }, place) => ordinal === undefined && weekday === place);

const joined = (items: readonly string[]): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;

function ordinalOf(number: number): string {
  if (number === -1) return "last";
  return `${ordinal(Math.abs(number))}${number < 0 ? " last" : ""}`;
}
