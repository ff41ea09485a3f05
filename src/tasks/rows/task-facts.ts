/** Counts of a vault's tasks, and what cannot be read. */
import { ROWS_PER_FILE, condition } from "../../index/subject.js";
import { leftOut, unreadRemark } from "../../index/unlisted.js";
import { type IndexView, storedText } from "../../index/view.js";
import { counted, call, joined, said, type Wording } from "../../text/said.js";
import { isReserved } from "../note-format/conventions.js";
import type { UnreadQuery } from "../api.js";
import type { TaskProblem } from "../task.js";
import { OPEN, type TaskRows } from "./task-rows.js";
import { TASK_SCOPES } from "./task-subject.js";

/** Marked lines that the settings exclude. */
export function excludedLines(view: IndexView): number {
  const [count = 0] = view.get<[number]>(`SELECT count(*) FROM task WHERE scope = ${TASK_SCOPES.lines}`) ?? [];
  return count;
}

/** Of open tasks. */
export function inlineCount(rows: TaskRows): { readonly tasks: number; readonly notes: number } {
  const [[tasks, notes] = [0, 0]] = rows.select<[number, number]>(
    `count(*), count(DISTINCT task.id / ${ROWS_PER_FILE})`,
    [OPEN, condition("task.line > 0")],
  );
  return { tasks, notes };
}

const MAX_DAYS_NAMED = 3;

/** What a list of tasks may lack: unreadable notes, and days asked for that cannot be read. */
export function unreadIn({ view, settings }: TaskRows, { days }: UnreadQuery): readonly Wording[] {
  const paths = view.problems().flatMap(({ path }) => (isReserved(path, settings) ? [] : [path]));
  return [unreadRemark(paths, view.unlisted) ?? [], unreadDays(view, days) ?? []].flat();
}

function unreadDays(view: IndexView, days: UnreadQuery["days"]): Wording | undefined {
  const from = `task_problem CROSS JOIN file ON file.id = task_problem.id / ${ROWS_PER_FILE}
    WHERE unread_day IN (SELECT value FROM json_each(?))`;
  const asked = JSON.stringify(days);
  const [total = 0] = view.get<[number]>(`SELECT count(*) FROM ${from}`, asked) ?? [];
  if (total === 0) return undefined;
  const rows = view.all<[Uint8Array, number | null, Uint8Array]>(
    `SELECT CAST(path AS BLOB), task_problem.line, CAST(message AS BLOB) FROM ${from} ORDER BY task_problem.id LIMIT ?`,
    asked,
    MAX_DAYS_NAMED,
  );
  const named = rows
    .map(problemOf)
    .map(({ path, line, message }) => `${path}${line === undefined ? "" : `:${line}`}: ${message}`);
  const more = `And ${total - named.length} more`;
  const rest = said`${more}: ${call("scan_vault")} names them.`.or(`${more}.`);
  const all = [`Not counted: ${counted(total, "day")} that cannot be read.`, ...named];
  return joined(total > named.length ? [...all, rest] : all, " ");
}

export function problemsIn(view: IndexView): readonly TaskProblem[] {
  const own = view
    .all<[Uint8Array, number | null, Uint8Array]>(
      `SELECT CAST(path AS BLOB), task_problem.line, CAST(message AS BLOB) FROM task_problem
         CROSS JOIN file ON file.id = task_problem.id / ${ROWS_PER_FILE} ORDER BY task_problem.id`,
    )
    .map(problemOf);
  const unlisted = leftOut(view.unlisted).map(({ path, message, advice }) => ({
    path,
    message: `${message} ${advice}`,
  }));
  return [...view.problems(), ...unlisted, ...own, ...sharedIds(view)];
}

/** Notes with one id, which names none of them. */
function sharedIds(view: IndexView): readonly TaskProblem[] {
  const rows = view.all<[Uint8Array, Uint8Array]>(
    `SELECT CAST(ref AS BLOB), CAST(json_group_array(path) AS BLOB) FROM task
       CROSS JOIN file ON file.id = task.id / ${ROWS_PER_FILE}
       WHERE scope = 0 AND line = 0 AND ref IN (SELECT ref FROM task WHERE line = 0 GROUP BY ref HAVING count(*) > 1)
       GROUP BY ref`,
  );
  return rows.map(([ref, list]) => {
    const paths = (JSON.parse(storedText(list)) as string[]).sort();
    const message = `${paths.length} notes have the id ${JSON.stringify(storedText(ref))}: ${paths.join(", ")}. Change it in all but one; until then use their paths.`;
    return { path: paths[0] ?? "", message };
  });
}
function problemOf([path, line, message]: [Uint8Array, number | null, Uint8Array]): TaskProblem {
  return Object.assign({ path: storedText(path), message: storedText(message) }, line !== null && { line });
}
