/** Reads frontmatter of any shape with `gray-matter` and the `yaml` package; the only file that loads either, and only when needed. */
import { createRequire } from "node:module";

import type matter from "gray-matter";
import type { Document, YAMLError } from "yaml";

import { TOO_DEEP, explain, positionOf } from "./explain.js";
import { DocumentReader, LOOSE_COLON, type YamlReading } from "./yaml-values.js";
import { positionAt } from "./property.js";

// Reading is synchronous, and these two take longer to load than most notes take to read: hence `require`, and only at first use.
const require = createRequire(import.meta.url);
export const loadYaml = (): typeof import("yaml") => require("yaml") as typeof import("yaml");
const loadMatter = (): typeof matter => require("gray-matter") as typeof matter;

/** A parsed block; its offsets count from the block's start. */
export type YamlDocument = Document.Parsed;

/** The properties of the block `[start, end)` of `text`. */
export function readYamlFrontmatter(text: string, start: number, end: number): YamlReading {
  const unreadable = (message: string, offset: number): YamlReading => ({
    properties: [],
    problem: { message, ...positionAt(text, start + offset) },
    warning: undefined,
  });
  const block = text.slice(start, end);
  const trap = findTrap(block);
  if (trap !== undefined) return unreadable(trap.message, trap.offset);
  const document = parseWithMatter(block);
  const loose = block.includes(LOOSE_COLON) ? [] : document.errors.filter(isLooseColon);
  const fixed = loose.length === 0 ? document : parseYaml(withoutLooseColons(block, loose), false);
  const error = fixed.errors.find((candidate) => !isTolerable(candidate));
  if (error !== undefined) return unreadable(explain(error), positionOf(error, block));
  return new DocumentReader(loadYaml(), text, start, fixed).read(loose);
}

/** `title: Foo: bar`: YAML sees a nested mapping that swallows the lines below; its writer meant text. */
function isLooseColon(error: YAMLError): boolean {
  return error.code === "BLOCK_AS_IMPLICIT_KEY" && error.message.startsWith("Nested mappings");
}

/** The block with the colons of those lines' values replaced, offsets kept; values are read from the note itself. */
function withoutLooseColons(block: string, errors: readonly YAMLError[]): string {
  let result = "";
  let done = 0;
  for (const { pos } of errors) {
    if (pos[0] < done) continue;
    const lineEnd = block.indexOf("\n", pos[0]);
    const end = lineEnd === -1 ? block.length : lineEnd;
    result += block.slice(done, pos[0]) + block.slice(pos[0], end).replaceAll(":", LOOSE_COLON);
    done = end;
  }
  return result + block.slice(done);
}

/** The document of a block, for an edit that needs to know where everything is. Only for a block that reads without problems. */
export function parseForEdit(block: string): YamlDocument {
  return parseYaml(block, true);
}

function parseYaml(block: string, keepSourceTokens: boolean): YamlDocument {
  const { stackTraceLimit } = Error;
  try {
    // A hostile block may hold 60,000 errors, and their stack traces cost more than the parsing.
    Error.stackTraceLimit = 0;
    return loadYaml().parseDocument(block, {
      version: "1.2",
      schema: "core",
      merge: false,
      resolveKnownTags: false,
      // The package's own check is quadratic; DocumentReader finds repeated keys itself.
      uniqueKeys: false,
      prettyErrors: false,
      keepSourceTokens,
    });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function refuse(): never {
  throw new Error("Frontmatter in another language is not read.");
}

/** Runs gray-matter over a block with our YAML engine as the only one; it must never cache, evaluate or trim the block. */
function parseWithMatter(block: string): YamlDocument {
  let document: YamlDocument | undefined;
  const options = {
    language: "yaml",
    // The block is already cut out: a closing fence longer than the block cannot be found inside it.
    delimiters: ["---", "-".repeat(block.length + 4)] as [string, string],
    engines: {
      yaml: (source: string): object => {
        document = parseYaml(source.slice(1), false);
        return {};
      },
      json: refuse,
      javascript: refuse,
      js: refuse,
      coffee: refuse,
      coffeescript: refuse,
      cson: refuse,
      toml: refuse,
    },
  };
  loadMatter()(`---\n${block}`, options);
  // gray-matter does not call an engine for a block of only comments and spaces.
  return document ?? parseYaml(block, false);
}

/** A run of white space this long makes gray-matter's test for an empty block quadratic. */
const MAX_BLANKS = 1_000;
const TOO_BLANK = "There are too many blanks or empty lines in a row here: take them out.";
/** Brackets and dashes nested deeper than this are no frontmatter, and would exhaust the parser's stack. */
const MAX_NESTING = 64;

/** Finds, in one pass, what would cost the parsers more than linear time. */
function findTrap(block: string): { message: string; offset: number } | undefined {
  let blanks = 0;
  let brackets = 0;
  let indicators = 0;
  let atLineStart = true;
  for (let index = 0; index < block.length; index += 1) {
    const code = block.charCodeAt(index);
    if (code === 32 || (code >= 9 && code <= 13)) {
      blanks += 1;
      if (blanks > MAX_BLANKS) return { message: TOO_BLANK, offset: index - MAX_BLANKS };
      if (code === 10) {
        atLineStart = true;
        indicators = 0;
      }
      continue;
    }
    blanks = 0;
    if (code === 91 || code === 123) brackets += 1;
    else if (code === 93 || code === 125) brackets = Math.max(brackets - 1, 0);
    atLineStart &&= isIndicator(block, index);
    if (atLineStart) indicators += 1;
    if (brackets > MAX_NESTING || indicators > MAX_NESTING) return { message: TOO_DEEP, offset: index };
  }
  return undefined;
}

/** Whether a `-`, `:` or `?` stands here that may open a nested list or mapping. */
function isIndicator(block: string, index: number): boolean {
  return /^[-:?]\s/.test(block.slice(index, index + 2));
}

/** Errors that a reader can ignore, as Obsidian's users make them: `owner: @bob`, a tab as indentation, an unknown tag. */
function isTolerable({ code }: YAMLError): boolean {
  return code === "TAG_RESOLVE_FAILED" || code === "BAD_SCALAR_START" || code === "TAB_AS_INDENT";
}
