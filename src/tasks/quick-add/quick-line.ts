/** Parses one line of quick text from the end (docs: tasks, "Making"). */
import type { LocalDate } from "../../clock.js";
import { fieldBeforeDay, isOnlyDay, parseDay, readingsOfDay } from "../../dates/read-day.js";
import type { DayField } from "../../dates/other-languages.js";
import { fieldOfKey, type LineFieldName, readSign, signsIn } from "../line-format/field-signs.js";
import { BRACKETS } from "../line-format/task-line.js";
import { parseRuleWords } from "../recurrence/rule-words.js";
import { parseReminders } from "../fields/reminders.js";
import { type Priority, priorityOf, type Status } from "../fields/vocabulary.js";
import {
  beginningOf,
  CLOCK_TIME,
  endings,
  firstDay,
  isDayLike,
  isPartOfPhrase,
  masked,
  MAX_RULE_WORDS,
  reasonOfNoDay,
  type LinePart,
  RULE_LIKE,
  ruleAtEnd,
  unmasked,
} from "./line-ends.js";

export interface QuickTask {
  readonly title: string;
  /** The title without `unread`, for the file name. */
  readonly name: string;
  readonly due?: LocalDate;
  readonly scheduled?: LocalDate;
  readonly start?: LocalDate;
  readonly created?: LocalDate;
  readonly completed?: LocalDate;
  /** Of its box; undefined: To Do. */
  readonly status?: Status;
  readonly recurrence?: string;
  readonly priority?: Priority;
  readonly projects: readonly string[];
  readonly tags: readonly string[];
  readonly contexts: readonly string[];
  /** As written. */
  readonly timeEstimate?: string;
  readonly blockedBy: readonly string[];
  /** As written, without `remind`. */
  readonly reminders?: string;
  readonly wordsOf: Readonly<Partial<Record<DayField, string>>>;
  readonly unread: readonly Unread[];
  readonly read: readonly ReadField[];
}

interface Unread extends LinePart {
  readonly text: string;
  readonly reason: string;
}

interface ReadField extends LinePart {
  readonly field: string;
  readonly value: string;
}

export interface QuickContext {
  readonly today: LocalDate;
  readonly isProject?: (name: string) => boolean;
}

type ListField = "tags" | "contexts" | "projects" | "blockedBy";
type Draft = { -readonly [Key in keyof QuickTask]: QuickTask[Key] } & Record<ListField, string[]> & {
    unread: Unread[];
    wordsOf: Partial<Record<DayField, string>>;
    read: ReadField[];
    taken?: { readonly field: string; readonly value: string };
    /** At the end of the text just read; they stay in the title. */
    kept: number;
  };

/** Returns the text before what it read, or undefined. */
type Row = (text: string, draft: Draft, context: QuickContext) => string | undefined;

const MAX_DAY_WORDS = 7;
const MAX_REMIND_WORDS = 30;

const ROWS: readonly Row[] = [
  readRemind,
  pattern(/(?:^|\s)!(?:(\p{L}{2,}|p?\d)|(!!?))$/iu, (draft, word) =>
    assignOnce(draft, "priority", priorityOf(word.startsWith("!") ? `!${word}` : word)),
  ),
  pattern(/(?:^|\s)(p[0-4])$/u, (draft, word) => assignOnce(draft, "priority", priorityOf(word))),
  pattern(/(?:^|\s)pri(?:o|ority)?:(\S+)$/iu, (draft, word) => assignOnce(draft, "priority", priorityOf(word))),
  pattern(
    /(?:^|\s)#([^\s!@#$%^&*(),.?":{}|<>]*[^\s\d!@#$%^&*(),.?":{}|<>/][^\s!@#$%^&*(),.?":{}|<>]*)$/u,
    (draft, tag) => prepend(draft, "tags", tag),
  ),
  pattern(/(?:^|\s)@(\p{L}[\p{L}\p{N}_/-]*)$/u, (draft, context) => prepend(draft, "contexts", context)),
  pattern(/(?:^|\s)\+(?:\[\[([^[\]]+)\]\]|"([^"]*[^"\s][^"]*)")$/u, (draft, name) => prepend(draft, "projects", name)),
  pattern(/(?:^|\s)~(\d+(?:\.\d+)?h(?:\d{1,2}m?)?|\d+m(?:in)?)$/iu, (draft, time) =>
    assignOnce(draft, "timeEstimate", time),
  ),
  pattern(/(?:^|\s)after\s+(\[\[[^[\]]+\]\])$/iu, (draft, link) => prepend(draft, "blockedBy", link)),
  beforeClock(readRule),
  beforeClock(readDay),
];

