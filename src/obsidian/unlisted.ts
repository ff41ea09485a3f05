/** Explains why something in a vault cannot be listed, and what to do. */
import { isVaultError } from "../errors.js";
import { joinPath, type VaultPath, vaultPath } from "../storage/path.js";
import type { UnlistedEntry } from "../storage/storage.js";
import { isListed } from "./ignore.js";
import { counted } from "../text/wording.js";

export interface UnlistedNotice {
  /** For display only: it may break the rules of `VaultPath`. */
  readonly path: string;
  readonly message: string;
  readonly advice: string;
}

/** Do not pass it to a storage unless the entry is `closed`. */
export function placeOf({ folder, name }: UnlistedEntry): VaultPath {
  return joinPath(folder, name);
}

/** Folders may become readable without an announcement, by rights of a parent or the user's groups. */
export function closedPlaces(unlisted: readonly UnlistedEntry[]): VaultPath[] {
  return unlisted.filter(({ reason }) => reason === "closed").map(placeOf);
}

/** Notes, and folders that may hold some; links are omitted on purpose. */
export function leftOut(unlisted: readonly UnlistedEntry[]): UnlistedNotice[] {
  const wanted = unlisted.filter((what) => {
    // The name of an unreadable document is unknown: it is perhaps a note.
    return what.reason === "unreadable" || (what.reason !== "link" && isListed(placeOf(what), what.kind));
  });
  const away = wanted.filter(({ reason }) => reason === "cloud");
  return [...wanted.filter(({ reason }) => reason !== "cloud").map(noticeOf), ...cloudNotice(away)];
}

/** One notice for all: there may be thousands. */
function cloudNotice(away: readonly UnlistedEntry[]): UnlistedNotice[] {
  const [first] = away;
  if (first === undefined) return [];
  const message =
    away.length === 1
      ? "1 note is in the cloud only; its text was not searched."
      : `${away.length} notes are in the cloud only, this one among them; their text was not searched.`;
  return [{ path: joinPath(first.folder, harmless(first.name)), message, advice: "Download them to this device." }];
}

const MAX_NAMED = 3;

/** One line: notes that are read in part, or not at all, and what is left out. */
export function unreadRemark(paths: readonly string[], unlisted: readonly UnlistedEntry[] = []): string | undefined {
  const notes = [...new Set(paths)];
  const [first, ...others] = leftOut(unlisted);
  if (notes.length === 0 && first === undefined) return undefined;
  const named = `${notes.slice(0, MAX_NAMED).join(", ")}${notes.length > MAX_NAMED ? ", …" : ""}`;
  return [
    ...(notes.length === 0 ? [] : [`${counted(notes.length, "note")} cannot be read in full: ${named}.`]),
    ...(first === undefined ? [] : [`${first.path}: ${first.message}`]),
    ...(others.length === 0 ? [] : [`And ${others.length} more.`]),
  ].join(" ");
}

export function unfollowedLinks(unlisted: readonly UnlistedEntry[]): UnlistedNotice[] {
  return unlisted.filter(({ reason }) => reason === "link").map(noticeOf);
}

function noticeOf(what: UnlistedEntry): UnlistedNotice {
  return { path: joinPath(what.folder, harmless(what.name)), ...wordsFor(what) };
}

function wordsFor({ name, kind, reason }: UnlistedEntry): { readonly message: string; readonly advice: string } {
  const subject = kind === "folder" ? "The folder, with all that is in it," : "The note";
  switch (reason) {
    case "closed":
      return { message: `${subject} is left out: it may not be read.`, advice: "Check its permissions." };
    case "name":
      return { message: `${subject} is left out: no tool can open it. ${faultOf(name)}`, advice: "Rename it." };
    case "cloud":
      return { message: `${subject} is in the cloud only.`, advice: "Download it to this device." };
    case "special":
      return { message: "It is left out: it is no regular file.", advice: "Only regular files are opened." };
    case "unreadable":
      return {
        message: "The document of the database is left out: neither its name nor its text can be read.",
        advice: "Update this server, or let LiveSync in Obsidian verify and repair its files.",
      };
    case "link":
    default:
      return {
        message: "The link is not followed: it leads nowhere, out of the vault or to a hidden place.",
        advice: "If its notes are wanted, move them into the vault.",
      };
  }
}

function faultOf(name: string): string {
  if (name.includes("\ufffd")) return "Its name is not written in UTF-8.";
  try {
    vaultPath(name);
  } catch (error) {
    if (isVaultError(error)) return error.message;
    throw error;
  }
  return "The path is too long.";
}

/** Escapes control and invisible characters, so that a name cannot forge a line. */
function harmless(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
