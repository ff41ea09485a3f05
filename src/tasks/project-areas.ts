/** Gives a task without an area the area of its project (docs: tasks, "Fields"). */
import type { FactReader } from "../index/facts.js";
import { folderAround, type ParaFolders } from "../obsidian/para.js";
import type { IndexView } from "../index/view.js";
import { fold } from "../text/fold.js";
import { bareName } from "./fields/property-values.js";
import { FIELDS, fieldNamed } from "./fields/fields.js";
import { normaliseWord } from "./fields/vocabulary.js";
import { fileTitle } from "./note-format/derivation.js";
import type { Task } from "./task.js";

const AREA_KEYS: readonly string[] = FIELDS.area.spellings;
const TASK_KEYS: ReadonlySet<string> = new Set([...FIELDS.tags.spellings, ...FIELDS.type.spellings]);

/** Areas of notes that are not marked as tasks, such as projects. */
export const projectAreaReader: FactReader<{ readonly area: string }> = {
  name: "project-areas",
  version: 1,
  read({ frontmatter: { properties } }) {
    const property = properties.find(({ key }) => AREA_KEYS.includes(normaliseWord(key)));
    if (property === undefined) return undefined;
    const isTask = properties.some(
      ({ key, text, value }) => TASK_KEYS.has(normaliseWord(key)) && /task/i.test(text ?? JSON.stringify(value)),
    );
    const { value } = fieldNamed("area").read(property);
    return isTask || typeof value !== "string" || value === "" ? undefined : { area: value };
  },
};

const MAX_DEPTH = 5;

export class ProjectAreas {
  readonly #named = new Map<string, Set<string>>();
  readonly #within = new Map<string, readonly string[]>();

  constructor(tasks: readonly Task[], view: IndexView, { projects }: Pick<ParaFolders, "projects">) {
    if (view.covers(projectAreaReader))
      for (const { stat, facts } of view.records(projectAreaReader))
        if (folderAround(stat.path, projects) !== undefined) this.#add(fileTitle(stat.path), facts.area);
    for (const { source, path, title, area, parentProjects } of tasks)
      if (source === "note")
        for (const name of new Set([fileTitle(path), title])) {
          if (area !== undefined) this.#add(name, area);
          else if (parentProjects.length > 0) this.#within.set(fold(name), parentProjects);
        }
  }

  /** Sets the area if the task has none and its projects agree on one. */
  applyTo(task: Task): Task {
    if (task.area !== undefined || task.parentProjects.length === 0) return task;
    const areas = this.#areasOf(task.parentProjects, MAX_DEPTH);
    const [area] = areas;
    return area === undefined || areas.size > 1
      ? task
      : { ...task, area, areaOf: bareName(task.parentProjects[0] ?? "") };
  }

  #areasOf(projects: readonly string[], depth: number): ReadonlySet<string> {
    const found = new Set<string>();
    for (const name of projects.map((project) => fold(bareName(project)))) {
      const within = depth > 0 ? this.#within.get(name) : undefined;
      const areas = this.#named.get(name) ?? (within && this.#areasOf(within, depth - 1)) ?? [];
      for (const area of areas) found.add(area);
    }
    return found;
  }

  #add(name: string, area: string): void {
    const known = this.#named.get(fold(name));
    if (known) known.add(area);
    else this.#named.set(fold(name), new Set([area]));
  }
}
