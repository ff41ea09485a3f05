/**
 * A canvas as text: groups with their cards in reading order, then arrows (JSON Canvas 1.0,
 * jsoncanvas.org).
 */
import { baseName, type VaultPath } from "../storage/path.js";
import { counted } from "../text/sentences.js";

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

/** Characters of a card's name in an arrow. */
const MAX_NAME_LENGTH = 60;

/** Undefined when the text is no canvas. */
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
  const whole =
    type === "group" ? textOf(label) : type === "file" ? baseName(textOf(file) as VaultPath) : contentOf(node);
  const [first = ""] = whole.split(/\r\n?|\n/);
  return first.length > MAX_NAME_LENGTH ? `${first.slice(0, MAX_NAME_LENGTH - 1)}…` : first;
}

function arrowLine({ fromNode, toNode, label }: CanvasEdge, names: ReadonlyMap<string, string>): string {
  const [from, to] = [fromNode, toNode].map((id) => names.get(String(id)) ?? "(missing)");
  return `${from} → ${to}${textOf(label) === "" ? "" : `: ${oneLine(textOf(label))}`}`;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, "").trim() || "{}");
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Empty for anything else than a list. */
export function objectsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
