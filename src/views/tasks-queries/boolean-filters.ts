/** Filters as SQL conditions over `checkbox AS c`, and texts that join them by AND, OR, XOR and NOT. */
import type { SqlValue } from "../../index/subject.js";
import type { CheckboxLine, LineColumn } from "../../tasks/rows/checkbox-rows.js";
import { Misread, MISREAD } from "../answer.js";

/** Never NULL. */
export interface Filter {
  readonly sql: string;
  readonly values: readonly (SqlValue | LineSet)[];
  /** Brackets within each other. */
  readonly depth: number;
  /** The operator outside brackets. */
  readonly operator?: Operator | undefined;
}

/** Lines for which a filter holds and whose value of a column fits, as JSON of their ids. */
export interface LineSet {
  readonly where?: Filter;
  readonly value?: { readonly column: LineColumn; readonly fits: (line: CheckboxLine) => boolean };
}

type Operator = "AND" | "OR" | "XOR";

/** SQLite's parser refuses deep brackets and too many conditions. */
const MAX_DEPTH = 20;
const MAX_CONDITIONS = 100;

const AMONG = "IN (SELECT value FROM json_each(?))";
export const exactly = (sql: string, ...values: Filter["values"]): Filter => ({ sql, values, depth: 1 });
/** @param id what SQL calls it */
export const amongIds = (ids: readonly number[] | ReadonlySet<number>, id = "c.id"): Filter =>
  exactly(`${id} ${AMONG}`, JSON.stringify([...ids]));
export const inSet = (set: LineSet): Filter => exactly(`c.id ${AMONG}`, set);

export function negated({ sql, values, depth }: Filter): Filter {
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

export const looksCombined = (text: string): boolean =>
  /(?:AND|OR|XOR|NOT)\s*[([{"]/.test(text) || /[([{"].+[)\]}"]/.test(text);

type ReadPart = (text: string, depth: number) => Filter;

/** @throws Misread */
export function combined(text: string, depth: number, readPart: ReadPart): Filter {
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
      // The plugin reads NOT inside a filter as an operator, and then refuses the line.
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
