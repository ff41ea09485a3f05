/** Templates: found in the vault's templates folders by name and filled in as Obsidian's own plugin does; nothing in them is run. */
import { VaultError } from "../errors.js";
import { nearest } from "../text/nearest.js";
import { formatMoment } from "./moment-format.js";
import { baseName, foldName, isMarkdown, type VaultPath } from "../storage/path.js";
import type { Vault } from "../vault/vault.js";

/** Folders that are looked into at the most. */
const MOST_FOLDERS = 1000;
const MOST_UNFILLED = 20;
const MOST_NEAREST = 5;

/**
 * The template a caller names by its path or its name, `.md` optional.
 * @throws VaultError INVALID_ARGUMENT when the vault has no templates folder, FILE_NOT_FOUND with the nearest names, AMBIGUOUS_NAME
 */
export async function findTemplate(vault: Vault, name: string): Promise<VaultPath> {
  const { templateFolders } = await vault.settings();
  if (templateFolders.length === 0)
    throw new VaultError("INVALID_ARGUMENT", "The vault has no templates folder.", {
      hint: "Set one in Obsidian (Settings, Templates), or give the whole text as content.",
    });
  const wanted = key(name.trim().replace(/^\//, "").normalize("NFC"));
  const templates = await templatesIn(vault, templateFolders);
  const below = (path: VaultPath): string[] =>
    templateFolders
      .filter((folder) => path.startsWith(`${folder}/`))
      .map((folder) => key(path.slice(folder.length + 1)));
  for (const test of [
    (path: VaultPath) => key(path) === wanted,
    (path: VaultPath) => below(path).includes(wanted),
    (path: VaultPath) => key(baseName(path)) === wanted,
  ]) {
    const [found, ...others] = templates.filter(test);
    if (found === undefined) continue;
    if (others.length === 0) return found;
    throw new VaultError("AMBIGUOUS_NAME", "Several templates bear that name:", {
      candidates: [found, ...others].slice(0, MOST_UNFILLED).map(candidate),
      hint: "Give the path of the one you mean.",
    });
  }
  const near = nearest(name, [...new Set(templates.map(titleOf))], MOST_NEAREST);
  throw new VaultError("FILE_NOT_FOUND", "There is no such template in the vault's templates folders.", {
    candidates: templates
      .filter((path) => near.includes(titleOf(path)))
      .slice(0, MOST_NEAREST)
      .map(candidate),
    hint: `Templates are the notes in ${templateFolders.map((folder) => `'${folder}'`).join(" and ")}.`,
  });
}

export interface FilledTemplate {
  readonly text: string;
  /** Placeholders that stay because nothing is known for them; those of Templater always do. */
  readonly unfilled: readonly string[];
}

const PLACEHOLDER = /\{\{[ \t]{0,9}(?:(title)|(date|time)(?:[ \t]{0,9}:([^{}\n]{0,200}))?)[ \t]{0,9}\}\}/gi;

/** Fills in `{{title}}`, `{{date}}` and `{{time}}`, the latter two with an optional moment.js format behind a colon. */
export async function fillTemplate(
  template: string,
  title: string,
  vault: Pick<Vault, "clock" | "settings">,
): Promise<FilledTemplate> {
  const { templateDateFormat, templateTimeFormat } = await vault.settings();
  const now = vault.clock.now();
  const texts = new Map<string, string>();
  for (const [placeholder, isTitle, kind, format] of template.matchAll(PLACEHOLDER)) {
    if (texts.has(placeholder)) continue;
    const usual = kind?.toLowerCase() === "date" ? templateDateFormat : templateTimeFormat;
    const filled =
      isTitle === undefined ? await formatMoment(now, format?.trim() || usual, vault.clock.timeZone) : title;
    texts.set(placeholder, filled);
  }
  const text = template.replace(PLACEHOLDER, (placeholder) => texts.get(placeholder) ?? placeholder);
  const left = [...template.matchAll(/\{\{[^{}\n]{1,200}\}\}|<%[^%]{0,200}%>/g)].map(([placeholder]) => placeholder);
  const unfilled = [...new Set(left)].filter((placeholder) => text.includes(placeholder));
  return { text, unfilled: unfilled.slice(0, MOST_UNFILLED) };
}

async function templatesIn(vault: Vault, folders: readonly VaultPath[]): Promise<VaultPath[]> {
  const templates: VaultPath[] = [];
  const queue = [...folders];
  for (let looked = 0; looked < Math.min(queue.length, MOST_FOLDERS); looked++) {
    const folder = queue[looked];
    if (folder === undefined) break;
    for (const { path, kind } of (await vault.children(folder)) ?? []) {
      if (kind === "folder" && !queue.includes(path)) queue.push(path);
      if (kind === "file" && isMarkdown(path) && !templates.includes(path)) templates.push(path);
    }
  }
  return templates.sort();
}

function key(path: string): string {
  return foldName(path.replace(/\.md$/i, ""));
}

function titleOf(path: VaultPath): string {
  return baseName(path).slice(0, -".md".length);
}

function candidate(path: VaultPath) {
  return { id: path, title: titleOf(path), path };
}
