/** Which files and folders of a vault are ignored (docs: obsidian, "Where not to look"). */
import { baseName, isMarkdown, type VaultPath } from "../storage/path.js";

/** The settings that decide. */
interface IgnoreSettings {
  readonly templateFolders: readonly VaultPath[];
  readonly ignoreFilters: readonly IgnoreFilter[];
}

const CONFLICT_COPY = /\.sync-conflict-|\([^()]*conflicted copy[^()]*\)/iu;

/**
 * What a sweep of the vault lists: notes, except what no one ever means (`node_modules`, conflict copies of sync tools).
 * Hidden files and folders are left out by the storage itself.
 * @param isWanted which files are listed; default: notes
 */
export function isListed(
  path: VaultPath,
  kind: "file" | "folder",
  isWanted: (path: VaultPath) => boolean = isNote,
): boolean {
  if (kind === "folder") return !path.endsWith("node_modules") || baseName(path) !== "node_modules";
  return isWanted(path) && !isConflictCopy(path);
}

/** Whether a file is a note. */
export function isNote(path: VaultPath): boolean {
  // Nearly all notes are spelled like this, which is a cheap test.
  return path.endsWith(".md") || isMarkdown(path);
}

/** Whether this is a copy that a sync tool made beside the real file. */
export function isConflictCopy(path: VaultPath): boolean {
  // Nearly no path holds the word, which is a cheap test.
  return path.includes("onflict") && CONFLICT_COPY.test(baseName(path));
}

/**
 * Whether a file is a template: it is in a template folder of the settings or in a folder named Templates. What it holds does not count:
 * `{{...}}` in a note elsewhere is text.
 */
export function isTemplate(path: VaultPath, { templateFolders }: Pick<IgnoreSettings, "templateFolders">): boolean {
  return templateFolders.some((folder) => path.startsWith(`${folder}/`)) || /(?:^|\/)templates\//i.test(path);
}

/** Notes that are listed but kept out of every answer: those in the templates folders and those the user excluded in Obsidian. */
export class IgnoreRules {
  readonly #settings: IgnoreSettings;

  constructor(settings: IgnoreSettings) {
    this.#settings = settings;
  }

  ignores(path: VaultPath): boolean {
    return isTemplate(path, this.#settings) || this.#settings.ignoreFilters.some((filter) => filter.excludes(path));
  }
}

/** One of Obsidian's "Excluded files". */
export interface IgnoreFilter {
  /** As the settings have it. */
  readonly entry: string;
  excludes(path: string): boolean;
}

/** A longer expression is not understood: somebody else may have written the vault's settings. */
const MAX_PATTERN_LENGTH = 200;

/**
 * Reads one entry of `userIgnoreFilters`: text between slashes is a regular expression, all else the beginning of a path; case does
 * not count, as in Obsidian. Expressions run in RE2's engine, which takes linear time whatever they are. Undefined when the entry is
 * empty or an expression that is not understood.
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
