/** The keys by which queries sort and group, and the groups of an answer. */
import { WEEKDAY_NAMES } from "../../dates/calendar-terms.js";
import { type DayNumber, toLocalDate, weekdayOf } from "../../dates/days.js";
import {
  type CheckboxLine,
  happensOn,
  type LineColumn,
  lineNumber,
  type NotePlace,
  STATUS_TYPES,
  textOrder,
} from "../../tasks/rows/checkbox-rows.js";
import { CHECKBOX_DAYS, CHECKBOX_PRIORITIES, INVALID_DAY, readCheckbox } from "../../tasks/rows/checkbox-subject.js";
import { nearest } from "../../text/nearest.js";
import { Misread, MISREAD } from "../answer.js";
import type { QueryContext } from "./filters.js";

const URGENCY: readonly LineColumn[] = ["due", "scheduled", "start", "priority"];
const URGENCY_OF_PRIORITY = [1.5 * 6, 1 * 6, 0.65 * 6, 0.325 * 6, 0, -0.3 * 6];

/** Up to 12 for a due day, 5 for a scheduled day that has come, -3 before the start. */
function urgencyOf({ due, scheduled, start, priority }: CheckboxLine, today: DayNumber): number {
  let urgency = 0;
  if (due !== null && due !== INVALID_DAY) {
    const overdue = today - due;
    urgency += (overdue >= 7 ? 1 : overdue >= -14 ? ((overdue + 14) * 0.8) / 21 + 0.2 : 0.2) * 12;
  }
  if (scheduled !== null && scheduled !== INVALID_DAY && scheduled <= today) urgency += 5;
  if (start !== null && start > today) urgency -= 3;
  return urgency + (URGENCY_OF_PRIORITY[priority] ?? 0);
}

/** Lines sort as these do; texts come before numbers. */
type SortKey = (line: CheckboxLine, about: About) => number | string;
/** Group names, with the plugin's hidden signs, which order the groups. */
type GroupKey = (line: CheckboxLine, about: About) => readonly string[];
type About = Pick<QueryContext, "today" | "form">;

interface KeyRow {
  /** What it reads of lines. */
  readonly columns: readonly LineColumn[];
  readonly sort?: SortKey;
  readonly group?: GroupKey;
}

export interface Sorter {
  readonly columns: readonly LineColumn[];
  readonly of: SortKey;
  readonly reversed: boolean;
}
export interface Grouper {
  readonly columns: readonly LineColumn[];
  readonly of: GroupKey;
  readonly reversed: boolean;
  /** Its names have hidden signs. */
  readonly isSigned: boolean;
}

/** Lines with fewer tags come after those with it, and lines without tags last. */
function tagKey(place: number): SortKey {
  return ({ tags }) => tags[place - 1] ?? Number(tags.length === 0);
}

type DayOf = (line: CheckboxLine) => DayNumber | null;
const DAYS: readonly (readonly [name: string, day: DayOf, columns: readonly LineColumn[]])[] = [
  ["happens", happensOn, ["due", "scheduled", "start"]],
  ...CHECKBOX_DAYS.map((name) => [name, (line: CheckboxLine) => line[name], [name]] as const),
];
const statusRank = ({ status }: CheckboxLine): number => (STATUS_TYPES as readonly string[]).indexOf(status.type);

const HIDDEN_SIGN = /^%%\d%%/;
const PRIORITY_NAMES = CHECKBOX_PRIORITIES.map((name, at) => {
  const shown = name === "none" ? "Normal" : `${name[0]?.toUpperCase()}${name.slice(1)}`;
  return `%%${at}%%${shown} priority`;
});

function dayNames(name: string, day: DayOf): GroupKey {
  return (line) => {
    const on = day(line);
    if (on === null) return [`No ${name} date`];
    return [on === INVALID_DAY ? `%%0%% Invalid ${name} date` : `${toLocalDate(on)} ${WEEKDAY_NAMES[weekdayOf(on)]}`];
  };
}

/** Names are Markdown, as the plugin writes them. */
const escaped = (text: string): string => text.replace(/[\\_]/g, "\\$&");

const STATUS: readonly LineColumn[] = ["symbol"];

