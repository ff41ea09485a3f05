/** Changes one entry of a YAML text, and nothing else. */
import type { Pair, ParsedNode, YAMLMap } from "yaml";
import { loadYaml } from "../../markdown/frontmatter/yaml-reader.js";
import type { StdioServer } from "./clients.js";

type Mapping = YAMLMap.Parsed;
type Entry = Pair<ParsedNode, ParsedNode | null>;

/** @throws SyntaxError naming the line */
export function readYaml(text: string): unknown {
  return documentOf(text).toJS({ maxAliasCount: 100 });
}

function documentOf(text: string) {
  const document = loadYaml().parseDocument(text);
  const [error] = document.errors;
  if (error) throw new SyntaxError(`line ${error.linePos?.[0].line ?? 1}`);
  return document;
}

export function withYamlEntry(text: string, key: string, name: string, server: StdioServer): string {
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  const root = documentOf(text).contents;
  const ended = text === "" || text.endsWith("\n") ? text : text + eol;
  const lines = [`${name}:`, ...Object.entries(server).flatMap((pair) => linesOf(pair).map((line) => `  ${line}`))];
  const under = (indent: string): string => lines.map((line) => indent + line + eol).join("");
  if (root === null) return `${ended}${key}:${eol}${under("  ")}`;
  const servers = entryOf(block(root), key);
  if (!servers) return `${ended}${key}:${eol}${under("  ")}`;
  if (isEmpty(servers.value)) {
    const colon = ended.indexOf(":", servers.key.range[1]) + 1;
    const open = spliced(ended, colon, Math.max(colon, servers.value?.range[1] ?? colon), "");
    return spliced(open, lineEnd(open, colon), lineEnd(open, colon), under("  "));
  }
  const own = entryOf(block(servers.value), name);
  if (own) return Object.entries(server).reduce((now, pair) => withPair(now, [key, name], pair, eol), text);
  const at = lineBegin(text, block(servers.value).items[0]?.key.range[0] ?? Number.NaN);
  return spliced(text, at, at, under(indentAt(text, at)));
}

function withPair(
  text: string,
  [key, name]: readonly [string, string],
  pair: readonly [string, StdioServer[string]],
  eol: string,
): string {
  const servers = entryOf(block(documentOf(text).contents), key);
  const own = block(entryOf(block(servers?.value), name)?.value);
  const there = entryOf(own, pair[0]);
  const at = lineBegin(text, own.items[0]?.key.range[0] ?? Number.NaN);
  const written = linesOf(pair).map((line) => indentAt(text, at) + line + eol);
  if (!there) return spliced(text, at, at, written.join(""));
  if (JSON.stringify(there.value?.toJSON()) === JSON.stringify(pair[1])) return text;
  const begin = lineBegin(text, there.key.range[0]);
  return spliced(text, begin, contentEnd(text, there), written.join(""));
}

export function withoutYamlEntry(text: string, key: string, name: string): string {
  const servers = entryOf(block(documentOf(text).contents), key);
  const own = entryOf(block(servers?.value), name);
  if (!servers || !own) return text;
  const begin = lineBegin(text, own.key.range[0]);
  const without = spliced(text, begin, contentEnd(text, own), "");
  if (block(servers.value).items.length > 1) return without;
  const head = servers.key.range[0];
  if (/^[^\n#]*:[ \t]*\r?\n$/.test(text.slice(head, begin))) return spliced(without, head, begin, "");
  return spliced(without, servers.key.range[1] + 1, servers.key.range[1] + 1, " {}");
}

/** Other forms are not changed. */
function block(node: unknown): Mapping {
  const { isMap } = loadYaml();
  if (!isMap(node) || node.flow === true || node.items.length === 0) throw new TypeError("no block of properties");
  return node as Mapping;
}

function entryOf(mapping: Mapping, name: string): Entry | undefined {
  return mapping.items.find(({ key }) => loadYaml().isScalar(key) && key.value === name);
}

function isEmpty(value: unknown): boolean {
  const { isMap, isScalar } = loadYaml();
  return (
    value === null ||
    (isScalar(value) && value.value === null) ||
    (isMap(value) && !value.items.length && !value.anchor)
  );
}

/** Before comments and blank lines that follow. */
function contentEnd(text: string, { key, value }: Entry): number {
  const { isCollection, isPair, isNode } = loadYaml();
  let last: unknown = value ?? key;
  while (isCollection(last) && last.flow !== true && last.items.length > 0) {
    const item: unknown = last.items.at(-1);
    last = isPair(item) ? (item.value ?? item.key) : item;
  }
  const end = isNode(last) ? (last.range?.[1] ?? key.range[1]) : key.range[1];
  return text[end - 1] === "\n" ? end : lineEnd(text, end);
}

const spliced = (text: string, begin: number, end: number, content: string): string =>
  text.slice(0, begin) + content + text.slice(end);
const indentAt = (text: string, begin: number): string => /^[ \t]*/.exec(text.slice(begin))?.[0] ?? "";

/** @throws TypeError when something precedes it on its line */
function lineBegin(text: string, offset: number): number {
  const begin = text.lastIndexOf("\n", offset - 1) + 1;
  if (!/^ *$/.test(text.slice(begin, offset))) throw new TypeError("not alone on its line");
  return begin;
}

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end + 1;
}

function linesOf([key, value]: readonly [string, StdioServer[string]]): string[] {
  if (typeof value !== "object") return [`${key}: ${scalar(value)}`];
  return [`${key}:`, ...value.map((one) => `  - ${scalar(one)}`)];
}

/** Few words need no quotes. */
function scalar(value: string | number | boolean): string {
  const isPlain =
    typeof value !== "string" || /^(?:[/a-z][\w./-]*\/[\w./-]+|stdio|node|npx|obsidian-vault)$/i.test(value);
  return isPlain ? String(value) : JSON.stringify(value);
}
