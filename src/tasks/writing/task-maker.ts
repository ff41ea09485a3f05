/** Creates a task note in the vault's own dialect and spelling (docs: tasks, "create_task"; tasks, "Making"). */
import { Mutex } from "async-mutex";
import type { ParaListing } from "../../obsidian/para.js";
import type { VaultSettings } from "../../obsidian/settings.js";
import type { Operation } from "../../history/journal-records.js";
import { safeFileName } from "../../storage/file-name.js";
import { baseName, folderOf, foldName, stemOf, type VaultPath } from "../../storage/path.js";
import { fold } from "../../text/fold.js";
import type { Vault } from "../../vault/vault.js";
import { isOutstanding } from "../agenda.js";
import type { CreatedTask, TaskDraft } from "../api.js";
import { type CleanDraft, cleanDraft } from "./arguments.js";
import type { Values } from "../fields/fields.js";
import { deriveTask, fileTitle } from "../note-format/derivation.js";
import { customsOf } from "../note-format/customs.js";
import { learntDialect } from "../note-format/format.js";
import {
  createTaskFile,
  type FilesByName,
  type NewNoteContext,
  newTaskNote,
  readBack,
  taskFolder,
  taskId,
} from "../note-format/new-task.js";
import { sampleDialect } from "../note-format/fact-readers.js";
import type { Task, TaskSource } from "../task.js";
import type { TaskSnapshots } from "../task-snapshots.js";
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
  readonly #snapshots: TaskSnapshots;
  readonly #creating = new Mutex();

  constructor(vault: Vault, snapshots: TaskSnapshots) {
    this.#vault = vault;
    this.#snapshots = snapshots;
  }

  /** Uses the stored dialect, else a sample: the cost does not depend on the vault's size. */
  async create(draft: TaskDraft): Promise<CreatedTask> {
    const clean = cleanDraft(draft, { today: this.#vault.clock.today() });
    const created = await this.inOrder(async () => this.makeNote(await this.prepare(clean)));
    const twin = await this.#openTwin(created.task, clean.title);
    if (twin === undefined) return created;
    const remark = `an open task has the same title: id ${twin.id}; both are there now`;
    return { ...created, adjustments: [...created.adjustments, remark] };
  }

  /** Reads all tasks only if a twin is likely. */
  async #openTwin(task: Task, title: string): Promise<Task | undefined> {
    const { latest, formats } = this.#snapshots;
    const readers = formats.flatMap((format) => format.readers);
    const isLikely =
      latest !== undefined ||
      foldName(fileTitle(task.path)) !== foldName(safeFileName(title)) ||
      (await this.#vault.index.mayHold(title, readers));
    if (!isLikely) return undefined;
    const { tasks } = await this.#snapshots.refresh();
    return tasks.find((one) => one.path !== task.path && isOutstanding(one) && fold(one.title) === fold(title));
  }

  /** Serialised: titles that differ only in case must see each other's file. */
  async inOrder<Made>(make: () => Promise<Made>): Promise<Made> {
    return await this.#creating.runExclusive(make);
  }

  /** @throws VaultError INVALID_ARGUMENT if it cannot be a note */
  async prepare(given: CleanDraft): Promise<CleanDraft> {
    const { listing, ...form } = await this.#surroundings();
    const spelled = await spelledAsKnown(
      this.#vault,
      given.values,
      this.#snapshots.latest?.usedNames ?? form.dialect,
      listing,
    );
    const values = await this.#withLinks(spelled.values);
    const clean = { ...given, values, adjustments: [...given.adjustments, ...spelled.adjustments] };
    const text = newTaskNote(clean, taskId(clean.title, ""), form);
    readBack(text, form.customs);
    return clean;
  }

  async makeNote(clean: CleanDraft, options: Partial<PlaceOptions> = {}): Promise<CreatedTask> {
    const { operation, parent, template } = options;
    const { listing, settings, ...form } = await this.#surroundings();
    const above = parent && placeBelow(parent);
    const projects = [...(clean.values.projects ?? []), ...(above ? [above.name] : [])];
    const values = projects.length === 0 ? clean.values : { ...clean.values, projects };
    const given = above && clean.given && new Set([...clean.given, "projects"]);
    const draft = { ...clean, values, given: given ?? clean.given };
    const id = taskId(clean.title, this.#vault.ids.next());
    const text = newTaskNote(draft, id, { ...form, template });
    const facts = readBack(text, form.customs);
    const folder = options.folder ?? above?.folder ?? (await taskFolder(this.#vault, listing, projects));
    const names = options.names ?? (await this.filesByName());
    const file = await createTaskFile(this.#vault, folder, clean.name ?? clean.title, text, names, { operation });
    const task = deriveTask(facts, file.stat, { para: listing.para, clock: this.#vault.clock, settings });
    if (task === undefined) throw noLongerTask({ path: file.stat.path });
    return {
      task,
      adjustments: [...clean.adjustments, ...renamedFor(file.stat.path, clean, names)],
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
    const snapshot = await this.#snapshots.among(given);
    return await writtenBlockers(given, source, undefined, {
      find: async (reference) => (await this.#snapshots.find(reference, snapshot)).task,
      relations: snapshot.relations(this.#vault.clock.today()),
      tasks: snapshot.tasks,
    });
  }

  async #surroundings(): Promise<NewNoteContext & { readonly listing: ParaListing; readonly settings: VaultSettings }> {
    const { clock } = this.#vault;
    const [listing, settings] = await Promise.all([this.#vault.paraListing(), this.#vault.settings()]);
    const customs = customsOf(settings);
    const learnt = await learntDialect(this.#vault.index, settings);
    const dialect = learnt && learnt.tasks > 0 ? learnt : await sampleDialect(this.#vault, listing, customs);
    return { listing, settings, clock, customs, dialect };
  }
}

/** Says why a note's name has a number, where the other file is not beside it. */
function renamedFor(path: VaultPath, { name, title }: CleanDraft, names: FilesByName): string[] {
  const other = names.get(stemOf(`${safeFileName(name ?? title)}.md`));
  if (other === undefined || folderOf(other) === folderOf(path)) return [];
  return [`the file is '${baseName(path)}': links to the name without number lead to '${other}'`];
}

function placeBelow(parent: VaultPath): { readonly folder: VaultPath; readonly name: string } {
  return { folder: folderOf(parent), name: baseName(parent).replace(/\.md$/i, "") };
}
