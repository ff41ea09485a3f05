/** Makes tasks: a note of a draft, many of quick text, in the vault's own dialect and spelling (docs: tasks, "create_task"; tasks, "Making"). */
import type { ParaLook } from "../../index/para.js";
import type { VaultSettings } from "../../index/settings.js";
import type { VaultPath } from "../../storage/path.js";
import { fold } from "../../text/fold.js";
import type { Vault } from "../../vault/vault.js";
import { isOutstanding } from "../agenda.js";
import type { CreatedTask, TaskDraft } from "../api.js";
import { type CleanDraft, cleanDraft } from "./arguments.js";
import {
  type KnownTitles,
  type PlaceOptions,
  placeBelow,
  TaskAdder,
  type AddedTasks,
  type PlannedTask,
  type QuickDraft,
} from "./add-tasks.js";
import type { Values } from "../fields/fields.js";
import type { NewCheckbox } from "../format.js";
import { deriveTask, fileTitle } from "../note-format/derivation.js";
import { customsOf } from "../note-format/customs.js";
import { learntDialect } from "../note-format/format.js";
import {
  createTaskFile,
  type NewNoteContext,
  newTaskNote,
  readBack,
  taskFolder,
  taskId,
} from "../note-format/new-task.js";
import { sampleDialect } from "../note-format/reader.js";
import type { Task, TaskSource } from "../task.js";
import type { TaskLooks } from "../task-looks.js";
import { noLongerTask } from "../unknown-reference.js";
import { signLines, type WrittenBlockers, writtenBlockers } from "./blockers.js";
import { projectNames, spelledAsKnown } from "./known-names.js";

export class TaskMaker {
  readonly #vault: Vault;
  readonly #looks: TaskLooks;
  #creating: Promise<unknown> = Promise.resolve();

  constructor(vault: Vault, looks: TaskLooks) {
    this.#vault = vault;
    this.#looks = looks;
  }

