/** What answers about files share: path, hash, undo, durability, conflicts, the link to Obsidian (docs: notes-and-files). */
import type { ChangedFile } from "../files/service.js";
import { call, joined, said, type Wording } from "../text/said.js";
import type { DeleteOutcome } from "../vault/vault.js";
import { boolean, count, integer, optional, string, unlisted } from "./schema.js";
import { shownHash } from "../text/hash.js";
import type { OpenVault } from "./workspace.js";

export const PATH = string("Path, e.g. folder/note.md", { role: "file" });
export const EXPECTED_HASH = string("hash last seen; refuse if changed", {
  minLength: 1,
  maxLength: 200,
});

export const PATH_SHOWN = string("Path in the vault");
export const HASH = string("Identifies the content; give it as expected_hash to change only this");
export const LINE_COUNT = count("How many lines the file has");
export const LINK = string("Opens the file in Obsidian");
export const ALL_FILE_FIELDS = unlisted(boolean("Also what the text does not show, such as the link to Obsidian"));
export const UNDOABLE = boolean("Whether undo_edit can take the change back");
export const DURABLE = boolean(
  "False when the change is in place but the disk could not confirm that it survives a power cut",
);
export const OPERATION = string("op-…: give it to undo_edit to take all of it back");
export const PLAN = string("show, or the plan to carry out", { role: "plan" });
export const CONFLICTS = integer("Other versions, made by devices that were apart; absent when there are none", {
  minimum: 1,
});

export const LINKS_TAKEN = string("What links now lead to it, where other files have its name");

export const LOST_PROPERTIES = optional(string("Why Obsidian cannot read the note's properties; absent when it can"));

export const LEFT_OPEN = optional(string("What a code block or comment hides that this change left open"));

export const CHANGED_PROPERTIES = {
  path: PATH_SHOWN,
  lineCount: LINE_COUNT,
  hash: HASH,
  undoable: UNDOABLE,
  durable: DURABLE,
  lostProperties: LOST_PROPERTIES,
  leftOpen: LEFT_OPEN,
  link: optional(LINK),
};

export const CREATED_PROPERTIES = { ...CHANGED_PROPERTIES, linksTaken: optional(LINKS_TAKEN) };

export function changedView({ revision, ...file }: ChangedFile, vault: OpenVault) {
  const { path, lineCount, undoable, durable, lostProperties, leftOpen } = file;
  const link = deepLink(path, vault.linkName);
  return { path, lineCount, hash: shownHash(revision), undoable, durable, lostProperties, leftOpen, link };
}

export function createdView(file: ChangedFile, vault: OpenVault) {
  return { ...changedView(file, vault), linksTaken: file.linksTaken };
}

export const DELETED_PROPERTIES = {
  path: PATH_SHOWN,
  trashedTo: optional(string("Where it is in the trash; absent when it is not there")),
  undoable: UNDOABLE,
  durable: DURABLE,
};

type Deleted = Pick<DeleteOutcome, "path" | "trashedTo" | "undoable" | "durable">;

export function deletedView({ path, trashedTo, undoable, durable }: Deleted) {
  return { path, trashedTo, undoable, durable };
}

/** What the text about a change omits; undefined for nothing. */
export function writtenDetails({
  path,
  undoable,
  lostProperties,
  leftOpen,
  linksTaken,
  remarks = [],
}: {
  readonly path: string;
  readonly undoable: boolean;
  readonly lostProperties?: string | undefined;
  readonly leftOpen?: string | undefined;
  readonly linksTaken?: string | undefined;
  readonly remarks?: readonly string[] | undefined;
}): Wording | undefined {
  const lines = [lostPropertiesNote(path, lostProperties), leftOpen, ...remarks, linksTaken, undoNote(undoable)];
  return lines.every((line) => line === undefined) ? undefined : joined(lines);
}

export function changeDetails(answer: Parameters<typeof writtenDetails>[0] & { readonly hash: string }): Wording {
  return joined([hashLine(answer.hash), writtenDetails(answer)]);
}

/** Undefined if a change has broken no properties. */
export function lostPropertiesNote(path: string, why: string | undefined): Wording | undefined {
  if (why === undefined) return undefined;
  const undo = said`${call("undo_edit", { path }, `undo_edit with path "${path}"`)} takes the change back.`;
  return joined([`The properties of '${path}' cannot be read by Obsidian, or changed here: ${why}`, undo], " ");
}

/** The fields in the journal's reason of an update: `status, dueDate`. */
export function updatedFields(reason: string): string | undefined {
  return /^update (?:task|\d+ tasks): (.+)$/.exec(reason)?.[1];
}

export function hashLine(hash: string): string {
  return `Hash: ${hash}`;
}

export function numbered(line: string, number: number): string {
  return `${number}: ${line}`;
}

export function undoNote(undoable: boolean): Wording | undefined {
  return undoable ? undefined : said`${call("undo_edit")} may be unable to take this back.`;
}

/** How to undo a whole call; empty when that is impossible. */
export function undoAllLines(operation: string | undefined, undoable = true): readonly Wording[] {
  if (operation === undefined || !undoable) return [];
  return [said`${call("undo_edit", { path: operation })} takes all of it back.`];
}

/** Where a deleted file is, as a sentence. Never "for good": a journal that could not be written may still hold it. */
export function whereDeleted(trash: string | undefined, undoable: boolean): Wording {
  const where = trash === undefined ? "Removed, not kept in the trash" : `Moved to '${trash}'`;
  return said`${where}; ${call("undo_edit")} ${undoable ? "restores it" : "may be unable to restore it"}.`.or(
    `${where}.`,
  );
}

/**
 * Empty when the disk confirmed the write.
 * @param what the file's state, as the beginning of a sentence
 */
export function durabilityNote(durable: boolean, what = "The note is in place"): string {
  return durable ? "" : `\n\n${what}, but the disk did not confirm that it would survive a power cut.`;
}

/**
 * `obsidian://open?vault=NAME&file=path%2Fto%2Fnote`; undefined for a vault that Obsidian does not know by a
 * folder's name.
 */
export function deepLink(path: string, vaultName: string | undefined): string | undefined {
  if (vaultName === undefined) return undefined;
  const note = path.replace(/\.md$/i, "");
  return `obsidian://open?vault=${encodeURIComponent(vaultName)}&file=${encodeURIComponent(note)}`;
}
