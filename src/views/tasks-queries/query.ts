/** Reads a tasks query: its statements, with placeholders and presets expanded, and what they say. */
import type { ClauseFault } from "../../errors.js";
import { nearest } from "../../text/nearest.js";
import { type Filter, readFilter, type QueryContext } from "./filters.js";
import { Misread, MISREAD, faultOf } from "../answer.js";
import { type Grouper, readGrouper, readSorter, type Sorter } from "./sort-and-group.js";
import type { TasksQuerySettings } from "../../obsidian/plugin-settings.js";
import type { VaultPath } from "../../storage/path.js";
import { notePlace } from "../../tasks/rows/checkbox-rows.js";

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

export interface TasksQuerySource {
  readonly text: string;
  /** In its note, from 1. */
  readonly firstLine: number;
  /** Of the note. */
  readonly path: VaultPath;
  /** For `TQ_…` and `{{query.file.property('x')}}`. */
  readonly properties: Readonly<Record<string, unknown>>;
}

interface QueryStatement {
  /** With placeholders expanded. */
  readonly text: string;
  /** As written in the query. */
  readonly clause: string;
  readonly place: string;
}

type Source = readonly [text: string, placeOf: (line: number) => string];

const MAX_STATEMENT = 4_000;
const MAX_STATEMENTS = 2_000;
/** Placeholders in expanded placeholders, as in the plugin; and presets in presets. */
const MAX_DEPTH = 10;

