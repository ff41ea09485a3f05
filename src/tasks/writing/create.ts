/** Creates a task note in the vault's dialect and spelling (docs: tasks, "create_task"; tasks, "Making"). */
import { relationsOf } from "../relations.js";
import { argument, call, joined, said, type Wording } from "../../text/said.js";
import { isVaultError, orIfFailed, VaultError } from "../../errors.js";
import { type ParaListing, projectsFolder } from "../../obsidian/para.js";
import type { Operation } from "../../history/journal-records.js";
import { safeFileName } from "../../storage/file-name.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import type { TaskNotesType } from "../../obsidian/tasknotes-type.js";
import {
  baseName,
  fileTitle,
  foldName,
  folderOf,
  joinPath,
  stemOf,
  vaultPath,
  type VaultPath,
} from "../../storage/path.js";
import type { LocalDate } from "../../clock.js";
import type { Vault } from "../../vault/vault.js";
import type { CreatedTask, TaskDraft } from "../api.js";
import type { CleanDraft } from "../format.js";
import { cleanDraft } from "./arguments.js";
import type { Values } from "../fields/fields.js";
import { deriveTask } from "../note-format/derivation.js";
import { conventionsOf, withOwnWords } from "../note-format/conventions.js";
import { allowedKeys, newTaskNote, notWritten, readBack, taskId } from "../note-format/new-task.js";
import type { Task, TaskSource } from "../task.js";
import { noLongerTask } from "../unknown-reference.js";
import { type WrittenBlockers, writtenBlockers } from "./blockers.js";
import { type NoteChange, type WriteContext, writeNote, type MadeChange } from "./change-set.js";
import { spelledAsKnown } from "../known-names.js";

const FALLBACK_NAME = "Untitled task";
/** `safeFileName` reserves three digits. */
const MAX_COPIES = 999;

interface PlaceOptions {
  readonly parent: VaultPath | undefined;
  readonly template: string | undefined;
  readonly folder: VaultPath | undefined;
  /** The description as it must be in this folder. */
  readonly carried: (description: string, folder: VaultPath) => Promise<string>;
}

interface PlannedNote {
  readonly change: Extract<NoteChange, { readonly kind: "create" }>;
  readonly adjustments: readonly Wording[];
  readonly taskIn: (written: MadeChange | undefined) => Task;
}

export async function makeTask(context: WriteContext, draft: TaskDraft): Promise<CreatedTask> {
  const today = context.vault.clock.today();
  const clean = cleanDraft(draft, { today });
  const made = await context.creating.runExclusive(async () => {
    const creation = await creationContext(context);
    return await makeNote(context, creation, await checkedNote(context, creation, clean));
  });
  const unread = await unreadInTitle(draft, clean.title, today);
  const created = { ...made, adjustments: [...made.adjustments, ...unread] };
  const twin = await orIfFailed(openTwin(context, created.task, clean.title), undefined);
  if (twin === undefined) return created;
  const remark = `an open task has the same title: id ${twin.id}; both are there now`;
  return { ...created, adjustments: [...created.adjustments, remark] };
}

async function openTwin({ index }: WriteContext, task: Task, title: string): Promise<Task | undefined> {
  return await index.askLatest({}, (rows) => rows.openTask(title, task.path));
}

/** @throws VaultError INVALID_ARGUMENT if it cannot be a note */
export async function checkedNote(
  context: WriteContext,
  creation: CreationContext,
  given: CleanDraft,
): Promise<CleanDraft> {
  const spelled = await spelledAsKnown(context.vault, given.values, creation.usedNames, creation.listing);
  const values = await withLinks(context, spelled.values);
  const clean = { ...given, values, adjustments: [...given.adjustments, ...spelled.adjustments] };
  const { unsure } = creation.settings.taskNotes;
  if (unsure !== undefined) throw notWritten(unsure);
  readBack(newTaskNote(clean, taskId(clean.title, ""), creation), creation.conventions);
  return clean;
}

