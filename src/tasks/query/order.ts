/** Orders of task lists, and ranking by words (docs: tasks, "Finding"). */
import { storedText } from "../../index/view.js";
import type { TimeSlice } from "../../async/timers.js";
import { fold } from "../../text/fold.js";
import { firstFound, largeOnes, nearestWords } from "../../search/misspelt.js";
import type { MisspeltWord } from "../../search/nothing-found.js";
import { parseQuery, type Term } from "../../search/words.js";
import { asTyped, type FoldedDocument, togetherness } from "../../search/score.js";
import { type Condition, ROWS_PER_FILE } from "../../index/subject.js";
import { AGENDA_ORDER, CLOSED_LAST, type TaskRows, TITLE_KEY } from "../rows/task-rows.js";
import { inheritedArea, isInheritable } from "../rows/task-lookup.js";
import { AREA_FIELD, NAME_KINDS, SEARCHED_FIELDS } from "../rows/task-subject.js";
import { isClosed, type TaskFilters, type TaskSort } from "../task.js";

const ORDERS: Readonly<Record<Exclude<TaskSort, "relevance">, string>> = {
  agenda: AGENDA_ORDER,
  due: `coalesce(task.due, '~'), ${AGENDA_ORDER}`,
  priority: `task.priority, ${AGENDA_ORDER}`,
  modified: `(SELECT modified FROM file WHERE file.id = task.id / ${ROWS_PER_FILE}) DESC, ${AGENDA_ORDER}`,
};

const DONE_DAY = `CASE WHEN task.series = 0 THEN task.completed ELSE coalesce(task.completed,
  (SELECT max(key) FROM task_name WHERE owner = task.id AND kind = ${NAME_KINDS.doneDay})) END`;

export function taskOrder(sort: Exclude<TaskSort, "relevance">, { status, completed, is = [] }: TaskFilters): string {
  const order = ORDERS[sort];
  if (sort === "agenda" && is.includes("duplicate")) return `${TITLE_KEY}, ${order}`;
  const wanted = typeof status === "string" ? [status] : (status ?? []);
  const isPast = completed !== undefined || (wanted.length > 0 && wanted.every(isClosed));
  if (isPast) return sort === "agenda" ? `${DONE_DAY} DESC, ${order}` : order;
  if (wanted.some(isClosed)) return order;
  return sort === "agenda" ? CLOSED_LAST : `(task.class > 3), ${order}`;
}

const WEIGHTS = SEARCHED_FIELDS.map(({ weight }) => weight);

interface TaskHitRows {
  readonly ids: readonly number[];
  /** The sum of the hashes of their ids. */
  readonly mark: number;
  readonly misspelt: readonly MisspeltWord[];
  readonly without?: string | undefined;
}

const NO_HITS: TaskHitRows = { ids: [], mark: 0, misspelt: [] };

/** A task must have one; several only for a misspelt word. */
type Readings = readonly Term[];

/**
 * If nothing has all words, omits small ones; then replaces an unknown word by the nearest ones, unless plain
 * checkboxes have the words.
 */
export async function taskHits(
  text: string,
  where: readonly Condition[],
  rows: TaskRows,
  { slice, arePlain }: { readonly slice: TimeSlice; readonly arePlain: () => boolean },
): Promise<TaskHitRows> {
  const { phrase, terms } = parseQuery(text);
  if (terms.length === 0) return NO_HITS;
  const words = { state: rows.view, name: "tasks", all: () => wordsOf(rows) };
  let isOfPlain: boolean | undefined;
  const found = await firstFound(
    terms.map((term): Readings => [term]),
    {
      termOf: firstTerm,
      find: async (some) => {
        const hits = await hitsOf(phrase, some, where, rows, slice);
        return hits.ids.length > 0 ? hits : undefined;
      },
      correct: async ([term]) => {
        if (term?.kind !== "word" || (isOfPlain ??= arePlain())) return undefined;
        if (rows.has(holds([term], rows))) return undefined;
        const readAs = await nearestWords(words, term.text);
        const near = readAs.flatMap((word) => parseQuery(word).terms);
        return near.length === 0 ? undefined : { word: near, misspelt: { word: term.text, readAs } };
      },
    },
  );
  return found ? { ...found.hits, misspelt: found.misspelt, without: found.without } : NO_HITS;
}

const firstTerm = ([first]: Readings): Term | undefined => first;

const MAX_PARTIAL = 5;

