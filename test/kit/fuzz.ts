/** Whether this is `npm run check:long`: every test in its full size. */
export const LONG = process.env["LONG"] === "1";

/** How many times as often as usual properties run: `FUZZ_FACTOR=100 npx vitest run src/markdown` is their long form. */
export const FUZZ_FACTOR = Number(process.env["FUZZ_FACTOR"] ?? (LONG ? 20 : 1));
