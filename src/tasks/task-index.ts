/** The tasks of a vault as of one refresh of its catalog, made from facts once and kept while nothing changes. */
import type { LocalDate } from "../clock.js";
import type { FileStat } from "../storage/storage.js";
import type { CatalogView, RefreshOptions } from "../vault/catalog.js";
import type { ParaFolders } from "../vault/para.js";
import type { Vault } from "../vault/vault.js";
import { type DueLists, dueLists } from "./agenda.js";
import { deriveTask, problemsOf } from "./derivation.js";
import type { Dialect } from "./dialect.js";
import { countDialect } from "./dialect-count.js";
import type { TaskFacts } from "./facts.js";
import { taskReader } from "./reader.js";
import type { Task, TaskProblem } from "./task.js";

/** The vault's tasks at one moment. */
export class TaskLook {
  readonly view: CatalogView;
  readonly para: ParaFolders;
  readonly tasks: readonly Task[];
  #due: { readonly today: LocalDate; readonly lists: DueLists } | undefined;
  #dialect: Dialect | undefined;

  constructor(view: CatalogView, para: ParaFolders, tasks: readonly Task[]) {
    this.view = view;
    this.para = para;
    this.tasks = tasks;
  }

  due(today: LocalDate): DueLists {
    if (this.#due?.today !== today) this.#due = { today, lists: dueLists(this.tasks, today) };
    return this.#due.lists;
  }

  /** How the vault writes its tasks; counted when first asked for. */
  get dialect(): Dialect {
    this.#dialect ??= countDialect(this.view.records(taskReader).map(({ facts }) => facts));
    return this.#dialect;
  }

  /** Notes that cannot be read, and values of tasks that cannot be understood. */
  problems(): TaskProblem[] {
    const problems: TaskProblem[] = [...this.view.problems()];
    for (const { path } of this.tasks) {
      const facts = this.view.get(taskReader, path)?.facts;
      if (facts?.problems) problems.push(...problemsOf(facts, path));
    }
    return problems;
  }
}

interface Derived {
  readonly stat: FileStat;
  readonly task: Task | undefined;
}

export class TaskIndex {
  readonly #vault: Vault;
  #look: TaskLook | undefined;
  #para = "";
  /** Facts are one object as long as their note is unchanged, so a changed note costs one derivation, not all. */
  #derived = new WeakMap<TaskFacts, Derived>();

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** The tasks as of now. */
  async refresh(options: RefreshOptions = {}): Promise<TaskLook> {
    const [view, para] = await Promise.all([this.#vault.catalog.refresh(options), this.#vault.para()]);
    const folders = JSON.stringify(para);
    if (this.#look?.view.generation === view.generation && this.#para === folders) return this.#look;
    if (this.#para !== folders) this.#derived = new WeakMap();
    const tasks: Task[] = [];
    for (const { facts, stat } of view.records(taskReader)) {
      const task = this.#derive(facts, stat, para);
      if (task !== undefined) tasks.push(task);
    }
    this.#para = folders;
    this.#look = new TaskLook(view, para, tasks);
    return this.#look;
  }

  #derive(facts: TaskFacts, stat: FileStat, para: ParaFolders): Task | undefined {
    const known = this.#derived.get(facts);
    if (known?.stat === stat) return known.task;
    const task = deriveTask(facts, stat, { para, timeZone: this.#vault.clock.timeZone });
    this.#derived.set(facts, { stat, task });
    return task;
  }
}
