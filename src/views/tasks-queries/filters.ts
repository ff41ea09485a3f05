/** The filters of queries as SQL conditions over `checkbox AS c`, and texts that join them by AND, OR, XOR and NOT. */
import type { DayNumber } from "../../dates/days.js";
import { readDays, wordsBesideDays } from "../../dates/query-days.js";
import { ROWS_PER_FILE, type SqlValue } from "../../index/subject.js";
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
import { readPattern } from "../../text/javascript-pattern.js";
import { Misread, MISREAD, patternOrMisread } from "../answer.js";

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

/** In `(due today) or (due tomorrow)` the plugin takes `or` for no operator, and reads all days from the first to the last. That is meant if one follows the other. */
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
  const fits = isPattern ? patternOrMisread(() => readPattern(wanted)) : containing(wanted);
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

/** Its SQL is never NULL. */
export interface Filter {
  readonly sql: string;
  readonly values: readonly (SqlValue | LineSet)[];
  /** Brackets within each other. */
  readonly depth: number;
  /** The one outside brackets. */
  readonly operator?: Operator | undefined;
}

/** As JSON of their ids. */
export interface LineSet {
  readonly where?: Filter;
  readonly value?: { readonly column: LineColumn; readonly fits: (line: CheckboxLine) => boolean };
}

type Operator = "AND" | "OR" | "XOR";

/** SQLite's parser refuses deep brackets and too many conditions. */
const MAX_DEPTH = 20;
const MAX_CONDITIONS = 100;

const AMONG = "IN (SELECT value FROM json_each(?))";
const exactly = (sql: string, ...values: Filter["values"]): Filter => ({ sql, values, depth: 1 });
/** @param id what SQL calls it */
const amongIds = (ids: readonly number[] | ReadonlySet<number>, id = "c.id"): Filter =>
  exactly(`${id} ${AMONG}`, JSON.stringify([...ids]));
const inSet = (set: LineSet): Filter => exactly(`c.id ${AMONG}`, set);

function negated({ sql, values, depth }: Filter): Filter {
  return unlessDeep({ sql: `NOT (${sql})`, values, depth: depth + 1 });
}

function withOperator(operator: Operator, one: Filter, other: Filter): Filter {
  const isChain = operator !== "XOR" && one.operator === operator;
  return unlessDeep({
    sql: `${isChain ? one.sql : `(${one.sql})`} ${operator === "XOR" ? "<>" : operator} (${other.sql})`,
    values: [...one.values, ...other.values],
    depth: Math.max(one.depth + Number(!isChain), other.depth + 1),
    operator,
  });
}

const unlessDeep = (filter: Filter): Filter => (filter.depth > MAX_DEPTH ? inSet({ where: filter }) : filter);

export const EVERY_LINE = { sql: "1", values: [], depth: 0 } satisfies Filter;

export function everyOf(filters: readonly Filter[]): Filter {
  if (filters.length === 0) return EVERY_LINE;
  const first = filters.slice(0, MAX_CONDITIONS).reduce((all, filter) => withOperator("AND", all, filter));
  return filters.length <= MAX_CONDITIONS
    ? first
    : everyOf([inSet({ where: first }), ...filters.slice(MAX_CONDITIONS)]);
}

export const isSet = (value: SqlValue | LineSet): value is LineSet =>
  typeof value === "object" && value !== null && !(value instanceof Uint8Array);

const BRACKETS = ["()", "[]", "{}", '""'];
const LOOSEST_FIRST = ["OR", "AND", "XOR"] as const;
const MAX_BRACKETS = 64;

const looksCombined = (text: string): boolean =>
  /(?:AND|OR|XOR|NOT)\s*[([{"]/.test(text) || /[([{"].+[)\]}"]/.test(text);

type ReadPart = (text: string, depth: number) => Filter;

/** @throws Misread */
function combined(text: string, depth: number, readPart: ReadPart): Filter {
  const bare = text.replace(/^[A-Z ]*\s*/, "");
  const [open = "", close = ""] =
    BRACKETS.find(([open = "", close = ""]) => bare.startsWith(open) && text.endsWith(close)) ?? "";
  if (close === "")
    throw new Misread('each filter that is joined by AND, OR, XOR or NOT stands in one kind of ( ), [ ], { } or " "');
  let rest = text;
  const next = `(?:(?:AND|OR)(?: +NOT)?|XOR)\\s*\\${open}`;
  const operatorAhead = new RegExp(`^\\s*(?=${next})(AND|OR|XOR)`);
  const notInside = new RegExp(`NOT\\s*\\${open}`);
  /** What may follow the bracket that closes a filter. */
  const endAhead = new RegExp(`^[\\s\\${close}]*(?:$|${next})`);

  function joined(level: number, depth: number): Filter {
    if (level === LOOSEST_FIRST.length) return single(depth);
    let filter = joined(level + 1, depth);
    for (;;) {
      const [read = "", operator] = operatorAhead.exec(rest) ?? [];
      const wanted = LOOSEST_FIRST[level];
      if (operator === undefined || operator !== wanted) return filter;
      rest = rest.slice(read.length);
      filter = withOperator(wanted, filter, joined(level + 1, depth));
    }
  }

  function single(depth: number): Filter {
    if (depth >= MAX_BRACKETS) throw new Misread(`brackets are nested deeper than ${MAX_BRACKETS} levels`);
    rest = rest.trimStart();
    if (startsWithNot()) {
      rest = rest.slice(3);
      return negated(single(depth));
    }
    take(open);
    rest = rest.trimStart();
    if (open === close || !(rest.startsWith(open) || startsWithNot())) return readPart(part(), depth + 1);
    const filter = joined(0, depth + 1);
    rest = rest.trimStart();
    take(close);
    return filter;
  }

  function take(bracket: string): void {
    if (!rest.startsWith(bracket)) throw malformed();
    rest = rest.slice(1);
  }

  function startsWithNot(): boolean {
    return rest.startsWith("NOT") && rest.slice(3).trimStart().startsWith(open);
  }

  /** May contain the bracket itself, such as in a regular expression. */
  function part(): string {
    for (let end = rest.indexOf(close); end >= 0; end = rest.indexOf(close, end + 1)) {
      const behind = rest.slice(end + 1);
      if (!endAhead.test(behind)) continue;
      const own = rest.slice(0, end).trim();
      // The plugin reads NOT inside a filter as an operator.
      if (notInside.test(own)) throw new Misread(MISREAD.between);
      rest = behind;
      return own;
    }
    throw malformed();
  }

  function malformed(): Misread {
    const near = rest.trim() === "" ? "its end" : `"${rest.trim().slice(0, 40)}"`;
    return new Misread(`the combination of filters is not understood at ${near}`);
  }

  const filter = joined(0, depth);
  if (rest.trim() !== "") throw malformed();
  return filter;
}
