/** The plan of the modules, enforced: which folder may import which, and where each third-party package may appear. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), "..", "src");

/** Modules that know nothing of vaults: any layer may use them. */
const LEAVES = ["errors.ts", "clock.ts", "log.ts", "version.ts", "private-folder.ts", "text/", "async/", "dates/"];
/** What a storage driver implements and what everyone may know of storage. */
const PORT = ["storage/storage.ts", "storage/path.ts", "storage/note-text.ts", "storage/trash.ts", "storage/errors.ts"];
const VAULT = [...LEAVES, ...PORT, "markdown/", "obsidian/", "index/", "search/", "history/", "vault/"];

/** From a folder (or file) to what it may import besides itself; the first row that fits a file counts. */
const MAY_IMPORT: readonly (readonly [place: string, allowed: readonly string[]])[] = [
  ["errors.ts", ["text/"]],
  ["log.ts", []],
  ["version.ts", []],
  ["clock.ts", ["errors.ts"]],
  ["private-folder.ts", []],
  ["sqlite.ts", ["private-folder.ts"]],
  ["text/", []],
  ["async/", ["clock.ts"]],
  ["dates/", ["errors.ts", "clock.ts", "text/"]],
  ...PORT.map((file) => [file, [...LEAVES, ...PORT]] as const),
  ["storage/", [...LEAVES, ...PORT]],
  ["markdown/", LEAVES],
  ["obsidian/", [...LEAVES, ...PORT, "markdown/"]],
  ["cache/", [...LEAVES, ...PORT, "sqlite.ts"]],
  ["index/", [...LEAVES, ...PORT, "sqlite.ts", "cache/", "obsidian/", "search/", "markdown/"]],
  ["search/", [...LEAVES, ...PORT]],
  ["history/journal-file.ts", [...LEAVES, ...PORT, "sqlite.ts", "history/", "storage/filesystem/process-identity.ts"]],
  ["history/", [...LEAVES, ...PORT, "sqlite.ts"]],
  ["vault/", VAULT],
  ["access/", [...LEAVES, ...PORT, "markdown/"]],
  ["templates/", VAULT],
  ["links/", [...VAULT, "cache/cache-database.ts", "sqlite.ts"]],
  ["attachments/", [...VAULT, "links/"]],
  ["tasks/", [...VAULT, "templates/"]],
  ["calendar/", [...VAULT, "tasks/"]],
  ["notes/", [...VAULT, "attachments/", "templates/", "links/"]],
  ["files/", [...VAULT, "attachments/", "links/"]],
  ["views/", [...VAULT, "templates/", "links/", "notes/", "tasks/"]],
  ["tools/", [...VAULT, "views/", "access/", "attachments/", "links/", "tasks/", "notes/", "files/"]],
  ["prompts/", [...LEAVES, ...PORT, "tools/"]],
  ["server/", [...VAULT, "access/", "links/", "notes/", "prompts/", "tools/", "calendar/"]],
  [
    "open.ts",
    [
      ...VAULT,
      "cache/",
      "access/",
      "attachments/",
      "storage/",
      "links/",
      "tasks/",
      "notes/",
      "files/",
      "views/",
      "tools/",
    ],
  ],
  [
    "library-methods.ts",
    [
      "errors.ts",
      "open.ts",
      "text/",
      "access/",
      "index/",
      "storage/",
      "links/",
      "tasks/",
      "notes/",
      "files/",
      "tools/",
    ],
  ],
  [
    "library.ts",
    [...VAULT, "open.ts", "library-methods.ts", "storage/", "links/", "tasks/", "notes/", "files/", "tools/"],
  ],
  [
    "cli/",
    [...VAULT, "sqlite.ts", "access/", "open.ts", "storage/", "tasks/", "calendar/", "notes/", "tools/", "server/"],
  ],
  ["index.ts", ["cli/"]],
  ["web/", ["errors.ts", "tools/"]],
];
/** The page in the browser: what it imports from elsewhere is types alone. */
const PAGE = "web/";

