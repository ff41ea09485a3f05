/** Finds the task that an id, a path, a link or a title means (docs: tasks, "Fields", "update_task"). */
import { VaultError, type Candidate } from "../errors.js";
import { nearest } from "../text/nearest.js";
import { foldName, type VaultPath, vaultPath } from "../storage/path.js";
import { readLineName } from "./line-format/line-identity.js";
import { withoutTrailingTags } from "./line-format/task-line.js";
import { fileTitle } from "./note-format/derivation.js";
import { onOneLine } from "./fields/property-values.js";
import type { FileStat } from "../storage/storage.js";
import type { KeyedTasks, TaskKey, Task } from "./task.js";
import type { ReferenceKind, TaskFormat, ReferenceWay } from "./format.js";

export interface Reference {
  readonly task: Task;
  readonly kind: ReferenceKind;
  /** Only for a project's note, which is not a task. */
  readonly stat?: FileStat;
}

const MAX_CANDIDATES = 5;
const LIST_MORE = "Give one of these ids, or list more tasks with search_tasks.";
const NOTHING_LIKE_IT = "Find the task's id with search_tasks.";
const NO_TASKS = "This vault has no tasks yet; create_task makes one.";

/**
 * Tries id, path (`.md` optional), wikilink, title and file name. Undefined when none matches.
 * @throws VaultError AMBIGUOUS_NAME with candidates when the first way that matches finds several
 */
export function findTask(
  reference: string,
  tasks: Pick<KeyedTasks, "with">,
  formats: readonly TaskFormat[] = [],
): Reference | undefined {
  const text = reference.trim();
  for (const { kind, key, value, fits } of [...formats.flatMap((format) => format.ways?.(text) ?? []), ...ways(text)]) {
    const named = tasks.with(key, value);
    const found = fits ? named.filter(fits) : named;
    const [task] = found;
    if (found.length > 1) throw ambiguous(reference, found);
    if (task !== undefined) return { task, kind };
  }
  return undefined;
}

function ways(reference: string): ReferenceWay[] {
  const link = /^!?\[\[([^\]|#^]+)[^\]]*\]\]$/.exec(reference)?.[1]?.trim();
  if (link !== undefined) return [...pathWays(link, "link"), { kind: "link", key: byFileName, value: nameOf(link) }];
  return [
    { kind: "id", key: byOwnId, value: reference },
    ...pathWays(reference, "path"),
    { kind: "title", key: byTitle, value: foldName(onOneLine(reference)) },
    { kind: "title", key: byTitleWithoutTags, value: foldName(onOneLine(reference)) },
    { kind: "title", key: byFileName, value: nameOf(reference) },
  ];
}

/** A path or file name means the note's own task, never its lines. */
function pathWays(text: string, kind: ReferenceKind): ReferenceWay[] {
  const path = text.replace(/^\//, "").normalize("NFC");
  const withExtension = /\.md$/i.test(path) ? path : `${path}.md`;
  return [
    { kind, key: byExactPath, value: withExtension },
    { kind, key: byFoldedPath, value: foldName(withExtension) },
  ];
}

const nameOf = (text: string): string => foldName(text.replace(/\.md$/i, ""));
const isNote = ({ source }: Task): boolean => source === "note";

const byOwnId: TaskKey = ({ id, path }) => (id === path ? undefined : id);
const byExactPath: TaskKey = (task) => (isNote(task) ? task.path.normalize("NFC") : undefined);
const byFoldedPath: TaskKey = (task) => (isNote(task) ? foldName(task.path) : undefined);
const byTitle: TaskKey = ({ title }) => foldName(title);
const byTitleWithoutTags: TaskKey = (task) => (isNote(task) ? undefined : foldName(withoutTrailingTags(task.title)));
const byFileName: TaskKey = (task) => (isNote(task) ? foldName(fileTitle(task.path)) : undefined);

function ambiguous(reference: string, found: readonly Task[]): VaultError {
  const sameId = new Set(found.map(({ id }) => id)).size < found.length;
  const what = sameId ? "Several notes have the id" : "Several tasks are named";
  const more = found.length > MAX_CANDIDATES ? ` (${found.length} in all)` : "";
  return new VaultError("AMBIGUOUS_NAME", `${what} "${onOneLine(reference)}"${more}:`, {
    candidates: found
      .toSorted(byPath)
      .slice(0, MAX_CANDIDATES)
      .map((task) => candidateOf(task, sameId)),
    hint: sameId ? "Give the path instead, and make the ids in the notes differ." : "Give the id of the one you mean.",
  });
}

function byPath(a: Task, b: Task): number {
  return a.path < b.path || (a.path === b.path && (a.line ?? 0) < (b.line ?? 0)) ? -1 : 1;
}

function candidateOf({ id, title, path, status, source }: Task, sameId = false): Candidate {
  return { id: sameId && source === "note" ? path : id, title, path, status };
}

export function unknownTask(reference: string, tasks: readonly Task[], suggests = true): VaultError {
  const candidates = suggests ? closest(reference, tasks).map((task) => candidateOf(task)) : [];
  return new VaultError("FILE_NOT_FOUND", `Item not found: ${onOneLine(reference)}`, {
    ...(candidates.length > 0 && { candidates }),
    hint: tasks.length === 0 ? NO_TASKS : candidates.length === 0 ? NOTHING_LIKE_IT : LIST_MORE,
  });
}

export function onlyCheckbox(reference: string, box: Task): VaultError {
  return new VaultError("FILE_NOT_FOUND", `No task is named "${onOneLine(reference)}", but a plain checkbox is:`, {
    candidates: [candidateOf(box)],
    hint: "Give its id to change it all the same.",
  });
}

function closest(reference: string, tasks: readonly Task[]): Task[] {
  const near = linesAround(reference, tasks);
  if (near.length > 0) return near;
  const byName = new Map<string, Task>();
  for (const task of tasks) {
    const names = task.source === "note" ? [task.title, task.id, fileTitle(task.path)] : [task.title, task.id];
    for (const name of names) if (!byName.has(name)) byName.set(name, task);
  }
  const names = nearest(bareReference(reference), [...byName.keys()], MAX_CANDIDATES * 3);
  const found = names.map((name) => byName.get(name)).filter((task) => task !== undefined);
  return [...new Set(found)].slice(0, MAX_CANDIDATES);
}

/** The tasks nearest to a line that no longer exists. */
function linesAround(reference: string, tasks: readonly Task[]): Task[] {
  const { path, line } = readLineName(reference.trim()) ?? {};
  if (path === undefined || line === undefined) return [];
  const note = foldName(/\.md$/i.test(path) ? path : `${path}.md`);
  const distance = (task: Task): number => Math.abs((task.line ?? 0) - line);
  return tasks
    .filter((task) => task.line !== undefined && foldName(task.path) === note)
    .sort((a, b) => distance(a) - distance(b))
    .slice(0, MAX_CANDIDATES);
}

/** Without brackets, folders and the random end of an id. */
function bareReference(reference: string): string {
  const bare = reference
    .trim()
    .replace(/^!?\[\[|\]\]$/g, "")
    .replace(/\.md$/i, "");
  return bare.slice(bare.lastIndexOf("/") + 1);
}

/**
 * Undefined when it is not a path.
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
