/** The keys by which queries sort and group, and the groups of an answer. */
import { WEEKDAY_NAMES } from "../../dates/calendar-terms.js";
import { type DayNumber, toLocalDate, weekdayOf } from "../../dates/days.js";
import {
  type CheckboxLine,
  type CheckboxLines,
  happensOn,
  type LineColumn,
  lineNumber,
  STATUS_TYPES,
  textOrder,
} from "../../tasks/rows/checkbox-rows.js";
import { CHECKBOX_DAYS, CHECKBOX_PRIORITIES, INVALID_DAY } from "../../tasks/rows/checkbox-subject.js";
import { remembered } from "../../text/fold.js";
import { nearest } from "../../text/nearest.js";
import { Misread, MISREAD } from "../answer.js";
import { URGENCY, urgencyOf } from "./urgency.js";

/** A number for each line; lines sort as these do. */
type SortKey = (lines: CheckboxLines, today: DayNumber) => Float64Array;
/** Group names, with the plugin's hidden signs, which decide the order of groups. */
type GroupKey = (line: CheckboxLine, today: DayNumber) => readonly string[];

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

function numbers(value: (line: CheckboxLine, today: DayNumber) => number): SortKey {
  return (lines, today) => {
    const keys = new Float64Array(lines.ids.length);
    for (let at = 0; at < keys.length; at++) keys[at] = value(lines.line(at), today);
    return keys;
  };
}

function texts(value: (line: CheckboxLine) => string): SortKey {
  return (lines) => ranks(lines.ids.map((_, at) => value(lines.line(at))));
}

/** Texts that compare as equal have one rank. */
function ranks(values: readonly string[]): Float64Array {
  const known = new Map<string, number>();
  let [before, rank] = ["", 0];
  for (const text of [...new Set(values)].sort(textOrder.compare)) {
    if (textOrder.compare(before, text) !== 0) rank += 1;
    known.set(text, rank);
    before = text;
  }
  return Float64Array.from(values, (text) => known.get(text) ?? 0);
}

/** By the n-th tag: lines with fewer tags come after those with it, and lines without tags last. */
function tagKey(place: number): SortKey {
  return (lines) =>
    ranks(lines.ids.map((_, at) => lines.line(at).tags[place - 1] ?? "")).map((rank, at) => {
      const { length } = lines.line(at).tags;
      return length === 0 ? Infinity : length < place ? Number.MAX_VALUE : rank;
    });
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
const escaped = remembered((text) => text.replace(/[\\_]/g, "\\$&"));

const STATUS: readonly LineColumn[] = ["symbol"];

/** In the order of advice. */
const KEYS: Readonly<Record<string, KeyRow>> = {
  "status.name": {
    columns: STATUS,
    sort: texts(({ status }) => status.name),
    group: ({ status }) => [status.name],
  },
  "status.type": {
    columns: STATUS,
    sort: numbers(statusRank),
    group: (line) => [`%%${statusRank(line) + 1}%%${line.status.type}`],
  },
  status: {
    columns: STATUS,
    sort: numbers(({ status }) => Number(status.isDone)),
    group: ({ status }) => [status.isDone ? "Done" : "Todo"],
  },
  recurring: {
    columns: ["rule"],
    sort: numbers(({ rule }) => Number(rule === "")),
    group: ({ rule }) => [rule === "" ? "Not Recurring" : "Recurring"],
  },
  priority: {
    columns: ["priority"],
    sort: numbers(({ priority }) => priority),
    group: ({ priority }) => [PRIORITY_NAMES[priority] ?? ""],
  },
  ...Object.fromEntries(
    DAYS.map(([name, day, columns]) => [
      name,
      { columns, sort: numbers((line) => day(line) ?? Infinity), group: dayNames(name, day) },
    ]),
  ),
  path: {
    columns: [],
    sort: numbers(({ note }) => note.order),
    group: ({ note }) => [escaped(note.path.replace(".md", ""))],
  },
  folder: { columns: [], group: ({ note }) => [escaped(note.folder)] },
  root: { columns: [], group: ({ note }) => [escaped(note.root)] },
  filename: {
    columns: [],
    sort: texts(({ note }) => note.filename),
    group: ({ note }) => [`[[${note.name}]]`],
  },
  backlink: {
    columns: ["heading"],
    group: ({ note: { name }, heading }) => [
      heading === "" ? `[[${name}]]` : `[[${name}#${heading}|${name} > ${heading}]]`,
    ],
  },
  description: { columns: ["description"], sort: texts(({ description }) => withoutMarks(description)) },
  heading: {
    columns: ["heading"],
    sort: texts(({ heading }) => heading),
    group: ({ heading }) => [heading === "" ? "(No heading)" : heading],
  },
  tag: { columns: ["tags"], sort: tagKey(1) },
  tags: { columns: ["tags"], group: ({ tags }) => (tags.length === 0 ? ["(No tags)"] : tags) },
  recurrence: { columns: ["rule"], group: ({ rule }) => [rule === "" ? "None" : rule] },
  urgency: {
    columns: URGENCY,
    sort: numbers((line, today) => -urgencyOf(line, today)),
    group: (line, today) => [urgencyOf(line, today).toFixed(2)],
  },
  id: { columns: ["sign"], sort: texts(({ sign }) => sign), group: ({ sign }) => [sign] },
  random: {
    columns: ["description"],
    sort: numbers(({ description }, today) => shuffled(`${toLocalDate(today)} ${description}`)),
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
  if (/^function\b/i.test(text)) throw new Misread(MISREAD.javaScript);
  const [, key = "", reverse] = /^(.*?)( reverse)?$/i.exec(text) ?? [];
  const name = key.toLowerCase();
  const names = Object.keys(KEYS).filter((one) => KEYS[one]?.[use] !== undefined);
  if (names.includes(name)) return { name, row: KEYS[name]!, reversed: reverse !== undefined };
  const read = names.find((one) => name.startsWith(one));
  if (read !== undefined && use === "sort") throw new Misread(MISREAD.ignored(text.slice(read.length)), read);
  const verb = { sort: "sorted", group: "grouped" }[use];
  throw new Misread(`tasks cannot be ${verb} by "${key.slice(0, 80)}"`, read ?? nearest(key, names, 1)[0]);
}

const LAST_SORTERS = ["status.type", "urgency", "due", "priority", "path"].map((name) => KEYS[name]!);

export function columnsOf(sorters: readonly Sorter[], groupers: readonly Grouper[]): readonly LineColumn[] {
  return [...new Set([...sorters, ...groupers, ...LAST_SORTERS].flatMap(({ columns }) => columns))];
}

/** Places of the lines, by the user's sorters, then as the plugin does. */
export function sorted(lines: CheckboxLines, sorters: readonly Sorter[], today: DayNumber): Uint32Array {
  const keys = [
    ...sorters.map(({ of, reversed }) => (reversed ? of(lines, today).map((value) => -value) : of(lines, today))),
    ...[...LAST_SORTERS.map(({ sort }) => sort!), numbers(lineNumber)].map((of) => of(lines, today)),
  ];
  return Uint32Array.from(lines.ids.keys()).sort((one, other) => {
    for (const values of keys) if (values[one] !== values[other]) return values[one]! < values[other]! ? -1 : 1;
    return 0;
  });
}

const MARKS = [/^\*\*([^*]+)\*\*/, /^\*([^*]+)\*/, /^==([^=]+)==/, /^__([^_]+)__/, /^_([^_]+)_/];

/** A link, bold and italic text at the beginning sort by what is shown. */
function withoutMarks(description: string): string {
  const shown = description.replace(/^\[\[?([^\]]*)\]\]?/, (_, inner: string) => inner.slice(inner.indexOf("|") + 1));
  return MARKS.reduce((text, mark) => text.replace(mark, "$1"), shown);
}

/** The plugin's order at random, another each day. */
function shuffled(text: string): number {
  let hash = 9;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 9 ** 9);
  return hash ^ (hash >>> 9);
}

