/** What is renamed with a project's note: its folder, and the tasks that name it in plain text (docs: notes-and-files, "Renaming a project"). */
import { isVaultError } from "../../errors.js";
import { arrangeList, listItems, setProperty } from "../../markdown/frontmatter/edit.js";
import { readFrontmatter } from "../../markdown/frontmatter/frontmatter.js";
import type { VaultSettings } from "../../obsidian/settings.js";
import { fileTitle, baseName, folderOf, foldName, isMarkdown, joinPath, type VaultPath } from "../../storage/path.js";
import { fold } from "../../text/fold.js";
import { counted } from "../../text/plural.js";
import { occupantOf } from "../../vault/new-path.js";
import type { Vault } from "../../vault/vault.js";
import { isOfProject } from "../query/filter.js";
import { type Customs, customsOf } from "../note-format/customs.js";
import type { TaskRows } from "../rows/task-rows.js";
import { projectsOfName } from "./known-names.js";

export interface RenamedProject {
  /** The note's own folder, which gets the new name too. */
  readonly folder: { readonly from: VaultPath; readonly to: VaultPath } | undefined;
  /** Notes of tasks that name the project in plain text, and their change. */
  readonly named: readonly VaultPath[];
  rename(text: string): string;
  /** What keeps the old name, in sentences. */
  readonly oldNames: readonly string[];
}

export interface ProjectRename {
  readonly from: VaultPath;
  readonly to: VaultPath;
  readonly kind: "file" | "folder" | "merge";
  readonly files: ReadonlyMap<VaultPath, VaultPath>;
  readonly mayChange: (path: VaultPath) => boolean;
  /** An interrupted rename has moved the folder already. */
  readonly isMoved: boolean;
}

/** Undefined when nothing else has the old names. */
export async function renamedWith(
  vault: Vault,
  readTasks: () => Promise<TaskRows>,
  request: ProjectRename,
): Promise<RenamedProject | undefined> {
  const project = request.kind === "file" ? await renamedProject(vault, readTasks, request) : undefined;
  const { plainBlockers } = await import("../note-format/plain-blockers.js");
  const blockers = plainBlockers(await readTasks(), await allMoves(vault, request, project?.folder));
  if (blockers.named.length === 0) return project;
  return {
    folder: project?.folder,
    named: [...new Set([...(project?.named ?? []), ...blockers.named])],
    rename: (text) => blockers.rename(project?.named.length ? project.rename(text) : text),
    oldNames: project?.oldNames ?? [],
  };
}

/** Also of what is in a project's folder. */
async function allMoves(
  vault: Vault,
  { from, to, files }: ProjectRename,
  folder: RenamedProject["folder"],
): Promise<ReadonlyMap<VaultPath, VaultPath>> {
  if (folder === undefined) return files;
  const below = (await vault.paths()).filter((path) => path.startsWith(`${folder.from}/`));
  const inside = below.map((path) => [path, joinPath(folder.to, path.slice(folder.from.length + 1))] as const);
  return new Map([...files, ...inside, [from, joinPath(folder.to, baseName(to))]]);
}

