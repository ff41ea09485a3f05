import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { checkCache } from "./cache-check.js";

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "cache-"));
});
afterEach(() => rmSync(base, { recursive: true }));

it("counts the indexes that are kept, and nothing else that lies there", () => {
  writeFileSync(join(base, "0123456789abcdef.catalog"), "x".repeat(1500));
  writeFileSync(join(base, "of somebody else"), "x".repeat(90_000));
  expect(checkCache(base)).toEqual([
    { level: "ok", subject: "cache", message: `${base}: 1 index, 2 KiB; deleting it costs only time` },
  ]);
});

it("says that a folder that is not there yet will be made", () => {
  const folder = join(base, "a", "b");
  expect(checkCache(folder)).toMatchObject([{ level: "ok", message: `${folder} will be made when first needed` }]);
});

it("warns of a file in its place, and of one above it", () => {
  const file = join(base, "file");
  writeFileSync(file, "");
  chmodSync(file, 0o777);
  expect(checkCache(file)).toMatchObject([{ level: "warning", message: `${file} cannot be written` }]);
  const below = join(file, "cache");
  const [finding] = checkCache(below);
  expect(finding?.level).toBe("warning");
  expect(finding?.message).toContain(below);
});

it("says what it costs to keep none", () => {
  expect(checkCache(undefined)).toMatchObject([{ level: "note", advice: expect.stringContaining("--no-cache") }]);
});
