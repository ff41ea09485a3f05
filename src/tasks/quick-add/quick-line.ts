/**
 * Parses one line of quick text: signs and days from the end, fields anywhere; the rest is the title (docs: tasks,
 * "Making").
 */
import type { LocalDate } from "../../clock.js";
import { fieldBeforeDay, isOnlyDay, parseDay, readingsOfDay } from "../../dates/read-day.js";
import type { DayField } from "../../dates/other-languages.js";
import { fieldOfKey, type LineFieldName, readSign, signsIn } from "../line-format/field-signs.js";
import { BRACKETS } from "../line-format/task-line.js";
import { parseRuleWords } from "../recurrence/rule-words.js";
import type { Priority } from "../fields/vocabulary.js";

export interface QuickTask {
  readonly title: string;
  /** The title without `unread`, for the file name. */
  readonly name: string;
  readonly due?: LocalDate;
  readonly scheduled?: LocalDate;
  readonly start?: LocalDate;

  readonly recurrence?: string;
  readonly priority?: Priority;
  readonly projects: readonly string[];
  readonly tags: readonly string[];
  readonly contexts: readonly string[];
  /** As written: `30m`, `1h30`. */
  readonly timeEstimate?: string;
  readonly blockedBy: readonly string[];
  readonly wordsOf: Readonly<Partial<Record<DayField, string>>>;
  readonly unread: readonly Unread[];
  readonly read: readonly ReadField[];
}

/** Offsets in the line, in UTF-16 units. */
interface Range {
  readonly from: number;
  readonly to: number;
}

interface Unread extends Range {
  readonly text: string;
  readonly reason: string;
}

interface ReadField extends Range {
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
  };

/** Replaces what was read, so that offsets stay; counts as white space. */
const MASK = "\u2028";

const masked = (line: string, { from, to }: Range): string =>
  line.slice(0, from) + MASK.repeat(to - from) + line.slice(to);

const unmasked = (text: string): string => text.replace(/\s*\u2028\s*/g, " ").trim();

/** Returns the text before what it read at the end, or undefined. */
type Row = (text: string, draft: Draft, context: QuickContext) => string | undefined;

const PRIORITY_OF: ReadonlyMap<string, Priority> = new Map([
  ["high", "High"],
  ["highest", "High"],
  ["medium", "Medium"],
  ["low", "Low"],
  ["lowest", "Low"],
]);
/** `der erste Montag im nächsten Monat`. */
const MAX_DAY_WORDS = 7;
const MAX_RULE_WORDS = 14;

const ROWS: readonly Row[] = [
  pattern(/(?:^|\s)!(high|medium|low)$/iu, (draft, word) =>
    assignOnce(draft, "priority", PRIORITY_OF.get(word.toLowerCase())),
  ),
  pattern(
    /(?:^|\s)#([^\s!@#$%^&*(),.?":{}|<>]*[^\s\d!@#$%^&*(),.?":{}|<>/][^\s!@#$%^&*(),.?":{}|<>]*)$/u,
    (draft, tag) => prepend(draft, "tags", tag),
  ),
  pattern(/(?:^|\s)@([\p{L}\p{N}][\p{L}\p{N}_/-]*)$/u, (draft, context) => prepend(draft, "contexts", context)),
  pattern(/(?:^|\s)\+\[\[([^[\]]+)\]\]$/u, (draft, project) => prepend(draft, "projects", project)),
  pattern(/(?:^|\s)\+"([^"]*[^"\s][^"]*)"$/u, (draft, project) => prepend(draft, "projects", project)),
  pattern(/(?:^|\s)~(\d+(?:\.\d+)?h(?:\d{1,2}m?)?|\d+m(?:in)?)$/iu, (draft, time) =>
    assignOnce(draft, "timeEstimate", time),
  ),
  pattern(/(?:^|\s)after\s+(\[\[[^[\]]+\]\])$/iu, (draft, link) => prepend(draft, "blockedBy", link)),
  readRule,
  readDay,
];

/** Digits after `#` or `@` are no sign. */
const SIGN_LIKE: readonly (readonly [pattern: RegExp, forms: string])[] = [
  [/^!\p{L}\S*$/u, "priorities: high, medium, low"],
  [/^#(?=\S*\p{L})\S+$/u, "tags: letters, digits, - _ /"],
  [/^@\p{L}\S*$/u, "contexts: @home"],
  [/^\+(?:\p{L}\S*|".*|\[\[.*)$/u, 'projects: +Name, +"Two words", +[[Link]]'],
  [/^~\d\S*$/u, "estimates: ~30m, ~1h30"],
];
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
  };
  let line = readFields(text, draft);
  let rest = line.trimEnd();
  for (;;) {
    const before = firstOf(rest, draft, context);
    const read =
      before === undefined ? readBareProject(rest, draft, context) : { from: before.length, to: rest.length };
    if (read !== undefined) {
      line = taken(line, read, draft);
      rest = line.slice(0, read.from).trimEnd();
      continue;
    }
    // Unreadable signs stay in the title.
    const last = /(?:^|\s)(\S+)$/u.exec(rest);
    if (last === null || !SIGN_LIKE.some(([like]) => like.test(last[1] ?? ""))) break;
    rest = rest.slice(0, last.index).trimEnd();
  }
  draft.title = unquoted(unmasked(line));
  draft.unread = unreadIn(line, draft, context);
  draft.read.sort((a, b) => a.from - b.from);
  delete draft.taken;
  const name = draft.unread.reduce((left, { text: part }) => left.replace(part, " "), draft.title);
  draft.name = name.replace(/\s+/g, " ").trim() || draft.title;
  return draft;
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
    return found !== null && take(draft, found[1] ?? "") ? text.slice(0, found.index) : undefined;
  };
}

