/** Makes paths inside the vault from user text. */
import { VaultError } from "../errors.js";
import { isDeviceName, MAX_NAME_BYTES, shorten } from "./file-name.js";

/** Segments joined by `/`; never `..`, hidden only if allowed. */
export type VaultPath = string & { readonly __brand: "VaultPath" };

export const ROOT = "" as VaultPath;

export interface PathRules {
  readonly allowHidden?: boolean;
  /** The storage's spelling of a path. */
  readonly spelled?: ((text: string) => string) | undefined;
}

const MAX_PATH_BYTES = 4096;

const CONTROL = /[\0-\u001f\u007f-\u009f]/;
const LONE_SURROGATE = /[\ud800-\udfff]/u;
const DRIVE_LETTER = /^[A-Za-z]:/;
/** HFS+ ignores these: `<ZWNJ>.obsidian` opens `.obsidian`. */
const HIDDEN = /^[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]*\./;

/** Device names are shorter than five characters. */
const PLAIN_NOTE = /^[A-Za-z0-9_-]{5}[A-Za-z0-9 _-]{0,60}\.md$/;

type Fault = readonly ["PERMISSION_DENIED" | "INVALID_ARGUMENT", message: string, hint: string];

const IN_VAULT = "Give the path inside the vault, with forward slashes, such as folder/note.md.";
const FAULTS = {
  empty: ["INVALID_ARGUMENT", "The path names no file.", IN_VAULT],
  surrogate: ["INVALID_ARGUMENT", "The path holds a broken Unicode character (a lone surrogate).", IN_VAULT],
  control: [
    "INVALID_ARGUMENT",
    "The path holds a control character.",
    "Leave out NUL, line breaks, tabs and the like.",
  ],
  backslash: ["INVALID_ARGUMENT", "The path holds a backslash.", IN_VAULT],
  blank: ["INVALID_ARGUMENT", "The path has an empty part (two slashes in a row, or a slash at its end).", IN_VAULT],
  dot: ["INVALID_ARGUMENT", 'The path has a "." part.', IN_VAULT],
  device: [
    "INVALID_ARGUMENT",
    "The path holds a name that Windows keeps for devices (CON, NUL, COM1 ...).",
    "Choose another name.",
  ],
  longName: ["INVALID_ARGUMENT", "A name in the path is longer than 255 bytes.", "Choose a shorter name."],
  longPath: ["INVALID_ARGUMENT", "The path is longer than 4096 bytes.", "Choose a shorter path."],
  leaves: ["PERMISSION_DENIED", "The path leaves the vault.", IN_VAULT],
  drive: ["PERMISSION_DENIED", "The path has a drive letter; paths of the computer are not accepted.", IN_VAULT],
  hidden: [
    "PERMISSION_DENIED",
    "The path is hidden (a part of it begins with a dot).",
    "Hidden files and folders are closed to this server.",
  ],
} as const satisfies Record<string, Fault>;

/**
 * A leading `/` means the vault's root (file-tools, "Paths").
 * @throws PERMISSION_DENIED outside the vault or hidden, else INVALID_ARGUMENT, which never repeats the text
 */
export function vaultPath(text: string, rules: PathRules = {}): VaultPath {
  const given = text.startsWith("/") ? text.slice(1) : text;
  const relative = rules.spelled?.(given) ?? given;
  const fault = relative === "" ? FAULTS.empty : faultOfPath(relative, rules);
  if (fault) throw refusal(fault);
  return relative as VaultPath;
}

/** Validates nothing. */
export function plainSlashes(text: string): string {
  return text.replaceAll("\\", "/").replace(/^(?:\.\/)+(?=[^/])/, "");
}

/** With an optional trailing slash; an empty text, `/`, `.` and `./` mean the vault. */
export function folderPath(text: string, rules: PathRules = {}): VaultPath {
  if (text === "" || text === "/" || text === "." || text === "./") return ROOT;
  return vaultPath(text.endsWith("/") ? text.slice(0, -1) : text, rules);
}

/** Undefined for an invalid name. */
export function storedPath(folder: VaultPath, name: string, rules: PathRules = {}): VaultPath | undefined {
  if (name.includes("/") || faultOfName(name, rules)) return undefined;
  const path = joinPath(folder, name);
  return path.length * 3 > MAX_PATH_BYTES && Buffer.byteLength(path) > MAX_PATH_BYTES ? undefined : path;
}