/** In the order of advice. */
const KEYS: Readonly<Record<string, KeyRow>> = {
  "status.name": {
    columns: STATUS,
    sort: ({ status }) => status.name,
    group: ({ status }) => [status.name],
  },
  "status.type": {
    columns: STATUS,
    sort: statusRank,
    group: (line) => [`%%${statusRank(line) + 1}%%${line.status.type}`],
  },
  status: {
    columns: STATUS,
    sort: ({ status }) => Number(status.isDone),
    group: ({ status }) => [status.isDone ? "Done" : "Todo"],
  },
  recurring: {
    columns: ["rule"],
    sort: ({ rule }) => Number(rule === ""),
    group: ({ rule }) => [rule === "" ? "Not Recurring" : "Recurring"],
  },
  priority: {
    columns: ["priority"],
    sort: ({ priority }) => priority,
    group: ({ priority }) => [PRIORITY_NAMES[priority] ?? ""],
  },
  ...Object.fromEntries(
    DAYS.map(([name, day, columns]) => [
      name,
      { columns, sort: (line) => day(line) ?? Infinity, group: dayNames(name, day) },
    ]),
  ),
  path: {
    columns: [],
    sort: ({ note }) => note.order,
    group: ({ note }) => [escaped(note.path.replace(".md", ""))],
  },
  folder: { columns: [], group: ({ note }) => [escaped(note.folder)] },
  root: { columns: [], group: ({ note }) => [escaped(note.root)] },
  filename: {
    columns: [],
    sort: ({ note }) => note.filename,
    group: ({ note }) => [`[[${note.name}]]`],
  },
  backlink: {
    columns: ["heading"],
    group: ({ note: { name }, heading }) => [
      heading === "" ? `[[${name}]]` : `[[${name}#${heading}|${name} > ${heading}]]`,
    ],
  },
  description: { columns: ["description"], sort: ({ description }) => withoutMarks(description) },
  heading: {
    columns: ["heading"],
    sort: ({ heading }) => heading,
    group: ({ heading }) => [heading === "" ? "(No heading)" : heading],
  },
  tag: { columns: ["tags"], sort: tagKey(1) },
  tags: { columns: ["tags"], group: ({ tags }) => (tags.length === 0 ? ["(No tags)"] : tags) },
  recurrence: { columns: ["rule"], group: ({ rule }) => [rule === "" ? "None" : rule] },
  urgency: {
    columns: URGENCY,
    sort: (line, { today }) => -urgencyOf(line, today),
    group: (line, { today }) => [urgencyOf(line, today).toFixed(2)],
  },
  id: { columns: ["sign"], sort: ({ sign }) => sign, group: ({ sign }) => [sign] },
  random: {
    columns: ["line"],
    sort: (line, about) => {
      let place = randomPlaces.get(line);
      if (place === undefined) randomPlaces.set(line, (place = randomPlace(line, about)));
      return place;
    },
  },
};

/** @param text after `sort by`. @throws Misread */
export function readSorter(text: string): Sorter {
  const [tag, back, place = "1"] = /^tag( reverse)?(?:\s+(\d{1,4}))?$/i.exec(text) ?? [];
  if (Number(place) === 0) throw new Misread("tags count from 1", "tag 1");
  if (tag !== undefined) return { columns: ["tags"], of: tagKey(Number(place)), reversed: back !== undefined };
  const { row, reversed } = readKey(text, "sort");
  return { columns: row.columns, of: row.sort!, reversed };
}

/** @param text after `group by`. @throws Misread */
export function readGrouper(text: string): Grouper {
  const { name, row, reversed } = readKey(text, "group");
  const isSigned = /^(?:status\.type|priority)$/.test(name) || DAYS.some(([day]) => day === name);
  // The most urgent group is first.
  return { columns: row.columns, of: row.group!, reversed: reversed !== (name === "urgency"), isSigned };
}

function readKey(text: string, use: "sort" | "group") {
  const names = Object.keys(KEYS).filter((one) => KEYS[one]?.[use] !== undefined);
  if (/^function\b/i.test(text)) {
    const [, property] = /^function\s+task\.(?:file\.)?(\w+)$/i.exec(text) ?? [];
    throw new Misread(
      MISREAD.javaScript,
      names.find((one) => property?.toLowerCase().startsWith(one)),
    );
  }
  const [, key = "", reverse] = /^(.*?)( reverse)?$/i.exec(text) ?? [];
  const name = key.toLowerCase();
  if (names.includes(name)) return { name, row: KEYS[name]!, reversed: reverse !== undefined };
  const read = names.find((one) => name.startsWith(one));
  if (read !== undefined && use === "sort") throw new Misread(MISREAD.ignored(text.slice(read.length)), read);
  const verb = { sort: "sorted", group: "grouped" }[use];
  throw new Misread(`tasks cannot be ${verb} by "${key.slice(0, 80)}"`, read ?? nearest(key, names, 1)[0]);
}

const LAST_SORTERS: readonly Sorter[] = [
  ...["status.type", "urgency", "due", "priority", "path"].map((name) => {
    const { columns, sort } = KEYS[name]!;
    return { columns, of: sort!, reversed: false };
  }),
  { columns: [], of: lineNumber, reversed: false },
];

export function columnsOf(sorters: readonly Sorter[], groupers: readonly Grouper[]): readonly LineColumn[] {
  return [...new Set([...sorters, ...groupers, ...LAST_SORTERS].flatMap(({ columns }) => columns))];
}

