/** Reads a base: its views, and one view checked as a whole so that nothing is silently ignored. */
import { readYamlTree, type YamlEntry, type YamlTree } from "../../markdown/frontmatter/yaml-reader.js";
import type { ClauseFault } from "../../errors.js";
import { nearest } from "../../text/nearest.js";
import { faultOf, Misread, RefusedView } from "../answer.js";
import { compile, type Compiled, fieldIn, formulaOf, propertyOf, type NameScope } from "./compile.js";
import { type Expression, parseExpression } from "./parse.js";
import { fieldOf, SUMMARIES } from "./functions.js";
import type { BaseSource, CheckedView, Column, SortKey, Test } from "./run.js";
import { isTruthy, type Value } from "./values.js";
import type { Evaluation } from "./evaluation.js";

const MAX_SOURCE = 64 * 1024;
const MAX_VIEWS = 200;
const MAX_FAULTS = 5;
/** Formulas that use each other. */
const MAX_CHAIN = 64;

const TOP_KEYS = ["filters", "formulas", "properties", "summaries", "views"];
const VIEW_KEYS = ["type", "name", "filters", "order", "sort", "groupBy", "limit", "summaries"];
/** They only draw. */
const DRAWN = (
  "columnSize rowHeight image imageFit imageAspectRatio cardSize markers indentProperties nestedProperties separator " +
  "display center coordinates defaultZoom mapHeight mapTiles mapTilesDark markerColor markerIcon maxZoom minZoom"
).split(" ");
const TYPES: ReadonlySet<string> = new Set(["table", "cards", "list", "map"]);

/** Undefined for a text that is no base. */
export function viewNames(text: string): readonly string[] | undefined {
  if (text.length > MAX_SOURCE) return undefined;
  const tree = readYamlTree(text);
  if ("message" in tree || (tree.kind !== "map" && !isNothing(tree))) return undefined;
  const views = entriesOf(tree).find(({ key }) => key === "views")?.value;
  return views?.kind === "list" ? views.items.map((view, at) => nameOf(view, at)) : [DEFAULT_NAME];
}

const DEFAULT_NAME = "Table";
const isNothing = (tree: YamlTree): boolean => tree.kind === "scalar" && tree.value === null;
const entriesOf = (tree: YamlTree | undefined): readonly YamlEntry[] => (tree?.kind === "map" ? tree.entries : []);
const textOf = (tree: YamlTree | undefined): string | undefined =>
  tree?.kind === "scalar" && tree.value !== null ? String(tree.value) : undefined;
const nameOf = (view: YamlTree, at: number): string =>
  textOf(entriesOf(view).find(({ key }) => key === "name")?.value) ?? `${at + 1}`;

/**
 * @param wanted its name; undefined: the first
 * @throws RefusedView
 */
export function readBase(source: BaseSource, wanted: string | undefined): CheckedView {
  return new BaseReader(source).view(wanted);
}

type Place = readonly [path: string, line: number];

class BaseReader {
  readonly #faults: ClauseFault[] = [];
  readonly #firstLine: number;
  readonly #top: ReadonlyMap<string, YamlEntry>;
  readonly #formulas = new Map<string, YamlEntry>();
  readonly #compiled = new Map<string, Compiled | "open">();
  readonly #names = new Map<string, string>();
  #isOfTaskNotes = false;

