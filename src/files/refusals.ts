/** Errors of the file tools, in their documented words (docs: notes-and-files). */
import { VaultError } from "../errors.js";
import { noteUri } from "../links/uri.js";
import type { VaultPath } from "../storage/path.js";

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

/** The error for a file that only a resource can carry. */
export function notViewable(path: VaultPath, vaultId: string): VaultError {
  return new VaultError("NOT_TEXT", `'${path}' is not UTF-8 text, so it has no lines to view.`, {
    path,
    hint: `Read it as a resource instead: resources/read with ${noteUri(vaultId, path)}`,
  });
}

export function emptySought(path: VaultPath): VaultError {
  return new VaultError("INVALID_ARGUMENT", "old_str must not be empty.", {
    path,
    hint: "Give the text to replace, or use insert to add lines.",
  });
}

export function noMatch(path: VaultPath): VaultError {
  return new VaultError("INVALID_ARGUMENT", `No match found for replacement text in '${path}'`, {
    path,
    hint: "View the file and copy the text exactly, with its case, spaces and line breaks, but without line numbers.",
  });
}

/** @param lines where the first matches begin */
export function severalMatches(path: VaultPath, count: number, lines: readonly number[]): VaultError {
  const more = count > lines.length ? " and more" : "";
  return new VaultError("INVALID_ARGUMENT", `Found ${count} matches in '${path}'. Provide more specific text.`, {
    path,
    hint: `They begin at lines ${lines.join(", ")}${more}; add what stands before or after the one you mean.`,
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
