/** The file tools' errors, with similar names (docs: notes-and-files). */
import { orIfFailed, VaultError } from "../errors.js";
import { type VaultPath, baseName, folderOf, joinPath } from "../storage/path.js";
import { asSeen, ALIKE } from "../text/fold.js";
import { nearest } from "../text/nearest.js";
import type { FolderEntry } from "../storage/storage.js";
import type { Vault } from "../vault/vault.js";

export function noSuchFile(path: VaultPath, near: readonly string[]): VaultError {
  return new VaultError("FILE_NOT_FOUND", `There is no file or folder '${path}'.`, {
    path,
    hint: near.length === 0 ? "Check the spelling, or list the folder with view." : didYouMean(near),
  });
}

/** @param near at least one */
export function didYouMean(near: readonly string[]): string {
  return `Did you mean ${near.map((name) => `'${name}'`).join(" or ")}?`;
}

export function noFolder(path: VaultPath): VaultError {
  return new VaultError("FILE_NOT_FOUND", `There is no folder '${path}'.`, {
    path,
    hint: "Leave out the slash at the end to name a file.",
  });
}

export function emptySought(path: VaultPath): VaultError {
  return new VaultError("INVALID_ARGUMENT", "old_str must not be empty.", {
    path,
    hint: "Give the text to replace, or use insert to add lines.",
  });
}

export function noMatch(path: VaultPath, text: string, sought: string): VaultError {
  const near = nearMatch(text, sought);
  const copy =
    "View the file and copy the text exactly, with its case, spaces and line breaks, but without line numbers.";
  return new VaultError("INVALID_ARGUMENT", `No match found for replacement text in '${path}'`, {
    path,
    hint: near === undefined ? copy : [near, copy],
  });
}

/** `Line 8 has it with other quotes.` */
function nearMatch(text: string, given: string): string | undefined {
  const unnumbered = given.replace(/^[ \t]*\d+: ?/gm, "");
  for (const sought of new Set([given, unnumbered]))
    for (const [what, plain] of [
      ...(sought === given ? [] : [["line numbers left out", asSeen] as const]),
      ...ALIKE.map(([what, plain]) => [`other ${what}`, plain] as const),
    ]) {
      const seen = (one: string) => plain(asSeen(one.replaceAll("\r\n", "\n")));
      const [there, wanted] = [seen(text), seen(sought)];
      const at = wanted === "" ? -1 : there.indexOf(wanted);
      if (at !== -1) return `Line ${there.slice(0, at).split("\n").length} has it with ${what}.`;
    }
  return undefined;
}

/** @param lines of the first matches */
export function severalMatches(path: VaultPath, count: number, lines: readonly number[]): VaultError {
  const more = count > lines.length ? " and more" : "";
  return new VaultError("INVALID_ARGUMENT", `Found ${count} matches in '${path}'. Provide more specific text.`, {
    path,
    hint: `They begin at lines ${lines.join(", ")}${more}; add what comes before or after the one you mean.`,
  });
}

export function nothingToChange(path: VaultPath): VaultError {
  return new VaultError("INVALID_ARGUMENT", `The replacement is what '${path}' says already; nothing was changed.`, {
    path,
    hint: "Give a new_str that differs from old_str.",
  });
}

export function noSuchLine(path: VaultPath, line: number, count: number): VaultError {
  return new VaultError(
    "INVALID_ARGUMENT",
    `insert_line must be from 0 to ${count}, the number of lines in '${path}'; got ${line}.`,
    { path, hint: `0 inserts before the first line, ${count} at the end.` },
  );
}

const MAX_NAMES = 3;

/** In the same folder, best first. Without extensions: `.md` would make short names similar. */
export async function pathsNear(path: VaultPath, vault: Vault): Promise<string[]> {
  const entries = await orIfFailed(vault.children(folderOf(path)), []);
  const names = shownNames(entries ?? []);
  const stems = nearest(stemOf(baseName(path)), names.map(stemOf), MAX_NAMES);
  const near = stems.flatMap((stem) => names.filter((name) => stemOf(name) === stem));
  return near.slice(0, MAX_NAMES).map((name) => joinPath(folderOf(path), name));
}

/** Sorted. */
export function shownNames(entries: readonly FolderEntry[]): string[] {
  return entries
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, kind, inCloud }) => (kind === "folder" ? `${name}/` : inCloud ? `${name} (in iCloud only)` : name));
}

function stemOf(name: string): string {
  return name.replace(/(?<=[^/])(?:\.[^./]*|\/)$/, "");
}
