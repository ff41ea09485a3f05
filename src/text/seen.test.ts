/** Text in a regular expression matches itself alone, under every flag in use. */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";
import { literalPattern } from "./fold.js";

it("matches a text as it is, whatever its characters and the flags", () => {
  const printable = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at));
  const text = fc.string({ unit: fc.oneof(fc.constantFrom(...printable), fc.constantFrom("é", "工", "🏠")) });
  fc.assert(
    fc.property(text, fc.constantFrom("", "u", "iu", "im", "gu"), (one, flags) => {
      expect(new RegExp(`^${literalPattern(one)}$`, flags).exec(one)?.[0]).toBe(one);
    }),
    { numRuns: 500 * FUZZ_FACTOR },
  );
});
