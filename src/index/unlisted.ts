/** Why something in a vault cannot be listed, such as a broken link or a closed folder, and what to do about it. */
import { isVaultError } from "../errors.js";
import { joinPath, type VaultPath, vaultPath } from "../storage/path.js";
import type { UnlistedEntry } from "../storage/storage.js";
import { isListed } from "./ignore.js";

/** What is told of it. */
export interface UnlistedNotice {
  /** For reading only: it may break the rules for paths, so it is no `VaultPath`. */
  readonly path: string;
  readonly message: string;
  readonly advice: string;
}

/** Its place; not a path that a storage may be asked for, unless it was passed over as `closed`. */
export function placeOf({ folder, name }: UnlistedEntry): VaultPath {
  return joinPath(folder, name);
}

/** What callers should see and cannot: notes, and folders that may hold some. Links are left out on purpose. */
export function leftOut(unlisted: readonly UnlistedEntry[]): UnlistedNotice[] {
  const wanted = unlisted.filter((what) => what.reason !== "link" && isListed(placeOf(what), what.kind));
  const away = wanted.filter(({ reason }) => reason === "cloud");
  return [...wanted.filter(({ reason }) => reason !== "cloud").map(noticeOf), ...cloudNotice(away)];
}

/** One for all of them: there may be thousands. */
function cloudNotice(away: readonly UnlistedEntry[]): UnlistedNotice[] {
  const [first] = away;
  if (first === undefined) return [];
  const message =
    away.length === 1
      ? "1 note is in the cloud only; its text was not searched."
      : `${away.length} notes are in the cloud only, this one among them; their text was not searched.`;
  return [{ path: joinPath(first.folder, harmless(first.name)), message, advice: "Download them to this device." }];
}

/** The symbolic links that are not followed. */
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
    case "link":
    default:
      return {
        message: "The link is not followed: it leads nowhere, out of the vault or to a hidden place.",
        advice: "If its notes are wanted, move them into the vault.",
      };
  }
}

/** Why a name cannot be part of a path. */
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

/** Control and invisible characters are spelled out, so that the name can be told from others and forges no line. */
function harmless(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
