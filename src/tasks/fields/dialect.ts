/**
 * How a vault writes tasks, and which word or style a new value gets; TaskNotes' own words (docs: tasks, "Fields",
 * "create_task", "update_task").
 */
import {
  foreignPriorityLike,
  foreignStatusLike,
  languagesOf,
  normaliseWord,
  PRIORITIES,
  type Priority,
  priorityOf,
  priorityOnScale,
  SETTABLE_STATUSES,
  type Status,
  statusOf,
} from "./vocabulary.js";
import { invalidArgument } from "../../errors.js";
import type { TaskNotesSettings } from "../../obsidian/plugin-settings.js";
import type { CustomPriority, CustomStatus } from "../../obsidian/tasknotes-type.js";

export type OwnWords = Pick<
  TaskNotesSettings,
  "statuses" | "priorities" | "defaultStatus" | "defaultPriority" | "defaultSkipped"
>;

interface Listed {
  readonly value: string;
  readonly label: string;
}

const isSame = (a: string, b: string): boolean => normaliseWord(a) === normaliseWord(b);

/** By the value without its ordering number, else by the label. */
function byVocabulary<Meaning>(
  { value, label }: Listed,
  meaningOf: (word: string) => Meaning | undefined,
): Meaning | undefined {
  return meaningOf(value) ?? meaningOf(value.replace(/^\d+[\s._-]*/, "")) ?? meaningOf(label);
}

type StatusWords = Pick<OwnWords, "statuses" | "defaultStatus">;

const openIn = ({ statuses }: StatusWords): readonly CustomStatus[] =>
  statuses.filter(({ isCompleted, isSkipped }) => !isCompleted && !isSkipped);

/** A default such as `active` means To Do where no other word does. */
function openMeaning(listed: Listed, words: StatusWords): Status | undefined {
  const meaning = byVocabulary(listed, statusOf);
  if (meaning !== "In Progress" || !isSame(listed.value, words.defaultStatus)) return meaning;
  return openIn(words).some((one) => byVocabulary(one, statusOf) === "To Do") ? meaning : "To Do";
}

/** By value or label, as TaskNotes; prefers the exact spelling. */
function listedAs<One extends Listed>(word: string, list: readonly One[]): One | undefined {
  const found = (fits: (text: string, word: string) => boolean): One | undefined => {
    const labelled = list.filter(({ label }) => label !== "" && fits(label, word));
    return list.find(({ value }) => fits(value, word)) ?? (labelled.length === 1 ? labelled[0] : undefined);
  };
  return found((text) => text === word) ?? found(isSame);
}

/** A listed word that is neither completed nor skipped is open. */
export function ownStatusOf(word: string, words: StatusWords): string | undefined {
  const listed = listedAs(word, words.statuses);
  if (listed === undefined) return undefined;
  if (listed.isCompleted) return "Done";
  if (listed.isSkipped) return "Cancelled";
  const known = openMeaning(listed, words);
  if (known !== undefined && !isMarked(known)) return known;
  return isMarked(word) ? word.toLowerCase() : word;
}

/**
 * @param used most used first
 * @throws INVALID_ARGUMENT when no word has this meaning
 */
function ownStatusWord(status: Status, used: readonly string[] = [], words: OwnWords): string {
  const found = ownStatusWords(status, words);
  const usual = { "To Do": words.defaultStatus, Cancelled: words.defaultSkipped }[status as string] ?? "";
  const standard = words.statuses.find(
    ({ value, isCompleted, isSkipped }) => isSame(value, usual) && !isCompleted && isSkipped === isMarked(status),
  );
  const own = isMarked(status) ? undefined : sameIn(found, status);
  const word = mostUsed(found, used) ?? standard?.value ?? own ?? found[0];
  if (word !== undefined) return word;
  const meant = SETTABLE_STATUSES.filter((one) => ownStatusWords(one, words).length > 0);
  throw invalidArgument(
    `No status of this vault means ${status}. Its statuses: ${words.statuses.map(({ value }) => value).join(", ")}.`,
    `TaskNotes lists them in its settings. Give ${meant.join(", ")}.`,
  );
}

const sameIn = (found: readonly string[], word: string): string | undefined =>
  found.find((value) => isSame(value, word));