  /** Reads folders and the catalog's digest, without one a few notes, so that it costs about the same in every vault. */
  async create(draft: TaskDraft): Promise<CreatedTask> {
    const clean = cleanDraft(draft, { today: this.#vault.clock.today() });
    return await this.#inOrder(async () => this.#create(await this.#prepare(clean)));
  }

  async addMany(draft: QuickDraft): Promise<AddedTasks> {
    return await this.#inOrder(() => this.#adder().add(draft));
  }

  async planMany(draft: QuickDraft): Promise<readonly PlannedTask[]> {
    return await this.#adder().plan(draft);
  }

  #adder(): TaskAdder {
    return new TaskAdder(this.#vault, {
      prepare: (clean) => this.#prepare(clean),
      names: (withProjects) => this.#knownTitles(withProjects),
      links: async (tasks) =>
        (
          await this.#blockers(
            tasks.map(({ path }) => path),
            "note",
          )
        ).references,
      place: (clean, options) => this.#create(clean, options),
      append: (path, text, heading, boxes) => this.#append(path, text, heading, boxes),
      blockers: (references) => this.#blockers(references, "line"),
      sign: async (unsigned, operation) =>
        signLines(this.#vault, this.#looks, await this.#looks.among(unsigned.map(({ task }) => task.id)), unsigned, {
          operation,
        }),
      tasksAt: (path, lines) => this.#tasksAt(path, lines),
    });
  }

  /** One after the other, so that two titles that differ only in case see each other's file. */
  async #inOrder<Made>(make: () => Promise<Made>): Promise<Made> {
    const turn = this.#creating.then(make);
    this.#creating = turn.catch(() => undefined);
    return await turn;
  }

  /** A draft in the vault's spelling, with references as links. @throws VaultError INVALID_ARGUMENT when it cannot be a note */
  async #prepare(given: CleanDraft): Promise<CleanDraft> {
    const { look, ...form } = await this.#surroundings();
    const spelled = await spelledAsKnown(this.#vault, async () => look, given.values);
    const values = await this.#withLinks(spelled.values);
    const clean = { ...given, values, adjustments: [...given.adjustments, ...spelled.adjustments] };
    const text = newTaskNote(clean, taskId(clean.title, ""), form);
    readBack(text, form.customs);
    return clean;
  }

  async #create(clean: CleanDraft, { operation, parent, template }: Partial<PlaceOptions> = {}): Promise<CreatedTask> {
    const { look, settings, ...form } = await this.#surroundings();
    const above = parent && placeBelow(parent);
    const projects = [...(clean.values.projects ?? []), ...(above ? [above.name] : [])];
    const values = projects.length === 0 ? clean.values : { ...clean.values, projects };
    const given = above && clean.given && new Set([...clean.given, "projects"]);
    const draft = { ...clean, values, given: given ?? clean.given };
    const id = taskId(clean.title, this.#vault.ids.next());
    const text = newTaskNote(draft, id, { ...form, template });
    const facts = readBack(text, form.customs);
    const folder = above?.folder ?? (await taskFolder(this.#vault, look, projects));
    const file = await createTaskFile(this.#vault, folder, clean.name ?? clean.title, text, look.seen.get(folder), {
      operation,
    });
    const task = deriveTask(facts, file.stat, { para: look.para, clock: this.#vault.clock, settings });
    if (task === undefined) throw noLongerTask({ path: file.stat.path });
    return { task, adjustments: clean.adjustments, undoable: file.undoable, durable: file.durable };
  }

  async #knownTitles(withProjects: boolean): Promise<KnownTitles> {
    const projects = withProjects ? await projectNames(this.#vault, await this.#vault.paraLook()) : new Set<string>();
    const { tasks } = await this.#looks.index.refresh();
    const open = new Map(tasks.filter(isOutstanding).map((task) => [fold(task.title), task]));
    return { isProject: (name) => projects.has(fold(name)), openTask: (title) => open.get(fold(title)) };
  }

  async #append(path: VaultPath, text: string, heading: string | undefined, boxes: readonly NewCheckbox[]) {
    const format = this.#looks.formats.find((one) => one.append !== undefined);
    if (!format?.append) throw new Error("No format keeps tasks as lines.");
    const [settings, today] = [await this.#vault.settings(), this.#vault.clock.today()];
    return format.append(text, heading, boxes, { settings, today, name: fileTitle(path) });
  }

  async #tasksAt(path: VaultPath, lines: readonly number[]): Promise<readonly (Task | undefined)[]> {
    const { tasks } = await (await this.#looks.indexFor(true)).refresh();
    const ofNote = tasks.filter((task) => task.path === path && task.line !== undefined);
    return lines.map((line) => ofNote.find((task) => task.line === line));
  }

  /** The tasks that a new one waits for, as links. */
  async #withLinks(values: Values): Promise<Values> {
    const { blockedBy = [] } = values;
    if (blockedBy.length === 0) return values;
    return { ...values, blockedBy: (await this.#blockers(blockedBy, "note")).references };
  }

  async #blockers(given: readonly string[], source: TaskSource): Promise<WrittenBlockers> {
    if (given.length === 0) return { references: [], unsigned: [] };
    const look = await this.#looks.among(given);
    return await writtenBlockers(given, source, undefined, {
      find: async (reference) => (await this.#looks.find(reference, look)).task,
      relations: look.relations(this.#vault.clock.today()),
      tasks: look.tasks,
    });
  }

  async #surroundings(): Promise<NewNoteContext & { readonly look: ParaLook; readonly settings: VaultSettings }> {
    const { clock } = this.#vault;
    const [look, settings] = await Promise.all([this.#vault.paraLook(), this.#vault.settings()]);
    const customs = customsOf(settings);
    const learnt = await learntDialect(this.#vault.index, settings);
    const dialect = learnt && learnt.tasks > 0 ? learnt : await sampleDialect(this.#vault, look, customs);
    return { look, settings, clock, customs, dialect };
  }
}
