/** Undoes changes of files (docs: notes-and-files; tasks, "Many at once"). */
import { isVaultError, VaultError } from "../../errors.js";
import { call, joined, said, type Wording, counted } from "../../text/wording.js";
import { type StepNotUndone, operationIn, operationReference } from "../../history/journal-records.js";
import type { UndoneFile, UndoneOperation } from "../../files/service.js";
import {
  deepLink,
  durabilityNote,
  DURABLE,
  HASH,
  hashLine,
  LINE_COUNT,
  LINK,
  numbered,
  PATH,
  PATH_SHOWN,
} from "../file-view.js";
import { array, boolean, count, integer, object, optional, string, type Infer, objects } from "../schema.js";
import { shownHash } from "../../text/hash.js";
import { excerpt } from "../safe-text.js";
import { defineTool } from "../tool.js";
import type { OpenVault } from "../workspace.js";
import { lineWindow, windowNotice } from "../paging.js";

const MAX_LISTED = 100;
const MAX_NAMED = 10;
const MAX_BATCH = 20;

const output = object({
  asked: { ...PATH_SHOWN, description: "The path or operation asked for, or found to be the last" },
  path: optional({ ...PATH_SHOWN, description: "Where the file is now: elsewhere when a rename was taken back" }),
  undone: string("What was taken back", { enum: ["edit", "create", "move", "delete", "operation"] }),
  reason: string("What that change was for"),
  exists: optional(boolean("False when nothing is there now, because a creation was taken back")),
  content: optional(string("The file's lines as `N: text`, as many as fit; absent when it is no text")),
  firstLine: optional(integer("The first line shown", { minimum: 1 })),
  lastLine: optional(count("The last line shown")),
  nextLine: optional(integer("Where view_range should go on; absent when all is shown")),
  cutCharacters: optional(integer("Characters omitted from the last line, when it is too long")),
  lineCount: optional(LINE_COUNT),
  hash: optional(HASH),
  trashedTo: optional(string("Where in the trash a new file went that was taken back")),
  copyInTrash: optional(boolean("True when the trash still holds a copy of the restored file")),
  others: array(
    string(),
    "The first of the other files taken back with it, because one call had changed them all; of an operation of all",
    { maxItems: MAX_NAMED },
  ),
  otherCount: count("How many those are"),
  kept: objects(
    "Files of that call that were left as they are",
    "A file",
    {
      path: PATH_SHOWN,
      reason: string("Why it was left"),
    },
    { maxItems: MAX_LISTED },
  ),
  earlier: optional(array(string(), "With `last`: what was taken back before this, newest first")),
  stopped: optional(string("With `last`: why no more was taken back")),
  operation: optional(string("op-… of which this was one change: give it to undo_edit to take the rest back")),
  remaining: optional(count("How many more changes of the file can be taken back")),
  durable: DURABLE,
  link: optional(LINK),
});
export type UndoEditAnswer = Infer<typeof output>;

export const undoEdit = defineTool({
  name: "undo_edit",
  title: "Undo last change",
  toolset: "files",
  alsoIn: ["tasks"],
  effect: "changes",
  description:
    "Takes back a file's last change by any tool, or a whole operation (op-…); without path the last change of all. Again goes further back.",
  input: object({
    path: optional({ ...PATH, role: "changed", description: "The file (after a deletion, where it was), or op-…" }),
    last: optional(integer("So many changes, newest first", { role: "count", minimum: 1, maximum: MAX_BATCH })),
  }),
  output,
  failure: "",
  async run({ path, last }, { workspace }) {
    if (path !== undefined && last !== undefined)
      throw new VaultError("INVALID_ARGUMENT", "path and last are both given.", { hint: "Give one of them, or none." });
    const vault = await workspace.current();
    const { undone, earlier, stopped } = await undoLastOf(vault, path, last);
    const more = { earlier: earlier.length === 0 ? undefined : earlier, stopped };
    if (isOperation(undone)) return { ...operationFacts(undone), ...more };
    return {
      ...factsOf(undone),
      ...contentOf(undone),
      ...more,
      link: undone.file && deepLink(undone.path, vault.linkName),
    };
  },
  text: report,
  details: ({ hash }) => (hash === undefined ? undefined : hashLine(hash)),
});

/** The exact path first: a deleted file's name may be another's. */
async function undoAt(path: string, { files, notes }: OpenVault): Promise<UndoneFile> {
  try {
    return await files.undo(path);
  } catch (error) {
    const isElsewhere = isVaultError(error, "FILE_NOT_FOUND") || isVaultError(error, "INVALID_ARGUMENT");
    const found = isElsewhere ? await notes.locate(path).catch(() => undefined) : undefined;
    if (found === undefined || found === path) throw error;
    return files.undo(found);
  }
}

