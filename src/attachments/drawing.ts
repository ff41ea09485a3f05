/** An Excalidraw drawing as text: its texts and links, and the number of shapes. */
import { objectsIn, parseObject } from "./canvas.js";
import { counted } from "../text/sentences.js";

/** Sections in which the plugin stores plain text. */
const SECTION = /^#{1,2} (Text Elements|Element Links|Embedded Files|Embedded files|Drawing)[ \t]*$/m;
/** The plugin compresses drawings by default. */
const FENCE = /^```(json|compressed-json)\r?\n([^]*?)\r?\n```/m;
const BLOCK_ID = / \^[\w-]+$/gm;

/** The texts of a file `.excalidraw` or `.excalidraw.md`; undefined without a drawing. */
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
  /** Undefined when compressed. */
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

/** Each section ends at the next heading, or at the comment that hides the drawing. */
function sectionsOf(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const [, ...parts] = text.replace(/\r\n?/g, "\n").split(new RegExp(SECTION, "gm"));
  for (let at = 0; at + 1 < parts.length; at += 2)
    found.set((parts[at] ?? "").toLowerCase(), (parts[at + 1] ?? "").split(/^%%[ \t]*$/m)[0] ?? "");
  return found;
}

const linesIn = (text = ""): string[] => text.split("\n").filter((line) => line.trim() !== "");
