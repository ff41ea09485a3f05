/** Where a file's document stands: from a path to its id, and from a document back to the path (spec: livesync, section 2). */
import { createHash } from "node:crypto";
import { ROOT, storedPath, type VaultPath } from "../../path.js";
import { OBFUSCATED_PREFIX } from "./document.js";

export interface IdRules {
  /** Ids keep the case of the path (`handleFilenameCaseSensitive`). */
  readonly caseSensitive: boolean;
  /** What `obfuscationKey` made of the passphrase. Undefined: ids are readable. */
  readonly obfuscation: string | undefined;
}

/** The id of the document that holds the file at `path`. */
export function noteId(path: VaultPath, { caseSensitive, obfuscation }: IdRules): string {
  const normal = normalPath(path);
  const name = caseSensitive ? normal : normal.toLowerCase();
  if (obfuscation === undefined) return name.startsWith("_") ? `/${name}` : name;
  return OBFUSCATED_PREFIX + sha256Hex(`${obfuscation}:${name}`);
}

/** What obfuscated ids are made with. */
export function obfuscationKey(passphrase: string): string {
  return sha256Hex(passphrase);
}

/**
 * The path that a document names, or undefined when no tool may ever see it: it leaves the vault, is hidden, belongs to the
 * client's own stores, or breaks a rule of paths. A slash may lead only where the format puts one, before an underscore.
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

/** The spelling under which the client knows a path. What is already so in ASCII is given back as it is. */
export function normalPath<Path extends string>(path: Path): Path {
  if (/^[\x20-\x7e]*$/.test(path)) return path;
  return path.replaceAll("\u00a0", " ").normalize("NFC") as Path;
}

const sha256Hex = (text: string): string => createHash("sha256").update(text).digest("hex");