export function statementReader(query: TasksQuerySource, settings: TasksQuerySettings) {
  const note = notePlace(query.path);
  const properties: ReadonlyMap<string, unknown> = new Map(
    Object.entries(withTags(query.properties)).map(([key, value]) => [key.toLowerCase(), value]),
  );
  const faults: ClauseFault[] = [];
  let count = 0;

  /** In the plugin's order: the global query, the note's properties, the block. */
  function read(): readonly QueryStatement[] {
    const { text, firstLine } = query;
    const extra = properties.get("tq_extra_instructions");
    const sources: readonly Source[] = [
      // Other TQ_… properties only show and hide.
      [typeof extra === "string" ? extra : "", (line) => `TQ_extra_instructions, line ${line}`],
      [text, (line) => `line ${firstLine + line - 1}`],
    ];
    const own = statements(sources);
    if (own.some((statement) => /^ignore global query$/i.test(statement.text))) return own;
    [faults.length, count] = [0, 0];
    return statements([[settings.globalQuery, (line) => `the global query, line ${line}`], ...sources]);
  }

  /** One text for the plugin: a backslash at a source's end joins the next source. */
  function statements(sources: readonly Source[]): readonly QueryStatement[] {
    const filled = sources.filter(([text]) => text !== "");
    const places = filled.flatMap(([text, placeOf]) => text.split("\n").map((_, at) => placeOf(at + 1)));
    return joinedLines(filled.map(([text]) => text).join("\n")).flatMap(({ text: clause, line }) => {
      const place = places[line - 1] ?? "";
      try {
        return expanded(clause, MAX_DEPTH).map((one) => ({ text: one, clause, place }));
      } catch (error) {
        fault({ clause, place }, error);
        return [];
      }
    });
  }

  /** @throws `error` unless it says why a statement is refused */
  function fault({ clause, place }: Pick<QueryStatement, "clause" | "place">, error: unknown): void {
    if (!(error instanceof Misread)) throw error;
    faults.push(faultOf(clause, place, error));
  }

  /** @throws Misread */
  function expanded(statement: string, depth: number): readonly string[] {
    if (statement.startsWith("#")) return [];
    if (statement.length > MAX_STATEMENT || ++count > MAX_STATEMENTS)
      throw new Misread(`a query has at most ${MAX_STATEMENTS} statements of ${MAX_STATEMENT} characters`);
    let text = statement;
    // In presets the plugin expands once, into one line.
    const isPreset = depth < MAX_DEPTH;
    for (let turn = isPreset ? MAX_DEPTH - 1 : 0; turn < MAX_DEPTH && text.includes("{{"); turn++) {
      const before = text;
      text = text.replace(/\{\{(.*?)\}\}/g, (_, inside: string) => valueOf(inside.trim()));
      if (text.length > MAX_STATEMENT) throw new Misread(`a statement has at most ${MAX_STATEMENT} characters`);
      if (text === before) break;
    }
    if (text.includes("{{")) throw new Misread("a placeholder is not closed, or leads to itself or to another");
    if (isPreset && text.includes("\n")) throw new Misread("a placeholder in a preset has several lines");
    const lines = text === statement ? [text] : joinedLines(text).map((line) => line.text);
    return lines.flatMap((line) => {
      const [, name] = /^preset +(.*)$/i.exec(line) ?? [];
      return name === undefined ? (line.startsWith("#") ? [] : [line]) : preset(name.trim(), depth);
    });
  }

  function preset(name: string, depth: number): readonly string[] {
    const text = presetText(name);
    if (depth === 0) throw new Misread(`the preset "${name}" leads to itself, or to more than ${MAX_DEPTH} others`);
    return joinedLines(text).flatMap((line) => expanded(line.text, depth - 1));
  }

  function presetText(name: string, isPart = false): string {
    const text = settings.presets.get(name);
    if (text !== undefined && (text !== "" || isPart)) return text;
    throw new Misread(`no preset "${name.slice(0, 80)}"`, nearest(name, [...settings.presets.keys()])[0]);
  }

  function valueOf(inside: string): string {
    if (inside.startsWith("!"))
      throw new Misread("the Tasks plugin refuses {{! }} without JavaScript; a comment is a line that begins with #");
    const [, named] = /^preset\.([\w$]+)$/.exec(inside) ?? [];
    if (named !== undefined) return presetText(named, true);
    const [, asks, , name = ""] = /^query\.file\.(property|hasProperty)\((['"])([^'"]*)\2\)$/.exec(inside) ?? [];
    const { path, folder, root, filename, name: bare } = note;
    const known: Readonly<Record<string, string>> = {
      path,
      pathWithoutExtension: path.replace(/\.md$/, ""),
      root,
      folder,
      filename,
      filenameWithoutExtension: bare,
    };
    if (asks !== undefined) {
      const value = properties.get(name.toLowerCase()) ?? undefined;
      if (asks === "hasProperty") return String(value !== undefined);
      if (value !== undefined) return written(value);
      throw new Misread(`the note has no property "${name}"`, nearest(name, Object.keys(query.properties))[0]);
    }
    const [, key = ""] = /^query\.file\.frontmatter\.([\w$]+)$/.exec(inside) ?? [];
    const raw = withTags(query.properties);
    // As in the plugin, nothing for an empty property, and commas between the items of a list.
    if (Object.hasOwn(raw, key))
      return [raw[key]]
        .flat()
        .map((item) => (item === null ? "" : written(item)))
        .join();
    const [, part = ""] = /^query\.file\.(\w+)$/.exec(inside) ?? [];
    if (Object.hasOwn(known, part)) return known[part] ?? "";
    if (!/^[\w$]+(?:\.[\w$]+)*$/.test(inside)) throw new Misread(MISREAD.javaScript);
    const [near] = part === "" ? [] : nearest(part, Object.keys(known), 1);
    throw new Misread(`no placeholder {{${inside.slice(0, 80)}}}`, near && `{{query.file.${near}}}`);
  }

  return { faults, read, fault };
}

function written(value: unknown): string {
  const plain: unknown = Array.isArray(value) ? value.filter((item) => item !== null) : value;
  return typeof plain === "string" ? plain : JSON.stringify(plain);
}

/** Obsidian gives tags as a list, each with `#`. */
function withTags(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const key = Object.keys(properties).find((name) => /^tags?$/i.test(name));
  const value = key === undefined ? undefined : properties[key];
  const list = (Array.isArray(value) ? value : typeof value === "string" ? value.split(/[,\s]+/) : [])
    .filter((tag) => typeof tag === "string" && tag !== "")
    .map((tag: string) => (tag.startsWith("#") ? tag : `#${tag}`));
  return { ...properties, tags: list };
}

/** A backslash at a line's end joins the next line; two are one backslash. */
function joinedLines(text: string): readonly { readonly text: string; readonly line: number }[] {
  const found: { text: string; line: number }[] = [];
  let open: { text: string; line: number } | undefined;
  for (const [at, row] of text.split("\n").entries()) {
    const isJoined = row.endsWith("\\") && !row.endsWith("\\\\");
    const part = open === undefined ? row : row.replace(/^[ \t]*/, "");
    const kept = isJoined ? part.replace(/[ \t]*\\$/, "") : part.endsWith("\\\\") ? part.slice(0, -1) : part;
    open = open === undefined ? { text: kept, line: at + 1 } : { ...open, text: `${open.text} ${kept}` };
    if (isJoined) continue;
    found.push(open);
    open = undefined;
  }
  if (open !== undefined) found.push(open);
  return found
    .map(({ text: joined, line }) => ({ text: joined.trim(), line }))
    .filter(({ text: joined }) => joined !== "");
}
