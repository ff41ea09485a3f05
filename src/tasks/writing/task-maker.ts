/** Creates a task note in the vault's own dialect and spelling (docs: tasks, "create_task"; tasks, "Making"). */
import { relationsOf } from "../dependencies.js";
import { Mutex } from "async-mutex";
import { orIfFailed } from "../../errors.js";
import type { ParaListing } from "../../obsidian/para.js";
import type { VaultSettings } from "../../obsidian/settings.js";
import type { Operation } from "../../history/journal-records.js";
import { safeFileName } from "../../storage/file-name.js";
import { VaultError } from "../../errors.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import type { TaskNotesType } from "../../obsidian/tasknotes-type.js";
import { baseName, fileTitle, folderOf, joinPath, stemOf, type VaultPath } from "../../storage/path.js";
import type { LocalDate } from "../../clock.js";
import type { Vault } from "../../vault/vault.js";
import type { CreatedTask, TaskDraft } from "../api.js";
import { type CleanDraft, cleanDraft } from "./arguments.js";
import type { UsedNames } from "../fields/dialect.js";
import type { Values } from "../fields/fields.js";
import { deriveTask } from "../note-format/derivation.js";
import { customsOf, withOwnWords } from "../note-format/customs.js";
import {
  allowedKeys,
  createTaskFile,
  type FilesByName,
  type NewNoteContext,
  newTaskNote,
  notWritten,
  readBack,
  taskFolder,
  taskId,
} from "../note-format/new-task.js";
import type { Task, TaskSource } from "../task.js";
import type { TaskIndex } from "../rows/task-index.js";
import { noLongerTask } from "../unknown-reference.js";
import { type WrittenBlockers, writtenBlockers } from "./blockers.js";
import { spelledAsKnown } from "./known-names.js";

interface PlaceOptions {
  readonly operation: Operation;
  readonly parent: VaultPath | undefined;
  readonly template: string | undefined;
  readonly folder: VaultPath | undefined;
  /** Of the whole call; default: those of now. */
  readonly names: FilesByName;
}

export class TaskMaker {
  readonly #vault: Vault;
  readonly #index: TaskIndex;
  readonly #creating = new Mutex();

  constructor(vault: Vault, index: TaskIndex) {
    this.#vault = vault;
    this.#index = index;
  }

  async create(draft: TaskDraft): Promise<CreatedTask> {
    const today = this.#vault.clock.today();
    const clean = cleanDraft(draft, { today });
    const made = await this.inOrder(async () => this.makeNote(await this.prepare(clean)));
    const unread = await unreadInTitle(draft, clean.title, today);
    const created = { ...made, adjustments: [...made.adjustments, ...unread] };
    const twin = await orIfFailed(this.#openTwin(created.task, clean.title), undefined);
    if (twin === undefined) return created;
    const remark = `an open task has the same title: id ${twin.id}; both are there now`;
    return { ...created, adjustments: [...created.adjustments, remark] };
  }

  async #openTwin(task: Task, title: string): Promise<Task | undefined> {
    return await this.#index.ask({}, "tasks", (rows) => rows.openTask(title, task.path));
  }

  /** Serialised: titles that differ only in case must see each other's file. */
  async inOrder<Made>(make: () => Promise<Made>): Promise<Made> {
    return await this.#creating.runExclusive(make);
  }

