/** A task kept as a note of its own: the one door to all that is known about how such a task lies in its note. */
import type { FileStat } from "../../storage/storage.js";
import type { Note } from "../../vault/vault.js";
import type { TaskDetail } from "../api.js";
import type { EditedTask, FindTask, NoteTasks, Surroundings, TaskFormat, TextEdit, UpdateContext } from "../format.js";
import type { CleanUpdates } from "../arguments.js";
import type { TaskPlace } from "../task.js";
import { deriveTask, problemsOf } from "./derivation.js";
import { detailOf } from "./detail.js";
import { factsOfAll } from "../../index/facts.js";
import type { IndexView } from "../../index/view.js";
import type { VaultIndex } from "../../index/vault-index.js";
import { lineCount } from "../../markdown/line-edit.js";
import type { VaultSettings } from "../../index/settings.js";
import { type Dialect, isDialect } from "../fields/dialect.js";
import { customsOf, inOwnKeys, NO_CUSTOMS } from "./customs.js";
import { factsOf, type TaskFacts } from "./facts.js";
import { factsOfRaw, rawReader, type RawNote } from "./raw-notes.js";
import { countDialect, taskReader } from "./reader.js";
import { updateNote } from "./update.js";

type NoteFacts = TaskFacts | RawNote;

export const noteFormat: TaskFormat<NoteFacts> = {
  source: "note",
  readers: [taskReader, rawReader],
  readerFor: (settings) => (customsOf(settings) === NO_CUSTOMS ? taskReader : rawReader),
  derive,
  finder,
  edit: (text) => new NoteTextEdit(text),
  detail,
};

class NoteTextEdit implements TextEdit {
  text: string;

  constructor(text: string) {
    this.text = text;
  }

  update(updates: CleanUpdates, context: UpdateContext): EditedTask {
    const before = this.text;
    const { text, series } = updateNote(before, updates, context);
    this.text = text;
    const linesAdded = lineCount(text) - lineCount(before);
    return { changed: text !== before, place: context.task, linesAdded, ...(series && { series }) };
  }
}

const NO_TASKS: NoteTasks = { tasks: [], problems: [] };
const NO_PROBLEMS: NoteTasks["problems"] = [];

const isRaw = (facts: NoteFacts): facts is RawNote => "frontmatter" in facts;

function derive(known: NoteFacts, stat: FileStat, surroundings: Surroundings): NoteTasks {
  const facts = isRaw(known) ? factsOfRaw(known, customsOf(surroundings.settings)) : known;
  const task = facts && deriveTask(facts, stat, surroundings);
  if (facts === undefined || task === undefined) return NO_TASKS;
  return { tasks: [task], problems: facts.problems ? problemsOf(facts, stat.path) : NO_PROBLEMS };
}

/** A note is one task, so its place is the note. */
function finder(text: string, stat: FileStat, surroundings: Surroundings): FindTask {
  const facts = factsOf(text, customsOf(surroundings.settings));
  const task = facts && deriveTask(facts, stat, surroundings);
  return () => task;
}

function detail(note: Note, _place: TaskPlace, surroundings: Surroundings): TaskDetail | undefined {
  const customs = customsOf(surroundings.settings);
  const facts = factsOf(note.text, customs);
  const task = facts && deriveTask(facts, note.stat, surroundings);
  return facts && task && detailOf(note, task, facts, customs);
}

/** How the vault writes its tasks, as the catalog has learnt it; undefined when it has not, or learns of other notes. */
export async function learntDialect(index: VaultIndex, settings: VaultSettings): Promise<Dialect | undefined> {
  const summary = customsOf(settings) === NO_CUSTOMS ? await index.summary(taskReader) : undefined;
  return isDialect(summary) ? summary : undefined;
}

/** How the vault writes the tasks of a view. */
export function dialectOfNotes(view: IndexView, settings: VaultSettings): Dialect {
  const customs = customsOf(settings);
  if (customs === NO_CUSTOMS) return countDialect(factsOfAll(view.records(taskReader)), customs);
  const facts = function* (): Generator<TaskFacts> {
    for (const raw of factsOfAll(view.records(rawReader))) {
      const facts = factsOfRaw(raw, customs);
      if (facts !== undefined) yield facts;
    }
  };
  return inOwnKeys(countDialect(facts(), customs), customs);
}
