/** What answers about files share: path, hash, undo, durability, conflicts, renames, the link to Obsidian (docs: notes-and-files). */
import type { ChangedFile } from "../files/service.js";
import { type Wording, call, joined, said, counted } from "../text/wording.js";
import type { DeleteOutcome } from "../vault/vault.js";
import {
  type Infer,
  array,
  boolean,
  count,
  integer,
  object,
  optional,
  optionalObjects,
  string,
  unlisted,
} from "./schema.js";
import { shownHash } from "../text/hash.js";
import type { OpenVault } from "./workspace.js";
import type { Relocation } from "../links/api.js";
import { excerpt, oneLine, unlessEmpty } from "./safe-text.js";

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

/** What the text omits; undefined for nothing. */
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

export function lostPropertiesNote(path: string, why: string | undefined): Wording | undefined {
  if (why === undefined) return undefined;
  const undo = said`${call("undo_edit", { path }, `undo_edit with path "${path}"`)} takes the change back.`;
  return joined([`The properties of '${path}' cannot be read by Obsidian, or changed here: ${why}`, undo], " ");
}

/** Of the journal's reason: `status, dueDate`. */
export function updatedFields(reason: string): string | undefined {
  return /^update (?:task|\d+ tasks): (.+)$/.exec(reason)?.[1];
}

export function hashLine(hash: string): string {
  return `Hash: ${hash}`;
}

export function numbered(line: string, number: number): string {
  return `${number}: ${line}`;
}

function undoNote(undoable: boolean): Wording | undefined {
  return undoable ? undefined : said`${call("undo_edit")} may be unable to take this back.`;
}

/** Empty when a call cannot be undone. */
export function undoAllLines(operation: string | undefined, undoable = true): readonly Wording[] {
  if (operation === undefined || !undoable) return [];
  return [said`${call("undo_edit", { path: operation })} takes all of it back.`];
}

/** Never "for good": a journal that could not be written may still hold it. */
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

const MAX_LISTED = 100;
const MAX_NAMED = 10;

export const RELOCATION_PROPERTIES = {
  links: optional(count("How many links were rewritten; absent: none")),
  rewritten: optional(array(string(), "The first of the files whose links were rewritten", { maxItems: MAX_NAMED })),
  rewrittenCount: optional(count("How many those are")),
  skipped: optionalObjects(
    "Notes with links that could not be rewritten and now lead nowhere",
    "A note",
    {
      path: string("Path in the vault"),
      reason: string("Why"),
      inPart: optional(boolean("Other links of it were rewritten")),
    },
    { maxItems: MAX_LISTED },
  ),
  skippedCount: optional(count("How many those are")),
  operation: optional(OPERATION),
  folder: optional(string("The project's folder, renamed with its note")),
  namedCount: optional(count("How many tasks had the old name in plain text and have the new one")),
  oldNames: optional(array(string(), "What keeps the project's old name, in words")),
  undoable: UNDOABLE,
  durable: optional(DURABLE),
};

const RELOCATION = object(RELOCATION_PROPERTIES);
type RelocationFacts = Infer<typeof RELOCATION>;

export function relocationFacts({
  links,
  rewritten,
  skipped,
  operation,
  folder,
  named = [],
  oldNames = [],
  undoable,
  durable,
}: Omit<Relocation, "from" | "to" | "kind" | "moved">): RelocationFacts {
  return {
    links: links || undefined,
    rewritten: unlessEmpty(rewritten.slice(0, MAX_NAMED)),
    rewrittenCount: rewritten.length || undefined,
    skipped: unlessEmpty(
      skipped.slice(0, MAX_LISTED).map(({ path, reason }) => ({
        path,
        reason: excerpt(reason, 300),
        inPart: rewritten.some((one) => one === path) || undefined,
      })),
    ),
    skippedCount: skipped.length || undefined,
    operation: undoable ? operation : undefined,
    folder,
    namedCount: named.length || undefined,
    oldNames: unlessEmpty(oldNames.map(oneLine)),
    undoable,
    durable: durable ? undefined : false,
  };
}

export function relocationLines(facts: RelocationFacts): string[] {
  const { links = 0, rewrittenCount = 0, skipped = [], skippedCount = 0 } = facts;
  const { folder, namedCount = 0, oldNames = [], durable = true } = facts;
  const lines: string[] = [];
  if (links > 0) lines.push(`Rewrote ${counted(links, "link")} in ${counted(rewrittenCount, "note")}.`);
  if (folder !== undefined) lines.push(`The project's folder is '${folder}' now.`);
  if (namedCount > 0) lines.push(`Changed the name in ${counted(namedCount, "task")} that had it in plain text.`);
  for (const sentence of oldNames) lines.push(`[${sentence}]`);
  for (const note of skipped.slice(0, MAX_NAMED))
    lines.push(`[${note.inPart ? "Some links" : "Links"} in '${note.path}' are as they were: ${note.reason}]`);
  if (skippedCount > MAX_NAMED) lines.push(`[… and in ${counted(skippedCount - MAX_NAMED, "more note")}]`);
  return durable ? lines : [...lines, durabilityNote(durable, "It has moved").trimStart()];
}

/** @param hasOneFile the operation is not named: undo by the path does the same */
export function relocationUndo({ operation, undoable }: RelocationFacts, hasOneFile: boolean): Wording | undefined {
  return (hasOneFile ? undefined : undoAllLines(operation)[0]) ?? undoNote(undoable);
}
