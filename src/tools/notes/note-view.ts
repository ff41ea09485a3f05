/** How note tools accept and show notes and links, and report what they did to many notes. */
import { orIfFailed } from "../../errors.js";
import type { AddOptions, AddedToNote, NoteText, WrittenNote } from "../../notes/api.js";
import {
  DURABLE,
  EXPECTED_HASH,
  HASH,
  LEFT_OPEN,
  LINK,
  LINKS_TAKEN,
  LOST_PROPERTIES,
  OPERATION,
  UNDOABLE,
  deepLink,
  durabilityNote,
  undoAllLines,
} from "../file-view.js";
import {
  type Infer,
  type StringSchema,
  array,
  boolean,
  count,
  integer,
  object,
  objects,
  optional,
  string,
  unlisted,
} from "../schema.js";
import type { RunContext } from "../tool.js";
import type { Link } from "../../links/api.js";
import { shownHash } from "../../text/hash.js";
import { folderRemark } from "../../search/nothing-found.js";
import { excerpt, oneLine } from "../safe-text.js";
import { ROOT, type VaultPath } from "../../storage/path.js";
import { LIMIT, OFFSET } from "../paging.js";
import type { OpenVault } from "../workspace.js";
import { placeOf, unreadRemark } from "../../obsidian/unlisted.js";
import type { ChangedNotes } from "../../notes/bulk-edit.js";
import { type Wording, joined, said, counted } from "../../text/wording.js";

export const NOTE_PATH = string("Path in the vault");
export const LINE_SHOWN = integer("Line, from 1; absent in a canvas", { minimum: 1 });

export const NOTE_PROPERTIES = {
  path: NOTE_PATH,
  hash: HASH,
  link: optional(LINK),
};

export const WRITTEN_PROPERTIES = {
  ...NOTE_PROPERTIES,
  undoable: UNDOABLE,
  durable: DURABLE,
  lostProperties: LOST_PROPERTIES,
  leftOpen: LEFT_OPEN,
};

const CREATE_PERIODIC = boolean("Make a missing periodic note");

export const TEMPLATE_REMARKS = optional(array(string(), "What a made note lacks of its template; absent for nothing"));

const ADDED_PROPERTIES = {
  ...WRITTEN_PROPERTIES,
  created: optional(boolean("True when the periodic note was made for it; otherwise absent")),
  linksTaken: optional(LINKS_TAKEN),
  remarks: TEMPLATE_REMARKS,
};

export const ADDED = object(ADDED_PROPERTIES);
type Added = Infer<typeof ADDED>;

export const ADD_OPTIONS = { expected_hash: unlisted(EXPECTED_HASH), create: optional(CREATE_PERIODIC) };

interface GivenOptions {
  readonly expected_hash?: string | undefined;
  readonly create?: boolean | undefined;
}

export async function added(
  { create, expected_hash: expected }: GivenOptions,
  { workspace, signal, onProgress }: RunContext,
  add: (notes: OpenVault["notes"], options: AddOptions) => Promise<AddedToNote>,
) {
  const vault = await workspace.current();
  return addedView(await add(vault.notes, { signal, onProgress, create, expected }), vault);
}

export function addedText({ path, hash, created, durable }: Added, where: string): string {
  const done = `${created ? "Made the note and added" : "Added"} ${where} '${shownLink(path)}'`;
  return `✅ ${done}\nHash: ${hash}${durabilityNote(durable)}`;
}

/** @param allFields for the page: also the link */
export function noteView(
  { path, revision }: Pick<WrittenNote, "path" | "revision">,
  vault: OpenVault,
  allFields: boolean | undefined,
) {
  const shown = { path, hash: shownHash(revision) };
  return allFields ? { ...shown, link: deepLink(path, vault.linkName) } : shown;
}

export function writtenView(note: WrittenNote, vault: OpenVault) {
  const { undoable, durable, lostProperties, leftOpen } = note;
  return { ...noteView(note, vault, true), undoable, durable, lostProperties, leftOpen };
}

function addedView(note: AddedToNote, vault: OpenVault) {
  const remarks = note.remarks?.length ? note.remarks.map((remark) => excerpt(remark, MAX_REMARK)) : undefined;
  return { ...writtenView(note, vault), created: note.created || undefined, linksTaken: note.linksTaken, remarks };
}

export async function readShown(reference: string, vault: OpenVault, context: RunContext): Promise<NoteText> {
  const path = await vault.notes.locate(reference, context);
  const shown = await vault.attachments.show(path, context.signal);
  if (shown === undefined) return vault.notes.read(path, context);
  if (shown.image !== undefined) context.attach(shown.image);
  const text = shown.parts.join(shown.kind === "pdf" ? "\n\n" : "\n");
  return { path, text, revision: shown.revision, modified: shown.stat.modified };
}

const SHOWN_LENGTH = 500;
const MAX_REMARK = 1_000;

export const LINK_PROPERTIES = {
  subpath: optional(string("#Heading or #^block, when it has one")),
  display: optional(string("The text it shows, when it has one")),
  embed: optional(boolean("True for an embed; otherwise absent")),
  property: optional(string("The property it is in; absent in the text")),
};

export function linkParts({ subpath, display, embed, property }: Link) {
  return {
    subpath: subpath === "" ? undefined : shownLink(subpath),
    display: display === undefined ? undefined : shownLink(display),
    embed: embed || undefined,
    property: property === undefined ? undefined : shownLink(property),
  };
}

