/** Kinds of fields for planning: rules, days of instances, references to other tasks, durations. */
import type { Property, PropertyValue } from "../../markdown/frontmatter/property.js";
import { looksLikeRRule } from "../recurrence/recurrence-rule.js";
import { cleanRule } from "./cleaning.js";
import { readNoteDate } from "./dates.js";
import type { EstimateStyle } from "./dialect.js";
import type { Field, Row } from "./field.js";
import {
  asGiven,
  asRemembered,
  isEmpty,
  isNestedLink,
  listRemembered,
  NAMES_IN_LINE,
  namesInLine,
  sameItems,
} from "./kinds.js";
import { bareName, isLink, onOneLine, readFlag, splitLinks, textsOf } from "./property-values.js";
import { normaliseWord } from "./vocabulary.js";

/** Links, paths or ids, one or several, as written. */
export function referencesField<const R extends Row>(
  row: R,
): R & Field<readonly string[], readonly string[], readonly string[]> {
  return {
    ...row,
    taskValue: listRemembered,
    inLine: NAMES_IN_LINE,
    fromLine: namesInLine,
    clean: (given) => ({ value: [...new Set(given.map(onOneLine).filter((text) => text !== ""))], adjustments: [] }),
    read(property) {
      const items = Array.isArray(property.value) && !isNestedLink(property) ? property.value : undefined;
      if (items === undefined) return { value: textsOf(property).flatMap(splitLinks) };
      const value = items.flatMap((item) => referenceIn(item, property));
      const style = items.some(isMapping) ? "mapped" : value.some(isLink) ? "linked" : "named";
      const problem = items.length === 0 ? undefined : entryProblem(items, property);
      return { value, habits: style, ...(problem !== undefined && { problem }) };
    },
    write: (value) => ({ value }),
    same: (stored = [], wanted) => sameItems(stored, wanted),
  };
}

/** TaskNotes' relations; stored and not interpreted, like the gap. */
const RELATIONS: ReadonlySet<unknown> = new Set(["FINISHTOSTART", "FINISHTOFINISH", "STARTTOSTART", "STARTTOFINISH"]);
/** An ISO 8601 duration, which may be negative. */
const GAP = /^-?P(?=[\dT])(?:\d+W|(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/;
const BROKEN_LINK = /^\[(?!\[[^\]]+\]\]$|[^\]]*\]\([^)]+\)$)/;

/** Entries that TaskNotes ignores as invalid. */
function entryProblem(items: readonly PropertyValue[], property: Property): string | undefined {
  const named = new Set<string>();
  for (const item of items) {
    if (!isMapping(item)) continue;
    const [uid] = referenceIn(item, property);
    if (uid === undefined || BROKEN_LINK.test(uid)) return "has an invalid entry: its uid names no task";
    const { reltype, gap } = item;
    if (reltype !== undefined && !RELATIONS.has(reltype)) return "has an invalid entry: its reltype is none";
    if (gap !== undefined && gap !== null && !(typeof gap === "string" && GAP.test(gap)))
      return "has an invalid entry: its gap is no duration";
    if (named.has(bareName(uid))) return "has a duplicate entry: two name the same task";
    named.add(bareName(uid));
  }
  return undefined;
}

function isMapping(value: PropertyValue): value is { [key: string]: PropertyValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function referenceIn(item: PropertyValue, property: Property): string[] {
  const named = isMapping(item) ? item["uid"] : item;
  if (named === undefined || named === null) return [];
  return textsOf({ ...property, value: [named], text: undefined });
}

/** Each once, in the order of the note; the last was added last. */
export function daysField<const R extends Row>(
  row: R,
): R & Field<readonly string[], readonly string[], readonly string[]> {
  return {
    ...row,
    taskValue: listRemembered,
    inLine: NAMES_IN_LINE,
    fromLine: namesInLine,
    clean: asGiven,
    read(property) {
      const days = textsOf(property).flatMap(
        (text) => readNoteDate(isLink(text) ? bareName(text) : text)?.slice(0, 10) ?? [],
      );
      return days.length === 0 ? {} : { value: [...new Set(days)] };
    },
    write: (value) => ({ value, options: { plain: true } }),
    same: (stored = [], wanted) => sameItems(stored, wanted),
  };
}

/** Minutes: `90`, `1h30`, `PT90M`. Written as the note or the vault writes them: `90` or `1h30m`. */
export function minutesField<const R extends Row>(row: R): R & Field<number> {
  return {
    ...row,
    shape: "number",
    taskValue: asRemembered,
    inLine: LENGTH,
    fromLine: minutesIn,
    clean: asGiven,
    read(property) {
      const text = (property.text ?? "").trim();
      const value = minutesIn(text);
      if (value === undefined) return text === "" ? {} : { problem: "is no length of time (90, 1h30, PT90M)" };
      return { value, habits: estimateStyle(text) };
    },
    write(value, { old, dialect }) {
      const text = old?.text?.trim() ?? "";
      const style = text === "" ? dialect.estimates : estimateStyle(text);
      return { value: style === "units" ? inUnits(value) : String(value), options: { plain: true } };
    },
    same: (stored, wanted) => stored === wanted,
  };
}

const estimateStyle = (text: string): EstimateStyle => (/[a-z]/i.test(text) ? "units" : "minutes");

/** `2h`, `1h30m`, `45m`. */
function inUnits(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return (hours > 0 ? `${hours}h` : "") + (rest > 0 || hours === 0 ? `${rest}m` : "");
}

const LENGTH = /^(?:pt)?(?:(\d+(?:[.,]\d+)?)\s*(?:h|hours?|hrs?))?\s*(?:(\d+)\s*(?:m|min|minutes?)?)?$/i;

export function minutesIn(text: string): number | undefined {
  const [whole = "", hours, minutes] = LENGTH.exec(text) ?? [];
  if (whole === "" || (hours === undefined && minutes === undefined)) return undefined;
  const sum = Number((hours ?? "0").replace(",", ".")) * 60 + Number(minutes ?? 0);
  return sum <= 1_000_000 ? Math.round(sum) : undefined;
}

/** `5 h 15 min`, `45 min`. */
export function formatMinutes(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 ? `${hours} h` : "", rest > 0 || hours === 0 ? `${rest} min` : ""].filter(Boolean).join(" ");
}

/** Words that mean "no rule", in addition to those of a flag. */
const NO_RULE = new Set(["none", "never", "null"]);
const MAX_RULE_LENGTH = 500;

/** A rule as written; other values are stored as JSON, so that they are shown and never understood. */
export function ruleField<const R extends Row>(row: R): R & Field<string> {
  return {
    ...row,
    taskValue: asRemembered,
    inLine: /^[a-zA-Z0-9, !]+$/,
    clean: (given, { today }) => cleanRule(row.argument ?? row.key, given, today),
    read(property) {
      const rule = ruleIn(property);
      return rule === undefined ? {} : { value: rule, habits: looksLikeRRule(rule) ? "rrule" : "words" };
    },
    write: (value) => ({ value }),
    same: (stored, wanted) => stored === wanted,
  };
}

/** Undefined where the property says that there is none. */
export function ruleIn(property: Property): string | undefined {
  if (isEmpty(property) || readFlag(property) === false) return undefined;
  const texts = textsOf(property);
  const text = texts.length > 0 ? texts.join(", ") : JSON.stringify(property.value);
  return text === "null" || NO_RULE.has(normaliseWord(text)) ? undefined : text.slice(0, MAX_RULE_LENGTH);
}
