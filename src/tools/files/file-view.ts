/** How the file tools show a file: the schema pieces and the structured forms they share. */
import type { ChangedFile } from "../../files/files.js";
import { deepLink } from "../deep-link.js";
import { DURABLE } from "../durability.js";
import type { Schema } from "../schema.js";
import { UNDOABLE } from "../undoable.js";
import type { OpenVault } from "../workspace.js";

/** Arguments of several tools. */
export const PATH = { type: "string", description: "File in the vault, e.g. folder/note.md" } as const satisfies Schema;
export const EXPECTED_HASH = {
  type: "string",
  minLength: 1,
  maxLength: 200,
  description: "hash you last saw: refuse if the file changed since",
} as const satisfies Schema;

export { UNDOABLE };

export const PATH_SHOWN = { type: "string", description: "Path in the vault" } as const satisfies Schema;
export const HASH = {
  type: "string",
  description: "Identifies the content; give it as expected_hash to change only this",
} as const satisfies Schema;
export const LINE_COUNT = {
  type: "integer",
  minimum: 0,
  description: "How many lines the file has",
} as const satisfies Schema;
export const LINK = { type: "string", description: "Opens the file in Obsidian" } as const satisfies Schema;

/** What every answer says of a file whose text was changed. */
export const CHANGED_PROPERTIES = {
  path: PATH_SHOWN,
  lineCount: LINE_COUNT,
  hash: HASH,
  undoable: UNDOABLE,
  durable: DURABLE,
  link: LINK,
} as const satisfies Record<string, Schema>;
export const CHANGED_REQUIRED = ["path", "lineCount", "hash", "undoable", "durable"] as const;

export function changedView({ path, lineCount, revision, undoable, durable }: ChangedFile, vault: OpenVault) {
  return { path, lineCount, hash: revision, undoable, durable, ...linkTo(path, vault) };
}

/** `{ link }`, where Obsidian knows the vault by a name. */
export function linkTo(path: string, vault: OpenVault): { readonly link?: string } {
  const link = deepLink(path, vault.linkName);
  return link === undefined ? {} : { link };
}

/** A line as the answers of file tools number it. */
export function numbered(line: string, number: number): string {
  return `${number}: ${line}`;
}
