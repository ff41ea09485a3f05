/** What the operators of Bases do with values; a wrong type gives an empty value and a warning. */
import type { Evaluation } from "./evaluation.js";
import { DateValue, Duration, LinkValue, parseDuration, TagValue, typeOf, typeWord, type Value } from "./values.js";

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
