/** The documented functions, fields and summaries of Bases, one row each. */
import { nearest } from "../../text/nearest.js";
import type { Evaluation } from "./evaluation.js";
import { BaseFile } from "./files.js";
import { replacePattern, replaceText, splitPattern } from "./operations.js";
import {
  compareValues,
  DateValue,
  Duration,
  type FileValue,
  isEmptyValue,
  isTruthy,
  LinkValue,
  parseDuration,
  parseLink,
  type Pattern,
  type TypeName,
  typeOf,
  typeWord,
  type Value,
} from "./values.js";

export type StaticType = TypeName | "any";
/** Evaluated once for each item. */
type Lambda = () => Value;

export interface BaseFunction {
  /** `lambda` takes an expression; `?` at the end: may be left out; `...`: one or more. */
  readonly parameters: readonly string[];
  readonly returns: StaticType;
  /** A method's value comes before the arguments. */
  readonly run: (env: Evaluation, ...args: never[]) => Value;
}

type Run = BaseFunction["run"];
const method = (parameters: string, returns: StaticType, run: Run): BaseFunction => ({
  parameters: parameters === "" ? [] : parameters.split(" "),
  returns,
  run,
});
type FunctionTable = ReadonlyMap<string, BaseFunction>;
const methods = (rows: Readonly<Record<string, BaseFunction>>): FunctionTable => new Map(Object.entries(rows));

const ANY = methods({
  isTruthy: method("", "boolean", (_, value: Value) => isTruthy(value)),
  isType: method("string", "boolean", (_, value: Value, type: string) => typeOf(value) === type),
  toString: method("", "string", (env, value: Value) => env.made(env.written(value))),
  isEmpty: method("", "boolean", (_, value: Value) => isEmptyValue(value)),
});

const TEXT = methods({
  contains: method("string", "boolean", (_, text: string, part: string) => text.includes(part)),
  containsAll: method("string...", "boolean", (_, text: string, ...parts: string[]) =>
    parts.every((part) => text.includes(part)),
  ),
  containsAny: method("string...", "boolean", (_, text: string, ...parts: string[]) =>
    parts.some((part) => text.includes(part)),
  ),
  endsWith: method("string", "boolean", (_, text: string, part: string) => text.endsWith(part)),
  lower: method("", "string", (env, text: string) => env.made(text.toLowerCase())),
  replace: method("string|regexp string", "string", (env, text: string, part: string | Pattern, by: string) =>
    typeof part === "string" ? replaceText(env, text, part, by) : replacePattern(env, text, part, by),
  ),
  repeat: method("number", "string", (env, text: string, count: number) => {
    const times = Math.max(0, Math.trunc(count));
    env.claim(text.length * times);
    return text.repeat(text === "" ? 0 : times);
  }),
  reverse: method("", "string", (env, text: string) => env.made(Array.from(text).reverse().join(""))),
  slice: method("number number?", "string", (env, text: string, start: number, end?: number) =>
    env.made(text.slice(start, end)),
  ),
  split: method("string|regexp number?", "list", (env, text: string, by: string | Pattern, count?: number) => {
    env.claim(text.length);
    const parts = typeof by === "string" ? text.split(by) : splitPattern(env, text, by);
    return env.made(count === undefined ? parts : parts.slice(0, count >>> 0));
  }),
  startsWith: method("string", "boolean", (_, text: string, part: string) => text.startsWith(part)),
  title: method("", "string", (env, text: string) =>
    env.made(
      text.replace(
        /(^|\s)(\S)(\S*)/g,
        (_, gap: string, first: string, rest: string) => gap + first.toUpperCase() + rest.toLowerCase(),
      ),
    ),
  ),
  trim: method("", "string", (env, text: string) => env.made(text.trim())),
});

const NUMBER = methods({
  abs: method("", "number", (_, value: number) => Math.abs(value)),
  ceil: method("", "number", (_, value: number) => Math.ceil(value)),
  floor: method("", "number", (_, value: number) => Math.floor(value)),
  round: method("number?", "number", (_, value: number, digits = 0) => {
    const factor = 10 ** Math.trunc(digits);
    const rounded = Math.round(value * factor) / factor;
    return Number.isFinite(rounded) ? rounded : value;
  }),
  toFixed: method("number?", "string", (env, value: number, digits = 0) =>
    digits < 0 || digits > 100 ? env.warn(`toFixed(${digits}) is empty`) : value.toFixed(digits),
  ),
});

const DATE = methods({
  date: method("", "date", (env, date: DateValue) => env.zone.dayOf(date)),
  format: method("string", "string", (env, date: DateValue, pattern: string) =>
    env.made(env.zone.format(date, pattern)),
  ),
  time: method("", "string", (env, date: DateValue) => env.zone.time(date)),
  relative: method("", "string", (env, date: DateValue) => env.zone.relative(date)),
});

