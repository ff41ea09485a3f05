/** Areas that tasks have from their projects. */
import type { SqlValue } from "../../index/subject.js";
import { type IndexView, storedText } from "../../index/view.js";
import { fold } from "../../text/fold.js";
import { bareName } from "../fields/property-values.js";
import type { Task } from "../task.js";
import { NAME_KINDS } from "./task-subject.js";

const MAX_DEPTH = 5;

const filled = new WeakMap<IndexView, Set<string>>();

/** Fills a temporary table once for each state of the index. */
export function temporary(
  view: IndexView,
  name: string,
  columns: string,
  fill: (insert: (...values: SqlValue[]) => void) => void,
): void {
  let known = filled.get(view);
  if (!known) filled.set(view, (known = new Set()));
  if (known.has(name)) return;
  known.add(name);
  view.run(`CREATE TEMP TABLE IF NOT EXISTS ${name} (${columns})`);
  view.run(`DELETE FROM temp.${name}`);
  fill((...values) => {
    const marks = values.map(() => "?").join();
    view.run(`INSERT OR IGNORE INTO temp.${name} VALUES (${marks})`, ...values);
  });
}

/** By the folded name of a project. */
const known = new WeakMap<IndexView, Map<string, readonly string[]>>();

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
  let areas = known.get(view);
  if (!areas) known.set(view, (areas = new Map()));
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

/**
 * Tasks with their project's area: `task_area (task, area, key)`. CROSS JOIN: SQLite knows nothing of temporary tables,
 * and would begin with the largest.
 * @returns false if there are none
 */
export function fillAreas(view: IndexView): boolean {
  temporary(view, "project_area", "key TEXT, area TEXT, area_key TEXT", (insert) => {
    const keys = view.texts(
      "SELECT DISTINCT CAST(key AS BLOB) FROM task_name WHERE kind = ? AND key IN (SELECT key FROM task_project)",
      NAME_KINDS.project,
    );
    for (const key of keys) for (const area of areasOf(view, key)) insert(key, area, fold(bareName(area)));
  });
  temporary(view, "task_area", "task INTEGER PRIMARY KEY, area TEXT, key TEXT", () => {
    for (const table of ["task", "task_plain"])
      view.run(
        `INSERT OR IGNORE INTO temp.task_area
         SELECT task.id, min(project_area.area), min(project_area.area_key) FROM temp.project_area
         CROSS JOIN task_name ON task_name.kind = ? AND task_name.key = project_area.key
         CROSS JOIN ${table} AS task ON task.id = task_name.owner
         WHERE task.area IS NULL GROUP BY task.id HAVING count(DISTINCT project_area.area) = 1`,
        NAME_KINDS.project,
      );
  });
  return view.get("SELECT 1 FROM temp.task_area LIMIT 1") !== undefined;
}
