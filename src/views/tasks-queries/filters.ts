/** The filters of queries. */
import type { DayNumber } from "../../dates/days.js";
import { readDays, wordsBesideDays } from "../../dates/query-days.js";
import { type Condition, ROWS_PER_FILE } from "../../index/subject.js";
import {
  type CheckboxLine,
  type LineStatus,
  type LineStatuses,
  type NotePlace,
  type NotePlaces,
  STATUS_TYPES,
  type waitingLines,
} from "../../tasks/rows/checkbox-rows.js";
import {
  CHECKBOX_DAYS,
  CHECKBOX_PRIORITIES,
  type CheckboxDay,
  INVALID_DAY,
} from "../../tasks/rows/checkbox-subject.js";
import { readPattern, RefusedPattern } from "../../text/javascript-pattern.js";
import { combined, type Filter, looksCombined, negated } from "./boolean.js";
import { Misread, MISREAD } from "./misread.js";

export interface QuerySurroundings {
  readonly today: DayNumber;
  readonly statuses: LineStatuses;
  readonly notes: NotePlaces;
  waiting(): ReturnType<typeof waitingLines>;
}

type Make = (about: QuerySurroundings, parts: readonly string[]) => Filter;

/** After all days of rows. */
const NO_END: DayNumber = 10_000_000;
const DAYS_OF: Readonly<Record<string, readonly CheckboxDay[]>> = {
  ...Object.fromEntries(CHECKBOX_DAYS.map((name) => [name, [name]])),
  happens: ["start", "scheduled", "due"],
};
const DAY_NAMES = Object.keys(DAYS_OF).join("|");

const exactly = (sql: string, ...values: Condition["values"]): Condition => ({ sql, values });

/** Statements of which each word is known. A first part is the word that negates. */
const WHOLE: readonly (readonly [form: RegExp, make: Make])[] = [
  [
    /^(not )?done$/i,
    ({ statuses }, [not]) =>
      either(
        ofStatus(statuses, ({ isDone }) => isDone),
        not,
      ),
  ],
  [
    new RegExp(`^status\\.type is (not )?(${STATUS_TYPES.join("|")})$`, "i"),
    ({ statuses }, [not, type = ""]) =>
      either(
        ofStatus(statuses, (status) => status.type === type.toUpperCase()),
        not,
      ),
  ],
  [
    /^priority(?:\s+is)?(?:\s+(above|below|not))?\s+(lowest|low|none|medium|high|highest)$/i,
    (_, [word = "is", name = ""]) => byPriority(word.toLowerCase(), name.toLowerCase()),
  ],
  [/^is (not )?recurring$/i, (_, [not]) => either({ test: ({ rule }) => rule !== "", sql: has("rule") }, not)],
  [/^is (not )?blocked$/i, (about, [not]) => either(amongLines(about.waiting().blocked), not)],
  [/^is (not )?blocking$/i, (about, [not]) => either(amongLines(about.waiting().blocking), not)],
  [/^(?:has|(no)) id$/i, (_, [no]) => either({ test: ({ sign }) => sign !== "", sql: has("sign") }, no)],
  [/^(?:has|(no)) depends on$/i, (_, [no]) => either({ test: ({ waits }) => waits.length > 0, sql: has("waits") }, no)],
  [/^(?:has|(no)) tags?$/i, (_, [no]) => either({ test: ({ tags }) => tags.length > 0, sql: has("tags") }, no)],
  [/^exclude sub-items$/i, () => ({ test: ({ isNested }) => !isNested, sql: exactly("nested = 0") })],
  [
    new RegExp(`^(?:has|(no)) (${DAY_NAMES}) date$`, "i"),
    (_, [no, name = ""]) => {
      const days = DAYS_OF[name.toLowerCase()] ?? [];
      const sql = exactly(days.map((day) => has(day).sql).join(" OR "));
      return either({ test: (line) => days.some((day) => line[day] !== null), sql }, no);
    },
  ],
  [
    new RegExp(`^(${CHECKBOX_DAYS.join("|")}) date is invalid$`, "i"),
    (_, [name = ""]) => inDays([name.toLowerCase() as CheckboxDay], INVALID_DAY, INVALID_DAY, false),
  ],
];

