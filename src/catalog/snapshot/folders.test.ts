import * as fc from "fast-check";
import { expect, it } from "vitest";
import { folderOf, ROOT, type VaultPath } from "../../storage/path.js";
import { Entry, noContent } from "../table.js";
import { StatBlocks } from "../packed-stat.js";
import type { KnownFolder } from "../known-folders.js";
import { arrange, RememberedFolders } from "./folders.js";

const stats = new StatBlocks();
const statOf = (path: string) =>
  stats.keep({ path: path as VaultPath, size: 1, modified: 2, created: 3, stamp: [path.length] });
const entry = (path: string): Entry => new Entry(statOf(path), noContent(), true, false);
const folder = (path: string, files: number): KnownFolder => ({ path: path as VaultPath, stat: statOf(path), files });

it("puts rows of one folder side by side, in the order of the folders, and those of none last", () => {
  const name: fc.Arbitrary<string> = fc.constantFrom("", "a", "a/b", "ab", "a/bc", "b");
  const rows = fc.uniqueArray(fc.tuple(name, fc.nat(9)).map(([at, number]) => (at === "" ? "" : `${at}/`) + number));
  fc.assert(
    fc.property(rows, fc.uniqueArray(name), (paths, folders) => {
      const known = folders.map((path) => folder(path, 2));
      const arranged = arrange(paths.map(entry), known);
      const inOrder = [
        ...folders.flatMap((path) => paths.filter((row) => folderOf(row as VaultPath) === path)),
        ...(folders.length === 0 ? paths : paths.filter((row) => !folders.includes(folderOf(row as VaultPath)))),
      ];
      expect(arranged.rows.map(({ path }) => path)).toEqual(inOrder);
      for (const { path, rows, stat } of arranged.folders) {
        expect(rows).toBe(paths.filter((row) => folderOf(row as VaultPath) === path).length);
        // With another number of rows than of files something is missing, and a later look must find it.
        expect(stat !== undefined).toBe(rows === 2);
      }
    }),
  );
});

it("tells what is in a proven folder, in the order of the walk that listed it", () => {
  // A walk lists a folder's own folders from the last to the first.
  const paths = [ROOT, "b", "a", "a/z", "a/y"] as VaultPath[];
  const folders = new RememberedFolders({
    paths,
    isProvenBy: (place, { stamp }) => stamp[0] === place,
    filesIn: (place) => [`${place}.md` as VaultPath],
  });
  const listing = (path: string, stamp: number) =>
    folders.listing({ path: path as VaultPath, size: 0, modified: 0, created: 0, stamp: [stamp] });
  expect(listing("", 0)).toEqual({ files: ["0.md"], folders: ["a", "b"] });
  expect(listing("a", 2)).toEqual({ files: ["2.md"], folders: ["a/y", "a/z"] });
  expect(listing("b", 1)).toEqual({ files: ["1.md"], folders: [] });
  expect(listing("b", 2)).toBeUndefined();
  expect(listing("c", 0)).toBeUndefined();
});
