/** How a vault writes tasks, and which word or style a new value gets (docs: tasks, "create_task", "update_task"). */
import {
  type Priority,
  type Status,
  foreignPriorityLike,
  foreignStatusLike,
  languagesOf,
  normaliseWord,
  priorityOnScale,
} from "./vocabulary.js";
import { ownPriorityWord, ownStatusWord, ownStatusWords, type OwnWords } from "./own-words.js";

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
