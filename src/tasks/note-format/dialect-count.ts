/** Computes the vault's dialect from how its task notes are written (docs: tasks, "create_task"). */
import { storedText, type IndexView } from "../../index/view.js";
import {
  DATE_STYLES,
  type Dialect,
  ESTIMATE_STYLES,
  GREENFIELD,
  LIST_STYLES,
  RULE_STYLES,
  separatorOf,
} from "../fields/dialect.js";
import { FIELD_NAMES } from "../fields/fields.js";
import { FOREIGN } from "../fields/spelling.js";
import { normaliseWord, PRIORITIES, priorityOf, STATUSES, statusOf } from "../fields/vocabulary.js";
import { type Customs, customsOf, inOwnKeys } from "./customs.js";
import { isTaskType } from "./facts.js";

const MAX_WORDS = 5;
/** Of a task that is written in another language. */
const MIN_FOREIGN_KEYS = 2;

/** How the task notes of the vault are written. */
export function dialectOf(view: IndexView): Dialect {
  const customs = customsOf(view.settings);
  const count = new DialectCount(customs);
  const rows = view.all<[Uint8Array, number]>(
    `SELECT CAST(json_array(keys, habits, status, priority, type, rule) AS BLOB), count(*) FROM task_style
     GROUP BY keys, habits, status, priority, type, rule`,
  );
  for (const [text, uses] of rows) {
    const [keys, habits, status, priority, type, rule] = JSON.parse(storedText(text)) as (string | null)[];
    count.add({ keys: keys ?? "", habits: habits ?? "", status, priority, type, rule }, uses);
  }
  const counted = count.result();
  const datesDone =
    counted.keys["completed"] !== undefined || view.settings.taskNotes.fieldMapping.has("completedDate");
  return { ...inOwnKeys(counted, customs), datesDone };
}

/** A row of `task_style`. */
interface StyleRow {
  readonly keys: string;
  readonly habits: string;
  readonly status: string | null | undefined;
  readonly priority: string | null | undefined;
  readonly type: string | null | undefined;
  readonly rule: string | null | undefined;
}

class DialectCount {
  readonly #customs: Customs;
  #tasks = 0;
  // Most tasks have the same keys: each list is split once.
  readonly #keyLists = tally();
  readonly #habitLists = tally();
  /** Of tasks that are written in another language. */
  readonly #foreign = { tasks: 0, keyLists: tally(), habitLists: tally() };
  readonly #statuses = tally();
  readonly #priorities = tally();
  readonly #types = tally();
  readonly #rules = tally();

  constructor(customs: Customs) {
    this.#customs = customs;
  }

