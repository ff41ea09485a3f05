/** Counts open checkboxes that are no tasks (docs: tasks, "Checkbox lines"). */
import { allOf, type Condition, ROWS_PER_FILE } from "../../index/subject.js";
import { type IndexView, storedText } from "../../index/view.js";
import { largeOnes } from "../../search/misspelt.js";
import { parseQuery, type Term } from "../../search/words.js";
import { hasTerm } from "../../search/score.js";
import type { VaultPath } from "../../storage/path.js";
import { OPEN, type TaskRows } from "../rows/task-rows.js";
import { holds } from "./order.js";

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
  const hasAreas = rows.fillAreas();
  const { from, values } = plainFrom([OPEN, ...where, ...terms.map((term) => holds([term], rows, "task_plain"))]);
  const area = hasAreas ? "(SELECT key FROM temp.task_area WHERE task_area.task = task.id)" : "NULL";
  const found = rows.view.all<[number, Uint8Array, Uint8Array | null]>(
    `SELECT task.id, CAST(task.words AS BLOB), CAST(${area} AS BLOB) FROM ${from}`,
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

function plainFrom(conditions: readonly Condition[]): { readonly from: string; readonly values: Condition["values"] } {
  const { sql, values } = allOf(conditions);
  return { from: `task_plain AS task WHERE ${sql}`, values };
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