const mostUsed = (found: readonly string[], used: readonly string[]): string | undefined =>
  used.map((one) => sameIn(found, one)).find((value) => value !== undefined);

/** TaskNotes itself marks the words for these. */
const isMarked = (status: string): boolean => status === "Done" || status === "Cancelled";

function ownStatusWords(status: Status, words: OwnWords): readonly string[] {
  const marked = words.statuses.filter(({ isCompleted, isSkipped }) =>
    status === "Done" ? isCompleted : status === "Cancelled" && isSkipped,
  );
  if (marked.length > 0 || isMarked(status)) return marked.map(({ value }) => value);
  const open = openIn(words);
  const found = open.filter((one) => openMeaning(one, words) === status).map(({ value }) => value);
  if (found.length > 0 || status !== "To Do") return found;
  return open.filter(({ value }) => isSame(value, words.defaultStatus)).map(({ value }) => value);
}

export function ownMeaning(name: string, word: string, words: OwnWords): string | undefined {
  if (name === "status") return ownStatusOf(word, words);
  return name === "priority" ? ownPriorityOf(word, words) : undefined;
}

export function ownPriorityOf(word: string, { priorities, ...others }: OwnWords): Priority | undefined {
  const listed = listedAs(word, priorities);
  if (listed === undefined) return undefined;
  const known = byVocabulary(listed, priorityOf);
  const words = { priorities, ...others };
  return known ?? PRIORITIES.find((one) => isSame(wordMeaning(one, [], words) ?? "", listed.value)) ?? "Medium";
}

/**
 * Empty for Medium if no word means it.
 * @param isNew uses TaskNotes' default, whatever it means
 * @throws INVALID_ARGUMENT when no word has this meaning
 */
function ownPriorityWord(priority: Priority, used: readonly string[] = [], words: OwnWords, isNew: boolean): string {
  const word = wordMeaning(priority, used, words, isNew);
  if (word !== undefined || priority === "Medium") return word ?? "";
  const listed = words.priorities.map(({ value }) => value).join(", ");
  throw invalidArgument(
    `No priority of this vault means ${priority}. Its priorities: ${listed}.`,
    "TaskNotes lists them in its settings. Give another priority, or leave it out.",
  );
}

function wordMeaning(
  priority: Priority,
  used: readonly string[],
  { priorities, defaultPriority }: OwnWords,
  isNew = false,
): string | undefined {
  const ranked = priorities.filter((one) => !isNone(one)).toSorted((a, b) => b.weight - a.weight);
  const found = ranked.filter((one) => byVocabulary(one, priorityOf) === priority).map(({ value }) => value);
  const own = mostUsed(found, used) ?? sameIn(found, priority) ?? found[0];
  if (own !== undefined) return own;
  const isFree = (one: CustomPriority): boolean => byVocabulary(one, priorityOf) === undefined;
  const inner = ranked.slice(1, -1).filter(isFree);
  const middle = inner[Math.floor((inner.length - 1) / 2)];
  const standard = priorities.find(({ value }) => isSame(value, defaultPriority));
  const isMiddle = standard !== undefined && (isNew || (isFree(standard) && standard !== ranked[0]));
  if (priority === "Medium") return (isMiddle ? standard : middle)?.value;
  const end = priority === "High" ? ranked[0] : ranked.at(-1);
  return end && isFree(end) ? end.value : undefined;
}

const isNone = (one: CustomPriority): boolean =>
  [one.value.replace(/^\d+[\s._-]*/, ""), one.label].some((word) => isSame(word, "none"));

const YES_AND_NO: readonly CustomStatus[] = [
  { value: "false", label: "", isCompleted: false, isSkipped: false },
  { value: "true", label: "", isCompleted: true, isSkipped: false },
];

/**
 * Undefined if TaskNotes defines no words.
 * @param isFlag the status is a checkbox
 */
export function ownWords(settings: TaskNotesSettings, isFlag: boolean): OwnWords | undefined {
  const { statuses, priorities, defaultStatus, defaultPriority, defaultSkipped } = settings;
  const flags = isFlag && settings.fieldMapping.has("status") ? YES_AND_NO : statuses;
  if (flags.length === 0 && priorities.length === 0) return undefined;
  return { statuses: flags, priorities, defaultStatus, defaultPriority, defaultSkipped };
}

