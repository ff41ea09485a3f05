/** Filters as SQL conditions over `checkbox AS c`; what SQL cannot say becomes sets of lines found first. */
import type { SqlValue } from "../../index/subject.js";
import type { CheckboxLine, LineColumn } from "../../tasks/rows/checkbox-rows.js";

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

export function withOperator(operator: Operator, one: Filter, other: Filter): Filter {
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
