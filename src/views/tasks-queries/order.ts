/** The keys by which queries sort and group, and the groups of an answer. */
import { WEEKDAY_NAMES } from "../../dates/calendar-terms.js";
import { type DayNumber, toLocalDate, weekdayOf } from "../../dates/days.js";
import { happensOn, type CheckboxLine, lineNumber, STATUS_TYPES, textOrder } from "../../tasks/rows/checkbox-rows.js";
import { CHECKBOX_DAYS, CHECKBOX_PRIORITIES, INVALID_DAY } from "../../tasks/rows/checkbox-subject.js";
import { nearest } from "../../text/nearest.js";
import { Misread, MISREAD } from "./misread.js";

/** A number for each line; lines sort as these do. */
type SortKey = (lines: readonly CheckboxLine[], today: DayNumber) => Float64Array;
/** Group names, with the plugin's hidden signs, which decide the order of groups. */
type GroupKey = (line: CheckboxLine, today: DayNumber) => readonly string[];

interface Key<Of> {
  readonly name: string;
  readonly of: Of;
  readonly reversed: boolean;
  readonly readsTexts: boolean;
}
export type Sorter = Key<SortKey>;
export type Grouper = Key<GroupKey>;

function numbers(value: (line: CheckboxLine, today: DayNumber) => number): SortKey {
  return (lines, today) => Float64Array.from(lines, (line) => value(line, today));
}

function texts(value: (line: CheckboxLine) => string): SortKey {
  return (lines) => ranks(lines.map(value));
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
    ranks(lines.map(({ tags }) => tags[place - 1] ?? "")).map((rank, at) => {
      const { length } = lines[at]!.tags;
      return length === 0 ? Infinity : length < place ? Number.MAX_VALUE : rank;
    });
}

type DayOf = (line: CheckboxLine) => DayNumber | null;
const DAYS: readonly (readonly [name: string, day: DayOf])[] = [
  ["happens", happensOn],
  ...CHECKBOX_DAYS.map((name) => [name, (line: CheckboxLine) => line[name]] as const),
];
const statusRank = ({ status }: CheckboxLine): number => (STATUS_TYPES as readonly string[]).indexOf(status.type);

const SORT_KEYS: Readonly<Record<string, SortKey>> = {
  "status.name": texts(({ status }) => status.name),
  "status.type": numbers(statusRank),
  status: numbers(({ status }) => Number(status.isDone)),
  recurring: numbers(({ rule }) => Number(rule === "")),
  priority: numbers(({ priority }) => priority),
  ...Object.fromEntries(DAYS.map(([name, day]) => [name, numbers((line) => day(line) ?? Infinity)])),
  path: numbers(({ note }) => note.order),
  description: texts(({ description }) => withoutMarks(description)),
  heading: texts(({ heading }) => heading),
  filename: texts(({ note }) => note.filename),
  urgency: numbers((line, today) => -urgencyOf(line, today)),
  id: texts(({ sign }) => sign),
  random: numbers(({ description }, today) => shuffled(`${toLocalDate(today)} ${description}`)),
};

const SIGNED: ReadonlySet<string> = new Set(["status.type", "priority", ...DAYS.map(([name]) => name)]);
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

const GROUP_KEYS: Readonly<Record<string, GroupKey>> = {
  "status.name": ({ status }) => [status.name],
  "status.type": (line) => [`%%${statusRank(line) + 1}%%${line.status.type}`],
  status: ({ status }) => [status.isDone ? "Done" : "Todo"],
  recurring: ({ rule }) => [rule === "" ? "Not Recurring" : "Recurring"],
  priority: ({ priority }) => [PRIORITY_NAMES[priority] ?? ""],
  ...Object.fromEntries(DAYS.map(([name, day]) => [name, dayNames(name, day)])),
  path: ({ note }) => [escaped(note.path.replace(".md", ""))],
  folder: ({ note }) => [escaped(note.folder)],
  root: ({ note }) => [escaped(note.root)],
  filename: ({ note }) => [`[[${note.name}]]`],
  backlink: ({ note: { name }, heading }) => [
    heading === "" ? `[[${name}]]` : `[[${name}#${heading}|${name} > ${heading}]]`,
  ],
  heading: ({ heading }) => [heading === "" ? "(No heading)" : heading],
  tags: ({ tags }) => (tags.length === 0 ? ["(No tags)"] : tags),
  recurrence: ({ rule }) => [rule === "" ? "None" : rule],
  urgency: (line, today) => [urgencyOf(line, today).toFixed(2)],
  id: ({ sign }) => [sign],
};

