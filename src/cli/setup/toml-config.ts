/** Adds, changes and removes one table in a TOML text, and keeps every other character. */
import { getStaticTOMLValue, parseTOML, type AST } from "toml-eslint-parser";

type Path = readonly string[];

/**
 * The value of a text.
 * @throws SyntaxError when it cannot be read
 */
export function readToml(text: string): unknown {
  return getStaticTOMLValue(parsed(text));
}

function parsed(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text);
  } catch (error) {
    const line = error instanceof Error && "lineNumber" in error ? error.lineNumber : 1;
    throw new SyntaxError(`line ${String(line)}`, { cause: error });
  }
}

/** The text with these keys in the table at a path; a table that is missing is added at the end. */
export function withTomlTable(text: string, path: Path, values: Readonly<Record<string, unknown>>): string {
  const table = tablesAt(text, path).find(({ resolvedKey }) => resolvedKey.length === path.length);
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  if (!table) {
    const lines = [`[${path.map(writtenKey).join(".")}]`, ...Object.entries(values).map(writtenPair)];
    return `${endedText(text, eol)}${lines.join(eol)}${eol}`;
  }
  return Object.entries(values).reduceRight((now, pair) => withPair(now, path, pair, eol), text);
}

function withPair(text: string, path: Path, [key, value]: readonly [string, unknown], eol: string): string {
  const table = tablesAt(text, path).find(({ resolvedKey }) => resolvedKey.length === path.length);
  if (!table) return text;
  const pair = table.body.find(({ key: { keys } }) => keys.length === 1 && nameOf(keys[0]) === key);
  if (pair) return spliced(text, pair.value.range, writtenValue(value));
  const end = lineEnd(text, table.key.range[1]);
  return spliced(text, [end, end], `${eol}${writtenPair([key, value])}`);
}

/** The text without the table at a path and the tables below it, each with the empty line before it. */
export function withoutTomlTable(text: string, path: Path): string {
  return tablesAt(text, path)
    .map((table): readonly [number, number] => {
      const begin = text.lastIndexOf("\n", table.range[0] - 1) + 1;
      const blank = /(?:^|\n)[ \t]*\r?\n$/.exec(text.slice(0, begin))?.[0].replace(/^\n/, "") ?? "";
      const end = lineEnd(text, table.body.at(-1)?.range[1] ?? table.range[1]);
      return [begin - blank.length, end + (/^\r?\n/.exec(text.slice(end))?.[0].length ?? 0)];
    })
    .reduceRight((now, range) => spliced(now, range, ""), text);
}

/** The tables at a path and below it, in their order. */
function tablesAt(text: string, path: Path): AST.TOMLTable[] {
  const nodes = parsed(text).body[0].body;
  return nodes.filter(
    (node): node is AST.TOMLTable =>
      node.type === "TOMLTable" && path.every((part, index) => node.resolvedKey[index] === part),
  );
}

const nameOf = (key: AST.TOMLBare | AST.TOMLQuoted | undefined): string | undefined =>
  key?.type === "TOMLBare" ? key.name : key?.value;

const spliced = (text: string, [begin, end]: readonly [number, number], content: string): string =>
  text.slice(0, begin) + content + text.slice(end);

/** The end of a line, before its break. */
function lineEnd(text: string, offset: number): number {
  return offset + (/^[^\r\n]*/.exec(text.slice(offset))?.[0].length ?? 0);
}

/** A text that another table may follow, with an empty line between. */
function endedText(text: string, eol: string): string {
  if (text.trim() === "") return text;
  const whole = text.endsWith("\n") ? text : text + eol;
  return /\n[ \t]*\r?\n$/.test(whole) ? whole : whole + eol;
}

const writtenPair = ([key, value]: readonly [string, unknown]): string => `${writtenKey(key)} = ${writtenValue(value)}`;
const writtenKey = (key: string): string => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key));

function writtenValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writtenValue).join(", ")}]`;
  const text = String(value);
  // Windows paths are easier to read where a backslash is literal.
  if (text.includes("\\") && !/['\u0000-\u001f\u007f]/.test(text)) return `'${text}'`;
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}
