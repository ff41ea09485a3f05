/** The rows meant by a reference: by id, title, path, name or line; and the task of a row. */
import { ROWS_PER_FILE, type SqlValue } from "../../index/subject.js";
import { type IndexView, storedText } from "../../index/view.js";
import { baseName, foldName, linkKey, type VaultPath } from "../../storage/path.js";
import { type StoredApart, taskRecord } from "../fields/task-fields.js";
import type { TaskLookup } from "../format.js";
import { readLineName, titleDigits } from "../line-format/line-identity.js";
import { withoutTrailingTags } from "../line-format/task-line.js";
import type { Task } from "../task.js";

/**
 * Ids of rows, up to a scope.
 * @param isShown whether a row is not listed as another one
 */
export function rowsMeant(
  view: IndexView,
  lookup: TaskLookup,
  scope: number,
  isShown: (id: number) => boolean,
): number[] {
  const rows = (sql: string, ...values: SqlValue[]): number[] =>
    view
      .all<[number]>(`SELECT task.id FROM task WHERE scope <= ${scope} AND ${sql} ORDER BY id`, ...values)
      .map(([id]) => id);
  switch (lookup.by) {
    case "ref":
      return rows("ref = ?", lookup.value).filter(isShown);
    case "title":
      return rows("title_key = ?", lookup.value).filter(isShown);
    case "bareTitle":
      return rows(
        "line > 0 AND coalesce(bare_key, title_key) = ? AND (bare_key = ? OR title_key = ?)",
        lookup.value,
        lookup.value,
        lookup.value,
      ).filter(isShown);
    case "path":
      return notes(view, lookup.value, (path) => path.normalize("NFC") === lookup.value);
    case "foldedPath":
      return notes(view, lookup.value, (path) => foldName(path) === lookup.value);
    case "fileName":
      return notes(view, lookup.value, (path) => linkKey(baseName(path).replace(/\.md$/i, "")) === lookup.value);
    case "block":
      return view.filesNamed(lookup.note).flatMap(({ path }) => rows("ref = ?", `${path}#^${lookup.block}`));
    case "line":
      return view
        .filesNamed(lookup.path)
        .filter(({ path }) => foldName(path) === lookup.path)
        .flatMap(({ id }) => rows("id = ? AND line > 0", id * ROWS_PER_FILE + lookup.line));
    case "digits":
      return view
        .filesNamed(lookup.path)
        .filter(({ path }) => foldName(path) === lookup.path)
        .flatMap(({ id }) => linesWith(view, id, scope, lookup));
    default:
      return [];
  }
}

function linesWith(
  view: IndexView,
  file: number,
  scope: number,
  { digits, earlier }: { readonly digits: string; readonly earlier: boolean },
): number[] {
  const lines = view.all<[number, Uint8Array, Uint8Array]>(
    `SELECT id, CAST(ref AS BLOB), CAST(title AS BLOB) FROM task
       WHERE id BETWEEN ? AND ? AND line > 0 AND scope <= ${scope}`,
    file * ROWS_PER_FILE,
    (file + 1) * ROWS_PER_FILE - 1,
  );
  const digitsOf = (ref: string, title: string): string =>
    earlier ? titleDigits(withoutTrailingTags(title)) : (readLineName(ref)?.digits ?? titleDigits(title));
  return lines.flatMap(([id, ref, title]) => (digitsOf(storedText(ref), storedText(title)) === digits ? [id] : []));
}

export function notesNamed(
  view: IndexView,
  path: string,
): readonly { readonly id: number; readonly path: VaultPath }[] {
  return view
    .filesNamed(path)
    .map(({ id, path: own }) => ({ id: id * ROWS_PER_FILE, path: own }))
    .filter(({ id }) => view.get("SELECT 1 FROM task WHERE id = ? AND scope = 0", id) !== undefined);
}

function notes(view: IndexView, name: string, fits: (path: VaultPath) => boolean): number[] {
  return notesNamed(view, name).flatMap(({ id, path }) => (fits(path) ? [id] : []));
}

/** As the note says, without the card and the project's area. */
export function taskAt(view: IndexView, id: number): Task | undefined {
  const row = view.get<[Uint8Array, Uint8Array, Uint8Array, Uint8Array, number]>(
    `SELECT CAST(json AS BLOB), CAST(ref AS BLOB), CAST(title AS BLOB), CAST(path AS BLOB), modified
       FROM task_json CROSS JOIN task ON task.id = task_json.id CROSS JOIN file ON file.id = task.id / ${ROWS_PER_FILE}
       WHERE task_json.id = ?`,
    id,
  );
  if (row === undefined) return undefined;
  const [json, ref, title, path, modified] = row;
  const apart: StoredApart = {
    id: storedText(ref),
    title: storedText(title),
    path: storedText(path) as VaultPath,
    modified,
  };
  return taskRecord({ ...(JSON.parse(storedText(json)) as Omit<Task, keyof StoredApart>), ...apart });
}
