/** Finds the task meant by an id, path, link or title (docs: tasks, "Fields", "update_task"). */
import { VaultError, type Candidate } from "../errors.js";
import { call, said } from "../text/said.js";
import { nearest } from "../text/nearest.js";
import { type Condition, ROWS_PER_FILE, condition } from "../index/subject.js";
import { baseName, fileTitle, foldName, linkKey, type VaultPath, vaultPath } from "../storage/path.js";
import { readLineName } from "./line-format/line-identity.js";
import { onOneLine } from "./fields/property-values.js";
import { isOutstanding } from "./recurrence/series.js";
import type { FileStat } from "../storage/storage.js";
import type { TaskRows } from "./rows/task-rows.js";
import type { Task } from "./task.js";
import type { ReferenceKind, TaskFormat, ReferenceForm } from "./format.js";

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
 * @throws VaultError AMBIGUOUS_NAME with candidates when the first match finds several
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
  const isEmpty = rows.total([]) === 0;
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
  const near = linesAround(reference, rows);
  if (near.length > 0) return near;
  const { notes, lines } = namesOf(rows);
  const wanted = bareReference(reference);
  // Equally near names: notes first, then lines in their order.
  const place = (name: string): number => (notes.has(name) ? -1 : (lines.get(name) ?? 0));
  const names = nearest(wanted, [...notes.keys(), ...lines.keys()], Infinity).sort((a, b) => place(a) - place(b));
  const found = nearest(wanted, names, MAX_CANDIDATES * 3).flatMap((name) => notes.get(name) ?? lines.get(name) ?? []);
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

/** The first rows by title, and notes by id and file name too. */
function namesOf(rows: TaskRows) {
  const notes = new Map<string, number>();
  const lines = new Map<string, number>();
  const path = `(SELECT path FROM file WHERE file.id = task.id / ${ROWS_PER_FILE})`;
  const ofNotes = rows.listed<[number, string, string, VaultPath]>(`task.id, task.title, task.ref, ${path}`, [
    condition("task.line = 0"),
  ]);
  for (const [id, title, ref, own] of ofNotes.sort(([one], [other]) => one - other))
    for (const name of [title, ref, fileTitle(own)]) if (!notes.has(name)) notes.set(name, id);
  for (const [id, title] of rows.listed<[number, string]>("task.id, task.title", [], "task_order"))
    lines.set(title, Math.min(id, lines.get(title) ?? id));
  return { notes, lines };
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
 * @throws VaultError PERMISSION_DENIED, without the path, when it leaves the vault or is hidden
 */
export function pathOfReference(reference: string): VaultPath | undefined {
  const text = reference.trim();
  const readsAsPath = /[\\/]/.test(text) || text.startsWith(".");
  try {
    return vaultPath(/\.md$/i.test(text) ? text : `${text}.md`);
  } catch (error) {
    if (readsAsPath && error instanceof VaultError && error.code === "PERMISSION_DENIED") throw error;
    return undefined;
  }
}