/** Undefined when the note is not a project's, or keeps its name. */
async function renamedProject(
  vault: Vault,
  readTasks: () => Promise<TaskRows>,
  request: ProjectRename,
): Promise<RenamedProject | undefined> {
  const { from, to } = request;
  const [old, now] = [fileTitle(from), fileTitle(to)];
  if (!isMarkdown(from) || old === now) return undefined;
  const { projects } = await vault.para();
  const around = folderOf(from);
  const own = projects.includes(folderOf(around)) && foldName(baseName(around)) === foldName(old) ? around : undefined;
  if (own === undefined && !projects.includes(around)) return undefined;
  const rows = await readTasks();
  const rename = (text: string): string => withProjectNamed(text, old, now, customsOf(rows.settings));
  const tasks = await tasksNaming(vault, rows, old, rename);
  const folder = own && { from: own, to: joinPath(folderOf(own), now) };
  const obstacle =
    folderOf(to) === around || request.isMoved
      ? await whyNotFolder(vault, folder, request)
      : "the note moved away from it";
  if (obstacle !== undefined) {
    const kept = own === undefined ? [] : [`The folder '${own}' keeps its name: ${obstacle}.`];
    return { folder: undefined, named: [], rename, oldNames: [...kept, ...keptBy(tasks.all, old)] };
  }
  const others = await projectsOfName(vault, old);
  if (others.some((path) => path !== from))
    return { folder, named: [], rename, oldNames: keptBy(tasks.all, old, ", as another project has") };
  return { folder, named: tasks.plain, rename, oldNames: keptBy(tasks.fixed, old) };
}

/** Undefined when the folder may have the new name, or there is none. */
async function whyNotFolder(
  vault: Vault,
  folder: RenamedProject["folder"],
  { isMoved, mayChange }: ProjectRename,
): Promise<string | undefined> {
  if (folder === undefined || isMoved) return undefined;
  try {
    const taken = await occupantOf(vault, folder.to, folder.from);
    if (taken !== undefined) return `'${taken.path}' exists already`;
  } catch (error) {
    if (!isVaultError(error)) throw error;
    return "no folder can have the new one";
  }
  const inside = (await vault.paths()).filter((path) => path.startsWith(`${folder.from}/`));
  return inside.every((path) => mayChange(path)) ? undefined : "this caller may not change all that is in it";
}

/** `plain` are rewritten by `rename`; `fixed` name it in a form that it leaves. */
async function tasksNaming(vault: Vault, rows: TaskRows, name: string, rename: (text: string) => string) {
  const [plain, fixed]: [VaultPath[], VaultPath[]] = [[], []];
  for (const { path } of rows.list([isOfProject(name), { sql: "task.line = 0", values: [] }])) {
    const text = await vault.read(path).then(
      (note) => note.text,
      () => "",
    );
    if (rename(text) !== text) plain.push(path);
    else if (namesPlainly(text, name, rows.settings)) fixed.push(path);
  }
  return { plain, fixed, all: [...plain, ...fixed] };
}

/** Links are rewritten as links. */
function namesPlainly(text: string, name: string, settings: VaultSettings): boolean {
  const property = customsOf(settings).spelling.fieldProperties(readFrontmatter(text).properties).get("projects");
  const plain = JSON.stringify(property?.value ?? "").replace(/\[\[[^\]]*\]\]/g, "");
  return fold(plain).includes(fold(name));
}

function keptBy(tasks: readonly VaultPath[], name: string, why = ""): string[] {
  if (tasks.length === 0) return [];
  const verb = tasks.length === 1 ? "names" : "name";
  return [`${counted(tasks.length, "task")} still ${verb} the project "${name}"${why}, such as '${tasks[0] ?? ""}'.`];
}

/** Changes equal names without link; leaves what cannot be changed alone. */
function withProjectNamed(text: string, old: string, now: string, { spelling }: Customs): string {
  const property = spelling.fieldProperties(readFrontmatter(text).properties).get("projects");
  if (property === undefined) return text;
  const { key, value, text: scalar } = property;
  const renamed = (item: string): string => (fold(item.trim()) === fold(old) ? now : item);
  try {
    const items = Array.isArray(value) ? listItems(text, key) : undefined;
    if (items === undefined)
      return renamed(scalar ?? "") === scalar ? text : setProperty(text, key, now, { plain: true });
    const entries = items.map(({ text: item }, place) => {
      const wanted = item === undefined ? undefined : renamed(item);
      return wanted === undefined || wanted === item ? place : { place, text: wanted };
    });
    return arrangeList(text, key, entries, { plain: true });
  } catch (error) {
    if (isVaultError(error)) return text;
    throw error;
  }
}
