/** The note of a day: where Obsidian's daily-notes settings put it, and what a new one holds. */
import type { LocalDate } from "../clock.js";
import type { DailyNoteSettings } from "../index/settings.js";
import { isMarkdown, joinPath, type PathRules, vaultPath, type VaultPath } from "../storage/path.js";
import type { Vault } from "../vault/vault.js";
import { formatMoment } from "./moment-format.js";
import { fillTemplate, type FilledTemplate } from "./templates.js";

const NOON = "T12:00:00Z";

/**
 * The path of a day's note, there or not.
 * @param settings of the vault, as `settings().dailyNotes` tells them
 * @throws VaultError INVALID_ARGUMENT when the settings make no path of it
 */
export async function dailyNotePath(
  day: LocalDate,
  { folder, format }: DailyNoteSettings,
  rules: PathRules,
): Promise<VaultPath> {
  const name = await formatMoment(Date.parse(`${day}${NOON}`), format, "UTC");
  return vaultPath(joinPath(folder, `${name}.md`), rules);
}

/** What a new daily note holds: its template filled in, or nothing. */
export async function newDailyNote(vault: Vault, path: VaultPath): Promise<FilledTemplate> {
  const { template } = (await vault.settings()).dailyNotes;
  if (template === undefined) return { text: "", unfilled: [] };
  const file = isMarkdown(template) ? template : vaultPath(`${template}.md`, { allowHidden: true });
  const name = path.slice(path.lastIndexOf("/") + 1, -".md".length);
  return fillTemplate((await vault.read(file)).text, name, vault);
}
