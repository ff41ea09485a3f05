/** Every page of `docs/` that a comment cites can be opened, and says what is quoted: `(docs: tasks, "Series"; http, "Operations")`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const OWN = "test/citations.test.ts";

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return sources(path);
    return /\.(tsx?|js)$/.test(entry.name) && path !== OWN ? [path] : [];
  });
}

const files = ["src", "test", "scripts", "bench"]
  .flatMap(sources)
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), "utf8") }));

/** A page by its name, with the titles or words that are quoted of it. */
const CITED = /(?:\bdocs: |"; )([a-z][a-z-]*)((?:, "[^"]+")*)/gi;

const cited = files.flatMap(({ file, text }) =>
  commentsOf(text).flatMap((comment) =>
    [...comment.matchAll(/\bdocs: [^)]*/gi)].flatMap(([citation]) =>
      [...citation.matchAll(CITED)].map(([, page = "", quotes = ""]) => ({
        file,
        page,
        quoted: [...quotes.matchAll(/"([^"]+)"/g)].map(([, quote = ""]) => quote),
      })),
    ),
  ),
);

/** Each on one line. */
function commentsOf(text: string): string[] {
  const found = [...text.matchAll(/\/\*\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm)];
  return found.map(([comment]) => comment.replace(/\n\s*\* /g, " "));
}

it("sees citations", () => expect(cited.length).toBeGreaterThan(150));

it("every citation opens a page that says what is quoted", () => {
  const wrong = cited.flatMap(({ file, page, quoted }) => {
    const path = join(ROOT, "docs", `${page}.md`);
    if (!existsSync(path)) return [`${file}: there is no docs/${page}.md`];
    const text = readFileSync(path, "utf8");
    return quoted.filter((quote) => !text.includes(quote)).map((quote) => `${file}: docs/${page}.md has no ${quote}`);
  });
  expect(wrong).toEqual([]);
});

it('pages are cited as (docs: page, "Section"), without numbers of sections', () => {
  const old = files.filter(({ text }) =>
    /\bspec: [a-z]|\b(tasks|http|web|livesync|obsidian|notes|sign-in), sections? \d/.test(text),
  );
  expect(old.map(({ file }) => file)).toEqual([]);
});
