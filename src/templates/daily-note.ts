/** Daily notes: their path by Obsidian's daily-notes settings, and the text of a new one. */
import type { LocalDate } from "../clock.js";
import type { DailyNoteSettings } from "../index/settings.js";
import { isMarkdown, joinPath, type PathRules, vaultPath, type VaultPath } from "../storage/path.js";
import type { Vault } from "../vault/vault.js";
import { formatMoment } from "./moment-format.js";
import { fillTemplate, type FilledTemplate } from "./templates.js";

const NOON = "T12:00:00Z";

/**
 * The path of a day's note, whether the note exists or not. @throws VaultError INVALID_ARGUMENT when the settings give
 * no valid path
 */
export async function dailyNotePath(
  day: LocalDate,
  { folder, format }: DailyNoteSettings,
  rules: PathRules,
): Promise<VaultPath> {
  const name = await formatMoment(Date.parse(`${day}${NOON}`), format, "UTC");
  return vaultPath(joinPath(folder, `${name}.md`), rules);
}

/** The text of a new daily note: its template filled in, or nothing. */
export async function newDailyNote(vault: Vault, path: VaultPath): Promise<FilledTemplate> {
  const { template } = (await vault.settings()).dailyNotes;
  if (template === undefined) return { text: "", unfilled: [] };
  const file = isMarkdown(template) ? template : vaultPath(`${template}.md`, { allowHidden: true });
  const name = path.slice(path.lastIndexOf("/") + 1, -".md".length);
  return fillTemplate((await vault.read(file)).text, name, vault);
}
