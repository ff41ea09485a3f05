/** The documented summaries of a column. */
import type { Evaluation } from "./evaluation.js";
import { MEAN } from "./functions.js";
import { DateValue, isEmptyValue, type Value } from "./values.js";

export type Summarise = (env: Evaluation, values: readonly Value[]) => Value;

const numbersIn = (values: readonly Value[]): number[] =>
  values.filter((value) => typeof value === "number").sort((a, b) => a - b);
const datesIn = (values: readonly Value[]): DateValue[] =>
  values.filter((value) => value instanceof DateValue).sort((a, b) => a.ms - b.ms);
const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

const ofNumbers =
  (work: (numbers: readonly number[]) => number): Summarise =>
  (_, values) => {
    const numbers = numbersIn(values);
    return numbers.length === 0 ? null : work(numbers);
  };
const counting =
  (test: (value: Value) => boolean): Summarise =>
  (_, values) =>
    values.filter(test).length;

export const SUMMARIES: ReadonlyMap<string, Summarise> = new Map<string, Summarise>([
  ["Average", (env, values) => MEAN.run(env, values as never)],
  ["Min", ofNumbers((numbers) => numbers.at(0) ?? 0)],
  ["Max", ofNumbers((numbers) => numbers.at(-1) ?? 0)],
  ["Sum", (_, values) => numbersIn(values).reduce((sum, one) => sum + one, 0)],
  [
    "Range",
    (_, values) => {
      const numbers = numbersIn(values);
      const dates = datesIn(values).map(({ ms }) => ms);
      const [all, other] = numbers.length > 0 ? [numbers, dates] : [dates, []];
      return all.length === 0 || other.length > 0 ? null : (all.at(-1) ?? 0) - (all.at(0) ?? 0);
    },
  ],
  [
    "Median",
    ofNumbers((numbers) => {
      const half = numbers.length / 2;
      return mean(numbers.slice(Math.ceil(half) - 1, Math.floor(half) + 1));
    }),
  ],
  // The population's.
  [
    "Stddev",
    ofNumbers((numbers) => {
      const centre = mean(numbers);
      return Math.sqrt(mean(numbers.map((one) => (one - centre) ** 2)));
    }),
  ],
  ["Earliest", (_, values) => datesIn(values).at(0) ?? null],
  ["Latest", (_, values) => datesIn(values).at(-1) ?? null],
  ["Checked", counting((value) => value === true)],
  ["Unchecked", counting((value) => value === false)],
  ["Empty", counting(isEmptyValue)],
  ["Filled", counting((value) => !isEmptyValue(value))],
  ["Unique", (env, values) => new Set(values.filter((value) => value !== null).map((value) => env.key(value))).size],
]);
