/** TaskNotes' configured words, their meanings, and which is written (docs: tasks, "Fields"). */
import { invalidArgument } from "../../errors.js";
import type { TaskNotesSettings } from "../../obsidian/plugin-settings.js";
import type { CustomPriority, CustomStatus } from "../../obsidian/tasknotes-type.js";
import {
  normaliseWord,
  type Priority,
  PRIORITIES,
  priorityOf,
  SETTABLE_STATUSES,
  type Status,
  statusOf,
} from "./vocabulary.js";

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
export function ownStatusWord(status: Status, used: readonly string[] = [], words: OwnWords): string {
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

export function ownStatusWords(status: Status, words: OwnWords): readonly string[] {
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
export function ownPriorityWord(
  priority: Priority,
  used: readonly string[] = [],
  words: OwnWords,
  isNew: boolean,
): string {
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
