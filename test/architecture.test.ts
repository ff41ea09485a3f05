/** The house's plan, enforced: which folder may import which, and where each third-party package may appear. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), "..", "src");

/** From a folder (or file) to what it may import; the first row that fits a file counts, the first row that fits an import names its place. */
const MAY_IMPORT: readonly (readonly [place: string, allowed: readonly string[]])[] = [
  ["errors.ts", []],
  ["fold.ts", []],
  ["edit-distance.ts", []],
  ["text-weight.ts", []],
  ["nearest.ts", ["fold.ts", "edit-distance.ts"]],
  ["log.ts", []],
  ["version.ts", []],
  ["clock.ts", ["errors.ts"]],
  ["storage/storage.ts", ["errors.ts", "storage/path.ts"]],
  ["storage/path.ts", ["errors.ts", "storage/file-name.ts"]],
  ["storage/file-name.ts", ["errors.ts"]],
  ["storage/trash.ts", ["errors.ts", "storage/path.ts"]],
  ["storage/", ["errors.ts", "clock.ts", "storage/"]],
  ["markdown/", ["errors.ts", "clock.ts", "markdown/"]],
  [
    "vault/journal-folder.ts",
    ["clock.ts", "storage/content-revision.ts", "storage/filesystem/process-identity.ts", "vault/"],
  ],
  [
    "vault/",
    [
      "errors.ts",
      "clock.ts",
      "log.ts",
      "nearest.ts",
      "fold.ts",
      "edit-distance.ts",
      "markdown/",
      "storage/storage.ts",
      "storage/path.ts",
      "storage/file-name.ts",
      "storage/trash.ts",
      "storage/content-revision.ts",
      "vault/",
    ],
  ],
  [
    "tasks/",
    [
      "errors.ts",
      "clock.ts",
      "log.ts",
      "nearest.ts",
      "markdown/",
      "storage/storage.ts",
      "storage/path.ts",
      "storage/file-name.ts",
      "vault/",
      "tasks/",
    ],
  ],
  [
    "links/",
    [
      "errors.ts",
      "clock.ts",
      "log.ts",
      "nearest.ts",
      "fold.ts",
      "markdown/",
      "storage/storage.ts",
      "storage/path.ts",
      "storage/file-name.ts",
      "vault/",
      "links/",
    ],
  ],
  [
    "notes/",
    [
      "errors.ts",
      "clock.ts",
      "log.ts",
      "nearest.ts",
      "fold.ts",
      "text-weight.ts",
      "markdown/",
      "storage/storage.ts",
      "storage/path.ts",
      "storage/file-name.ts",
      "vault/",
      "links/",
      "notes/",
    ],
  ],
  [
    "files/",
    [
      "errors.ts",
      "clock.ts",
      "log.ts",
      "nearest.ts",
      "fold.ts",
      "text-weight.ts",
      "markdown/",
      "storage/storage.ts",
      "storage/path.ts",
      "storage/file-name.ts",
      "vault/",
      "links/",
      "files/",
    ],
  ],
  [
    "tools/",
    [
      "errors.ts",
      "clock.ts",
      "log.ts",
      "nearest.ts",
      "text-weight.ts",
      "storage/storage.ts",
      "storage/path.ts",
      "vault/",
      "links/",
      "tasks/",
      "notes/",
      "files/",
      "tools/",
    ],
  ],
  ["prompts/", ["clock.ts", "storage/path.ts", "tools/", "prompts/"]],
  [
    "server/",
    [
      "errors.ts",
      "clock.ts",
      "log.ts",
      "nearest.ts",
      "fold.ts",
      "vault/",
      "storage/path.ts",
      "links/",
      "notes/",
      "prompts/",
      "tools/",
      "server/",
    ],
  ],
  [
    "assembly.ts",
    ["clock.ts", "log.ts", "storage/storage.ts", "vault/", "links/", "tasks/", "notes/", "files/", "tools/"],
  ],
  ["open.ts", ["errors.ts", "clock.ts", "log.ts", "version.ts", "assembly.ts", "storage/", "vault/", "tools/"]],
  [
    "library.ts",
    [
      "errors.ts",
      "clock.ts",
      "log.ts",
      "open.ts",
      "storage/",
      "vault/",
      "links/",
      "tasks/",
      "notes/",
      "files/",
      "tools/",
    ],
  ],
  [
    "cli/",
    [
      "version.ts",
      "errors.ts",
      "clock.ts",
      "log.ts",
      "nearest.ts",
      "open.ts",
      "storage/",
      "vault/",
      "tasks/",
      "notes/",
      "tools/",
      "server/",
      "cli/",
    ],
  ],
  ["index.ts", ["cli/"]],
];