  add({ keys, habits, status, priority, type, rule }: StyleRow, uses: number): void {
    this.#tasks += uses;
    const isForeign = isForeignList(keys, this.#customs);
    if (isForeign) this.#foreign.tasks += uses;
    const { keyLists, habitLists } = isForeign
      ? this.#foreign
      : { keyLists: this.#keyLists, habitLists: this.#habitLists };
    keyLists.add(keys, uses);
    habitLists.add(habits, uses);
    this.#statuses.add(status, uses);
    this.#priorities.add(priority, uses);
    this.#types.add(type, uses);
    this.#rules.add(rule, uses);
  }

  result(): Dialect {
    if (this.#tasks === 0) return GREENFIELD;
    const [keys, habits, all] = [tally(), tally(), tally()];
    // Few tasks in another language do not decide how the others are written.
    const foreign = this.#foreign.tasks * 2 > this.#tasks ? this.#foreign : undefined;
    const addKeys = (to: Tally, lists: Tally | undefined): void => {
      for (const [list, uses] of lists?.counts ?? []) for (const key of list.split("\n")) to.add(key, uses);
    };
    for (const lists of [this.#keyLists, foreign?.keyLists]) addKeys(keys, lists);
    for (const lists of [this.#keyLists, this.#foreign.keyLists]) addKeys(all, lists);
    for (const [list, uses] of [...this.#habitLists.counts, ...(foreign?.habitLists.counts ?? [])])
      for (const habit of list.split("\n")) {
        habits.add(habit, uses);
        habits.add(habit.slice(habit.indexOf(":") + 1), uses);
      }
    return {
      tasks: this.#tasks,
      keys: commonKeys(keys, this.#customs),
      statusWords: wordsByMeaning(STATUSES, statusOf, this.#statuses),
      priorityWords: wordsByMeaning(PRIORITIES, priorityOf, this.#priorities),
      separator: separatorOf(this.#statuses.counts),
      typeWord: this.#types.ranked().find((word) => word.toLowerCase() === "task") ?? GREENFIELD.typeWord,
      types: {
        keys: keys.ranked().filter((key) => this.#customs.spelling.fieldsSpelled(key)[0]?.name === "type"),
        words: this.#types.ranked().filter(isTaskType),
      },
      marker: this.#rules.of("task-tag") > this.#rules.of("type-key") ? "tag" : "type",
      lists: habits.most(LIST_STYLES) ?? GREENFIELD.lists,
      dates: habits.most(DATE_STYLES) ?? GREENFIELD.dates,
      fieldLists: byField(habits, LIST_STYLES),
      fieldDates: byField(habits, DATE_STYLES),
      linked: FIELD_NAMES.filter((name) => habits.of(`${name}:linked`) > habits.of(`${name}:named`)),
      mapped: FIELD_NAMES.filter((name) => habits.of(`${name}:mapped`) > habits.of(`${name}:linked`)),
      rules: habits.most(RULE_STYLES) ?? GREENFIELD.rules,
      estimates: habits.most(ESTIMATE_STYLES) ?? GREENFIELD.estimates,
      datesDone: false,
      mixed: mixedKeys(all, this.#customs),
    };
  }
}

function isForeignList(list: string, { spelling }: Customs): boolean {
  const isForeign = (line: string): boolean => spelling.fieldsSpelled(line.split("\t")[0] ?? "")[0]?.rank === FOREIGN;
  return list.split("\n").filter(isForeign).length >= MIN_FOREIGN_KEYS;
}

/** A key and its field; a shared spelling names the field. */
function fieldOfKey(line: string, { spelling }: Customs): readonly [key: string, field: string | undefined] {
  const [key = "", field = spelling.fieldsSpelled(key)[0]?.name] = line.split("\t");
  return [key, field];
}

function mixedKeys(keys: Tally, customs: Customs): Dialect["mixed"] {
  const byField = new Map<string, Map<string, [string, number]>>();
  for (const line of keys.ranked()) {
    const [key, field] = fieldOfKey(line, customs);
    if (field === undefined) continue;
    const known = byField.get(field) ?? new Map<string, [string, number]>();
    const [first = key, uses = 0] = known.get(normaliseWord(key)) ?? [];
    byField.set(field, known.set(normaliseWord(key), [first, uses + keys.of(line)]));
  }
  return [...byField].flatMap(([field, known]) => (known.size > 1 ? [{ field, keys: [...known.values()] }] : []));
}

function commonKeys(keys: Tally, customs: Customs): Dialect["keys"] {
  const common: Record<string, string> = {};
  for (const line of keys.ranked()) {
    const [key, field] = fieldOfKey(line, customs);
    if (field !== undefined) common[field] ??= key;
  }
  return common;
}

function byField<Style extends string>(habits: Tally, styles: readonly Style[]): Record<string, Style> {
  const found: Record<string, Style> = {};
  for (const name of FIELD_NAMES) {
    const most = habits.most(styles.map((style) => `${name}:${style}` as const));
    const style = styles.find((style) => `${name}:${style}` === most);
    if (style !== undefined) found[name] = style;
  }
  return found;
}

function wordsByMeaning<Meaning extends string>(
  meanings: readonly Meaning[],
  meaningOf: (word: string) => Meaning | undefined,
  words: Tally,
): Partial<Record<Meaning, readonly string[]>> {
  const found: Partial<Record<Meaning, string[]>> = {};
  for (const word of words.ranked()) {
    const meaning = meaningOf(word);
    if (meaning === undefined || !meanings.includes(meaning)) continue;
    const list = (found[meaning] ??= []);
    if (list.length < MAX_WORDS) list.push(word);
  }
  return found;
}

interface Tally {
  readonly counts: ReadonlyMap<string, number>;
  add(word: string | null | undefined, uses?: number): void;
  of(word: string): number;
  /** Most used first, then in code-point order, independent of file order. */
  ranked(): string[];
  most<Word extends string>(words: readonly Word[]): Word | undefined;
}

function tally(): Tally {
  const counts = new Map<string, number>();
  const of = (word: string): number => counts.get(word) ?? 0;
  return {
    counts,
    of,
    add(word, uses = 1) {
      if (word !== undefined && word !== null && word !== "") counts.set(word, of(word) + uses);
    },
    ranked: () => [...counts].sort(([a, uses], [b, others]) => others - uses || (a < b ? -1 : 1)).map(([word]) => word),
    most: (words) => words.filter((word) => counts.has(word)).sort((a, b) => of(b) - of(a))[0],
  };
}
