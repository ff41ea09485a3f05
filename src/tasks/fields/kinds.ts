/** Kinds of task fields: reading, writing in the vault's dialect, comparing. */
import { type Clock, type LocalDate, parseLocalDate } from "../../clock.js";
import { argument, said } from "../../text/wording.js";
import { invalidArgument } from "../../errors.js";
import { readTags, simpleLink } from "../../markdown/links/property-links.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import { looksLikeRRule } from "../recurrence/recurrence-rule.js";
import {
  cleanDay,
  type Cleaned,
  cleanMinutes,
  cleanName,
  cleanNames,
  cleanRule,
  cleanTags,
  cleanText,
} from "./cleaning.js";
import {
  addDays,
  dayOf,
  readNoteDate,
  asLink,
  bareName,
  firstText,
  isLink,
  onOneLine,
  readFlag,
  splitLinks,
  textsOf,
  estimateStyle,
  minutesInUnits,
  LENGTH,
  minutesIn,
  NO_MINUTES,
  entryProblem,
  isMapping,
  referenceIn,
} from "./property-values.js";
import type { Dialect } from "./dialect.js";
import type { Field, FieldReading, Row, SignOf, ValuePlace } from "./field.js";
import { readReminders, requireReminders } from "./reminders.js";
import { normaliseWord } from "./vocabulary.js";
import { remembered } from "../../text/fold.js";

export const DAY_IN_LINE = /^\d{4}-\d{2}-\d{2}$/;
const NAMES_IN_LINE = /^[\w-]+(?: *, *[\w-]+)*$/;
const namesInLine = (text: string): readonly string[] => text.split(/ *, */);

const asGiven = <T>(value: T): Cleaned<T> => ({ value, adjustments: [] });

const ONE_VALUE = {
  taskValue: <T>(stored: T): T => stored,
  same: (stored: unknown, wanted: unknown): boolean => stored === wanted,
};

type ListField = Field<readonly string[], readonly string[], readonly string[]>;

const NO_NAMES: readonly string[] = [];
const LISTED = {
  shape: "list",
  clears: true,
  taskValue: (stored: readonly string[] = NO_NAMES): readonly string[] => stored,
  inLine: NAMES_IN_LINE,
  fromLine: namesInLine,
  same: (stored: readonly string[] = NO_NAMES, wanted: readonly string[]): boolean =>
    stored.length === wanted.length && stored.every((item, index) => item === wanted[index]),
} as const;

export function textField<const R extends Row>(row: R): R & Field<string> {
  return {
    ...row,
    ...ONE_VALUE,
    clean: (given) => cleanText(row.argument ?? row.key, given),
    read: (property) => ({ value: isNestedLink(property) ? undefined : firstText(property) }),
    write: (value) => ({ value }),
  };
}

/** Stores the note's word; writes the vault's word for a new meaning. */
export function wordField<Meaning extends string, const R extends Row, Given extends string = Meaning>(
  row: R,
  words: {
    meaningOf(raw: string): Meaning | undefined;
    wordFor(meaning: Meaning, old: string, dialect: Dialect): string;
    unknown?(raw: string): string;
    /** Default: all meanings. */
    settable?: readonly Given[];
  },
): R & Field<string, Given> {
  const readWord = remembered((word: string): FieldReading<string> => {
    const value = bareName(word) || word;
    return { value, problem: words.meaningOf(value) === undefined ? words.unknown?.(value) : undefined };
  });
  const read = (property: Property): FieldReading<string> => {
    const raw = firstText(property);
    // A quoted blank is a checkbox state.
    const word = raw ?? (property.text === " " ? " " : undefined);
    if (word !== undefined) return readWord(word);
    return isEmpty(property) ? {} : { problem: "is neither a word nor a list of words" };
  };
  return {
    ...row,
    ...ONE_VALUE,
    clean(given) {
      const meaning = words.meaningOf(given);
      if (meaning !== undefined) return asGiven(meaning);
      const name = row.argument ?? row.key;
      throw invalidArgument(
        said`${argument(name)} ${JSON.stringify(given.slice(0, 40))} is not known.`,
        said`See the description of ${argument(name)} for the words it takes.`,
      );
    },
    read,
    write(value, { old, dialect }) {
      const meaning = words.meaningOf(value);
      const before = old === undefined ? "" : (read(old).value ?? "");
      const word = meaning === undefined ? value : words.wordFor(meaning, before, dialect);
      const plain = dialect.own === undefined || Number.isNaN(Number(word));
      return { value: Array.isArray(old?.value) ? [word] : word, options: { plain } };
    },
    same: (stored, wanted) => stored !== undefined && words.meaningOf(stored) === words.meaningOf(wanted),
  };
}

