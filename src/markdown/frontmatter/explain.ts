/** Explains faults of YAML and how to fix them, without quoting the note. */
import type { ErrorCode, YAMLError } from "yaml";

export const TOO_DEEP =
  "Lists or mappings are nested too deeply here: put such data into the body or a file of its own.";
export const NOT_A_MAPPING =
  "The frontmatter is not made of `key: value` lines: write one property a line, with a blank after the colon.";
export const TOO_MANY_ALIASES = "Aliases (`*name`) repeat too much here: write the values out.";
export const UNKNOWN_ALIAS =
  "There is an alias (`*name`) here without a matching anchor: put text that begins with `*` or `&` in quotes.";
export const DUPLICATE_KEY = "This key is there twice: keep one of them.";
export const PLACEHOLDER_AS_TEXT =
  "A template placeholder ({{...}} or <%...%>) is read as text here: fill it in, or put it in quotes.";
export const TAB_AS_INDENT = "YAML allows no tab here: indent with spaces.";
const UNCLOSED_BRACKET =
  "A bracket or brace is opened but not closed before the next property: close it, or put the text in quotes.";
export const KEY_NOT_TEXT = "A key here is a list or mapping (`{{placeholder}}` reads as one): put it in quotes.";

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

/** The package's messages may quote the note. */
export function explain(error: YAMLError): string {
  if (error.code === "BAD_INDENT" && error.message.startsWith("Flow")) return UNCLOSED_BRACKET;
  return EXPLANATIONS[error.code] ?? "The frontmatter is not valid YAML here: put the value in quotes.";
}

/** What is missing at a line's start is reported at the end of the text before it. */
export function positionOf(error: YAMLError, block: string): number {
  let [offset] = error.pos;
  if (error.code !== "MISSING_CHAR" && error.code !== "BAD_INDENT") return offset;
  if (error.code === "BAD_INDENT" && !error.message.startsWith("Flow")) return offset;
  if (!atLineStart(block, offset)) return offset;
  while (offset > 0 && /\s/.test(block.charAt(offset - 1))) offset -= 1;
  return Math.max(offset - 1, 0);
}

function atLineStart(block: string, offset: number): boolean {
  return offset >= block.length || block.slice(block.lastIndexOf("\n", offset - 1) + 1, offset).trim() === "";
}
