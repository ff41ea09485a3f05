/** Rewrites the links of a file so that each leads to the same file as before a move, in its old style. Pure. */
import { retargetCanvas } from "../markdown/links/canvas-rewrite.js";
import { canvasLinks, type CanvasLink } from "../markdown/links/canvas.js";
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { retargetLinks } from "../markdown/links/rewrite.js";
import { scanLinks } from "../markdown/links/scan.js";
import { extensionOf, type VaultPath, baseName, foldName, folderOf, isMarkdown, ROOT } from "../storage/path.js";
import { resolveLink, stemOf, type FileNames } from "./resolver.js";
import type { Link, LinkGraph } from "./links.js";
import type { MovedNames } from "./relocation-names.js";
import type { VaultSettings } from "../index/settings.js";

export interface RewrittenLinks {
  readonly text: string;
  /** Links that were rewritten. */
  readonly links: number;
  /** One sentence for each link that now leads elsewhere. */
  readonly refused: readonly string[];
}

/** A file's texts before and after an earlier move. */
export interface EarlierLinks {
  readonly now: string;
  readonly before: string;
}

/** The text before an earlier move, if every link then leads where it leads now: moving back restores every byte. */
export function restoredLinks(
  text: string,
  earlier: EarlierLinks | undefined,
  note: LinkPlace,
  names: MovedNames,
): RewrittenLinks | undefined {
  if (earlier?.now !== text) return undefined;
  const isCanvas = extensionOf(note.before) === ".canvas";
  const [now, before] = [linksOf(earlier.now, isCanvas), linksOf(earlier.before, isCanvas)];
  const leadsThere = now.every((link, index) => {
    const led = resolveLink(link.target, note.before, names.before);
    const leads = resolveLink(before[index]?.target ?? "", note.after, names.after);
    return leads === (led && linkPlace(led, names).after);
  });
  if (now.length !== before.length || !leadsThere) return undefined;
  const links = now.filter(({ target }, index) => target !== before[index]?.target).length;
  return { text: earlier.before, links, refused: [] };
}

function linksOf(text: string, isCanvas: boolean): readonly LinkToRewrite[] {
  return isCanvas ? canvasLinks(text).map(writtenIn) : scanLinks(text, splitNote(text));
}

/** In a link, a leading slash means a path from the root. */
function writtenIn({ span, target }: CanvasLink): LinkToRewrite {
  return span ?? { target: `/${target}`, form: "wikilink" };
}

const NOWHERE = "no text leads there from here";

export function rewriteLinks(text: string, note: LinkPlace, names: MovedNames, rules: RewriteRules): RewrittenLinks {
  return extensionOf(note.before) === ".canvas"
    ? rewriteCanvas(text, note, names, rules)
    : rewriteNote(text, note, names, rules);
}

/** Undefined when the link still leads to the file, or was broken before. */
export function lostFile(
  written: LinkToRewrite,
  note: LinkPlace,
  names: MovedNames,
  rules: RewriteRules,
): LinkPlace | undefined {
  const { target } = written;
  if (target === "" || (note.before === note.after && !names.touches(target))) return undefined;
  const before = resolveLink(target, note.before, names.before);
  if (before === undefined) return undefined;
  const file = linkPlace(before, names);
  const isFound = resolveLink(target, note.after, names.after) === file.after;
  return isFound && (rules.isReturn || !losesItsWay(written, note, file, rules.format)) ? undefined : file;
}

function rewriteNote(text: string, note: LinkPlace, names: MovedNames, rules: RewriteRules): RewrittenLinks {
  const broken = scanLinks(text, splitNote(text)).flatMap((span) => {
    const file = lostFile(span, note, names, rules);
    return file === undefined ? [] : [{ span, target: newTarget(span, note, file, names.after, rules.format) }];
  });
  const { helped, lost } = parted(broken);
  const outcome = retargetLinks(text, helped);
  const refused = [...lost.map(({ span }) => ({ span, reason: NOWHERE })), ...outcome.refused];
  return {
    text: outcome.text,
    links: outcome.made.length,
    refused: refused.map(({ span, reason }) => `The link in line ${span.line} stays as it is: ${reason}.`),
  };
}

function rewriteCanvas(text: string, note: LinkPlace, names: MovedNames, rules: RewriteRules): RewrittenLinks {
  const broken = canvasLinks(text).flatMap((link) => {
    const written = writtenIn(link);
    const file = lostFile(written, note, names, rules);
    if (file === undefined) return [];
    const target = link.span === undefined ? file.after : newTarget(written, note, file, names.after, rules.format);
    return [{ link, target }];
  });
  const { helped, lost } = parted(broken);
  const outcome = retargetCanvas(text, helped);
  const refused = [...lost.map(() => NOWHERE), ...outcome.refused.map(({ reason }) => reason)];
  return {
    text: outcome.text,
    links: outcome.made,
    refused: refused.map((reason) => `A link stays as it is: ${reason}.`),
  };
}

function parted<Item extends { readonly target: string | undefined }>(
  items: readonly Item[],
): { readonly helped: readonly (Item & { readonly target: string })[]; readonly lost: readonly Item[] } {
  const isHelped = (item: Item): item is Item & { readonly target: string } => item.target !== undefined;
  return { helped: items.filter(isHelped), lost: items.filter((item) => !isHelped(item)) };
}

/** @param before the old path */
export function linkPlace(before: VaultPath, names: MovedNames): LinkPlace {
  return { before, after: names.moves.get(before) ?? before };
}