  constructor({ text, firstLine }: BaseSource) {
    this.#firstLine = firstLine;
    if (Buffer.byteLength(text) > MAX_SOURCE)
      this.#end("base", ["base", 1], `the source is larger than ${MAX_SOURCE / 1024} KiB`);
    const tree = readYamlTree(text);
    if ("message" in tree) this.#end(lineOf(text, tree.line), ["YAML", tree.line], tree.message);
    else if (tree.kind !== "map" && !isNothing(tree))
      this.#end(lineOf(text, 1), ["base", 1], "a base is a mapping of keys");
    this.#top = this.#map("", tree, TOP_KEYS);
    for (const entry of this.#entries("formulas", this.#top.get("formulas")?.value))
      this.#formulas.set(entry.key, entry);
    this.#readNames();
  }

  view(wanted: string | undefined): CheckedView {
    const views = this.#top.get("views")?.value;
    if (views && views.kind !== "list" && !isNothing(views))
      this.#fault("views", ["views", views.line], "views is a list");
    const items = views?.kind === "list" ? views.items : [];
    if (items.length > MAX_VIEWS)
      this.#end("views", ["views", views?.line ?? 1], `${items.length} views are more than ${MAX_VIEWS}`);
    const names = items.map(nameOf);
    const at = wanted === undefined ? 0 : this.#find(wanted, names);
    const item: YamlTree = items[at] ?? { kind: "map", entries: [], line: 1 };
    const path = `views[${at}]`;
    const warnings: string[] = [];
    const type = entriesOf(item).find(({ key }) => key === "type");
    const isOwn = type === undefined || TYPES.has(textOf(type.value) ?? "");
    this.#isOfTaskNotes = textOf(type?.value)?.startsWith("tasknotes") === true;
    if (type && (type.value.kind !== "scalar" || typeof type.value.value !== "string"))
      this.#fault(`type: ${clauseOf(type.value)}`, [`${path}.type`, type.line], "a type is a text");
    else if (!isOwn) warnings.push(`The options of the view type ${textOf(type?.value)} itself are not applied.`);
    const keys = this.#map(path, item, isOwn ? [...VIEW_KEYS, ...DRAWN] : undefined);
    const filters = [
      ...this.#filter("filters", this.#top.get("filters")?.value, "filters"),
      ...this.#filter(`${path}.filters`, keys.get("filters")?.value, "filters"),
    ];
    const order = this.#items(`${path}.order`, keys.get("order")?.value).map((one) => textOf(one) ?? "");
    const foreign = isOwn ? [] : order.filter((id) => !isOfBases(id));
    if (foreign.length > 0) warnings.push(`Left out, as Bases has no such column: ${foreign.join(", ")}.`);
    const columns = (order.length > 0 ? order : ["file.name"]).flatMap((id) =>
      foreign.includes(id) ? [] : this.#column(id, [`${path}.order`, keys.get("order")?.line ?? item.line], true),
    );
    const view: CheckedView = {
      place: `${path}, line ${item.line + this.#firstLine - 1}`,
      name: items.length === 0 ? DEFAULT_NAME : (names[at] ?? ""),
      columns,
      filters,
      sort: this.#items(`${path}.sort`, keys.get("sort")?.value).flatMap((one, place) =>
        this.#sortKey(`${path}.sort[${place}]`, one, true),
      ),
      group: this.#group(`${path}.groupBy`, keys.get("groupBy")?.value),
      limit: this.#limit(`${path}.limit`, keys.get("limit")),
      summaries: this.#entries(`${path}.summaries`, keys.get("summaries")?.value).flatMap((entry) =>
        this.#summary(`${path}.summaries`, entry),
      ),
      warnings,
    };
    if (this.#faults.length > 0) throw new RefusedView(this.#faults);
    return view;
  }

