/**
 * A canvas as text: groups with cards in reading order, then arrows (JSON Canvas 1.0). An
 * Excalidraw drawing as text: its texts, links and number of shapes.
 */
import { isRecord, parseJson } from "../text/decoded.js";
import { baseName } from "../storage/path.js";
import { counted } from "../text/wording.js";

interface CanvasNode {
  readonly id?: unknown;
  readonly type?: unknown;
  readonly text?: unknown;
  readonly file?: unknown;
  readonly subpath?: unknown;
  readonly url?: unknown;
  readonly label?: unknown;
  readonly x?: unknown;
  readonly y?: unknown;
  readonly width?: unknown;
  readonly height?: unknown;
}

interface CanvasEdge {
  readonly fromNode?: unknown;
  readonly toNode?: unknown;
  readonly label?: unknown;
}

interface Card {
  readonly node: CanvasNode;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Characters. */
const MAX_NAME_LENGTH = 60;

export function canvasLines(text: string): readonly string[] | undefined {
  const canvas = parseObject(text);
  if (canvas === undefined) return undefined;
  const cards = objectsIn(canvas["nodes"])
    .map(cardOf)
    .toSorted((a, b) => a.top - b.top || a.left - b.left);
  const edges = objectsIn(canvas["edges"]) as readonly CanvasEdge[];
  const groups = cards.filter(isGroup);
  const counts = [
    counted(cards.length - groups.length, "card"),
    counted(groups.length, "group"),
    counted(edges.length, "arrow"),
  ];
  const inside = new Map<Card | undefined, Card[]>();
  for (const card of cards) {
    const group = groupAround(card, groups);
    inside.set(group, [...(inside.get(group) ?? []), card]);
  }
  const names = new Map(cards.map(({ node }) => [String(node.id), nameOf(node)]));
  return [
    `Canvas: ${counts.join(", ")}.`,
    ...linesOfCards(undefined, inside, ""),
    ...edges.map((edge) => arrowLine(edge, names)),
  ];
}

function linesOfCards(
  group: Card | undefined,
  inside: ReadonlyMap<Card | undefined, readonly Card[]>,
  indent: string,
): string[] {
  const lines: string[] = [];
  for (const card of inside.get(group) ?? [])
    if (isGroup(card)) {
      lines.push(`${indent}Group: ${oneLine(textOf(card.node.label)) || "(no name)"}`);
      lines.push(...linesOfCards(card, inside, `${indent}  `));
    } else {
      const [first = "", ...more] = contentOf(card.node).split(/\r\n?|\n/);
      lines.push(`${indent}- ${first}`, ...more.map((line) => `${indent}  ${line}`.trimEnd()));
    }
  return lines;
}

/** The smallest around the card's middle. */
function groupAround(card: Card, groups: readonly Card[]): Card | undefined {
  const [x, y] = [card.left + card.width / 2, card.top + card.height / 2];
  const around = groups.filter(
    (group) =>
      group !== card &&
      areaOf(group) > areaOf(card) &&
      x >= group.left &&
      x <= group.left + group.width &&
      y >= group.top &&
      y <= group.top + group.height,
  );
  return around.toSorted((a, b) => areaOf(a) - areaOf(b))[0];
}

function cardOf(node: CanvasNode): Card {
  const [left, top, width, height] = [node.x, node.y, node.width, node.height].map((value) =>
    typeof value === "number" ? value : 0,
  ) as [number, number, number, number];
  return { node, left, top, width, height };
}

const areaOf = ({ width, height }: Card): number => width * height;
const isGroup = ({ node }: Card): boolean => node.type === "group";

function contentOf({ type, text, file, subpath, url }: CanvasNode): string {
  if (type === "file") return `${textOf(file)}${textOf(subpath)}`;
  return (type === "link" ? textOf(url) : textOf(text).trim()) || "(empty)";
}

function nameOf(node: CanvasNode): string {
  const { type, label, file } = node;
  const whole = type === "group" ? textOf(label) : type === "file" ? baseName(textOf(file)) : contentOf(node);
  const [first = ""] = whole.split(/\r\n?|\n/);
  return first.length > MAX_NAME_LENGTH ? `${first.slice(0, MAX_NAME_LENGTH - 1)}…` : first;
}

function arrowLine({ fromNode, toNode, label }: CanvasEdge, names: ReadonlyMap<string, string>): string {
  const [from, to] = [fromNode, toNode].map((id) => names.get(String(id)) ?? "(missing)");
  return `${from} → ${to}${textOf(label) === "" ? "" : `: ${oneLine(textOf(label))}`}`;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text.replace(/^\ufeff/, "").trim() || "{}");
  return isRecord(value) ? value : undefined;
}

function objectsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

const SECTION = /^#{1,2} (Text Elements|Element Links|Embedded Files|Embedded files|Drawing)[ \t]*$/m;
/** The plugin compresses drawings by default. */
const FENCE = /^```(json|compressed-json)\r?\n([^]*?)\r?\n```/m;
const BLOCK_ID = / \^[\w-]+$/gm;

/** Undefined without a drawing. */
export function drawingLines(text: string): readonly string[] | undefined {
  const scene = parseObject(text);
  if (scene !== undefined) return described(sceneOf(scene["elements"]));
  const sections = sectionsOf(text);
  const [, form, json = ""] = FENCE.exec(text) ?? [];
  const drawn = form === "json" ? parseObject(json) : undefined;
  if (drawn === undefined && sections.size === 0) return undefined;
  const read = drawn === undefined ? undefined : sceneOf(drawn["elements"]);
  return described({
    texts: read?.texts ?? (sections.get("text elements") ?? "").replace(BLOCK_ID, "").split(/\n{2,}/),
    links: [...(read?.links ?? linesIn(sections.get("element links"))), ...linesIn(sections.get("embedded files"))].map(
      (line) => line.replace(/^\w+: /, ""),
    ),
    shapes: read?.shapes,
  });
}

interface Scene {
  readonly texts: readonly string[];
  readonly links: readonly string[];
  readonly shapes: number | undefined;
}

function sceneOf(elements: unknown): Scene {
  const shown = objectsIn(elements).filter(({ isDeleted }) => isDeleted !== true);
  const number = (value: unknown): number => (typeof value === "number" ? value : 0);
  const inOrder = shown.toSorted((a, b) => number(a["y"]) - number(b["y"]) || number(a["x"]) - number(b["x"]));
  const texts = inOrder.flatMap(({ type, originalText, rawText, text }) => {
    const said = [rawText, originalText, text].find((one) => typeof one === "string" && one !== "");
    return type === "text" && typeof said === "string" ? [said] : [];
  });
  return {
    texts,
    links: inOrder.flatMap(({ link }) => (typeof link === "string" && link !== "" ? [link] : [])),
    shapes: shown.filter(({ type }) => type !== "text").length,
  };
}

function described({ texts, links, shapes }: Scene): string[] {
  const said = texts.map((one) => one.trim()).filter((one) => one !== "");
  const drawn = shapes === undefined ? "its shapes are compressed and not counted" : counted(shapes, "shape");
  return [
    `Drawing: ${counted(said.length, "text")}, ${drawn}.`,
    ...said.flatMap((one) => one.split(/\r\n?|\n/).map((line, at) => `${at === 0 ? "- " : "  "}${line}`)),
    ...(links.length === 0 ? [] : ["Links:", ...[...new Set(links)].map((link) => `- ${link}`)]),
  ];
}

/** Each ends at the next heading, or at the comment that hides the drawing. */
function sectionsOf(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const [, ...parts] = text.replace(/\r\n?/g, "\n").split(new RegExp(SECTION, "gm"));
  for (let at = 0; at + 1 < parts.length; at += 2)
    found.set((parts[at] ?? "").toLowerCase(), (parts[at + 1] ?? "").split(/^%%[ \t]*$/m)[0] ?? "");
  return found;
}

const linesIn = (text = ""): string[] => text.split("\n").filter((line) => line.trim() !== "");
