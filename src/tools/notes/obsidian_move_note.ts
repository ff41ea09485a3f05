/** Moves a note and rewrites the links to it. */
import { VaultError } from "../../errors.js";
import { baseName, folderOf, folderPath, joinPath, vaultPath, type VaultPath } from "../../storage/path.js";
import { withExtensionOf } from "../../links/move-check.js";
import { RELOCATION_PROPERTIES, relocationFacts, relocationLines, relocationUndo } from "../file-view.js";
import { object, optional, string } from "../schema.js";
import { defineTool } from "../tool.js";
import type { OpenVault } from "../workspace.js";
import { NOTE, shownLink } from "./note-view.js";

const output = object({
  from: string("Where it was"),
  path: string("Where it is now"),
  ...RELOCATION_PROPERTIES,
});

export const moveNote = defineTool({
  name: "obsidian_move_note",
  title: "Move or rename note",
  toolset: "notes",
  effect: "changes",
  description:
    "Renames or moves a note or attachment and rewrites every link that would break, in properties and canvases too. Never overwrites.",
  input: object({
    note: NOTE,
    new_name: optional(string("New name without folder; .md optional", { role: "newName", minLength: 1 })),
    folder: optional(string("Folder to move it to, made when missing; / is the root", { role: "newFolder" })),
  }),
  output,
  failure: "❌ Error moving note:",
  async run({ note, new_name: name, folder }, context) {
    if (name === undefined && folder === undefined)
      throw new VaultError("INVALID_ARGUMENT", "Neither new_name nor folder was given, so nothing is to be done.", {
        hint: "Give new_name to rename, folder to move, or both.",
      });
    const vault = await context.workspace.current();
    const from = await vault.links.find(note, context);
    const to = targetOf(from, name, folder, vault);
    const moved = await vault.links.move(from, to, context);
    return {
      from: moved.from,
      path: moved.to,
      ...relocationFacts(moved),
    };
  },
  text: (done) => [`✅ Moved ${shownLink(done.from)} → ${shownLink(done.path)}`, ...relocationLines(done)].join("\n"),
  details: (done) => relocationUndo(done, done.rewrittenCount === undefined),
});

function targetOf(
  from: VaultPath,
  name: string | undefined,
  folder: string | undefined,
  { vault }: OpenVault,
): VaultPath {
  const place = folder === undefined ? folderOf(from) : folderPath(folder, vault.pathRules);
  if (name === undefined) return joinPath(place, baseName(from));
  if (name.includes("/"))
    throw new VaultError("INVALID_ARGUMENT", "new_name holds a slash; it is a name without a folder.", {
      hint: "Give the folder as folder.",
    });
  return vaultPath(joinPath(place, withExtensionOf(from, name)), vault.pathRules);
}
