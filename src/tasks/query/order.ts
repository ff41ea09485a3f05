/** The orders in which tasks are listed, and their ranking for words (docs: tasks, "Finding"). */
import { storedText } from "../../index/view.js";
import type { TimeSlice } from "../../async/yield-to-loop.js";
import { fold } from "../../text/fold.js";
import { type MisspeltWord, nearestWords } from "../../search/misspelt.js";
import { parseQuery, type Term } from "../../search/query.js";
import { asTyped, type FoldedDocument, togetherness } from "../../search/score.js";
import type { Condition } from "../../index/subject.js";
import { AGENDA_ORDER, CLOSED_LAST, type TaskRows } from "../rows/task-rows.js";
import { AREA_FIELD, SEARCHED_FIELDS } from "../rows/task-subject.js";
import { ROWS_PER_FILE } from "../../index/subject.js";
import { isClosed } from "../task.js";
import type { TaskFilters, TaskSort } from "./task-query.js";

const ORDERS: Readonly<Record<Exclude<TaskSort, "relevance">, string>> = {
  agenda: AGENDA_ORDER,
  due: `coalesce(task.due, '~'), ${AGENDA_ORDER}`,
  priority: `task.priority, ${AGENDA_ORDER}`,
  modified: `(SELECT modified FROM file WHERE file.id = task.id / ${ROWS_PER_FILE}) DESC, ${AGENDA_ORDER}`,
};

/** Closed tasks come last, unless the filters ask for them. */
export function taskOrder(sort: Exclude<TaskSort, "relevance">, { status, completed }: TaskFilters): string {
  const order = ORDERS[sort];
  const wanted = typeof status === "string" ? [status] : (status ?? []);
  if (completed !== undefined || wanted.some(isClosed)) return order;
  return sort === "agenda" ? CLOSED_LAST : `(task.class > 3), ${order}`;
}

/** True for blanks and `*` only. */
export function meansAll(query: string): boolean {
  return /^[\s*]*$/.test(query);
}

const WEIGHTS = SEARCHED_FIELDS.map(({ weight }) => weight);

/** The tasks that hold every word of a query. */
interface TaskHitRows {
  /** Best first. */
  readonly ids: readonly number[];
  readonly misspelt: readonly MisspeltWord[];
}

/** A task must have one of these; they are several only for a misspelt word. */
type Readings = readonly Term[];

/** Where the words as written find nothing, a word that no task has is read as the nearest ones. */
export async function taskHits(
  text: string,
  where: readonly Condition[],
  rows: TaskRows,
  slice: TimeSlice,
): Promise<TaskHitRows> {
  const { phrase, terms } = parseQuery(text);
  if (terms.length === 0) return { ids: [], misspelt: [] };
  const asWritten = terms.map((term): Readings => [term]);
  const ids = await hitsOf(phrase, asWritten, where, rows, slice);
  if (ids.length > 0) return { ids, misspelt: [] };
  const misspelt: MisspeltWord[] = [];
  const words = { state: rows.view, name: "tasks", all: () => wordsOf(rows) };
  const readings: Readings[] = [];
  for (const reading of asWritten) {
    const [term] = reading;
    const isUnknown = term?.kind === "word" && !rows.has(holds([term], rows.fillAreas()));
    const readAs = isUnknown ? await nearestWords(words, term.text) : [];
    if (term && readAs.length > 0) misspelt.push({ word: term.text, readAs });
    const near = readAs.flatMap((word) => parseQuery(word).terms);
    readings.push(near.length === 0 ? reading : near);
  }
  const found = misspelt.length === 0 ? [] : await hitsOf(phrase, readings, where, rows, slice);
  return found.length === 0 ? { ids, misspelt: [] } : { ids: found, misspelt };
}

async function hitsOf(
  phrase: string,
  readings: readonly Readings[],
  where: readonly Condition[],
  rows: TaskRows,
  slice: TimeSlice,
): Promise<readonly number[]> {
  const hasAreas = rows.fillAreas();
  const conditions = [...where, ...readings.map((reading) => holds(reading, hasAreas))];
  const area = hasAreas ? "(SELECT area FROM temp.task_area WHERE task = task.id)" : "NULL";
  const found = rows.select<[number, Uint8Array, Uint8Array | null]>(
    `task.id, CAST(task.words AS BLOB), CAST(${area} AS BLOB)`,
    conditions,
    `ORDER BY ${CLOSED_LAST}, (SELECT path FROM file WHERE file.id = task.id / ${ROWS_PER_FILE}), task.line`,
  );
  const terms = readings.map(([first]) => first).filter((term) => term !== undefined);
  const hits: { readonly id: number; readonly score: number }[] = [];
  for (const [id, words, inherited] of found) {
    const document = documentOf(storedText(words), inherited && storedText(inherited));
    const score = scoreOf(document, readings);
    if (score > 0) hits.push({ id, score: score + togetherness(document, { phrase, terms }, WEIGHTS) });
    if (slice.isOver) await slice.yield();
  }
  return hits.sort((a, b) => b.score - a.score).map(({ id }) => id);
}

/** A condition that every hit fulfils; the score decides. */
function holds(terms: readonly Term[], hasAreas: boolean): Condition {
  const own = "instr(task.words, ?) > 0";
  const inherited = "task.id IN (SELECT task FROM temp.task_area WHERE instr(key, ?) > 0)";
  return {
    sql: terms.map(() => (hasAreas ? `${own} OR ${inherited}` : own)).join(" OR "),
    values: terms.flatMap(({ text }) => (hasAreas ? [text, text] : [text])),
  };
}

function documentOf(words: string, area: string | null): FoldedDocument {
  const fields = words.split("\n");
  fields.length = SEARCHED_FIELDS.length;
  if (area !== null) fields[AREA_FIELD] = fold(area);
  const starts = [0];
  let end = 0;
  for (const field of fields) starts.push((end += (field?.length ?? 0) + 1));
  return { text: [...fields, ""].join("\n"), starts };
}

function scoreOf(document: FoldedDocument, readings: readonly Readings[]): number {
  let score = 0;
  for (const reading of readings) {
    const points = Math.max(...reading.map((term) => asTyped(document, term, WEIGHTS)));
    if (points === 0) return 0;
    score += points;
  }
  return score;
}

/** Of titles, tags, projects, contexts and areas. */
function* wordsOf(rows: TaskRows): Generator<string> {
  const seen = new Set<string>();
  for (const text of rows.namingTexts())
    for (const word of text.split(/[^\p{L}\p{N}\p{M}]+/u)) {
      if (seen.has(word) || word === "") continue;
      seen.add(word);
      yield word;
    }
}
