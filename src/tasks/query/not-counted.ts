/** What an answer does not count: plain checkboxes, excluded lines, and what cannot be read (docs: tasks, "Checkbox lines"). */
import { allOf, type Condition, condition, ROWS_PER_FILE } from "../../index/subject.js";
import { type IndexView, storedText } from "../../index/view.js";
import { counted, call, joined, said, type Wording } from "../../text/wording.js";
import { largeOnes } from "../../search/misspelt.js";
import { parseQuery, type Term } from "../../search/words.js";
import { hasTerm } from "../../search/score.js";
import type { VaultPath } from "../../storage/path.js";
import { OPEN, type TaskRows } from "../rows/task-rows.js";
import { holds } from "./order.js";
import { leftOut, unreadRemark } from "../../obsidian/unlisted.js";
import { isReserved } from "../note-format/note-settings.js";
import type { UnreadQuery } from "../api.js";
import type { TaskProblem } from "../task.js";
import { inheritedArea } from "../rows/task-lookup.js";
import { TASK_SCOPES } from "../rows/task-subject.js";

interface PlainCount {
  readonly boxes: number;
  readonly notes: number;
}

export function plainCount(rows: TaskRows, where: readonly Condition[]): PlainCount {
  const { from, values } = plainFrom([OPEN, ...where]);
  const count = `coalesce(sum(task.boxes), 0), count(DISTINCT task.id / ${ROWS_PER_FILE})`;
  const [boxes = 0, notes = 0] = rows.view.get<[number, number]>(`SELECT ${count} FROM ${from}`, ...values) ?? [];
  return { boxes, notes };
}

/** With all words; if there are none, without small words. */
export function plainWith(query: string, rows: TaskRows, where: readonly Condition[]): PlainCount {
  const { terms } = parseQuery(query);
  const large = largeOnes(terms, (term) => term);
  const found = withTerms(terms, rows, where);
  return found.boxes > 0 || large.length === terms.length ? found : withTerms(large, rows, where);
}

function withTerms(terms: readonly Term[], rows: TaskRows, where: readonly Condition[]): PlainCount {
  const { from, values } = plainFrom(
    [OPEN, ...where, ...terms.map((term) => holds([term], rows, "task_plain"))],
    "NOT INDEXED",
  );
  // SQLite would read its index of all open ones.
  const found = rows.view.all<[number, Uint8Array, Uint8Array | null]>(
    `SELECT task.id, CAST(task.words AS BLOB), CAST(${inheritedArea(rows.view, "area_key")} AS BLOB) FROM ${from}`,
    ...values,
  );
  let boxes = 0;
  const notes = new Set<number>();
  for (const [id, words, inherited] of found) {
    const [own = "", ...texts] = storedText(words).split("\n");
    const shared = inherited === null ? own : `${own} ${storedText(inherited)}`;
    const left = terms.filter((term) => !hasTerm(shared, term));
    const fitting = texts.filter((text) => left.every((term) => hasTerm(text, term)));
    boxes += fitting.length;
    if (fitting.length > 0) notes.add(Math.floor(id / ROWS_PER_FILE));
  }
  return { boxes, notes: notes.size };
}

function plainFrom(
  conditions: readonly Condition[],
  by = "",
): { readonly from: string; readonly values: Condition["values"] } {
  const { sql, values } = allOf(conditions);
  return { from: `task_plain AS task ${by} WHERE ${sql}`, values };
}

/** With a plain checkbox that contains this folded text. */
export function plainNotes(view: IndexView, text: string, limit: number): readonly VaultPath[] {
  return view.texts(
    `SELECT DISTINCT CAST(path AS BLOB) FROM task_plain CROSS JOIN file ON file.id = task_plain.id / ${ROWS_PER_FILE}
     WHERE instr(task_plain.words, ?) > 0 ORDER BY path LIMIT ?`,
    text,
    limit,
  );
}

/** Marked lines that the settings exclude. */
export function excludedLines(view: IndexView): number {
  const [count = 0] = view.get<[number]>(`SELECT count(*) FROM task WHERE scope = ${TASK_SCOPES.lines}`) ?? [];
  return count;
}

/** Counts open tasks only. */
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
