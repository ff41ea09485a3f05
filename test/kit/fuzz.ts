/** How many times as often as usual properties run: `FUZZ_FACTOR=100 npx vitest run src/markdown` is their long form. */
export const FUZZ_FACTOR = Number(process.env["FUZZ_FACTOR"] ?? 1);