/** Undefined when no filter begins like this. @throws Misread */
export function readFilter(text: string, about: QuerySurroundings, depth = 0): Filter | undefined {
  for (const [form, make] of WHOLE) {
    const match = form.exec(text);
    if (match !== null) return make(about, match.slice(1));
  }
  if (/^filter by function\b/i.test(text)) throw new Misread(MISREAD.javaScript);
  if (/^status\.type\b/i.test(text)) throw new Misread(`status.type is, or is not, one of ${STATUS_TYPES.join(", ")}`);
  const [, day, said = ""] = DAY_FORM.exec(text) ?? [];
  if (day !== undefined) return byDay(day, said, about.today);
  const [, field, operator = "", wanted = ""] = TEXT_FORM.exec(text) ?? [];
  if (field !== undefined) return byText(field.toLowerCase(), operator, wanted, about);
  if (!looksCombined(text)) return undefined;
  return combined(text, depth, (part, deeper) => {
    const filter = readFilter(part, about, deeper);
    if (filter === undefined) throw new Misread(`"${part.slice(0, 80)}" is no filter; ${MISREAD.between}`);
    return filter;
  });
}

const AMONG = "IN (SELECT value FROM json_each(?))";
const has = (column: string): Condition => exactly(`${column} IS NOT NULL`);
const either = (filter: Filter, not: string | undefined): Filter => (not === undefined ? filter : negated(filter));

function amongLines(ids: ReadonlySet<number>): Filter {
  return { test: ({ id }) => ids.has(id), sql: exactly(`c.id ${AMONG}`, JSON.stringify([...ids])) };
}

function ofStatus(statuses: LineStatuses, fits: (status: LineStatus) => boolean): Filter {
  return { test: ({ status }) => fits(status), sql: statuses.condition(fits) };
}

function byPriority(word: string, name: string): Filter {
  const wanted = (CHECKBOX_PRIORITIES as readonly string[]).indexOf(name);
  if (word === "above") return { test: ({ priority }) => priority < wanted, sql: exactly("priority < ?", wanted) };
  if (word === "below") return { test: ({ priority }) => priority > wanted, sql: exactly("priority > ?", wanted) };
  const is: Filter = { test: ({ priority }) => priority === wanted, sql: exactly("priority = ?", wanted) };
  return word === "not" ? negated(is) : is;
}

const DAY_FORM = new RegExp(`^(${DAY_NAMES.replace("start", "starts")}) (.+)$`, "i");
const KEYWORD = /^(?:(on|in) or )?(before|after) |^(on|in) /i;

function byDay(word: string, said: string, today: DayNumber): Filter {
  const name = word.toLowerCase().replace("starts", "start");
  const [keyword = "", inclusive, direction, within = ""] = KEYWORD.exec(said) ?? [];
  const phrase = said.slice(keyword.length).trim();
  // `in` may be part of the day: `in two weeks`.
  const days = readDays(phrase, today) ?? readDays(`${within} ${phrase}`, today) ?? daysWithOr(word, said, today);
  if (days === undefined) {
    if (/[)\]}"]/.test(phrase)) throw new Misread(`${MISREAD.between}, in capitals`);
    const beside = wordsBesideDays(phrase, today);
    throw new Misread(
      beside === undefined ? `"${phrase.slice(0, 80)}" is no day that queries understand` : MISREAD.ignored(beside),
    );
  }
  let [from, to] = days;
  if (direction?.toLowerCase() === "before") [from, to] = [INVALID_DAY + 1, inclusive === undefined ? from - 1 : to];
  if (direction?.toLowerCase() === "after") [from, to] = [inclusive === undefined ? to + 1 : from, NO_END];
  // A task without a start day has started.
  return inDays(DAYS_OF[name] ?? [], from, to, name === "start");
}

/**
 * `(due today) or (due tomorrow)`: `or` is no operator, and the plugin reads one filter, from the first day to the last.
 * Where one follows the other, that is what is meant.
 */
function daysWithOr(word: string, said: string, today: DayNumber): readonly [DayNumber, DayNumber] | undefined {
  const days = said.split(new RegExp(`\\) or \\(${word} `, "i")).map((part) => readDays(part, today));
  const [[one = 0, end = 0] = [], [other = 0, otherEnd = 0] = []] = days;
  const areNeighbours = one === end && other === otherEnd && Math.abs(one - other) < 2;
  return days.length === 2 && days.every((day) => day !== undefined) && areNeighbours
    ? [Math.min(one, other), Math.max(one, other)]
    : undefined;
}