/** @param text after `sort by`. @throws Misread */
export function readSorter(text: string): Sorter {
  const [tag, reverse, place = "1"] = /^tag( reverse)?(?:\s+(\d{1,4}))?$/i.exec(text) ?? [];
  if (tag !== undefined)
    return { name: "tag", of: tagKey(Number(place)), reversed: reverse !== undefined, readsTexts: false };
  return readKey(text, { ...SORT_KEYS, tag: tagKey(1) }, "sorted");
}

/** @param text after `group by`. @throws Misread */
export function readGrouper(text: string): Grouper {
  const key = readKey(text, GROUP_KEYS, "grouped");
  // The most urgent group is first.
  return key.name === "urgency" ? { ...key, reversed: !key.reversed } : key;
}

const READING_TEXTS: ReadonlySet<string> = new Set(["description", "heading", "random", "backlink"]);

function readKey<Of>(text: string, keys: Readonly<Record<string, Of>>, verb: string): Key<Of> {
  if (/^function\b/i.test(text)) throw new Misread(MISREAD.javaScript);
  const [, key = "", reverse] = /^(.*?)( reverse)?$/i.exec(text) ?? [];
  const name = key.toLowerCase();
  if (Object.hasOwn(keys, name))
    return { name, of: keys[name]!, reversed: reverse !== undefined, readsTexts: READING_TEXTS.has(name) };
  const names = Object.keys(keys);
  const read = names.find((one) => name.startsWith(one));
  if (read !== undefined && verb === "sorted") throw new Misread(MISREAD.ignored(text.slice(read.length)), read);
  throw new Misread(`tasks cannot be ${verb} by "${key.slice(0, 80)}"`, read ?? nearest(key, names, 1)[0]);
}

/** By the user's sorters, then as the plugin does. */
export function sorted(
  lines: readonly CheckboxLine[],
  sorters: readonly Sorter[],
  today: DayNumber,
): readonly CheckboxLine[] {
  const own = ["status.type", "urgency", "due", "priority", "path"].map((name) => SORT_KEYS[name]!);
  const keys = [
    ...sorters.map(({ of, reversed }) => (reversed ? of(lines, today).map((value) => -value) : of(lines, today))),
    ...[...own, numbers(lineNumber)].map((of) => of(lines, today)),
  ];
  const order = Uint32Array.from(lines.keys()).sort((one, other) => {
    for (const values of keys) if (values[one] !== values[other]) return values[one]! < values[other]! ? -1 : 1;
    return 0;
  });
  return Array.from(order, (at) => lines[at]!);
}

const URGENCY_OF_PRIORITY = [1.5 * 6, 1 * 6, 0.65 * 6, 0.325 * 6, 0, -0.3 * 6];

/** The plugin's figure: up to 12 for a due day, 5 for a scheduled day that has come, -3 before the start. */
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
  readonly lines: readonly CheckboxLine[];
}

/** Several keys with many tags multiply. */
export const MAX_GROUPED = 500_000;

/** A line belongs to each group that it names. @returns undefined when the groups would have more rows than that */
export function groupsOf(
  lines: readonly CheckboxLine[],
  groupers: readonly Grouper[],
  limit: number,
  today: DayNumber,
): readonly LineGroup[] | undefined {
  if (groupers.length === 0) return lines.length === 0 ? [] : [{ labels: [], lines }];
  const groups = new Map<string, { readonly names: readonly string[]; readonly lines: CheckboxLine[] }>();
  let count = 0;
  for (const line of lines) {
    let paths: readonly (readonly string[])[] = [[]];
    for (const { of } of groupers) {
      const further = of(line, today);
      count += paths.length * (further.length - 1);
      if (count > MAX_GROUPED) return undefined;
      paths = paths.flatMap((path) => further.map((name) => path.concat(name)));
    }
    for (const names of paths) {
      const key = names.join("\n");
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { names, lines: [line] });
      else if (group.lines.length < limit) group.lines.push(line);
    }
  }
  const byNames = ({ names: one }: { names: readonly string[] }, { names: other }: { names: readonly string[] }) => {
    for (const [level, { reversed }] of groupers.entries()) {
      const order = textOrder.compare(one[level] ?? "", other[level] ?? "");
      if (order !== 0) return reversed ? -order : order;
    }
    return 0;
  };
  return [...groups.values()].toSorted(byNames).map(({ names, lines: own }) => ({
    labels: names.map((name, level) => (SIGNED.has(groupers[level]!.name) ? name.replace(HIDDEN_SIGN, "") : name)),
    lines: own.slice(0, limit),
  }));
}
