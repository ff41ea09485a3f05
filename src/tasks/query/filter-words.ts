/** Suggests filters for words of a query that finds nothing (docs: tasks, "Finding"). */
import { isSmallWord, meansAll, parseQuery } from "../../search/words.js";
import { call, said, type Wording } from "../../text/wording.js";
import type { LocalDate } from "../../clock.js";
import { parseDayRange } from "../../dates/read-day.js";
import { priorityOf, statusOf } from "../fields/vocabulary.js";
import { FILTER_NAMES, type FilterName, FILTERS } from "./filter.js";
import { TASK_STATES } from "../task.js";

export const NARROWING = FILTER_NAMES.filter((name) => name !== "includeArchived");

const FILTER_OF_WORD: ReadonlyMap<string, FilterName> = new Map([
  ...NARROWING.map((name) => [name.toLowerCase(), name] as const),
  ["tag", "tags"],
  ["done", "completed"],
]);

export function filterAdvice(query: string, today: LocalDate): readonly Wording[] {
  if (meansAll(query)) return [];
  const all = query.trim().split(/\s+/);
  const words =
    all.length === 1 ? all : all.filter((word) => !/^(?:tasks?|to-?dos?|aufgaben?|t[âa]ches?|tareas?)$/i.test(word));
  const { meant, others } = filtersAmong(words, today);
  if (meant.size === 0) return [];
  const rest = others.filter((word) => !parseQuery(word).terms.every(isSmallWord)).join(" ");
  const named = [...meant.keys()].map((word) => `"${word}"`).join(" and ");
  const filters: Record<string, string | readonly string[]> = {};
  for (const [name, value] of meant.values()) {
    const before = filters[name];
    filters[name] = typeof before === "object" ? [...new Set([before, value].flat())] : value;
  }
  const kind = meant.size === 1 ? "is a filter, not a word" : "are filters, not words";
  const left = rest === "" ? "*" : rest;
  const list = new Set([...meant.values()].map(([name, value]) => `${name} ${JSON.stringify(value)}`));
  const asTool = `call search_tasks with query ${JSON.stringify(left)} and ${[...list].join(", ")}`;
  return [
    said`${named} ${kind}: ${call("search_tasks", { query: left, ...filters }, asTool)}.`.or(`${named} ${kind}.`),
  ];
}

/** Such as "done in the last 7 days". */
const MAX_WORDS = 6;

function filtersAmong(words: readonly string[], today: LocalDate) {
  const meant = new Map<string, GivenFilter>();
  const others: string[] = [];
  for (let at = 0; at < words.length;) {
    const textTo = (end: number): string => words.slice(at, end).join(" ");
    let end = at === 0 ? words.length : Math.min(words.length, at + MAX_WORDS);
    let filter = filterMeant(textTo(end), today);
    while (filter === undefined && --end > at) filter = filterMeant(textTo(end), today);
    if (filter === undefined) others.push(words[at++] ?? "");
    else {
      meant.set(textTo(end), filter);
      at = end;
    }
  }
  return { meant, others };
}

function filterMeant(text: string, today: LocalDate): GivenFilter | undefined {
  const [, name = "", value = ""] = /^([A-Za-z]+):\s*(.+)$/s.exec(text) ?? [];
  const filter = FILTER_OF_WORD.get(name.toLowerCase());
  if (filter !== undefined) return given(filter, value);
  if (/^#[^\s#]+$/.test(text)) return given("tags", text.slice(1));
  const word = text.toLowerCase();
  const [, lacking] = /^(?:no|without)(?: an?| any)? (?:due )?(\S+)$/.exec(word) ?? [];
  const lacks = /^(?:date|day|deadline)$/.test(lacking ?? "") ? "due" : FILTER_OF_WORD.get(lacking ?? "");
  if (lacks !== undefined && FILTERS[lacks].asksIfAny) return given(lacks, "none");
  const [, field, days = ""] = /^(due|scheduled|planned)(?: on| for)? (.+)$/.exec(word) ?? [];
  if (field !== undefined && parseDayRange(days, today) !== undefined)
    return given(field === "due" ? "due" : "scheduled", days);
  const [, finished] = /^(?:done|completed|finished) (.+)$/.exec(word) ?? [];
  if (finished !== undefined && parseDayRange(finished, today) !== undefined) return given("completed", finished);
  if ((TASK_STATES as readonly string[]).includes(word)) return given("is", word);
  if (UNFINISHED.test(word)) return given("is", "outstanding");
  const [, before, after] = /^(?:(\S+) priority|priority (\S+))$/.exec(word) ?? [];
  const priority = priorityOf(before ?? after ?? "");
  if (priority !== undefined) return given("priority", priority);
  const status = word === "inbox" ? undefined : statusOf(text);
  if (status !== undefined && /\p{L}{3}/u.test(text)) return given("status", status);
  return parseDayRange(text, today) === undefined || word === "any" || word === "none" || /^\d{4}$/.test(word)
    ? undefined
    : given("due", text);
}

/** `open` is also the status of tasks not begun. */
const UNFINISHED = /^(?:open|unfinished|incomplete|undone|remaining|not (?:done|finished|completed?))$/;

type GivenFilter = readonly [name: string, value: string | readonly string[]];

const given = (name: FilterName, value: string): GivenFilter => [
  name,
  FILTERS[name].takes === "list" ? [value] : value,
];
