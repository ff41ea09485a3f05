/** Reads statements into a query: its filters, order, groups and limits. */
import { nearest } from "../../text/nearest.js";
import type { Filter } from "./filter-sql.js";
import { readFilter, type QueryContext } from "./filters.js";
import { Misread, MISREAD } from "../answer.js";
import { type Grouper, readGrouper, readSorter, type Sorter } from "./sort-and-group.js";

export interface TasksQuery {
  readonly statements: readonly string[];
  readonly filters: Filter[];
  readonly sorters: Sorter[];
  readonly groupers: Grouper[];
  /** Of `view columns`: groups first. */
  columns?: Grouper | undefined;
  limit: number;
  groupLimit: number;
}

const SHOWN = [
  ..."backlink,backlinks,edit button,nested backlink,postpone button,task count,group count,toolbar,tree,urgency".split(
    ",",
  ),
  ..."cancelled date,created date,depends on,done date,due date,id,on completion,priority".split(","),
  ..."recurrence rule,scheduled date,start date,tags".split(","),
];

/** Statements of which the plugin reads only the beginning. */
const WITHOUT_EFFECT: readonly (readonly [begins: RegExp, whole: RegExp])[] = [
  [/^short/i, /^short(?: mode)?$/i],
  [/^full/i, /^full(?: mode)?$/i],
  [/^explain/i, /^explain$/i],
  [/^ignore global query/i, /^ignore global query$/i],
];
const MAX_KEYS = 20;
const LIMIT = /^limit (groups )?(?:to )?(\d{1,9})(?: tasks?)?/i;

/** How statements begin, for advice. */
const BEGINNINGS = [
  ..."done,not done,status.type is,status.name includes,priority is,is recurring,is not recurring,is blocked".split(
    ",",
  ),
  ..."is blocking,is not blocked,is not blocking,has depends on,no depends on,exclude sub-items,has tags,no tags".split(
    ",",
  ),
  ..."has id,no id,sort by,group by,limit,limit groups,hide,show,short mode,full mode,explain,preset".split(","),
  ..."view list,view columns by,ignore global query".split(","),
  ..."due,scheduled,starts,created,done,cancelled,happens"
    .split(",")
    .flatMap((name) => [
      `${name} before`,
      `${name} after`,
      `${name} on`,
      `has ${name.replace("starts", "start")} date`,
      `no ${name.replace("starts", "start")} date`,
    ]),
  ..."description,path,folder,root,filename,heading,id,recurrence,tags"
    .split(",")
    .flatMap((name) => [`${name} includes`, `${name} does not include`, `${name} regex matches`]),
];

/** @throws Misread */
export function readStatement(text: string, query: TasksQuery, about: QueryContext): void {
  for (const [begins, whole] of WITHOUT_EFFECT) {
    if (whole.test(text)) return;
    const [read] = begins.exec(text) ?? [];
    if (read !== undefined) throw new Misread(MISREAD.ignored(text.slice(read.length)), read.toLowerCase());
  }
  const limit = LIMIT.exec(text);
  if (limit !== null) return readLimit(limit, text, query);
  const [, verb = "", key = ""] = /^(sort by|group by|view|hide|show) (.*)$/i.exec(text) ?? [];
  switch (verb.toLowerCase()) {
    case "sort by":
      return addKey(query.sorters, readSorter(key));
    case "group by":
      return addKey(query.groupers, readGrouper(key));
    case "view":
      query.columns = columnsOf(key.trim());
      return;
    case "hide":
    case "show":
      return checkShown(key.trim().toLowerCase());
    default: {
      const filter = readFilter(text, about);
      if (filter === undefined) throw unknown(text);
      query.filters.push(filter);
    }
  }
}

function addKey<Key>(keys: Key[], key: Key): void {
  if (keys.length === MAX_KEYS) throw new Misread(`a query has at most ${MAX_KEYS} such keys`);
  keys.push(key);
}

function readLimit([read = "", groups, digits]: RegExpExecArray, text: string, query: TasksQuery): void {
  if (read.length < text.length) throw new Misread(MISREAD.ignored(text.slice(read.length)), read);
  query[groups === undefined ? "limit" : "groupLimit"] = Number(digits);
}

function columnsOf(view: string): Grouper | undefined {
  if (/^list$/i.test(view)) return undefined;
  const [, key] = /^columns +by +(.+)$/i.exec(view) ?? [];
  if (key === undefined) throw new Misread("a view is list, or columns by a key", "view columns by priority");
  return readGrouper(key);
}

function checkShown(part: string): void {
  if (SHOWN.includes(part)) return;
  const read = SHOWN.filter((one) => part.startsWith(one)).toSorted((one, other) => other.length - one.length)[0];
  if (read !== undefined) throw new Misread(MISREAD.ignored(part.slice(read.length)), read);
  throw new Misread(`"${part.slice(0, 80)}" cannot be hidden or shown`, nearest(part, SHOWN)[0]);
}

function unknown(text: string): Misread {
  const words = text.split(/\s+/);
  const near = [3, 2, 1].flatMap((count) => nearest(words.slice(0, count).join(" "), BEGINNINGS, 1));
  return new Misread("not a statement of the Tasks plugin that is understood", near[0]);
}
