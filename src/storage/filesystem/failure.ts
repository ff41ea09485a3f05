/** Translates the system's failures into VaultErrors without host paths. */
import { type ErrorCode, systemCode, VaultError } from "../../errors.js";
import { fileInTheWay, fileNotFound, folderInTheWay } from "../errors.js";
import type { VaultPath } from "../path.js";

/** Resolve the link and retry. */
export class IsLink extends Error {}

export function isMissing(error: unknown): boolean {
  const code = systemCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

const REASONS: Readonly<Record<string, readonly [ErrorCode, reason: string, hint: string]>> = {
  EACCES: [
    "PERMISSION_DENIED",
    "the operating system does not allow it",
    "Check the permissions of the file and its folder.",
  ],
  EPERM: [
    "PERMISSION_DENIED",
    "the operating system does not allow it",
    "Check whether the file or its folder is locked or read-only.",
  ],
  EROFS: ["PERMISSION_DENIED", "the disk is mounted read-only", "Mount it for writing, then try again."],
  ELOOP: ["PERMISSION_DENIED", "it is a link that cannot be followed", "Use the path of the file itself."],
  ENXIO: ["PERMISSION_DENIED", "it is no regular file", "Only regular files are opened."],
  ENAMETOOLONG: ["INVALID_ARGUMENT", "the path is too long for this disk", "Choose a shorter name."],
  EILSEQ: ["INVALID_ARGUMENT", "this disk cannot hold such a name", "Choose another name."],
  EINVAL: ["INVALID_ARGUMENT", "this disk cannot hold such a name", "Choose another name."],
  EFBIG: ["TOO_LARGE", "it is too large for this disk", "Split the note."],
  ENOSPC: ["UNAVAILABLE", "the disk is full", "Free some space, then try again."],
  EDQUOT: ["UNAVAILABLE", "the disk quota is used up", "Free some space, then try again."],
  EMFILE: ["UNAVAILABLE", "too many files are open", "Try again in a moment."],
  ENFILE: ["UNAVAILABLE", "too many files are open", "Try again in a moment."],
  EBUSY: ["UNAVAILABLE", "another program is using it", "Try again in a moment."],
  ETXTBSY: ["UNAVAILABLE", "another program is using it", "Try again in a moment."],
};

export function translate(error: unknown, path: VaultPath): VaultError {
  if (error instanceof VaultError) return error;
  if (error instanceof IsLink) return leavesVault(path);
  const code = systemCode(error) ?? "";
  if (code === "ENOENT") return fileNotFound(path);
  if (code === "ENOTDIR") return fileInTheWay(path);
  if (code === "EISDIR") return folderInTheWay(path);
  const [kind, reason, hint] = REASONS[code] ?? [
    "UNAVAILABLE",
    "the disk reported an error",
    "Try again; check the disk if it stays.",
  ];
  const subject = path === "" ? "The vault's folder" : `'${path}'`;
  return new VaultError(kind, `${subject} cannot be reached: ${reason}${code === "" ? "" : ` (${code})`}.`, {
    path,
    hint,
    cause: error,
  });
}

export function vaultNotFound(cause?: unknown): VaultError {
  return new VaultError("VAULT_NOT_FOUND", "The vault's folder is not there.", {
    hint: "Check the path of the vault, and that its disk is mounted.",
    cause,
  });
}

export function otherDisk(): VaultError {
  return new VaultError("VAULT_NOT_FOUND", "Another disk is where the vault's was; nothing was written.", {
    hint: "Check that the vault's disk is mounted. If the vault was meant to be exchanged, list or search it once, then repeat the change.",
  });
}

export function leavesVault(path: VaultPath): VaultError {
  const message = `'${path}' is, or runs through, a link to a place that is closed to this server.`;
  return new VaultError("PERMISSION_DENIED", message, { path, hint: "Use a file that lies in the vault itself." });
}

export function deadLink(path: VaultPath): VaultError {
  return new VaultError("ALREADY_EXISTS", `'${path}' is a link that leads nowhere, not a folder.`, {
    path,
    hint: "Fix the link, or remove it so that the folder can be made.",
  });
}

export function notRegular(path: VaultPath): VaultError {
  const hint = "Only regular files are opened.";
  return new VaultError("PERMISSION_DENIED", `'${path}' is no regular file.`, { path, hint });
}

export function readOnly(path: VaultPath): VaultError {
  return new VaultError("PERMISSION_DENIED", `'${path}' is read-only; it was left as it is.`, {
    path,
    hint: "Make the file writable first, if it is meant to change.",
  });
}
