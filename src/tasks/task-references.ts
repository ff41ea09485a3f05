/**
 * Finds the task meant by an id, path, link or title, and explains why a reference means none (docs: tasks, "Fields",
 * "update_task").
 */
import { type Candidate, NOTHING_CHANGED, VaultError, invalidArgument, isVaultError } from "../errors.js";
import { call, said, argument } from "../text/wording.js";
import { nearest } from "../text/nearest.js";
import { type Condition, ROWS_PER_FILE, condition } from "../index/subject.js";
import { storedText } from "../index/view.js";
import { baseName, fileTitle, foldName, linkKey, type VaultPath, vaultPath } from "../storage/path.js";
import { isExcluded } from "./note-format/derivation.js";
import { readLineName } from "./line-format/task-line.js";
import { onOneLine } from "./fields/property-values.js";
import { isOutstanding } from "./recurrence/series.js";
import type { FileStat } from "../storage/storage.js";
import type { TaskRows } from "./rows/task-rows.js";
import type { Task } from "./task.js";
import type { ReferenceKind, TaskFormat, ReferenceForm } from "./format.js";
import { readFrontmatter } from "../markdown/frontmatter/frontmatter.js";
import { HIDDEN } from "../search/nothing-found.js";
import type { Vault } from "../vault/vault.js";
import { withLocation } from "./note-format/write-field.js";
import { projectNote } from "./known-names.js";
import { FIELDS } from "./fields/field-table.js";
import { normaliseWord } from "./fields/vocabulary.js";

export interface Reference {
  readonly task: Task;
  readonly kind: ReferenceKind;
  /** Only for a project's note, which is not a task. */
  readonly stat?: FileStat;
}

const MAX_CANDIDATES = 5;
const LIST_MORE = said`Give one of these ids, or list more tasks with ${call("search_tasks")}.`.or(
  "Give one of these ids.",
);
const NOTHING_LIKE_IT = said`Find the task's id with ${call("search_tasks")}.`;
const NO_TASKS = said`This vault has no tasks yet; ${call("create_task")} makes one.`.or(
  "This vault has no tasks yet.",
);

/**
 * Tries id, path (`.md` optional), wikilink, title and file name. Undefined when none matches.
 * @throws AMBIGUOUS_NAME with candidates when the first match finds several
 */
export function findTask(
  reference: string,
  tasks: Pick<TaskRows, "with">,
  formats: readonly TaskFormat[] = [],
): Reference | undefined {
  const text = reference.trim();
  for (const { kind, lookup, fits } of [
    ...formats.flatMap((format) => format.referenceForms?.(text) ?? []),
    ...referenceForms(text),
  ]) {
    const named = tasks.with(lookup);
    const found = fits ? named.filter(fits) : named;
    const [task] = found;
    if (found.length > 1) throw ambiguous(reference, found);
    if (task !== undefined) return { task, kind };
  }
  return undefined;
}

