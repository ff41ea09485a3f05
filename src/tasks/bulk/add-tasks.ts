/** Makes many tasks of quick text: notes of their own, or checkboxes in a note; all lines are read before anything is written (spec: tasks-2, section 8). */
import { isVaultError, VaultError } from "../../errors.js";
import type { Operation } from "../../history/journal.js";
import { operationReference } from "../../history/operation-reference.js";
import { baseName, folderOf, isMarkdown, vaultPath, type VaultPath } from "../../storage/path.js";
import { dailyNotePath, newDailyNote } from "../../templates/daily-note.js";
import { fillTemplate, findTemplate } from "../../templates/templates.js";
import type { Vault, WriteOutcome } from "../../vault/vault.js";
import type { CreatedTask } from "../api.js";
import { cleanQuickTask, type CleanDraft } from "../arguments.js";
import type { AppendedCheckboxes, NewCheckbox } from "../line-format/append-checkboxes.js";
import type { QuickTask } from "../quick-add/quick-line.js";
import { type QuickEntry, readQuickText } from "../quick-add/quick-text.js";
import type { SignFor, WrittenBlockers } from "../writing/blockers.js";
import { reasonOf } from "./selected-tasks.js";
import type { AddedTask, AddedTasks, QuickDraft } from "./bulk.js";

/** What a new note is told besides its values. */
export interface PlaceOptions {
  readonly operation: Operation;
  /** The task above it. */
  readonly parent: VaultPath | undefined;
  /** The text it begins as. */
  readonly template: string | undefined;
}

/** What is needed of the use cases of single tasks. */
export interface SingleCreation {
  /** A draft that can be written, with references as links. @throws VaultError INVALID_ARGUMENT when it cannot */
  prepare(draft: CleanDraft): Promise<CleanDraft>;
  place(draft: CleanDraft, options: PlaceOptions): Promise<CreatedTask>;
  /** A note's text with checkboxes in it. */
  append(text: string, heading: string | undefined, boxes: readonly NewCheckbox[]): Promise<AppendedCheckboxes>;
  /** The tasks that a new line is to wait for, by their signs. @throws VaultError when one is none, or no line */
  blockers(references: readonly string[]): Promise<WrittenBlockers>;
  /** @returns the signs that the lines have in the end, by those they were to get */
  sign(unsigned: readonly SignFor[], operation: Operation): Promise<ReadonlyMap<string, string>>;
  /** The tasks on lines of a note, in the order of the lines; undefined for one that the settings make none. */
  tasksAt(path: VaultPath, lines: readonly number[]): Promise<readonly AddedTask["task"][]>;
}

interface Ready {
  readonly entry: QuickEntry;
  readonly draft: CleanDraft;
}

export class TaskAdder {
  readonly #vault: Vault;
  readonly #single: SingleCreation;

  constructor(vault: Vault, single: SingleCreation) {
    this.#vault = vault;
    this.#single = single;
  }

