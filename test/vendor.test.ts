/** The packages of the program are bundled with the exports that are named in `scripts/vendor.js`: every one that the source imports. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "./kit/built-program.js";

type Vendor = Readonly<Record<string, Readonly<Record<string, string>>>>;

const sources = readdirSync(join(ROOT, "src"), { recursive: true, withFileTypes: true })
  .filter(({ name }) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .map(({ parentPath, name }) => join(parentPath, name));

/** What a file imports by name from packages, types left out. */
function importsOf(file: string): { readonly from: string; readonly name: string }[] {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/^import \{([^}]*)\} from "([^."][^"]*)";/gm)].flatMap(([, names = "", from = ""]) =>
    names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && !name.startsWith("type "))
      .map((name) => ({ from, name: name.split(" as ")[0] ?? "" })),
  );
}

it("bundles every export that is imported", async () => {
  const { VENDOR } = (await import(join(ROOT, "scripts/vendor.js"))) as { VENDOR: Vendor };
  const missing: string[] = [];
  let checked = 0;
  for (const file of sources)
    for (const { from, name } of importsOf(file)) {
      const own = VENDOR[basename(file, ".ts")]?.[from];
      const exports = own ?? Object.values(VENDOR).find((packages) => packages[from] !== undefined)?.[from];
      if (exports === undefined || exports === "*") continue;
      checked++;
      if (!exports.split(", ").includes(name)) missing.push(`${file}: ${name} of ${from}`);
    }
  expect(missing).toEqual([]);
  expect(checked).toBeGreaterThan(5);
});
