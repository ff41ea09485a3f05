/** Which files arguments mean, by their roles, and where deleted ones are (docs: tools, "Arguments"). */
import { isVaultError, orIfFailed, VaultError } from "../../errors.js";
import { argument, said, call } from "../../text/wording.js";
import { folderPath, isMarkdown, plainSlashes, vaultPath, type VaultPath } from "../../storage/path.js";
import { folderThere } from "../../vault/new-path.js";
import { type Role, roleRow } from "./argument-roles.js";
import { roleOf, type ObjectSchema } from "../schema.js";
import { excerpt } from "../safe-text.js";
import type { ToolContext, OpenVault } from "../workspace.js";

type Read = (text: string, vault: OpenVault, context: ToolContext) => Promise<string>;

const READ: Readonly<Partial<Record<Role, Read>>> = {
  note: (text, vault, context) => located(text, vault, context),
  noteOrPeriod,
  notePart,
  file: fileOrFolder,
  place: fileOrFolder,
  source: fileOrFolder,
  target: (text, { links }) => links.fromRoot(text),
  newFile: (text, { links }) => links.fromRoot(text),
  changed: async (text, { links }) => plainPath(await links.fromRoot(text)),
  newFolder: async (text, { links }) => plainPath(await links.fromRoot(text)),
  folder: async (text, vault) => {
    const path = plainPath(await vault.links.fromRoot(text));
    return (await folderThere(vault.vault, path)) ?? path;
  },
};

const BY_NAME: ReadonlySet<Role> = new Set<Role>(["note", "noteOrPeriod", "notePart"]);

interface Reading {
  readonly schema: ObjectSchema;
  /** Whether the tool changes files. */
  readonly changes: boolean;
}

/**
 * The tool itself refuses what names no file. `remarks`: `"Roof" as 'Notes/Roof.md'`.
 * @throws VaultError AMBIGUOUS_NAME
 */
export async function readReferences(
  input: Readonly<Record<string, unknown>>,
  { schema, changes }: Reading,
  context: ToolContext,
) {
  const remarks: string[] = [];
  const read: Record<string, unknown> = { ...input };
  for (const [name, property] of Object.entries(schema.properties)) {
    const role = roleOf(property);
    const reader = role && READ[role];
    const text = input[name];
    if (role === undefined || reader === undefined || typeof text !== "string" || text.trim() === "") continue;
    const vault = await context.workspace.current();
    const { note, part } = await withoutPart(role, text, read, { schema, changes });
    const path = await reader(note, vault, context);
    read[name] = part === undefined ? path : `${path}#${part}`;
    const isWhole = !changes && part === undefined && path !== text && (await namesPart(text));
    if (isWhole || !saysSo(note, path, BY_NAME.has(role)))
      remarks.push(`"${excerpt(text, 200)}" as '${path}'${isWhole ? ", the whole file" : ""}`);
  }
  return { input: read, remarks };
}

/**
 * The part that a link names is the heading of a tool that takes one, or the part that moves; readers read the whole note.
 * @throws VaultError INVALID_ARGUMENT when a whole file would change instead, or link and heading differ
 */
async function withoutPart(role: Role, text: string, input: Record<string, unknown>, { schema, changes }: Reading) {
  const takesPart = role === "source" || role === "notePart";
  if (!(changes || takesPart) || !/(?:\]\]|\))\s*$/.test(text)) return { note: text };
  const { assertWhole, linkIn } = await import("../../links/file-reference.js");
  const { note = text, part } = linkIn(text) ?? {};
  if (part !== undefined && takesPart) return { note, part };
  if (!changes) return { note: text };
  const heading = Object.entries(schema.properties).find(([, property]) => roleOf(property) === "heading")?.[0];
  if (part === undefined || heading === undefined || part.startsWith("^")) {
    assertWhole(text);
    return { note: text };
  }
  if (input[heading] !== undefined && input[heading] !== part)
    throw new VaultError("INVALID_ARGUMENT", `The link and ${heading} name two sections.`, {
      hint: said`Leave ${argument(heading)} out, or give the note without #.`,
    });
  input[heading] = part;
  return { note };
}

/** Whether it links to a part, which readers ignore. */
async function namesPart(text: string): Promise<boolean> {
  if (!text.includes("#")) return false;
  const { linkIn } = await import("../../links/file-reference.js");
  return linkIn(text)?.part !== undefined;
}

