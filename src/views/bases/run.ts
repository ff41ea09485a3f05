/** A view of a base after its check, and its run over the files of the vault. */
import { TimeSlice } from "../../async/timers.js";
import { allOf } from "../../index/subject.js";
import type { VaultPath } from "../../storage/path.js";
import { counted } from "../../text/wording.js";
import { grouped } from "../../tasks/task.js";
import { hashText } from "../../text/hash.js";
import { faultOf, Misread, RefusedView, type ViewGroup, type ViewPage } from "../answer.js";
import { Evaluation } from "./evaluation.js";
import type { BaseFile, BaseFiles } from "./files.js";
import type { Summarise } from "./functions.js";
import { conditionOf, type FilterTree } from "./sql.js";
import { compareValues, type Value } from "./values.js";

export interface BaseSource {
  readonly text: string;
  /** Line where the text begins in its file, from 1. */
  readonly firstLine: number;
}

export interface Test {
  readonly test: (env: Evaluation) => boolean;
  /** For the part that SQL can express. */
  readonly tree: FilterTree;
  /** It may depend on `file.name`. */
  readonly usesName: boolean;
}

export interface Column {
  readonly name: string;
  readonly isFormula: boolean;
  readonly read: (env: Evaluation) => Value;
}

export interface SortKey {
  readonly read: (env: Evaluation) => Value;
  readonly isDescending: boolean;
}

export interface CheckedView {
  readonly name: string;
  /** Of the view in its source. */
  readonly place: string;
  readonly columns: readonly Column[];
  readonly filters: readonly Test[];
  readonly sort: readonly SortKey[];
  readonly group: SortKey | undefined;
  readonly limit: number | undefined;
  readonly summaries: readonly { readonly property: string; readonly column: Column; readonly summary: Summarise }[];
  readonly warnings: readonly string[];
}

export interface BaseRow {
  readonly path: VaultPath;
  readonly cells: readonly unknown[];
  /** Of the cells' links, if asked for and any. */
  readonly targets?: readonly unknown[];
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
  readonly withTargets?: boolean | undefined;
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
  readonly rows: readonly BaseFile[];
}

/** @throws RefusedView for an exceeded limit */
export async function runBase(view: CheckedView, files: BaseFiles, options: RunOptions): Promise<BaseAnswer> {
  try {
    return await baseAnswer(view, files, options);
  } catch (error) {
    if (!(error instanceof Misread)) throw error;
    throw new RefusedView([faultOf(view.name, view.place, error)]);
  }
}

async function baseAnswer(view: CheckedView, files: BaseFiles, options: RunOptions): Promise<BaseAnswer> {
  const env = new Evaluation(files, options.context);
  const slice = new TimeSlice(options.signal);

  async function pause(): Promise<void> {
    env.work.pause();
    await slice.yield();
    env.work.resume();
  }

  async function matching(): Promise<{ readonly rows: readonly Row[]; readonly differing: number }> {
    const { filters, sort, group } = view;
    const { usesSql = true } = options;
    const known = usesSql ? filters.flatMap(({ tree }) => conditionOf(tree, options.context.path) ?? []) : [];
    const rows: Row[] = [];
    let differing = 0;
    const holds = (): boolean => filters.every(({ test }) => test(env));
    const usesNames = filters.some(({ usesName }) => usesName);
    for (const piece of files.matching(allOf(known)))
      for (const file of piece) {
        env.enter(file);
        const isFound = holds();
        if (usesNames) {
          env.namesHaveExtension = true;
          if (holds() !== isFound) differing++;
          env.namesHaveExtension = false;
        }
        if (isFound) rows.push({ file, keys: sort.map((key) => valueOf(key)), group: group ? valueOf(group) : null });
        if (slice.isOver) await pause();
      }
    return { rows, differing };
  }

  function valueOf({ read }: SortKey | Column): Value {
    env.begin();
    return read(env);
  }

  function sorted(rows: readonly Row[]): readonly Row[] {
    const { sort } = view;
    const { text } = env;
    return rows.toSorted((a, b) => {
      for (const [at, { isDescending }] of sort.entries()) {
        const order = compareValues(a.keys[at] ?? null, b.keys[at] ?? null, text, isDescending);
        if (order !== 0) return order;
      }
      return a.file.path < b.file.path ? -1 : 1;
    });
  }

  function groupsOf(rows: readonly Row[]): readonly Group[] {
    const { group } = view;
    if (!group) return [{ value: null, rows: rows.map(({ file }) => file) }];
    const groups = grouped(rows, ({ file, group: value }) => {
      env.enter(file);
      return env.key(value);
    });
    const { text } = env;
    return [...groups.values()]
      .map((own) => ({ value: own[0]?.group ?? null, rows: own.map(({ file }) => file) }))
      .sort((a, b) => compareValues(a.value, b.value, text, group.isDescending));
  }

  async function summariesOf(rows: readonly BaseFile[]): Promise<Record<string, unknown>> {
    const found: [string, unknown][] = [];
    for (const { property, column, summary } of view.summaries) {
      const values: Value[] = [];
      for (const file of rows) {
        env.enter(file);
        values.push(valueOf(column));
        if (slice.isOver) await pause();
      }
      env.enter(options.context);
      env.begin();
      found.push([property, env.cell(summary(env, values), column.isFormula || undefined)]);
    }
    return Object.fromEntries(found);
  }

  async function pageOf(groups: readonly Group[]): Promise<ViewGroup<BaseRow>[]> {
    const { offset, limit } = options;
    const page: ViewGroup<BaseRow>[] = [];
    let before = 0;
    for (const { value, rows } of groups) {
      const part = rows.slice(Math.max(0, offset - before), Math.max(0, offset + limit - before));
      before += rows.length;
      if (part.length === 0) continue;
      files.verify(part);
      const isGrouped = view.group !== undefined;
      page.push({
        labels: isGrouped ? [env.text(value)] : [],
        total: rows.length,
        rows: part.map(rowOf),
        ...(isGrouped && view.summaries.length > 0 && { summaries: await summariesOf(rows) }),
      });
      if (slice.isOver) await pause();
    }
    return page;
  }

  function rowOf(file: BaseFile): BaseRow {
    env.enter(file);
    const values = view.columns.map((column) => valueOf(column));
    const cells = values.map((value, at) => env.cell(value, view.columns[at]?.isFormula || undefined));
    const targets = options.withTargets === true ? values.map((value) => env.targets(value)) : [];
    return { path: file.path, cells, ...(targets.some((one) => one !== null) && { targets }) };
  }

  const { columns, warnings, limit = Infinity } = view;
  const { rows, differing } = await matching();
  const groups = limited(groupsOf(sorted(rows)), limit);
  const shown = groups.flatMap((group) => group.rows);
  const summaries = await summariesOf(shown);
  return {
    columns: columns.map(({ name }) => name),
    groups: await pageOf(groups),
    summaries,
    count: shown.length,
    fingerprint: hashText(shown.map(({ path }) => path).join("\n")).slice(0, 8),
    warnings: [
      ...warnings,
      ...(differing > 0
        ? [`file.name of a note has no .md here; with it, ${counted(differing, "row")} would differ.`]
        : []),
      ...env.warnings(),
    ],
  };
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
