/** A vault's dialect by a small sample, for a first task created before anything was scanned. */
import { isMarkdown, ROOT, type VaultPath } from "../storage/path.js";
import type { ParaFolders } from "../vault/para.js";
import type { Vault } from "../vault/vault.js";
import type { Dialect } from "./dialect.js";
import { countDialect } from "./dialect-count.js";
import { taskReader } from "./reader.js";

const SAMPLE = 20;

/**
 * The dialect of the first tasks found in the projects folders, else in folders named after tasks, else in the other PARA folders;
 * undefined without any. Of each only the first notes are read, those of its inner folders after its own.
 */
export async function sampleDialect(vault: Vault, para: ParaFolders): Promise<Dialect | undefined> {
  const named = await foldersNamedAfterTasks(vault);
  for (const folders of [para.projects, named, [...para.areas, ...para.resources]]) {
    // A note that cannot be read teaches nothing.
    const facts = await vault.factsIn(await firstNotes(vault, folders), taskReader);
    if (facts.length > 0) return countDialect(facts);
  }
  return undefined;
}

/** `Tasks`, `TaskNotes` and the like in the vault's root. */
async function foldersNamedAfterTasks(vault: Vault): Promise<VaultPath[]> {
  const entries = (await vault.children(ROOT)) ?? [];
  return entries.filter(({ kind, name }) => kind === "folder" && /task/i.test(name)).map(({ path }) => path);
}

async function firstNotes(vault: Vault, folders: readonly VaultPath[]): Promise<VaultPath[]> {
  const notes: VaultPath[] = [];
  let looked = 0;
  const queue = [...folders];
  for (let folder = queue.shift(); folder !== undefined && looked < SAMPLE; folder = queue.shift()) {
    looked++;
    const entries = ((await vault.children(folder)) ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    for (const { kind, path } of entries) {
      if (kind === "folder") queue.push(path);
      else if (isMarkdown(path) && notes.push(path) === SAMPLE) return notes;
    }
  }
  return notes;
}
