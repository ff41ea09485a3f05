/** The rows meant by a reference; the task of a row, and its area from its projects. */
import { ROWS_PER_FILE, type SqlValue } from "../../index/subject.js";
import { type IndexView, storedText } from "../../index/view.js";
import { baseName, foldName, linkKey, type VaultPath } from "../../storage/path.js";
import { taskRecord } from "../fields/task-fields.js";
import { PRIORITIES } from "../fields/vocabulary.js";
import type { TaskLookup } from "../format.js";
import { readLineName, titleDigits, withoutTrailingTags } from "../line-format/task-line.js";
import type { Task } from "../task.js";
import { AS_IS, CLASSES, hasTitle, leftOutOf, NAME_KINDS } from "./task-subject.js";
import { fold } from "../../text/fold.js";
import { bareName } from "../fields/property-values.js";

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

const MAX_DEPTH = 5;

/** Fills a temporary table once for each state of the index. */
export function temporary(
  view: IndexView,
  name: string,
  columns: string,
  fill: (insert: (...values: SqlValue[]) => void) => void,
): void {
  view.once(`rows of ${name}`, () => {
    view.run(`CREATE TEMP TABLE IF NOT EXISTS ${name} (${columns})`);
    view.run(`DELETE FROM temp.${name}`);
    fill((...values) => {
      const marks = values.map(() => "?").join();
      view.run(`INSERT OR IGNORE INTO temp.${name} VALUES (${marks})`, ...values);
    });
  });
}

/** Sets the area if the task has none and its projects agree on one. */
export function withArea(view: IndexView, task: Task): Task {
  if (task.area !== undefined || task.parentProjects.length === 0) return task;
  const areas = new Set(task.parentProjects.flatMap((project) => areasOf(view, fold(bareName(project)))));
  const [area] = areas;
  return area === undefined || areas.size > 1
    ? task
    : { ...task, area, areaOf: bareName(task.parentProjects[0] ?? "") };
}

/** The areas of notes of this name, or of their projects. */
function areasOf(view: IndexView, key: string, depth = MAX_DEPTH): readonly string[] {
  const areas = view.once("areas by project", () => new Map<string, readonly string[]>());
  let found = areas.get(key);
  if (found === undefined) {
    const rows = view.all<[Uint8Array | null, Uint8Array | null]>(
      "SELECT CAST(area AS BLOB), CAST(within AS BLOB) FROM task_project WHERE key = ? ORDER BY id",
      key,
    );
    const own = rows.flatMap(([area]) => (area === null ? [] : [storedText(area)]));
    const within = rows.flatMap(([, text]) => (text === null ? [] : [JSON.parse(storedText(text)) as string[]])).at(-1);
    const above = own.length === 0 && depth > 0 ? (within ?? []) : [];
    found = [...new Set([...own, ...above.flatMap((name) => areasOf(view, fold(bareName(name)), depth - 1))])];
    if (depth === MAX_DEPTH) areas.set(key, found);
  }
  return found;
}

/** `project_area (key, area, area_key)`. @returns false if it is empty */
function fillProjectAreas(view: IndexView): boolean {
  temporary(view, "project_area", "key TEXT, area TEXT, area_key TEXT, PRIMARY KEY (key, area)", (insert) => {
    const keys = view.texts(
      `SELECT CAST(key AS BLOB) FROM (SELECT DISTINCT key FROM task_project) AS project
       WHERE EXISTS (SELECT 1 FROM task_name WHERE kind = ? AND task_name.key = project.key)`,
      NAME_KINDS.project,
    );
    for (const key of keys) for (const area of areasOf(view, key)) insert(key, area, fold(bareName(area)));
  });
  return view.get("SELECT 1 FROM temp.project_area LIMIT 1") !== undefined;
}

/** In SQL: the area of the projects of `task`, for few rows. */
export function inheritedArea(view: IndexView, column: "area" | "area_key"): string {
  if (!fillProjectAreas(view)) return "NULL";
  const first = `task.id / ${ROWS_PER_FILE} * ${ROWS_PER_FILE}`;
  return `iif(task.area IS NULL, (SELECT min(project_area.${column}) FROM task_name NOT INDEXED
    CROSS JOIN temp.project_area ON project_area.key = task_name.key
    WHERE task_name.id BETWEEN ${first} AND ${first} + ${ROWS_PER_FILE - 1} AND owner = task.id
      AND kind = ${NAME_KINDS.project} HAVING min(project_area.area) = max(project_area.area)), NULL)`;
}

/** Each that a task or plain checkbox has from its projects, unordered. */
export function inheritedAreas(view: IndexView): readonly string[] {
  const inherited = inheritedArea(view, "area");
  if (inherited === "NULL") return [];
  const isOf = (table: string): string =>
    `EXISTS (SELECT 1 FROM task_name CROSS JOIN ${table} AS task ON task.id = task_name.owner
     WHERE task_name.kind = ${NAME_KINDS.project} AND task_name.key = project_area.key AND ${inherited} IS NOT NULL)`;
  return view.texts(
    `SELECT DISTINCT CAST(area AS BLOB) FROM temp.project_area WHERE ${isOf("task")} OR ${isOf("task_plain")}`,
  );
}

/** Whether a task may have the text in its projects' area. @param text folded */
export function isInheritable(view: IndexView, text: string): boolean {
  if (!fillProjectAreas(view)) return false;
  return view.get("SELECT 1 FROM temp.project_area WHERE instr(area_key, ?) > 0", text) !== undefined;
}

/**
 * Tasks with their project's area: `task_area (task, area, key)`. CROSS JOIN: SQLite knows nothing of temporary tables,
 * and would begin with the largest.
 * @returns false if there are none
 */
export function fillAreas(view: IndexView): boolean {
  if (!fillProjectAreas(view)) return false;
  temporary(view, "task_area", "task INTEGER PRIMARY KEY, area TEXT, key TEXT", () => {
    for (const table of ["task", "task_plain"])
      view.run(
        `INSERT OR IGNORE INTO temp.task_area
         SELECT task.id, min(project_area.area), min(project_area.area_key) FROM temp.project_area
         CROSS JOIN task_name ON task_name.kind = ? AND task_name.key = project_area.key
         CROSS JOIN ${table} AS task ON task.id = task_name.owner
         WHERE task.area IS NULL GROUP BY task.id HAVING min(project_area.area) = max(project_area.area)`,
        NAME_KINDS.project,
      );
  });
  return view.get("SELECT 1 FROM temp.task_area LIMIT 1") !== undefined;
}
