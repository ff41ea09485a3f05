/** Applies a patch to the note it is for, and to no other. */
import { VaultError } from "../errors.js";
import { applyUnifiedDiff, type Patched } from "../markdown/unified-diff-apply.js";
import { readUnifiedDiff, type UnifiedDiff } from "../markdown/unified-diff.js";
import { foldName, type VaultPath } from "../storage/path.js";

export const readPatch: (patch: string) => UnifiedDiff = readUnifiedDiff;

/**
 * A patch may name its file by the note's path or the end of it, with git's `a/` and `b/` and without `.md`, or not at all.
 * @throws VaultError INVALID_ARGUMENT when it names another file, and as `applyUnifiedDiff` does
 */
export function applyPatch(path: VaultPath, text: string, diff: UnifiedDiff): Patched {
  if (diff.names.every((name) => means(name, path))) return applyUnifiedDiff(text, diff);
  throw new VaultError("INVALID_ARGUMENT", `The patch is for another file than '${path}'.`, {
    path,
    hint: "Name in `path` the note that the --- and +++ lines of the patch name, or leave those lines out.",
  });
}

function means(name: string, path: VaultPath): boolean {
  const plain = name.normalize("NFC").replace(/^(?:\.\/|\/)/, "");
  return [plain, plain.replace(/^[ab]\//, "")].some((one) => {
    const wanted = foldName(one.replace(/\.md$/i, ""));
    const note = foldName(path.replace(/\.md$/i, ""));
    return wanted !== "" && `/${note}`.endsWith(`/${wanted}`);
  });
}
