/** What the vault offers as values of prompt arguments: areas, projects, folders. */
import { folderOf } from "../storage/path.js";
import type { OpenVault } from "../tools/workspace.js";

/** The areas of outstanding tasks, the most used first. */
export async function areasOf({ tasks }: OpenVault): Promise<readonly string[]> {
  const { outstanding } = await tasks.agenda();
  return byUse(outstanding.flatMap(({ area }) => area ?? []));
}

/** Projects: the notes and folders of the projects folders, then those that tasks name. */
export async function projectsOf({ vault, tasks }: OpenVault): Promise<readonly string[]> {
  const { projects } = await vault.para();
  const named = new Set<string>();
  for (const folder of projects)
    for (const entry of (await vault.children(folder)) ?? [])
      if (entry.kind === "folder" || /\.md$/i.test(entry.name)) named.add(entry.name.replace(/\.md$/i, ""));
  const { outstanding } = await tasks.agenda();
  for (const project of byUse(outstanding.flatMap(({ parentProjects }) => parentProjects))) named.add(project);
  return [...named];
}

/** Folders that hold notes, the inboxes first. */
export async function foldersOf({ vault }: OpenVault): Promise<readonly string[]> {
  const { inbox } = await vault.para();
  const view = await vault.index.refresh({ facts: [] });
  const folders = new Set(view.files().map(({ path }) => folderOf(path)));
  return [...new Set([...inbox, ...[...folders].toSorted()])].filter((folder) => folder !== "");
}

function byUse(names: readonly string[]): readonly string[] {
  const uses = new Map<string, number>();
  for (const name of names) uses.set(name, (uses.get(name) ?? 0) + 1);
  return [...uses].toSorted(([a, most], [b, other]) => other - most || a.localeCompare(b)).map(([name]) => name);
}
