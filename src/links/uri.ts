/**
 * What a file of the vault is to other programs: its URI, `mcp-obsidian://<vault id>/<path>` (docs: notes-and-files,
 * "Resources"), and its media type.
 */
import { percentDecoded } from "../text/decoded.js";
import { VaultError } from "../errors.js";
import { type PathRules, type VaultPath, extensionOf, vaultPath } from "../storage/path.js";

const URI_SCHEME = "mcp-obsidian";

const BEGINNING = `${URI_SCHEME}://`;

export function noteUri(vaultId: string, path: VaultPath): string {
  return `${BEGINNING}${encodeURIComponent(vaultId)}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

export const isNoteUri = (text: string): boolean => beginsWith(text, BEGINNING);

/** Ignores case. */
export function beginsWith(text: string, beginning: string): boolean {
  return text.slice(0, beginning.length).toLowerCase() === beginning;
}

/**
 * Accepts `%2F` for slashes; ignores query, fragment and the vault id's case.
 * @throws VaultError INVALID_ARGUMENT for other URIs and other vaults, and as `vaultPath`
 */
export function parseNoteUri(text: string, vaultId: string, rules: PathRules = {}): VaultPath {
  if (!isNoteUri(text)) throw noUri(vaultId);
  const [, id = "", path] = /^([^/?#]*)(?:\/([^?#]*))?/.exec(text.slice(BEGINNING.length)) ?? [];
  if (!isSameVault(decoded(id, vaultId), vaultId))
    throw new VaultError("INVALID_ARGUMENT", "The URI names another vault.", {
      hint: `URIs of this vault begin with ${noteUri(vaultId, "" as VaultPath)}`,
    });
  if (path === undefined || path === "") throw noUri(vaultId);
  return vaultPath(decoded(path, vaultId), rules);
}

export function isSameVault(a: string, b: string): boolean {
  return a.normalize("NFC").toLowerCase() === b.normalize("NFC").toLowerCase();
}

function decoded(text: string, vaultId: string): string {
  const plain = percentDecoded(text);
  if (plain === undefined) throw noUri(vaultId);
  return plain;
}

function noUri(vaultId: string): VaultError {
  return new VaultError("INVALID_ARGUMENT", "This is no URI of a note.", {
    hint: `Give ${noteUri(vaultId, "folder/note.md" as VaultPath)}, percent-encoded, or the note's path.`,
  });
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".md": "text/markdown",
  ".txt": "text/plain",
  ".csv": "text/csv",
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
  ".canvas": "application/json",
  ".base": "application/yaml",
  ".yaml": "application/yaml",
  ".yml": "application/yaml",
  ".xml": "application/xml",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".avif": "image/avif",
  ".bmp": "image/bmp",
  ".pdf": "application/pdf",
  ".mp3": "audio/mpeg",
  ".wav": "audio/wav",
  ".m4a": "audio/mp4",
  ".ogg": "audio/ogg",
  ".flac": "audio/flac",
  ".3gp": "audio/3gpp",
  ".mp4": "video/mp4",
  ".webm": "video/webm",
  ".ogv": "video/ogg",
  ".mov": "video/quicktime",
  ".mkv": "video/matroska",
  ".zip": "application/zip",
  ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
};

export function mediaTypeOf(path: VaultPath): string {
  return MEDIA_TYPES[extensionOf(path)] ?? "application/octet-stream";
}
