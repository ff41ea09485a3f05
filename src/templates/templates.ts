/**
 * Finds templates, and fills them in as Obsidian's core plugin does. Runs no code in
 * them.
 */
import { isTemplate } from "../obsidian/ignore.js";
import { VaultError } from "../errors.js";
import { nearest } from "../text/nearest.js";
import { formatMoment } from "./moment-format.js";
import { fileTitle, foldName, type VaultPath } from "../storage/path.js";
import type { Vault } from "../vault/vault.js";

const MAX_UNFILLED = 20;
const MAX_NEAREST = 5;

/**
 * @param name path or name @throws INVALID_ARGUMENT without templates, FILE_NOT_FOUND with near names, else all, AMBIGUOUS_NAME
 */
export async function findTemplate(vault: Vault, name: string): Promise<VaultPath> {
  const settings = await vault.settings();
  const view = await vault.index.refresh({ rows: [] });
  const templates = view.paths("note = 1 AND hidden = 1 ORDER BY path").filter((path) => isTemplate(path, settings));
  if (templates.length === 0)
    throw new VaultError("INVALID_ARGUMENT", "The vault has no templates.", {
      hint: "Set a templates folder in Obsidian (Settings, Templates), or give the whole text as content.",
    });
  const wanted = key(name.trim().replace(/^\//, "").normalize("NFC"));
  const folders = [...settings.templateFolders, "templates"].map((folder) => foldName(folder));
  const isBelow = (path: VaultPath): boolean =>
    folders.some((folder) => `/${key(path)}`.endsWith(`/${folder}/${wanted}`));
  const isNamed = (path: VaultPath): boolean => `/${key(path)}`.endsWith(`/${wanted}`);
  for (const test of [(path: VaultPath) => key(path) === wanted, isBelow, isNamed]) {
    const [found, ...others] = templates.filter(test);
    if (found === undefined) continue;
    if (others.length === 0) return found;
    throw new VaultError("AMBIGUOUS_NAME", "Several templates bear that name:", {
      candidates: [found, ...others].slice(0, MAX_UNFILLED).map(candidate),
      hint: "Give the path of the one you mean.",
    });
  }
  const near = nearest(name, [...new Set(templates.map(fileTitle))], MAX_NEAREST);
  throw new VaultError("FILE_NOT_FOUND", "There is no such template in the vault's templates folders.", {
    candidates: templates
      .filter((path) => near.length === 0 || near.includes(fileTitle(path)))
      .slice(0, MAX_UNFILLED)
      .map(candidate),
    hint: "Templates are the notes in the template folders of Obsidian's settings and in folders named Templates.",
  });
}

export interface FilledTemplate {
  readonly text: string;
  readonly unfilled: readonly string[];
  /** The settings name a missing one: the note is empty. */
  readonly missing?: VaultPath | undefined;
}

export function templateRemarks({ unfilled, missing }: Omit<FilledTemplate, "text">): readonly string[] {
  return [
    ...(missing === undefined ? [] : [`The template '${missing}' of the settings is missing: the note began empty.`]),
    ...(unfilled.length === 0 ? [] : [`Left as they are, from the template: ${unfilled.join(", ")}.`]),
  ];
}

const PLACEHOLDER = /\{\{[ \t]{0,9}(?:(title)|(date|time)(?:[ \t]{0,9}:([^{}\n]{0,200}))?)[ \t]{0,9}\}\}/gi;

/** Dates accept a moment.js format after a colon. */
export async function fillTemplate(
  template: string,
  title: string,
  vault: Pick<Vault, "clock" | "settings">,
): Promise<FilledTemplate> {
  const { templateDateFormat, templateTimeFormat, periodicNotes } = await vault.settings();
  const now = vault.clock.now();
  const texts = new Map<string, string>();
  for (const [placeholder, isTitle, kind, format] of template.matchAll(PLACEHOLDER)) {
    if (texts.has(placeholder)) continue;
    const usual = kind?.toLowerCase() === "date" ? templateDateFormat : templateTimeFormat;
    const filled =
      isTitle === undefined
        ? await formatMoment(now, format?.trim() || usual, vault.clock.timeZone, periodicNotes)
        : title;
    texts.set(placeholder, filled);
  }
  const text = template.replace(PLACEHOLDER, (placeholder) => texts.get(placeholder) ?? placeholder);
  return { text, unfilled: unfilledIn(template, text) };
}

export function unfilledIn(template: string, text: string): readonly string[] {
  const left = [...template.matchAll(/\{\{[^{}\n]{1,200}\}\}|<%[^%]{0,200}%>/g)].map(([placeholder]) => placeholder);
  return [...new Set(left)].filter((placeholder) => text.includes(placeholder)).slice(0, MAX_UNFILLED);
}

function key(path: string): string {
  return foldName(path.replace(/\.md$/i, ""));
}

function candidate(path: VaultPath) {
  return { id: path, title: fileTitle(path), path };
}
