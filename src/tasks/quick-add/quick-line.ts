/** Reads one line of quick text as a task: days, rules, tags and links are taken from its end, the rest is its title (spec: tasks-2, section 8). */
import type { LocalDate } from "../../clock.js";
import { parseDay } from "../../dates/day-words.js";
import { BRACKETED_FIELD, emojiFieldAtEnd, fieldOfKey, type LineFieldName } from "../line-format/field-signs.js";
import { parseRuleWords } from "../recurrence/rule-words.js";
import type { Priority } from "../task.js";

/** What a quick line says of a task; what it does not say is missing. */
export interface QuickTask {
  readonly title: string;
  readonly due?: LocalDate;
  readonly scheduled?: LocalDate;
  readonly start?: LocalDate;
  /** The rule in words. */
  readonly recurrence?: string;
  readonly priority?: Priority;
  readonly projects: readonly string[];
  readonly tags: readonly string[];
  readonly contexts: readonly string[];
  /** As written: `30m`, `1h30`. */
  readonly timeEstimate?: string;
  readonly blockedBy: readonly string[];
  /** Days that were written in words, as written, by their field. */
  readonly wordsOf: Readonly<Partial<Record<DayField, string>>>;
}

type DayField = "due" | "scheduled" | "start";
type Draft = { -readonly [Key in keyof QuickTask]: QuickTask[Key] } & { tags: string[]; contexts: string[] } & {
  projects: string[];
  blockedBy: string[];
  wordsOf: Partial<Record<DayField, string>>;
};

/** The text without what was read from its end, or undefined where a row finds nothing of its own there. */
type Row = (text: string, draft: Draft, today: LocalDate) => string | undefined;

/** The field that a word before a day names; without a word a day is the due one. */
const DAY_KEYWORDS: ReadonlyMap<string, DayField> = new Map([
  ["due", "due"],
  ["on", "scheduled"],
  ["start", "start"],
]);
const PRIORITY_OF: ReadonlyMap<string, Priority> = new Map([
  ["high", "High"],
  ["highest", "High"],
  ["medium", "Medium"],
  ["low", "Low"],
  ["lowest", "Low"],
]);
/** No day has more words: `the first monday of next month`. */
const MOST_DAY_WORDS = 6;
const MOST_RULE_WORDS = 14;

const ROWS: readonly Row[] = [
  readEmoji,
  readBrackets,
  pattern(/(?:^|\s)!(high|medium|low)$/iu, (draft, word) =>
    assignOnce(draft, "priority", PRIORITY_OF.get(word.toLowerCase())),
  ),
  pattern(
    /(?:^|\s)#([^\s!@#$%^&*(),.?":{}|<>]*[^\s\d!@#$%^&*(),.?":{}|<>/][^\s!@#$%^&*(),.?":{}|<>]*)$/u,
    (draft, tag) => prepend(draft.tags, tag),
  ),
  pattern(/(?:^|\s)@([\p{L}\p{N}][\p{L}\p{N}_/-]*)$/u, (draft, context) => prepend(draft.contexts, context)),
  pattern(/(?:^|\s)\+\[\[([^[\]]+)\]\]$/u, (draft, project) => prepend(draft.projects, project.trim())),
  pattern(/(?:^|\s)\+([\p{L}\p{N}][^\s[\]]*)$/u, (draft, project) => prepend(draft.projects, project)),
  pattern(/(?:^|\s)~(\d+(?:\.\d+)?h(?:\d{1,2}m?)?|\d+m(?:in)?)$/iu, (draft, time) =>
    assignOnce(draft, "timeEstimate", time),
  ),
  pattern(/(?:^|\s)after\s+(\[\[[^[\]]+\]\])$/iu, (draft, link) => prepend(draft.blockedBy, link)),
  readRule,
  readDay,
];

