/** The rows meant by a reference, and the task of a row. */
import { ROWS_PER_FILE, type SqlValue } from "../../index/subject.js";
import { type IndexView, storedText } from "../../index/view.js";
import { baseName, foldName, linkKey, type VaultPath } from "../../storage/path.js";
import { taskRecord } from "../fields/task-fields.js";
import { PRIORITIES } from "../fields/vocabulary.js";
import type { TaskLookup } from "../format.js";
import { readLineName, titleDigits, withoutTrailingTags } from "../line-format/task-line.js";
import type { Task } from "../task.js";
import { AS_IS, CLASSES, hasTitle, leftOutOf } from "./task-subject.js";

/** @param isShown whether a row is not listed as another one */
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
  const linesNamed = (file: number, ref: string): number[] =>
    rows("line > 0 AND ref = ? AND task.id BETWEEN ? AND ?", ref, ...rowsOfFile(file));
  const lineOf = (id: string): number[] => {
    const { path = "" } = readLineName(id) ?? {};
    const files = view.filesNamed(path).filter((file) => file.path === path && id.startsWith(path));
    return files.flatMap((file) => linesNamed(file.id, id.slice(path.length)));
  };
  switch (lookup.by) {
    case "ref":
      return [...rows("line = 0 AND ref = ?", lookup.value), ...lineOf(lookup.value)].filter(isShown);
    case "title": {
      const { sql, values } = hasTitle(lookup.value);
      return rows(sql, ...values).filter(isShown);
    }
    case "bareTitle": {
      const { sql, values } = hasTitle(lookup.value);
      const bare = `bare_key = ? OR (bare_key IS NULL AND ${sql})`;
      return rows(`line > 0 AND (${bare})`, lookup.value, ...values).filter(isShown);
    }
    case "path":
      return notes(view, lookup.value, (path) => path.normalize("NFC") === lookup.value);
    case "foldedPath":
      return notes(view, lookup.value, (path) => foldName(path) === lookup.value);
    case "fileName":
      return notes(view, lookup.value, (path) => linkKey(baseName(path).replace(/\.md$/i, "")) === lookup.value);
    case "block":
      return view.filesNamed(lookup.note).flatMap(({ id }) => linesNamed(id, `#^${lookup.block}`));
    case "line":
      return view
        .filesNamed(lookup.path)
        .filter(({ path }) => foldName(path) === lookup.path)
        .flatMap(({ id }) => rows("id = ? AND line > 0", id * ROWS_PER_FILE + lookup.line));
    case "digits":
      return view
        .filesNamed(lookup.path)
        .filter(({ path }) => foldName(path) === lookup.path)
        .flatMap((file) => linesWith(view, file, scope, lookup));
    default:
      return [];
  }
}

const rowsOfFile = (file: number) => [file * ROWS_PER_FILE, (file + 1) * ROWS_PER_FILE - 1] as const;

function linesWith(
  view: IndexView,
  { id: file, path }: { readonly id: number; readonly path: VaultPath },
  scope: number,
  { digits, earlier }: { readonly digits: string; readonly earlier: boolean },
): number[] {
  const lines = view.all<[number, Uint8Array, Uint8Array]>(
    `SELECT id, CAST(ref AS BLOB), CAST(title AS BLOB) FROM task
       WHERE id BETWEEN ? AND ? AND line > 0 AND scope <= ${scope}`,
    ...rowsOfFile(file),
  );
  const digitsOf = (ref: string, title: string): string =>
    earlier ? titleDigits(withoutTrailingTags(title)) : (readLineName(path + ref)?.digits ?? titleDigits(title));
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

const VALUES = ["scope", "class", "status", "archived", "priority", "line", "ref", ...Object.values(AS_IS)]
  .map((column) => `task.${column}`)
  .join();

/** As the note says, without the card and the project's area. */
export function taskAt(view: IndexView, id: number): Task | undefined {
  const row = view.get<[Uint8Array, Uint8Array | null, Uint8Array, number]>(
    `SELECT CAST(json_array(${VALUES}) AS BLOB), CAST(rest AS BLOB), CAST(path AS BLOB), modified
       FROM task CROSS JOIN file ON file.id = task.id / ${ROWS_PER_FILE} WHERE task.id = ?`,
    id,
  );
  if (row === undefined) return undefined;
  const [columns, rest, path, modified] = row;
  const [scope, statusClass, status, archived, priority, line, ref, ...asIs] = JSON.parse(
    storedText(columns),
  ) as readonly [number, number, string | null, number, number, number, string, ...unknown[]];
  const file = storedText(path) as VaultPath;
  const source = line > 0 ? "line" : "note";
  const held = Object.keys(AS_IS).flatMap((name, at) => (asIs[at] === null ? [] : [[name, asIs[at]]]));
  return taskRecord({
    ...leftOutOf(source, scope, view.settings),
    ...(rest === null ? undefined : (JSON.parse(storedText(rest)) as object)),
    ...Object.fromEntries(held),
    id: line > 0 ? file + ref : ref,
    path: file,
    source,
    status: status ?? CLASSES[statusClass],
    archived: archived === 1,
    priority: PRIORITIES[priority],
    ...(line > 0 && { line }),
    modified,
  } as Task);
}