  /** @throws VaultError INVALID_ARGUMENT naming every line that cannot be made a task; nothing is written then */
  async add(draft: QuickDraft): Promise<AddedTasks> {
    const entries = readQuickText(draft.text, this.#vault.clock.today());
    return draft.note === undefined ? this.#addNotes(entries, draft) : this.#addLines(entries, draft.note, draft);
  }

  async #addNotes(entries: readonly QuickEntry[], { area, template, heading }: QuickDraft): Promise<AddedTasks> {
    if (heading !== undefined) throw needsNote("heading");
    const form = template === undefined ? undefined : await this.#templateText(template);
    const ready = await eachLine(entries, async (entry): Promise<Ready> => {
      const clean = cleanQuickTask(entry.task, area, { today: this.#vault.clock.today() });
      return { entry, draft: await this.#single.prepare(clean) };
    });
    const operation = await this.#vault.begin({ reason: `add ${entries.length} tasks`, files: [] });
    const made: CreatedTask[] = [];
    try {
      for (const { entry, draft } of ready) {
        const parent = entry.parent === undefined ? undefined : made[entry.parent]?.task.path;
        const text = form === undefined ? undefined : await fillTemplate(form, draft.title, this.#vault);
        made.push(await this.#single.place(draft, { operation, parent, template: text?.text }));
      }
    } catch (error) {
      // All or none: what was made before goes to the trash.
      await operation.takeBack();
      throw error;
    }
    await operation.done();
    return {
      tasks: made.map(({ task }, at) => ({ task, title: task.title, place: task.path, line: entries[at]?.line ?? 0 })),
      adjustments: [...new Set(made.flatMap(({ adjustments }) => adjustments))],
      operation: operationReference(operation.id),
      undoable: made.every(({ undoable }) => undoable),
      durable: made.every(({ durable }) => durable),
    };
  }

  async #templateText(name: string): Promise<string> {
    return (await this.#vault.read(await findTemplate(this.#vault, name))).text;
  }

  async #addLines(entries: readonly QuickEntry[], note: string, draft: QuickDraft): Promise<AddedTasks> {
    for (const name of ["area", "template"] as const) if (draft[name] !== undefined) throw onlyForNotes(name);
    const drafts = await eachLine(entries, async ({ task, parent }) => ({
      box: checkboxOf(task, parent),
      blockers: await this.#single.blockers(task.blockedBy),
    }));
    const unsigned = drafts.flatMap(({ blockers }) => blockers.unsigned);
    const { heading } = draft;
    const path = await this.#noteFor(note);
    // What a line cannot hold is found before anything is made or changed for it.
    await this.#single.append("", heading, waitingBoxes(drafts, new Map()));
    const files = [...new Set([path, ...unsigned.map(({ task }) => task.path)])];
    const operation = await this.#vault.begin({ reason: `add ${drafts.length} tasks`, files });
    try {
      const boxes = waitingBoxes(drafts, await this.#single.sign(unsigned, operation));
      if (isDaily(note)) await this.#makeDaily(path, operation);
      // The change is a pure function of the text, which may be asked for more than once.
      const { text } = await this.#vault.read(path);
      const added = await this.#single.append(text, heading, boxes);
      const edit = await this.#vault.edit(path, (now) => sameText(path, now, text, added.text), "add tasks", {
        operation,
      });
      await operation.done();
      const tasks = await this.#single.tasksAt(path, added.lines);
      return {
        tasks: boxes.map(({ title }, at) => ({
          task: tasks[at],
          title,
          place: `${path}:${added.lines[at] ?? 0}`,
          line: entries[at]?.line ?? 0,
        })),
        adjustments: [],
        operation: operationReference(operation.id),
        undoable: edit.undoable,
        durable: edit.file?.durable ?? true,
      };
    } catch (error) {
      await operation.takeBack();
      throw error;
    }
  }

  async #noteFor(note: string): Promise<VaultPath> {
    if (isDaily(note)) {
      const { dailyNotes } = await this.#vault.settings();
      return dailyNotePath(this.#vault.clock.today(), dailyNotes, this.#vault.pathRules);
    }
    const bare = note.trim();
    const path = vaultPath(isMarkdown(bare as VaultPath) ? bare : `${bare}.md`, this.#vault.pathRules);
    await this.#vault.stat(path);
    return path;
  }

  /** A daily note that is not there is made from its template. */
  async #makeDaily(path: VaultPath, operation: Operation): Promise<WriteOutcome | undefined> {
    try {
      await this.#vault.stat(path);
      return undefined;
    } catch (error) {
      if (!isVaultError(error, "FILE_NOT_FOUND")) throw error;
    }
    return this.#vault.create(path, await newDailyNote(this.#vault, path), "daily note", { operation });
  }
}

const isDaily = (note: string): boolean => note.trim().toLowerCase() === "daily";

/** Another program that saves between the look and the change is met with a refusal: the lines were counted in what was seen. */
function sameText(path: VaultPath, now: string, seen: string, added: string): string {
  if (now === seen) return added;
  throw new VaultError("CONFLICT", `'${path}' was changed at this very moment; nothing was added.`, {
    path,
    hint: "Make the call again.",
  });
}

/** Every line's result. @throws VaultError INVALID_ARGUMENT naming all lines that have none */
async function eachLine<Result>(
  entries: readonly QuickEntry[],
  read: (entry: QuickEntry) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const bad: string[] = [];
  for (const entry of entries) {
    try {
      results.push(await read(entry));
    } catch (error) {
      if (!isVaultError(error)) throw error;
      bad.push(`line ${entry.line}: ${reasonOf(error).replace(/ Nothing was changed\.$/, "")}`);
    }
  }
  if (bad.length === 0) return results;
  throw new VaultError("INVALID_ARGUMENT", `These lines make no task; nothing was added: ${bad.join(" ")}`, {
    hint: 'Put words that are no day, rule or link in "quotes" so that they are not read.',
  });
}

interface CheckboxDraft {
  readonly box: NewCheckbox;
  readonly blockers: WrittenBlockers;
}

/** @param signs those that lines have in the end, by those they were to get */
function waitingBoxes(drafts: readonly CheckboxDraft[], signs: ReadonlyMap<string, string>): NewCheckbox[] {
  return drafts.map(({ box, blockers: { references } }) => {
    if (references.length === 0) return box;
    return { ...box, blockedBy: references.map((sign) => signs.get(sign) ?? sign) };
  });
}

/** @throws VaultError INVALID_ARGUMENT for what a checkbox cannot say */
function checkboxOf(task: QuickTask, parent: number | undefined): NewCheckbox {
  const { title, due, scheduled, start, priority, recurrence, tags } = task;
  const [project] = task.projects;
  const unsaid = [
    project === undefined
      ? undefined
      : (["+Project", `give note as that of ${project}, whose lines belong to it`] as const),
    task.contexts.length > 0 ? (["@context", "write #tag"] as const) : undefined,
    task.timeEstimate === undefined ? undefined : (["~time", "leave that out"] as const),
  ].filter((one) => one !== undefined);
  if (unsaid.length > 0)
    throw new VaultError(
      "INVALID_ARGUMENT",
      `A checkbox line cannot hold ${unsaid.map(([sign]) => sign).join(", ")}.`,
      {
        hint: `Instead ${unsaid.map(([, instead]) => instead).join(", ")}; or leave note out, so that each task is a note.`,
      },
    );
  return { title, due, scheduled, start, priority, recurrence, tags, parent };
}

function needsNote(argument: string): VaultError {
  return new VaultError("INVALID_ARGUMENT", `${argument} says where checkboxes go, and note is missing.`, {
    hint: 'Give note (a path, or "daily"), or leave heading out.',
  });
}

function onlyForNotes(argument: string): VaultError {
  return new VaultError("INVALID_ARGUMENT", `A checkbox has no ${argument} of its own.`, {
    hint: `Leave ${argument} out, or leave note out to make a note of each task.`,
  });
}

/** Where the subtasks of a note go, and what they call it. */
export function placeBelow(parent: VaultPath): { readonly folder: VaultPath; readonly name: string } {
  return { folder: folderOf(parent), name: baseName(parent).replace(/\.md$/i, "") };
}