/** Where a package or a global may appear. */
const CONFINED: readonly (readonly [pattern: RegExp, place: RegExp])[] = [
  [
    /from "@modelcontextprotocol\/|import\("@modelcontextprotocol\//,
    /^server\/(sdk-server|stdio\/sdk-stdio|http\/mcp\/sdk-http)\.ts$/,
  ],
  [
    /(?:from |require\(|import\()["']yaml["']|["']gray-matter["']/,
    /^(markdown\/frontmatter\/|cli\/setup\/yaml-config)/,
  ],
  [/["']jsonc-parser["']/, /^cli\/setup\/json-config/],
  [/["']toml-eslint-parser["']/, /^cli\/setup\/server-list/],
  [/["']ical\.js["']/, /^calendar\/task-calendar\.ts$/],
  [/["']libsql["']|["']node:sqlite["']/, /^sqlite\.ts$/],
  [/["']minisearch["']/, /^search\//],
  [/["'](@date-fns\/utc|date-fns)[/"']/, /^dates\//],
  [/["'](hono|@hono\/node-server)(\/[^"']*)?["']/, /^server\/http\//],
  [/["']prom-client["']/, /^server\/http\/monitoring\.ts$/],
  [/["']node:worker_threads["']/, /^(async\/thread|files\/pattern)\.ts$/],
  [/["']uqr["']/, /^cli\/serve\/serve-tunnel\.ts$/],
  [/["']unpdf["']/, /^attachments\/pdf-worker/],
  [/["']re2js["']/, /^(files\/pattern|obsidian\/(ignore|mdbase)\.ts$|text\/javascript-pattern\.ts$|views\/)/],
  [/["']ajv(\/[^"']*)?["']/, /^tools\/(tool|validator)\.ts$/],
  [/["']octagonal-wheels[/"']|["']xxhash-wasm["']/, /^storage\/livesync\//],
  [/from ["']ignore["']/, /^access\/rules\.ts$/],
  [/["']nanoid[/"']|\bDate\.now\b|\bMath\.random\b|\bnew Date\(\)/, /^(clock\.ts$|web\/)/],
  [/from ["'](preact|@preact|marked)[/"']/, /^web\//],
  [/\binnerHTML\b|\bdangerouslySetInnerHTML\b|\binsertAdjacentHTML\b|\bDOMParser\b/, /^$/],
  // The escapes of a text for a regular expression.
  [/\.\*\+\?[^\n]*\\\$&/, /^text\/fold\.ts$/],
  // Ids of lines have one maker; the page shows a place, and links are listed with theirs.
  [/\}:\$\{[^}]*[lL]ine/, /^(tasks\/line-format\/task-line|tools\/notes\/note-view|web\/.*)\.tsx?$/],
  [/\bprocess\.env\b/, /^cli\//],
  [/\bconsole\.|\beval\(|\bnew Function\b/, /^$/],
  [
    /["'](node:)?(fs|child_process|os|net|http)(\/[^"']*)?["']/,
    /^(storage\/(filesystem|livesync)|async\/thread|cache\/cache-database|sqlite\.ts|private-folder\.ts|history\/journal-file|calendar\/link-folder|cli\/|open\.ts|server\/(stdio|http)\/)/,
  ],
];

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /(?<!\.test|contract)\.tsx?$/.test(entry.name) ? [relative(SOURCE, path)] : [];
  });
}

const fits = (file: string, place: string) => (place.endsWith("/") ? file.startsWith(place) : file === place);
const files = sources(SOURCE).map((file) => ({ file, text: readFileSync(join(SOURCE, file), "utf8") }));

/** A file's text without comments, so that prose may name what code may not. */
const codeOf = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");

const sourceOf = (path: string) => (files.some(({ file }) => file === `${path}.tsx`) ? `${path}.tsx` : `${path}.ts`);

/** The project's files that a file imports, relative to `src`. */
function importsOf(file: string, text: string): string[] {
  return [...codeOf(text).matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((match) =>
    sourceOf(join(dirname(file), match[1] ?? "").replace(/\.js$/, "")),
  );
}

const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|class|interface|type|let) +([A-Za-z0-9_]+)/gm;

describe("architecture", () => {
  it("sees the sources", () => expect(files.length).toBeGreaterThan(10));

  it.each(files)("$file imports downward only", ({ file, text }) => {
    const row = MAY_IMPORT.find(([place]) => fits(file, place));
    expect(row, `${file} has no row in the plan`).toBeDefined();
    const [place = "", allowed = []] = row ?? [];
    // The files of a folder may import each other; one that has a row of its own says whom.
    const may = place.endsWith("/") ? [place, ...allowed] : allowed;
    const wrong = importsOf(file, text).filter((imported) => !may.some((other) => fits(imported, other)));
    expect(wrong).toEqual([]);
  });

  it("lets the page import types alone from the rest of the project", () => {
    const wrong = files.flatMap(({ file, text }) =>
      fits(file, PAGE)
        ? importsOf(file, text.replace(/import type[^;]*;/g, "")).filter((imported) => !fits(imported, PAGE))
        : [],
    );
    expect(wrong).toEqual([]);
  });

  it("has no circles, imports of types included", () => {
    const graph = new Map(files.map(({ file, text }) => [file, importsOf(file, text)]));
    const circles: string[] = [];
    const done = new Set<string>();
    const visit = (file: string, trail: string[]): void => {
      if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].join(" -> "));
      if (trail.includes(file) || done.has(file)) return;
      for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
      done.add(file);
    };
    for (const file of graph.keys()) visit(file, []);
    expect(circles).toEqual([]);
  });

  it("gives no exported name two meanings", () => {
    const exported = new Map<string, string[]>();
    for (const { file, text } of files)
      for (const [, name = ""] of codeOf(text).matchAll(EXPORT)) {
        exported.set(name, [...(exported.get(name) ?? []), file]);
      }
    const twice = [...exported].filter(([, places]) => new Set(places).size > 1);
    expect(twice).toEqual([]);
  });

  it("uses the words of the glossary, and none that it replaces, in exported names", () => {
    const docs = readFileSync(join(SOURCE, "../docs/architecture.md"), "utf8");
    const [, glossary = ""] = /\n## Names\n([^]*?)\n## /.exec(docs) ?? [];
    const rows = glossary.split("\n").flatMap((line) => {
      const [, word = "", , not = ""] = line.split("|").map((cell) => cell.trim());
      return /^[a-z]+$/.test(word) && word !== "word" ? [{ word, not: not === "" ? [] : not.split(", ") }] : [];
    });
    const words = rows.map(({ word }) => word);
    const replaced = rows.flatMap(({ not }) => not);
    expect(words.length).toBeGreaterThan(20);
    expect(words.length).toBeLessThanOrEqual(40);
    expect(new Set([...words, ...replaced]).size).toBe(words.length + replaced.length);

    const names = files.flatMap(({ text }) => [...codeOf(text).matchAll(EXPORT)].map(([, name = ""]) => name));
    const wordsOf = (name: string): string[] =>
      (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase());
    const used = new Set(names.flatMap(wordsOf));
    expect(words.filter((word) => !used.has(word))).toEqual([]);
    const isReplaced = (word: string): boolean => replaced.some((one) => word === one || word === `${one}s`);
    expect(names.filter((name) => wordsOf(name).some(isReplaced))).toEqual([]);
  });

  it("exports nothing that no other file names", () => {
    const naming = new Map<string, number>();
    for (const folder of [SOURCE, join(SOURCE, "../test"), join(SOURCE, "../bench"), join(SOURCE, "../scripts")])
      for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((one) =>
        /\.[jt]sx?$/.test(one),
      ))
        for (const name of new Set(readFileSync(join(folder, path), "utf8").match(/[\w$]+/g)))
          naming.set(name, (naming.get(name) ?? 0) + 1);
    const own = files.flatMap(({ file, text }) =>
      [...codeOf(text).matchAll(EXPORT)].flatMap(([, name = ""]) =>
        naming.get(name) === 1 ? [`${file}: ${name}`] : [],
      ),
    );
    expect(own).toEqual([]);
  });

  it.each(CONFINED)("%s stays in its place", (pattern, place) => {
    const wrong = files
      .filter(({ file, text }) => !place.test(file) && pattern.test(codeOf(text)))
      .map(({ file }) => file);
    expect(wrong).toEqual([]);
  });

  it.each(files)("$file says its purpose at the top and has a telling name", ({ file, text }) => {
    expect(text.replace(/^#!.*\n/, "")).toMatch(/^\/\*\* ?\S|^\/\*\*\n \* \S/);
    expect(file).not.toMatch(/(utils?|helpers?|common|manager|misc|types)(\.tsx?$|\/)/);
  });
});