/** @param text one line without list marker and box; what stands in double quotes at its end is title, whatever it says */
export function readQuickLine(text: string, today: LocalDate): QuickTask {
  const draft: Draft = { title: "", projects: [], tags: [], contexts: [], blockedBy: [], wordsOf: {} };
  let rest = text.trim();
  for (let shorter: string | undefined = rest; shorter !== undefined;) {
    rest = shorter;
    shorter = rest.endsWith('"') ? undefined : firstOf(rest, draft, today);
  }
  draft.title = unquoted(rest);
  return draft;
}

function firstOf(text: string, draft: Draft, today: LocalDate): string | undefined {
  for (const row of ROWS) {
    const rest = row(text, draft, today)?.trimEnd();
    if (rest !== undefined) return rest;
  }
  return undefined;
}

/** A row that takes what a pattern finds at the end; `take` answers false for what must stay. */
function pattern(end: RegExp, take: (draft: Draft, word: string) => boolean): Row {
  return (text, draft) => {
    const found = end.exec(text);
    return found !== null && take(draft, found[1] ?? "") ? text.slice(0, found.index) : undefined;
  };
}

function readDay(text: string, draft: Draft, today: LocalDate): string | undefined {
  for (const { words, before } of endings(text, MOST_DAY_WORDS)) {
    const found = parseDay(words, today);
    if (found === undefined) continue;
    const keyword = /(?:^|\s)(due|on|start)$/i.exec(before);
    const field = DAY_KEYWORDS.get(keyword?.[1]?.toLowerCase() ?? "") ?? "due";
    if (!assignOnce(draft, field, found.day)) return undefined;
    if (found.inWords) draft.wordsOf[field] = words;
    return keyword === null ? before : before.slice(0, keyword.index);
  }
  return undefined;
}

function readRule(text: string, draft: Draft): string | undefined {
  for (const { words, before } of endings(text, MOST_RULE_WORDS)) {
    if (!/^every\s/i.test(words) || !parseRuleWords(words).understood) continue;
    return assignOnce(draft, "recurrence", words) ? before : undefined;
  }
  return undefined;
}

/** The last words of a text, most of them first, with what stands before them. */
function* endings(text: string, most: number): Generator<{ readonly words: string; readonly before: string }> {
  const starts = [...text.matchAll(/(?<=^|\s)\S/gu)].map(({ index }) => index).slice(-most);
  for (const start of starts) yield { words: text.slice(start), before: text.slice(0, start).trimEnd() };
}

function readEmoji(text: string, draft: Draft): string | undefined {
  const field = emojiFieldAtEnd(text);
  return field !== undefined && takeField(draft, field.name, field.value) ? text.slice(0, field.start) : undefined;
}

function readBrackets(text: string, draft: Draft): string | undefined {
  const found = BRACKETED_FIELD.exec(text);
  const name = fieldOfKey(found?.[1] ?? found?.[3] ?? "");
  if (found === null || name === undefined) return undefined;
  return takeField(draft, name, found[2] ?? found[4] ?? "") ? text.slice(0, found.index) : undefined;
}

/** The plugins' fields that a new task may have. */
function takeField(draft: Draft, name: LineFieldName, value: string): boolean {
  if (name === "due" || name === "scheduled" || name === "start")
    return assignOnce(draft, name, parseDay(value, value as LocalDate)?.day);
  if (name === "priority") return assignOnce(draft, "priority", PRIORITY_OF.get(value));
  return name === "recurrence" && assignOnce(draft, "recurrence", value);
}

/** Whether the value was taken: what the line says twice stays in the title, where it is seen. */
function assignOnce<Key extends keyof Draft>(draft: Draft, key: Key, value: Draft[Key] | undefined): boolean {
  if (value === undefined || draft[key] !== undefined) return false;
  draft[key] = value;
  return true;
}

/** Read from the end, so that the order of the line comes out. */
function prepend(list: string[], value: string): boolean {
  list.unshift(value);
  return true;
}

/** Quotes that only kept the end from being read are no part of a title. */
function unquoted(title: string): string {
  const inside = /^"([^"]+)"$/.exec(title)?.[1];
  return inside ?? title;
}
