import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { VaultPath } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";
import { StatBlocks } from "./packed-stat.js";

const stats = fc.array(
  fc.record({
    path: fc.string({ minLength: 1 }).map((path) => path as VaultPath),
    size: fc.nat(),
    modified: fc.double({ noNaN: true }),
    created: fc.double({ noNaN: true }),
    // A storage gives stamps of one length, and the catalog none where it could not look.
    stamp: fc.oneof(fc.constant([]), fc.tuple(fc.double({ noNaN: true }), fc.nat())),
  }),
  { maxLength: 60 },
);

function told({ path, size, modified, created, stamp }: FileStat): FileStat {
  return { path, size, modified, created, stamp: [...stamp] };
}

it("gives every stat back, whatever was kept before and after it", () => {
  fc.assert(
    fc.property(stats, (some) => {
      const blocks = new StatBlocks();
      const kept = some.map((stat) => blocks.keep(stat));
      expect(kept.map(told)).toEqual(some);
    }),
  );
});

it("knows its own stamp from every other", () => {
  fc.assert(
    fc.property(stats, (some) => {
      const blocks = new StatBlocks();
      const kept = some.map((stat) => blocks.keep(stat));
      for (const [at, one] of kept.entries())
        for (const [place, { stamp }] of some.entries()) {
          const same = some[at]?.stamp.join() === stamp.join();
          expect(one.hasStamp(stamp)).toBe(same);
          expect(kept[place]?.hasStampOf(one)).toBe(same);
        }
    }),
  );
});
