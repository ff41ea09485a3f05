/** Statements of the documents that a program can check (docs: README, "What the documents must hold"); generated parts are held by `npm run docs:check`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { COMMAND_NAMES } from "../src/cli/command-names.js";
import { ERROR_CODES } from "../src/errors.js";
import { TOOLS } from "../src/tools/all-tools.js";
import { isAdvertised } from "../src/tools/toolset.js";

const ROOT = join(import.meta.dirname, "..");
const text = (file: string) => readFileSync(join(ROOT, file), "utf8");
const pages = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
const documents = [
  "README.md",
  "API_REFERENCE.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CHANGELOG.md",
  ...pages.map((name) => `docs/${name}`),
];

/** Outside of code, where brackets mean something else. */
const prose = (file: string) =>
  text(file)
    .replace(/```[\s\S]*?```/g, "")
    .replace(/`[^`\n]*`/g, "");

describe.each(documents)("%s", (file) => {
  it("links to what is there", () => {
    const targets = [...prose(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
    const missing = targets
      .filter((target) => !/^[a-z-]+:|^#/.test(target))
      .filter((target) => !existsSync(join(ROOT, dirname(file), decodeURIComponent(target.replace(/#.*$/, "")))));
    expect(missing).toEqual([]);
  });
});

describe("the README", () => {
  it("has at most 1,300 words", () => expect(text("README.md").split(/\s+/).length).toBeLessThanOrEqual(1300));

  it("names only commands that there are", () => {
    const named = [...text("README.md").matchAll(/^obsidian-vault-mcp-server (\w+)/gm)].map(([, name = ""]) => name);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !(COMMAND_NAMES as readonly string[]).includes(name))).toEqual([]);
  });
});

describe("docs/README.md", () => {
  it("says of every page when to read it", () => {
    const index = text("docs/README.md");
    expect(pages.filter((page) => page !== "README.md" && !index.includes(`(${page})`))).toEqual([]);
  });
});

describe("API_REFERENCE.md", () => {
  const reference = text("API_REFERENCE.md");

  it("has at most 2,500 lines", () => expect(reference.split("\n").length).toBeLessThanOrEqual(2500));

  it("has a section for every tool that is listed, in their order", () => {
    const sections = [...reference.matchAll(/^### \d+\. (\w+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(TOOLS.filter(isAdvertised).map(({ name }) => name));
  });

  it("names the capabilities that are declared", () => {
    const line = /^- \*\*Capabilities\*\*: (.*)$/m.exec(reference)?.[1] ?? "";
    for (const capability of ["tools", "resources", "prompts", "completions"])
      expect(line).toContain(`\`${capability}\``);
    for (const not of ["logging", "listChanged"]) expect(line).not.toContain(not);
  });

  it("names no error code that there is not", () => {
    const codes = [...reference.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code);
    expect(codes).toEqual(Object.keys(ERROR_CODES));
  });
});

describe("README's table of what becomes of notes", () => {
  const cellsIn = (file: string): readonly (readonly [name: string, cells: readonly string[]])[] =>
    [...text(file).matchAll(/^\| ([^|]+) \|(.*)\|$/gm)].map(([, name = "", cells = ""]) => [name, cells.split("|")]);
  const recorded = cellsIn("docs/why.md");
  const ROWS = [
    [/^lines touched/, /^lines touched/],
    [/^comments kept/, /^comments kept|^order of keys/],
    [/^edits lost/, /^edits lost/],
    [/^links broken/, /^links broken/],
    [/^series/, /^series/],
    [/^undone/, /^undone/],
    [/^tokens for/, /^tokens to answer/],
    [/what we lose/, /^tokens of the tools/],
  ] as const;
  const shown = cellsIn("README.md").filter(([name]) => ROWS.some(([row]) => row.test(name)));

  it("has all its rows", () => expect(shown.length).toBe(ROWS.length));

  it.each(shown)("says in %s what docs/why.md records of bench/harm.js", (name, cells) => {
    const from = ROWS.find(([row]) => row.test(name))?.[1] ?? /^$/;
    const sources = recorded.filter(([row]) => from.test(row));
    for (const [at, cell] of cells.entries()) {
      const figures = sources.flatMap(([, own]) => own[at]?.match(/[\d,]*\d/g) ?? []);
      for (const figure of cell.match(/[\d,]*\d/g) ?? []) expect(figures).toContain(figure);
    }
  });
});

describe("the command-line page", () => {
  it("shows every command", () => {
    const page = text("docs/command-line.md");
    expect(COMMAND_NAMES.filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([]);
  });
});
