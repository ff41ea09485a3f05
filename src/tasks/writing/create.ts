/** Creates a task note (docs: tasks, "create_task"; tasks, "Making"). */
import { relationsOf } from "../relations.js";
import { argument, call, joined, said, type Wording } from "../../text/wording.js";
import { VaultError, invalidArgument, orIfFailed } from "../../errors.js";
import { type ParaListing, projectsFolder } from "../../obsidian/para.js";
import {
  safeFileName,
  baseName,
  fileTitle,
  foldName,
  folderOf,
  joinPath,
  stemOf,
  vaultPath,
  type VaultPath,
} from "../../storage/path.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import { readGlobs } from "../../obsidian/mdbase.js";
import type { TaskNotesType } from "../../obsidian/tasknotes-type.js";
import type { LocalDate } from "../../clock.js";
import type { Vault } from "../../vault/vault.js";
import type { CreatedTask, TaskDraft } from "../api.js";
import type { CleanDraft } from "../format.js";
import { cleanDraft } from "./arguments.js";
import { deriveTask, isExcluded } from "../note-format/derivation.js";
import { conventionsOf, withOwnWords } from "../note-format/note-settings.js";
import { allowedKeys, newTaskNote, notWritten, readBack, taskId } from "../note-format/new-task.js";
import type { TaskRows } from "../rows/task-rows.js";
import type { TaskSource } from "../task.js";
import { noLongerTask } from "../task-references.js";
import { type WrittenBlockers, writtenBlockers } from "./blockers.js";
import { applyWhole, type NewNote, planChanges, type Results, type Step } from "./change-set.js";
import { spelledAsKnown } from "../known-names.js";
import type { WriteContext } from "./edit-note.js";

const FALLBACK_NAME = "Untitled task";
/** `safeFileName` reserves three digits. */
const MAX_COPIES = 999;

interface PlaceOptions {
  readonly parent?: VaultPath | undefined;
  readonly template?: string | undefined;
  readonly folder?: VaultPath | undefined;
  /** Adapts the description to this folder. */
  readonly carried?: (description: string, folder: VaultPath) => Promise<string>;
  readonly blockedBy?: readonly string[];
}

interface PlannedNote extends NewNote {
  readonly adjustments: readonly Wording[];
}

export type NoteStep = Extract<Step, { readonly kind: "make" }> & { readonly note: PlannedNote };

export async function makeTask(context: WriteContext, draft: TaskDraft): Promise<CreatedTask> {
  const today = context.vault.clock.today();
  const clean = cleanDraft(draft, { today });
  const made = await context.creating.runExclusive(async () => {
    const creation = await creationContext(context);
    const checked = await checkedNote(context, creation, clean);
    const step = await noteStep(context, creation, checked, () => ({}));
    const { reason } = step.note;
    const request = { reason, steps: [step], answer: (results: Results) => createdTask(step, results, creation.rows) };
    return await applyWhole(context, await planChanges(context, [request], creation.rows));
  });
  const unread = await unreadInTitle(draft, clean.title, today);
  const created = { ...made, adjustments: [...made.adjustments, ...unread] };
  const openTwin = context.index.askLatest({}, (rows) => rows.openTask(clean.title, created.task.path));
  const twin = await orIfFailed(openTwin, undefined);
  if (twin === undefined) return created;
  const remark = `an open task has the same title: id ${twin.id}; both are there now`;
  return { ...created, adjustments: [...created.adjustments, remark] };
}

export function createdTask(step: NoteStep, results: Results, rows: TaskRows): CreatedTask {
  const { task, undoable = false, durable = true } = results.get(step) ?? {};
  if (task === undefined) throw noLongerTask(step.note);
  return { task: rows.withArea(task), adjustments: step.note.adjustments, undoable, durable };
}

/** @param optionsFor for each plan: other new notes may have got other names */
export async function noteStep(
  context: WriteContext,
  creation: CreationContext,
  clean: CleanDraft,
  optionsFor: () => PlaceOptions,
): Promise<NoteStep> {
  const files = creation.names();
  const planned = async (): Promise<PlannedNote> => {
    const note = await planNote(context, creation, clean, optionsFor());
    files.set(stemOf(baseName(note.path)), note.path);
    return note;
  };
  const step = { kind: "make" as const, note: await planned(), planAgain };
  async function planAgain(isNameTaken: boolean): Promise<void> {
    if (!isNameTaken) files.delete(stemOf(baseName(step.note.path)));
    step.note = await planned();
  }
  return step;
}