function referenceForms(reference: string): ReferenceForm[] {
  // A link to a block means a line, never the task of its note.
  const link = /^!?\[\[([^\]|#^]+)(?!#?\^)[^\]]*\]\]$/.exec(reference)?.[1]?.trim();
  const name = (value: string): ReferenceForm["lookup"] => ({ by: "fileName", value: nameOf(value) });
  if (link !== undefined) return [...pathForms(link, "link"), { kind: "link", lookup: name(link) }];
  const title = linkKey(onOneLine(reference));
  return [
    { kind: "id", lookup: { by: "ref", value: reference }, fits: ({ id, path }) => id !== path },
    ...pathForms(reference, "path"),
    { kind: "title", lookup: { by: "title", value: title } },
    { kind: "title", lookup: { by: "bareTitle", value: title } },
    { kind: "title", lookup: name(reference) },
  ];
}

/** A path or file name means the note's own task, never its lines. */
function pathForms(text: string, kind: ReferenceKind): ReferenceForm[] {
  const path = text.replace(/^\//, "").normalize("NFC");
  const withExtension = /\.md$/i.test(path) ? path : `${path}.md`;
  return [
    { kind, lookup: { by: "path", value: withExtension } },
    { kind, lookup: { by: "foldedPath", value: foldName(withExtension) } },
  ];
}

const nameOf = (text: string): string => linkKey(text.replace(/\.md$/i, ""));

function ambiguous(reference: string, found: readonly Task[]): VaultError {
  const sameId = new Set(found.map(({ id }) => id)).size < found.length;
  const what = sameId ? "Several notes have the id" : "Several tasks are named";
  const open = found.filter(isOutstanding);
  const left = open.length < found.length ? `, ${open.length} open` : "";
  const more = found.length > MAX_CANDIDATES ? ` (${found.length} in all${left})` : "";
  return new VaultError("AMBIGUOUS_NAME", `${what} "${onOneLine(reference)}"${more}:`, {
    candidates: [...open.toSorted(byPath), ...found.filter((task) => !isOutstanding(task)).toSorted(byPath)]
      .slice(0, MAX_CANDIDATES)
      .map((task) => candidateOf(task, sameId)),
    hint: sameId ? "Give the path instead, and make the ids in the notes differ." : "Give the id of the one you mean.",
  });
}

function byPath(a: Task, b: Task): number {
  return a.path < b.path || (a.path === b.path && (a.line ?? 0) < (b.line ?? 0)) ? -1 : 1;
}

function candidateOf({ id, title, path, status, source, due }: Task, sameId = false): Candidate {
  return { id: sameId && source === "note" ? path : id, title, path, status, ...(due !== undefined && { due }) };
}

export function unknownTask(reference: string, rows: TaskRows, suggests: boolean): VaultError {
  const candidates = suggests ? closest(reference, rows).map((task) => candidateOf(task)) : [];
  const isEmpty = !rows.has(condition("1"));
  return new VaultError("FILE_NOT_FOUND", `Item not found: ${onOneLine(reference)}`, {
    ...(candidates.length > 0 && { candidates }),
    hint: isEmpty ? NO_TASKS : candidates.length === 0 ? NOTHING_LIKE_IT : LIST_MORE,
  });
}

export function onlyCheckbox(reference: string, box: Task): VaultError {
  return new VaultError("FILE_NOT_FOUND", `No task is named "${onOneLine(reference)}", but a plain checkbox is:`, {
    candidates: [candidateOf(box)],
    hint: "Give its id to change it all the same.",
  });
}

function closest(reference: string, rows: TaskRows): readonly Task[] {
  const around = linesAround(reference, rows);
  if (around.length > 0) return around;
  const wanted = bareReference(reference);
  const notes = namesOfNotes(rows);
  const titles = rows.listed<string>("task.title", [], "task_order");
  const near = nearest(wanted, titles.concat([...notes.keys()]), Infinity);
  if (near.length === 0) return [];
  const ofTitles = firstOfTitles(near, rows);
  // Equally near names: notes first, then lines in their order.
  const ids = new Map(
    near
      .map((name) => {
        const [first = 0, firstNote] = ofTitles.get(name) ?? [];
        const note = Math.min(notes.get(name) ?? Infinity, firstNote ?? Infinity);
        return { name, isLine: note === Infinity, id: note === Infinity ? first : note };
      })
      .sort((a, b) => Number(a.isLine) - Number(b.isLine) || a.id - b.id)
      .map(({ name, id }) => [name, id]),
  );
  const found = nearest(wanted, [...ids.keys()], MAX_CANDIDATES * 3).flatMap((name) => ids.get(name) ?? []);
  return rows.decode([...new Set(found)].slice(0, MAX_CANDIDATES));
}

/** The tasks nearest to a missing line. */
function linesAround(reference: string, rows: TaskRows): readonly Task[] {
  const { path, line } = readLineName(reference.trim()) ?? {};
  if (path === undefined || line === undefined) return [];
  const note = foldName(/\.md$/i.test(path) ? path : `${path}.md`);
  const files = rows.view.filesNamed(note).filter((file) => foldName(file.path) === note);
  return files.flatMap(({ id }) => linesNear(rows, id, line, MAX_CANDIDATES)).slice(0, MAX_CANDIDATES);
}

/** The first notes by id and file name. */
function namesOfNotes({ view }: TaskRows): ReadonlyMap<string, number> {
  const notes = new Map<string, number>();
  const path = `(SELECT path FROM file WHERE file.id = task.id / ${ROWS_PER_FILE})`;
  const all = view.list<[number, string, VaultPath]>(
    `json_array(id, ref, ${path})`,
    "task INDEXED BY task_note WHERE line = 0",
  );
  for (const [id, ref, own] of all.sort(([one], [other]) => one - other))
    for (const name of [ref, fileTitle(own)]) if (!notes.has(name)) notes.set(name, id);
  return notes;
}

function firstOfTitles(
  titles: readonly string[],
  rows: TaskRows,
): ReadonlyMap<string, readonly [id: number, note: number | null]> {
  const wanted = condition("task.title IN (SELECT value FROM json_each(?))", JSON.stringify(titles));
  const first = rows.select<[Uint8Array, number, number | null]>(
    "CAST(title AS BLOB), min(task.id), min(task.id) FILTER (WHERE task.line = 0)",
    [wanted],
    "GROUP BY title",
    "task_order",
  );
  return new Map(first.map(([title, ...ids]) => [storedText(title), ids]));
}

function linesNear(rows: TaskRows, file: number, line: number, limit: number): readonly Task[] {
  const lines: Condition = {
    sql: "task.line > 0 AND task.id BETWEEN ? AND ?",
    values: [file * ROWS_PER_FILE, (file + 1) * ROWS_PER_FILE - 1],
  };
  const near = rows.select<[number]>("task.id", [lines], `ORDER BY abs(task.line - ${line}) LIMIT ${limit}`);
  return rows.decode(near.map(([id]) => id));
}

/** Without brackets, folders and the random end of an id. */
function bareReference(reference: string): string {
  const bare = reference
    .trim()
    .replace(/^!?\[\[|\]\]$/g, "")
    .replace(/\.md$/i, "");
  return baseName(bare);
}

/**
 * Undefined when it is no path.
 * @throws PERMISSION_DENIED, without the path, when it leaves the vault or is hidden
 */
function pathOfReference(reference: string): VaultPath | undefined {
  const text = reference.trim();
  const readsAsPath = /[\\/]/.test(text) || text.startsWith(".");
  try {
    return vaultPath(/\.md$/i.test(text) ? text : `${text}.md`);
  } catch (error) {
    if (readsAsPath && error instanceof VaultError && error.code === "PERMISSION_DENIED") throw error;
    return undefined;
  }
}

const excerpt = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

const MAX_BROKEN = 50;

interface BrokenNote {
  /** Folded: path, file name, and ids and titles in its lines. */
  readonly names: ReadonlySet<string>;
  readonly refusal: VaultError | undefined;
}

/** Reads unreadable notes once for all references. @returns what explains one reference */
export function unknownReferences(rows: TaskRows, vault: Vault, { suggests = true } = {}) {
  let broken: Promise<readonly BrokenNote[]> | undefined;

  /** @throws VaultError always, with that reason */
  async function explain(reference: string): Promise<never> {
    await refuseOtherLine(reference);
    const path = pathOfReference(reference);
    const name = withoutBrackets(reference);
    for (const { names, refusal } of await (broken ??= brokenNotes()))
      if (refusal !== undefined && names.has(name)) throw refusal;
    const project = suggests ? await projectNote(vault, reference) : undefined;
    if (project !== undefined)
      throw new VaultError("FILE_NOT_FOUND", `'${project}' is a project, not a task.`, {
        path: project,
        hint: [
          said`${call("update_task")} takes it as ${argument("taskId")}: updates {"status": "Done"} closes it, {"status": "In Progress"} opens it again, {"properties": {"archived": "true"}} archives it.`,
          said`List its tasks with ${call("search_tasks", { project }, "search_tasks and project")}.`,
        ],
      });
    const { view } = rows;
    const unknown = unknownTask(reference, rows, suggests);
    const isMeant = (one: VaultPath) => [one.replace(/\.md$/i, ""), fileTitle(one)].map(foldName).includes(name);
    const named = () => view.filesNamed(name).find((file) => !view.isHidden(file.path) && isMeant(file.path))?.path;
    const note = path !== undefined && view.has(path) ? path : suggests ? named() : undefined;
    if (note === undefined) throw unknown;
    if (view.isHidden(note)) throw unknown.with({ hint: `'${note}' is no task: ${HIDDEN} are none.` });
    if (isExcluded(note, rows.settings))
      throw unknown.with({ hint: `'${note}' is no task: TaskNotes excludes its folder ("excludedFolders").` });
    throw unknown.with({
      hint: `'${note}' is a note but no task: it has neither a property "type: task" nor the tag "task". A status alone makes a task only of a note in a PARA folder that is nothing else, and only when it is one of tasks, such as "todo" or "done".`,
    });
  }

  /** @throws VaultError with the line's text, if the reference is a line number without checkbox */
  async function refuseOtherLine(reference: string): Promise<void> {
    const { path = "", line, digits } = readLineName(reference.trim()) ?? {};
    const note = line === undefined || digits !== undefined ? undefined : pathOfReference(path);
    if (note === undefined || !rows.view.has(note)) return;
    const { text: whole = "" } = await read(note);
    const text = whole.split("\n")[(line ?? 1) - 1];
    const what =
      text === undefined ? "is behind the note's end" : `is no checkbox: ${JSON.stringify(excerpt(text.trim()))}`;
    throw invalidArgument(
      `Line ${line} of '${note}' ${what}.`,
      said`List checkboxes with ${call("search_tasks", { is: ["checkbox"] }, 'search_tasks and is ["checkbox"]')}, or make this line one with ${call("str_replace")}.`.or(
        said`List checkboxes with ${call("search_tasks", { is: ["checkbox"] })}.`,
      ),
    );
  }

  async function brokenNotes(): Promise<readonly BrokenNote[]> {
    const notes: BrokenNote[] = [];
    for (const { path } of rows.view.problems().slice(0, MAX_BROKEN)) {
      const { text = "", refusal } = await read(path);
      notes.push({ names: namesIn(path, text), refusal: refusal ?? unreadable(text, { path }) });
    }
    return notes;
  }

  async function read(path: VaultPath): Promise<{ readonly text?: string; readonly refusal?: VaultError }> {
    try {
      return await vault.read(path).then(({ text }) => ({ text }));
    } catch (error) {
      if (isVaultError(error)) return { refusal: error };
      throw error;
    }
  }

  return explain;
}

function withoutBrackets(reference: string): string {
  return foldName(
    reference
      .trim()
      .replace(/^\/|^!?\[\[|\]\]$/g, "")
      .replace(/\.md$/i, ""),
  );
}

function namesIn(path: VaultPath, text: string): ReadonlySet<string> {
  const names = new Set([foldName(path.replace(/\.md$/i, "")), foldName(fileTitle(path))]);
  const keys = [...FIELDS.id.spellings, ...FIELDS.title.spellings] as readonly string[];
  for (const line of text.slice(0, 4096).split("\n")) {
    const [, key = "", value = ""] = /^([^:#]+):\s+(.+)$/.exec(line.trim()) ?? [];
    if (keys.includes(normaliseWord(key))) names.add(foldName(value.replace(/^(["'])(.*)\1$/, "$2")));
  }
  return names;
}

export function unreadable(text: string, { path }: { readonly path: VaultPath }): VaultError | undefined {
  const { problem } = readFrontmatter(text);
  if (problem === undefined) return undefined;
  const { message, line, column } = problem;
  const hint = "Fix the frontmatter in Obsidian (source mode) and try again; nothing was changed.";
  return withLocation(new VaultError("INVALID_ARGUMENT", message, { line, column, hint }), path);
}

export function noLongerTask({ path }: { readonly path: VaultPath }): VaultError {
  return new VaultError("CONFLICT", `${path} is no longer the task it was; another program changed it meanwhile.`, {
    path,
    hint: "Search for the task again; nothing was changed.",
  });
}

export function wouldBeNoTask({ path }: { readonly path: VaultPath }): VaultError {
  return new VaultError("INVALID_ARGUMENT", `After that change nothing in ${path} would say that it is a task.`, {
    path,
    hint: [said`Change it with ${call("edit_note")} if that is meant.`, NOTHING_CHANGED],
  });
}

/** Rethrows all other errors. */
export function reasonOf(error: unknown): string {
  if (isVaultError(error)) return String(error.inSentences());
  if (error instanceof Error && error.name === "AbortError") return "The call was stopped before its turn.";
  throw error;
}