function inDays(days: readonly CheckboxDay[], from: DayNumber, to: DayNumber, ifMissing: boolean): Filter {
  const fits = (day: DayNumber | null): boolean => (day === null ? ifMissing : day >= from && day <= to);
  const sql = days.map((day) => `coalesce(${day} BETWEEN ${from} AND ${to}, ${Number(ifMissing)})`).join(" OR ");
  return { test: (line) => days.some((day) => fits(line[day])), sql: exactly(sql) };
}

const NOTE_TEXTS: Readonly<Record<string, (note: NotePlace) => string>> = {
  path: ({ path }) => path,
  folder: ({ folder }) => folder,
  root: ({ root }) => root,
  filename: ({ filename }) => filename,
};
/** Where SQL finds them. */
const LINE_TEXTS: Readonly<Record<string, readonly [text: (line: CheckboxLine) => string, column: string]>> = {
  description: [({ description }) => description, "description"],
  heading: [({ heading }) => heading, "heading"],
  id: [({ sign }) => sign, "coalesce(sign, '')"],
  recurrence: [({ rule }) => rule, "coalesce(rule, '')"],
};
const TEXT_FORM = new RegExp(
  `^(${[...Object.keys(NOTE_TEXTS), ...Object.keys(LINE_TEXTS)].join("|")}|status\\.name|tags?)` +
    " (includes|does not include|regex matches|regex does not match|(?<=^tags? )(?:include|do not include)) (.*)$",
  "i",
);

function byText(field: string, operator: string, wanted: string, { statuses, notes }: QuerySurroundings): Filter {
  const isPattern = /regex/i.test(operator);
  const fits = isPattern ? patternIn(wanted) : containing(wanted);
  const sqlIn = (column: string): Condition | undefined => (isPattern ? undefined : sqlContaining(column, wanted));
  const not = /\bnot\b/i.exec(operator)?.[0];
  if (field === "status.name")
    return either(
      ofStatus(statuses, ({ name }) => fits(name)),
      not,
    );
  const ofNote = NOTE_TEXTS[field];
  if (ofNote !== undefined) return either(inNotes([...notes].filter(([, note]) => fits(ofNote(note)))), not);
  const ofLine = LINE_TEXTS[field];
  if (ofLine === undefined)
    return either({ test: ({ tags }) => tags.some(fits), sql: sqlIn("coalesce(tags, '')") }, not);
  const [text, column] = ofLine;
  if (field === "id" || field === "recurrence")
    return either({ test: (line) => fits(text(line)), sql: sqlIn(column) }, not);
  const sql = sqlIn(column);
  const inTexts = sql && exactly(`coalesce((SELECT ${sql.sql} FROM checkbox_text WHERE id = c.id), 0)`, ...sql.values);
  return either({ test: (line) => fits(text(line)), sql: inTexts, readsTexts: true }, not);
}

function inNotes(found: readonly (readonly [id: number, note: NotePlace])[]): Filter {
  const notes = new Set(found.map(([, note]) => note));
  const ids = JSON.stringify(found.map(([id]) => id));
  return {
    test: ({ note }) => notes.has(note),
    sql: exactly(`c.id / ${ROWS_PER_FILE} ${AMONG}`, ids),
  };
}

function containing(wanted: string): (text: string) => boolean {
  const lower = wanted.toLowerCase();
  return (text) => text.toLowerCase().includes(lower);
}

/** SQLite's `lower` knows ASCII; of the other capitals only these two have ASCII in their small letters. */
function sqlContaining(column: string, wanted: string): Condition | undefined {
  if (!/^[\t -~]+$/.test(wanted)) return undefined;
  const lower = `replace(replace(lower(${column}), char(8490), 'k'), char(304), 'i' || char(775))`;
  return exactly(`instr(${lower}, ?) > 0`, wanted.toLowerCase());
}

function patternIn(text: string): (text: string) => boolean {
  try {
    return readPattern(text);
  } catch (error) {
    throw error instanceof RefusedPattern ? new Misread(error.message) : error;
  }
}
