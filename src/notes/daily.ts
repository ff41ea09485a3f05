/** Which day's note a caller means, and making it: from the daily-note template, where Obsidian would put it (spec: everyday, section 3). */
import type { LocalDate } from "../clock.js";
import { parseDay } from "../dates/day-words.js";
import { toDayNumber, toLocalDate } from "../dates/day-number.js";
import { VaultError } from "../errors.js";
import { baseName, foldName, type VaultPath } from "../storage/path.js";
import { dailyNotePath } from "../templates/daily-note.js";
import type { Vault } from "../vault/vault.js";

/** A name in the vault's own format is compared with so many days on both sides of today. */
const DAYS_AROUND = 31;

export interface DailyNote {
  readonly day: LocalDate;
  readonly path: VaultPath;
}

/** The daily note that a path, a name, `daily` or a day in words means, there or not; undefined when it means none. */
export async function dailyNoteMeant(vault: Vault, reference: string): Promise<DailyNote | undefined> {
  const text = reference
    .trim()
    .replace(/^!?\[\[|\]\]$/g, "")
    .replace(/^\//, "")
    .replace(/\.md$/i, "");
  const today = vault.clock.today();
  const name = baseName(text as VaultPath);
  const isName = name === text;
  const named = parseDay(isName && /^daily(?: note)?$/i.test(name) ? today : name, today)?.day;
  const around = Array.from({ length: 2 * DAYS_AROUND + 1 }, (_, at) =>
    toLocalDate(toDayNumber(today) + Math.ceil(at / 2) * (at % 2 === 0 ? 1 : -1)),
  );
  for (const day of named === undefined ? around : [named, ...around]) {
    const path = await pathOf(vault, day);
    if (path === undefined) return undefined;
    const stem = foldName(path.slice(0, -".md".length));
    const isMeant =
      foldName(text) === stem ||
      (isName && (day === named || foldName(name) === foldName(baseName(path).slice(0, -".md".length))));
    if (isMeant) return { day, path };
  }
  return undefined;
}

/** Undefined where the settings do not give a path. */
async function pathOf(vault: Vault, day: LocalDate): Promise<VaultPath | undefined> {
  try {
    return await dailyNotePath(vault, day);
  } catch (error) {
    if (error instanceof VaultError) return undefined;
    throw error;
  }
}

/** The refusal that says there is no such note yet, and how to make it. */
export function noDailyNote({ day, path }: DailyNote): VaultError {
  return new VaultError("FILE_NOT_FOUND", `There is no daily note for ${day} yet; nothing was written.`, {
    path,
    hint: `The same call with create: true makes '${path}' from the daily-note template.`,
  });
}
