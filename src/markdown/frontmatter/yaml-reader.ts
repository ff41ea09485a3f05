/** Reads any frontmatter, and strict YAML as a tree, with `gray-matter` and the `yaml` package, loaded only here. */
import { createRequire } from "node:module";
import type matter from "gray-matter";
import type { Document, YAMLError, Node } from "yaml";
import {
  DocumentReader,
  endOfTextBefore,
  explainYamlError,
  hideMarks,
  holdsHidden,
  PLACEHOLDER_AS_TEXT,
  positionOf,
  TAB_AS_INDENT,
  TOO_DEEP,
  UNCLOSED_BRACKET,
  type YamlReading,
  type YamlWarning,
} from "./yaml-values.js";
import { positionAt } from "./property.js";

// Loading takes longer than reading most notes.
const require = createRequire(import.meta.url);
export const loadYaml = (): typeof import("yaml") => require("yaml") as typeof import("yaml");
const loadMatter = (): typeof matter => require("gray-matter") as typeof matter;

/** Of template plugins; elsewhere they are text. */
const PLACEHOLDER = /\{\{[^{}\n]{0,200}\}\}|<%[^%\n]{0,200}%>/g;

/** From the block's start. */
type YamlDocument = Document.Parsed;

export function readYamlFrontmatter(text: string, start: number, end: number): YamlReading {
  const unreadable = (message: string, offset: number): YamlReading => ({
    properties: [],
    problem: { message, ...positionAt(text, start + offset) },
    warning: undefined,
  });
  const block = text.slice(start, end);
  const trap = findTrap(block);
  if (trap !== undefined) return unreadable(trap.message, trap.offset);
  const parsed = parseRepaired(block);
  const error = parsed.document.errors.find((candidate) => !isTolerable(candidate));
  if (error !== undefined) {
    const { message, offset } = faultOf(error, parsed.source);
    return unreadable(message, offset);
  }
  return new DocumentReader(loadYaml(), text, start, parsed.document).read(parsed.repairs);
}

/** Takes placeholders and text with a colon as text, and tabs as indentation. `source` keeps the length. */
function parseRepaired(block: string) {
  let document = parseWithMatter(block);
  let source = block;
  const repairs: YamlWarning[] = [];
  const retry = (repaired: string): void => {
    source = repaired;
    document = parseYaml(repaired, false);
  };
  const firstError = (): YAMLError | undefined => document.errors.find((error) => !isTolerable(error));
  if (holdsHidden(block)) return { document, source, repairs };
  const hidden = block.replace(PLACEHOLDER, hideMarks);
  if (hidden !== block) {
    const error = firstError();
    if (error !== undefined) repairs.push({ message: PLACEHOLDER_AS_TEXT, offset: error.pos[0], editable: true });
    retry(hidden);
  }
  const tab = source.search(/^\t/m);
  if (tab !== -1 && firstError() !== undefined) {
    const spaced = source.replace(/^\t+/gm, (tabs) => " ".repeat(tabs.length));
    if (parseYaml(spaced, false).errors.every(isTolerable)) {
      repairs.push({ message: TAB_AS_INDENT, offset: tab });
      retry(spaced);
    }
  }
  const loose = document.errors.filter((error) => isLooseColon(error, source));
  if (loose.length > 0) {
    repairs.push(...loose.map((error) => ({ message: explainYamlError(error), offset: error.pos[0] })));
    retry(withoutLooseColons(source, loose));
  }
  return { document, source, repairs };
}

