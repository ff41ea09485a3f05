/** Where saved views are: base files, `base` and `tasks` blocks, and embeds of base files. */
import { scanBlocks } from "../markdown/blocks.js";
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { scanLinks } from "../markdown/visit-note.js";
import { extensionOf, type VaultPath } from "../storage/path.js";

export const isBase = (path: VaultPath): boolean => extensionOf(path) === ".base";

/** A block of code, or an embed of a base file. */
export interface ViewBlock {
  readonly kind: "base" | "tasks" | "embed";
  /** In the note, from 1. */
  readonly number: number;
  readonly heading: string | undefined;
  /** Line of the block's content, or of the embed, from 1. */
  readonly line: number;
  /** The line after which its answer can be inserted. */
  readonly lastLine: number;
  /** Of an embed: the base file as written. */
  readonly text: string;
  /** The one that an embed names. */
  readonly view: string | undefined;
}

const FENCE = /^((?:[ \t]*>)*[ \t]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?)(`{3,}|~{3,})[ \t]*([^\s`]*)/;

export function viewBlocks(text: string): readonly ViewBlock[] {
  const parts = splitNote(text);
  const headings: { readonly line: number; readonly text: string }[] = [];
  scanBlocks(text, parts.bodyStart, {
    heading: (found) => {
      headings.push({ line: lineAt(text, found.start), text: found.text });
      return false;
    },
  });
  const embeds = scanLinks(text, parts).flatMap(({ embed, property, target, subpath, line }) =>
    embed && property === undefined && /\.base$/i.test(target)
      ? [{ kind: "embed" as const, line, lastLine: line, text: target, view: subpath.slice(1) || undefined }]
      : [],
  );
  const blocks = [...embeds, ...codeBlocks(text.split("\n"), lineAt(text, parts.bodyStart))].sort(
    (a, b) => a.line - b.line,
  );
  return blocks.map((block, at) =>
    Object.assign(block, { number: at + 1, heading: headings.findLast(({ line }) => line <= block.line)?.text }),
  );
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

function* codeBlocks(lines: readonly string[], firstLine: number): Generator<Omit<ViewBlock, "number" | "heading">> {
  for (let at = firstLine - 1; at < lines.length; at++) {
    const [, before = "", fence = "", language = ""] = FENCE.exec(lines[at] ?? "") ?? [];
    if (fence === "") continue;
    const first = at + 1;
    const quotes = before.replace(/[^>]/g, "").length;
    const content: string[] = [];
    for (at = first; at < lines.length; at++) {
      const line = (lines[at] ?? "").replace(new RegExp(`^(?:[ \\t]*>){0,${quotes}}`), "").replace(/\r$/, "");
      const closing = line.trim();
      if (closing.startsWith(fence) && closing === fence.charAt(0).repeat(closing.length)) break;
      content.push(line.replace(quotes > 0 ? /^ / : "", ""));
    }
    const kind = language.toLowerCase();
    if (kind === "base" || kind === "tasks")
      yield {
        kind,
        line: first + 1,
        lastLine: Math.min(at + 1, lines.length),
        text: dedented(content),
        view: undefined,
      };
  }
}

/** Of a block inside a list. */
function dedented(lines: readonly string[]): string {
  const filled = lines.filter((line) => line.trim() !== "");
  const indents = filled.map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const common = indents.length === 0 ? 0 : Math.min(...indents);
  return lines.map((line) => line.slice(common)).join("\n");
}