export function dateField<const R extends Row>(row: R): R & Field<string, string, LocalDate | undefined> {
  return {
    ...row,
    clears: true,
    clean: (given, { today }) => cleanDay(row.argument ?? row.key, given, today),
    taskValue: (stored, clock) => (stored === undefined ? undefined : dayOf(stored, clock)),
    inLine: DAY_IN_LINE,
    fromLine: parseLocalDate,
    read(property, signOf) {
      const raw = firstText(property);
      if (raw === undefined) return isEmpty(property) ? {} : { problem: "is not a date (YYYY-MM-DD)" };
      const linked = isLink(raw);
      const value = readNoteDate(linked ? bareName(raw) : raw);
      if (value === undefined) return { problem: dateProblem(raw) };
      if (linked) return { value, habits: "link" };
      const sign = signOf?.(property);
      return { value, habits: sign === '"' || sign === "'" ? "quoted" : "plain" };
    },
    write(value, { old, field, dialect, clock }) {
      if (value === "") return { value: "" };
      const raw = old && firstText(old);
      if (dialect.isStrict) return { value: withClock(value, raw ?? "", clock), options: { plain: true } };
      const style = raw === undefined ? (dialect.fieldDates[field] ?? dialect.dates) : isLink(raw) ? "link" : "plain";
      const bare = raw === undefined ? "" : isLink(raw) ? bareName(raw) : raw;
      const text = withClock(value, bare, clock);
      if (style === "link") return { value: `[[${text}]]` };
      return { value: text, options: { plain: style === "plain" } };
    },
    same: (stored, wanted, clock) => stored !== undefined && dayOf(stored, clock) === wanted,
  };
}

const DATE_TIME = /^\d{4}-\d{2}-\d{2}(([Tt ]\s*)\d.*)$/;

/** @returns undefined without a clock time, or if another day would be shown */
export function withTime(day: string, digits: string, old: Property, clock: Pick<Clock, "dayOf">): string | undefined {
  const separator = DATE_TIME.exec(firstText(old)?.trim() ?? "")?.[2];
  const text = `${day}${separator}${digits}`;
  return separator !== undefined && dayOf(readNoteDate(text) ?? "", clock) === day ? text : undefined;
}

/** Keeps the old time if the clock's zone still shows `day`. */
function withClock(day: string, old: string, clock: Pick<Clock, "dayOf">): string {
  const rest = DATE_TIME.exec(old.trim())?.[1];
  if (day.length > 10 || rest === undefined || readNoteDate(old) === undefined) return day;
  // An instant may fall on another day than its digits.
  const written = [0, -1, 1].map((days) => `${addDays(day as LocalDate, days)}${rest}`);
  return written.find((text) => dayOf(readNoteDate(text) ?? "", clock) === day) ?? day;
}

function dateProblem(raw: string): string {
  const looksLikeDay = /^\d{4}-\d{2}-\d{2}(?:\D|$)/.test(raw);
  const shown = raw.length > 40 ? `${raw.slice(0, 40)}…` : raw;
  return looksLikeDay ? `"${shown}" is not a day that exists` : `"${shown}" is not a date (YYYY-MM-DD)`;
}

const readName = remembered((raw: string): FieldReading<string> => ({
  value: bareName(raw),
  habits: isLink(raw) ? "linked" : "named",
}));

