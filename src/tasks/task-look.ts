/** The tasks of a vault as of one refresh of its catalog, and what follows from them. */
import type { CatalogView } from "../catalog/catalog.js";
import type { ParaFolders } from "../catalog/para.js";
import type { VaultSettings } from "../catalog/settings.js";
import { leftOut } from "../catalog/unlisted.js";
import type { LocalDate } from "../clock.js";
import type { VaultPath } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";
import { type DueLists, dueLists } from "./agenda.js";
import type { Dialect } from "./fields/dialect.js";
import type { NoteTasks, Surroundings, TaskFormat } from "./format.js";
import { KeyedTasks, type TaskKey } from "./keyed-tasks.js";
import { byOwnId } from "./references.js";
import { Relations } from "./relations.js";
import type { Task, TaskProblem } from "./task.js";

/** How a look finds what it is asked for. */
interface LookedFor {
  all(): NoteTasks;
  /** The tasks with an id of their own, found without the others. */
  withId?(id: string): readonly Task[];
  /** How the vault writes its tasks. */
  dialect(look: TaskLook): Dialect;
}

/** The vault's tasks at one moment. */
export class TaskLook {
  readonly view: CatalogView;
  /** The PARA folders the tasks were read by; empty ones may have come or gone since. */
  readonly para: ParaFolders;
  readonly settings: VaultSettings;
  readonly #lookedFor: LookedFor;
  #keyed: KeyedTasks | undefined;
  #due: { readonly today: LocalDate; readonly lists: DueLists } | undefined;
  #relations: { readonly today: LocalDate; readonly of: Relations } | undefined;
  #dialect: Dialect | undefined;
  #problems: readonly TaskProblem[] | undefined;

  constructor(view: CatalogView, { para, settings }: Pick<Surroundings, "para" | "settings">, lookedFor: LookedFor) {
    this.#lookedFor = lookedFor;
    this.view = view;
    this.para = para;
    this.settings = settings;
  }

  get found(): NoteTasks {
    return this.#lookedFor.all();
  }

  get tasks(): readonly Task[] {
    return this.found.tasks;
  }

  /** The tasks that go by a name. */
  with(key: TaskKey, value: string): readonly Task[] {
    const withId = key === byOwnId ? this.#lookedFor.withId?.(value) : undefined;
    if (withId !== undefined && withId.length > 0) return withId;
    this.#keyed ??= new KeyedTasks(this.tasks);
    return this.#keyed.with(key, value);
  }

  /** What is known of a note's file; undefined where it holds nothing for this format. */
  statOf(format: TaskFormat, path: VaultPath): FileStat | undefined {
    return this.view.get(format.readerFor(this.settings), path)?.stat;
  }

  due(today: LocalDate): DueLists {
    if (this.#due?.today !== today) this.#due = { today, lists: dueLists(this.tasks, today) };
    return this.#due.lists;
  }

  /** What the tasks have to do with each other. */
  relations(today: LocalDate): Relations {
    if (this.#relations?.today !== today) this.#relations = { today, of: new Relations(this, today) };
    return this.#relations.of;
  }

  /** How the vault writes its tasks; counted when first asked for. */
  get dialect(): Dialect {
    this.#dialect ??= this.#lookedFor.dialect(this);
    return this.#dialect;
  }

  /** Notes and folders that cannot be read, and values of tasks that cannot be understood. */
  problems(today: LocalDate): readonly TaskProblem[] {
    this.#problems ??= [...this.#collectProblems(), ...this.relations(today).problems()];
    return this.#problems;
  }

  #collectProblems(): TaskProblem[] {
    const problems: TaskProblem[] = [...this.view.problems()];
    for (const { path, message, advice } of leftOut(this.view.passedOver))
      problems.push({ path, message: `${message} ${advice}` });
    for (const problem of this.found.problems) problems.push(problem);
    return problems;
  }
}