export interface LineGroup {
  readonly labels: readonly string[];
  /** Places of lines. */
  readonly lines: readonly number[];
}

/** Several keys with many tags multiply. */
export const MAX_GROUPED = 500_000;

interface Branch {
  readonly names: readonly string[];
  readonly lines: number[];
  readonly branches: Map<string, Branch>;
}
const branch = (names: readonly string[]): Branch => ({ names, lines: [], branches: new Map() });

/** A line belongs to each group that it names. @returns undefined when the groups would have more rows than `MAX_GROUPED` */
export function groupsOf(
  lines: CheckboxLines,
  places: readonly number[],
  {
    groupers,
    limit,
    today,
  }: { readonly groupers: readonly Grouper[]; readonly limit: number; readonly today: DayNumber },
): readonly LineGroup[] | undefined {
  if (groupers.length === 0) return places.length === 0 ? [] : [{ labels: [], lines: places }];
  const root = branch([]);
  const leaves: Branch[] = [];
  let count = 0;
  const add = (parent: Branch, place: number): boolean => {
    const grouper = groupers[parent.names.length];
    if (grouper === undefined) {
      if (parent.lines.length === 0) leaves.push(parent);
      if (parent.lines.length < Math.max(limit, 1)) parent.lines.push(place);
      return ++count <= MAX_GROUPED;
    }
    return grouper.of(lines.line(place), today).every((name) => {
      let own = parent.branches.get(name);
      if (own === undefined) parent.branches.set(name, (own = branch([...parent.names, name])));
      return add(own, place);
    });
  };
  for (const place of places) if (!add(root, place)) return undefined;
  const byNames = ({ names: one }: Branch, { names: other }: Branch): number => {
    for (const [level, { reversed }] of groupers.entries()) {
      const order = textOrder.compare(one[level] ?? "", other[level] ?? "");
      if (order !== 0) return reversed ? -order : order;
    }
    return 0;
  };
  return leaves.sort(byNames).map(({ names, lines: own }) => ({
    labels: names.map((name, level) => (groupers[level]!.isSigned ? name.replace(HIDDEN_SIGN, "") : name)),
    lines: own.slice(0, limit),
  }));
}
