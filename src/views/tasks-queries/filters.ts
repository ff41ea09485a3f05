/** The filters of queries. */
import type { DayNumber } from "../../dates/days.js";
import { readDays, wordsBesideDays } from "../../dates/query-days.js";
import { ROWS_PER_FILE } from "../../index/subject.js";
import {
  type CheckboxLine,
  type LineColumn,
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
import type { LineSettings } from "../../tasks/line-format/line-settings.js";
import { readPattern, RefusedPattern } from "../../text/javascript-pattern.js";
import { combined, looksCombined, amongIds, exactly, type Filter, inSet, negated } from "./boolean-filters.js";
import { Misread, MISREAD } from "../answer.js";

export interface QueryContext {
  readonly today: DayNumber;
  readonly form: LineSettings["form"];
  readonly statuses: LineStatuses;
  readonly notes: NotePlaces;
  waiting(): ReturnType<typeof waitingLines>;
}

type Make = (about: QueryContext, parts: readonly string[]) => Filter;

/** After all days of rows. */
const NO_END: DayNumber = 10_000_000;
const DAYS_OF: Readonly<Record<string, readonly CheckboxDay[]>> = {
  ...Object.fromEntries(CHECKBOX_DAYS.map((name) => [name, [name]])),
  happens: ["start", "scheduled", "due"],
};
const DAY_NAMES = Object.keys(DAYS_OF).join("|");

/** Statements of which each word is known. A first part is the negating word. */
const WHOLE: readonly (readonly [form: RegExp, make: Make])[] = [
  [
    /^(not )?done$/i,
    ({ statuses }, [not]) =>
      either(
        not,
        ofStatus(statuses, ({ isDone }) => isDone),
      ),
  ],
  [
    new RegExp(`^status\\.type is (not )?(${STATUS_TYPES.join("|")}|EMPTY)$`, "i"),
    ({ statuses }, [not, name = ""]) =>
      either(
        not,
        ofStatus(statuses, ({ type }) => type === name.toUpperCase()),
      ),
  ],
  [
    /^priority(?:\s+is)?(?:\s+(above|below|not))?\s+(lowest|low|none|medium|high|highest)$/i,
    (_, [word = "is", name = ""]) => byPriority(word.toLowerCase(), name.toLowerCase()),
  ],
  [/^is (not )?recurring$/i, (_, [not]) => either(not, has("rule"))],
  [/^is (not )?blocked$/i, (about, [not]) => either(not, amongIds(about.waiting().blocked))],
  [/^is (not )?blocking$/i, (about, [not]) => either(not, amongIds(about.waiting().blocking))],
  [/^(?:has|(no)) id$/i, (_, [no]) => either(no, has("sign"))],
  [/^(?:has|(no)) depends on$/i, (_, [no]) => either(no, has("waits"))],
  [/^(?:has|(no)) tags?$/i, (_, [no]) => either(no, has("tags"))],
  [/^exclude sub-items$/i, () => exactly("nested = 0")],
  [
    new RegExp(`^(?:has|(no)) (${DAY_NAMES}) date$`, "i"),
    (_, [no, name = ""]) => either(no, has(...(DAYS_OF[name.toLowerCase()] ?? []))),
  ],
  [
    new RegExp(`^(${CHECKBOX_DAYS.join("|")}) date is invalid$`, "i"),
    (_, [name = ""]) => inDays([name.toLowerCase() as CheckboxDay], INVALID_DAY, INVALID_DAY, false),
  ],
];

/** Undefined when no filter begins like this. @throws Misread */
export function readFilter(text: string, about: QueryContext, depth = 0): Filter | undefined {
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

const either = (not: string | undefined, filter: Filter): Filter => (not === undefined ? filter : negated(filter));
const has = (...columns: string[]): Filter => exactly(columns.map((column) => `${column} IS NOT NULL`).join(" OR "));

function ofStatus(statuses: LineStatuses, fits: (status: LineStatus) => boolean): Filter {
  const { sql, values } = statuses.condition(fits);
  return exactly(sql, ...values);
}

function byPriority(word: string, name: string): Filter {
  const sign = { above: "<", below: ">", not: "<>", is: "=" }[word] ?? "";
  return exactly(`priority ${sign} ?`, (CHECKBOX_PRIORITIES as readonly string[]).indexOf(name));
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
 * `(due today) or (due tomorrow)`: `or` is no operator; the plugin reads one filter from the first day to the last. If
 * one follows the other, that is meant.
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
  return exactly(days.map((day) => `coalesce(${day} BETWEEN ${from} AND ${to}, ${Number(ifMissing)})`).join(" OR "));
}

const NOTE_TEXTS: Readonly<Record<string, (note: NotePlace) => string>> = {
  path: ({ path }) => path,
  folder: ({ folder }) => folder,
  root: ({ root }) => root,
  filename: ({ filename }) => filename,
};
const LINE_TEXTS: Readonly<Record<string, LineColumn & keyof CheckboxLine>> = {
  description: "description",
  heading: "heading",
  id: "sign",
  recurrence: "rule",
  tag: "tags",
  tags: "tags",
};
const TEXT_FORM = new RegExp(
  `^(${[...Object.keys(NOTE_TEXTS), ...Object.keys(LINE_TEXTS)].join("|")}|status\\.name)` +
    " (includes|does not include|regex matches|regex does not match|(?<=^tags? )(?:include|do not include)) (.*)$",
  "i",
);

function byText(field: string, operator: string, wanted: string, { statuses, notes }: QueryContext): Filter {
  const isPattern = /regex/i.test(operator);
  const fits = isPattern ? patternIn(wanted) : containing(wanted);
  const not = /\bnot\b/i.exec(operator)?.[0];
  if (field === "status.name")
    return either(
      not,
      ofStatus(statuses, ({ name }) => fits(name)),
    );
  const ofNote = NOTE_TEXTS[field];
  if (ofNote !== undefined) {
    const found = [...notes].flatMap(([id, note]) => (fits(ofNote(note)) ? [id] : []));
    return either(not, amongIds(found, `c.id / ${ROWS_PER_FILE}`));
  }
  const column = LINE_TEXTS[field] ?? "description";
  if (!isPattern && SAID_IN_SQL.test(wanted)) return either(not, sqlContaining(column, wanted.toLowerCase()));
  return either(not, inSet({ value: { column, fits: (line) => [line[column]].flat().map(String).some(fits) } }));
}

function containing(wanted: string): (text: string) => boolean {
  const lower = wanted.toLowerCase();
  return (text) => text.toLowerCase().includes(lower);
}

const SAID_IN_SQL = /^[\t -~]+$/;

/** SQLite's `lower` knows ASCII; of other capitals only these two have ASCII small letters. */
function sqlContaining(column: LineColumn, lower: string): Filter {
  let text = `lower(${column})`;
  if (lower.includes("k")) text = `replace(${text}, char(8490), 'k')`;
  if (lower.includes("i")) text = `replace(${text}, char(304), 'i' || char(775))`;
  const sql = `instr(${text}, ?) > 0`;
  const isApart = column === "description" || column === "heading";
  return exactly(`coalesce(${isApart ? `(SELECT ${sql} FROM checkbox_text WHERE id = c.id)` : sql}, 0)`, lower);
}

function patternIn(text: string): (text: string) => boolean {
  try {
    return readPattern(text);
  } catch (error) {
    throw error instanceof RefusedPattern ? new Misread(error.message) : error;
  }
}