type List = readonly Value[];

function each<Result>(env: Evaluation, list: List, work: (item: Value) => Result): Result[] {
  const { value, index } = env.locals;
  const results = list.map((item, at) => {
    env.step();
    env.locals.value = item;
    env.locals.index = at;
    return work(item);
  });
  Object.assign(env.locals, { value, index });
  return results;
}

const LIST = methods({
  contains: method("any", "boolean", (env, list: List, wanted: Value) => holds(env, list, wanted)),
  containsAll: method("any...", "boolean", (env, list: List, ...wanted: Value[]) =>
    wanted.every((one) => holds(env, list, one)),
  ),
  containsAny: method("any...", "boolean", (env, list: List, ...wanted: Value[]) =>
    wanted.some((one) => holds(env, list, one)),
  ),
  filter: method("lambda", "list", (env, list: List, test: Lambda) => {
    const holding = each(env, list, () => isTruthy(test()));
    return env.made(list.filter((_, at) => holding[at]));
  }),
  flat: method("", "list", (env, list: List) => env.made(list.flat())),
  join: method("string", "string", (env, list: List, by: string) => {
    const texts = list.map(env.written);
    env.claim(texts.reduce((sum, text) => sum + text.length + by.length, 0));
    return texts.join(by);
  }),
  map: method("lambda", "list", (env, list: List, make: Lambda) => env.made(each(env, list, make))),
  reduce: method("lambda any", "any", (env, list: List, next: Lambda, start: Value) => {
    const { acc } = env.locals;
    env.locals.acc = start;
    each(env, list, () => void (env.locals.acc = next()));
    const result = env.locals.acc;
    Object.assign(env.locals, { acc });
    return result;
  }),
  reverse: method("", "list", (env, list: List) => env.made(list.toReversed())),
  slice: method("number number?", "list", (env, list: List, start: number, end?: number) =>
    env.made(list.slice(start, end)),
  ),
  sort: method("", "list", (env, list: List) => {
    env.touch(list, 4);
    return env.made(list.toSorted((a, b) => compareValues(a, b, env.text)));
  }),
  unique: method("", "list", (env, list: List) => {
    const seen = new Set<string>();
    return env.made(list.filter((item) => seen.size < seen.add(env.key(item)).size));
  }),
});

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

function average(list: List): Value {
  const numbers = list.filter((item) => typeof item === "number");
  return numbers.length === 0 ? null : mean(numbers);
}

/** In summaries alone. */
export const MEAN = method("", "number", (_, list: List) => average(list));

function holds(env: Evaluation, list: List, wanted: Value): boolean {
  if (Array.isArray(wanted)) env.warn("contains compares a list as one item; name the items one by one");
  // Of a link, the text names the target.
  return list.some((item) => {
    const isTarget = item instanceof LinkValue && typeof wanted === "string" && !parseLink(wanted, item.from);
    return env.equal(item, isTarget ? new LinkValue(wanted, undefined, item.from) : wanted);
  });
}

type Reference = string | FileValue | LinkValue;

const LINK = methods({
  asFile: method("", "file", (env, link: LinkValue) => env.fileOf(link) ?? null),
  linksTo: method("file|string|link", "boolean", (env, link: LinkValue, to: Reference) => {
    const file = env.fileOf(link);
    return file !== undefined && linksTo(env, file, to);
  }),
});

const FILE = methods({
  asLink: method("any?", "link", (env, file: FileValue, display?: Value) => linkTo(env, file, display)),
  hasLink: method("file|string|link", "boolean", (env, file: BaseFile, to: Reference) => linksTo(env, file, to)),
  hasProperty: method("string", "boolean", (_, file: BaseFile, name: string) => file.hasProperty(name)),
  hasTag: method("string...", "boolean", (_, file: BaseFile, ...names: string[]) => file.hasTag(names)),
  inFolder: method("string", "boolean", (_, { path }: BaseFile, folder: string) => {
    const name = folder.replace(/^\/+|\/+$/g, "");
    return name === "" || path.startsWith(`${name}/`);
  }),
});

function linksTo(env: Evaluation, file: BaseFile, to: Reference): boolean {
  const target =
    to instanceof LinkValue ? to.target : typeof to === "string" ? (parseLink(to, file.path)?.target ?? to) : to;
  if (typeof target !== "string") return env.files.leads(file, target.path);
  const path = env.files.resolve(target, to instanceof LinkValue ? to.from : file.path);
  if (path !== undefined) return env.files.leads(file, path);
  return [...file.links, ...file.embeds].some((link) => link.target.toLowerCase() === target.toLowerCase());
}