interface UndoneChanges {
  readonly undone: UndoneFile | UndoneOperation;
  readonly earlier: readonly string[];
  readonly stopped?: string;
}

async function undoLastOf(vault: OpenVault, path: string | undefined, last = 1): Promise<UndoneChanges> {
  const { files } = vault;
  if (path !== undefined)
    return {
      undone: operationIn(path) === undefined ? await undoAt(path, vault) : await files.undoOperation(path),
      earlier: [],
    };
  let undone = await files.undoLast();
  const earlier: string[] = [];
  for (let count = 1; count < last; count++) {
    try {
      const next = await files.undoLast();
      earlier.push(`'${undone.asked}': ${isOperation(undone) ? undone.reason : undone.step.reason}`);
      undone = next;
    } catch (error) {
      // What was undone stays so.
      return {
        undone,
        earlier,
        stopped: excerpt(error instanceof VaultError ? error.message : "The disk reported an error.", 300),
      };
    }
  }
  return { undone, earlier };
}

function isOperation(undone: UndoneFile | UndoneOperation): undone is UndoneOperation {
  return "reverted" in undone;
}

function operationFacts({ asked, reason, reverted, kept, durable }: UndoneOperation) {
  return { asked, undone: "operation" as const, reason: excerpt(reason, 200), ...otherFiles(reverted, kept), durable };
}

function factsOf({ asked, path, step, file, trashedTo, copyInTrash, others, kept, remaining, rest }: UndoneFile) {
  return {
    asked,
    path,
    undone: step.kind,
    reason: excerpt(step.reason, 200),
    // A folder with its old name exists, although it is no file.
    exists: file !== undefined || step.kind === "move",
    hash: file && shownHash(file.revision),
    trashedTo,
    copyInTrash: copyInTrash || undefined,
    ...otherFiles(others, kept),
    operation: rest && operationReference(rest.id),
    remaining,
    durable: file?.durable ?? true,
  };
}

function otherFiles(others: readonly string[], kept: readonly StepNotUndone[]) {
  return {
    others: others.slice(0, MAX_NAMED),
    otherCount: others.length,
    kept: kept.slice(0, MAX_LISTED).map((one) => ({ path: one.path, reason: excerpt(one.reason, 300) })),
  };
}

function contentOf({ lines }: UndoneFile) {
  if (lines === undefined) return {};
  return { ...lineWindow(lines, { first: 1, last: lines.length }, numbered), lineCount: lines.length };
}

function report(data: UndoEditAnswer): Wording {
  const { asked, undone, reason, otherCount, earlier = [] } = data;
  const head =
    undone === "operation"
      ? `Took back '${asked}' (${reason}) in ${counted(otherCount, "file")}:`
      : `Reverted '${asked}' to previous version:`;
  const before = earlier.map((one) => `Took back ${one}`);
  const lines = [...before, head, contentLines(data), ...notes(data)];
  return said`${joined(lines.filter((line) => line !== ""))}${durabilityNote(data.durable)}`;
}

function contentLines({
  undone,
  others,
  otherCount,
  content = "",
  lastLine = 0,
  lineCount = 0,
  ...rest
}: UndoEditAnswer): string {
  if (undone === "operation") return namesOf(others, otherCount);
  const { nextLine, cutCharacters } = rest;
  return content + windowNotice({ lastLine, nextLine, cutCharacters }, lineCount);
}

function notes(data: UndoEditAnswer): Wording[] {
  const {
    asked,
    path = asked,
    exists = true,
    trashedTo,
    copyInTrash,
    others,
    otherCount,
    kept,
    stopped,
    operation,
  } = data;
  const notes: Wording[] = [];
  if (!exists)
    notes.push(
      `'${path}' is no longer there: it was new${trashedTo === undefined ? "" : `. It is now '${trashedTo}'`}`,
    );
  if (path !== asked) notes.push(`It is '${path}' again`);
  if (copyInTrash) notes.push("The trash still holds a copy");
  if (data.undone !== "operation" && otherCount > 0) notes.push(`Taken back with it: ${namesOf(others, otherCount)}`);
  for (const file of kept.slice(0, MAX_NAMED)) notes.push(`Left as it is: '${file.path}': ${file.reason}`);
  if (kept.length > MAX_NAMED) notes.push(`Left as they are: ${kept.length - MAX_NAMED} more`);
  if (operation !== undefined)
    notes.push(
      said`It was one of several changes of '${operation}'; ${call("undo_edit", { path: operation })} takes the rest back`,
    );
  if (stopped !== undefined) notes.push(`Nothing earlier was taken back: ${stopped}`);
  return notes.map((note) => said`[${note}]`);
}

function namesOf(paths: readonly string[], count: number): string {
  const named = paths.slice(0, MAX_NAMED).map((path) => `'${path}'`);
  return named.join(", ") + (count > named.length ? ` and ${count - named.length} more` : "");
}
