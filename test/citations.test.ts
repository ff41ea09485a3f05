/** Every page of the specification that a comment cites can be opened, and has the section or the list entry that is named. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const PAGES = join(ROOT, "docs", "spec");
const NAMES = readdirSync(PAGES)
  .filter((name) => name.endsWith(".md"))
  .map((name) => name.slice(0, -3));

/** `(spec: tasks, sections 4 and 5)`, `(obsidian, section 2; reliability, promise 3)`: the page, then what of it. */
const CITATION = new RegExp(`(?<=[(;] ?(?:spec: )?)\\b(${NAMES.join("|")}), ([^;)]+)`, "g");

const headings = new Map(
  NAMES.map((name) => {
    const text = readFileSync(join(PAGES, `${name}.md`), "utf8");
    return [name, { text, lines: text.split("\n").filter((line) => /^#|^- \*\*|^\| `?\w|^\d+\. /.test(line)) }];
  }),
);

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.(ts|js)$/.test(entry.name) ? [path] : [];
  });
}

/** What is wrong with one citation; undefined when it opens. */
function problem(page: string, place: string): string | undefined {
  const { text, lines } = headings.get(page) ?? { text: "", lines: [] };
  const missing = sectionsOf(place).filter((number) => !lines.some((line) => line.startsWith(`## ${number}.`)));
  if (missing.length > 0) return `has no section ${missing.join(", ")}`;
  const quoted = /^"([^"]+)"/.exec(place)?.[1];
  return quoted === undefined || text.includes(quoted) ? undefined : `says nothing of ${quoted}`;
}

/** The numbers of "section 4", "sections 4 and 5", "sections 3 to 5". */
const sectionsOf = (place: string): string[] =>
  /^sections? ([\d, and to]+)/.exec(place)?.[1]?.match(/\d+/g)?.map(String) ?? [];

const cited = ["src", "test", "scripts", "bench"].flatMap(sources).flatMap((file) => {
  const text = readFileSync(join(ROOT, file), "utf8");
  return [...text.matchAll(CITATION)].map(([, page = "", place = ""]) => ({ file, page, place }));
});

it("sees citations", () => expect(cited.length).toBeGreaterThan(50));

it("every citation of the specification opens", () => {
  const wrong = cited.flatMap(({ file, page, place }) => {
    const what = problem(page, place);
    return what === undefined ? [] : [`${file}: ${page} ${what}`];
  });
  expect(wrong).toEqual([]);
});

it("names no page that is not in the repository", () => {
  const wrong = ["src", "test", "scripts", "bench"].flatMap(sources).flatMap((file) => {
    const text = readFileSync(join(ROOT, file), "utf8");
    return [...text.matchAll(/\(spec: ([\w-]+)/g)]
      .map(([, page = ""]) => page)
      .filter((page) => !existsSync(join(PAGES, `${page}.md`)))
      .map((page) => `${file}: ${page}`);
  });
  expect(wrong).toEqual([]);
});