/**
 * Files whose links may break, by their old paths, in order. Only links in moved files, and to names added or removed,
 * can break.
 */
export function filesToRewrite(
  graph: Pick<LinkGraph, "backlinks" | "outgoing">,
  names: MovedNames,
  rules: RewriteRules,
): readonly VaultPath[] {
  const files = new Set<VaultPath>();
  const collect = (links: readonly Link[]): void => {
    for (const link of links) if (!files.has(link.from) && mayBreak(link, names, rules)) files.add(link.from);
  };
  for (const stem of names.stems) for (const path of names.before.named(stem)) collect(graph.backlinks(path));
  for (const path of names.moves.keys()) collect(graph.outgoing(path));
  return [...files].sort();
}

function mayBreak({ from, target }: Link, names: MovedNames, rules: RewriteRules): boolean {
  return lostFile({ target, form: "markdown" }, linkPlace(from, names), names, rules) !== undefined;
}

/** A file's paths before and after a move; equal if it stays. */
export interface LinkPlace {
  readonly before: VaultPath;
  readonly after: VaultPath;
}

export type LinkFormat = VaultSettings["newLinkFormat"];

export interface RewriteRules {
  readonly format: LinkFormat;
  /** The move reverses an earlier one: links that it did not change are right again. */
  readonly isReturn: boolean;
}

export interface LinkToRewrite {
  readonly target: string;
  readonly form: "wikilink" | "markdown";
}

type Style = "bare" | "rooted" | "relative" | "absolute";

/**
 * Undefined when no target leads to `file`. A bare name stays if unique in the vault, else it becomes a path in the
 * style of `newLinkFormat`. Paths stay relative, rooted (`/a/b`) or counted from the vault's root. An extension stays
 * present or absent.
 */
export function newTarget(
  written: LinkToRewrite,
  note: LinkPlace,
  file: LinkPlace,
  after: FileNames,
  format: LinkFormat,
): string | undefined {
  const style = styleOf(written, note.before, file.before, format);
  const isWithExtension = hasExtension(written.target, file.before) || !isMarkdown(file.after);
  const texts = [isWithExtension, !isWithExtension].flatMap((withExtension) =>
    textsIn(style, written.target, note.after, file.after, withExtension, format, after),
  );
  return texts.find((text) => resolveLink(text, note.after, after) === file.after);
}

/**
 * True when the move breaks a valid relative path. Obsidian may still find the file by the path's end; other programs
 * do not.
 */
export function losesItsWay(written: LinkToRewrite, note: LinkPlace, file: LinkPlace, format: LinkFormat): boolean {
  return (
    styleOf(written, note.before, file.before, format) === "relative" &&
    !says(written.target, relativePath(note.after, file.after, written.target.startsWith("./")))
  );
}

function textsIn(
  style: Style,
  written: string,
  from: VaultPath,
  to: VaultPath,
  withExtension: boolean,
  format: LinkFormat,
  after: FileNames,
): string[] {
  const absolute = withExtension ? to : withoutExtension(to);
  const rooted = `/${absolute}`;
  const relative = relativePath(from, absolute, written.startsWith("./"));
  if (style === "rooted") return [rooted, absolute];
  if (style === "relative") return [relative, absolute, rooted];
  const paths = format === "relative" && style === "bare" ? [relative, absolute, rooted] : [absolute, rooted, relative];
  const isUnique = after.named(stemOf(baseName(to))).length <= 1;
  return style === "bare" && isUnique ? [baseName(absolute as VaultPath), ...paths] : paths;
}

function styleOf({ target, form }: LinkToRewrite, note: VaultPath, file: VaultPath, format: LinkFormat): Style {
  if (target.startsWith("/")) return "rooted";
  if (/^\.\.?\//.test(target)) return "relative";
  // Other programs read Markdown links as relative paths. With Obsidian's relative format, wikilinks are too.
  const mayBeRelative = form === "markdown" || format === "relative";
  const isRelative = mayBeRelative && says(target, relativePath(note, file, false));
  if (!target.includes("/")) return isRelative && format === "relative" ? "relative" : "bare";
  // For a note at the root, relative paths equal those from the root.
  return isRelative && (format === "relative" || !says(target, file)) ? "relative" : "absolute";
}

/** Whether the target is this path, with or without `.md`. */
function says(target: string, path: string): boolean {
  const said = foldName(target);
  return said === foldName(path) || said === foldName(withoutExtension(path));
}

/** `[[v1.2]]` lacks the extension of `v1.2.md`. */
function hasExtension(written: string, file: VaultPath): boolean {
  const name = written.slice(written.lastIndexOf("/") + 1);
  return foldName(name.trim()) === foldName(baseName(file));
}

function withoutExtension(path: string): string {
  return isMarkdown(path as VaultPath) ? path.slice(0, -".md".length) : path;
}

/** @param dotted begin a path within the folder with `./` */
function relativePath(from: VaultPath, to: string, dotted: boolean): string {
  const here = folderOf(from) === ROOT ? [] : folderOf(from).split("/");
  const there = to.split("/");
  let common = 0;
  while (common < here.length && common < there.length - 1 && here[common] === there[common]) common += 1;
  const up = here.length - common;
  const path = [...here.slice(common).map(() => ".."), ...there.slice(common)].join("/");
  return dotted && up === 0 ? `./${path}` : path;
}
