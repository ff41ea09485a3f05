/** The kinds of task fields: how each is read from a property, written in the vault's dialect, and compared. */
import { type Clock, type LocalDate, parseLocalDate } from "../../clock.js";
import { VaultError } from "../../errors.js";
import { readTags, simpleLink } from "../../markdown/links/property-links.js";
import type { NewValue, SetOptions } from "../../markdown/frontmatter/edit.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import { cleanDay, type Cleaned, cleanName, cleanNames, cleanTags, cleanText } from "./cleaning.js";
import { addDays, dayOf, readNoteDate } from "./dates.js";
import type { Dialect } from "./dialect.js";
import { asLink, bareName, firstText, isLink, onOneLine, readFlag, splitLinks, textsOf } from "./property-values.js";
import { remembered } from "../../text/memo.js";

/** What facts remember of a field. */
export type Stored = string | number | boolean | readonly string[];

/** What a property says. */
export interface FieldReading<T extends Stored> {
  /** Undefined: nothing, as an empty value does. */
  readonly value?: T | undefined;
  /** What could not be understood, for the list of problems. */
  readonly problem?: string | undefined;
  /** How it is written, for the dialect: one habit a line. */
  readonly habits?: string | undefined;
}

/** Tells the first sign behind a property's colon on its line, spaces looked past; `""` when there is none. */
export type SignOf = (property: Property) => string;

/** Where a value is to be written. */
export interface ValuePlace {
  /** What stands there; undefined for a new key. */
  readonly old: Property | undefined;
  /** The field's name, for habits kept by field. */
  readonly field: string;
  readonly dialect: Dialect;
  readonly clock: Pick<Clock, "dayOf">;
}

export interface Written {
  readonly value: NewValue;
  readonly options?: SetOptions;
}

/** How a tool describes an argument: a piece of JSON Schema. */
export type ArgumentSchema = Readonly<Record<string, unknown>> & { readonly type: string };

/** How an answer names a field. */
export interface Shown {
  readonly label: string;
  readonly description: string;
}

/** What a field's value is to an answer. */
export type Shape = "text" | "number" | "list";

/** How a checkbox line says a field: the Tasks plugin's emoji, and Dataview's `[key:: value]`. */
export interface LineSign {
  /** The first is written, all are read; none where brackets alone say it. */
  readonly emoji: readonly string[];
  readonly key: string;
}

/** What is written down of a field; its kind adds how it is read and written. */
export interface Row {
  /** Spellings of the key, normalised, canonical first. */
  readonly spellings: readonly string[];
  /** The key in a vault that has no custom of its own. */
  readonly key: string;
  /** The property of `Task` that tells it; fields without one are told as part of something else, or not. */
  readonly property?: string;
  /** How search_tasks describes its filter, which takes a day or a range; without it there is none. */
  readonly filter?: string;
  /** How a checkbox line says it; without one a line cannot. */
  readonly sign?: LineSign;
  /** How answers name it; what they name for itself has no such row. */
  readonly shown?: Shown;
  /** What callers name it; undefined: no caller sets it. */
  readonly argument?: string;
  /** Without an argument of its own, whether callers may set it among the other properties. */
  readonly open?: true;
  /** How the tool that makes tasks describes the argument, and the one that changes them; undefined: it does not take it. */
  readonly create?: ArgumentSchema;
  readonly update?: ArgumentSchema;
  /** Of rows that share a spelling: whether this one takes the property. Default: yes. */
  claims?(property: Property): boolean;
}

/** What making a value clean depends on besides the value. */
export interface CleanContext {
  /** Days in words count from it. */
  readonly today: LocalDate;
}

/** A row of the field table; `T` is what is remembered and written, `G` what callers give, `V` what a task tells. */
export interface Field<T extends Stored, G = T, V = T | undefined> extends Row {
  /** Makes a caller's value fit to be written. @throws VaultError INVALID_ARGUMENT */
  clean(given: G, context: CleanContext): Cleaned<T>;
  /** @param signOf the first sign that is seen behind a property's colon on its line; without it, styles that only this tells are the plain ones */
  read(property: Property, signOf?: SignOf): FieldReading<T>;
  write(value: T, place: ValuePlace): Written;
  /** Whether a note that says `stored` says `wanted` already. */
  same(stored: T | undefined, wanted: T, clock: Pick<Clock, "dayOf">): boolean;
  /** Default: text. */
  readonly shape?: Shape;
  /** What may stand behind the sign of a line, the whole of it. */
  readonly inLine?: RegExp;
  /** The value that a line's text says, as a task tells it; undefined: none. Default: the text. */
  fromLine?(text: string): V | undefined;
  /** What the task's property holds. */
  tell(stored: T | undefined, clock: Pick<Clock, "dayOf">): V;
}

