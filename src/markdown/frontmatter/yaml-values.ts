/** Properties of a parsed YAML document, in linear time, and its faults without quotes. */
import type { Alias, Document, ErrorCode, Pair, ParsedNode, YAMLError, YAMLMap, YAMLSeq } from "yaml";
import { positionAt, type FrontmatterProblem, type Property, type PropertyValue } from "./property.js";

export interface YamlReading {
  readonly properties: readonly Property[];
  readonly problem: FrontmatterProblem | undefined;
  readonly warning: FrontmatterProblem | undefined;
}

export interface YamlWarning {
  readonly message: string;
  /** From the block's start. */
  readonly offset: number;
  /** Other properties may still be edited. */
  readonly editable?: true;
}

/** And the first of the noncharacters that replace them one for one. */
const MARKS = "{}[]:#,&*!|>'\"%@`?-\\";
const FIRST_HIDDEN = 0xfdd0;
const HIDDEN = /[\uFDD0-\uFDE4]/g;
const HIDDEN_MARK = new RegExp(HIDDEN.source);
const HIDDEN_BRACE = String.fromCharCode(FIRST_HIDDEN);

export function hideMarks(text: string): string {
  return text.replace(/[{}[\]:#,&*!|>'"%@`?\-\\]/g, (mark) => String.fromCharCode(FIRST_HIDDEN + MARKS.indexOf(mark)));
}

/** @param written one with such noncharacters was never changed */
export function showMarks(text: string, written: string): string {
  if (HIDDEN_MARK.test(written)) return text;
  return text.replace(HIDDEN, (hidden) => MARKS.charAt(hidden.charCodeAt(0) - FIRST_HIDDEN));
}

export function holdsHidden(text: string): boolean {
  return HIDDEN_MARK.test(text);
}

/** More is an attack. */
const MAX_ALIASED = 10_000;
/** Characters. */
const TEXT_A_VALUE = 64;
const MAX_DEPTH = 100;

class Unreadable extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** `size`: its values; long texts count as several. */
interface Read {
  readonly value: PropertyValue;
  readonly text: string | undefined;
  readonly size: number;
}

/** One reader reads one document. */
export class DocumentReader {
  private readonly yaml: typeof import("yaml");
  private readonly text: string;
  private readonly start: number;
  private readonly document: Document.Parsed;
  private readonly anchors = new Map<string, Read>();
  private aliased = 0;
  private warning: FrontmatterProblem | undefined;
  private counted = { offset: 0, line: 1 };

  constructor(yaml: typeof import("yaml"), text: string, start: number, document: Document.Parsed) {
    this.yaml = yaml;
    this.text = text;
    this.start = start;
    this.document = document;
  }

  read(repairs: readonly YamlWarning[]): YamlReading {
    const faults = this.document.errors
      .filter(({ code }) => code !== "TAG_RESOLVE_FAILED")
      .map((error): YamlWarning => ({ message: explainYamlError(error), offset: error.pos[0] }));
    for (const fault of [...repairs, ...faults].sort((one, other) => one.offset - other.offset)) this.warn(fault);
    try {
      return { properties: this.properties(), problem: undefined, warning: this.warning };
    } catch (thrown) {
      if (!(thrown instanceof Unreadable)) throw thrown;
      const problem = { message: thrown.message, ...positionAt(this.text, this.start + thrown.offset) };
      return { properties: [], problem, warning: undefined };
    }
  }

  private properties(): Property[] {
    const { contents } = this.document;
    if (contents === null || (this.yaml.isScalar(contents) && contents.source === "")) return [];
    if (!this.yaml.isMap(contents)) throw new Unreadable(NOT_A_MAPPING, contents.range[0]);
    const properties: Property[] = [];
    const seen = new Set<string>();
    for (const pair of contents.items) {
      const key = this.key(pair, seen);
      const line = this.lineOf(pair.key.range[0]);
      const { value, text } = this.node(pair.value, 1);
      if (key !== undefined) properties.push({ key, value, text, line });
    }
    return properties;
  }

  /** Undefined, with a warning, when repeated. */
  private key(pair: Pair<ParsedNode, ParsedNode | null>, seen: Set<string>): string | undefined {
    const { key } = pair;
    const { text } = this.node(key, 1);
    if (text === undefined) this.warn({ message: KEY_NOT_TEXT, offset: key.range[0] });
    const name = text ?? this.source(key);
    if (seen.has(name)) {
      this.warn({ message: DUPLICATE_KEY, offset: key.range[0] });
      return undefined;
    }
    seen.add(name);
    return name;
  }

  private node(node: ParsedNode | null, depth: number): Read {
    if (node === null) return { value: null, text: "", size: 1 };
    if (depth > MAX_DEPTH) throw new Unreadable(TOO_DEEP, node.range[0]);
    if (this.yaml.isAlias(node)) return this.alias(node.source, node.range[0]);
    const read = this.unanchored(node, depth);
    if (node.anchor !== undefined && node.anchor !== "") this.anchors.set(node.anchor, read);
    return read;
  }

  private alias(name: string, offset: number): Read {
    const target = this.anchors.get(name);
    if (target === undefined) throw new Unreadable(UNKNOWN_ALIAS, offset);
    this.aliased += target.size;
    if (this.aliased > MAX_ALIASED) throw new Unreadable(TOO_MANY_ALIASES, offset);
    return target;
  }

  private unanchored(node: Exclude<ParsedNode, Alias.Parsed>, depth: number): Read {
    if (this.yaml.isScalar(node)) {
      const { value, source } = node;
      const written = this.text.slice(this.start + node.range[0], this.start + node.range[1]);
      if (HIDDEN_MARK.test(source) && !HIDDEN_MARK.test(written)) {
        if (node.type === "PLAIN" && source.startsWith(HIDDEN_BRACE))
          this.warn({ message: PLACEHOLDER_AS_TEXT, offset: node.range[0], editable: true });
        return textRead(showMarks(source, written));
      }
      const isData =
        typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null;
      return isData ? { value, text: source, size: sizeOf(source) } : textRead(source);
    }
    if (this.yaml.isSeq(node)) return this.list(node, depth);
    return this.mapping(node, depth);
  }

  private list(node: YAMLSeq.Parsed, depth: number): Read {
    const value: PropertyValue[] = [];
    let size = 1;
    for (const item of node.items) {
      const read = this.node(item, depth + 1);
      value.push(read.value);
      size += read.size;
    }
    return { value, text: undefined, size };
  }

  private mapping(node: YAMLMap.Parsed, depth: number): Read {
    const value = Object.create(null) as { [key: string]: PropertyValue };
    const seen = new Set<string>();
    let size = 1;
    for (const pair of node.items) {
      const key = this.key(pair, seen);
      const read = this.node(pair.value, depth + 1);
      if (key !== undefined) value[key] = read.value;
      size += read.size + sizeOf(key ?? "");
    }
    return { value, text: undefined, size };
  }

  private source(node: ParsedNode): string {
    return this.text.slice(this.start + node.range[0], this.start + node.range[1]).trim();
  }

  /** The first, but one that forbids edits has precedence. */
  private warn({ message, offset, editable }: YamlWarning): void {
    if (this.warning !== undefined && (editable === true || this.warning.editable !== true)) return;
    this.warning = { message, ...positionAt(this.text, this.start + offset), ...(editable && { editable }) };
  }

  /** Offsets into the block must ascend. */
  private lineOf(offset: number): number {
    const target = this.start + offset;
    let { offset: at, line } = this.counted;
    for (let end = this.text.indexOf("\n", at); end !== -1 && end < target; end = this.text.indexOf("\n", at)) {
      at = end + 1;
      line += 1;
    }
    this.counted = { offset: at, line };
    return line;
  }
}

function textRead(text: string): Read {
  return { value: text, text, size: sizeOf(text) };
}

function sizeOf(text: string): number {
  return 1 + Math.floor(text.length / TEXT_A_VALUE);
}

export const TOO_DEEP =
  "Lists or mappings are nested too deeply here: put such data into the body or a file of its own.";
const NOT_A_MAPPING =
  "The frontmatter is not made of `key: value` lines: write one property a line, with a blank after the colon.";
const TOO_MANY_ALIASES = "Aliases (`*name`) repeat too much here: write the values out.";
const UNKNOWN_ALIAS =
  "There is an alias (`*name`) here without a matching anchor: put text that begins with `*` or `&` in quotes.";
const DUPLICATE_KEY = "This key is there twice: keep one of them.";
export const PLACEHOLDER_AS_TEXT =
  "A template placeholder ({{...}} or <%...%>) is read as text here: fill it in, or put it in quotes.";
export const TAB_AS_INDENT = "YAML allows no tab here: indent with spaces.";
export const UNCLOSED_BRACKET =
  "A bracket or brace is opened but not closed before the next property: close it, or put the text in quotes.";
const KEY_NOT_TEXT = "A key here is a list or mapping (`{{placeholder}}` reads as one): put it in quotes.";

const EXPLANATIONS: Readonly<Partial<Record<ErrorCode, string>>> = {
  ALIAS_PROPS: "An alias (`*name`) takes neither an anchor nor a tag: put the text in quotes.",
  BAD_ALIAS: UNKNOWN_ALIAS,
  BAD_COLLECTION_TYPE: "The tag (`!name`) here does not fit a list or mapping: take it out.",
  BAD_DIRECTIVE: "A line that begins with `%` is a YAML directive: put the text in quotes.",
  BAD_DQ_ESCAPE: "There is a backslash in double quotes that YAML does not know: double it or use single quotes.",
  BAD_INDENT: "This line is not indented like the lines it belongs to: give them the same number of spaces.",
  BAD_PROP_ORDER: "An anchor or tag (`&name`, `!name`) is in the wrong place: put the text in quotes.",
  BAD_SCALAR_START: "Text that begins with this character must be put in quotes.",
  BLOCK_AS_IMPLICIT_KEY:
    "The text holds a colon followed by a blank, or a list begins on the line of its key: put the text in quotes.",
  BLOCK_IN_FLOW: "A list of lines cannot be inside brackets: write the items with commas between them.",
  DUPLICATE_KEY,
  KEY_OVER_1024_CHARS: "This key is longer than 1,024 characters: shorten it.",
  MISSING_CHAR: "Something is missing here: a colon and a blank after a key, a closing quote, a comma or a bracket.",
  MULTILINE_IMPLICIT_KEY:
    "This is no `key: value` line, or the key runs over several lines: write it on one, with a colon and a blank.",
  MULTIPLE_ANCHORS: "There are two anchors (`&name`) on one value: keep one.",
  MULTIPLE_DOCS: "A line of `---` or `...` ends the properties before the closing fence: take it out.",
  MULTIPLE_TAGS: "There are two tags (`!name`) on one value: keep one.",
  RESOURCE_EXHAUSTION: TOO_DEEP,
  TAB_AS_INDENT,
  UNEXPECTED_TOKEN:
    "There is something here that YAML does not expect: put text with brackets, quotes, `#`, `:` or `*` in quotes.",
};

/** The package's may quote the note. */
export function explainYamlError(error: YAMLError): string {
  return EXPLANATIONS[error.code] ?? "The frontmatter is not valid YAML here: put the value in quotes.";
}

/** After the text before it. */
export function positionOf({ code, pos: [offset] }: YAMLError, block: string): number {
  return code === "MISSING_CHAR" ? endOfTextBefore(offset, block) : offset;
}

export function endOfTextBefore(from: number, block: string): number {
  let offset = from;
  if (!atLineStart(block, offset)) return offset;
  while (offset > 0 && /\s/.test(block.charAt(offset - 1))) offset -= 1;
  return Math.max(offset - 1, 0);
}

function atLineStart(block: string, offset: number): boolean {
  return offset >= block.length || block.slice(block.lastIndexOf("\n", offset - 1) + 1, offset).trim() === "";
}
