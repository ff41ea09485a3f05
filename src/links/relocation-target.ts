/** Chooses the new target of a link after a move, in the style of the old one. */
import { baseName, foldName, folderOf, isMarkdown, ROOT, type VaultPath } from "../storage/path.js";
import type { VaultSettings } from "../index/settings.js";
import { resolveLink, stemOf, type FileNames } from "./resolver.js";

/** A file before and after a move; both equal for one that stays. */
export interface LinkPlace {
  readonly before: VaultPath;
  readonly after: VaultPath;
}

export type LinkFormat = VaultSettings["newLinkFormat"];

/** Other settings of the rewriting. */
export interface Manner {
  readonly format: LinkFormat;
  /** Whether something moves back: then links that the earlier move did not change are right again. */
  readonly isReturn: boolean;
}

/** A link's target and form. */
export interface LinkToRewrite {
  readonly target: string;
  readonly form: "wikilink" | "markdown";
}

type Style = "bare" | "rooted" | "relative" | "absolute";

/**
 * The target for a link in `note` that had `written` and must lead to `file`; undefined when no target does. A bare name stays
 * one if it is unique in the vault, otherwise it becomes a path in the style of `newLinkFormat`. Paths stay relative, rooted
 * (`/a/b`) or counted from the vault's root. An extension stays present or absent.
 */
export function newTarget(
  written: LinkToRewrite,
  note: LinkPlace,
  file: LinkPlace,
  after: FileNames,
  format: LinkFormat,
): string | undefined {
  const style = styleOf(written, note.before, file.before, format);
  const bears = bearsExtension(written.target, file.before) || !isMarkdown(file.after);
  const texts = [bears, !bears].flatMap((withExtension) =>
    textsIn(style, written.target, note.after, file.after, withExtension, format, after),
  );
  return texts.find((text) => resolveLink(text, note.after, after) === file.after);
}

/**
 * Whether a link was a valid relative path and is not one after the move. Obsidian may still find the file by the end of its
 * path; other programs do not.
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
  // Other programs read Markdown links as relative paths. If that is Obsidian's format too, wikilinks are also read so.
  const mayBeRelative = form === "markdown" || format === "relative";
  const isRelative = mayBeRelative && says(target, relativePath(note, file, false));
  if (!target.includes("/")) return isRelative && format === "relative" ? "relative" : "bare";
  // At the vault's root both are the same.
  return isRelative && (format === "relative" || !says(target, file)) ? "relative" : "absolute";
}

/** Whether a link's text is a path, with or without `.md`. */
function says(target: string, path: string): boolean {
  const said = foldName(target);
  return said === foldName(path) || said === foldName(withoutExtension(path));
}

/** Whether the link contains its file's extension; `[[v1.2]]` does not contain that of `v1.2.md`. */
function bearsExtension(written: string, file: VaultPath): boolean {
  const name = written.slice(written.lastIndexOf("/") + 1);
  return foldName(name.trim()) === foldName(baseName(file));
}

function withoutExtension(path: string): string {
  return isMarkdown(path as VaultPath) ? path.slice(0, -".md".length) : path;
}

/** The path from a note's folder. @param dotted begin a path within that folder with `./` */
function relativePath(from: VaultPath, to: string, dotted: boolean): string {
  const here = folderOf(from) === ROOT ? [] : folderOf(from).split("/");
  const there = to.split("/");
  let common = 0;
  while (common < here.length && common < there.length - 1 && here[common] === there[common]) common += 1;
  const up = here.length - common;
  const path = [...here.slice(common).map(() => ".."), ...there.slice(common)].join("/");
  return dotted && up === 0 ? `./${path}` : path;
}