  /** @throws VaultError INVALID_ARGUMENT if it cannot be a note */
  async prepare(given: CleanDraft): Promise<CleanDraft> {
    const { listing, ...form } = await this.#surroundings();
    const spelled = await spelledAsKnown(this.#vault, given.values, form.usedNames, listing);
    const values = await this.#withLinks(spelled.values);
    const clean = { ...given, values, adjustments: [...given.adjustments, ...spelled.adjustments] };
    const { unsure } = form.settings.taskNotes;
    if (unsure !== undefined) throw notWritten(unsure);
    readBack(newTaskNote(clean, taskId(clean.title, ""), form), form.customs);
    return clean;
  }

  async makeNote(clean: CleanDraft, options: Partial<PlaceOptions> = {}): Promise<CreatedTask> {
    const { operation, parent, template } = options;
    const { listing, ...form } = await this.#surroundings();
    const above = parent && placeBelow(parent);
    const projects = [...(clean.values.projects ?? []), ...(above ? [above.name] : [])];
    const values = projects.length === 0 ? clean.values : { ...clean.values, projects };
    const given = above && clean.given && new Set([...clean.given, "projects"]);
    const draft = { ...clean, values, given: given ?? clean.given };
    const { taskNotes } = form.settings;
    const id = taskNotes.type?.hasUuid ? this.#vault.ids.uuid() : taskId(clean.title, this.#vault.ids.next());
    const noteFor = (fileName?: string) =>
      allowedKeys(newTaskNote(draft, id, { ...form, template, fileName }), taskNotes, NO_PROPERTIES);
    readBack(noteFor().text, form.customs);
    const usual = options.folder ?? above?.folder ?? (await taskFolder(this.#vault, listing, projects));
    const name = clean.name ?? clean.title;
    const folder = folderOfType(usual, name, taskNotes.type);
    const names = options.names ?? (await this.filesByName());
    const textFor = (fileName: string): string => noteFor(fileName).text;
    const file = await createTaskFile(this.#vault, folder, name, textFor, names, { operation });
    const { text, leftOut } = noteFor(fileTitle(file.stat.path));
    const facts = readBack(text, form.customs);
    const task = deriveTask(facts, file.stat, {
      para: listing.para,
      clock: this.#vault.clock,
      settings: form.settings,
    });
    if (task === undefined) throw noLongerTask({ path: file.stat.path });
    return {
      task,
      adjustments: [...clean.adjustments, ...leftOut, ...renamedFor(file.stat.path, clean, names)],
      undoable: file.undoable,
      durable: file.durable,
    };
  }

  async filesByName(): Promise<FilesByName> {
    return new Map((await this.#vault.paths()).map((path) => [stemOf(baseName(path)), path]));
  }

  async #withLinks(values: Values): Promise<Values> {
    const { blockedBy = [] } = values;
    if (blockedBy.length === 0) return values;
    return { ...values, blockedBy: (await this.blockers(blockedBy, "note")).references };
  }

  async blockers(given: readonly string[], source: TaskSource): Promise<WrittenBlockers> {
    if (given.length === 0) return { references: [], unsigned: [] };
    const rows = await this.#index.among(given);
    return await writtenBlockers(given, source, undefined, {
      find: async (reference) => (await this.#index.find(reference, rows)).task,
      relations: relationsOf(rows),
      rows,
    });
  }

  async #surroundings(): Promise<
    NewNoteContext & {
      readonly listing: ParaListing;
      readonly settings: VaultSettings;
      readonly usedNames: UsedNames;
    }
  > {
    const { clock, ids } = this.#vault;
    const [listing, rows] = await Promise.all([this.#vault.paraListing(), this.#index.refresh()]);
    const { settings, usedNames } = rows;
    const dialect = withOwnWords(rows.dialect, settings);
    return { listing, settings, clock, ids, customs: customsOf(settings), dialect, usedNames };
  }
}

const NO_PROPERTIES: readonly Property[] = [];

/** Where the type would not know the note, the type's own folder. */
function folderOfType(usual: VaultPath, title: string, type: TaskNotesType | undefined): VaultPath {
  const { glob, folder } = type ?? {};
  const fits = (one: VaultPath): boolean => glob?.test(joinPath(one, `${safeFileName(title)}.md`)) !== false;
  const found = [usual, folder].find((one) => one !== undefined && fits(one));
  if (found !== undefined) return found;
  throw new VaultError("INVALID_ARGUMENT", `No note in '${usual || "/"}' is of the type "${type?.name ?? ""}".`, {
    hint: "Its file says in which folders tasks are; make the note there.",
  });
}

/** Says why a note's name has a number, where the other file is not beside it. */
function renamedFor(path: VaultPath, { name, title }: CleanDraft, names: FilesByName): string[] {
  const other = names.get(stemOf(`${safeFileName(name ?? title)}.md`));
  if (other === undefined || folderOf(other) === folderOf(path)) return [];
  return [`the file is '${baseName(path)}': links to the name without number lead to '${other}'`];
}

/** The title is written as given: what add_tasks would read in it is named, unless its field was given. */
async function unreadInTitle(draft: TaskDraft, title: string, today: LocalDate): Promise<readonly string[]> {
  const { readQuickLine } = await import("../quick-add/quick-line.js");
  // Medium is also the default.
  const isGiven = (field: string): boolean =>
    Reflect.get(draft, field) !== undefined && (field !== "priority" || draft.priority !== "Medium");
  const found = readQuickLine(title, { today }).read.filter(({ field }) => !isGiven(field));
  if (found.length === 0) return [];
  const words = new Set(found.map(({ from, to }) => JSON.stringify(title.slice(from, to))));
  const fields = new Set(found.map(({ field }) => field));
  return [`${[...words].join(", ")} in the title was not read: give ${[...fields].join(", ")}, or a line of add_tasks`];
}

function placeBelow(parent: VaultPath): { readonly folder: VaultPath; readonly name: string } {
  return { folder: folderOf(parent), name: baseName(parent).replace(/\.md$/i, "") };
}
