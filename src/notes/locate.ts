/** Finds the note of a path, link, name, title, alias or period (docs: notes-and-files, "Periodic notes"). */
import { isVaultError, VaultError } from "../errors.js";
import { call, said } from "../text/wording.js";
import type { PeriodName } from "../dates/period-names.js";
import type { AskOptions } from "../index/refresh.js";
import type { Links } from "../links/service.js";
import { foldName, isMarkdown, type VaultPath } from "../storage/path.js";
import type { PeriodicNote } from "../templates/periodic-notes.js";
import type { Vault } from "../vault/vault.js";
import { FILE_OF_ROW, nameKey } from "./note-rows.js";

export interface VaultAndLinks {
  readonly vault: Vault;
  readonly links: Links;
}

export async function locateNote(notes: VaultAndLinks, reference: string, options: AskOptions): Promise<VaultPath> {
  const meant = await noteOrPeriod(notes, reference, options);
  if (typeof meant === "string") return meant;
  const { noPeriodicNote } = await import("../templates/periodic-notes.js");
  const name = callName(reference, meant);
  throw noPeriodicNote(
    meant,
    said`Make it with ${call("obsidian_create_note", { name }, `obsidian_create_note "${name}"`)}.`,
  );
}

/** A periodic note need not exist. */
export async function noteOrPeriod(
  { vault, links }: VaultAndLinks,
  reference: string,
  options: AskOptions,
): Promise<VaultPath | PeriodicNote> {
  const named = await periodNamed(vault, reference);
  const first = named === undefined || named.isTitleFirst ? undefined : await periodMeant(vault, reference);
  if (first?.exists) return first.path;
  if (first !== undefined && !named?.isNumber) return first;
  try {
    return await links.find(reference, options);
  } catch (error) {
    if (!isVaultError(error, "FILE_NOT_FOUND")) throw error;
    // The failed lookup has just refreshed the index.
    const titled = await noteTitled(vault, reference, { ...options, asOf: vault.index.latest?.generation });
    if (titled !== undefined) return titled;
    const periodic = first ?? (await periodMeant(vault, reference, named));
    if (periodic === undefined) throw await asPeriod(error, reference, vault);
    return periodic.exists ? periodic.path : periodic;
  }
}

/** If the vault has such notes. */
async function asPeriod(error: VaultError, reference: string, vault: Vault): Promise<VaultError> {
  if (NO_PERIOD.test(reference)) return error;
  const { likelyPeriodName, readPeriodName } = await import("../dates/period-names.js");
  const { hasPeriodicNotes } = await import("../templates/periodic-notes.js");
  const today = vault.clock.today();
  const name = likelyPeriodName(reference, today);
  const period = name === undefined ? undefined : readPeriodName(name, today)?.period;
  if (period === undefined || !(await hasPeriodicNotes(vault, period))) return error;
  return error.with({ hint: `The periodic note of that name is "${name}".` });
}

/** Undefined for a path or a name with `.md`. */
export async function newPeriodic(vault: Vault, name: string): Promise<PeriodicNote | undefined> {
  if (/[\\/]|\.md\s*$/i.test(name)) return undefined;
  const named = await periodNamed(vault, name);
  const { hasPeriodicNotes } = await import("../templates/periodic-notes.js");
  if (named?.isTitleFirst && (named.period === "day" || !(await hasPeriodicNotes(vault, named.period))))
    return undefined;
  return await periodMeant(vault, name);
}

/** The words for days load slowly. */
async function periodNamed(vault: Vault, reference: string): Promise<PeriodName | undefined> {
  if (NO_PERIOD.test(reference)) return undefined;
  const { readPeriodName } = await import("../dates/period-names.js");
  return readPeriodName(reference, vault.clock.today());
}

/** @param reference a period, or the path of its note */
async function periodMeant(vault: Vault, reference: string, named?: PeriodName): Promise<PeriodicNote | undefined> {
  const { periodicNote, periodicNoteAt } = await import("../templates/periodic-notes.js");
  const text = reference.trim().replace(/^!?\[\[|\]\]$/g, "");
  return (await periodicNote(vault, text)) ?? (named ? undefined : periodicNoteAt(vault, text));
}

/** A path, link or URI; slashes between digits belong to a day. */
const NO_PERIOD = /[\\[\]:]|\.md\s*$|[^\d\s]\/|\/[^\d\s]/i;

/** The caller's words, or the period's label for a path. */
const callName = (reference: string, { label }: PeriodicNote): string =>
  /[/\\[]|\.md$/i.test(reference.trim()) ? label : reference.trim();

/**
 * Titles before aliases; ignores case.
 * @param reference the title, or a link that shows it
 * @throws VaultError AMBIGUOUS_NAME with the candidates
 */
async function noteTitled(
  vault: Vault,
  reference: string,
  { signal, onProgress, asOf }: AskOptions,
): Promise<VaultPath | undefined> {
  const wanted = titleIn(reference);
  if (wanted === "") return undefined;
  const view = await vault.index.refresh({ signal, onProgress, asOf, rows: ["notes"] });
  for (const kind of ["title", "alias"] as const) {
    const named = view.list<readonly [path: VaultPath, shown: string]>(
      "json_array(path, shown)",
      `(SELECT path, shown FROM note_name JOIN file ON file.id = note_name.${FILE_OF_ROW}
        WHERE kind = ? AND key = ? ORDER BY path)`,
      kind,
      nameKey(kind, wanted),
    );
    const [note, ...others] = new Set(named.flatMap(([path, shown]) => (foldName(shown) === wanted ? [path] : [])));
    if (others.length > 0 && note !== undefined) {
      const { ambiguous } = await import("../links/file-reference.js");
      throw ambiguous(`Several notes bear this ${kind}`, [note, ...others]);
    }
    if (note !== undefined) return note;
  }
  return undefined;
}

function titleIn(reference: string): string {
  const text = reference.trim();
  const linked = /^!?\[\[([^\]|#^]+)[^\]]*\]\]$/.exec(text)?.[1];
  return foldName((linked ?? text).replace(/\s+/gu, " ").trim());
}

export function assertNote(path: VaultPath): void {
  if (isMarkdown(path)) return;
  throw new VaultError("INVALID_ARGUMENT", `'${path}' is no note: its name does not end in .md.`, {
    path,
    hint: said`${call("view", { path }, "view")} shows other files, ${call("delete", { path }, "delete")} removes them; both are of the toolset files.`.or(
      "Open it with another program.",
    ),
  });
}

export function nothingToReplace(path: VaultPath): VaultError {
  return new VaultError("CONFLICT", `There is no note '${path}' (any more) that has this hash; nothing was written.`, {
    path,
    hint: "Leave expected_hash out to make a new note.",
  });
}
