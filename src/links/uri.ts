/** `mcp-obsidian://<vault id>/<path>`: how a file of the vault is named to clients (docs: notes-and-files, "Resources"). */
import { VaultError } from "../errors.js";
import { vaultPath, type PathRules, type VaultPath } from "../storage/path.js";

export const URI_SCHEME = "mcp-obsidian";

const BEGINNING = `${URI_SCHEME}://`;

/** The URI of a file: each part of its path percent-encoded, slashes kept. */
export function noteUri(vaultId: string, path: VaultPath): string {
  return `${BEGINNING}${encodeURIComponent(vaultId)}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** Whether a text is meant as such a URI. */
export function isNoteUri(text: string): boolean {
  return text.slice(0, BEGINNING.length).toLowerCase() === BEGINNING;
}

/**
 * The path a URI names; slashes written `%2F` are read too, and a query or fragment is passed over. The vault id's case does not count.
 * @throws VaultError INVALID_ARGUMENT when it is no such URI or another vault's, and what `vaultPath` throws
 */
export function parseNoteUri(text: string, vaultId: string, rules: PathRules = {}): VaultPath {
  if (!isNoteUri(text)) throw noUri(vaultId);
  const [, id = "", path] = /^([^/?#]*)(?:\/([^?#]*))?/.exec(text.slice(BEGINNING.length)) ?? [];
  if (!sameId(decoded(id, vaultId), vaultId))
    throw new VaultError("INVALID_ARGUMENT", "The URI names another vault.", {
      hint: `URIs of this vault begin with ${noteUri(vaultId, "" as VaultPath)}`,
    });
  if (path === undefined || path === "") throw noUri(vaultId);
  return vaultPath(decoded(path, vaultId), rules);
}

function sameId(a: string, b: string): boolean {
  return a.normalize("NFC").toLowerCase() === b.normalize("NFC").toLowerCase();
}

function decoded(text: string, vaultId: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw noUri(vaultId);
  }
}

function noUri(vaultId: string): VaultError {
  return new VaultError("INVALID_ARGUMENT", "This is no URI of a note.", {
    hint: `Give ${noteUri(vaultId, "folder/note.md" as VaultPath)}, percent-encoded, or the note's path.`,
  });
}