/** `title: Foo: bar`. */
function isLooseColon({ code, pos: [offset] }: YAMLError, source: string): boolean {
  // Also the code of a list as a key.
  return code === "BLOCK_AS_IMPLICIT_KEY" && !/^(?:\s|#[^\n]*)*-(?:\s|$)/.test(source.slice(offset));
}

function withoutLooseColons(block: string, errors: readonly YAMLError[]): string {
  let result = "";
  let done = 0;
  for (const { pos } of errors) {
    if (pos[0] < done) continue;
    const lineEnd = block.indexOf("\n", pos[0]);
    const end = lineEnd === -1 ? block.length : lineEnd;
    result += block.slice(done, pos[0]) + block.slice(pos[0], end).replaceAll(":", hideMarks);
    done = end;
  }
  return result + block.slice(done);
}

/** From the block's start. */
interface YamlFault {
  readonly message: string;
  readonly offset: number;
}

/** With source tokens, for edits. */
export function parseForEdit(block: string): YamlDocument | YamlFault {
  const trap = findTrap(block);
  if (trap !== undefined) return trap;
  const { source } = parseRepaired(block);
  const document = parseYaml(source, true);
  const error = document.errors.find((candidate) => !isTolerable(candidate));
  return error === undefined ? document : faultOf(error, source);
}

function faultOf(error: YAMLError, source: string): YamlFault {
  if (error.code !== "BAD_INDENT" || !hasOpenBracket(source, error.pos[0]))
    return { message: explainYamlError(error), offset: positionOf(error, source) };
  return { message: UNCLOSED_BRACKET, offset: endOfTextBefore(error.pos[0], source) };
}

/** Its error has the code of a wrong indentation. */
function hasOpenBracket(source: string, offset: number): boolean {
  const { CST, Parser } = loadYaml();
  let isOpen = false;
  for (const token of new Parser().parse(source))
    if (token.type === "document")
      CST.visit(token, ({ key, value }) => {
        for (const one of [key, value])
          if (one?.type === "flow-collection" && one.offset < offset)
            isOpen ||= one.end[0]?.source !== (one.start.source === "[" ? "]" : "}");
      });
  return isOpen;
}

function parseYaml(block: string, keepSourceTokens: boolean): YamlDocument {
  const { stackTraceLimit } = Error;
  try {
    // A block may have 60,000 errors.
    Error.stackTraceLimit = 0;
    return loadYaml().parseDocument(block, {
      version: "1.2",
      schema: "core",
      merge: false,
      resolveKnownTags: false,
      // That check is quadratic.
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

/** It must not cache, evaluate or trim the block. */
function parseWithMatter(block: string): YamlDocument {
  let document: YamlDocument | undefined;
  const options = {
    language: "yaml",
    // Not in the block.
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
  // It calls no engine for an empty block.
  return document ?? parseYaml(block, false);
}

/** Its test for an empty block is quadratic. */
const MAX_BLANKS = 1_000;
const TOO_BLANK = "There are too many blanks or empty lines in a row here: take them out.";
/** Deeper ones exhaust the stack. */
const MAX_NESTING = 64;

/** What would take the parsers more than linear time. */
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

function isIndicator(block: string, index: number): boolean {
  return /^[-:?]\s/.test(block.slice(index, index + 2));
}

/** `owner: @bob`, a tab as indentation, an unknown tag. */
function isTolerable({ code }: YAMLError): boolean {
  return code === "TAG_RESOLVE_FAILED" || code === "BAD_SCALAR_START" || code === "TAB_AS_INDENT";
}

/** Lines count from 1. */
export type YamlTree = { readonly line: number } & (
  | { readonly kind: "scalar"; readonly value: string | number | boolean | null }
  | { readonly kind: "list"; readonly items: readonly YamlTree[] }
  | { readonly kind: "map"; readonly entries: readonly YamlEntry[] }
);
export interface YamlEntry {
  readonly key: string;
  readonly line: number;
  readonly value: YamlTree;
}
interface YamlTreeFault {
  readonly message: string;
  readonly line: number;
}

/** YAML 1.2 core; refuses aliases, tags, a key twice. */
export function readYamlTree(text: string): YamlTree | YamlTreeFault {
  const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length;
  const trap = findTrap(text);
  if (trap) return { message: trap.message, line: lineAt(trap.offset) };
  const { isAlias, isMap, isScalar, isSeq, parseDocument } = loadYaml();
  const document = parseDocument(text, { version: "1.2", schema: "core", merge: false, prettyErrors: false });
  const [error] = [...document.errors, ...document.warnings];
  if (error) {
    const isTag = error.code === "TAG_RESOLVE_FAILED";
    const message = isTag ? "a text that begins with ! needs quotes in YAML" : error.message.split("\n")[0];
    return { message: message ?? "", line: lineAt(error.pos[0]) };
  }
  let fault: YamlTreeFault | undefined;
  const read = (node: Node | null | undefined, around: number): YamlTree => {
    const line = node?.range ? lineAt(node.range[0]) : around;
    const refuse = (message: string) => void (fault ??= { message, line });
    if (node && !isAlias(node) && node.tag?.startsWith("!") === true && !/^!?$/.test(node.tag))
      refuse("tags of YAML are not understood");
    if (isMap(node))
      return {
        kind: "map",
        line,
        entries: node.items.map(({ key, value }) => {
          if (!isScalar(key)) refuse("a key is no text");
          const name = isScalar(key) ? String(key.source ?? key.value) : "";
          const at = isScalar(key) && key.range ? lineAt(key.range[0]) : line;
          return { key: name, line: at, value: read(value as Node | null, at) };
        }),
      };
    if (isSeq(node)) return { kind: "list", line, items: node.items.map((item) => read(item as Node | null, line)) };
    if (isAlias(node)) refuse("aliases of YAML are not understood");
    const value = isScalar(node) ? node.value : null;
    return { kind: "scalar", line, value: typeof value === "object" || value === undefined ? null : (value as string) };
  };
  const tree = read(document.contents, 1);
  return fault ?? tree;
}