  #find(wanted: string, names: readonly string[]): number {
    const all = names.length === 0 ? [DEFAULT_NAME] : names;
    const exact = all.indexOf(wanted);
    const at = exact === -1 ? all.findIndex((name) => name.toLowerCase() === wanted.trim().toLowerCase()) : exact;
    if (at !== -1) return at;
    const listed = all.slice(0, 20).join(", ");
    return this.#end(
      wanted,
      ["views", this.#top.get("views")?.line ?? 1],
      `no view of this name; the views are ${listed}`,
      nearest(wanted, all, 1)[0],
    );
  }

  #end(clause: string, place: Place, reason: string, near?: string): never {
    this.#fault(clause, place, reason, near);
    throw new RefusedView(this.#faults);
  }

  #fault(clause: string, place: Place, reason: string, near?: string): void {
    if (this.#faults.length < MAX_FAULTS) this.#faults.push(this.#faultOf(clause, place, new Misread(reason, near)));
  }

  #faultOf(clause: string, [path, line]: Place, why: Misread): ClauseFault {
    return faultOf(clause, `${path}, line ${line + this.#firstLine - 1}`, why);
  }

  /** Entries by key. @param known undefined: other keys are a plugin's */
  #map(path: string, tree: YamlTree, known: readonly string[] | undefined): ReadonlyMap<string, YamlEntry> {
    const entries = this.#entries(path, tree);
    for (const { key, line } of entries)
      if (known && !known.includes(key))
        this.#fault(key, [path === "" ? key : `${path}.${key}`, line], `no key ${key} here`, nearest(key, known, 1)[0]);
    return new Map(entries.map((entry) => [entry.key, entry]));
  }

  #entries(path: string, tree: YamlTree | undefined): readonly YamlEntry[] {
    if (tree && tree.kind !== "map" && !isNothing(tree))
      this.#fault(clauseOf(tree), [path, tree.line], "it is no mapping of keys");
    return entriesOf(tree);
  }

  #items(path: string, tree: YamlTree | undefined): readonly YamlTree[] {
    if (tree?.kind === "list") return tree.items;
    if (tree && !isNothing(tree)) this.#fault(clauseOf(tree), [path, tree.line], "it is no list");
    return [];
  }

  #readNames(): void {
    for (const { key, value } of this.#entries("properties", this.#top.get("properties")?.value)) {
      const name = textOf(this.#map(`properties.${key}`, value, ["displayName"]).get("displayName")?.value);
      if (name !== undefined) this.#names.set(idOf(key), name);
    }
  }

  /** An empty list filters nothing. */
  #filter(path: string, tree: YamlTree | undefined, key: string): Test[] {
    if (tree === undefined || isNothing(tree)) return [];
    if (tree.kind === "scalar" && typeof tree.value === "string") return this.#statement(path, tree.value, tree.line);
    if (tree.kind !== "map") {
      this.#fault(
        `${key}: ${clauseOf(tree)}`,
        [path, tree.line],
        "a filter is a text, or one of and, or, not with a list",
      );
      return [];
    }
    const [entry, another] = tree.entries;
    if (!entry || another) {
      const clause = tree.entries.map(({ key: one }) => one).join(", ") || "{}";
      this.#fault(clause, [path, tree.line], "a filter has exactly one of and, or, not");
      return [];
    }
    const kind = (["and", "or", "not"] as const).find((one) => one === entry.key);
    if (kind === undefined) {
      this.#fault(entry.key, [path, entry.line], `no conjunction ${entry.key}; there are and, or, not`);
      return [];
    }
    const given = this.#items(`${path}.${kind}`, entry.value);
    const parts = given.flatMap((item, at) => this.#filter(`${path}.${kind}[${at}]`, item, kind));
    if (parts.length === 0) return [];
    const holds = parts.map(({ test }) => test);
    const tests = {
      and: (env: Evaluation) => holds.every((test) => test(env)),
      or: (env: Evaluation) => holds.some((test) => test(env)),
      not: (env: Evaluation) => !holds.some((test) => test(env)),
    };
    const usesName = parts.some((part) => part.usesName);
    return [{ test: tests[kind], tree: { kind, parts: parts.map(({ tree: part }) => part) }, usesName }];
  }

  #statement(path: string, text: string, line: number): Test[] {
    const found = this.#compile(text, [path, line], { isCell: false });
    if (!found) return [];
    const { expression, run } = found;
    const usesName = /\bname\b|\bformula\b/.test(text);
    const test = (env: Evaluation): boolean => {
      env.begin();
      return isTruthy(run(env));
    };
    return [{ test, tree: { kind: "statement", expression }, usesName }];
  }

  #compile(
    text: string,
    place: Place,
    more: Partial<NameScope>,
  ): (Compiled & { readonly expression: Expression }) | undefined {
    try {
      const expression = parseExpression(text);
      const compiled = compile(expression, this.#scope(more));
      return { ...compiled, run: (env) => this.#located(text, place, () => compiled.run(env)), expression };
    } catch (error) {
      if (!(error instanceof Misread)) throw error;
      this.#fault(text, place, error.message, error.nearest);
      return undefined;
    }
  }

  /** @throws RefusedView for a limit exceeded while it runs */
  #located(text: string, place: Place, run: () => Value): Value {
    try {
      return run();
    } catch (error) {
      throw error instanceof Misread ? new RefusedView([this.#faultOf(text, place, error)]) : error;
    }
  }

  #scope(more: Partial<NameScope>): NameScope {
    const { isCell = false } = more;
    return {
      locals: [],
      isCell,
      formulas: [...this.#formulas.keys()],
      formula: (name) => this.#formula(name, isCell),
      ...more,
    };
  }

  /** Faults of a formula are listed at its own place. */
  #formula(name: string, isCell: boolean): Compiled | undefined {
    const entry = this.#formulas.get(name);
    if (!entry) return undefined;
    const key = `${isCell ? "cell" : "other"} ${name}`;
    const known = this.#compiled.get(key);
    if (known === "open") throw new Misread(`formula ${name} uses itself, perhaps by another formula`);
    if (known) return known;
    if ([...this.#compiled.values()].filter((one) => one === "open").length >= MAX_CHAIN)
      throw new Misread(`formulas use each other more than ${MAX_CHAIN} levels deep`);
    this.#compiled.set(key, "open");
    const text = textOf(entry.value);
    const place: Place = [`formulas.${name}`, entry.value.line];
    if (text === undefined) this.#fault(`${name}: ${clauseOf(entry.value)}`, place, "a formula is a text");
    const found = (text === undefined ? undefined : this.#compile(text, place, { isCell })) ?? {
      type: "any",
      run: () => null,
    };
    this.#compiled.set(key, found);
    return found;
  }

  #column(id: string, [path, line]: Place, isCell: boolean): Column[] {
    const property = idOf(this.#isOfTaskNotes ? id.replace(/^task\./, "") : id);
    try {
      const { run } = this.#property(property, isCell);
      return [{ name: this.#names.get(property) ?? id, isFormula: property.startsWith("formula."), read: run }];
    } catch (error) {
      if (!(error instanceof Misread)) throw error;
      this.#fault(id, [path, line], error.message, error.nearest);
      return [];
    }
  }

  #property(id: string, isCell: boolean): Compiled {
    const scope = this.#scope({ isCell });
    const [, kind, name = ""] = /^(note|file|formula)\.(.+)$/s.exec(id) ?? [];
    if (kind === "formula") return formulaOf(name, scope);
    return kind === "file" ? fieldIn(compile(parseExpression("file"), scope), name) : propertyOf(name);
  }

  #sortKey(path: string, tree: YamlTree, isList: boolean): SortKey[] {
    const keys = this.#map(path, tree, isList ? ["property", "column", "direction"] : ["property", "direction"]);
    const entry = keys.get("property") ?? keys.get("column");
    const id = textOf(entry?.value);
    const direction = keys.get("direction");
    const way =
      direction === undefined || isNothing(direction.value) ? "ASC" : (textOf(direction.value) ?? "").toUpperCase();
    if (way !== "ASC" && way !== "DESC")
      this.#fault(
        `direction: ${direction ? clauseOf(direction.value) : ""}`,
        [path, direction?.line ?? tree.line],
        "a direction is ASC or DESC",
      );
    if (id === undefined) {
      if (tree.kind === "map") this.#fault(clauseOf(tree), [path, tree.line], "it names no property");
      return [];
    }
    return this.#column(id, [path, entry?.line ?? tree.line], false).map(({ read }) => ({
      read,
      isDescending: way === "DESC",
    }));
  }

  #group(path: string, tree: YamlTree | undefined): SortKey | undefined {
    if (tree === undefined || isNothing(tree)) return undefined;
    return this.#sortKey(path, tree, false)[0];
  }

  #limit(path: string, entry: YamlEntry | undefined): number | undefined {
    if (entry === undefined || isNothing(entry.value)) return undefined;
    const value = entry.value.kind === "scalar" ? entry.value.value : undefined;
    if (typeof value === "number" && Number.isInteger(value) && value > 0) return value;
    this.#fault(`limit: ${clauseOf(entry.value)}`, [path, entry.line], "a limit is a whole number from 1");
    return undefined;
  }

  #summary(path: string, { key, value, line }: YamlEntry) {
    const place: Place = [`${path}.${key}`, line];
    const name = textOf(value);
    const own = this.#entries("summaries", this.#top.get("summaries")?.value).find((entry) => entry.key === name);
    const columns = this.#column(key, place, false);
    let summary = own || name === undefined ? undefined : SUMMARIES.get(name);
    if (own) {
      const found = this.#compile(textOf(own.value) ?? "", [`summaries.${own.key}`, own.line], { locals: ["values"] });
      summary =
        found &&
        ((env, values) => {
          env.locals.values = values;
          return found.run(env);
        });
    } else if (!summary)
      this.#fault(
        `${key}: ${clauseOf(value)}`,
        place,
        "no such summary",
        nearest(name ?? "", [...SUMMARIES.keys()], 1)[0],
      );
    return columns.flatMap((column) => (summary ? [{ property: key, column, summary }] : []));
  }
}

/** `note.` may be left out. */
/** A plugin's view computes some columns itself, such as TaskNotes' `file.tasks`. */
const isOfBases = (id: string): boolean => !id.startsWith("file.") || fieldOf("file", id.slice(5)) !== undefined;

const idOf = (id: string): string => (/^(?:note|file|formula)\./.test(id) ? id : `note.${id}`);

const lineOf = (text: string, line: number): string => text.split("\n")[line - 1]?.trim() ?? "";

function clauseOf(tree: YamlTree): string {
  if (tree.kind === "scalar") return String(tree.value);
  if (tree.kind === "list") return `[${tree.items.map(clauseOf).join(", ")}]`;
  return tree.entries.map(({ key, value }) => `${key}: ${clauseOf(value)}`).join(", ");
}
