/** How a vault writes its tasks, and which word or style a new value gets so that it looks like the others (docs: tasks, "create_task", "update_task"). */
import {
  type Priority,
  type Status,
  foreignPriorityLike,
  foreignStatusLike,
  normaliseWord,
  priorityOnScale,
} from "./vocabulary.js";

export const LIST_STYLES = ["block", "flow", "comma"] as const;
export type ListStyle = (typeof LIST_STYLES)[number];
export const DATE_STYLES = ["plain", "quoted", "link"] as const;
export type DateStyle = (typeof DATE_STYLES)[number];

export const RULE_STYLES = ["rrule", "words"] as const;
export type RuleStyle = (typeof RULE_STYLES)[number];

/** Plain JSON: it is kept in the catalog's snapshot. Words are as written in the vault, the most used first. */
export interface Dialect {
  /** How many tasks it was learnt from. */
  readonly tasks: number;
  /** Field name to the vault's spelling of its key; a field no task has is missing. */
  readonly keys: Readonly<Record<string, string>>;
  readonly statusWords: Readonly<Partial<Record<Status, readonly string[]>>>;
  readonly priorityWords: Readonly<Partial<Record<Priority, readonly string[]>>>;
  /** What stands between the words of a status: `in-progress`, `in progress`. */
  readonly separator: " " | "-" | "_";
  /** The vault's word for `task` behind a type key. */
  readonly typeWord: string;
  /** What makes most tasks a task: a type key, or a tag. */
  readonly marker: "type" | "tag";
  /** The style of most lists and dates, and that of each field that has any. */
  readonly lists: ListStyle;
  readonly dates: DateStyle;
  readonly fieldLists: Readonly<Record<string, ListStyle>>;
  readonly fieldDates: Readonly<Record<string, DateStyle>>;
  /** Fields whose names are written as wikilinks. */
  readonly linked: readonly string[];
  /** Fields whose entries are mappings with a `uid`. */
  readonly mapped: readonly string[];
  /** How most series say their rule. */
  readonly rules: RuleStyle;
}

/** The style of a vault without tasks. */
export const GREENFIELD: Dialect = {
  tasks: 0,
  keys: {},
  statusWords: {},
  priorityWords: {},
  separator: " ",
  typeWord: "task",
  marker: "type",
  lists: "block",
  dates: "plain",
  fieldLists: {},
  fieldDates: {},
  linked: [],
  mapped: [],
  rules: "rrule",
};

/** Whether something read from a snapshot is a dialect. */
export function isDialect(value: unknown): value is Dialect {
  return typeof value === "object" && value !== null && Object.keys(GREENFIELD).every((key) => key in value);
}

type Letters = "lower" | "upper" | "title" | "none";

/** Most words are plain, and V8 takes long to read the patterns of all scripts. */
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

/**
 * The key of a field: the vault's own; where it has none, ours in the letters of most of the vault's keys (`Created` and `ID`
 * beside `Due Date`). Ours are single words, so how the vault joins words does not matter.
 */
export function keyFor(field: string, ours: string, { keys }: Dialect): string {
  const own = keys[field];
  // A plugin's own key in several words is spelt as the plugin spells it.
  if (own !== undefined || ours.includes("_")) return own ?? ours;
  // Obsidian writes `tags` and plugins write `id` in small letters whatever the user's custom is.
  const models = Object.entries(keys).flatMap(([name, key]) => (name === "tags" || name === "id" ? [] : [key]));
  const most = (keys: readonly string[]): boolean => keys.length * 2 > models.length;
  if (!most(models.filter((key) => /^\p{Lu}/u.test(key)))) return ours;
  const upper = ours === "id" || most(models.filter((key) => key === key.toUpperCase()));
  return upper ? ours.toUpperCase() : ours.charAt(0).toUpperCase() + ours.slice(1);
}

/** The vault's word in the same letters as the value that stands there; failing that its most used one. */
function usedWord(words: readonly string[] | undefined, old: string): string | undefined {
  const letters = lettersOf(old);
  return words?.find((word) => lettersOf(word) === letters) ?? words?.[0];
}

/** The word to write for a status where `old` stands (empty: nothing does). */
export function statusWord(status: Status, old: string, dialect: Dialect): string {
  const words = dialect.statusWords;
  const foreign = foreignStatusLike(status, old.trim() || commonest(words), words[status], allWords(words));
  if (foreign !== undefined) return foreign;
  const used = usedWord(dialect.statusWords[status], old);
  if (used !== undefined) return used;
  if (status === "Cancelled") return "cancelled";
  const model = old.trim() === "" ? commonest(dialect.statusWords) : old.trim();
  if (/^(?:true|false)$/i.test(model) && (status === "Done" || status === "To Do")) {
    return inLetters(status === "Done" ? "true" : "false", lettersOf(model));
  }
  const separator = lettersOf(model) === "none" ? " " : (separatorIn(model) ?? dialect.separator);
  return inLetters(status, lettersOf(model)).replace(" ", separator);
}

/** The word to write for a priority where `old` stands. */
export function priorityWord(priority: Priority, old: string, dialect: Dialect): string {
  const words = dialect.priorityWords;
  const foreign = foreignPriorityLike(priority, old.trim() || commonest(words), words[priority], allWords(words));
  if (foreign !== undefined) return foreign;
  const model = old.trim() === "" ? commonest(words) : old.trim();
  const onScale = priorityOnScale(priority, model);
  if (onScale !== undefined)
    return words[priority]?.find((word) => normaliseWord(word) === normaliseWord(onScale)) ?? onScale;
  return usedWord(words[priority], old) ?? inLetters(priority, lettersOf(model));
}

const allWords = (words: Readonly<Record<string, readonly string[] | undefined>>): string[] =>
  Object.values(words).flatMap((list) => list ?? []);

/** Some word of the vault, to take its style from. */
function commonest(words: Readonly<Record<string, readonly string[] | undefined>>): string {
  return Object.values(words).find((list) => list !== undefined && list.length > 0)?.[0] ?? "";
}

/** What separates the words of a vault's statuses, judged by all its status words with how often each is used. */
export function separatorOf(words: ReadonlyMap<string, number>): Dialect["separator"] {
  const counts = { " ": 0, "-": 0, _: 0 };
  for (const [word, uses] of words) {
    const separator = separatorIn(word);
    if (separator !== undefined) counts[separator] += uses;
  }
  if (counts["-"] > counts[" "] && counts["-"] >= counts._) return "-";
  return counts._ > counts[" "] ? "_" : " ";
}

/** The first that stands between two letters or digits. */
function separatorIn(word: string): Dialect["separator"] | undefined {
  const between = PLAIN.test(word) ? /[A-Za-z0-9]([ _-])[A-Za-z0-9]/ : /[\p{L}\p{N}]([ _-])[\p{L}\p{N}]/u;
  const separator = between.exec(word)?.[1];
  return separator === "-" || separator === "_" || separator === " " ? separator : undefined;
}