/** @throws INVALID_ARGUMENT if it cannot be a note */
export async function checkedNote(
  context: WriteContext,
  creation: CreationContext,
  given: CleanDraft,
): Promise<CleanDraft> {
  const spelled = await spelledAsKnown(context.vault, given.values, creation.usedNames, creation.listing);
  const { references: blockedBy } = await newBlockers(context, spelled.values.blockedBy ?? [], "note");
  const values = { ...spelled.values, ...(blockedBy.length > 0 && { blockedBy }) };
  const lists = given.properties && (await context.links?.lists(Object.keys(given.properties)));
  const clean = { ...given, lists, values, adjustments: [...given.adjustments, ...spelled.adjustments] };
  const { unsure } = creation.settings.taskNotes;
  if (unsure !== undefined) throw notWritten(unsure);
  readBack(newTaskNote(clean, taskId(clean.title, ""), creation), creation.conventions);
  return clean;
}

async function planNote(
  { vault }: WriteContext,
  creation: CreationContext,
  clean: CleanDraft,
  { parent, template, blockedBy = [], ...options }: PlaceOptions,
): Promise<PlannedNote> {
  const { listing, settings, conventions } = creation;
  const { values: given } = clean;
  const above = parent && { folder: folderOf(parent), name: fileTitle(parent) };
  const values = {
    ...given,
    ...(above && { projects: [...(given.projects ?? []), above.name] }),
    ...(blockedBy.length > 0 && { blockedBy: [...(given.blockedBy ?? []), ...blockedBy] }),
  };
  const added = [...(above ? ["projects"] : []), ...(blockedBy.length > 0 ? ["blockedBy"] : [])];
  const { taskNotes } = settings;
  const usual = options.folder ?? above?.folder ?? (await taskFolder(vault, listing, values.projects ?? []));
  const name = clean.name ?? clean.title;
  const folder = await folderOfType(usual, name, taskNotes.type);
  const description = clean.description && ((await options.carried?.(clean.description, folder)) ?? clean.description);
  const draft = { ...clean, values, given: clean.given && new Set([...clean.given, ...added]), description };
  const id = taskNotes.type?.hasUuid ? vault.ids.uuid() : taskId(clean.title, vault.ids.next());
  const names = creation.names();
  const path = freePath(folder, name, names);
  if (isExcluded(path, settings))
    throw invalidArgument(`No note in '${folder}' is a task: TaskNotes excludes it.`, EXCLUDED);
  const note = newTaskNote(draft, id, { ...creation, template, fileName: fileTitle(path) });
  const { text, leftOut } = allowedKeys(note, taskNotes, NO_PROPERTIES);
  const facts = readBack(text, conventions);
  return {
    path,
    text,
    reason: "create task",
    adjustments: [...clean.adjustments, ...leftOut, ...renamedFor(path, clean, names)],
    taskIn: (stat) => {
      const task = deriveTask(facts, stat, { para: listing.para, clock: vault.clock, settings });
      if (task === undefined) throw noLongerTask({ path });
      return task;
    },
  };
}

/** As links compare names. */
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

/** Numbers a name that the vault already has: links to that file would lead to the task. */
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

/** Shared by a call's new notes, to list the vault once. */
export async function creationContext({ vault, index }: WriteContext) {
  const { clock, ids } = vault;
  const [listing, rows] = await Promise.all([vault.paraListing(), index.refresh()]);
  const { settings, usedNames } = rows;
  const dialect = withOwnWords(rows.dialect, settings);
  let known: FilesByName | undefined;
  const names = (): FilesByName =>
    (known ??= new Map(rows.view.everyPath().map((path) => [stemOf(baseName(path)), path])));
  return { rows, listing, settings, clock, ids, conventions: conventionsOf(settings), dialect, usedNames, names };
}

const EXCLUDED = 'Give another project, or take the folder out of the plugin\'s "Excluded folders" in Obsidian.';
const NO_PROPERTIES: readonly Property[] = [];

/** The type's own folder if the type would not recognise the note in `usual`. */
async function folderOfType(usual: VaultPath, title: string, type: TaskNotesType | undefined): Promise<VaultPath> {
  const { globs = [], folder } = type ?? {};
  if (globs.length === 0) return usual;
  const holds = await readGlobs(globs);
  const fits = (one: VaultPath): boolean => holds(joinPath(one, `${safeFileName(title)}.md`));
  const found = [usual, folder].find((one) => one !== undefined && fits(one));
  if (found !== undefined) return found;
  throw invalidArgument(
    `No note in '${usual || "/"}' is of the type "${type?.name ?? ""}".`,
    "Its file says in which folders tasks are; make the note there.",
  );
}

/** Why a name is numbered, if the other file is in another folder. */
function renamedFor(path: VaultPath, { name, title }: CleanDraft, names: FilesByName): string[] {
  const other = names.get(stemOf(`${safeFileName(name ?? title)}.md`));
  if (other === undefined || folderOf(other) === folderOf(path)) return [];
  return [`the file is '${baseName(path)}': links to the name without number lead to '${other}'`];
}

/** The title is not parsed: names the parts that add_tasks would read, unless their field was given. */
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