export const LIST_STYLES = ["block", "flow", "comma"] as const;
type ListStyle = (typeof LIST_STYLES)[number];
export const DATE_STYLES = ["plain", "quoted", "link"] as const;
type DateStyle = (typeof DATE_STYLES)[number];

export const RULE_STYLES = ["rrule", "words"] as const;
export type RuleStyle = (typeof RULE_STYLES)[number];

export const ESTIMATE_STYLES = ["minutes", "units"] as const;
export type EstimateStyle = (typeof ESTIMATE_STYLES)[number];

/** In the vault's words, most used first. */
export interface Dialect {
  readonly tasks: number;
  readonly keys: Readonly<Record<string, string>>;
  readonly statusWords: Readonly<Partial<Record<Status, readonly string[]>>>;
  readonly priorityWords: Readonly<Partial<Record<Priority, readonly string[]>>>;
  readonly separator: " " | "-" | "_";
  readonly typeWord: string;
  /** All keys for types, and all words that mark a task. */
  readonly types: { readonly keys: readonly string[]; readonly words: readonly string[] };
  readonly marker: "type" | "tag";
  readonly lists: ListStyle;
  readonly dates: DateStyle;
  readonly fieldLists: Readonly<Record<string, ListStyle>>;
  readonly fieldDates: Readonly<Record<string, DateStyle>>;
  /** Fields that write names as wikilinks. */
  readonly linked: readonly string[];
  /** Fields whose entries are mappings with a `uid`. */
  readonly mapped: readonly string[];
  readonly rules: RuleStyle;
  readonly estimates: EstimateStyle;
  readonly datesDone: boolean;
  /** Fields with several keys, and the uses of each. */
  readonly mixed: readonly { readonly field: string; readonly keys: readonly (readonly [string, number])[] }[];
  /** A schema fixes the forms of values, existing ones included. */
  readonly isStrict?: true;
  /** TaskNotes takes `a, b` for one tag, and reads lengths of time only in minutes. */
  readonly isForTaskNotes?: true;
  /** TaskNotes' words, preferred to the vault's. */
  readonly own?: OwnWords | undefined;
}

/** Most used first. */
export interface UsedNames {
  readonly areas: readonly string[];
  readonly projects: readonly string[];
}

export const GREENFIELD: Dialect = {
  tasks: 0,
  keys: {},
  statusWords: {},
  priorityWords: {},
  separator: " ",
  typeWord: "task",
  types: { keys: [], words: ["task"] },
  marker: "type",
  lists: "block",
  dates: "plain",
  fieldLists: {},
  fieldDates: {},
  linked: [],
  mapped: [],
  rules: "rrule",
  estimates: "minutes",
  datesDone: false,
  mixed: [],
};

type Letters = "lower" | "upper" | "title" | "none";

/** Patterns for all scripts compile slowly. */
const PLAIN = /^[\x20-\x7e]*$/;

function lettersOf(word: string): Letters {
  const letters = PLAIN.test(word) ? word.replace(/[^A-Za-z]/g, "") : word.replace(/[^\p{L}]/gu, "");
  if (letters.length < 2 || letters.toLowerCase() === letters.toUpperCase()) return "none";
  if (letters === letters.toLowerCase()) return "lower";
  return letters === letters.toUpperCase() ? "upper" : "title";
}

function inLetters(word: string, letters: Letters): string {
  if (letters === "lower") return word.toLowerCase();
  return letters === "upper" ? word.toUpperCase() : word;
}

/** The vault's key, else ours in the letter case of most keys. */
export function keyFor(field: string, ours: string, { keys }: Dialect): string {
  const own = keys[field];
  // Plugins fix the spelling of keys with `_`.
  if (own !== undefined || ours.includes("_")) return own ?? ours;
  // Always written in lower case.
  const models = Object.entries(keys).flatMap(([name, key]) => (name === "tags" || name === "id" ? [] : [key]));
  const most = (keys: readonly string[]): boolean => keys.length * 2 > models.length;
  if (!most(models.filter((key) => /^\p{Lu}/u.test(key)))) return ours;
  const upper = ours === "id" || most(models.filter((key) => key === key.toUpperCase()));
  return upper ? ours.toUpperCase() : ours.charAt(0).toUpperCase() + ours.slice(1);
}

