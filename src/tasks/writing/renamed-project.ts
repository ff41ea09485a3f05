/** What is renamed with a project's note (docs: notes-and-files, "Renaming a project"). */
import { condition } from "../../index/subject.js";
import { isVaultError } from "../../errors.js";
import { arrangeList, listItems, setProperty } from "../../markdown/frontmatter/edit.js";
import { quotePiece, readCells } from "../../markdown/frontmatter/cells.js";
import { readFrontmatter } from "../../markdown/frontmatter/frontmatter.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import { applySplices, type Splice } from "../../markdown/line-edit.js";
import type { VaultSettings } from "../../obsidian/settings.js";
import { fileTitle, baseName, folderOf, foldName, isMarkdown, joinPath, type VaultPath } from "../../storage/path.js";
import { fold } from "../../text/fold.js";
import { counted } from "../../text/wording.js";
import { type Companions, occupantOf, type Renaming } from "../../vault/new-path.js";
import type { Vault } from "../../vault/vault.js";
import { relationsOf } from "../relations.js";
import { isLink } from "../fields/property-values.js";
import { isOfProject } from "../query/filter.js";
import { type Conventions, conventionsOf } from "../note-format/note-settings.js";
import { blockersIn } from "../note-format/write-field.js";
import type { TaskRows } from "../rows/task-rows.js";
import { projectsOfName } from "../known-names.js";

/** Undefined when nothing else has the old names. */
export async function renamedWith(
  vault: Vault,
  readTasks: () => Promise<TaskRows>,
  request: Renaming,
): Promise<Companions | undefined> {
  const project = request.kind === "file" ? await renamedProject(vault, readTasks, request) : undefined;
  const blockers = plainBlockers(await readTasks(), await allMoves(vault, request, project?.folder));
  if (blockers.named.length === 0) return project;
  return {
    folder: project?.folder,
    named: [...new Set([...(project?.named ?? []), ...blockers.named])],
    rename: (text) => blockers.rename(project?.named.length ? project.rename(text) : text),
    oldNames: project?.oldNames ?? [],
  };
}

async function allMoves(
  vault: Vault,
  { from, to, files }: Renaming,
  folder: Companions["folder"],
): Promise<ReadonlyMap<VaultPath, VaultPath>> {
  if (folder === undefined) return files;
  const below = (await vault.paths()).filter((path) => path.startsWith(`${folder.from}/`));
  const inside = below.map((path) => [path, joinPath(folder.to, path.slice(folder.from.length + 1))] as const);
  return new Map([...files, ...inside, [from, joinPath(folder.to, baseName(to))]]);
}