async function located(
  text: string,
  { notes, vault }: OpenVault,
  { signal, onProgress }: ToolContext,
): Promise<string> {
  try {
    return await notes.locate(text, { signal, onProgress, suggests: false });
  } catch (error) {
    if (!isVaultError(error) || error.code === "AMBIGUOUS_NAME") throw error;
    const { readPeriodName } = await import("../../dates/period-names.js");
    const period = readPeriodName(text, vault.clock.today());
    if (period !== undefined && !period.isTitleFirst) throw error;
    return text;
  }
}

/** A file's name may contain `#`. */
async function notePart(text: string, vault: OpenVault, context: ToolContext): Promise<string> {
  const whole = await located(text, vault, context);
  const at = text.indexOf("#");
  return whole !== text || at <= 0 ? whole : (await located(text.slice(0, at), vault, context)) + text.slice(at);
}

async function noteOrPeriod(text: string, vault: OpenVault, context: ToolContext): Promise<string> {
  return located(text, vault, context).catch((error: unknown) => {
    if (isVaultError(error, "AMBIGUOUS_NAME")) throw error;
    return text;
  });
}

/** A folder of that path wins over a note of that name elsewhere. */
async function fileOrFolder(text: string, vault: OpenVault, context: ToolContext): Promise<string> {
  const path = plainPath(await vault.links.fromRoot(text));
  if (text.endsWith("/") || (await isFolder(path, vault))) return path;
  const found = await located(text, vault, context);
  return found === text ? ((await folderThere(vault.vault, path)) ?? path) : found;
}

async function isFolder(text: string, { vault }: OpenVault): Promise<boolean> {
  try {
    const path = folderPath(text, vault.pathRules);
    return !isMarkdown(path) && (await vault.children(path)) !== undefined;
  } catch (error) {
    if (error instanceof VaultError) return false;
    throw error;
  }
}

function plainPath(text: string): string {
  const plain = plainSlashes(text);
  try {
    return plain === text ? text : vaultPath(plain);
  } catch {
    return text;
  }
}

/** @param byName also by its name, as a link or by its URI */
function saysSo(text: string, path: string, byName: boolean): boolean {
  const written = text.trim().replace(/^\//, "");
  if (text === path || written === path || written === `${path}/`) return true;
  if (!byName || /^obsidian:|\\|^\.\//i.test(text)) return false;
  if (/^mcp-obsidian:|\]\]$|\)$/i.test(text.trim())) return true;
  const ends = (name: string) => `/${path}`.endsWith(`/${name}`);
  return ends(written) || ends(`${written}.md`);
}

const PRESENT: ReadonlySet<Role> = new Set<Role>(["note", "noteOrPeriod", "file", "place", "source", "task"]);

export async function explainDeleted(
  error: VaultError,
  args: unknown,
  input: ObjectSchema,
  { workspace }: Pick<ToolContext, "workspace">,
): Promise<VaultError> {
  if (!isVaultError(error, "FILE_NOT_FOUND")) return error;
  const { vault } = (await orIfFailed(workspace.current(), undefined)) ?? {};
  if (!vault || vault.readOnly) return error;
  for (const reference of referencesIn(args, input)) {
    const deleted = await vault.history.deleted(reference);
    if (deleted === undefined) continue;
    return error.with({ path: deleted.path, hint: hintFor(deleted) });
  }
  return error;
}

function hintFor({ path, trash, isUndoable }: { path: VaultPath; trash?: VaultPath | undefined; isUndoable: boolean }) {
  const where = trash === undefined ? "was deleted" : `is in the trash ('${trash}')`;
  const how = isUndoable
    ? said`${call("undo_edit", { path })} restores it`
    : "move it back in Obsidian or in the file system: no tool opens the trash";
  return said`'${path}' ${where}; ${how}.`.or(`'${path}' ${where}.`);
}

function referencesIn(args: unknown, { properties }: ObjectSchema): readonly string[] {
  const names = new Set<string>();
  for (const [name, schema] of Object.entries(properties)) {
    const role = roleOf(schema);
    if (role === undefined || !PRESENT.has(role)) continue;
    for (const one of [name, ...roleRow(role).also]) names.add(one);
  }
  const given = Object.entries(typeof args === "object" && args !== null ? args : {});
  return given.flatMap(([name, value]) => (names.has(name) && typeof value === "string" ? [value] : []));
}
