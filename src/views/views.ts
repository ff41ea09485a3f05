/** Lists and runs saved views: bases and queries of the Tasks plugin (docs: views). */
import { type ClauseFault, isVaultError, VaultError } from "../errors.js";
import { call, said } from "../text/wording.js";
import type { RefreshOptions } from "../index/refresh.js";
import type { IndexView } from "../index/view.js";
import { ROWS_PER_FILE } from "../index/subject.js";
import { unreadRemark } from "../obsidian/unlisted.js";
import { readFrontmatter } from "../markdown/frontmatter/frontmatter.js";
import { foldName, type VaultPath } from "../storage/path.js";
import { listName, pageFrom, parseCursor } from "../search/cursor.js";
import { momentIn } from "../templates/moment-format.js";
import type { Vault } from "../vault/vault.js";
import { RefusedView, type ViewGroup } from "./answer.js";
import { readBase, viewNames } from "./bases/base.js";
import { BaseFiles } from "./bases/files.js";
import { type BaseRow, type BaseSource, runBase } from "./bases/run.js";
import { Zone } from "./bases/values.js";
import { isBase, type ViewBlock, viewBlocks } from "./sources.js";
import { runTasksQuery, type TasksRow } from "./tasks-queries/run.js";

interface ViewServices {
  readonly vault: Vault;
  readonly locate: (reference: string) => Promise<VaultPath>;
}

interface ViewRequest {
  readonly source: string;
  readonly view?: string | undefined;
  readonly this?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Rows of a base say where their links lead. */
  readonly withTargets?: boolean | undefined;
}

interface ViewAnswer {
  readonly source: VaultPath;
  readonly view: string;
  readonly kind: "base" | "tasks";
  /** Empty for tasks. */
  readonly columns: readonly string[];
  readonly groups: readonly ViewGroup<BaseRow | TasksRow>[];
  readonly summaries: Readonly<Record<string, unknown>>;
  readonly total: number;
  readonly offset: number;
  readonly shown: number;
  readonly warnings: readonly string[];
  readonly fingerprint: string;
  /** Names the list in its cursors. */
  readonly list: string;
}

export interface ListedSource {
  readonly source: VaultPath;
  /** Of a base their names, of a note `1 tasks "Heading"`. */
  readonly views: readonly string[];
}

export async function listViews(
  services: Pick<ViewServices, "vault">,
  options: RefreshOptions,
): Promise<readonly ListedSource[]> {
  return (await sourcesIn(services, options)).flatMap(({ path, text }) => {
    const views = isBase(path) ? (viewNames(text) ?? ["(not readable)"]) : viewBlocks(text).map(blockText);
    return views.length > 0 ? [{ source: path, views }] : [];
  });
}

/** All that can be read, by path. */
async function sourcesIn(
  { vault }: Pick<ViewServices, "vault">,
  options: RefreshOptions,
): Promise<readonly Omit<MeantSource, "view">[]> {
  const paths = await vault.index.ask({ ...options, rows: ["views"] }, (view) => [
    ...view.everyPath().filter(isBase),
    ...notesWithViews(view),
  ]);
  const sources: Omit<MeantSource, "view">[] = [];
  for (const path of paths.sort()) {
    const read = await vault.read(path).catch(() => undefined);
    if (read) sources.push({ path, text: read.text });
  }
  return sources;
}

function notesWithViews(view: IndexView): readonly VaultPath[] {
  return view.texts(
    `SELECT CAST(path AS BLOB) FROM view_note JOIN file ON file.id = view_note.id / ${ROWS_PER_FILE}
     WHERE views = 1 AND present = 1`,
  );
}

function blockText({ number, kind, heading, text, view }: ViewBlock): string {
  const target = kind === "embed" ? ` ${text}${view === undefined ? "" : `#${view}`}` : "";
  return `${number} ${kind}${target}${heading === undefined ? "" : ` "${heading}"`}`;
}

