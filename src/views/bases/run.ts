/** Runs a checked view of a base over the files of the vault. */
import { TimeSlice } from "../../async/yield-to-loop.js";
import { allOf } from "../../notes/find-filter.js";
import type { VaultPath } from "../../storage/path.js";
import { counted } from "../../text/plural.js";
import { hashText } from "../../text/hash.js";
import { RefusedView, type ViewGroup, type ViewPage } from "../answer.js";
import type { CheckedView, Column, SortKey } from "./checked-view.js";
import { Evaluation } from "./evaluation.js";
import type { BaseFile, BaseFiles } from "./files.js";
import { ExpressionFault } from "./parse.js";
import { conditionOf, enclosed } from "./sql.js";
import { compareValues, type Value } from "./values.js";

export interface BaseRow {
  readonly path: VaultPath;
  readonly cells: readonly unknown[];
}

interface BaseAnswer {
  readonly columns: readonly string[];
  /** Those with a row on the page. */
  readonly groups: readonly ViewGroup<BaseRow>[];
  /** Of all rows, by property. */
  readonly summaries: Readonly<Record<string, unknown>>;
  /** Rows, after the view's own limit. */
  readonly count: number;
  readonly fingerprint: string;
  readonly warnings: readonly string[];
}

interface RunOptions extends ViewPage {
  readonly context: BaseFile;
  readonly signal?: AbortSignal | undefined;
  /** For tests: false evaluates the filters for every file. */
  readonly usesSql?: boolean;
}

interface Row {
  readonly file: BaseFile;
  readonly keys: readonly Value[];
  readonly group: Value;
}

interface Group {
  readonly value: Value;
  readonly rows: BaseFile[];
}

export async function runBase(view: CheckedView, files: BaseFiles, options: RunOptions): Promise<BaseAnswer> {
  try {
    return await new BaseRun(view, files, options).answer();
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error;
    throw new RefusedView([{ clause: view.name, place: view.place, reason: error.message }]);
  }
}

class BaseRun {
  readonly #view: CheckedView;
  readonly #files: BaseFiles;
  readonly #options: RunOptions;
  readonly #env: Evaluation;
  readonly #slice: TimeSlice;

  constructor(view: CheckedView, files: BaseFiles, options: RunOptions) {
    this.#view = view;
    this.#files = files;
    this.#options = options;
    this.#env = new Evaluation(files, options.context);
    this.#slice = new TimeSlice(options.signal);
  }

  async answer(): Promise<BaseAnswer> {
    const { columns, warnings, limit = Infinity } = this.#view;
    const { rows, differing } = await this.#matching();
    const groups = limited(this.#grouped(this.#sorted(rows)), limit);
    const shown = groups.flatMap((group) => group.rows);
    const summaries = await this.#summaries(shown);
    return {
      columns: columns.map(({ name }) => name),
      groups: await this.#page(groups),
      summaries,
      count: shown.length,
      fingerprint: hashText(shown.map(({ path }) => path).join("\n")).slice(0, 8),
      warnings: [
        ...warnings,
        ...(differing > 0
          ? [`file.name of a note has no .md here; with it, ${counted(differing, "row")} would differ.`]
          : []),
        ...this.#env.warnings(),
      ],
    };
  }

  /** Lets others work. */
  async #pause(): Promise<void> {
    this.#env.pause();
    await this.#slice.yield();
    this.#env.resume();
  }

  async #matching(): Promise<{ readonly rows: readonly Row[]; readonly differing: number }> {
    const { filters, sort, group } = this.#view;
    const { usesSql = true } = this.#options;
    const env = this.#env;
    const known = usesSql ? filters.flatMap(({ tree }) => conditionOf(tree, this.#options.context.path) ?? []) : [];
    const rows: Row[] = [];
    let differing = 0;
    const holds = (): boolean => filters.every(({ test }) => test(env));
    const usesNames = filters.some(({ usesName }) => usesName);
    for (const piece of this.#files.matching(allOf(known.map(enclosed))))
      for (const file of piece) {
        env.enter(file);
        const isFound = holds();
        if (usesNames) {
          env.namesHaveExtension = true;
          if (holds() !== isFound) differing++;
          env.namesHaveExtension = false;
        }
        if (isFound)
          rows.push({ file, keys: sort.map((key) => this.#value(key)), group: group ? this.#value(group) : null });
        if (this.#slice.isOver) await this.#pause();
      }
    return { rows, differing };
  }

  #value({ read }: SortKey | Column): Value {
    this.#env.begin();
    return read(this.#env);
  }

  #sorted(rows: readonly Row[]): readonly Row[] {
    const { sort } = this.#view;
    const { text } = this.#env;
    return rows.toSorted((a, b) => {
      for (const [at, { isDescending }] of sort.entries()) {
        const order = compareValues(a.keys[at] ?? null, b.keys[at] ?? null, text, isDescending);
        if (order !== 0) return order;
      }
      return a.file.path < b.file.path ? -1 : 1;
    });
  }

  #grouped(rows: readonly Row[]): readonly Group[] {
    const { group } = this.#view;
    if (!group) return [{ value: null, rows: rows.map(({ file }) => file) }];
    const groups = new Map<string, Group>();
    for (const { file, group: value } of rows) {
      this.#env.enter(file);
      const key = this.#env.key(value);
      const known = groups.get(key);
      if (known) known.rows.push(file);
      else groups.set(key, { value, rows: [file] });
    }
    const { text } = this.#env;
    return [...groups.values()].sort((a, b) => compareValues(a.value, b.value, text, group.isDescending));
  }

  async #summaries(rows: readonly BaseFile[]): Promise<Record<string, unknown>> {
    const summaries: [string, unknown][] = [];
    const env = this.#env;
    for (const { property, column, summary } of this.#view.summaries) {
      const values: Value[] = [];
      for (const file of rows) {
        env.enter(file);
        values.push(this.#value(column));
        if (this.#slice.isOver) await this.#pause();
      }
      env.enter(this.#options.context);
      env.begin();
      summaries.push([property, env.cell(summary(env, values), column.isFormula || undefined)]);
    }
    return Object.fromEntries(summaries);
  }

  async #page(groups: readonly Group[]): Promise<ViewGroup<BaseRow>[]> {
    const { offset, limit } = this.#options;
    const page: ViewGroup<BaseRow>[] = [];
    let before = 0;
    for (const { value, rows } of groups) {
      const part = rows.slice(Math.max(0, offset - before), Math.max(0, offset + limit - before));
      before += rows.length;
      if (part.length === 0) continue;
      this.#files.verify(part);
      const isGrouped = this.#view.group !== undefined;
      page.push({
        labels: isGrouped ? [this.#env.text(value)] : [],
        total: rows.length,
        rows: part.map((file) => this.#row(file)),
        ...(isGrouped && this.#view.summaries.length > 0 && { summaries: await this.#summaries(rows) }),
      });
      if (this.#slice.isOver) await this.#pause();
    }
    return page;
  }

  #row(file: BaseFile): BaseRow {
    this.#env.enter(file);
    const cells = this.#view.columns.map((column) => {
      const value = this.#value(column);
      return this.#env.cell(value, column.isFormula || undefined);
    });
    return { path: file.path, cells };
  }
}

/** The first rows of all groups together. */
function limited(groups: readonly Group[], limit: number): readonly Group[] {
  let left = limit;
  return groups.flatMap(({ value, rows }) => {
    const shown = rows.slice(0, left);
    left -= shown.length;
    return shown.length > 0 ? [{ value, rows: shown }] : [];
  });
}
