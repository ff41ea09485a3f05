/**
 * What operators do with values, and how texts are replaced and split. A wrong type gives an empty value and a warning.
 */
import type { Evaluation } from "./evaluation.js";
import {
  DateValue,
  Duration,
  LinkValue,
  parseDuration,
  type Pattern,
  TagValue,
  typeOf,
  typeWord,
  type Value,
} from "./values.js";

export const finite = (env: Evaluation, what: string, value: Value): Value =>
  typeof value === "number" && !Number.isFinite(value)
    ? env.warn(`${what} gives no finite number and is empty`)
    : value;

type Operation = (env: Evaluation, a: Value, b: Value, operator: string) => Value;

function mismatch(env: Evaluation, operator: string, a: Value, b: Value): null {
  return env.warn(
    `${operator} between a ${typeWord(typeOf(a))} and a ${typeWord(typeOf(b))} is ${/[<>]/.test(operator) ? "false" : "empty"}`,
  );
}

const isText = (value: Value): value is string | TagValue | LinkValue =>
  typeof value === "string" || value instanceof TagValue || value instanceof LinkValue;

const moved: Operation = (env, a, b, operator) => {
  if (!(a instanceof DateValue)) return null;
  const by = typeof b === "string" ? parseDuration(b) : b;
  if (!(by instanceof Duration)) return mismatch(env, operator, a, b);
  return env.zone.add(a, operator === "-" ? by.times(-1) : by) ?? env.warn("a date out of range is empty");
};

/** A difference of dates; of other values, durations excepted, it is empty. */
export function elapsed(env: Evaluation, a: Value, b: Value): Value {
  env.step();
  if (a instanceof DateValue && b instanceof DateValue) return new Duration(0, 0, a.ms - b.ms);
  const difference = ARITHMETIC["-"]?.(env, a, b, "-") ?? null;
  return difference === null || difference instanceof Duration
    ? difference
    : env.warn(`the days and hours of a ${typeWord(typeOf(difference))} are empty`);
}

export const ARITHMETIC: Readonly<Record<string, Operation>> = {
  "+": (env, a, b, operator) => {
    if (typeof a === "number" && typeof b === "number") return finite(env, operator, a + b);
    if (a instanceof DateValue && b !== null) return moved(env, a, b, operator);
    if (a instanceof Duration && b instanceof Duration)
      return new Duration(a.months + b.months, a.days + b.days, a.ms + b.ms);
    if (a instanceof Duration && b instanceof DateValue) return moved(env, b, a, operator);
    if (isText(a) || isText(b)) return env.made(env.written(a) + env.written(b));
    return a === null || b === null ? null : mismatch(env, operator, a, b);
  },
  "-": (env, a, b, operator) => {
    if (a === null || b === null) return null;
    if (typeof a === "number" && typeof b === "number") return finite(env, operator, a - b);
    if (a instanceof DateValue) return b instanceof DateValue ? a.ms - b.ms : moved(env, a, b, operator);
    if (a instanceof Duration && b instanceof Duration)
      return new Duration(a.months - b.months, a.days - b.days, a.ms - b.ms);
    return mismatch(env, operator, a, b);
  },
  "*": (env, a, b, operator) => scaled(env, a, b, operator, (one, other) => one * other),
  "/": (env, a, b, operator) => scaled(env, a, b, operator, (one, other) => one / other),
  "%": (env, a, b, operator) => {
    if (a === null || b === null) return null;
    return typeof a === "number" && typeof b === "number"
      ? finite(env, operator, a % b)
      : mismatch(env, operator, a, b);
  },
};

/** A duration is on the left. */
function scaled(env: Evaluation, a: Value, b: Value, operator: string, work: (a: number, b: number) => number): Value {
  if (a === null || b === null) return null;
  if (typeof a === "number" && typeof b === "number") return finite(env, operator, work(a, b));
  if (!(a instanceof Duration) || typeof b !== "number") return mismatch(env, operator, a, b);
  const factor = work(1, b);
  return Number.isFinite(factor) ? a.times(factor) : env.warn(`${operator} gives no finite duration and is empty`);
}

/** False for an empty side. Compares two texts as JavaScript does. */
export const compared: Operation = (env, a, b, operator) => {
  if (a === null || b === null) return false;
  const pair = comparable(env, a, b);
  if (!pair) return mismatch(env, operator, a, b) ?? false;
  const [one, other] = pair;
  if (one === undefined || other === undefined) return false;
  return operator === "<"
    ? one < other
    : operator === "<="
      ? one <= other
      : operator === ">"
        ? one > other
        : one >= other;
};

