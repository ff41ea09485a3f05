/** Rewrites a file's links, in their old style, so that a move does not change their destinations. Pure. */
import { changeLinks, type RewrittenLinks, targetsIn, type WrittenTarget } from "../markdown/links/retarget.js";
import {
  baseName,
  extensionOf,
  folderOf,
  foldName,
  isMarkdown,
  ROOT,
  stemOf,
  type VaultPath,
} from "../storage/path.js";
import { type FileNames, askedOnce, renamed, resolveLink, stemsOf } from "./resolver.js";
import type { Link, LinkGraph } from "./api.js";
import type { VaultSettings } from "../obsidian/settings.js";

export interface EarlierLinks {
  readonly now: string;
  readonly before: string;
}

/** The text before an earlier move, if its links lead where the current ones do. */
export function restoredLinks(
  text: string,
  earlier: EarlierLinks | undefined,
  note: LinkPlace,
  names: MovedNames,
): RewrittenLinks | undefined {
  if (earlier?.now !== text) return undefined;
  const isCanvas = extensionOf(note.before) === ".canvas";
  const [now, before] = [targetsIn(earlier.now, isCanvas), targetsIn(earlier.before, isCanvas)];
  const leadsThere = now.every((link, index) => {
    const led = resolveLink(link.target, note.before, names.before);
    const leads = resolveLink(before[index]?.target ?? "", note.after, names.after);
    return leads === (led && linkPlace(led, names).after);
  });
  if (now.length !== before.length || !leadsThere) return undefined;
  const links = now.filter(({ target }, index) => target !== before[index]?.target).length;
  return { text: earlier.before, links, refused: [] };
}

const NOWHERE = "no text leads there from here";

export function rewriteLinks(text: string, note: LinkPlace, names: MovedNames, rules: RewriteRules): RewrittenLinks {
  return changeLinks(text, extensionOf(note.before) === ".canvas", (link) => {
    const file = lostFile(link, note, names, rules);
    if (file === undefined) return undefined;
    const target = link.isPath ? file.after : newTarget(link, note, file, names.after, rules.format);
    if (target === link.target) return undefined;
    return target === undefined ? NOWHERE : { target };
  });
}

/** Undefined when the link still leads there, or was broken before. */
function lostFile(
  written: LinkToRewrite,
  note: LinkPlace,
  names: MovedNames,
  rules: RewriteRules,
): LinkPlace | undefined {
  const { target } = written;
  if (target === "" || (note.before === note.after && !concerns(names, target))) return undefined;
  const before = resolveLink(target, note.before, names.before);
  if (before === undefined) return undefined;
  const file = linkPlace(before, names);
  // Obsidian finds a canvas's files by exact path.
  if (written.isPath && target === `/${file.before}` && file.before !== file.after) return file;
  const isFound = resolveLink(target, note.after, names.after) === file.after;
  return isFound && (rules.isReturn || !losesItsWay(written, note, file, rules.format)) ? undefined : file;
}

export function linkPlace(before: VaultPath, names: MovedNames): LinkPlace {
  return { before, after: names.moves.get(before) ?? before };
}

/**
 * Files whose links may break, by old path, sorted. Only links in moved files, and to names added or removed, can
 * break.
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
  const isPath = extensionOf(from) === ".canvas";
  return lostFile({ target, form: "markdown", isPath }, linkPlace(from, names), names, rules) !== undefined;
}

export interface LinkPlace {
  readonly before: VaultPath;
  readonly after: VaultPath;
}

type LinkFormat = VaultSettings["newLinkFormat"];

export interface RewriteRules {
  readonly format: LinkFormat;
  /** The move reverses an earlier one, so unchanged links are right again. */
  readonly isReturn: boolean;
}

type LinkToRewrite = Pick<WrittenTarget, "target" | "form" | "isPath">;

type Style = "bare" | "rooted" | "relative" | "absolute";