/** Digits after `#` or `@` are no sign. */
const SIGN_LIKE: readonly (readonly [pattern: RegExp, forms: string])[] = [
  [/^!(?:\p{L}\S*|\d|!+)$/u, "priorities: high, medium, low"],
  [/^(?:p\d|pri(?:o|ority)?:\S+)$/u, "priorities: !high, !medium, !low"],
  [/^t:\S*\d/iu, "write starting 2026-12-05"],
  [/^(?:(on|by):\S*\d|(due|scheduled|start):.|[<[(]?\d{4}-\d+-\d)/iu, "a past day or none; write due 2026-12-05"],
  [/^(?:rec|recur|repeat):./iu, "write every 2 weeks"],
  [/^#(?=\S*\p{L})\S+$/u, "tags: letters, digits, - _ /"],
  [/^@\p{L}\S*$/u, "contexts: @home"],
  [/^\+(?:\p{L}\S*|".*|\[\[.*)$/u, 'projects: +Name, +"Two words", +[[Link]]'],
  [/^~\d\S*$/u, "estimates: ~30m, ~1h30"],
];
/** Ends a sentence, then the title, unless that is empty or already ends with one. */
const STOP = /(?<=[\p{L}\p{N})])\s*[.!]+$/u;
const AT_END = "it counts at the line's end only";
const TWICE = "the line has one already";

/** @param text without list marker and box; quoted text is title */
export function readQuickLine(text: string, context: QuickContext): QuickTask {
  const draft: Draft = {
    title: "",
    name: "",
    projects: [],
    tags: [],
    contexts: [],
    blockedBy: [],
    wordsOf: {},
    unread: [],
    read: [],
    kept: 0,
  };
  let line = readFields(readBeginning(text, draft, context), draft);
  const given = draft.start;
  let rest = line.trimEnd();
  const whole = firstOf(rest, draft, context);
  const stop = whole === undefined ? (STOP.exec(rest)?.[0] ?? "") : "";
  let before = stop === "" ? whole : firstOf(rest.slice(0, -stop.length), draft, context);
  const isStopped = stop !== "" && before !== undefined;
  if (isStopped) draft.kept += stop.length;
  for (; ; before = firstOf(rest, draft, context)) {
    const to = rest.length - draft.kept;
    const read = before === undefined ? readBareProject(rest, draft, context) : { from: before.length, to };
    if (read !== undefined) {
      draft.kept = 0;
      line = taken(line, read, draft);
      rest = line.slice(0, read.from).trimEnd();
      continue;
    }
    // Unreadable signs stay in the title.
    const last = /(?:^|\s)(\S+)$/u.exec(rest);
    if (last === null || !SIGN_LIKE.some(([like]) => like.test(last[1] ?? ""))) break;
    rest = rest.slice(0, last.index).trimEnd();
  }
  if (given === undefined) addFirstDay(draft, context.today);
  const words = unmasked(line);
  draft.title = unquoted(isStopped ? words.slice(0, -stop.length).trimEnd() : words);
  if (isStopped && !/(?:^|[.!])$/.test(draft.title)) draft.title += stop;
  draft.unread = unreadIn(line, draft, context);
  draft.read.sort((a, b) => a.from - b.from);
  const { taken: _, kept: _0, ...task } = draft;
  const name = draft.unread.reduce((left, { text: part }) => left.replace(part, " "), draft.title);
  return { ...task, name: name.replace(/\s+/g, " ").trim() || draft.title };
}

function firstOf(text: string, draft: Draft, context: QuickContext): string | undefined {
  if (text.endsWith('"') && !/(?:^|\s)\+"[^"]+"$/u.test(text)) return undefined;
  for (const row of ROWS) {
    const rest = row(text, draft, context)?.trimEnd();
    if (rest !== undefined) return rest;
  }
  return undefined;
}

/** If `take` returns false, the match stays in the title. */
function pattern(end: RegExp, take: (draft: Draft, word: string) => boolean): Row {
  return (text, draft) => {
    const found = end.exec(text);
    return found !== null && take(draft, found[1] ?? found[2] ?? "") ? text.slice(0, found.index) : undefined;
  };
}

/** `+Two Words`: the longest known project name, else one word. */
function readBareProject(text: string, draft: Draft, { isProject = () => false }: QuickContext): LinePart | undefined {
  const found = /^(.*(?:^|\s))\+((?:\p{L}|\p{N})[^"]*)$/su.exec(text);
  const [, before = "", run = ""] = found ?? [];
  const matches = [...run.matchAll(/\S+/gu)];
  const words = matches.map(([word]) => word);
  // A number is probably not a project.
  if (found === null || (/^\d/.test(run) && !isProject(run) && !/^\d\S*\p{L}\S*$/u.test(run))) return undefined;
  let count = words.length;
  while (count > 1 && !isProject(words.slice(0, count).join(" "))) count -= 1;
  prepend(draft, "projects", words.slice(0, count).join(" "));
  const last = matches[count - 1];
  return { from: before.length, to: before.length + 1 + (last ? last.index + last[0].length : run.length) };
}

/** `(2026-12-05)`, `(due friday)`. */
const inParentheses = (words: string): string | undefined => /^\(([^()]+)\)$/.exec(words)?.[1];
const BORROWED = /^(?:\p{L}+:\S|\()/u;

/** `from` begins a day only after a rule. */
function fieldOfDay(words: string, before: string): ReturnType<typeof fieldBeforeDay> {
  const [, from] = /^from\s+(.+)$/iu.exec(words) ?? [];
  return from !== undefined && ruleAtEnd(before) !== undefined
    ? { field: "start", rest: from }
    : fieldBeforeDay(inParentheses(words) ?? words);
}

function beforeClock(row: Row): Row {
  return (text, draft, context) => {
    const kept = CLOCK_TIME.exec(text)?.[0].length;
    const before = kept === undefined ? undefined : row(text.slice(0, -kept), draft, context);
    if (kept !== undefined && before !== undefined) draft.kept = kept;
    return before ?? row(text, draft, context);
  };
}

function readDay(text: string, draft: Draft, { today }: QuickContext): string | undefined {
  for (const { words, before } of endings(text, MAX_DAY_WORDS)) {
    const { field, rest } = fieldOfDay(words, before);
    const readings = field === undefined && !isOnlyDay(words) ? [] : readingsOfDay(rest, today);
    if (readings.length > 1) return undefined;
    const found = readings.length === 0 ? undefined : parseDay(rest, today);
    if (found === undefined) continue;
    // Probably the date of a thing, or of an old list.
    const isDated = draft.created !== undefined || draft.completed !== undefined;
    if (BORROWED.test(words) && found.day < today && !isDated) return undefined;
    if (field === undefined && inParentheses(words) === undefined && isPartOfPhrase(before)) return undefined;
    const name = field ?? "due";
    if (!assignOnce(draft, name, found.day)) return undefined;
    if (found.inWords) draft.wordsOf[name] = rest;
    draft.kept = found.time === undefined ? 0 : found.time.length - "T".length;
    return before;
  }
  return undefined;
}

/** Several are one list. */
function readRemind(text: string, draft: Draft, { today }: QuickContext): string | undefined {
  for (const { words, before } of endings(text, MAX_REMIND_WORDS)) {
    const [, list] = /^remind\s+(.+)$/iu.exec(words) ?? [];
    if (list === undefined || "unread" in parseReminders(list, today)) continue;
    draft.reminders = draft.reminders === undefined ? list : `${list}, ${draft.reminders}`;
    draft.taken = { field: "reminders", value: list };
    return before;
  }
  return undefined;
}

function readRule(text: string, draft: Draft, { today }: QuickContext): string | undefined {
  const found = ruleAtEnd(text, today);
  return found !== undefined && assignOnce(draft, "recurrence", found.rule) ? found.before : undefined;
}

function addFirstDay(draft: Draft, today: LocalDate): void {
  const { recurrence, due, scheduled, start = today } = draft;
  const read = draft.read.find(({ field }) => field === "recurrence");
  const day = recurrence === undefined ? undefined : firstDay(recurrence, start);
  if (due !== undefined || scheduled !== undefined || day === undefined || read === undefined) return;
  draft.due = day;
  draft.read.push({ ...read, field: "dueDate", value: day });
}

function readBeginning(text: string, draft: Draft, { today }: QuickContext): string {
  let line = text;
  for (const { field, value, ...range } of beginningOf(text, today))
    if (field === "status" ? assignOnce(draft, field, "Done") : takeField(draft, field, value))
      line = taken(line, range, draft);
  return line;
}

function readFields(text: string, draft: Draft): string {
  let rest = text;
  for (const found of [...rest.matchAll(BRACKETS)].toReversed()) {
    const name = fieldOfKey(found[1] ?? found[3] ?? "");
    if (name === undefined || isQuoted(rest, found.index)) continue;
    if (takeField(draft, name, found[2] ?? found[4] ?? ""))
      rest = taken(rest, { from: found.index, to: found.index + found[0].length }, draft);
  }
  for (const sign of signsIn(rest, 0, rest.length).toReversed()) {
    if (isQuoted(rest, sign.start)) continue;
    const next = signsIn(rest, sign.end, rest.length)[0]?.start ?? rest.length;
    for (const end of ends(rest, sign.end, next)) {
      const read = readSign(sign.emoji, unmasked(rest.slice(sign.end, end)));
      if (read === undefined || !takeField(draft, read.name, read.value)) continue;
      rest = taken(rest, { from: sign.start, to: end }, draft);
      break;
    }
  }
  return rest;
}

function taken(line: string, range: LinePart, draft: Draft): string {
  const part = line.slice(range.from, range.to);
  const from = range.from + part.length - part.trimStart().length;
  const to = range.from + part.trimEnd().length;
  if (draft.taken !== undefined) draft.read.push({ ...draft.taken, from, to });
  return masked(line, { from, to });
}

/** Ends of words, furthest first. */
function ends(text: string, from: number, to: number): number[] {
  const words = [...text.slice(from, to).matchAll(/\S+/gu)].map(({ index, 0: word }) => from + index + word.length);
  return [...words.slice(0, MAX_RULE_WORDS).toReversed(), from];
}

const isQuoted = (text: string, at: number): boolean => text.slice(0, at).split('"').length % 2 === 0;

function takeField(draft: Draft, name: LineFieldName, value: string): boolean {
  if (name === "due" || name === "scheduled" || name === "start" || name === "created" || name === "completed") {
    const read = parseDay(value, value as LocalDate);
    // A clock time would be lost.
    return read?.time === undefined && assignOnce(draft, name, read?.day);
  }
  if (name === "priority") return assignOnce(draft, "priority", priorityOf(value));
  return name === "recurrence" && parseRuleWords(value).understood && assignOnce(draft, "recurrence", value);
}

function unreadIn(title: string, draft: Draft, context: QuickContext): Unread[] {
  const found: Unread[] = [];
  const add = (from: number, part: string, reason: string): void => {
    const to = from + part.length;
    const overlaps = found.some((other) => from < other.to && other.from < to);
    if (!overlaps && !isQuoted(title, from)) found.push({ from, to, text: unmasked(part), reason });
  };
  for (const { index, 0: field } of title.matchAll(/\[[^[\]:]+::[^[\]]*\]|\([^():]+::[^()]*\)/g))
    add(index, field, "fields: due, scheduled, start, priority, repeat, created, completion, each once");
  for (const { index, 0: part, 1: inside = "" } of title.matchAll(/\(([^()]+)\)/g)) {
    const [day] = readingsOfDay(fieldBeforeDay(unmasked(inside)).rest, context.today);
    if (day !== undefined) add(index, part, day < context.today ? `write due ${day} if it is the task's day` : AT_END);
  }
  const priority = /^\s*(\([A-Z]\))\s(?!.*\([A-Z]\))/su.exec(title)?.[1];
  if (priority !== undefined) add(title.indexOf(priority), priority, "priorities: (A), (B), (C), once");
  for (const { start, end } of signsIn(title, 0, title.length))
    add(start, title.slice(start, end), "its value must follow, and it counts once");
  const words = [...title.matchAll(/\+(?:"[^"]*"|\[\[[^[\]]*\]\])|\S+/gu)];
  for (const { index, 0: word } of words) {
    const like = SIGN_LIKE.find(([pattern]) => pattern.test(word));
    if (like !== undefined) add(index, word, reasonOfSign(word, like[1], draft, context));
  }
  for (const { index, 0: rule } of title.matchAll(RULE_LIKE)) add(index, rule, "rules: every 2 weeks, every friday");
  for (const [at, { index }] of words.entries())
    for (const last of words.slice(at, at + MAX_DAY_WORDS).toReversed()) {
      const part = title.slice(index, last.index + last[0].length).replace(/\s*[.,;:!?]+$/, "");
      const readings = isDayLike(part) ? readingsOfDay(unmasked(part), context.today) : [];
      const none = readings.length === 0 ? reasonOfNoDay(part, last === words.at(-1)) : undefined;
      if (none !== undefined) add(index, part, none);
      else if (readings.length > 1) add(index, part, `write ${readings.join(" or ")}`);
      else if (readings.length === 1) add(index, part, reasonOfDay(title, index, part, last === words.at(-1)));
    }
  return found.toSorted((a, b) => a.from - b.from);
}

function reasonOfDay(title: string, index: number, part: string, isLast: boolean): string {
  if (isLast && isPartOfPhrase(title.slice(0, index).trimEnd())) return `write due ${part} if it is the task's day`;
  return isLast ? TWICE : AT_END;
}

function reasonOfSign(word: string, forms: string, draft: Draft, context: QuickContext): string {
  const { priority, timeEstimate, ...others } = draft;
  const fresh: Draft = { ...others, tags: [], contexts: [], projects: [] };
  if (firstOf(`x ${word}`, fresh, context) === undefined) return forms;
  const isTaken =
    (/^[!p]/i.test(word) && priority !== undefined) || (word.startsWith("~") && timeEstimate !== undefined);
  return isTaken ? TWICE : AT_END;
}

/** A repeated field stays visible in the title. */
function assignOnce<Key extends keyof QuickTask & Exclude<LineFieldName | "status" | "timeEstimate", ListField>>(
  draft: Draft,
  key: Key,
  value: Draft[Key] | undefined,
): boolean {
  if (value === undefined || draft[key] !== undefined) return false;
  draft[key] = value;
  draft.taken = { field: ARGUMENT_OF[key] ?? key, value };
  return true;
}

/** Prepends, because the line is read from its end. */
function prepend(draft: Draft, list: ListField, value: string): boolean {
  const plain = unmasked(value);
  draft[list].unshift(plain);
  draft.taken = { field: ARGUMENT_OF[list] ?? list, value: plain };
  return true;
}

const ARGUMENT_OF: Readonly<Partial<Record<keyof Draft, string>>> = { due: "dueDate", projects: "parentProjects" };

const unquoted = (title: string): string => /^"([^"]+)"$/.exec(title)?.[1] ?? title;