/** The vault's words with this meaning, and those that would be written. */
export function statusWords(status: Status, dialect: Dialect): readonly string[] {
  const { statusWords: words, own } = dialect;
  if (own !== undefined && own.statuses.length > 0)
    return [...new Set([...(words[status] ?? []), ...ownStatusWords(status, own)])];
  const { Done: _done, Cancelled: _cancelled, ...open } = words;
  const written = ["", ...Object.values(open).flat()].map((old) => statusWord(status, old, dialect));
  return [...new Set([...(words[status] ?? []), ...written])];
}

function usedWord(words: readonly string[] | undefined, old: string): string | undefined {
  if (old.trim() === "") return words?.[0];
  const letters = lettersOf(old);
  return words?.find((word) => lettersOf(word) === letters) ?? words?.[0];
}

/** @throws INVALID_ARGUMENT when TaskNotes has no word for it */
export function statusWord(status: Status, old: string, dialect: Dialect): string {
  const words = dialect.statusWords;
  if (dialect.own !== undefined && dialect.own.statuses.length > 0)
    return ownStatusWord(status, words[status], dialect.own);
  const foreign = foreignStatusLike(status, old.trim() || commonest(words), words[status], allWords(words));
  if (foreign !== undefined) return foreign;
  const model = old.trim() === "" ? commonest(words) : old.trim();
  const used = usedWord(withoutTranslations(words[status], words), old);
  if (used !== undefined) return used;
  if (status === "Cancelled") return "cancelled";
  if (/^(?:true|false)$/i.test(model) && (status === "Done" || status === "To Do")) {
    return inLetters(status === "Done" ? "true" : "false", lettersOf(model));
  }
  const separator = lettersOf(model) === "none" ? " " : (separatorIn(model) ?? dialect.separator);
  return inLetters(status, lettersOf(model)).replace(" ", separator);
}

export function priorityWord(priority: Priority, old: string, dialect: Dialect): string {
  const words = dialect.priorityWords;
  if (dialect.own !== undefined && dialect.own.priorities.length > 0)
    return ownPriorityWord(priority, words[priority], dialect.own, old === "");
  const foreign = foreignPriorityLike(priority, old.trim() || commonest(words), words[priority], allWords(words));
  if (foreign !== undefined) return foreign;
  const model = old.trim() === "" ? commonest(words) : old.trim();
  const onScale = priorityOnScale(priority, model);
  if (onScale !== undefined)
    return words[priority]?.find((word) => normaliseWord(word) === normaliseWord(onScale)) ?? onScale;
  const used = usedWord(withoutTranslations(words[priority], words), old);
  return used ?? inLetters(priority, lettersOf(model));
}

/** Drops words of another language than most. */
function withoutTranslations(words: readonly string[] = [], all: WordsByMeaning): readonly string[] {
  const isEnglish = (word: string): boolean => /\p{L}{2}/u.test(word) && languagesOf(word).length === 0;
  const lists = Object.values(all).filter((list) => list?.some(isEnglish));
  const others = new Set(lists.flatMap((list) => list?.flatMap(languagesOf) ?? []));
  return words.filter((word) => !languagesOf(word).some((language) => others.has(language)));
}

type WordsByMeaning = Readonly<Record<string, readonly string[] | undefined>>;

const allWords = (words: WordsByMeaning): string[] => Object.values(words).flatMap((list) => list ?? []);

function commonest(words: WordsByMeaning): string {
  return Object.values(words).find((list) => list !== undefined && list.length > 0)?.[0] ?? "";
}

export function separatorOf(words: ReadonlyMap<string, number>): Dialect["separator"] {
  const counts = { " ": 0, "-": 0, _: 0 };
  for (const [word, uses] of words) {
    const separator = separatorIn(word);
    if (separator !== undefined) counts[separator] += uses;
  }
  if (counts["-"] > counts[" "] && counts["-"] >= counts._) return "-";
  return counts._ > counts[" "] ? "_" : " ";
}

function separatorIn(word: string): Dialect["separator"] | undefined {
  const between = PLAIN.test(word) ? /[A-Za-z0-9]([ _-])[A-Za-z0-9]/ : /[\p{L}\p{N}]([ _-])[\p{L}\p{N}]/u;
  const separator = between.exec(word)?.[1];
  return separator === "-" || separator === "_" || separator === " " ? separator : undefined;
}