/** The tasks with the most words. */
export async function partialHits(
  text: string,
  where: readonly Condition[],
  rows: TaskRows,
  slice: TimeSlice,
): Promise<{
  readonly best: readonly { readonly id: number; readonly lacks: readonly string[] }[];
  readonly unknown: readonly string[];
  readonly words: number;
}> {
  const { phrase, terms } = parseQuery(text);
  const some = largeOnes(terms, (term) => term);
  const hits: { readonly id: number; readonly score: number; readonly lacks: readonly Term[] }[] = [];
  for (const { id, document } of documentsOf(where, [holds(some, rows)], rows)) {
    const points = some.map((term) => asTyped(document, term, WEIGHTS));
    const lacks = some.filter((_, at) => points[at] === 0);
    const score = points.reduce((sum, one) => sum + one, togetherness(document, { phrase, terms: some }, WEIGHTS));
    if (lacks.length < some.length) hits.push({ id, score, lacks });
    if (slice.isOver) await slice.yield();
  }
  const best = hits.toSorted((a, b) => a.lacks.length - b.lacks.length || b.score - a.score).slice(0, MAX_PARTIAL);
  return {
    best: best.map(({ id, lacks }) => ({ id, lacks: lacks.map((term) => term.text) })),
    unknown: some.filter((term) => hits.every(({ lacks }) => lacks.includes(term))).map((term) => term.text),
    words: some.length,
  };
}

async function hitsOf(
  phrase: string,
  readings: readonly Readings[],
  where: readonly Condition[],
  rows: TaskRows,
  slice: TimeSlice,
): Promise<Pick<TaskHitRows, "ids" | "mark">> {
  const words = readings.map((reading) => holds(reading, rows));
  const terms = readings.map(([first]) => first).filter((term) => term !== undefined);
  const hits: { readonly id: number; readonly score: number }[] = [];
  let sum = 0;
  for (const { id, mark, document } of documentsOf(where, words, rows)) {
    const score = scoreOf(document, readings);
    if (score > 0) {
      hits.push({ id, score: score + togetherness(document, { phrase, terms }, WEIGHTS) });
      sum += mark;
    }
    if (slice.isOver) await slice.yield();
  }
  return { ids: hits.sort((a, b) => b.score - a.score).map(({ id }) => id), mark: sum };
}

interface TaskDocument {
  readonly id: number;
  readonly mark: number;
  readonly document: FoldedDocument;
}

function* documentsOf(
  filters: readonly Condition[],
  words: readonly Holding[],
  rows: TaskRows,
): Generator<TaskDocument> {
  const by = words.some(({ areFew }) => areFew) ? "id" : "task_words";
  if (by === "task_words" && rows.total(filters) === 0) return;
  const area = inheritedArea(rows.view, "area");
  const found = rows.select<[number, number, Uint8Array, Uint8Array | null]>(
    `task.id, task.mark, CAST(task.words AS BLOB), CAST(${area} AS BLOB)`,
    [...filters, ...words],
    `ORDER BY ${CLOSED_LAST}, (SELECT path FROM file WHERE file.id = task.id / ${ROWS_PER_FILE}), task.line`,
    by,
  );
  for (const [id, mark, words, inherited] of found)
    yield { id, mark, document: documentOf(storedText(words), inherited && storedText(inherited)) };
}

/** A necessary condition; the score decides. */
interface Holding extends Condition {
  /** It lists the ids of the rows. */
  readonly areFew: boolean;
}

const MAX_FEW = 2000;
const MAX_KNOWN = 200;

/** Cached: an answer uses the same words in several statements that each scan all rows. */
export function holds(terms: readonly Term[], rows: TaskRows, table: "task" | "task_plain" = "task"): Holding {
  const own = "instr(task.words, ?) > 0";
  const either = `${own} OR task.id IN (SELECT task FROM temp.task_area WHERE instr(key, ?) > 0)`;
  const parts = terms.map(({ text }): Holding => {
    const hasAreas = isInheritable(rows.view, text) && rows.fillAreas();
    const all = { sql: hasAreas ? either : own, values: hasAreas ? [text, text] : [text] };
    const ids = fewIds(`${table} ${rows.scope} ${text}`, all, rows, table);
    return ids === undefined
      ? { ...all, areFew: false }
      : { sql: "task.id IN (SELECT value FROM json_each(?))", values: [ids], areFew: true };
  });
  return {
    sql: parts.map(({ sql }) => sql).join(" OR "),
    values: parts.flatMap(({ values }) => values),
    areFew: parts.every(({ areFew }) => areFew),
  };
}

function fewIds(name: string, holding: Condition, rows: TaskRows, table: "task" | "task_plain"): string | undefined {
  // As JSON; undefined for more than `MAX_FEW`.
  const ofView = rows.view.once("ids by text", () => new Map<string, string | undefined>());
  if (ofView.has(name)) return ofView.get(name);
  const { sql, values } = table === "task" ? rows.where([holding]) : holding;
  const from = table === "task" && rows.scope === "tasks" ? "task INDEXED BY task_words" : `${table} AS task`;
  const ids = rows.view.list<number>(
    "id",
    `(SELECT task.id FROM ${from} WHERE ${sql} LIMIT ${MAX_FEW + 1})`,
    ...values,
  );
  const text = ids.length > MAX_FEW ? undefined : JSON.stringify(ids);
  if (ofView.size >= MAX_KNOWN) ofView.clear();
  ofView.set(name, text);
  return text;
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

function* wordsOf(rows: TaskRows): Generator<string> {
  const seen = new Set<string>();
  for (const text of rows.namingTexts())
    for (const word of text.split(/[^\p{L}\p{N}\p{M}]+/u)) {
      if (seen.has(word) || word === "") continue;
      seen.add(word);
      yield word;
    }
}