/** Undefined: these types do not compare. Undefined inside: a text that is no date. */
function comparable(
  env: Evaluation,
  a: Value,
  b: Value,
): readonly [string | number | undefined, string | number | undefined] | undefined {
  if (isText(a) && isText(b)) return [env.text(a), env.text(b)];
  if (a instanceof DateValue || b instanceof DateValue) {
    const [one, other] = [a, b].map((value) => (typeof value === "string" ? env.zone.parse(value) : value));
    const isOdd =
      [a, b].some((value) => typeof value === "string") && !(one instanceof DateValue && other instanceof DateValue);
    if (isOdd) env.warn("a text that is no date is neither before nor after a date");
    if (one instanceof DateValue && other instanceof DateValue) return [one.ms, other.ms];
    return isOdd ? [undefined, undefined] : undefined;
  }
  const [one, other] = [a, b].map((value) => (value instanceof Duration ? value.length : value));
  return typeof one === "number" && typeof other === "number" ? [one, other] : undefined;
}

export function replaceText(env: Evaluation, text: string, part: string, by: string): string {
  env.claim(text.length);
  return text.replaceAll(part, () => env.made(by));
}

interface Match {
  readonly start: number;
  readonly end: number;
  /** Null for a group without a part in the match. */
  readonly groups: readonly (string | null)[];
}

/** An empty match moves on by one character. */
function visitMatches(env: Evaluation, text: string, { compiled }: Pattern, visit: (match: Match) => boolean): void {
  env.step(text.length >> 4);
  const matcher = compiled.expression.matcher(text);
  while (matcher.find()) {
    env.step();
    const groups = Array.from({ length: matcher.groupCount() }, (_, at) => matcher.group(at + 1));
    if (!visit({ start: matcher.start(), end: matcher.end(), groups })) return;
  }
}

/** Parts of a replacement, as in JavaScript. */
const PIECES = /\$(?:([$&`'])|(\d\d?)|<([^>]*)>)|[^$]+|\$/g;

function markedPart(mark: string, text: string, { start, end }: Match): string {
  if (mark === "$") return mark;
  return mark === "&" ? text.slice(start, end) : mark === "`" ? text.slice(0, start) : text.slice(end);
}

/** In `$12` with fewer groups the first digit counts alone. */
function numberedPart(digits: string, { groups }: Match): string | undefined {
  const read = Number(digits) > groups.length ? digits.slice(0, 1) : digits;
  const group = groups[Number(read) - 1];
  return group === undefined ? undefined : (group ?? "") + digits.slice(read.length);
}

export function replacePattern(env: Evaluation, given: string, pattern: Pattern, by: string): string {
  const { expression, inside, outside } = pattern.compiled;
  const [text, pieces] = [inside(given), inside(by)];
  let [result, done] = ["", 0];
  const add = (piece: string): void => {
    env.claim(piece.length);
    result += piece;
  };
  const names = Object.entries(expression.namedGroups());
  visitMatches(env, text, pattern, (match) => {
    add(text.slice(done, match.start));
    for (const [piece, mark, digits = "", name] of pieces.matchAll(PIECES)) {
      env.step();
      if (mark !== undefined) add(markedPart(mark, text, match));
      else if (name !== undefined && names.length > 0)
        add(match.groups[(names.find(([own]) => own === name)?.[1] ?? 0) - 1] ?? "");
      else add(numberedPart(digits, match) ?? piece);
    }
    done = match.end;
    return pattern.text.includes("g", pattern.text.lastIndexOf("/"));
  });
  add(text.slice(done));
  return outside(result);
}

export function splitPattern(env: Evaluation, given: string, pattern: Pattern): string[] {
  const { expression, inside, outside } = pattern.compiled;
  const text = inside(given);
  if (text === "") return expression.test(text) ? [] : [text];
  const parts: string[] = [];
  let done = 0;
  visitMatches(env, text, pattern, ({ start, end, groups }) => {
    if (end > start || (start > done && start < text.length)) {
      parts.push(text.slice(done, start), ...groups.map((group) => group ?? ""));
      done = end;
    }
    return true;
  });
  return [...parts, text.slice(done)].map(outside);
}
