/** The filters of a note search. */
import type { Clock, LocalDate } from "../clock.js";
import { requireDay, parseDay } from "../dates/read-day.js";
import { startOfDay } from "../dates/day-number.js";
import { VaultError } from "../errors.js";
import { fold } from "../text/fold.js";
import { bareLink, tagsMeant } from "../markdown/links/property-links.js";
import { foldName, type VaultPath } from "../storage/path.js";
import type { NoteRecord } from "../index/facts.js";
import type { NoteDates } from "./note-date.js";
import { factsOfKind, hasAttachments, nameOf, tagsIn, type NoteFacts } from "./note-facts.js";

export interface NoteFilter {
  /** Days of 24 hours. */
  readonly sinceDays?: number | undefined;
  /** Days, also in words. `modifiedAfter` is inclusive, `modifiedBefore` is not. */
  readonly modifiedAfter?: string | undefined;
  readonly modifiedBefore?: string | undefined;
  /** The folder, or one below it. */
  readonly folder?: VaultPath | undefined;
  /** Any of these; `a` finds `a/b`. */
  readonly tags?: readonly string[] | undefined;
  /** All of these; see `propertyCondition`. */
  readonly properties?: Readonly<Record<string, string>> | undefined;
  readonly hasAttachments?: boolean | undefined;
  readonly isLinkedAsWanted?: ((path: VaultPath) => boolean) | undefined;
  /** Days, also in words, inclusive: the note's own date, else its last change. */
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
}

export type FoundRecord = NoteRecord<NoteFacts>;
type Test = (record: FoundRecord) => boolean;

/**
 * @param dateOf for a filter by date
 * @throws VaultError INVALID_ARGUMENT for a day that does not exist, or an empty range
 */
export function noteTest(filter: NoteFilter, clock: Clock, dateOf: NoteDates | undefined): Test {
  // Cheap tests first: the others decode facts.
  const tests = [...statTests(filter, clock), ...factTests(filter, clock), ...dateTests(filter, clock, dateOf)];
  return (record) => tests.every((test) => test(record));
}

function* statTests({ folder, sinceDays, isLinkedAsWanted, ...filter }: NoteFilter, clock: Clock): Generator<Test> {
  if (folder !== undefined && folder !== "") yield ({ stat }) => stat.path.startsWith(`${folder}/`);
  if (sinceDays !== undefined) {
    const earliest = clock.now() - sinceDays * DAY_MS;
    yield ({ stat }) => stat.modified >= earliest;
  }
  const after = day("modified_after", filter.modifiedAfter, clock);
  if (after !== undefined) {
    const from = startOfDay(after, clock);
    yield ({ stat }) => stat.modified >= from;
  }
  const before = day("modified_before", filter.modifiedBefore, clock);
  if (after !== undefined && before !== undefined && after >= before)
    throw emptyRange(`modified_after (${after}) is not before modified_before (${before})`);
  if (before !== undefined) {
    const to = startOfDay(before, clock);
    yield ({ stat }) => stat.modified < to;
  }
  if (isLinkedAsWanted) yield ({ stat }) => isLinkedAsWanted(stat.path);
}

function* dateTests({ dateFrom, dateTo }: NoteFilter, clock: Clock, dateOf: NoteDates | undefined): Generator<Test> {
  if (!dateOf) return;
  const from = day("date_from", dateFrom, clock);
  const to = day("date_to", dateTo, clock);
  if (from !== undefined && to !== undefined && from > to)
    throw emptyRange(`date_from (${from}) is after date_to (${to})`);
  yield (record) => {
    const date = dateOf(record).day;
    return (from === undefined || date >= from) && (to === undefined || date <= to);
  };
}

function* factTests({ tags = [], properties = {}, ...filter }: NoteFilter, clock: Clock): Generator<Test> {
  const anyOf = tags.flatMap(tagsMeant).map(foldName);
  if (tags.length > 0) yield ({ facts }) => hasAnyTag(tagsIn(facts).map(foldName), anyOf);
  const allOf = Object.entries(properties).map(([key, value]) => propertyTest(key, value, clock.today()));
  if (allOf.length > 0) yield ({ facts }) => allOf.every((test) => test(factsOfKind(facts, "property"), facts));
  const wanted = filter.hasAttachments;
  if (wanted !== undefined) yield ({ facts }) => hasAttachments(facts) === wanted;
}

const DAY_MS = 24 * 60 * 60 * 1000;

function day(name: string, text: string | undefined, clock: Clock): LocalDate | undefined {
  return text === undefined ? undefined : requireDay(name, text, clock.today()).day;
}

function emptyRange(what: string): VaultError {
  return new VaultError("INVALID_ARGUMENT", `${what}: no note can match.`, { hint: "Give the earlier day first." });
}

function hasAnyTag(tags: readonly string[], wanted: readonly string[]): boolean {
  return tags.some((tag) => wanted.some((one) => tag === one || tag.startsWith(`${one}/`)));
}

