/** The tasks of a vault as of one refresh of the index. */
import type { IndexView } from "../index/view.js";
import type { ParaFolders } from "../obsidian/para.js";
import type { VaultSettings } from "../obsidian/settings.js";
import { leftOut } from "../index/unlisted.js";
import type { LocalDate } from "../clock.js";
import type { VaultPath } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";
import { type DueLists, dueLists } from "./agenda.js";
import type { Dialect, UsedNames } from "./fields/dialect.js";
import type { NoteTasks, Surroundings, TaskFormat } from "./format.js";
import { bareName } from "./fields/property-values.js";
import { ProjectAreas } from "./project-areas.js";
import { KeyedTasks, type TaskKey, type Task, type TaskProblem } from "./task.js";
import { isVaultError } from "../errors.js";
import { findTask } from "./references.js";
import { Relations } from "./dependencies.js";

/** A card that is only a link to a task note is listed once: as the note, with the card's board and lane. */
function withCards(tasks: readonly Task[]): readonly Task[] {
  const cards = tasks.filter(({ linksTo }) => linksTo !== undefined);
  if (cards.length === 0) return tasks;
  const notes = new KeyedTasks(tasks.filter(({ source }) => source === "note"));
  const [ofNote, gone] = [new Map<Task, Task>(), new Set<Task>()];
  for (const card of cards) {
    const note = taskOfLink(card.linksTo ?? "", notes);
    if (note === undefined) continue;
    gone.add(card);
    if (!ofNote.has(note)) ofNote.set(note, card);
  }
  return tasks.flatMap((task) => {
    const card = ofNote.get(task);
    if (card !== undefined) return [{ ...task, board: card.board, lane: card.lane, card }];
    return gone.has(task) ? [] : [task];
  });
}

/** Undefined for no task or several. */
function taskOfLink(target: string, notes: KeyedTasks): Task | undefined {
  try {
    return findTask(`[[${target.replace(/\.md$/i, "")}]]`, notes)?.task;
  } catch (error) {
    if (isVaultError(error, "AMBIGUOUS_NAME")) return undefined;
    throw error;
  }
}

export class TaskSnapshot {
  readonly view: IndexView;
  readonly para: ParaFolders;
  readonly settings: VaultSettings;
  readonly found: NoteTasks;
  readonly #dialectOf: (of: TaskSnapshot) => Dialect;
  #tasks: readonly Task[] | undefined;
  #areas: ProjectAreas | undefined;
  #keyed: KeyedTasks | undefined;
  #due: { readonly today: LocalDate; readonly lists: DueLists } | undefined;
  #relations: { readonly today: LocalDate; readonly of: Relations } | undefined;
  #dialect: Dialect | undefined;
  #usedNames: UsedNames | undefined;
  #problems: readonly TaskProblem[] | undefined;

  constructor(
    view: IndexView,
    { para, settings }: Pick<Surroundings, "para" | "settings">,
    found: NoteTasks,
    dialectOf: (of: TaskSnapshot) => Dialect,
  ) {
    this.found = found;
    this.#dialectOf = dialectOf;
    this.view = view;
    this.para = para;
    this.settings = settings;
  }

  get tasks(): readonly Task[] {
    return (this.#tasks ??= withCards(this.found.tasks).map((task) => this.withArea(task)));
  }

  withArea(task: Task): Task {
    this.#areas ??= new ProjectAreas(this.found.tasks, this.view, this.para);
    return this.#areas.applyTo(task);
  }

  with(key: TaskKey, value: string): readonly Task[] {
    this.#keyed ??= new KeyedTasks(this.tasks);
    return this.#keyed.with(key, value);
  }

  statOf(format: TaskFormat, path: VaultPath): FileStat | undefined {
    return this.view.get(format.readerFor(this.settings), path)?.stat;
  }

  due(today: LocalDate): DueLists {
    if (this.#due?.today !== today) this.#due = { today, lists: dueLists(this.tasks, today) };
    return this.#due.lists;
  }

  relations(today: LocalDate): Relations {
    if (this.#relations?.today !== today) this.#relations = { today, of: new Relations(this, today) };
    return this.#relations.of;
  }

  /** Most used first. */
  get usedNames(): UsedNames {
    this.#usedNames ??= {
      areas: byUse(this.tasks.flatMap(({ area }) => area ?? [])),
      projects: byUse(this.tasks.flatMap(({ parentProjects }) => parentProjects)),
    };
    return this.#usedNames;
  }

  get dialect(): Dialect {
    this.#dialect ??= this.#dialectOf(this);
    return this.#dialect;
  }

  /** Unreadable notes and folders, and invalid values. */
  problems(today: LocalDate): readonly TaskProblem[] {
    this.#problems ??= [...this.#collectProblems(), ...this.relations(today).problems()];
    return this.#problems;
  }

  #collectProblems(): TaskProblem[] {
    const problems: TaskProblem[] = [...this.view.problems()];
    for (const { path, message, advice } of leftOut(this.view.unlisted))
      problems.push({ path, message: `${message} ${advice}` });
    for (const problem of this.found.problems) problems.push(problem);
    return problems;
  }
}

function byUse(names: readonly string[]): readonly string[] {
  const uses = new Map<string, number>();
  for (const name of names.map(bareName)) uses.set(name, (uses.get(name) ?? 0) + 1);
  return [...uses].sort(([, one], [, other]) => other - one).map(([name]) => name);
}