const isNothing = (value: Value | undefined): value is null | undefined => value === undefined || value === null;
const linkIn = (text: string, { path }: FileValue): LinkValue =>
  parseLink(text, path) ?? new LinkValue(text, undefined, path);
const linkTo = (env: Evaluation, { path }: FileValue, display: Value | undefined): LinkValue =>
  new LinkValue(`/${path}`, isNothing(display) ? BaseFile.nameIn(path) : env.text(display), path);

const OBJECT = methods({
  keys: method("", "list", (env, object: ReadonlyMap<string, Value>) => env.made([...object.keys()])),
  values: method("", "list", (env, object: ReadonlyMap<string, Value>) => env.made([...object.values()])),
});

const REGEXP = methods({
  matches: method("string", "boolean", (env, { compiled: { expression, inside } }: Pattern, text: string) => {
    env.step(text.length >> 4);
    return expression.matcher(inside(text)).find();
  }),
});

const shown = (env: Evaluation, value: Value): Value => env.made(env.text(value));

export const GLOBAL = methods({
  escapeHTML: method("string", "string", (env, text: string) =>
    env.made(text.replace(/[&<>"']/g, (mark) => HTML[mark] ?? mark)),
  ),
  date: method("string|date", "date", (env, value: string | DateValue) =>
    typeof value === "string" ? (env.zone.parse(value) ?? env.warn("date() of a text that is no date")) : value,
  ),
  duration: method("string|duration", "duration", (env, value: string | Duration) =>
    typeof value === "string" ? (parseDuration(value) ?? env.warn("duration() of a text that is none")) : value,
  ),
  file: method("string|link|file", "file", (env, value: Reference) => {
    const link = typeof value === "string" ? linkIn(value, env.context) : value;
    return link instanceof LinkValue ? (env.fileOf(link) ?? null) : link;
  }),
  html: method("any", "string", shown),
  image: method("any", "string", shown),
  icon: method("any", "string", shown),
  if: method("any lambda lambda?", "any", (_, test: Value, then: Lambda, otherwise?: Lambda) =>
    isTruthy(test) ? then() : (otherwise?.() ?? null),
  ),
  link: method("string|file|link any?", "link", (env, to: Reference, display?: Value) => {
    if (typeof to !== "string" && !(to instanceof LinkValue)) return linkTo(env, to, display);
    const link = typeof to === "string" ? linkIn(to, env.row) : to;
    return isNothing(display) ? link : new LinkValue(link.target, env.text(display), link.from);
  }),
  list: method("any", "list", (_, value: Value) => (Array.isArray(value) ? value : value === null ? [] : [value])),
  max: method("number...", "number", (_, ...numbers: number[]) => Math.max(...numbers)),
  min: method("number...", "number", (_, ...numbers: number[]) => Math.min(...numbers)),
  now: method("", "date", (env) => env.zone.now),
  number: method("any", "number", (env, value: Value) => {
    if (value === null) return null;
    if (value instanceof DateValue) return value.ms;
    if (value instanceof Duration) return value.length;
    if (typeof value === "boolean" || typeof value === "number") return Number(value);
    const read = typeof value === "string" && value.trim() !== "" ? Number(value) : NaN;
    return Number.isFinite(read)
      ? read
      : env.warn(`number() of a ${typeWord(typeOf(value))} that is no number is empty`);
  }),
  today: method("", "date", (env) => env.zone.dayOf(env.zone.now)),
});
/** They draw, so only a cell can hold them. */
export const DRAWING: ReadonlySet<string> = new Set(["html", "image", "icon"]);

const HTML: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const OF_TYPE: Readonly<Partial<Record<TypeName, FunctionTable>>> = {
  string: TEXT,
  number: NUMBER,
  date: DATE,
  list: LIST,
  link: LINK,
  file: FILE,
  object: OBJECT,
  regexp: REGEXP,
};

export const methodOf = (type: TypeName, name: string): BaseFunction | undefined =>
  OF_TYPE[type]?.get(name) ?? ANY.get(name) ?? (type === "link" ? OF_TYPE.string?.get(name) : undefined);

/** Types that have a function of this name. */
export const typesWith = (name: string): TypeName[] =>
  (Object.keys(OF_TYPE) as TypeName[]).filter((type) => OF_TYPE[type]?.has(name) || ANY.has(name));

export function nearestFunction(name: string, type: StaticType): string | undefined {
  const tables = type === "any" ? Object.values(OF_TYPE) : [OF_TYPE[type] ?? new Map<string, BaseFunction>()];
  return nearest(
    name,
    [...tables, ANY].flatMap((table) => Array.from(table.keys())),
    1,
  )[0];
}

type Field = readonly [type: StaticType, read: (env: Evaluation, self: never) => Value];
const dateField = (name: string): Field => ["number", (env, date: DateValue) => env.zone.field(date, name)];
const total = (unit: number): Field => ["number", (_, { length }: Duration) => length / unit];
const length: Field = ["number", (_, value: string | List) => value.length];

const FIELDS: Readonly<Partial<Record<TypeName, ReadonlyMap<string, Field>>>> = {
  date: new Map(
    ["year", "month", "day", "hour", "minute", "second", "millisecond"].map((name) => [name, dateField(name)]),
  ),
  // Known of Obsidian though not from its help: `(due - today()).days`.
  duration: new Map([
    ["days", total(86_400_000)],
    ["hours", total(3_600_000)],
    ["minutes", total(60_000)],
    ["seconds", total(1000)],
    ["milliseconds", total(1)],
  ]),
  string: new Map([["length", length]]),
  list: new Map([["length", length]]),
  file: new Map<string, Field>([
    ["name", ["string", (env, file: BaseFile) => (env.namesHaveExtension ? file.fullName : file.name)]],
    ["basename", ["string", (_, file: BaseFile) => file.basename]],
    ["path", ["string", (_, file: BaseFile) => file.path]],
    ["folder", ["string", (_, file: BaseFile) => file.folder]],
    ["ext", ["string", (_, file: BaseFile) => file.extension]],
    ["size", ["number", (_, file: BaseFile) => file.size]],
    ["properties", ["object", (_, file: BaseFile) => file.properties]],
    ["tags", ["list", (_, file: BaseFile) => file.tags]],
    ["links", ["list", (_, file: BaseFile) => file.links]],
    ["embeds", ["list", (_, file: BaseFile) => file.embeds]],
    ["backlinks", ["list", (_, file: BaseFile) => file.backlinks]],
    ["ctime", ["date", (_, file: BaseFile) => file.created]],
    ["mtime", ["date", (_, file: BaseFile) => file.modified]],
    ["file", ["file", (_, file: BaseFile) => file]],
  ]),
};

export const fieldOf = (type: TypeName, name: string): Field | undefined => FIELDS[type]?.get(name);
export const nearestField = (type: TypeName, name: string): string | undefined =>
  nearest(name, [...(FIELDS[type]?.keys() ?? [])], 1)[0];

export type Summarise = (env: Evaluation, values: List) => Value;

const numbersIn = (values: List): number[] => values.filter((value) => typeof value === "number").sort((a, b) => a - b);
const datesIn = (values: List): DateValue[] =>
  values.filter((value) => value instanceof DateValue).sort((a, b) => a.ms - b.ms);

const ofNumbers =
  (work: (numbers: readonly number[]) => number): Summarise =>
  (_, values) => {
    const numbers = numbersIn(values);
    return numbers.length === 0 ? null : work(numbers);
  };
const counting =
  (test: (value: Value) => boolean): Summarise =>
  (_, values) =>
    values.filter(test).length;

/** Summaries of a column, by name. */
export const SUMMARIES: ReadonlyMap<string, Summarise> = new Map(
  Object.entries<Summarise>({
    Average: (_, values) => average(values),
    Min: ofNumbers((numbers) => numbers.at(0) ?? 0),
    Max: ofNumbers((numbers) => numbers.at(-1) ?? 0),
    Sum: (_, values) => numbersIn(values).reduce((sum, one) => sum + one, 0),
    Range(_, values) {
      const numbers = numbersIn(values);
      const dates = datesIn(values).map(({ ms }) => ms);
      const [all, other] = numbers.length > 0 ? [numbers, dates] : [dates, []];
      return all.length === 0 || other.length > 0 ? null : (all.at(-1) ?? 0) - (all.at(0) ?? 0);
    },
    Median: ofNumbers((numbers) => {
      const half = numbers.length / 2;
      return mean(numbers.slice(Math.ceil(half) - 1, Math.floor(half) + 1));
    }),
    // The population's.
    Stddev: ofNumbers((numbers) => {
      const centre = mean(numbers);
      return Math.sqrt(mean(numbers.map((one) => (one - centre) ** 2)));
    }),
    Earliest: (_, values) => datesIn(values).at(0) ?? null,
    Latest: (_, values) => datesIn(values).at(-1) ?? null,
    Checked: counting((value) => value === true),
    Unchecked: counting((value) => value === false),
    Empty: counting(isEmptyValue),
    Filled: counting((value) => !isEmptyValue(value)),
    Unique: (env, values) => new Set(values.filter((value) => value !== null).map((value) => env.key(value))).size,
  }),
);
