/** Translates rules: words to RFC 5545 with the same days, and back where words exist. */
import { civilDate, type DayNumber } from "../../dates/day-number.js";
import { formatDayDigits, formatRRule, type RecurrenceRule, type RuleWeekday } from "./recurrence-rule.js";
import { clampsToMonth, parseRuleWords, type WordRule } from "./rule-words.js";

/** What an RFC 5545 rule counts from (`recurrence_anchor` in notes). */
export type RecurrenceAnchor = "scheduled" | "completion";

const UNITS = { DAILY: "day", WEEKLY: "week", MONTHLY: "month", YEARLY: "year" } as const;
const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;
const MONTHS = "January February March April May June July August September October November December".split(" ");
/** Every month has this day; later ones are clamped. */
const SAFE_DAY = 28;

/** The same days from `start` on, and the anchor this needs. */
export function toRRule(words: WordRule, start: DayNumber): { recurrence: string; anchor: RecurrenceAnchor } {
  const rule = words.whenDone ? words.rule : withClampedDay(words.rule, start);
  return {
    recurrence: `DTSTART:${formatDayDigits(start)};${formatRRule(rule)}`,
    anchor: words.whenDone ? "completion" : "scheduled",
  };
}

/** Undefined where no words mean the rule. */
export function toRuleWords(rule: RecurrenceRule, anchor: RecurrenceAnchor): string | undefined {
  const plain = withoutClampedDay(rule);
  const words = `every ${subject(plain)}${places(plain)}${end(plain)}${anchor === "completion" ? " when done" : ""}`;
  const read = parseRuleWords(words);
  // Parts without words were dropped, so the words must parse to the same rule.
  return read.understood && formatRRule(read.rule) === formatRRule(plain) ? words : undefined;
}

/** `every month` from the 30th is the last of the days 28, 29 and 30 that a month has. */
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
    return joined(byMonth.map((month) => MONTHS[month - 1] ?? ""));
  }
  if (frequency === "WEEKLY" && interval === 1 && isWorkweek(byDay)) return "weekday";
  return interval === 1 ? UNITS[frequency] : `${interval} ${UNITS[frequency]}s`;
}

function places({ frequency, interval, byDay, byMonthDay }: RecurrenceRule): string {
  if (byMonthDay.length > 0) return ` on the ${joined(byMonthDay.map(ordinalOf))}`;
  if (byDay.length === 0 || (frequency === "WEEKLY" && interval === 1 && isWorkweek(byDay))) return "";
  const names = byDay.map(({ weekday, ordinal }) =>
    ordinal === undefined ? WEEKDAYS[weekday] : `${ordinalOf(ordinal)} ${WEEKDAYS[weekday]}`,
  );
  return byDay.some(({ ordinal }) => ordinal !== undefined) ? ` on the ${joined(names)}` : ` on ${names.join(", ")}`;
}

function end({ until, count }: RecurrenceRule): string {
  if (count !== undefined) return ` for ${count} ${count === 1 ? "time" : "times"}`;
  if (until === undefined) return "";
  const { year, month, day } = civilDate(until);
  return ` until ${MONTHS[month - 1]} ${day}, ${String(year).padStart(4, "0")}`;
}

const isWorkweek = (byDay: readonly RuleWeekday[]): boolean =>
  byDay.length === 5 && byDay.every(({ weekday, ordinal }, place) => ordinal === undefined && weekday === place);

const joined = (items: readonly string[]): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;

function ordinalOf(number: number): string {
  if (number === -1) return "last";
  const place = Math.abs(number);
  const suffix = place % 100 > 10 && place % 100 < 14 ? "th" : (["th", "st", "nd", "rd"][place % 10] ?? "th");
  return `${place}${suffix}${number < 0 ? " last" : ""}`;
}
