/** Explains where a deleted note or task is, and how to restore it (docs: notes-and-files, "undo_edit"). */
import { isVaultError, type VaultError } from "../errors.js";
import { call, said } from "../text/said.js";
import type { VaultPath } from "../storage/path.js";
import { type Role, roleRow } from "./arguments/argument-roles.js";
import type { ObjectSchema } from "./schema.js";
import type { ToolContext } from "./workspace.js";

const PRESENT: ReadonlySet<Role> = new Set<Role>(["note", "noteOrPeriod", "file", "place", "source", "task"]);

export async function explainDeleted(
  error: VaultError,
  args: unknown,
  input: ObjectSchema,
  { workspace }: Pick<ToolContext, "workspace">,
): Promise<VaultError> {
  if (!isVaultError(error, "FILE_NOT_FOUND")) return error;
  const vault = await vaultOf(workspace);
  if (!vault || vault.readOnly) return error;
  for (const reference of referencesIn(args, input)) {
    const deleted = await vault.history.deleted(reference);
    if (deleted === undefined) continue;
    return error.with({ path: deleted.path, hint: hintFor(deleted) });
  }
  return error;
}

async function vaultOf(workspace: ToolContext["workspace"]) {
  try {
    return (await workspace.current()).vault;
  } catch {
    return undefined;
  }
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
    const role = "role" in schema ? schema.role : undefined;
    if (role === undefined || !PRESENT.has(role)) continue;
    for (const one of [name, ...roleRow(role).also]) names.add(one);
  }
  const given = Object.entries(typeof args === "object" && args !== null ? args : {});
  return given.flatMap(([name, value]) => (names.has(name) && typeof value === "string" ? [value] : []));
}
