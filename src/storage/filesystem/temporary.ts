/** Names our temporary files in the vault, and removes those of dead processes. */
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { sha256 } from "../../text/hash.js";
import type { VaultPath } from "../path.js";
import { isMissing } from "./failure.js";
import type { OpenFolder } from "./open-folder.js";
import { hasEnded, isShownToHaveEnded, ownIdentity } from "./process-identity.js";
import type { VaultRoot } from "./vault-root.js";

/** `new`: not yet in place. `old`: second name of a file being replaced or removed. */
export type TemporaryKind = "new" | "old";

const NAME = /^\.obsidian-vault-mcp-server\.([0-9a-z-]{5,80})\.([0-9a-f]{16})\.([0-9a-f]{12})\.(?:new|old)$/;

const RANDOM_BYTES = 8;

/** Milliseconds until removal when the process cannot be checked. */
const LEFT_OVER_AGE = 60 * 60 * 1000;

/** Signed, so that no file of the user is taken for ours. */
export function temporaryName(kind: TemporaryKind): string {
  return signedName(ownIdentity(), randomDigits(), kind);
}

export function pairedTemporary(name: string, kind: TemporaryKind): string {
  return name.slice(0, name.lastIndexOf(".") + 1) + kind;
}

function randomDigits(): string {
  return randomBytes(RANDOM_BYTES).toString("hex");
}

/** @param random 16 hexadecimal digits */
export function signedName(maker: string, random: string, kind: TemporaryKind): string {
  return `.obsidian-vault-mcp-server.${maker}.${random}.${signature(maker, random)}.${kind}`;
}

/** Undefined when the name is not ours. */
export function makerOf(name: string): string | undefined {
  const [, maker = "", random = "", signed] = NAME.exec(name) ?? [];
  return signed !== undefined && signature(maker, random) === signed ? maker : undefined;
}

function signature(maker: string, random: string): string {
  return sha256(`obsidian-vault-mcp-server ${maker} ${random}`).slice(0, 12);
}

/** Retries: a left-over in a vault is a nuisance. */
export function discard(location: string): void {
  for (let attempt = 1; attempt <= 3; attempt++) {
    try {
      fs.unlinkSync(location);
      return;
    } catch (error) {
      if (isMissing(error)) return;
    }
  }
}

/**
 * Removes the file if its process has certainly ended, or else if it is old. `isShared`: other machines may write, so
 * process numbers prove nothing. Ignores failures.
 */
export function clearLeftOver(
  root: VaultRoot,
  folderPath: VaultPath,
  name: string,
  { now, isShared }: { readonly now: number; readonly isShared: boolean },
): void {
  const maker = makerOf(name);
  if (maker === undefined) return;
  let folder: OpenFolder | undefined;
  try {
    folder = root.realFolder(folderPath);
    const stat = folder && fs.lstatSync(folder.at(name), { throwIfNoEntry: false });
    if (!folder || !stat?.isFile()) return;
    // An `old` file has the modification time of the note it was.
    const isOld = now - stat.ctimeMs >= LEFT_OVER_AGE && hasEnded(maker, stat.ctimeMs, now);
    if (isOld || (!isShared && isShownToHaveEnded(maker, stat.ctimeMs))) discard(folder.at(name));
  } catch {
    // Gone, replaced by a link, or unreadable.
  } finally {
    folder?.close();
  }
}
