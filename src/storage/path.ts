/** Makes paths inside the vault from user text, and names that Obsidian, every system and links accept. */
import { VaultError } from "../errors.js";

export const MAX_NAME_BYTES = 255;

const DEVICE =
  /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])[ .]*(?:\..*)?$/i;

/** Bytes for `.md` and the number of a duplicate. */
const ROOM = ".md".length + " 999".length;

/** Replaces the joiner inside an emoji. */
const JOINER_MARK = "\uf8f0";

const PLAIN_WORDS = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/;

/** Without extension (docs: obsidian, "Links"); may be empty. */
export function safeFileName(title: string): string {
  if (PLAIN_WORDS.test(title) && title.length <= MAX_NAME_BYTES - ROOM) return withoutDevice(title);
  const visible = /^[\x20-\x7e]*$/.test(title) ? title : withoutInvisible(title);
  const mapped = visible
    .replace(/^[\s\\/|:]+|[\s\\/|:]+$/gu, "")
    .replace(/:\s+/gu, " - ")
    .replace(/[\\/|:]+/gu, "-")
    .replace(/[*?"<>#^[\]]|%%/gu, " ");
  const name = trimEdges(shorten(trimEdges(mapped.replace(/\s+/gu, " ")), MAX_NAME_BYTES - ROOM));
  return /^[-_. ]*$/.test(name) ? "" : withoutDevice(name);
}

function withoutInvisible(title: string): string {
  const joinedEmoji = /(?<=\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)\u200d(?=\p{Extended_Pictographic})/gu;
  const invisible = /[\p{Cc}\p{Cf}\p{Cs}\u115f\u1160\u3164\uffa0\ufffe\uffff]|\u034f|\u17b4|\u17b5/gu;
  return title
    .normalize("NFC")
    .replaceAll(JOINER_MARK, " ")
    .replace(/\s/gu, " ")
    .replace(joinedEmoji, JOINER_MARK)
    .replace(invisible, "")
    .replaceAll(JOINER_MARK, "\u200d");
}

/** Never breaks a character or emoji. `maxBytes`: of UTF-8. */
export function shorten(name: string, maxBytes: number): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  let cut = "";
  let bytes = 0;
  for (const { segment } of new Intl.Segmenter("en", { granularity: "grapheme" }).segment(name)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > maxBytes) break;
    cut += segment;
  }
  // One "character" may have thousands of combining marks.
  return cut === "" ? firstCodePoints(name, maxBytes) : cut;
}

/** Windows reserves these names with any extension. */
export function isDeviceName(name: string): boolean {
  return DEVICE.test(name);
}

function firstCodePoints(name: string, maxBytes: number): string {
  let cut = "";
  for (const character of name) {
    if (Buffer.byteLength(cut) + Buffer.byteLength(character) > maxBytes) break;
    cut += character;
  }
  return cut;
}

/** A leading dot hides a file; Windows drops trailing dots and spaces. */
function trimEdges(name: string): string {
  return name.replace(/^[\s.]+|[\s.]+$/gu, "");
}

function withoutDevice(name: string): string {
  if (!isDeviceName(name) && !isDeviceName(`${name}.md`)) return name;
  const base = /^[^ .]+/.exec(name)?.[0] ?? "";
  return `${base}_${name.slice(base.length)}`;
}

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
/** `a/b:c.md` is a name of a file on Linux and macOS. */
const DRIVE_LETTER = /^[A-Za-z]:|\/[A-Za-z]:(?:\/|$)/;
/** HFS+ ignores these characters in names: `<ZWNJ>.obsidian` opens `.obsidian`. */
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
  if (DRIVE_LETTER.test(path)) return undefined;
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
  if (DRIVE_LETTER.test(segments.join("/"))) return FAULTS.drive;
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
  if (isDeviceName(name)) return FAULTS.device;
  if (name.length > MAX_NAME_BYTES || (name.length * 3 > MAX_NAME_BYTES && Buffer.byteLength(name) > MAX_NAME_BYTES))
    return FAULTS.longName;
  return rules.allowHidden || !isHiddenName(name) ? undefined : FAULTS.hidden;
}

function refusal([code, message, hint]: Fault): VaultError {
  return new VaultError(code, message, { hint });
}
