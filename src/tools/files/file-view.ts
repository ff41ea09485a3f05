/** How the file tools show a file: schema and structured forms. */
import type { ChangedFile } from "../../files/files.js";
import type { DeleteOutcome } from "../../vault/vault.js";
import { deepLink, DURABLE, UNDOABLE, undoNote } from "../undoable.js";
import { count, optional, string } from "../schema.js";
import type { OpenVault } from "../workspace.js";

export const PATH = string("Path, e.g. folder/note.md", { role: "file" });
export const EXPECTED_HASH = string("hash last seen; refuse if changed", {
  minLength: 1,
  maxLength: 200,
});

export { UNDOABLE };

export const PATH_SHOWN = string("Path in the vault");
export const HASH = string("Identifies the content; give it as expected_hash to change only this");
export const LINE_COUNT = count("How many lines the file has");
export const LINK = string("Opens the file in Obsidian");

export const CHANGED_PROPERTIES = {
  path: PATH_SHOWN,
  lineCount: LINE_COUNT,
  hash: HASH,
  undoable: UNDOABLE,
  durable: DURABLE,
  lostProperties: optional(string("Why the note's properties can no longer be read")),
  link: optional(LINK),
};

export function changedView({ revision, ...file }: ChangedFile, vault: OpenVault) {
  const { path, lineCount, undoable, durable, lostProperties } = file;
  const link = deepLink(path, vault.linkName);
  return { path, lineCount, hash: revision, undoable, durable, lostProperties, link };
}

export const DELETED_PROPERTIES = {
  path: PATH_SHOWN,
  trashedTo: optional(string("Where it is in the trash; absent when it is not there")),
  undoable: UNDOABLE,
  durable: DURABLE,
};

export function deletedView({
  path,
  trashedTo,
  undoable,
  durable,
}: Pick<DeleteOutcome, "path" | "trashedTo" | "undoable" | "durable">) {
  return { path, trashedTo, undoable, durable };
}

export function changeDetails(answer: {
  readonly path: string;
  readonly hash: string;
  readonly undoable: boolean;
  readonly lostProperties?: string | undefined;
}): string {
  const { path, hash, undoable, lostProperties } = answer;
  const lost =
    lostProperties === undefined
      ? undefined
      : `The properties of '${path}' can no longer be read: ${lostProperties} undo_edit with path "${path}" takes the change back.`;
  return [hashLine(hash), lost, undoNote(undoable)].filter((line) => line !== undefined).join("\n");
}

export function hashLine(hash: string): string {
  return `Hash: ${hash}`;
}

export function numbered(line: string, number: number): string {
  return `${number}: ${line}`;
}
