/** Whether this is `npm run check:long`: every test in its full size. */
export const LONG = process.env["LONG"] === "1";

const factor = Math.ceil(Number(process.env["FUZZ_FACTOR"] ?? (LONG ? 20 : 1)));
/**
 * How many times as often as usual properties run, a whole number: fast-check never ends with a fraction of a run.
 * `FUZZ_FACTOR=100 npx vitest run src/markdown` is their long form.
 */
export const FUZZ_FACTOR = factor >= 1 ? factor : 1;