/** Makes conditions also accept links to notes that have the value as an alias. */
export function throughAliases(
  properties: Readonly<Record<string, string>>,
  records: readonly FoundRecord[],
): Readonly<Record<string, string>> {
  const names = new Map(Object.values(properties).map((value) => [fold(bareLink(value).trim()), new Set<string>()]));
  for (const { stat, facts } of records)
    for (const alias of factsOfKind(facts, "alias")) names.get(fold(alias.trim()))?.add(nameOf(stat.path));
  return Object.fromEntries(
    Object.entries(properties).map(([key, value]) => {
      const meant = names.get(fold(bareLink(value).trim())) ?? new Set();
      return [key, meant.size === 0 ? value : JSON.stringify([value, ...meant])];
    }),
  );
}

function propertyTest(
  key: string,
  value: string,
  today: LocalDate,
): (lines: readonly string[], facts: NoteFacts) => boolean {
  const wantedKey = fold(key.trim());
  const accepts = propertyCondition(value, today);
  return (lines, facts) =>
    named(wantedKey, facts)?.some(accepts) ??
    lines.some((line) => {
      const end = line.indexOf("=");
      return fold(line.slice(0, end).trim()) === wantedKey && accepts(line.slice(end + 1));
    });
}

function named(key: string, facts: NoteFacts): string[] | undefined {
  if (key === "tags" || key === "tag") return tagsIn(facts);
  if (key === "aliases" || key === "alias") return factsOfKind(facts, "alias");
  return key === "title" ? factsOfKind(facts, "title") : undefined;
}

type Accepts = (value: string) => boolean;

const COMPARISON = /^\s*(>=|<=|>|<)\s*([^<>=,]+?)\s*(?:,|(?=[<>])|$)/;
const SPAN = /^\s*(?:(\S.*?)\s*\.\.\s*(\S.*?)|(\d\S*) to (\d\S*))\s*$/;

const HOLDS: Readonly<Record<string, (order: number) => boolean>> = {
  ">=": (order) => order >= 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  "<": (order) => order < 0,
};

/**
 * `draft`, `*` for any value, `["a", "b"]`, `>=4`, `>=2 <5`, `2..5`, `2 to 5`, `> 2025-01-01`. Other text is an ordinary value.
 */
export function propertyCondition(text: string, today: LocalDate): Accepts {
  const list = listIn(text);
  if (list !== undefined) {
    const tests = list.map((one) => propertyCondition(one, today));
    return (value) => tests.some((test) => test(value));
  }
  return rangeIn(text, today) ?? equality(text);
}

/** Ignores case and accents; a link also equals its target. */
function equality(text: string): Accepts {
  const wanted = folded(text);
  return (value) => wanted === "*" || folded(value) === wanted || folded(bareLink(value)) === wanted;
}

function listIn(text: string): readonly string[] | undefined {
  if (!text.trim().startsWith("[")) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((one) => typeof one === "string") ? list : undefined;
  } catch {
    return undefined;
  }
}

function rangeIn(text: string, today: LocalDate): Accepts | undefined {
  const [from, to] = SPAN.exec(text)?.slice(1).filter(Boolean) ?? [];
  const comparisons = from === undefined || to === undefined ? comparisonsIn(text) : [">=", from, "<=", to];
  if (comparisons === undefined) return undefined;
  const tests: Accepts[] = [];
  for (let at = 0; at < comparisons.length; at += 2) {
    const test = comparison(HOLDS[comparisons[at] ?? ""], comparisons[at + 1] ?? "", today);
    if (test === undefined) return undefined;
    tests.push(test);
  }
  return (value) => tests.every((test) => test(value));
}

/** Alternating comparison signs and operands. */
function comparisonsIn(text: string): readonly string[] | undefined {
  const found: string[] = [];
  for (let rest = text; rest.trim() !== "";) {
    const [all, sign, operand] = COMPARISON.exec(rest) ?? [];
    if (all === undefined || sign === undefined || operand === undefined) return undefined;
    found.push(sign, operand);
    rest = rest.slice(all.length);
  }
  return found.length === 0 ? undefined : found;
}

function comparison(
  holds: ((order: number) => boolean) | undefined,
  operand: string,
  today: LocalDate,
): Accepts | undefined {
  const number = numberIn(operand);
  if (holds && number !== undefined)
    return (value) => {
      const other = numberIn(value);
      return other !== undefined && holds(other - number);
    };
  const day = parseDay(operand, today)?.day;
  if (!holds || day === undefined) return undefined;
  return (value) => {
    const other = parseDay(bareLink(value).slice(0, 40), today);
    return other !== undefined && !other.inWords && holds(other.day < day ? -1 : other.day > day ? 1 : 0);
  };
}

function numberIn(text: string): number | undefined {
  const plain = text.trim();
  return /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)$/.test(plain) ? Number(plain) : undefined;
}

function folded(text: string): string {
  return fold(text.replace(/\s+/gu, " ").trim());
}