/** Writes nothing. */
export async function planNote(
  { vault }: WriteContext,
  creation: CreationContext,
  clean: CleanDraft,
  { parent, template, ...options }: Partial<PlaceOptions> = {},
): Promise<PlannedNote> {
  const { listing, settings, conventions } = creation;
  const above = parent && placeBelow(parent);
  const projects = [...(clean.values.projects ?? []), ...(above ? [above.name] : [])];
  const values = projects.length === 0 ? clean.values : { ...clean.values, projects };
  const given = above && clean.given && new Set([...clean.given, "projects"]);
  const { taskNotes } = settings;
  const usual = options.folder ?? above?.folder ?? (await taskFolder(vault, listing, projects));
  const name = clean.name ?? clean.title;
  const folder = folderOfType(usual, name, taskNotes.type);
  const description = clean.description && ((await options.carried?.(clean.description, folder)) ?? clean.description);
  const draft = { ...clean, values, given: given ?? clean.given, description };
  const id = taskNotes.type?.hasUuid ? vault.ids.uuid() : taskId(clean.title, vault.ids.next());
  const names = creation.names();
  const path = freePath(folder, name, names);
  const note = newTaskNote(draft, id, { ...creation, template, fileName: fileTitle(path) });
  const { text, leftOut } = allowedKeys(note, taskNotes, NO_PROPERTIES);
  const facts = readBack(text, conventions);
  return {
    change: { kind: "create", path, text, reason: "create task" },
    adjustments: [...clean.adjustments, ...leftOut, ...renamedFor(path, clean, names)],
    taskIn: (written) => {
      const stat = written?.stat;
      const task = stat && deriveTask(facts, stat, { para: listing.para, clock: vault.clock, settings });
      if (task === undefined) throw noLongerTask({ path });
      return task;
    },
  };
}

export async function makeNote(
  context: WriteContext,
  creation: CreationContext,
  clean: CleanDraft,
  { operation, ...options }: Partial<PlaceOptions> & { readonly operation?: Operation } = {},
): Promise<CreatedTask> {
  return await withFreeName(context, creation, async () => {
    const { change, adjustments, taskIn } = await planNote(context, creation, clean, options);
    const write = async (): Promise<CreatedTask> => {
      const written = await writeNote(context, change, operation);
      const { undoable, durable } = written;
      return { task: taskIn(written), adjustments, undoable, durable };
    };
    return { path: change.path, write };
  });
}

/** Plans again while an unlisted file has the name. */
export async function withFreeName<Made>(
  { vault }: WriteContext,
  creation: CreationContext,
  plan: () => Promise<{ readonly path: VaultPath; readonly write: () => Promise<Made> }>,
): Promise<Made> {
  for (;;) {
    const { path, write } = await plan();
    try {
      return await write();
    } catch (error) {
      // If a file replaces the folder, no name works.
      const isTaken = isVaultError(error, "ALREADY_EXISTS") && (await vault.children(folderOf(path))) !== undefined;
      if (!isTaken) throw error;
    } finally {
      creation.names().set(stemOf(baseName(path)), path);
    }
  }
}

/** The vault's files by name, as links compare names (`stemOf`). */
type FilesByName = Map<string, VaultPath>;