/** `Work`, `"[[Work]]"`, `[[Work]]`. */
export function nameField<const R extends Row>(row: R): R & Field<string> {
  return {
    ...row,
    ...ONE_VALUE,
    clean: (given) => ({ value: cleanName(row.argument ?? row.key, given), adjustments: [] }),
    read(property) {
      const raw = firstText(property);
      return raw === undefined ? {} : readName(raw);
    },
    write(value, place) {
      const name = styledName(value, place);
      return { value: Array.isArray(place.old?.value) && !isNestedLink(place.old) ? [name] : name };
    },
  };
}

export function namesField<const R extends Row>(row: R): R & ListField {
  return {
    ...row,
    ...LISTED,
    clean: (given) => ({ value: cleanNames(row.argument ?? row.key, given), adjustments: [] }),
    read(property, signOf) {
      const texts = textsOf(property);
      if (texts.length === 0) return {};
      const simple = texts.length === 1 ? simpleLink(texts[0] ?? "") : undefined;
      const parts = simple === undefined ? texts.flatMap(splitLinks) : NO_NAMES;
      const style = simple !== undefined || parts.some(isLink) ? "linked" : "named";
      const isList = Array.isArray(property.value) && !isNestedLink(property);
      return {
        value: simple === undefined ? [...new Set(parts.map(bareName))] : [simple],
        habits: isList ? `${style}\n${listHabit(property, signOf)}` : style,
      };
    },
    write(values, place) {
      const names = values.map((value) => styledName(value, place));
      const scalar = place.old !== undefined && !isEmpty(place.old) && !Array.isArray(place.old.value);
      if (scalar && names.length <= 1 && !place.dialect.isStrict) return { value: names[0] ?? "" };
      // Names may contain commas, so no comma-separated text.
      return {
        value: names,
        options: {
          listStyle: (place.dialect.fieldLists[place.field] ?? place.dialect.lists) === "flow" ? "flow" : "block",
          splits: place.dialect.isStrict,
        },
      };
    },
  };
}

/** From scalar, list and comma form, without `#`. */
export function tagsField<const R extends Row>(row: R): R & ListField {
  return {
    ...row,
    ...LISTED,
    clean: cleanTags,
    read(property, signOf) {
      const value = readTags(property.value, property.text).map(onOneLine);
      if (value.length === 0) return {};
      return { value, habits: listHabit(property, signOf) };
    },
    write(value, { old, field, dialect }) {
      const scalar = old !== undefined && !isEmpty(old) && !Array.isArray(old.value);
      const usual = scalar ? "comma" : (dialect.fieldLists[field] ?? dialect.lists);
      const listStyle = dialect.isForTaskNotes && usual === "comma" ? "block" : usual;
      return { value, options: { listStyle, splits: dialect.isForTaskNotes } };
    },
  };
}

export function flagField<const R extends Row>(row: R): R & Field<boolean> {
  return {
    ...row,
    ...ONE_VALUE,
    clean: asGiven,
    read: (property) => ({ value: readFlag(property) }),
    write: (value, { old }) => {
      const was = old?.text ?? "";
      const word = /^(?:yes|no)$/i.test(was) ? (value ? "yes" : "no") : value ? "true" : "false";
      return { value: word, options: { plain: true } };
    },
    same: (stored = false, wanted) => stored === wanted,
  };
}

function listHabit(property: Property, signOf: SignOf | undefined): string {
  if (!Array.isArray(property.value)) return "comma";
  return signOf?.(property) === "[" ? "flow" : "block";
}

/** `key:`, `key: ""`, `key: []`, `key: null`. */
export function isEmpty(property: Property): boolean {
  if (property.value === null) return true;
  return Array.isArray(property.value) ? property.value.length === 0 : property.text?.trim() === "";
}

function isNestedLink(property: Property): boolean {
  return Array.isArray(property.value) && property.value.length === 1 && Array.isArray(property.value[0]);
}

function styledName(name: string, { old, field, dialect }: ValuePlace): string {
  const before = old && firstText(old);
  const linked = before === undefined ? dialect.linked.includes(field) : isLink(splitLinks(before)[0] ?? "");
  return linked && name !== "" ? asLink(name) : name;
}

