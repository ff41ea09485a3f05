/** The tasks of a vault as of one refresh of its catalog, made from facts once and kept while nothing changes. */
import type { LocalDate } from "../clock.js";
import type { FileStat } from "../storage/storage.js";
import type { CatalogView, RefreshOptions } from "../vault/catalog.js";
import type { ParaFolders } from "../vault/para.js";
import { leftOut } from "../vault/passed-over.js";
import type { Vault } from "../vault/vault.js";
import { type DueLists, dueLists } from "./agenda.js";
import { deriveTask, problemsOf } from "./derivation.js";
import type { Dialect } from "./dialect.js";
import { countDialect } from "./dialect-count.js";
import type { TaskFacts } from "./facts.js";
import { taskReader } from "./reader.js";
import type { Task, TaskProblem } from "./task.js";

/** A task whose note says something that could not be understood. */
interface Troubled {
  readonly task: Task;
  readonly facts: TaskFacts;
}

/** The vault's tasks at one moment. */
export class TaskLook {
  readonly view: CatalogView;
  /** The PARA folders the tasks were read by; empty ones may have come or gone since. */
  readonly para: ParaFolders;
  readonly tasks: readonly Task[];
  readonly #troubled: readonly Troubled[];
  readonly #learn: (look: TaskLook) => Dialect;
  #due: { readonly today: LocalDate; readonly lists: DueLists } | undefined;
  #dialect: Dialect | undefined;
  #problems: readonly TaskProblem[] | undefined;

  constructor(
    view: CatalogView,
    para: ParaFolders,
    found: { readonly tasks: readonly Task[]; readonly troubled: readonly Troubled[] },
    learn: (look: TaskLook) => Dialect,
  ) {
    this.#learn = learn;
    this.#troubled = found.troubled;
    this.view = view;
    this.para = para;
    this.tasks = found.tasks;
  }

  due(today: LocalDate): DueLists {
    if (this.#due?.today !== today) this.#due = { today, lists: dueLists(this.tasks, today) };
    return this.#due.lists;
  }

  /** How the vault writes its tasks; counted when first asked for. */
  get dialect(): Dialect {
    this.#dialect ??= this.#learn(this);
    return this.#dialect;
  }

  /** Notes and folders that cannot be read, and values of tasks that cannot be understood. */
  problems(): readonly TaskProblem[] {
    this.#problems ??= this.#collectProblems();
    return this.#problems;
  }

  #collectProblems(): TaskProblem[] {
    const problems: TaskProblem[] = [...this.view.problems()];
    for (const { path, message, advice } of leftOut(this.view.passedOver))
      problems.push({ path, message: `${message} ${advice}` });
    for (const { facts, task } of this.#troubled) problems.push(...problemsOf(facts, task.path));
    return problems;
  }
}

/** One change in so many tasks is few. */
const FEW = 50;

interface Derived {
  readonly stat: FileStat;
  readonly task: Task | undefined;
}

export class TaskIndex {
  readonly #vault: Vault;
  #look: TaskLook | undefined;
  #counted: { readonly dialect: Dialect; readonly tasks: number } | undefined;
  /** Notes that were new or changed since the dialect was counted. */
  #derivations = 0;
  #para = "";
  /** Facts are one object as long as their note is unchanged, so a changed note costs one derivation, not all. */
  #derived = new WeakMap<TaskFacts, Derived>();

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** The look that was taken last. */
  get latest(): TaskLook | undefined {
    return this.#look;
  }

  /** The tasks as of now. */
  async refresh(options: RefreshOptions = {}): Promise<TaskLook> {
    const view = await this.#vault.catalog.refresh({ ...options, facts: [taskReader] });
    const known = this.#look;
    if (known?.view.generation === view.generation) return known;
    // Folders matter by the notes in them, and no note can come to lie in another folder without a new arrangement.
    const para = known?.view.arrangement === view.arrangement ? known.para : await this.#vault.para();
    const folders = JSON.stringify(para);
    if (this.#para !== folders) this.#derived = new WeakMap();
    const tasks: Task[] = [];
    const troubled: Troubled[] = [];
    for (const { facts, stat } of view.records(taskReader)) {
      const task = this.#derive(facts, stat, para);
      if (task === undefined) continue;
      tasks.push(task);
      if (facts.problems) troubled.push({ task, facts });
    }
    this.#para = folders;
    this.#look = new TaskLook(view, para, { tasks, troubled }, (look) => this.#dialectOf(look));
    return this.#look;
  }

  /** Counts again only when it could matter: in a vault of many tasks a few changed ones do not turn its customs. */
  #dialectOf({ view, tasks }: TaskLook): Dialect {
    const last = this.#counted;
    const drift = last === undefined ? Infinity : this.#derivations + Math.abs(tasks.length - last.tasks);
    if (last !== undefined && drift * FEW < tasks.length) return last.dialect;
    const dialect = countDialect(view.records(taskReader).map(({ facts }) => facts));
    this.#counted = { dialect, tasks: tasks.length };
    this.#derivations = 0;
    return dialect;
  }

  #derive(facts: TaskFacts, stat: FileStat, para: ParaFolders): Task | undefined {
    const known = this.#derived.get(facts);
    if (known?.stat === stat) return known.task;
    this.#derivations++;
    const task = deriveTask(facts, stat, { para, clock: this.#vault.clock });
    this.#derived.set(facts, { stat, task });
    return task;
  }
}
