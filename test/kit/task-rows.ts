/** Rows of given tasks, as if notes at their paths had them: for tests of what follows from tasks. */
import { fixedClock, sequentialIds, type LocalDate } from "../../src/clock.js";
import { MemoryStorage } from "./memory-storage.js";
import type { TaskFormat } from "../../src/tasks/format.js";
import { TaskIndex } from "../../src/tasks/task-index.js";
import type { TaskRows } from "../../src/tasks/rows/task-rows.js";
import { taskSubject } from "../../src/tasks/rows/task-subject.js";
import { grouped, type Task } from "../../src/tasks/task.js";
import { Vault } from "../../src/vault/vault.js";

/** Take tasks from the rows (`titled`), because those given are copied. */
export async function rowsOf(tasks: readonly Task[], today: LocalDate): Promise<TaskRows> {
  const clock = fixedClock(`${today}T12:00:00Z`);
  const byPath = grouped(tasks, ({ path }) => path);
  const storage = new MemoryStorage({
    files: Object.fromEntries(Array.from(byPath.keys(), (path) => [path, ""])),
    clock,
  });
  const format: TaskFormat = {
    source: "note",
    epoch: () => undefined,
    read: ({ path }) => ({ tasks: byPath.get(path) ?? [], problems: [] }),
    finder: () => () => undefined,
    edit: (text) => ({ text, update: noChange }),
    detail: () => undefined,
  };
  const vault = new Vault({ storage, clock, ids: sequentialIds(), subjects: [taskSubject([format], clock)] });
  return new TaskIndex(vault, [format], undefined).refresh();
}

/** Of several tasks with this title, the last. */
export function titled(rows: TaskRows, ...titles: string[]): Task[] {
  const known = new Map(rows.tasks.map((task) => [task.title, task]));
  return titles.map((title) => {
    const task = known.get(title);
    if (task === undefined) throw new Error(`no task: ${title}`);
    return task;
  });
}

function noChange(): never {
  throw new Error("These tasks have no text to change.");
}
