/** Errors common to every storage. */
import { VaultError } from "../errors.js";
import type { VaultPath } from "./path.js";
import type { Expected, Revision } from "./storage.js";

export function fileNotFound(path: VaultPath): VaultError {
  return new VaultError("FILE_NOT_FOUND", `There is no file '${path}'.`, {
    path,
    hint: "Check the spelling, or list the folder first.",
  });
}

export function alreadyExists(path: VaultPath): VaultError {
  return new VaultError("ALREADY_EXISTS", `'${path}' exists already; nothing was overwritten.`, {
    path,
    hint: "Choose another name, or edit the file that is there.",
  });
}

export function folderNotFound(path: VaultPath): VaultError {
  return new VaultError("FILE_NOT_FOUND", `There is no folder '${path}'.`, {
    path,
    hint: "Check the spelling, or list the folder above it first.",
  });
}

export function intoItself(path: VaultPath): VaultError {
  return new VaultError("INVALID_ARGUMENT", `The folder '${path}' cannot be moved into itself.`, {
    path,
    hint: "Choose a place outside the folder.",
  });
}

export function folderInTheWay(path: VaultPath): VaultError {
  return new VaultError("ALREADY_EXISTS", `'${path}' is a folder.`, {
    path,
    hint: "Choose another name for the file.",
  });
}

export function fileInTheWay(path: VaultPath): VaultError {
  return new VaultError("ALREADY_EXISTS", `A part of the path '${path}' is a file, not a folder.`, {
    path,
    hint: "Choose another folder.",
  });
}

export function changedMeanwhile(path: VaultPath): VaultError {
  return new VaultError("CONFLICT", `'${path}' was changed by another program meanwhile; nothing was overwritten.`, {
    path,
    hint: "Read it again and repeat the change.",
  });
}

/** The same when the path does not exist. */
export function notWritable(path: VaultPath): VaultError {
  return new VaultError("PERMISSION_DENIED", `'${path}' may not be changed: the access rules do not allow it.`, {
    path,
    hint: "Choose a place that the rules leave open, or ask the person who runs the server.",
  });
}

/** @throws ALREADY_EXISTS, CONFLICT */
export function assertExpected(path: VaultPath, expected: Expected, revision: () => Revision | undefined): void {
  if (expected.kind === "any") return;
  const present = revision();
  if (expected.kind === "absent" && present !== undefined) throw alreadyExists(path);
  if (expected.kind === "revision" && present !== expected.revision) throw changedMeanwhile(path);
}