async function taskFolder(vault: Vault, listing: ParaListing, projects: readonly string[]): Promise<VaultPath> {
  const { para, seen } = listing;
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

/** Adds ` 2`, ` 3` and so on to a name that any file of the vault has: links to that file would lead to the task. */
function freePath(folder: VaultPath, title: string, names: FilesByName): VaultPath {
  const name = safeFileName(title) || FALLBACK_NAME;
  for (let copy = 1; copy <= MAX_COPIES; copy++) {
    const path = vaultPath(joinPath(folder, copy === 1 ? `${name}.md` : `${name} ${copy}.md`));
    if (!names.has(stemOf(baseName(path)))) return path;
  }
  throw new VaultError("ALREADY_EXISTS", `There are too many notes named "${name}".`, {
    hint: "Choose another title.",
  });
}

async function withLinks(context: WriteContext, values: Values): Promise<Values> {
  const { blockedBy = [] } = values;
  if (blockedBy.length === 0) return values;
  return { ...values, blockedBy: (await newBlockers(context, blockedBy, "note")).references };
}

export async function newBlockers(
  { index }: WriteContext,
  given: readonly string[],
  source: TaskSource,
): Promise<WrittenBlockers> {
  if (given.length === 0) return { references: [], steps: [] };
  const rows = await index.refreshFor(given);
  return await writtenBlockers(given, source, undefined, {
    find: async (reference) => (await index.find(reference, rows)).task,
    relations: relationsOf(rows),
    rows,
  });
}

export type CreationContext = Awaited<ReturnType<typeof creationContext>>;

/** Shared by all new notes of one call; the vault is listed once. */
export async function creationContext({ vault, index }: WriteContext) {
  const { clock, ids } = vault;
  const [listing, rows] = await Promise.all([vault.paraListing(), index.refresh()]);
  const { settings, usedNames } = rows;
  const dialect = withOwnWords(rows.dialect, settings);
  let known: FilesByName | undefined;
  const names = (): FilesByName =>
    (known ??= new Map(rows.view.files({ hidden: true }).map(({ path }) => [stemOf(baseName(path)), path])));
  return { rows, listing, settings, clock, ids, conventions: conventionsOf(settings), dialect, usedNames, names };
}

const NO_PROPERTIES: readonly Property[] = [];

/** The type's own folder if the type would not recognise the note in `usual`. */
function folderOfType(usual: VaultPath, title: string, type: TaskNotesType | undefined): VaultPath {
  const { glob, folder } = type ?? {};
  const fits = (one: VaultPath): boolean => glob?.test(joinPath(one, `${safeFileName(title)}.md`)) !== false;
  const found = [usual, folder].find((one) => one !== undefined && fits(one));
  if (found !== undefined) return found;
  throw new VaultError("INVALID_ARGUMENT", `No note in '${usual || "/"}' is of the type "${type?.name ?? ""}".`, {
    hint: "Its file says in which folders tasks are; make the note there.",
  });
}

/** Why a note's name has a number, if the other file is in another folder. */
function renamedFor(path: VaultPath, { name, title }: CleanDraft, names: FilesByName): string[] {
  const other = names.get(stemOf(`${safeFileName(name ?? title)}.md`));
  if (other === undefined || folderOf(other) === folderOf(path)) return [];
  return [`the file is '${baseName(path)}': links to the name without number lead to '${other}'`];
}

/** The title is written as given: parts that add_tasks would read are named, unless their field was given. */
async function unreadInTitle(draft: TaskDraft, title: string, today: LocalDate): Promise<readonly Wording[]> {
  const { readQuickLine } = await import("../quick-add/quick-line.js");
  // Medium is also the default.
  const isGiven = (field: string): boolean =>
    Reflect.get(draft, field) !== undefined && (field !== "priority" || draft.priority !== "Medium");
  const found = readQuickLine(title, { today }).read.filter(({ field }) => !isGiven(field));
  if (found.length === 0) return [];
  const words = new Set(found.map(({ from, to }) => JSON.stringify(title.slice(from, to))));
  const fields = new Set(found.map(({ field }) => field));
  const unread = `${[...words].join(", ")} in the title was not read`;
  const given = joined(
    [...fields].map((field) => said`${argument(field)}`),
    ", ",
  );
  return [said`${unread}: give ${given}, or a line of ${call("add_tasks")}`.or(said`${unread}: give ${given}`)];
}

function placeBelow(parent: VaultPath): { readonly folder: VaultPath; readonly name: string } {
  return { folder: folderOf(parent), name: baseName(parent).replace(/\.md$/i, "") };
}
