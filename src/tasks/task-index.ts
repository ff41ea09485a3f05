/** The tasks of a vault as of one refresh of its catalog, made from facts once and kept while nothing changes. */
import type { LocalDate } from "../clock.js";
import { type CatalogView, factsOf, type NoteRecord, type RefreshOptions } from "../catalog/catalog.js";
import type { ParaFolders } from "../catalog/para.js";
import { leftOut } from "../catalog/unlisted.js";
import { sieveFor } from "../search/prefilter.js";
import type { Vault } from "../vault/vault.js";
import { type DueLists, dueLists } from "./agenda.js";
import { deriveTask, problemsOf } from "./note-format/derivation.js";
import type { Dialect } from "./fields/dialect.js";
import { countDialect } from "./note-format/dialect-count.js";
import type { TaskFacts } from "./note-format/facts.js";
import { taskReader } from "./note-format/reader.js";
import type { Task, TaskProblem } from "./task.js";

/** What the notes of a look come to. */
interface Found {
  readonly tasks: readonly Task[];
  readonly misunderstood: readonly TaskProblem[];
}

/** The vault's tasks at one moment. */
export class TaskLook {
  readonly view: CatalogView;
  /** The PARA folders the tasks were read by; empty ones may have come or gone since. */
  readonly para: ParaFolders;
  readonly found: Found;
  readonly #learn: (look: TaskLook) => Dialect;
  #due: { readonly today: LocalDate; readonly lists: DueLists } | undefined;
  #dialect: Dialect | undefined;
  #problems: readonly TaskProblem[] | undefined;

  constructor(view: CatalogView, para: ParaFolders, found: Found, learn: (look: TaskLook) => Dialect) {
    this.#learn = learn;
    this.view = view;
    this.para = para;
    this.found = found;
  }

  get tasks(): readonly Task[] {
    return this.found.tasks;
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
    problems.push(...this.found.misunderstood);
    return problems;
  }
}

/** One change in so many tasks is few. */
const FEW = 50;

/** What a note's facts come to. */
interface Derived {
  readonly task: Task | undefined;
  readonly problems: readonly TaskProblem[];
}

export class TaskIndex {
  readonly #vault: Vault;
  #look: TaskLook | undefined;
  #counted: { readonly dialect: Dialect; readonly tasks: number } | undefined;
  /** Notes that were new or changed since the dialect was counted. */
  #derivations = 0;
  #para = "";
  /** By the record, which is one as long as its note is unchanged: a changed note costs one derivation, not all. */
  #derived = new WeakMap<NoteRecord<TaskFacts>, Derived>();

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
    this.#para = folders;
    const found = (known?.para === para && this.#patched(known, view)) || this.#collect(view, para);
    this.#look = new TaskLook(view, para, found, (look) => this.#dialectOf(look));
    return this.#look;
  }

  /** The tasks that may answer a query, as of now; nothing is kept. For a process that answers once, which has no use for the others. */
  async candidates(query: string, options: RefreshOptions = {}): Promise<readonly Task[]> {
    const view = await this.#vault.catalog.refresh({ ...options, facts: [taskReader] });
    const surroundings = { para: await this.#vault.para(), clock: this.#vault.clock };
    const mayAnswer = sieveFor(query);
    const tasks: Task[] = [];
    for (const record of view.records(taskReader)) {
      const { stat } = record;
      const facts = record.factsIf((json) => mayAnswer(json, stat.path));
      const task = facts && deriveTask(facts, stat, surroundings);
      if (task !== undefined) tasks.push(task);
    }
    return tasks;
  }

  /** What an earlier look found with the tasks that changed since in their places; undefined when more than that changed. */
  #patched({ view: earlier, para, found }: TaskLook, view: CatalogView): Found | undefined {
    const changes = view.changedSince(taskReader, earlier.generation);
    if (!changes) return undefined;
    const tasks = found.tasks.slice();
    for (const { before, now } of changes) {
      const [old, fresh] = [before, now].map((record) => (record ? this.#derive(record, para) : NOTHING));
      if (old?.problems !== NO_PROBLEMS || fresh?.problems !== NO_PROBLEMS) return undefined;
      if (!old.task && !fresh.task) continue;
      const place = old.task ? tasks.indexOf(old.task) : -1;
      if (!fresh.task || place < 0) return undefined;
      tasks[place] = fresh.task;
    }
    return { tasks, misunderstood: found.misunderstood };
  }

  #collect(view: CatalogView, para: ParaFolders): Found {
    const tasks: Task[] = [];
    const misunderstood: TaskProblem[] = [];
    for (const record of view.records(taskReader)) {
      const { task, problems } = this.#derive(record, para);
      if (task === undefined) continue;
      tasks.push(task);
      if (problems.length > 0) misunderstood.push(...problems);
    }
    return { tasks, misunderstood };
  }

  /** Counts again only when it could matter: in a vault of many tasks a few changed ones do not turn its customs. */
  #dialectOf({ view, tasks }: TaskLook): Dialect {
    const last = this.#counted;
    const drift = last === undefined ? Infinity : this.#derivations + Math.abs(tasks.length - last.tasks);
    if (last !== undefined && drift * FEW < tasks.length) return last.dialect;
    const dialect = countDialect(factsOf(view.records(taskReader)));
    this.#counted = { dialect, tasks: tasks.length };
    this.#derivations = 0;
    return dialect;
  }

  #derive(record: NoteRecord<TaskFacts>, para: ParaFolders): Derived {
    const known = this.#derived.get(record);
    if (known) return known;
    this.#derivations++;
    const { stat, facts } = record;
    const task = deriveTask(facts, stat, { para, clock: this.#vault.clock });
    const derived = { task, problems: task && facts.problems ? problemsOf(facts, stat.path) : NO_PROBLEMS };
    this.#derived.set(record, derived);
    return derived;
  }
}

const NO_PROBLEMS: readonly TaskProblem[] = [];
const NOTHING: Derived = { task: undefined, problems: NO_PROBLEMS };