/** A day as a line writes it. */
export const DAY_IN_LINE = /^\d{4}-\d{2}-\d{2}$/;
/** Names without spaces, with commas between them. */
export const NAMES_IN_LINE = /^[\w-]+(?: *, *[\w-]+)*$/;
export const namesInLine = (text: string): readonly string[] => text.split(/ *, */);

export const asRemembered = <T>(stored: T): T => stored;
const NO_NAMES: readonly string[] = [];
export const listRemembered = (stored: readonly string[] = NO_NAMES): readonly string[] => stored;

export function asGiven<T>(value: T): Cleaned<T> {
  return { value, adjustments: [] };
}

/** Words kept as they are: a title, an id. */
export function textField<const R extends Row>(row: R): R & Field<string> {
  return {
    ...row,
    tell: asRemembered,
    clean: (given) => cleanText(row.argument ?? row.key, given),
    read: (property) => ({ value: onOneLine(property.text ?? "") || undefined }),
    write: (value) => ({ value }),
    same: (stored, wanted) => stored === wanted,
  };
}

/** A word of a vocabulary, remembered as the note has it, written as the vault would. */
export function wordField<Meaning extends string, const R extends Row, Given extends string = Meaning>(
  row: R,
  words: {
    meaningOf(raw: string): Meaning | undefined;
    wordFor(meaning: Meaning, old: string, dialect: Dialect): string;
    /** What is said of a word without meaning. */
    unknown?(raw: string): string;
    /** What callers may give; default: every meaning. */
    settable?: readonly Given[];
  },
): R & Field<string, Given> {
  const readWord = remembered((word: string): FieldReading<string> => {
    const value = bareName(word) || word;
    return { value, problem: words.meaningOf(value) === undefined ? words.unknown?.(value) : undefined };
  });
  const read = (property: Property): FieldReading<string> => {
    const raw = firstText(property);
    // A blank in quotes is a checkbox state; `oneLine` would have taken it for nothing.
    const word = raw ?? (property.text === " " ? " " : undefined);
    if (word !== undefined) return readWord(word);
    return isEmpty(property) ? {} : { problem: "is neither a word nor a list of words" };
  };
  return {
    ...row,
    tell: asRemembered,
    clean(given) {
      const meaning = words.meaningOf(given);
      if (meaning !== undefined) return asGiven(meaning);
      const name = row.argument ?? row.key;
      throw new VaultError("INVALID_ARGUMENT", `${name} ${JSON.stringify(given.slice(0, 40))} is not known.`, {
        hint: `See the description of ${name} for the words it takes.`,
      });
    },
    read,
    write(value, { old, dialect }) {
      const meaning = words.meaningOf(value);
      const before = old === undefined ? "" : (read(old).value ?? "");
      const word = meaning === undefined ? value : words.wordFor(meaning, before, dialect);
      return { value: Array.isArray(old?.value) ? [word] : word, options: { plain: true } };
    },
    same: (stored, wanted) => stored !== undefined && words.meaningOf(stored) === words.meaningOf(wanted),
  };
}

/** A calendar day. */
export function dateField<const R extends Row>(row: R): R & Field<string, string, LocalDate | undefined> {
  return {
    ...row,
    clean: (given, { today }) => cleanDay(row.argument ?? row.key, given, today),
    tell: (stored, clock) => (stored === undefined ? undefined : dayOf(stored, clock)),
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
      const style = raw === undefined ? (dialect.fieldDates[field] ?? dialect.dates) : isLink(raw) ? "link" : "plain";
      const bare = raw === undefined ? "" : isLink(raw) ? bareName(raw) : raw;
      const text = withClock(value, bare, clock);
      if (style === "link") return { value: `[[${text}]]` };
      return { value: text, options: { plain: style === "plain" } };
    },
    same: (stored, wanted, clock) => stored !== undefined && dayOf(stored, clock) === wanted,
  };
}

