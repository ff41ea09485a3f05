/** Reads a patch and applies it to its note. */
import { VaultError } from "../errors.js";
import { applyUnifiedDiff, type Patched } from "../markdown/diff/apply.js";
import { readUnifiedDiff } from "../markdown/diff/unified-diff.js";
import { foldName, type VaultPath } from "../storage/path.js";

export interface Patch {
  readonly hunks: number;
  /**
   * The patch may name no file, or the note by its path or the end of it, with git's `a/` and `b/` and without `.md`.
   * @throws VaultError INVALID_ARGUMENT when it names another file, and as `applyUnifiedDiff`
   */
  readonly apply: (path: VaultPath, text: string) => Patched;
}

export function readPatch(patch: string): Patch {
  const diff = readUnifiedDiff(patch);
  return {
    hunks: diff.hunks.length,
    apply: (path, text) => {
      if (!diff.names.every((name) => means(name, path))) throw anotherFile(path);
      return applyUnifiedDiff(text, diff);
    },
  };
}

function means(name: string, path: VaultPath): boolean {
  const plain = name.normalize("NFC").replace(/^(?:\.\/|\/)/, "");
  return [plain, plain.replace(/^[ab]\//, "")].some((one) => {
    const wanted = foldName(one.replace(/\.md$/i, ""));
    const note = foldName(path.replace(/\.md$/i, ""));
    return wanted !== "" && `/${note}`.endsWith(`/${wanted}`);
  });
}

function anotherFile(path: VaultPath): VaultError {
  return new VaultError("INVALID_ARGUMENT", `The patch is for another file than '${path}'.`, {
    path,
    hint: "Name in `path` the note that the --- and +++ lines of the patch name, or leave those lines out.",
  });
}