/** By the user's sorters, then as the plugin does. */
export function lineOrder(sorters: readonly Sorter[], about: About): LineOrder {
  const keys = [...sorters, ...LAST_SORTERS];
  return (one, other) => {
    for (const { of, reversed } of keys) {
      const order = compareKeys(of(one, about), of(other, about));
      if (order !== 0) return reversed ? -order : order;
    }
    return 0;
  };
}

type LineOrder = (one: CheckboxLine, other: CheckboxLine) => number;

function compareKeys(one: number | string, other: number | string): number {
  if (typeof one === "string") return typeof other === "string" ? textOrder.compare(one, other) : -1;
  return typeof other === "string" || one > other ? 1 : one < other ? -1 : 0;
}

/** Most lines are only compared with the last of those kept. */
export function firstOf(lines: readonly CheckboxLine[], count: number, order: LineOrder): CheckboxLine[] {
  let found: CheckboxLine[] = [];
  let last: CheckboxLine | undefined;
  for (const line of lines) {
    if (last !== undefined && order(line, last) >= 0) continue;
    found.push(line);
    if (found.length < 2 * count) continue;
    found = found.sort(order).slice(0, count);
    last = found.at(-1);
  }
  return found.sort(order).slice(0, count);
}

const MAY_BE_MARKED = /^[[*=_]/;
const MARKS = [/^\*\*([^*]+)\*\*/, /^\*([^*]+)\*/, /^==([^=]+)==/, /^__([^_]+)__/, /^_([^_]+)_/];

/** Links, bold and italic text at the beginning sort by what is shown. */
function withoutMarks(description: string): string {
  if (!MAY_BE_MARKED.test(description)) return description;
  const shown = description.replace(/^\[\[?([^\]]*)\]\]?/, (_, inner: string) => inner.slice(inner.indexOf("|") + 1));
  return MARKS.reduce((text, mark) => text.replace(mark, "$1"), shown);
}

const randomPlaces = new WeakMap<CheckboxLine, number>();

/** The plugin's random order, another each day, by the description with the global filter. */
function randomPlace({ line }: CheckboxLine, { today, form }: About): number {
  const text = `${toLocalDate(today)} ${readCheckbox(line, { globalFilter: "", form })?.description ?? ""}`;
  let hash = 9;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 9 ** 9);
  return hash ^ (hash >>> 9);
}

interface LineGroup {
  readonly labels: readonly string[];
  /** Unordered. */
  readonly lines: readonly CheckboxLine[];
}

/** Several keys with many tags multiply. */
export const MAX_GROUPED = 500_000;

interface Branch {
  readonly names: readonly string[];
  readonly lines: CheckboxLine[];
  readonly branches: Map<string, Branch>;
}
const branch = (names: readonly string[]): Branch => ({ names, lines: [], branches: new Map() });

/** Names that need no column of lines are the note's. */
function namesByNote({ of, columns }: Grouper, about: About): (line: CheckboxLine) => readonly string[] {
  if (columns.length > 0) return (line) => of(line, about);
  const known = new Map<NotePlace, readonly string[]>();
  return (line) => {
    const names = known.get(line.note) ?? of(line, about);
    if (!known.has(line.note)) known.set(line.note, names);
    return names;
  };
}

/** @returns undefined when the groups would have more than `MAX_GROUPED` rows */
export function groupsOf(
  lines: readonly CheckboxLine[],
  groupers: readonly Grouper[],
  about: About,
): readonly LineGroup[] | undefined {
  if (groupers.length === 0) return lines.length === 0 ? [] : [{ labels: [], lines }];
  const root = branch([]);
  const leaves: Branch[] = [];
  let count = 0;
  const namesOf = groupers.map((grouper) => namesByNote(grouper, about));
  const add = (parent: Branch, line: CheckboxLine): boolean => {
    const names = namesOf[parent.names.length];
    if (names === undefined) {
      if (parent.lines.length === 0) leaves.push(parent);
      parent.lines.push(line);
      return ++count <= MAX_GROUPED;
    }
    return names(line).every((name) => {
      let own = parent.branches.get(name);
      if (own === undefined) parent.branches.set(name, (own = branch([...parent.names, name])));
      return add(own, line);
    });
  };
  for (const line of lines) if (!add(root, line)) return undefined;
  const byNames = ({ names: one }: Branch, { names: other }: Branch): number => {
    for (const [level, { reversed }] of groupers.entries()) {
      const order = textOrder.compare(one[level] ?? "", other[level] ?? "");
      if (order !== 0) return reversed ? -order : order;
    }
    return 0;
  };
  return leaves.sort(byNames).map(({ names, lines: own }) => ({
    labels: names.map((name, level) => (groupers[level]!.isSigned ? name.replace(HIDDEN_SIGN, "") : name)),
    lines: own,
  }));
}
