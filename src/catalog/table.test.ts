import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { VaultPath } from "../storage/path.js";
import { Entry, noContent, CatalogTable } from "./table.js";
import { StatBlocks } from "./packed-stat.js";

const stats = new StatBlocks();
const path = fc.constantFrom("a.md", "a/b.md", "a/b/c.md", "a/b/d.md", "ab/c.md", "b.md") as fc.Arbitrary<VaultPath>;

function entryAt(path: VaultPath): Entry {
  return new Entry(stats.keep({ path, size: 0, modified: 0, created: 0, stamp: [] }), noContent(), true, false);
}

it("knows below which paths files stand, whatever comes and goes", () => {
  const step = fc.record({ path, isThere: fc.boolean(), isReset: fc.boolean() });
  fc.assert(
    fc.property(fc.uniqueArray(path), fc.array(step), (first, steps) => {
      const table = new CatalogTable();
      const files = new Set<VaultPath>(first);
      const check = (): void => {
        for (const folder of ["a", "a/b", "a/b/c.md", "ab", "b"] as VaultPath[])
          expect(table.holdsBelow(folder)).toBe([...files].some((file) => file.startsWith(`${folder}/`)));
      };
      table.reset(first.map(entryAt));
      check();
      for (const { path, isThere, isReset } of steps) {
        if (isThere) files.add(path);
        else files.delete(path);
        if (isReset) table.reset([...files].map(entryAt));
        else table.apply(new Map([[path, isThere ? entryAt(path) : undefined]]));
        check();
      }
    }),
  );
});
