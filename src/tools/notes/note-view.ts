/** How the tools for single notes show them: schema and structured forms. */
import type { AddedToNote, NoteText, WrittenNote } from "../../notes/notes.js";
import { deepLink, DURABLE, UNDOABLE } from "../undoable.js";
import { HASH, LINK } from "../files/file-view.js";
import { boolean, optional } from "../schema.js";
import type { RunContext } from "../tool.js";
import type { OpenVault } from "../workspace.js";
import { fileReference, NOTE_PATH, URI_SHOWN } from "./link-view.js";

export const NOTE_PROPERTIES = {
  path: NOTE_PATH,
  uri: URI_SHOWN,
  hash: HASH,
  link: optional(LINK),
};

export const WRITTEN_PROPERTIES = {
  ...NOTE_PROPERTIES,
  undoable: UNDOABLE,
  durable: DURABLE,
};

export const CREATE_PERIODIC = boolean("Make a missing periodic note");

export const ADDED_PROPERTIES = {
  ...WRITTEN_PROPERTIES,
  created: optional(boolean("True when the periodic note was made for it; otherwise absent")),
};

export function noteView({ path, revision }: Pick<WrittenNote, "path" | "revision">, vault: OpenVault) {
  return { ...fileReference(path, vault), hash: revision, link: deepLink(path, vault.linkName) };
}

export function writtenView(note: WrittenNote, vault: OpenVault) {
  const { undoable, durable } = note;
  return { ...noteView(note, vault), undoable, durable };
}

export function addedView(note: AddedToNote, vault: OpenVault) {
  return { ...writtenView(note, vault), created: note.created || undefined };
}

export async function readShown(reference: string, vault: OpenVault, context: RunContext): Promise<NoteText> {
  const path = await vault.notes.locate(reference, context);
  const shown = await vault.attachments.show(path, context.signal);
  if (shown === undefined) return vault.notes.read(path, context);
  if (shown.image !== undefined) context.attach(shown.image);
  const text = shown.parts.join(shown.kind === "pdf" ? "\n\n" : "\n");
  return { path, text, revision: shown.revision, modified: shown.stat.modified };
}
