/** A task kept as a note of its own: the one door to all that is known about how such a task lies in its note. */
import type { FileStat } from "../../storage/storage.js";
import type { Note } from "../../vault/vault.js";
import type { TaskDetail } from "../api.js";
import type { EditedText, NoteTasks, Surroundings, TaskFormat, UpdateContext } from "../format.js";
import type { CleanUpdates } from "../arguments.js";
import type { Task, TaskPlace } from "../task.js";
import { deriveTask, problemsOf } from "./derivation.js";
import { detailOf } from "./detail.js";
import { factsOf, type TaskFacts } from "./facts.js";
import { taskReader } from "./reader.js";
import { updateNote } from "./update.js";

export const noteFormat: TaskFormat<TaskFacts> = {
  source: "note",
  reader: taskReader,
  derive,
  find: taskIn,
  update: (text: string, updates: CleanUpdates, context: UpdateContext): EditedText => ({
    ...updateNote(text, updates, context),
    place: context.task,
  }),
  detail,
};

const NO_TASKS: NoteTasks = { tasks: [], problems: [] };
const NO_PROBLEMS: NoteTasks["problems"] = [];

function derive(facts: TaskFacts, stat: FileStat, surroundings: Surroundings): NoteTasks {
  const task = deriveTask(facts, stat, surroundings);
  if (task === undefined) return NO_TASKS;
  return { tasks: [task], problems: facts.problems ? problemsOf(facts, stat.path) : NO_PROBLEMS };
}

/** A note is one task, so its place is the note. */
function taskIn(text: string, stat: FileStat, _place: TaskPlace, surroundings: Surroundings): Task | undefined {
  const facts = factsOf(text);
  return facts && deriveTask(facts, stat, surroundings);
}

function detail(note: Note, _place: TaskPlace, surroundings: Surroundings): TaskDetail | undefined {
  const facts = factsOf(note.text);
  const task = facts && deriveTask(facts, note.stat, surroundings);
  return facts && task && detailOf(note, task, facts);
}
