/** A vault's dialect by a small sample, for a first task created before anything was scanned. */
import { isMarkdown, ROOT, type VaultPath } from "../../storage/path.js";
import type { FolderEntry } from "../../storage/storage.js";
import type { ParaLook } from "../../catalog/para.js";
import type { Vault } from "../../vault/vault.js";
import type { Dialect } from "../fields/dialect.js";
import { countDialect } from "./dialect-count.js";
import { taskReader } from "./reader.js";

const SAMPLE = 20;

/**
 * The dialect of the first tasks found in the projects folders, else in folders named after tasks, else in the other PARA folders;
 * undefined without any. Of each only the first notes are read, those of its inner folders after its own.
 */
export async function sampleDialect(vault: Vault, look: ParaLook): Promise<Dialect | undefined> {
  const { projects, areas, resources } = look.para;
  return (
    (await dialectIn(vault, look, projects)) ??
    (await dialectIn(vault, look, foldersNamedAfterTasks(look))) ??
    (await dialectIn(vault, look, [...areas, ...resources]))
  );
}

async function dialectIn(vault: Vault, look: ParaLook, folders: readonly VaultPath[]): Promise<Dialect | undefined> {
  // A note that cannot be read teaches nothing.
  const facts = await vault.factsIn(await firstNotes(vault, look, folders), taskReader);
  return facts.length > 0 ? countDialect(facts) : undefined;
}

/** `Tasks`, `TaskNotes` and the like in the vault's root. */
function foldersNamedAfterTasks({ seen }: ParaLook): VaultPath[] {
  const entries = seen.get(ROOT) ?? [];
  return entries.filter(({ kind, name }) => kind === "folder" && /task/i.test(name)).map(({ path }) => path);
}

async function firstNotes(vault: Vault, look: ParaLook, folders: readonly VaultPath[]): Promise<VaultPath[]> {
  const notes: VaultPath[] = [];
  let looked = 0;
  const queue = [...folders];
  for (let folder = queue.shift(); folder !== undefined && looked < SAMPLE; folder = queue.shift()) {
    looked++;
    const entries = look.seen.get(folder) ?? (await vault.children(folder)) ?? [];
    for (const { kind, path } of entries.toSorted(byName)) {
      if (kind === "folder") queue.push(path);
      else if (isMarkdown(path) && notes.push(path) === SAMPLE) return notes;
    }
  }
  return notes;
}

const byName = (a: FolderEntry, b: FolderEntry): number => (a.name < b.name ? -1 : 1);
