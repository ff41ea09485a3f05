/** Changes one property of a JSON text with comments, and nothing else. */
import { applyEdits, createScanner, findNodeAtLocation, getNodeValue, parseTree } from "jsonc-parser";
import type { Edit, Node, ParseError } from "jsonc-parser";

type Path = readonly string[];

/** Allows trailing commas; undefined for an empty text. @throws SyntaxError */
export function readJson(text: string): unknown {
  const root = rootOf(text);
  return root && getNodeValue(root);
}

function rootOf(text: string): Node | undefined {
  if (text.trim() === "") return undefined;
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) throw new SyntaxError(`line ${text.slice(0, error.offset).split("\n").length}`);
  return root;
}

export function withJsonValue(text: string, path: Path, value: unknown): string {
  const source = text.trim() === "" ? "{}\n" : text;
  const root = rootOf(source);
  const found = root && findNodeAtLocation(root, [...path]);
  if (!root) return text;
  if (found) return applyEdits(source, [replaced(source, found, value)]);
  const depth = path.findLastIndex((_, length) => findNodeAtLocation(root, path.slice(0, length)) !== undefined);
  const parent = findNodeAtLocation(root, path.slice(0, depth));
  if (parent?.type !== "object") throw new TypeError(`${path.slice(0, depth).join(".")} is no object`);
  const nested = path.slice(depth + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  return applyEdits(source, inserted(source, parent, path[depth] ?? "", nested));
}

/** Removes empty objects too. */
export function withoutJsonValue(text: string, path: Path): string {
  const root = rootOf(text);
  const property = root && findNodeAtLocation(root, [...path])?.parent;
  const object = property?.parent;
  if (!property || !object) return text;
  const onlyOne = object.children?.length === 1 && !hasComments(text, object, property);
  if (onlyOne && path.length > 1) return withoutJsonValue(text, path.slice(0, -1));
  if (onlyOne) return applyEdits(text, [{ offset: object.offset, length: object.length, content: "{}" }]);
  return applyEdits(text, removed(text, object, property));
}

function replaced(text: string, { offset, length }: Node, value: unknown): Edit {
  const flat = !text.trim().includes("\n");
  const content = flat ? JSON.stringify(value) : written(value, indentAt(text, offset), layoutOf(text));
  return { offset, length, content };
}

function inserted(text: string, object: Node, key: string, value: unknown): Edit[] {
  const layout = layoutOf(text);
  const last = object.children?.at(-1);
  const name = JSON.stringify(key);
  if (last === undefined) return [intoEmpty(text, object, name, value)];
  const comma = commaAfter(text, last, object);
  const edits = comma === undefined ? [{ offset: endOf(last), length: 0, content: "," }] : [];
  if (!text.slice(object.offset, last.offset).includes("\n")) {
    const space = /[:,] /.test(text.slice(object.offset, endOf(object))) ? " " : "";
    const property = `${space}${name}:${space}${flatJson(value, space)}`;
    return [...edits, { offset: comma ?? endOf(last), length: 0, content: property }];
  }
  const indent = indentAt(text, last.offset);
  const property = `${name}: ${written(value, indent, layout)}${comma === undefined ? "" : ","}`;
  const offset = endOfLineComment(text, comma ?? endOf(last));
  return [...edits, { offset, length: 0, content: layout.eol + indent + property }];
}

function intoEmpty(text: string, object: Node, name: string, value: unknown): Edit {
  const begin = object.offset + 1;
  const inside = text.slice(begin, endOf(object) - 1);
  const isAlone = text.trim().length === object.length;
  if (!text.trim().includes("\n") && !isAlone)
    return { offset: begin, length: inside.length, content: `${name}:${flatJson(value, "")}` };
  const layout = layoutOf(text);
  const outer = indentAt(text, object.offset);
  const inner = outer + layout.unit;
  const comments = inside.trimEnd();
  const content = `${layout.eol}${inner}${name}: ${written(value, inner, layout)}${layout.eol}${outer}`;
  return { offset: begin + comments.length, length: inside.length - comments.length, content };
}

function removed(text: string, object: Node, property: Node): Edit[] {
  const siblings = object.children ?? [];
  const at = siblings.indexOf(property);
  const [before, after] = [siblings[at - 1], siblings[at + 1]];
  const comma = commaAfter(text, property, object);
  const lineBegin = text.lastIndexOf("\n", property.offset) + 1;
  const ownLine = text.slice(lineBegin, property.offset).trim() === "" && lineBegin > 0;
  if (!ownLine) {
    if (after) return [span(property.offset, after.offset)];
    return [span(before ? endOf(before) : property.offset, comma !== undefined && !before ? comma : endOf(property))];
  }
  const begin = lineBegin - (text[lineBegin - 2] === "\r" ? 2 : 1);
  const lines = span(begin, endOfLineComment(text, comma ?? endOf(property)));
  const idle = before && comma === undefined ? commaAfter(text, before, object) : undefined;
  return idle === undefined ? [lines] : [span(idle - 1, idle), lines];
}

const span = (begin: number, end: number): Edit => ({ offset: begin, length: end - begin, content: "" });
const endOf = ({ offset, length }: Node): number => offset + length;

/** SyntaxKind of jsonc-parser, an enum without a run-time object. */
const COMMA = 5;
const END = 17;
const LINE_COMMENT = 12;
const BLOCK_COMMENT = 13;
const BLANK = 15;

function commaAfter(text: string, property: Node, object: Node): number | undefined {
  const scanner = createScanner(text.slice(0, endOf(object) - 1), true);
  scanner.setPosition(endOf(property));
  const token: number = scanner.scan();
  return token === COMMA ? scanner.getTokenOffset() + 1 : undefined;
}

function endOfLineComment(text: string, offset: number): number {
  const scanner = createScanner(text, false);
  scanner.setPosition(offset);
  let token: number = scanner.scan();
  if (token === BLANK) token = scanner.scan();
  if (token !== LINE_COMMENT && token !== BLOCK_COMMENT) return offset;
  const end = scanner.getTokenOffset() + scanner.getTokenLength();
  const isWhole = !scanner.getTokenValue().includes("\n") && /^[ \t]*(?:\r?\n|$)/.test(text.slice(end));
  return isWhole ? end : offset;
}

function hasComments(text: string, object: Node, property: Node): boolean {
  const inside = text.slice(object.offset + 1, property.offset) + text.slice(endOf(property), endOf(object) - 1);
  const scanner = createScanner(inside, false);
  for (let token: number = scanner.scan(); token !== END; token = scanner.scan())
    if (token === LINE_COMMENT || token === BLOCK_COMMENT) return true;
  return false;
}

interface Layout {
  readonly eol: string;
  readonly unit: string;
}

function layoutOf(text: string): Layout {
  return { eol: /\r?\n/.exec(text)?.[0] ?? "\n", unit: /\n([ \t]+)["}]/.exec(text)?.[1] ?? "  " };
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function written(value: unknown, indent: string, { eol, unit }: Layout): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return flatJson(value, " ");
  const inner = indent + unit;
  const properties = Object.entries(value).map(
    ([key, one]) => `${inner}${JSON.stringify(key)}: ${written(one, inner, { eol, unit })}`,
  );
  return `{${eol}${properties.join(`,${eol}`)}${eol}${indent}}`;
}

function flatJson(value: unknown, space: string): string {
  if (Array.isArray(value)) return `[${value.map((one) => flatJson(one, space)).join(`,${space}`)}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const properties = Object.entries(value).map(
    ([key, one]) => `${JSON.stringify(key)}:${space}${flatJson(one, space)}`,
  );
  return `{${properties.join(`,${space}`)}}`;
}