/** A day with the clock digits and the suffix of the date-time that stands there, so that it is that day to its reader. */
function withClock(day: string, old: string, clock: Pick<Clock, "dayOf">): string {
  const rest = /^\d{4}-\d{2}-\d{2}([Tt ]\s*\d.*)$/.exec(old.trim())?.[1];
  if (day.length > 10 || rest === undefined || readNoteDate(old) === undefined) return day;
  // An instant may fall on another day than its digits say.
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

/** The name of one other note: `Work`, `"[[Work]]"`, `[[Work]]`. */
export function nameField<const R extends Row>(row: R): R & Field<string> {
  return {
    ...row,
    tell: asRemembered,
    clean: (given) => ({ value: cleanName(row.argument ?? row.key, given), adjustments: [] }),
    read(property) {
      const raw = firstText(property);
      return raw === undefined ? {} : readName(raw);
    },
    write(value, place) {
      const name = styledName(value, place);
      return { value: Array.isArray(place.old?.value) && !isNestedLink(place.old) ? [name] : name };
    },
    same: (stored, wanted) => stored === wanted,
  };
}

const NO_PARTS: readonly string[] = [];

/** The names of other notes. */
export function namesField<const R extends Row>(
  row: R,
): R & Field<readonly string[], readonly string[], readonly string[]> {
  return {
    ...row,
    shape: "list",
    tell: listRemembered,
    inLine: NAMES_IN_LINE,
    fromLine: namesInLine,
    clean: (given) => ({ value: cleanNames(row.argument ?? row.key, given), adjustments: [] }),
    read(property, signOf) {
      const texts = textsOf(property);
      if (texts.length === 0) return {};
      const simple = texts.length === 1 ? simpleLink(texts[0] ?? "") : undefined;
      const parts = simple === undefined ? texts.flatMap(splitLinks) : NO_PARTS;
      const style = simple !== undefined || parts.some(isLink) ? "linked" : "named";
      const isList = Array.isArray(property.value) && !isNestedLink(property);
      return {
        value: simple === undefined ? [...new Set(parts.map(bareName))] : [simple],
        habits: isList ? `${style}\n${listHabit(property, signOf)}` : style,
      };
    },
    write(values, place) {
      const names = values.map((value) => styledName(value, place));
      const scalar = place.old !== undefined && !Array.isArray(place.old.value);
      if (scalar && names.length <= 1) return { value: names[0] ?? "" };
      // A name may hold a comma, so names are never joined by commas.
      return {
        value: names,
        options: {
          listStyle: (place.dialect.fieldLists[place.field] ?? place.dialect.lists) === "flow" ? "flow" : "block",
        },
      };
    },
    same: (stored = [], wanted) => sameItems(stored, wanted),
  };
}

/** Tags, read in scalar, list and comma form, without `#`. */
export function tagsField<const R extends Row>(
  row: R,
): R & Field<readonly string[], readonly string[], readonly string[]> {
  return {
    ...row,
    tell: listRemembered,
    inLine: NAMES_IN_LINE,
    fromLine: namesInLine,
    clean: cleanTags,
    read(property, signOf) {
      const value = readTags(property.value, property.text).map(onOneLine);
      if (value.length === 0) return {};
      return { value, habits: listHabit(property, signOf) };
    },
    write(value, { old, field, dialect }) {
      const scalar = old !== undefined && !isEmpty(old) && !Array.isArray(old.value);
      return { value, options: { listStyle: scalar ? "comma" : (dialect.fieldLists[field] ?? dialect.lists) } };
    },
    same: (stored = [], wanted) => sameItems(stored, wanted),
  };
}

/** Yes or no. */
export function flagField<const R extends Row>(row: R): R & Field<boolean> {
  return {
    ...row,
    tell: asRemembered,
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

/** Whether a property has no value at all (`key:`, `key: ""`, `key: []`). */
export function isEmpty(property: Property): boolean {
  return Array.isArray(property.value) ? property.value.length === 0 : property.text?.trim() === "";
}

export function isNestedLink(property: Property): boolean {
  return Array.isArray(property.value) && property.value.length === 1 && Array.isArray(property.value[0]);
}

function styledName(name: string, { old, field, dialect }: ValuePlace): string {
  const before = old && firstText(old);
  const linked = before === undefined ? dialect.linked.includes(field) : isLink(splitLinks(before)[0] ?? "");
  return linked && name !== "" ? asLink(name) : name;
}

export function sameItems(stored: readonly string[], wanted: readonly string[]): boolean {
  return stored.length === wanted.length && stored.every((item, index) => item === wanted[index]);
}
