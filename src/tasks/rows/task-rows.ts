/** Tasks as rows of the index, decoded for one answer. */
import type { TimeSlice } from "../../async/timers.js";
import { storedText, type IndexView } from "../../index/view.js";
import type { Clock } from "../../clock.js";
import { allOf, condition, type Condition, ROWS_PER_FILE, type SqlValue } from "../../index/subject.js";
import type { ParaFolders } from "../../obsidian/para.js";
import type { VaultSettings } from "../../obsidian/settings.js";
import { foldName, linkKey, type VaultPath } from "../../storage/path.js";
import { fold } from "../../text/fold.js";
import type { Dialect, UsedNames } from "../fields/dialect.js";
import { bareName } from "../fields/property-values.js";
import type { TaskContext, TaskLookup } from "../format.js";
import { dialectOf } from "../note-format/dialect-count.js";
import type { Task } from "../task.js";
import { fillAreas, inheritedAreas, rowsMeant, taskAt, temporary, withArea } from "./task-lookup.js";
import { CLOSED_LAST, hasTitle, NAME_KINDS, TASK_SCOPES, type TaskScope, TITLE_KEY } from "./task-subject.js";

const DECODED_AT_ONCE = 200;

export const OPEN: Condition = condition("task.open = 1");

export { AGENDA_ORDER, CLOSED_LAST, TITLE_KEY } from "./task-subject.js";
/** At the end of every order. */
export const TIE = `(SELECT path FROM file WHERE file.id = task.id / ${ROWS_PER_FILE}), task.line`;

/** In a vault with more rows, reading in an index's order may cost less than sorting. */
const MANY = 20_000;
/** By an index, or by a condition's list of ids. */
type ReadBy = "task_live" | "task_order" | "task_words" | "id";

interface RowPage {
  readonly limit?: number;
  readonly offset?: number;
  /** If the caller knows it. */
  readonly total?: number;
  readonly by?: ReadBy;
}

export class TaskRows {
  readonly view: IndexView;
  readonly clock: Clock;
  readonly scope: TaskScope;
  readonly #decoded = new Map<number, Task>();
  readonly #ids = new WeakMap<Task, number>();
  #dialect: Dialect | undefined;
  #usedNames: UsedNames | undefined;

  constructor(view: IndexView, clock: Clock, scope: TaskScope = "tasks") {
    this.view = view;
    this.clock = clock;
    this.scope = scope;
  }

  get settings(): VaultSettings {
    return this.view.settings;
  }

  get para(): ParaFolders {
    return this.view.para;
  }

  get context(): TaskContext {
    return { para: this.para, settings: this.settings, clock: this.clock };
  }

  /** Ids of the rows, in order; by default by file and line. */
  ids(where: readonly Condition[], order: string | undefined, page: RowPage = {}): number[] {
    return this.#page<[number]>("task.id", where, order, page).map(([id]) => id);
  }