export function joinPath(folder: VaultPath, name: string): VaultPath {
  return (folder === ROOT ? name : `${folder}/${name}`) as VaultPath;
}

export function folderOf(path: VaultPath): VaultPath {
  return path.slice(0, Math.max(0, path.lastIndexOf("/"))) as VaultPath;
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** In lower case with its dot, or empty. */
export function extensionOf(path: VaultPath): string {
  const name = baseName(path);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot).toLowerCase();
}

export function isMarkdown(path: VaultPath): boolean {
  return extensionOf(path) === ".md";
}

/** Also as HFS+ reads the name. */
export function isHiddenName(name: string): boolean {
  return HIDDEN.test(name);
}

export function isHidden(path: VaultPath): boolean {
  return path.split("/").some(isHiddenName);
}

/** Obsidian also runs code from `.obsidian.vimrc` and renamed settings folders. */
export function isObsidianConfig(path: VaultPath): boolean {
  return path.split("/").some((segment) => isHiddenName(segment) && foldName(segment).includes(".obsidian"));
}

export function assertWritable(path: VaultPath): void {
  if (!isObsidianConfig(path)) return;
  throw new VaultError("PERMISSION_DENIED", "Obsidian's own settings folder is never written to.", {
    hint: "Change settings and plugins in Obsidian itself.",
  });
}

/** By case and Unicode form. A final ς equals σ; ß does not equal ss. */
export function foldName(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return name.toLowerCase();
  return Array.from(name.normalize("NFC"), (character) => character.toLowerCase())
    .join("")
    .normalize("NFC")
    .replaceAll("ς", "σ");
}

/** As links compare: case, Unicode form and kinds of blank do not count. */
export function linkKey(path: string): string {
  return foldName(path).replaceAll("\u00a0", " ");
}

/** Without folders and `.md`. */
export function fileTitle(path: VaultPath): string {
  return baseName(path).replace(/\.md$/i, "");
}

/** As in links: without `.md`. */
export function stemOf(name: string): string {
  const key = linkKey(name);
  return key.endsWith(".md") ? key.slice(0, -3) : key;
}

/** `a/note 2.md`. Shortens a long name. */
export function numberedPath(path: VaultPath, number: number): VaultPath {
  const extension = baseName(path).slice(baseName(path).length - extensionOf(path).length);
  const stem = baseName(path).slice(0, baseName(path).length - extension.length);
  const suffix = ` ${number}${extension}`;
  return joinPath(folderOf(path), shorten(stem, MAX_NAME_BYTES - Buffer.byteLength(suffix)) + suffix);
}

function faultOfPath(text: string, rules: PathRules): Fault | undefined {
  if (text.length > MAX_PATH_BYTES || Buffer.byteLength(text) > MAX_PATH_BYTES) return FAULTS.longPath;
  if (LONE_SURROGATE.test(text)) return FAULTS.surrogate;
  if (CONTROL.test(text)) return FAULTS.control;
  const segments = text.split(/[/\\]/);
  if (segments.some((segment) => /^\.\.[ .]*$/.test(segment))) return FAULTS.leaves;
  if (segments.some((segment) => DRIVE_LETTER.test(segment))) return FAULTS.drive;
  if (text.startsWith("\\\\") || text.startsWith("/")) return FAULTS.leaves;
  for (const segment of text.split("/")) {
    const fault = faultOfName(segment, rules);
    if (fault) return fault;
  }
  return undefined;
}

function faultOfName(name: string, rules: PathRules): Fault | undefined {
  if (PLAIN_NOTE.test(name)) return undefined;
  if (LONE_SURROGATE.test(name)) return FAULTS.surrogate;
  if (CONTROL.test(name)) return FAULTS.control;
  if (name.includes("\\")) return FAULTS.backslash;
  if (name.trim() === "") return FAULTS.blank;
  if (name === ".") return FAULTS.dot;
  if (/^\.\.[ .]*$/.test(name)) return FAULTS.leaves;
  if (DRIVE_LETTER.test(name)) return FAULTS.drive;
  if (isDeviceName(name)) return FAULTS.device;
  if (name.length > MAX_NAME_BYTES || (name.length * 3 > MAX_NAME_BYTES && Buffer.byteLength(name) > MAX_NAME_BYTES))
    return FAULTS.longName;
  return rules.allowHidden || !isHiddenName(name) ? undefined : FAULTS.hidden;
}

function refusal([code, message, hint]: Fault): VaultError {
  return new VaultError(code, message, { hint });
}