export function shownLink(text: string): string {
  return excerpt(text, SHOWN_LENGTH);
}

/** Without the slash that marks a whole path in a canvas's file node. */
export function targetOf({ target, line }: Link): string {
  return shownLink(line === undefined ? target.replace(/^\//, "") : target);
}

export function placeText({ path, line }: { readonly path: string; readonly line?: number | undefined }): string {
  return line === undefined ? shownLink(path) : `${shownLink(path)}:${line}`;
}

export const NOTE = string("Name, path, [[link]] or this week", {
  role: "note",
  minLength: 1,
  maxLength: 4200,
});
export const NOTE_OR_PERIOD: StringSchema = { ...NOTE, role: "noteOrPeriod" };

export const PAGE_OF_NOTE = object({ note: NOTE, limit: LIMIT, offset: OFFSET });

export const REMARK = optional(
  string("Of an empty list: what there is without its filter; and notes that cannot be read in full"),
);

/** @param everywhere how many the whole vault has */
export async function listRemark(
  folder: string | undefined,
  { vault }: OpenVault,
  { total, everywhere }: { readonly total: number; readonly everywhere: () => Promise<number> },
): Promise<string | undefined> {
  const { folderMeant } = await import("../../notes/find-filter.js");
  const path = (await folderMeant(vault, folder)) ?? ROOT;
  const why = total > 0 ? undefined : await whyEmpty(path, vault, everywhere);
  const remarks = [why, unreadBelow(path, vault)].filter((remark) => remark !== undefined);
  return remarks.length === 0 ? undefined : remarks.join(" ");
}

/** What the answer above may lack, wholly or partly. */
export function unreadBelow(folder: VaultPath, { index }: OpenVault["vault"]): string | undefined {
  const isIn = (path: string): boolean => folder === ROOT || path.startsWith(`${folder}/`);
  const { latest } = index;
  return unreadRemark(
    (latest?.problems() ?? []).map(({ path }) => path).filter(isIn),
    (latest?.unlisted ?? []).filter((what) => isIn(placeOf(what))),
  );
}

async function whyEmpty(path: VaultPath, vault: OpenVault["vault"], count: () => Promise<number>) {
  if (path === ROOT) return undefined;
  const below = (await vault.index.refresh({ rows: [] })).notesBelow(path);
  const all = await orIfFailed(count(), undefined);
  const whole =
    all === undefined ? undefined : `In the whole vault there ${all === 1 ? "is" : "are"} ${all || "none"}.`;
  const remarks = [folderRemark(path, below), whole].filter((remark) => remark !== undefined);
  return remarks.length === 0 ? undefined : remarks.join(" ");
}

export const PAGE_OF_FOLDER = object({
  folder: optional(string("Only in this folder", { role: "folder" })),
  limit: LIMIT,
  offset: OFFSET,
});

const MAX_NAMED = 50;

export const BULK_PROPERTIES = {
  plan: optional(string("Give it with the same call to carry this out; absent when it was carried out")),
  operation: optional(OPERATION),
  changed: count("How many notes were changed, or would be"),
  unchanged: count("How many were so already"),
  notes: array(string(), "The first of those changed"),
  leftOut: objects("Notes that were left out, by reason", undefined, {
    reason: string("Why"),
    count: count("How many"),
    notes: array(string(), "The first of them"),
  }),
  undoable: UNDOABLE,
  durable: DURABLE,
};

const output = object(BULK_PROPERTIES);
type BulkAnswer = Infer<typeof output>;

export function bulkView({
  plan,
  operation,
  changed,
  unchanged,
  leftOut,
  undoable,
  durable,
}: ChangedNotes): BulkAnswer {
  const reasons = new Map<string, string[]>();
  for (const { path, reason } of leftOut) reasons.set(reason, [...(reasons.get(reason) ?? []), path]);
  return {
    plan,
    operation,
    changed: changed.length,
    unchanged,
    notes: changed.slice(0, MAX_NAMED),
    leftOut: [...reasons].slice(0, MAX_NAMED).map(([reason, paths]) => ({
      reason: excerpt(reason, 300),
      count: paths.length,
      notes: paths.slice(0, MAX_NAMED),
    })),
    undoable,
    durable,
  };
}

export function bulkText(report: BulkAnswer, done: string, remarks: readonly string[] = []): Wording {
  const { plan, operation, changed, unchanged, notes, leftOut, undoable, durable } = report;
  const lines = [
    plan === undefined
      ? `${done} ${counted(changed, "note")}.`
      : `${counted(changed, "note")} would change; nothing is written yet.`,
    ...notes.map((path, at) => `${at + 1}. ${oneLine(path)}`),
    ...(changed > notes.length ? [`… and ${changed - notes.length} more`] : []),
    ...(unchanged === 0 ? [] : [`Already so: ${unchanged}`]),
    ...leftOut.map(
      ({ reason, count, notes }) => `Left out ${count} (${notes.map(oneLine).join(", ")}): ${oneLine(reason)}`,
    ),
    ...remarks,
    ...(plan === undefined ? [] : [`Plan: ${plan}`, "The same call with this plan carries it out."]),
    ...undoAllLines(operation, undoable),
  ];
  return said`${joined(lines)}${durabilityNote(durable, "The notes are in place")}`;
}
