/**
 * Converts between paths and ids, and refuses names that clients refuse or act on (docs: livesync, "Document id",
 * "Writing").
 */
import { VaultError } from "../../../errors.js";
import { sha256 } from "../../../text/hash.js";
import { ROOT, storedPath, type VaultPath, isHidden } from "../../path.js";
import { OBFUSCATED_PREFIX } from "./document.js";

export interface IdRules {
  readonly caseSensitive: boolean;
  /** The `obfuscationKey`; undefined: readable ids. */
  readonly obfuscation: string | undefined;
}

export function noteId(path: VaultPath, { caseSensitive, obfuscation }: IdRules): string {
  const normal = normalPath(path);
  const name = caseSensitive ? normal : normal.toLowerCase();
  if (obfuscation === undefined) return name.startsWith("_") ? `/${name}` : name;
  return OBFUSCATED_PREFIX + sha256(`${obfuscation}:${name}`);
}

export function obfuscationKey(passphrase: string): string {
  return sha256(passphrase);
}

/**
 * Undefined when no tool may see it: outside the vault, hidden, in the client's own stores, or invalid. A leading slash
 * is valid only before an underscore.
 */
export function pathOf(text: string): VaultPath | undefined {
  const named = normalPath(text.startsWith("/_") ? text.slice(1) : text);
  if (named === "" || named.includes(":")) return undefined;
  let path: VaultPath | undefined = ROOT;
  let from = 0;
  while (path !== undefined && from <= named.length) {
    const slash = named.indexOf("/", from);
    const end = slash < 0 ? named.length : slash;
    path = storedPath(path, named.slice(from, end));
    from = end + 1;
  }
  return path;
}

/** As the client spells it. */
export function normalPath<Path extends string>(path: Path): Path {
  if (/^[\x20-\x7e]*$/.test(path)) return path;
  return path.replaceAll("\u00a0", " ").normalize("NFC") as Path;
}

/** These make a client stop syncing or rebuild its vault; also its logs. */
const COMMANDS = /^(?:redflag[^/]*\.md|flag_[^/]*\.md|livesync_log_.*)$/i;
const MAX_SIZE = 50 * 1024 * 1024;

/** @throws INVALID_ARGUMENT, PERMISSION_DENIED or TOO_LARGE */
export function assertSyncable(path: VaultPath, size = 0): void {
  if (path.includes(":")) {
    throw new VaultError("INVALID_ARGUMENT", `'${path}' has a colon, which LiveSync keeps for itself.`, {
      path,
      hint: "Choose a name without a colon.",
    });
  }
  if (isHidden(path)) {
    throw new VaultError("PERMISSION_DENIED", `'${path}' is hidden; LiveSync keeps hidden files apart.`, { path });
  }
  if (COMMANDS.test(path)) {
    throw new VaultError("PERMISSION_DENIED", `'${path}' is a name that LiveSync obeys as a command or logs to.`, {
      path,
      hint: "Choose another name.",
    });
  }
  if (size > MAX_SIZE) {
    throw new VaultError("TOO_LARGE", `'${path}' would be longer than 50 MB; LiveSync does not sync such files.`, {
      path,
    });
  }
}
