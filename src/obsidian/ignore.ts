/** Which files and folders are ignored (docs: obsidian). */
import { baseName, isMarkdown, type VaultPath } from "../storage/path.js";

interface IgnoreSettings {
  readonly templateFolders: readonly VaultPath[];
  readonly ignoreFilters: readonly IgnoreFilter[];
}

const CONFLICT_COPY = /\.sync-conflict-|\([^()]*conflicted copy[^()]*\)/iu;

/** Excludes `node_modules` and conflict copies. @param isWanted default: notes */
export function isListed(
  path: VaultPath,
  kind: "file" | "folder",
  isWanted: (path: VaultPath) => boolean = isNote,
): boolean {
  if (kind === "folder") return !path.endsWith("node_modules") || baseName(path) !== "node_modules";
  return isWanted(path) && !isConflictCopy(path);
}

export function isNote(path: VaultPath): boolean {
  // Nearly all notes pass here.
  return path.endsWith(".md") || isMarkdown(path);
}

/** Next to the real file. */
export function isConflictCopy(path: VaultPath): boolean {
  // Nearly no path passes here.
  return path.includes("onflict") && CONFLICT_COPY.test(baseName(path));
}

/** In a folder of the settings, or `Templates`; `{{...}}` elsewhere is text. */
export function isTemplate(path: VaultPath, { templateFolders }: Pick<IgnoreSettings, "templateFolders">): boolean {
  return templateFolders.some((folder) => path.startsWith(`${folder}/`)) || /(?:^|\/)templates\//i.test(path);
}

/** Hides templates and excluded notes. */
export class IgnoreRules {
  readonly #settings: IgnoreSettings;

  constructor(settings: IgnoreSettings) {
    this.#settings = settings;
  }

  ignores(path: VaultPath): boolean {
    return isTemplate(path, this.#settings) || this.#settings.ignoreFilters.some((filter) => filter.excludes(path));
  }
}

export interface IgnoreFilter {
  readonly entry: string;
  excludes(path: string): boolean;
}

/** Others may have written longer ones. */
const MAX_PATTERN_LENGTH = 200;

/**
 * `/…/` is a regular expression (RE2), anything else a path's beginning; ignores case, as Obsidian. Undefined if not
 * understood.
 */
export async function readIgnoreFilter(entry: string): Promise<IgnoreFilter | undefined> {
  if (entry.length > 2 && entry.startsWith("/") && entry.endsWith("/")) return readPattern(entry);
  const beginning = entry.replace(/^\//u, "").toLowerCase();
  return beginning === "" ? undefined : { entry, excludes: (path) => path.toLowerCase().startsWith(beginning) };
}

async function readPattern(entry: string): Promise<IgnoreFilter | undefined> {
  const pattern = entry.slice(1, -1);
  if (pattern.length > MAX_PATTERN_LENGTH) return undefined;
  const { RE2JS } = await import("re2js");
  try {
    const expression = RE2JS.compile(RE2JS.translateRegExp(pattern), RE2JS.CASE_INSENSITIVE);
    return { entry, excludes: (path) => expression.matcher(path).find() };
  } catch {
    return undefined;
  }
}
