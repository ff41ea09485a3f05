/**
 * The new name of a moved file: a note stays a note unless another extension is given (docs: notes-and-files, "Notes stay
 * notes").
 */
import { baseName, extensionOf, isMarkdown, type VaultPath } from "../storage/path.js";

/** `Plan 2.0` has no extension. */
const EXTENSION = /\.[A-Za-z][A-Za-z0-9]{0,9}$/;

/** The new name or path, with the old extension if it has none. */
export function withExtensionOf(from: VaultPath, to: string): string {
  const extension = baseName(from).slice(baseName(from).length - extensionOf(from).length);
  const isName = /(?:^|\/)[^/]*[^/.][^/]*$/.test(to);
  return !isName || EXTENSION.test(to) ? to : to + extension;
}

/** Whether a note would lose its `.md`. */
export function isNoteLost(from: string, to: string): boolean {
  return isMarkdown(from as VaultPath) && !isMarkdown(to as VaultPath);
}