/** @throws VaultError INVALID_ARGUMENT with the clauses not understood; FILE_NOT_FOUND, AMBIGUOUS_NAME */
export async function runView(
  services: ViewServices,
  request: ViewRequest,
  options: RefreshOptions,
): Promise<ViewAnswer> {
  const { path, text, view: wanted } = await sourceMeant(services, request, options);
  if (isBase(path)) {
    const source = { path, text, firstLine: 1 };
    return await answerBase(services, source, { ...request, view: wanted, context: path }, options);
  }
  const { block, view } = chosenBlock(path, viewBlocks(text), wanted);
  return await runBlock(services, { path, text }, block, { ...request, view }, options);
}

interface MeantSource extends Pick<TasksSource, "path" | "text"> {
  readonly view: string | undefined;
}

/**
 * `Books.base#To read` and `[[Today#2]]` name the view, too, as do the last words of `Books To read` and `Today 2`.
 * Without such a file, the source is the name of a view, or the heading above a block.
 */
async function sourceMeant(
  services: ViewServices,
  { source, view }: ViewRequest,
  options: RefreshOptions,
): Promise<MeantSource> {
  const [, file, name] = /^\s*!?(?:\[\[)?([^#]+)#(.+?)(?:\]\])?\s*$/s.exec(source) ?? [];
  const [whole, tail] = file !== undefined && view === undefined ? [file.trim(), `#${name}`] : [source.trim(), ""];
  const gaps = view === undefined ? [...whole.matchAll(/\s+/g)].slice(-MAX_NAME_WORDS).reverse() : [];
  const readings = [
    { source: whole, view: tail === "" ? view : name },
    ...gaps.map(({ 0: gap, index }) => ({
      source: whole.slice(0, index),
      view: whole.slice(index + gap.length) + tail,
    })),
  ];
  const found: MeantSource[] = [];
  let missing: unknown;
  for (const reading of readings) {
    const path = await locateSource(services, reading.source).catch((error: unknown) => {
      missing ??= error;
      if (!isVaultError(error) || error.code !== "FILE_NOT_FOUND") throw error;
    });
    if (path) found.push({ path, text: (await services.vault.read(path)).text, view: reading.view });
  }
  const wanted = foldName(source.trim());
  if (found.length === 0 && view === undefined) {
    const all = (await sourcesIn(services, options)).flatMap(namedViews);
    found.push(...all.filter(({ name }) => foldName(name) === wanted));
    if (found.length === 0 && isVaultError(missing)) {
      const similar = all.filter(({ name }) => foldName(name).includes(wanted)).map(formOf);
      const listed = similar.length > 0 ? `A view of such a name is ${similar.slice(0, MAX_SIMILAR).join(", ")}.` : [];
      missing = missing.with({ hint: [listed, said`${call("run_view")} without a source lists all views.`].flat() });
    }
  }
  const [first] = found;
  if (!first) throw missing;
  const fitting = found.length === 1 ? found : found.filter(hasView);
  if (fitting.length < 2) return fitting[0] ?? first;
  throw new VaultError("AMBIGUOUS_NAME", `"${source.trim()}" may be ${fitting.map(formOf).join(" or ")}.`, {
    hint: "Give one of these as source.",
  });
}

const MAX_NAME_WORDS = 8;
const MAX_SIMILAR = 5;

const formOf = ({ path, view }: Omit<MeantSource, "text">): string => (view === undefined ? path : `${path}#${view}`);

function namedViews({ path, text }: Omit<MeantSource, "view">): readonly (MeantSource & { readonly name: string })[] {
  if (isBase(path)) return (viewNames(text) ?? []).map((name) => ({ path, text, view: name, name }));
  return viewBlocks(text).flatMap(({ number, heading }) =>
    heading === undefined ? [] : [{ path, text, view: String(number), name: heading }],
  );
}

function hasView({ path, text, view }: MeantSource): boolean {
  const name = view?.toLowerCase();
  const isNamed = (base: string): boolean => viewNames(base)?.some((one) => one.toLowerCase() === name) === true;
  if (isBase(path)) return name === undefined || isNamed(text);
  const blocks = viewBlocks(text);
  if (name === undefined) return blocks.length > 0;
  const [only] = blocks;
  const isBlock = blocks.some(
    ({ number, heading }) => /^\d+(?=\s*(?:#|$))/.exec(name)?.[0] === `${number}` || heading?.toLowerCase() === name,
  );
  return isBlock || (blocks.length === 1 && only?.kind === "base" && isNamed(only.text));
}

/** A base file may be named without extension if no note has the name. */
async function locateSource({ locate }: ViewServices, source: string): Promise<VaultPath> {
  if (/\.base$/i.test(source.trim())) return await locate(source);
  return await locate(source).catch(async (error: unknown) => {
    return await locate(`${source.trim()}.base`).catch(() => {
      throw error;
    });
  });
}

export async function runBlock(
  services: ViewServices,
  { path, text }: Pick<TasksSource, "path" | "text">,
  block: ViewBlock,
  request: Omit<ViewRequest, "source">,
  options: RefreshOptions,
): Promise<ViewAnswer> {
  if (block.kind === "tasks") return await answerTasks(services, { path, text, block }, request, options);
  if (block.kind === "base") {
    const source = { path, text: block.text, firstLine: block.line };
    return await answerBase(services, source, { ...request, context: path, block: block.number }, options);
  }
  const { resolveLink } = await import("../links/resolver.js");
  const { IndexedLinks } = await import("../links/graph.js");
  const file = await services.vault.index.ask({ ...options, rows: ["links"] }, (view) =>
    resolveLink(block.text, path, new IndexedLinks(() => view)),
  );
  if (file === undefined)
    throw new VaultError(
      "FILE_NOT_FOUND",
      `Block ${block.number} of ${path} embeds ${block.text}, which does not exist.`,
    );
  const source = { path: file, text: (await services.vault.read(file)).text, firstLine: 1 };
  return await answerBase(services, source, { ...request, view: request.view ?? block.view, context: path }, options);
}

/** `2`, `2#View`, the heading above a block, or the view of the only block. */
function chosenBlock(
  path: VaultPath,
  blocks: readonly ViewBlock[],
  wanted: string | undefined,
): { readonly block: ViewBlock; readonly view: string | undefined } {
  const [only] = blocks;
  if (!only)
    throw new VaultError("INVALID_ARGUMENT", `${path} has no base or tasks block.`, {
      hint: said`${call("run_view")} without a source lists all views.`,
    });
  if (wanted === undefined && blocks.length === 1) return { block: only, view: undefined };
  const [, number, view] = /^\s*(\d+)\s*(?:#(.*))?$/s.exec(wanted ?? "") ?? [];
  const name = (wanted ?? "")
    .trim()
    .replace(/^#+\s*/, "")
    .toLowerCase();
  const named = blocks.filter(({ heading }) => heading?.toLowerCase() === name);
  const block = number === undefined ? (named.length === 1 ? named[0] : undefined) : blocks[Number(number) - 1];
  if (block) return { block, view: view?.trim() };
  if (blocks.length === 1 && number === undefined && only.kind !== "tasks") return { block: only, view: wanted };
  const listed = blocks.map(blockText).join("; ");
  throw new VaultError("INVALID_ARGUMENT", `${path} has ${blocks.length} views: ${listed}.`, {
    hint: "Give the number as view.",
  });
}

interface ReadSource extends BaseSource {
  readonly path: VaultPath;
}

interface BaseRequest extends Omit<ViewRequest, "source"> {
  /** What `this` means by default. */
  readonly context: VaultPath;
  readonly block?: number;
}

async function answerBase(
  services: ViewServices,
  source: ReadSource,
  request: BaseRequest,
  options: RefreshOptions,
): Promise<ViewAnswer> {
  const { vault } = services;
  const { view: wanted, block } = request;
  const what =
    block === undefined
      ? `${wanted === undefined ? "a view" : JSON.stringify(wanted)} (${source.path})`
      : `block ${block} of ${source.path}`;
  return await refusing(what, async () => {
    const view = readBase(source, wanted);
    const context = request.this === undefined ? request.context : await services.locate(request.this);
    const { moment, name } = await momentIn({ locale: (await vault.settings()).periodicNotes.locale });
    const zone = new Zone(vault.clock, (ms) => moment(ms).locale(name));
    return await vault.index.ask({ ...options, rows: ["views", "links"] }, async (index) => {
      const files = new BaseFiles(index, zone);
      const file = files.at(context) ?? files.at(source.path);
      if (!file) throw new VaultError("FILE_NOT_FOUND", `${context} is not in the index.`);
      const { limit, withTargets } = request;
      const { signal } = options;
      const list = listName("run_view", source.path, block, wanted, context);
      const { answer, remarks, ...page } = await pageOf(request, list, (offset) =>
        runBase(view, files, { context: file, offset, limit, withTargets, signal }),
      );
      const { columns, summaries } = answer;
      const usesThis = /\bthis\b/.test(source.text) && request.this === undefined && isBase(request.context);
      const warnings = [
        ...remarks,
        ...(usesThis ? [`this is ${request.context}; give this to read the view for a note.`] : []),
        ...[unreadRemark(index.problems().map(({ path }) => path)) ?? []].flat(),
        ...answer.warnings,
      ];
      return { source: source.path, view: view.name, kind: "base" as const, columns, summaries, ...page, warnings };
    });
  });
}

/** The first page if the cursor is beyond the end. */
async function pageOf<Answer extends Pick<ViewAnswer, "groups" | "fingerprint"> & { readonly count: number }>(
  { cursor: text }: Pick<ViewRequest, "cursor">,
  list: string,
  run: (offset: number) => Promise<Answer>,
) {
  const cursor = text === undefined ? undefined : parseCursor(text, list);
  const asked = cursor?.offset ?? 0;
  const first = await run(asked);
  const { offset, remarks } = pageFrom(first.count, cursor, first.fingerprint);
  const answer = offset === asked ? first : await run(offset);
  const { fingerprint, count: total } = answer;
  const groups = answer.groups.filter(({ rows }) => rows.length > 0);
  const shown = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  return { answer, remarks, groups, total, offset, shown, fingerprint, list };
}

interface TasksSource {
  readonly path: VaultPath;
  readonly text: string;
  readonly block: ViewBlock;
}

async function answerTasks(
  { vault }: ViewServices,
  { path, text, block }: TasksSource,
  request: Omit<ViewRequest, "source">,
  options: RefreshOptions,
): Promise<ViewAnswer> {
  const properties = Object.fromEntries(readFrontmatter(text).properties.map(({ key, value }) => [key, value]));
  const query = { text: block.text, firstLine: block.line, path, properties };
  return await refusing(`block ${block.number} of ${path}`, async () => {
    const list = listName("run_view", path, block.line);
    const { answer, remarks, ...page } = await pageOf(request, list, (offset) =>
      runTasksQuery(query, vault, { offset, limit: request.limit }, options),
    );
    const { count, taskNotes } = answer;
    const none =
      count === 0 && taskNotes > 0
        ? [`The vault has ${taskNotes} task notes; a tasks query finds checkbox lines only.`]
        : [];
    const warnings = [...remarks, ...none];
    return { source: path, view: blockText(block), kind: "tasks", columns: [], summaries: {}, ...page, warnings };
  });
}

async function refusing(what: string, run: () => Promise<ViewAnswer>): Promise<ViewAnswer> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof RefusedView ? refusal(what, error.faults) : error;
  }
}

function refusal(what: string, faults: readonly ClauseFault[]): VaultError {
  const reasons = faults.map(({ clause, place, reason, nearest }) => {
    const meant = nearest === undefined ? "." : `; did you mean ${nearest}?`;
    return `${place}: ${clause}: ${reason}${meant}`;
  });
  const gap = faults[0]?.place.startsWith("line") ? "," : ":";
  return new VaultError("INVALID_ARGUMENT", `Cannot run ${what}${gap} ${reasons.join(" ")} Nothing was evaluated.`, {
    hint: said`Correct the clause in the source; ${call("run_view")} without a source lists all views.`,
    details: faults,
  });
}