/** Links, paths or ids, as written. */
export function referencesField<const R extends Row>(row: R): R & ListField {
  return {
    ...row,
    ...LISTED,
    clean: (given) => ({ value: [...new Set(given.map(onOneLine).filter((text) => text !== ""))], adjustments: [] }),
    read(property) {
      const items = isMapping(property.value)
        ? [property.value]
        : Array.isArray(property.value) && !isNestedLink(property) && property.value;
      if (items === false) return { value: textsOf(property).flatMap(splitLinks) };
      const value = items.flatMap((item) => referenceIn(item, property));
      const style = items.some(isMapping) ? "mapped" : value.some(isLink) ? "linked" : "named";
      const problem = items.length === 0 ? undefined : entryProblem(items, property);
      return { value, habits: style, ...(problem !== undefined && { problem }) };
    },
    write: (value) => ({ value }),
  };
}

/** Unique, in note order; the last is the newest. */
export function daysField<const R extends Row>(row: R): R & ListField {
  return {
    ...row,
    ...LISTED,
    clean: asGiven,
    read(property) {
      const days = textsOf(property).flatMap(
        (text) => readNoteDate(isLink(text) ? bareName(text) : text)?.slice(0, 10) ?? [],
      );
      return days.length === 0 ? {} : { value: [...new Set(days)] };
    },
    write: (value) => ({ value, options: { plain: true } }),
  };
}

/** TaskNotes' entries, each as JSON. */
export function remindersField<const R extends Row>(row: R): R & Field<readonly string[], string, readonly string[]> {
  return {
    ...row,
    ...LISTED,
    clean: (given, { today }) => asGiven(requireReminders(given, today).map((one) => JSON.stringify(one))),
    read(property) {
      const { reminders, problem } = readReminders(property);
      return {
        ...(reminders.length > 0 && { value: reminders.map((one) => JSON.stringify(one)) }),
        ...(problem !== undefined && { problem }),
      };
    },
    write: (value) => ({ value }),
  };
}

/** Written in the note's or vault's form. */
export function minutesField<const R extends Row>(row: R): R & Field<number, string> {
  return {
    ...row,
    shape: "number",
    ...ONE_VALUE,
    inLine: LENGTH,
    fromLine: minutesIn,
    clears: true,
    clean: (given) => ({ value: cleanMinutes(row.argument ?? row.key, given), adjustments: [] }),
    read(property) {
      const text = isEmpty(property) ? "" : (property.text ?? "").trim();
      const value = minutesIn(text.replace(/\.0+$/, ""));
      if (value === undefined) return text === "" ? {} : { problem: "is no length of time (90, 1h30, PT90M)" };
      return { value, habits: estimateStyle(text) };
    },
    write(value, { old, dialect }) {
      if (value === NO_MINUTES) return { value: "" };
      const text = old === undefined || isEmpty(old) ? "" : (old.text?.trim() ?? "");
      const style = text === "" || dialect.isForTaskNotes ? dialect.estimates : estimateStyle(text);
      const minutes = dialect.isStrict ? Math.round(value) : value;
      return { value: style === "units" ? minutesInUnits(minutes) : String(minutes), options: { plain: true } };
    },
  };
}

const NO_RULE = new Set(["none", "never", "null"]);
const MAX_RULE_LENGTH = 500;

/** Stores values other than text as JSON: shown, not understood. */
export function ruleField<const R extends Row>(row: R): R & Field<string> {
  return {
    ...row,
    ...ONE_VALUE,
    inLine: /^[a-zA-Z0-9, !]+$/,
    clears: true,
    clean: (given, { today }) => cleanRule(row.argument ?? row.key, given, today),
    read(property) {
      const rule = ruleIn(property);
      return rule === undefined ? {} : { value: rule, habits: looksLikeRRule(rule) ? "rrule" : "words" };
    },
    write: (value) => ({ value }),
  };
}

export function ruleIn(property: Property): string | undefined {
  if (isEmpty(property) || readFlag(property) === false) return undefined;
  const texts = textsOf(property);
  const text = texts.length > 0 ? texts.join(", ") : JSON.stringify(property.value);
  return text === "null" || NO_RULE.has(normaliseWord(text)) ? undefined : text.slice(0, MAX_RULE_LENGTH);
}
