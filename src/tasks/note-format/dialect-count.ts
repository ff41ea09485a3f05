/** Counts the vault's dialect from its task notes (docs: tasks, "create_task"). */
import { storedText, type IndexView } from "../../index/view.js";
import {
  DATE_STYLES,
  type Dialect,
  ESTIMATE_STYLES,
  GREENFIELD,
  LIST_STYLES,
  ownPriorityOf,
  ownStatusOf,
  type OwnWords,
  RULE_STYLES,
  separatorOf,
} from "../fields/dialect.js";
import { FIELD_NAMES } from "../fields/field-table.js";
import { FOREIGN } from "../fields/spelling.js";
import { normaliseWord, PRIORITIES, priorityOf, STATUSES, statusOf } from "../fields/vocabulary.js";
import { type Conventions, conventionsOf, inOwnKeys } from "./note-settings.js";
import { isTaskType } from "./facts.js";

const MAX_WORDS = 5;
/** Of a task in another language. */
const MIN_FOREIGN_KEYS = 2;

export function dialectOf(view: IndexView): Dialect {
  const conventions = conventionsOf(view.settings);
  const rows = view.all<[Uint8Array, number]>(
    `SELECT CAST(json_array(keys, habits, status, priority, type, rule) AS BLOB), count(*) FROM task_style
     GROUP BY keys, habits, status, priority, type, rule`,
  );
  const counted = countedDialect(rows, conventions, view.settings.taskNotes);
  const datesDone =
    counted.keys["completed"] !== undefined || view.settings.taskNotes.fieldMapping.has("completedDate");
  return { ...inOwnKeys(counted, conventions), datesDone };
}

function countedDialect(
  rows: readonly [style: Uint8Array, uses: number][],
  conventions: Conventions,
  words: OwnWords,
): Dialect {
  let tasks = 0;
  // Most tasks have the same keys: each list is split once.
  const usual = { keyLists: tally(), habitLists: tally() };
  const foreign = { tasks: 0, keyLists: tally(), habitLists: tally() };
  const [statuses, priorities, types, rules] = [tally(), tally(), tally(), tally()];
  for (const [style, uses] of rows) {
    const [keys, habits, status, priority, type, rule] = JSON.parse(storedText(style)) as (string | null)[];
    const isForeign = isForeignList(keys ?? "", conventions);
    tasks += uses;
    if (isForeign) foreign.tasks += uses;
    const lists = isForeign ? foreign : usual;
    lists.keyLists.add(keys, uses);
    lists.habitLists.add(habits, uses);
    statuses.add(status, uses);
    priorities.add(priority, uses);
    types.add(type, uses);
    rules.add(rule, uses);
  }
  if (tasks === 0) return GREENFIELD;
  const [keys, habits, all] = [tally(), tally(), tally()];
  const eachLine = ({ counts }: Tally, use: (line: string, uses: number) => void): void => {
    for (const [lines, uses] of counts) for (const line of lines.split("\n")) use(line, uses);
  };
  for (const { keyLists } of [usual, foreign]) eachLine(keyLists, (key, uses) => all.add(key, uses));
  for (const { keyLists, habitLists } of foreign.tasks * 2 > tasks ? [usual, foreign] : [usual]) {
    eachLine(keyLists, (key, uses) => keys.add(key, uses));
    eachLine(habitLists, (habit, uses) => {
      habits.add(habit, uses);
      habits.add(habit.slice(habit.indexOf(":") + 1), uses);
    });
  }
  return {
    tasks,
    keys: commonKeys(keys, conventions),
    statusWords: wordsByMeaning(STATUSES, (word) => ownStatusOf(word, words) ?? statusOf(word), statuses),
    priorityWords: wordsByMeaning(PRIORITIES, (word) => ownPriorityOf(word, words) ?? priorityOf(word), priorities),
    separator: separatorOf(statuses.counts),
    typeWord: types.ranked().find((word) => word.toLowerCase() === "task") ?? GREENFIELD.typeWord,
    types: {
      keys: keys.ranked().filter((key) => conventions.spelling.fieldsSpelled(key)[0]?.name === "type"),
      words: types.ranked().filter(isTaskType),
    },
    marker: rules.of("task-tag") > rules.of("type-key") ? "tag" : "type",
    lists: habits.most(LIST_STYLES) ?? GREENFIELD.lists,
    dates: habits.most(DATE_STYLES) ?? GREENFIELD.dates,
    fieldLists: byField(habits, LIST_STYLES),
    fieldDates: byField(habits, DATE_STYLES),
    linked: FIELD_NAMES.filter((name) => habits.of(`${name}:linked`) > habits.of(`${name}:named`)),
    mapped: FIELD_NAMES.filter((name) => habits.of(`${name}:mapped`) > habits.of(`${name}:linked`)),
    rules: habits.most(RULE_STYLES) ?? GREENFIELD.rules,
    estimates: habits.most(ESTIMATE_STYLES) ?? GREENFIELD.estimates,
    datesDone: false,
    mixed: mixedKeys(all, conventions),
  };
}

function isForeignList(list: string, { spelling }: Conventions): boolean {
  const isForeign = (line: string): boolean => spelling.fieldsSpelled(line.split("\t")[0] ?? "")[0]?.rank === FOREIGN;
  return list.split("\n").filter(isForeign).length >= MIN_FOREIGN_KEYS;
}

/** A shared spelling also names the field. */
function fieldOfKey(line: string, { spelling }: Conventions): readonly [key: string, field: string | undefined] {
  const [key = "", field = spelling.fieldsSpelled(key)[0]?.name] = line.split("\t");
  return [key, field];
}

function mixedKeys(keys: Tally, conventions: Conventions): Dialect["mixed"] {
  const byField = new Map<string, Map<string, [string, number]>>();
  for (const line of keys.ranked()) {
    const [key, field] = fieldOfKey(line, conventions);
    if (field === undefined) continue;
    const known = byField.get(field) ?? new Map<string, [string, number]>();
    const [first = key, uses = 0] = known.get(normaliseWord(key)) ?? [];
    byField.set(field, known.set(normaliseWord(key), [first, uses + keys.of(line)]));
  }
  return [...byField].flatMap(([field, known]) => (known.size > 1 ? [{ field, keys: [...known.values()] }] : []));
}

function commonKeys(keys: Tally, conventions: Conventions): Dialect["keys"] {
  const common: Record<string, string> = {};
  for (const line of keys.ranked()) {
    const [key, field] = fieldOfKey(line, conventions);
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
  meaningOf: (word: string) => string | undefined,
  words: Tally,
): Partial<Record<Meaning, readonly string[]>> {
  const found: Partial<Record<Meaning, string[]>> = {};
  for (const word of words.ranked()) {
    const meant = meaningOf(word);
    const meaning = meanings.find((one) => one === meant);
    if (meaning === undefined) continue;
    const list = (found[meaning] ??= []);
    if (list.length < MAX_WORDS) list.push(word);
  }
  return found;
}

interface Tally {
  readonly counts: ReadonlyMap<string, number>;
  add(word: string | null | undefined, uses?: number): void;
  of(word: string): number;
  /** Most used first, then by code point. */
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
