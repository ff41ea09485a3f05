/** Cleans given values for writing and reports changes (docs: tasks, "create_task"). */
import type { LocalDate } from "../../clock.js";
import { argument, said, type Wording } from "../../text/wording.js";
import { echoDay, requireDay } from "../../dates/read-day.js";
import { toDayNumber } from "../../dates/days.js";
import { type VaultError, invalidArgument } from "../../errors.js";
import { normaliseTag, splitTags } from "../../markdown/links/property-links.js";
import { foldName } from "../../storage/path.js";
import { Occurrences } from "../recurrence/rule-days.js";
import { parseRule } from "../recurrence/rule-words.js";
import { bareName, minutesIn, NO_MINUTES, onOneLine } from "./property-values.js";

export interface Cleaned<T> {
  readonly value: T;
  readonly adjustments: readonly Wording[];
  readonly time?: GivenTime;
}

/** Written only if the field has a clock time. */
export interface GivenTime {
  /** Without the `T`. */
  readonly digits: string;
  readonly leftOut: Wording;
}

export function cleanText(name: string, text: string): Cleaned<string> {
  const clean = onOneLine(text);
  if (isBlank(clean)) throw blank(name);
  const broken = clean !== text.trim();
  return { value: clean, adjustments: broken ? [said`line breaks in ${argument(name)} were written as spaces`] : [] };
}

export function cleanName(name: string, text: string): string {
  const clean = settled(onOneLine(text));
  if (isBlank(clean)) throw blank(name);
  return clean;
}

export function cleanNames(name: string, texts: readonly string[]): string[] {
  const names = texts.filter((text) => !isBlank(text)).map((text) => cleanName(name, text));
  return [...new Set(names)];
}

function settled(text: string): string {
  const name = bareName(text);
  return name === text || name === "" ? name : settled(name);
}

/** `""` clears. */
export function cleanDay(name: string, text: string, today: LocalDate): Cleaned<LocalDate | ""> {
  if (text.trim() === "") return { value: "", adjustments: [] };
  const read = requireDay(argument(name), text, today);
  const echo = echoDay(argument(name), text, read, today);
  if (read.time === undefined) return { value: read.day, adjustments: echo === undefined ? [] : [echo] };
  const leftOut = said`the clock time of ${argument(name)} "${text.trim()}" was left out: it is a day`;
  return { value: read.day, adjustments: [leftOut], time: { digits: read.time.slice(1), leftOut } };
}

/** `""` clears. */
export function cleanMinutes(name: string, text: string): number {
  if (text.trim() === "") return NO_MINUTES;
  const minutes = minutesIn(text.trim());
  if (minutes !== undefined) return minutes;
  throw invalidArgument(
    said`${argument(name)} ${JSON.stringify(text.slice(0, 40))} is no length of time.`,
    "Write minutes, or such as 1h30, 45m, PT90M.",
  );
}

/** `""` removes the rule. */
export function cleanRule(name: string, text: string, today: LocalDate): Cleaned<string> {
  const rule = onOneLine(text);
  if (rule === "") return { value: rule, adjustments: [] };
  const read = parseRule(rule);
  if (!read.understood)
    throw invalidArgument(
      said`${argument(name)} is no rule that can be followed: ${read.reason}`,
      'Give words such as "every week", "every 2 weeks on Friday", "every month on the 1st", "every day when done", or an RRULE such as FREQ=WEEKLY;BYDAY=MO.',
    );
  const now = toDayNumber(today);
  const { start = now } = read;
  if (new Occurrences(read.rule, start).next(Math.max(start, now)) === undefined)
    throw invalidArgument(
      said`${argument(name)} ${JSON.stringify(rule)} has no day from ${today} on.`,
      said`Give a rule with days to come; to end a series give ${argument("recurrence")} "".`,
    );
  return { value: rule, adjustments: [] };
}

/** Invisible characters count as blank. */
function isBlank(text: string): boolean {
  // The pattern of invisible characters compiles slowly.
  if (/[\x21-\x7e]/.test(text)) return false;
  return !/[^\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(text);
}

function blank(name: string): VaultError {
  return invalidArgument(
    said`${argument(name)} must not be blank.`,
    said`Give the ${argument(name)} at least one visible character.`,
  );
}

export function cleanTags(tags: readonly string[]): Cleaned<readonly string[]> {
  const clean: string[] = [];
  const adjustments: Wording[] = [];
  for (const tag of tags) {
    const written = splitTags(tag).flatMap((part) => normaliseTag(part) ?? []);
    if (written.length === 0) {
      const why = /\d/.test(tag) ? "a tag needs more than digits" : "no character of it is allowed in a tag";
      adjustments.push(`tag ${JSON.stringify(tag)} was left out: ${why}`);
    } else if (written[0] !== tag) {
      const words = written.map((word) => JSON.stringify(word)).join(" and ");
      adjustments.push(`tag ${JSON.stringify(tag)} was written as ${words}`);
    }
    for (const word of written) {
      if (!clean.some((known) => foldName(known) === foldName(word))) clean.push(word);
    }
  }
  return { value: clean, adjustments };
}
