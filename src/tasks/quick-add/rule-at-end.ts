/** The rule at the end of a quick line: `every other friday`, `monthly`. */
import type { LocalDate } from "../../clock.js";
import { MONTH_NAMES, PERIODICITY } from "../../dates/calendar-terms.js";
import { civilDate, toDayNumber } from "../../dates/days.js";
import { parseDay, ruleInWords } from "../../dates/read-day.js";
import { parseRuleWords } from "../recurrence/rule-words.js";

/** Replaces what was read so that offsets stay; counts as white space. */
export const MASK = "\u2028";

export const unmasked = (text: string): string => text.replace(/\s*\u2028\s*/g, " ").trim();

export const MAX_RULE_WORDS = 14;

/** Longest first. */
export function* endings(text: string, most: number): Generator<{ readonly words: string; readonly before: string }> {
  const starts = [...text.matchAll(/(?<=^|\s)\S/gu)].map(({ index }) => index).slice(-most);
  for (const start of starts) yield { words: unmasked(text.slice(start)), before: text.slice(0, start).trimEnd() };
}

/** A day after one of these belongs to a longer phrase: `move it to friday`, `every blue monday`. */
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

/** The longest rule at the end, in the words of checkbox lines. @param today for an end in words */
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

/** `Pay rent monthly`; not `Write the weekly`, nor the word alone. */
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
  // Todoist's `every!` counts from the day it is done.
  const [, whenDone] = /^every!\s(.+)$/iu.exec(words) ?? [];
  const rule = whenDone === undefined ? ruleInWords(words) : ruleIn(`every ${whenDone}`, undefined);
  return rule && understood(whenDone === undefined ? rule : `${rule} when done`);
}

/** `December 4, 2026`: the plugin's lines hold no other form. */
function dayInWords(day: LocalDate): string {
  const { year, month, day: number } = civilDate(toDayNumber(day));
  return `${MONTH_NAMES[month - 1]} ${number}, ${year}`;
}

const understood = (rule: string): string | undefined => (parseRuleWords(rule).understood ? rule : undefined);