/** Undefined when no target leads to `file`. A bare name stays if unique, else becomes a path in the style of `newLinkFormat`. Paths stay relative, rooted (`/a/b`) or absolute, with or without extension. */
function newTarget(
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

/** A relative path breaks: Obsidian may find the file by the path's end; other programs do not. */
function losesItsWay(written: LinkToRewrite, note: LinkPlace, file: LinkPlace, format: LinkFormat): boolean {
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
  return style === "bare" && isUnique ? [baseName(absolute), ...paths] : paths;
}

function styleOf({ target, form }: LinkToRewrite, note: VaultPath, file: VaultPath, format: LinkFormat): Style {
  if (target.startsWith("/")) return "rooted";
  if (/^\.\.?\//.test(target)) return "relative";
  // Other programs read Markdown links as relative. With Obsidian's relative format, wikilinks are too.
  const mayBeRelative = form === "markdown" || format === "relative";
  const isRelative = mayBeRelative && says(target, relativePath(note, file, false));
  if (!target.includes("/")) return isRelative && format === "relative" ? "relative" : "bare";
  // At the root, relative and absolute paths are equal.
  return isRelative && (format === "relative" || !says(target, file)) ? "relative" : "absolute";
}

function says(target: string, path: string): boolean {
  const said = foldName(target);
  return said === foldName(path) || said === foldName(withoutExtension(path));
}

/** `[[v1.2]]` lacks the extension of `v1.2.md`. */
function hasExtension(written: string, file: VaultPath): boolean {
  const name = baseName(written);
  return foldName(name.trim()) === foldName(baseName(file));
}

function withoutExtension(path: string): string {
  return isMarkdown(path as VaultPath) ? path.slice(0, -".md".length) : path;
}

/** @param dotted prefix a path within the folder with `./` */
function relativePath(from: VaultPath, to: string, dotted: boolean): string {
  const here = folderOf(from) === ROOT ? [] : folderOf(from).split("/");
  const there = to.split("/");
  let common = 0;
  while (common < here.length && common < there.length - 1 && here[common] === there[common]) common += 1;
  const up = here.length - common;
  const path = [...here.slice(common).map(() => ".."), ...there.slice(common)].join("/");
  return dotted && up === 0 ? `./${path}` : path;
}

export type Moves = ReadonlyMap<VaultPath, VaultPath>;

/** A move affects links by a moved file's old or new name. */
export interface MovedNames {
  readonly moves: Moves;
  /** From new to old path. */
  readonly origins: Moves;
  readonly stems: ReadonlySet<string>;
  readonly before: FileNames;
  readonly after: FileNames;
}

export function namesOfPlannedMove(files: FileNames, moves: Moves): MovedNames {
  const stems = stemsIn(moves);
  const before = frozen(files, stems);
  return { moves, origins: inverse(moves), stems, before, after: renamed(before, moves) };
}

export function namesOfMadeMove(files: FileNames, moves: Moves): MovedNames {
  const [stems, origins] = [stemsIn(moves), inverse(moves)];
  const after = frozen(files, stems);
  return { moves, origins, stems, before: renamed(after, origins), after };
}

const concerns = ({ stems }: MovedNames, target: string): boolean => stemsOf(target).some((stem) => stems.has(stem));

function stemsIn(moves: Moves): ReadonlySet<string> {
  const stems = new Set<string>();
  for (const pair of moves)
    for (const path of pair) {
      const stem = stemOf(baseName(path));
      // `[[a.md]]` may lead to `a.md`, else to `a.md.md`.
      stems.add(stem).add(`${stem}.md`);
    }
  return stems;
}

/** Planning looks up each name that rewriting needs. */
function frozen(files: FileNames, stems: ReadonlySet<string>): FileNames {
  const names = askedOnce(files);
  for (const stem of stems) names.named(stem);
  return names;
}

function inverse(moves: Moves): Moves {
  return new Map([...moves].map(([from, to]) => [to, from]));
}