async function renamedProject(
  vault: Vault,
  readTasks: () => Promise<TaskRows>,
  request: Renaming,
): Promise<Companions | undefined> {
  const { from, to } = request;
  const [old, now] = [fileTitle(from), fileTitle(to)];
  if (!isMarkdown(from) || old === now) return undefined;
  const { projects } = await vault.para();
  const around = folderOf(from);
  const own = projects.includes(folderOf(around)) && foldName(baseName(around)) === foldName(old) ? around : undefined;
  if (own === undefined && !projects.includes(around)) return undefined;
  const rows = await readTasks();
  const rename = (text: string): string => withProjectNamed(text, old, now, conventionsOf(rows.settings));
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

async function whyNotFolder(
  vault: Vault,
  folder: Companions["folder"],
  { isMoved, mayChange }: Renaming,
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

/** `plain`: `rename` rewrites them; `fixed`: it cannot. */
async function tasksNaming(vault: Vault, rows: TaskRows, name: string, rename: (text: string) => string) {
  const [plain, fixed]: [VaultPath[], VaultPath[]] = [[], []];
  for (const { path } of rows.list([isOfProject(name), condition("task.line = 0")])) {
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
  const property = conventionsOf(settings).spelling.fieldProperties(readFrontmatter(text).properties).get("projects");
  const plain = JSON.stringify(property?.value ?? "").replace(/\[\[[^\]]*\]\]/g, "");
  return fold(plain).includes(fold(name));
}

function keptBy(tasks: readonly VaultPath[], name: string, why = ""): string[] {
  if (tasks.length === 0) return [];
  const verb = tasks.length === 1 ? "names" : "name";
  return [`${counted(tasks.length, "task")} still ${verb} the project "${name}"${why}, such as '${tasks[0] ?? ""}'.`];
}

/** Changes equal plain names, where possible. */
function withProjectNamed(text: string, old: string, now: string, { spelling }: Conventions): string {
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

/** Blockers given by plain name or path. */
type PlainNames = Pick<Companions, "named" | "rename">;

function plainBlockers(rows: TaskRows, moves: ReadonlyMap<VaultPath, VaultPath>): PlainNames {
  const relations = relationsOf(rows);
  const byName = new Map<string, readonly [VaultPath, VaultPath]>();
  for (const move of moves) for (const name of namesOf(move[0])) byName.set(foldName(name), move);
  const renamed = new Map<string, string>();
  const named = new Set<VaultPath>();
  for (const task of rows.list([condition("task.waits = 1 AND task.line = 0")]))
    for (const reference of task.blockedBy.filter(isPlain)) {
      const move = byName.get(foldName(withoutEnding(reference)));
      const now = move && newName(reference, move[1]);
      if (move === undefined || now === undefined || now === reference) continue;
      const [found] = relations.resolve(task, reference);
      const isId = found !== undefined && found.id === reference && found.id !== found.path;
      // An interrupted move has left the file at its new place.
      if (isId || (found !== undefined && !move.includes(found.path))) continue;
      renamed.set(reference, now);
      named.add(task.path);
    }
  const { spelling } = conventionsOf(rows.settings);
  const placeIn = (text: string): Property | undefined =>
    spelling.fieldProperties(readFrontmatter(text).properties).get("blockedBy");
  return { named: [...named], rename: (text) => renamedIn(text, placeIn, renamed) };
}

const withoutEnding = (name: string): string => name.trim().replace(/^\//, "").replace(/\.md$/i, "");
const namesOf = (path: VaultPath): readonly string[] => [withoutEnding(path), fileTitle(path)];

function newName(reference: string, to: VaultPath): string {
  const name = reference.includes("/") ? withoutEnding(to) : fileTitle(to);
  return /\.md$/i.test(reference) ? `${name}.md` : name;
}

const isPlain = (reference: string): boolean => !isLink(reference) && !/\]\($|^\[.*\]\(.*\)$/.test(reference);
/** The unchanged text when a name cannot be changed alone. */
function renamedIn(
  text: string,
  placeIn: (text: string) => Property | undefined,
  renamed: ReadonlyMap<string, string>,
): string {
  const property = placeIn(text);
  const before = blockersIn(property);
  if (property === undefined || !before.some((name) => renamed.has(name))) return text;
  const start = lineStart(text, property.line);
  const next = readFrontmatter(text).properties.find(({ line }) => line > property.line);
  const end = next === undefined ? text.length : lineStart(text, next.line);
  const splices = readCells(text).cells.flatMap((cell): Splice[] => {
    const name = renamed.get(cell.text.trim());
    const isKey = /^["']?[ \t]*:/.test(text.slice(cell.end));
    if (name === undefined || isKey || cell.start < start || cell.end > end) return [];
    if (cell.style === "plain" && !PLAIN_SCALAR.test(name))
      return [{ start: cell.start, end: cell.end, text: JSON.stringify(name) }];
    const quoted = quotePiece(name, cell.style);
    return quoted === undefined ? [] : [{ start: cell.start, end: cell.end, text: quoted }];
  });
  const result = applySplices(text, splices);
  const after = blockersIn(placeIn(result));
  const isRight = before.every((name, at) => after[at] === (renamed.get(name) ?? name));
  return isRight && after.length === before.length ? result : text;
}

/** Needs no quotes. */
const PLAIN_SCALAR = /^(?!(?:true|false|null|yes|no|on|off)$)\p{L}[\p{L}\p{N} _./-]*(?<![ .])$/iu;

function lineStart(text: string, line: number): number {
  let at = 0;
  for (let count = 1; count < line; count++) at = text.indexOf("\n", at) + 1;
  return at;
}