/** `+Two Words`: the longest known project name, else one word. */
function readBareProject(text: string, draft: Draft, { isProject = () => false }: QuickContext): Range | undefined {
  const found = /^(.*(?:^|\s))\+((?:\p{L}|\p{N})[^"]*)$/su.exec(text);
  const [, before = "", run = ""] = found ?? [];
  const matches = [...run.matchAll(/\S+/gu)];
  const words = matches.map(([word]) => word);
  // A number before other words is probably not a project.
  if (found === null || (words.length > 1 && /^\d/.test(run))) return undefined;
  let count = words.length;
  while (count > 1 && !isProject(words.slice(0, count).join(" "))) count -= 1;
  prepend(draft, "projects", words.slice(0, count).join(" "));
  const last = matches[count - 1];
  return { from: before.length, to: before.length + 1 + (last ? last.index + last[0].length : run.length) };
}

function readDay(text: string, draft: Draft, { today }: QuickContext): string | undefined {
  for (const { words, before } of endings(text, MAX_DAY_WORDS)) {
    const { field, rest } = fieldBeforeDay(words);
    const readings = field === undefined && !isOnlyDay(words) ? [] : readingsOfDay(rest, today);
    if (readings.length > 1) return undefined;
    const found = readings.length === 0 ? undefined : parseDay(rest, today);
    if (found === undefined) continue;
    const name = field ?? "due";
    if (!assignOnce(draft, name, found.day)) return undefined;
    if (found.inWords) draft.wordsOf[name] = rest;
    return before;
  }
  return undefined;
}

function readRule(text: string, draft: Draft): string | undefined {
  for (const { words, before } of endings(text, MAX_RULE_WORDS)) {
    if (!/^every\s/i.test(words) || !parseRuleWords(words).understood) continue;
    return assignOnce(draft, "recurrence", words) ? before : undefined;
  }
  return undefined;
}

/** Longest first. */
function* endings(text: string, most: number): Generator<{ readonly words: string; readonly before: string }> {
  const starts = [...text.matchAll(/(?<=^|\s)\S/gu)].map(({ index }) => index).slice(-most);
  for (const start of starts) yield { words: unmasked(text.slice(start)), before: text.slice(0, start).trimEnd() };
}

/** The line without fields. */
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

/** The line without what was just read. */
function taken(line: string, range: Range, draft: Draft): string {
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
  if (name === "due" || name === "scheduled" || name === "start")
    return assignOnce(draft, name, parseDay(value, value as LocalDate)?.day);
  if (name === "priority") return assignOnce(draft, "priority", PRIORITY_OF.get(value));
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
    add(index, field, "fields: due, scheduled, start, priority, repeat, each once");
  for (const { start, end } of signsIn(title, 0, title.length))
    add(start, title.slice(start, end), "its value must follow, and it counts once");
  const words = [...title.matchAll(/\+(?:"[^"]*"|\[\[[^[\]]*\]\])|\S+/gu)];
  for (const { index, 0: word } of words) {
    const like = SIGN_LIKE.find(([pattern]) => pattern.test(word));
    if (like !== undefined) add(index, word, reasonOfSign(word, like[1], draft, context));
  }
  for (const [at, { index }] of words.entries())
    for (const last of words.slice(at, at + MAX_DAY_WORDS).toReversed()) {
      const part = title.slice(index, last.index + last[0].length).replace(/\s*[.,;:!?]+$/, "");
      const readings = isDayLike(part) ? readingsOfDay(unmasked(part), context.today) : [];
      if (readings.length > 1) add(index, part, `write ${readings.join(" or ")}`);
      else if (readings.length === 1) add(index, part, last === words.at(-1) ? TWICE : AT_END);
    }
  return found.toSorted((a, b) => a.from - b.from);
}

/** Excludes ambiguous single words, such as `sun` or `first`. */
const isDayLike = (text: string): boolean =>
  /[\s\d]/.test(text) || (text.length > 4 && !/(?:st|nd|rd|th)$/i.test(text));

function reasonOfSign(word: string, forms: string, draft: Draft, context: QuickContext): string {
  const { priority, timeEstimate, ...others } = draft;
  const fresh: Draft = { ...others, tags: [], contexts: [], projects: [] };
  if (firstOf(`x ${word}`, fresh, context) === undefined) return forms;
  const isTaken =
    (word.startsWith("!") && priority !== undefined) || (word.startsWith("~") && timeEstimate !== undefined);
  return isTaken ? TWICE : AT_END;
}

/** A repeated field stays visible in the title. */
function assignOnce<Key extends "due" | "scheduled" | "start" | "priority" | "recurrence" | "timeEstimate">(
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

function unquoted(title: string): string {
  const inside = /^"([^"]+)"$/.exec(title)?.[1];
  return inside ?? title;
}