  /** The first row of each title, case ignored, and their number. */
  titled(where: readonly Condition[], order: string, page: RowPage): { readonly id: number; readonly count: number }[] {
    const found = new Map<string, { readonly id: number; count: number }>();
    for (const [id, bytes] of this.#page<[number, Uint8Array]>(
      `task.id, CAST(${TITLE_KEY} AS BLOB)`,
      where,
      order,
      page,
    )) {
      const title = storedText(bytes);
      const like = found.get(title);
      if (like) like.count++;
      else found.set(title, { id, count: 1 });
    }
    return [...found.values()];
  }

  #page<SubjectRow extends readonly SqlValue[]>(
    columns: string,
    where: readonly Condition[],
    order: string | undefined,
    { limit = -1, offset = 0, total = Infinity, by }: RowPage,
  ): SubjectRow[] {
    if (total === 0) return [];
    const { sql, values } = this.where(where);
    const isFew = total ** 2 <= MANY * (limit < 0 ? Infinity : offset + limit);
    const inOrder = isFew ? "task_live" : order === CLOSED_LAST ? "task_order" : undefined;
    const from = this.#from(by ?? (total < Infinity ? inOrder : undefined));
    // The sign keeps SQLite from scanning the table for this order.
    const ordered = order === undefined ? "+task.id" : `${order}, ${TIE}`;
    return this.view.all<SubjectRow>(
      `SELECT ${columns} FROM ${from} WHERE ${sql} ORDER BY ${ordered} LIMIT ? OFFSET ?`,
      ...values,
      limit,
      offset,
    );
  }

  count(where: readonly Condition[]): { readonly total: number; readonly mark: number } {
    const { sql, values } = this.where(where);
    const [total = 0, mark = 0] =
      this.view.get<[number, number]>(`SELECT count(*), total(task.mark) FROM task WHERE ${sql}`, ...values) ?? [];
    return { total, mark };
  }

  total(where: readonly Condition[]): number {
    const { sql, values } = this.where(where);
    return this.view.get<[number]>(`SELECT count(*) FROM task WHERE ${sql}`, ...values)?.[0] ?? 0;
  }

  /** Columns of the rows; text as bytes. @param by default: SQLite's choice */
  select<SubjectRow extends readonly SqlValue[]>(
    columns: string,
    where: readonly Condition[],
    rest = "",
    by?: ReadBy,
  ): SubjectRow[] {
    const { sql, values } = this.where(where);
    return this.view.all<SubjectRow>(`SELECT ${columns} FROM ${this.#from(by)} WHERE ${sql} ${rest}`, ...values);
  }

  /** SQLite does not know how many rows meet a condition, and refuses a useless index. */
  #from(by: ReadBy | undefined): string {
    if (by === undefined || this.scope !== "tasks") return "task";
    return by === "id" ? "task NOT INDEXED" : `task INDEXED BY ${by}`;
  }

  has(condition: Condition): boolean {
    return this.select("1", [condition], "LIMIT 1").length > 0;
  }

  *namingTexts(): Generator<string> {
    const { sql, values } = this.where([]);
    const title = "substr(task.words, 1, instr(task.words, char(10)))";
    yield* this.view.list<string>("title", `(SELECT ${title} AS title FROM task WHERE ${sql})`, ...values);
    yield* this.view.texts("SELECT DISTINCT CAST(key AS BLOB) FROM task_name WHERE kind < ?", NAME_KINDS.doneDay);
    for (const area of [...this.#distinct("area"), ...inheritedAreas(this.view)]) yield fold(area);
  }

  sorted(ids: readonly number[], order: string): number[] {
    const wanted = JSON.stringify(ids);
    return this.ids([{ sql: "task.id IN (SELECT value FROM json_each(?))", values: [wanted] }], order);
  }

  titles(ids: readonly number[]): ReadonlyMap<string, string> {
    const rows = `json_each(?) AS wanted CROSS JOIN task ON task.id = wanted.value
      CROSS JOIN file ON file.id = task.id / ${ROWS_PER_FILE}`;
    const id = "iif(line > 0, file.path || ref, ref)";
    return new Map(this.view.list<[string, string]>(`json_array(${id}, title)`, rows, JSON.stringify(ids)));
  }

  /** The first spelling of each. */
  names(kind: number): readonly string[] {
    const { sql, values } = this.#named(kind);
    return this.view.texts(
      `SELECT CAST(shown AS BLOB) FROM (SELECT min(id) AS first FROM task_name WHERE ${sql} GROUP BY key)
       CROSS JOIN task_name ON task_name.id = first ORDER BY first`,
      ...values,
    );
  }

  /** With the number of uses, without rows of other scopes. */
  #used(kind: number): [name: Uint8Array, uses: number][] {
    const { sql, values } = this.#named(kind);
    return this.view.all(
      `SELECT CAST(shown AS BLOB), count(*) FROM task_name WHERE ${sql} GROUP BY shown ORDER BY min(id)`,
      ...values,
    );
  }

  /** By a list of owners: their rows are wide, and in another order than the names. */
  #named(kind: number): Condition {
    const { sql, values } = this.where([]);
    return condition(
      `kind = ? AND owner IN (SELECT task.id FROM ${this.#from("task_live")} WHERE ${sql})`,
      kind,
      ...values,
    );
  }

  /** The vault's own words. */
  statuses(): readonly string[] {
    return this.#distinct("status");
  }

  areas(): readonly string[] {
    const inherited = this.fillAreas() ? this.view.texts("SELECT DISTINCT CAST(area AS BLOB) FROM temp.task_area") : [];
    return [...this.#distinct("area"), ...inherited];
  }

  #distinct(column: "status" | "area"): readonly string[] {
    const { sql, values } = this.where([condition(`${column} IS NOT NULL`)]);
    return this.view.texts(`SELECT CAST(${column} AS BLOB) FROM task WHERE ${sql} GROUP BY ${column}`, ...values);
  }

  list(where: readonly Condition[], order?: string, page: RowPage = {}) {
    return this.decode(this.ids(where, order, page));
  }

  everyId(): readonly number[] {
    return this.ids([], "(task.line > 0), task.id");
  }

  get tasks(): readonly Task[] {
    return this.decode(this.everyId());
  }

  async decodeSome(ids: readonly number[], slice: TimeSlice): Promise<readonly Task[]> {
    const tasks: Task[] = [];
    for (let at = 0; at < ids.length; at += DECODED_AT_ONCE) {
      for (const task of this.decode(ids.slice(at, at + DECODED_AT_ONCE))) tasks.push(task);
      if (slice.isOver) await slice.yield();
    }
    return tasks;
  }

  one(id: number): Task {
    const [task] = this.decode([id]);
    if (task === undefined) throw new Error(`There is no task ${id}.`);
    return task;
  }

  idOf(task: Task): number | undefined {
    return this.#ids.get(task);
  }

  /** @throws SqliteError `corrupt` */
  decode(ids: readonly number[]): Task[] {
    const fresh = ids.filter((id) => !this.#decoded.has(id));
    if (fresh.length > 0) {
      this.view.verify(fresh);
      for (const id of fresh) {
        const own = taskAt(this.view, id);
        if (own === undefined) continue;
        const task = this.#withCard(id, this.withArea(own));
        this.#decoded.set(id, task);
        this.#ids.set(task, id);
      }
    }
    return ids.flatMap((id) => this.#decoded.get(id) ?? []);
  }

  where(conditions: readonly Condition[]): Condition {
    const scope = this.scope === "tasks" ? "task.scope = 0" : `task.scope <= ${TASK_SCOPES[this.scope]}`;
    const parts = [condition(scope), ...conditions];
    if (this.#fillCards()) parts.push(condition(`task.id NOT IN (SELECT card FROM temp.${this.#cards})`));
    return allOf(parts);
  }

  #hasCards: boolean | undefined;

  /** Plain checkboxes are cards only for questions about them. */
  get #cards(): string {
    return `card_of_${this.scope}`;
  }

  /** A card that is only a link to a task note is listed once: as the note, with the card's board and lane. */
  #fillCards(): boolean {
    if (this.#hasCards !== undefined) return this.#hasCards;
    const cards = this.view.all<[number, Uint8Array]>(
      `SELECT id, CAST(card AS BLOB) FROM task WHERE card IS NOT NULL AND scope <= ${TASK_SCOPES[this.scope]} ORDER BY +id`,
    );
    this.#hasCards = cards.length > 0;
    if (this.#hasCards)
      temporary(this.view, this.#cards, "card INTEGER PRIMARY KEY, note INTEGER", (insert) => {
        for (const [id, target] of cards) {
          const note = this.#noteOfCard(storedText(target));
          if (note !== undefined) insert(id, note);
        }
      });
    return this.#hasCards;
  }

  #noteOfCard(target: string): number | undefined {
    const path = target.replace(/^\//, "").replace(/\.md$/i, "").normalize("NFC");
    const ways: readonly TaskLookup[] = [
      { by: "path", value: `${path}.md` },
      { by: "foldedPath", value: foldName(`${path}.md`) },
      { by: "fileName", value: linkKey(path) },
    ];
    for (const way of ways) {
      const found = this.#rowsOf(way);
      if (found.length > 0) return found.length === 1 ? found[0] : undefined;
    }
    return undefined;
  }

  #withCard(id: number, task: Task): Task {
    if (id % ROWS_PER_FILE !== 0 || !this.#fillCards()) return task;
    const ids = this.view.all<[number]>(`SELECT card FROM temp.${this.#cards} WHERE note = ? ORDER BY card`, id);
    const [card, ...otherCards] = ids.flatMap(([one]) => taskAt(this.view, one) ?? []).map((one) => this.withArea(one));
    if (card === undefined) return task;
    return { ...task, board: card.board, lane: card.lane, card, ...(otherCards.length > 0 && { otherCards }) };
  }

  isCard(): Condition {
    const own = "task.board IS NOT NULL";
    const linked = this.#fillCards() ? `${own} OR task.id IN (SELECT note FROM temp.${this.#cards})` : own;
    return condition(linked);
  }

  /** Task notes that cards of these rows link to. */
  linkedFrom(first: number, last: number): readonly Condition[] {
    if (!this.#fillCards()) return [];
    const sql = `task.id IN (SELECT note FROM temp.${this.#cards} WHERE card BETWEEN ? AND ?)`;
    return [{ sql, values: [first, last] }];
  }

  /** @param plain whether plain checkboxes' titles count */
  with(lookup: TaskLookup, { plain = false } = {}): readonly Task[] {
    return this.decode(this.#rowsOf(lookup, plain));
  }

  #rowsOf(lookup: TaskLookup, plain = false): number[] {
    const isTitle = lookup.by === "title" || lookup.by === "bareTitle";
    const scope = Math.min(TASK_SCOPES[this.scope], isTitle && !plain ? TASK_SCOPES.lines : TASK_SCOPES.plain);
    const isShown = (id: number): boolean =>
      this.#hasCards !== true || this.view.get(`SELECT 1 FROM temp.${this.#cards} WHERE card = ?`, id) === undefined;
    return rowsMeant(this.view, lookup, scope, isShown);
  }

  withArea(task: Task): Task {
    return withArea(this.view, task);
  }

  fillAreas(): boolean {
    return fillAreas(this.view);
  }

  /** As one database value, because each row costs time; unordered. */
  listed<Value extends string | readonly SqlValue[]>(column: string, where: readonly Condition[], by?: ReadBy) {
    const { sql, values } = this.where(where);
    return this.view.list<Value>(column, `${this.#from(by)} WHERE ${sql}`, ...values);
  }

  /** The first by id, ignoring case and accents. @param except the path of another note */
  openTask(title: string, except?: VaultPath): Task | undefined {
    const folded = fold(title);
    const ofTitle = hasTitle(linkKey(title));
    const same: Condition = {
      sql: `task.id IN (SELECT id FROM task WHERE ${ofTitle.sql}
        UNION SELECT id FROM task INDEXED BY task_words WHERE scope = 0 AND words >= ? AND words < ?)`,
      values: [...ofTitle.values, `${folded}\n`, `${folded}\v`],
    };
    const twins = this.list([OPEN, same], undefined, { by: "id" }).filter(
      (task) => task.path !== except && fold(task.title) === folded,
    );
    // Rows are in the order of storing.
    return twins.sort((one, other) => (one.id < other.id ? -1 : 1))[0];
  }

  /** Most used first. */
  get usedNames(): UsedNames {
    this.#usedNames ??= {
      areas: byUse(
        this.select<[Uint8Array, number]>(
          "CAST(area AS BLOB), count(*)",
          [condition("area IS NOT NULL")],
          "GROUP BY area ORDER BY min(task.id)",
        ),
      ),
      projects: byUse(this.#used(NAME_KINDS.project)),
    };
    return this.#usedNames;
  }

  get dialect(): Dialect {
    return (this.#dialect ??= dialectOf(this.view));
  }

  get hasDatedLine(): boolean {
    return this.view.get("SELECT 1 FROM task WHERE completed IS NOT NULL AND line > 0 LIMIT 1") !== undefined;
  }
}

function byUse(rows: readonly (readonly [Uint8Array, number])[]): readonly string[] {
  const uses = new Map<string, number>();
  for (const [bytes, count] of rows) {
    const name = bareName(storedText(bytes));
    uses.set(name, (uses.get(name) ?? 0) + count);
  }
  return [...uses].sort(([, one], [, other]) => other - one).map(([name]) => name);
}
