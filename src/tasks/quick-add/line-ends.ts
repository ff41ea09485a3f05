/** What a quick line begins with, as in todo.txt, and the rule at its end. */
import type { LocalDate } from "../../clock.js";
import { MONTH_NAMES, PERIODICITY } from "../../dates/calendar-terms.js";
import { civilDate, toDayNumber, toLocalDate } from "../../dates/days.js";
import { parseDay, ruleInWords } from "../../dates/read-day.js";
import { Occurrences } from "../recurrence/rule-days.js";
import { parseRuleWords } from "../recurrence/rule-words.js";

/** Replaces what was read, so that offsets stay. */
const MASK = "\u2028";

/** UTF-16 units. */
export interface LinePart {
  readonly from: number;
  readonly to: number;
}

export const masked = (line: string, { from, to }: LinePart): string =>
  line.slice(0, from) + MASK.repeat(to - from) + line.slice(to);

export const unmasked = (text: string): string => text.replace(/\s*\u2028\s*/g, " ").trim();

/** Excludes ambiguous single words, such as `sun` or `first`. */
export const isDayLike = (text: string): boolean =>
  /[\s\d]/.test(text) || (text.length > 4 && !/(?:st|nd|rd|th)$/i.test(text));

const NAMES = MONTH_NAMES.map((name) => `${name}|${name.slice(0, 3)}`).join("|");
const NO_DAY = new RegExp(
  `^(?:\\d{1,2}([/.-])\\d{1,2}\\1\\d{4}|(?:29|3[01])(?:th|st|\\.)? (?:of )?(?:${NAMES})|(?:${NAMES}) (?:29|3[01])(?:th|st)?)$`,
  "i",
);

/** For words that no reading takes for a day. */
export function reasonOfNoDay(text: string, isLast: boolean): string | undefined {
  if (NO_DAY.test(text)) return "no day has this date";
  const [, one = 0, other = 0] = /^(\d{1,2})\/(\d{1,2})$/.exec(text)?.map(Number) ?? [];
  const isDate = Math.min(one, other) >= 1 && Math.min(one, other) <= 12 && Math.max(one, other) <= 31;
  return isLast && isDate && text !== "24/7" ? "a day needs its month's name or year, as in 2026-12-05" : undefined;
}

export const MAX_RULE_WORDS = 14;

/** Longest first. */
export function* endings(text: string, most: number): Generator<{ readonly words: string; readonly before: string }> {
  const starts = [...text.matchAll(/(?<=^|\s)\S/gu)].map(({ index }) => index).slice(-most);
  for (const start of starts) yield { words: unmasked(text.slice(start)), before: text.slice(0, start).trimEnd() };
}

/** A day after one of these belongs to a longer phrase: `every blue monday`. */
const PART_OF_PHRASE = new RegExp(
  `(?:^|[^\\p{L}])(?:${[
    "\\d+(?:st|nd|rd|th) first second third fourth fifth other to from since after than and or between not about of with without except every each any all the last past next up",
    "zu zum von vom seit nach und oder zwischen nicht jede jeden jedes jeder alle",
    "de du des depuis apres et ou entre pas chaque tous toutes les despues y entre cada todos todas los",
  ]
    .join(" ")
    .replaceAll(" ", "|")})$`,
  "u",
);

export const isPartOfPhrase = (before: string): boolean =>
  PART_OF_PHRASE.test(unmasked(before).toLowerCase().normalize("NFD").replace(/\p{M}/gu, ""));

/** The longest, in the words of checkbox lines. */
export function ruleAtEnd(
  text: string,
  today?: LocalDate,
): { readonly rule: string; readonly before: string } | undefined {
  for (const { words, before } of endings(text, MAX_RULE_WORDS)) {
    const rule = ruleIn(words, today) ?? adverbRule(words, before);
    if (rule !== undefined) return { rule, before };
  }
  return undefined;
}

const ADVERBS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(PERIODICITY).map(([period, adverb]) => [adverb, `every ${period}`] as const),
  ["annually", "every year"],
  ["quarterly", "every 3 months"],
  ["biweekly", "every 2 weeks"],
  ["fortnightly", "every 2 weeks"],
]);

