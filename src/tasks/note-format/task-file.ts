/** Finds a new task its folder and a free name there, and makes the file without ever replacing another (spec: tasks, section 4). */
import { isVaultError, VaultError } from "../../errors.js";
import { safeFileName } from "../../storage/file-name.js";
import { baseName, foldName, joinPath, vaultPath, type VaultPath } from "../../storage/path.js";
import type { FolderEntry } from "../../storage/storage.js";
import { newParaFolder, type ParaFolders, type ParaLook } from "../../catalog/para.js";
import type { Vault, WriteOutcome } from "../../vault/vault.js";

const FALLBACK_NAME = "Untitled task";
/** `safeFileName` leaves room for a number of three digits. */
const MOST_COPIES = 999;

/** The vault's projects folder, or where one is to be made in its style. */
export function projectsFolder(para: ParaFolders): VaultPath {
  return para.projects[0] ?? newParaFolder("projects", para);
}

/** Where a new task goes: the folder of its only parent project if there is one, otherwise the projects folder. */
export async function taskFolder(vault: Vault, look: ParaLook, projects: readonly string[]): Promise<VaultPath> {
  const { para, seen } = look;
  const [project] = projects;
  if (project !== undefined && projects.length === 1) {
    const wanted = foldName(project);
    for (const folder of para.projects) {
      const entries = seen.get(folder) ?? (await vault.children(folder)) ?? [];
      const own = entries.find((entry) => entry.kind === "folder" && foldName(entry.name) === wanted);
      if (own) return own.path;
    }
  }
  return projectsFolder(para);
}

/**
 * Makes a note named after a title. A name that is taken, whatever its case or Unicode form, gets ` 2`, ` 3` and so on; a name
 * that another process takes meanwhile too.
 * @param seen in the folder a moment ago; left out, it is looked into
 */
export async function createTaskFile(
  vault: Vault,
  folder: VaultPath,
  title: string,
  text: string,
  seen?: readonly FolderEntry[],
): Promise<WriteOutcome> {
  const name = safeFileName(title) || FALLBACK_NAME;
  const entries = seen ?? (await vault.children(folder)) ?? [];
  const taken = new Set(entries.map((entry) => foldName(entry.name)));
  for (let copy = 1; copy <= MOST_COPIES; copy++) {
    const path = vaultPath(joinPath(folder, `${copy === 1 ? name : `${name} ${copy}`}.md`));
    if (taken.has(foldName(baseName(path)))) continue;
    try {
      return await vault.create(path, text, "create task");
    } catch (error) {
      // Where the folder itself cannot be, because a file is in its place, no other name helps.
      const nameIsTaken = isVaultError(error, "ALREADY_EXISTS") && (await vault.children(folder)) !== undefined;
      if (!nameIsTaken) throw error;
    }
  }
  throw new VaultError("ALREADY_EXISTS", `There are too many notes named "${name}".`, {
    hint: "Choose another title.",
  });
}