/** Where a package or a global may appear. */
const CONFINED: readonly (readonly [pattern: RegExp, place: RegExp])[] = [
  [/from "@modelcontextprotocol\/|import\("@modelcontextprotocol\//, /^server\/mcp/],
  [/["']yaml["']|["']gray-matter["']/, /^markdown\/frontmatter/],
  [/["']minisearch["']/, /^vault\/search/],
  [/["']prom-client["']/, /^server\/http\/metrics\.ts$/],
  [/["']re2js["']|["']node:worker_threads["']/, /^files\/pattern/],
  [/["']ajv(\/[^"']*)?["']/, /^tools\/(tool|validator)\.ts$/],
  [/["']octagonal-wheels[/"']|["']xxhash-wasm["']/, /^storage\/livesync\//],
  [/["']nanoid[/"']|\bDate\.now\b|\bMath\.random\b|\bnew Date\(\)/, /^clock\.ts$/],
  [/\bprocess\.env\b/, /^cli\//],
  [/\bconsole\.|\beval\(|\bnew Function\b/, /^$/],
  [
    /["'](node:)?(fs|child_process|os|net|http)(\/[^"']*)?["']/,
    /^(storage\/(?!storage|path|memory|file-name|trash)|vault\/cache|vault\/journal-folder|cli\/|open\.ts|server\/(stdio|http))/,
  ],
];

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /(?<!\.test|contract)\.ts$/.test(entry.name) ? [relative(SOURCE, path)] : [];
  });
}

const fits = (file: string, place: string) => (place.endsWith("/") ? file.startsWith(place) : file === place);
const files = sources(SOURCE).map((file) => ({ file, text: readFileSync(join(SOURCE, file), "utf8") }));

/** A file's text without comments, so that prose may name what code may not. */
const codeOf = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");

/** The files of the house a file imports, relative to `src`. */
function importsOf(file: string, text: string): string[] {
  return [...codeOf(text).matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((match) =>
    join(dirname(file), match[1] ?? "").replace(/\.js$/, ".ts"),
  );
}

describe("architecture", () => {
  it("sees the sources", () => expect(files.length).toBeGreaterThan(10));

  it.each(files)("$file imports downward only", ({ file, text }) => {
    const row = MAY_IMPORT.find(([place]) => fits(file, place));
    expect(row, `${file} has no row in the plan`).toBeDefined();
    const wrong = importsOf(file, text).filter((imported) => !row?.[1].some((allowed) => fits(imported, allowed)));
    expect(wrong).toEqual([]);
  });

  it("has no circles", () => {
    const graph = new Map(
      files.map(({ file, text }) => [file, importsOf(file, text.replace(/import type[^;]*;/g, ""))]),
    );
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

  it.each(CONFINED)("%s stays in its place", (pattern, place) => {
    const wrong = files
      .filter(({ file, text }) => !place.test(file) && pattern.test(codeOf(text)))
      .map(({ file }) => file);
    expect(wrong).toEqual([]);
  });

  it.each(files)("$file says its purpose at the top and has a telling name", ({ file, text }) => {
    expect(text.replace(/^#!.*\n/, "")).toMatch(/^\/\*\* ?\S|^\/\*\*\n \* \S/);
    expect(file).not.toMatch(/(utils?|helpers?|common|manager|misc|types)(\.ts$|\/)/);
  });
});