/** Not `Write the weekly`, nor the word alone. */
function adverbRule(words: string, before: string): string | undefined {
  return before === "" || isPartOfPhrase(before) ? undefined : ADVERBS.get(words.toLowerCase());
}

const UNTIL = /^(.+)\s(?:until|till|bis(?: zum)?|jusqu['’]au|hasta(?: el)?)\s(.+)$/iu;

function ruleIn(words: string, today: LocalDate | undefined): string | undefined {
  if (/^every\s/i.test(words) && parseRuleWords(words).understood) return words;
  const listed = words.replace(/(?<=^every\s.*\p{L})(?<!,|\sand)[\s/]+(?!and\s)(?=\p{L})/giu, ", ");
  if (listed !== words && understood(listed) !== undefined) return listed;
  const [, base, until] = UNTIL.exec(words) ?? [];
  const end = until === undefined || today === undefined ? undefined : parseDay(until, today);
  if (base !== undefined && end !== undefined) {
    const rule = ruleIn(base, undefined);
    return rule && understood(`${rule} until ${dayInWords(end.day)}`);
  }
  // Todoist: counts from the day it is done.
  const [, whenDone] = /^every!\s(.+)$/iu.exec(words) ?? [];
  const rule = whenDone === undefined ? ruleInWords(words) : ruleIn(`every ${whenDone}`, undefined);
  return rule && understood(whenDone === undefined ? rule : `${rule} when done`);
}

/** The plugin's lines hold no other form. */
function dayInWords(day: LocalDate): string {
  const { year, month, day: number } = civilDate(toDayNumber(day));
  return `${MONTH_NAMES[month - 1]} ${number}, ${year}`;
}

const understood = (rule: string): string | undefined => (parseRuleWords(rule).understood ? rule : undefined);

/** Stays in the title: `friday at 3pm`, `tomorrow 15:00`. */
export const CLOCK_TIME =
  /[ \t]+(?:(?:at|um|à|a las)[ \t]+\d{1,2}(?::[0-5]\d)?|\d{1,2}:[0-5]\d|\d{1,2}(?=[ap]m|[ \t]+uhr))(?:[ \t]*(?:[ap]m|uhr|h))?$/iu;

export function firstDay(rule: string, start: LocalDate): LocalDate | undefined {
  const words = parseRuleWords(rule);
  if (!words.understood) return undefined;
  // The first of every other Tuesday is the next one.
  const day = new Occurrences({ ...words.rule, interval: 1 }, toDayNumber(start)).next(toDayNumber(start));
  return day === undefined ? undefined : toLocalDate(day);
}

export const RULE_LIKE =
  /(?<=^|\s)(?:every|each)!?\s+(?:other|quarter|\d+(?:st|nd|rd|th)?|first|second|third|fourth|last|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/giu;

/** `x 2026-11-03 2026-11-01`, `(A) 2026-11-01`; not `(A) or (B)?`. */
const BEGINNING =
  /^(?:(x)[ \t]+(?:(\([A-C]\))[ \t]+)?(\d{4}-\d\d-\d\d)(?:[ \t]+(\([A-C]\)))?|(\([A-C]\))(?!.*\([A-Z]\)))(?:[ \t]+(\d{4}-\d\d-\d\d))?(?=[ \t]+\S)/d;
const BEGINNING_FIELDS = ["status", "priority", "completed", "priority", "priority", "created"] as const;

/** Days to come are of another kind. */
export function* beginningOf(text: string, today: LocalDate) {
  const found = BEGINNING.exec(text);
  if (found === null || (found[3] ?? "") > today) return;
  for (const [at, field] of BEGINNING_FIELDS.entries()) {
    const [value, [from, to] = []] = [found[at + 1], found.indices?.[at + 1]];
    if (value === undefined || from === undefined || to === undefined) continue;
    if (field !== "created" || value <= today) yield { field, value: value.replace(/[()]/g, ""), from, to };
  }
}
