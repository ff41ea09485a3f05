/** Creates many tasks from quick text: notes, or checkboxes in a note (docs: tasks, "Making"). */
import { isVaultError, orIfFailed, VaultError } from "../../errors.js";
import { PERIODICITY } from "../../dates/calendar-terms.js";
import type { Operation } from "../../history/journal-records.js";
import { isMarkdown, vaultPath, type VaultPath } from "../../storage/path.js";
import { newPeriodicText, type PeriodicNote, periodicNote } from "../../templates/periodic-notes.js";
import { type FilledTemplate, fillTemplate, findTemplate, templateRemarks } from "../../templates/templates.js";
import type { Vault } from "../../vault/vault.js";
import type { CreatedTask } from "../api.js";
import { cleanQuickTask, type CleanDraft, notTicked } from "./arguments.js";
import { appenderAmong, type NewCheckbox } from "../format.js";
import { findTask } from "../references.js";
import { isReserved } from "../note-format/customs.js";
import type { LinePlace, Task } from "../task.js";
import type { QuickTask } from "../quick-add/quick-line.js";
import type { QuickEntry } from "../quick-add/quick-text.js";
import { type SignedLines, type SignFor, signLines, type WrittenBlockers } from "./blockers.js";
import { projectNames } from "./known-names.js";
import type { NoteLinks } from "./convert.js";
import type { TaskMaker } from "./task-maker.js";
import type { TaskIndex } from "../rows/task-index.js";
import { fold } from "../../text/fold.js";
import { reasonOf } from "../unknown-reference.js";

/** One task per line; deeper lines are subtasks. */
export interface QuickDraft {
  readonly text: string;
  /** Gets checkboxes: a path, or a periodic note. Default: each task is a note. */
  readonly note?: string | undefined;
  /** Section for the checkboxes; created if missing. */
  readonly heading?: string | undefined;
  readonly area?: string | undefined;
  readonly template?: string | undefined;
}

export interface AddedTask {
  /** Undefined if the settings exclude the checkbox. */
  readonly task: Task | undefined;
  readonly title: string;
  /** The note's path, or the id of the checkbox. */
  readonly place: string;
  /** In the text, from 1. */
  readonly line: number;
}

/** A line that makes no task. */
interface RefusedLine {
  /** In the text, from 1. */
  readonly line: number;
  readonly title: string;
  readonly reason: string;
}

export interface AddedTasks {
  readonly refused: readonly RefusedLine[];
  readonly tasks: readonly AddedTask[];
  readonly adjustments: readonly string[];
  /** Unread parts, and open tasks of the same titles. */
  readonly remarks: readonly string[];
  /** `op-...`; undefined without a journal. */
  readonly operation: string | undefined;
  readonly undoable: boolean;
  readonly durable: boolean;
}

export interface PlannedTask extends Pick<QuickTask, "title" | "read" | "unread"> {
  readonly line: number;
  readonly problem?: string | undefined;
  readonly open?: Task | undefined;
}

interface KnownTitles {
  readonly openTask: (title: string) => Task | undefined;
}

interface NoteOfLines {
  readonly path: VaultPath;
  readonly missing?: PeriodicNote;
}

const NO_NAMES: ReadonlySet<string> = new Set();

export class TaskAdder {
  readonly #vault: Vault;
  readonly #index: TaskIndex;
  readonly #maker: TaskMaker;
  readonly #links: NoteLinks | undefined;

  constructor(vault: Vault, index: TaskIndex, maker: TaskMaker, links: NoteLinks | undefined) {
    this.#vault = vault;
    this.#links = links;
    this.#index = index;
    this.#maker = maker;
  }

  async add(draft: QuickDraft): Promise<AddedTasks> {
    return await this.#maker.inOrder(() => this.#addAll(draft));
  }

  async #addAll(draft: QuickDraft): Promise<AddedTasks> {
    const { known, entries } = await this.#read(draft);
    const { lines, ...added } = await this.#add(entries, draft);
    return { ...added, remarks: lines.flatMap(({ entry }) => remarksOn(entry, known)) };
  }

  /** @throws VaultError when no line can be added */
  async plan(draft: QuickDraft): Promise<readonly PlannedTask[]> {
    const { known, entries } = await this.#read(draft);
    const { note } = draft;
    if (note === undefined) await this.#forNotes(draft);
    const place = note === undefined ? undefined : await this.#forLines(note, draft);
    const { refused } = await readyLines<unknown>(entries, (entry) =>
      place === undefined ? this.#readyNote(entry, draft.area) : this.#readyLine(entry, place),
    );
    const problems = new Map(refused.map(({ line, reason }) => [line, reason]));
    return entries.map(({ line, task: { title, read, unread } }) => {
      const problem = problems.get(line);
      return { line, title, read, unread, problem, open: problem === undefined ? known.openTask(title) : undefined };
    });
  }

  async #read({ text, note }: QuickDraft) {
    const projects = note === undefined ? await projectNames(this.#vault, await this.#vault.paraListing()) : NO_NAMES;
    const isProject = (name: string): boolean => projects.has(fold(name));
    const { readQuickText } = await import("../quick-add/quick-text.js");
    const entries = readQuickText(text, { today: this.#vault.clock.today(), isProject });
    const rows = await this.#index.refresh();
    // Before these tasks are written.
    const open = new Map(entries.map(({ task: { title } }) => [title, rows.openTask(title)]));
    return { entries, known: { openTask: (title: string) => open.get(title) } };
  }

  async #add(entries: readonly QuickEntry[], draft: QuickDraft): Promise<AddedLines> {
    return draft.note === undefined ? this.#addNotes(entries, draft) : this.#addLines(entries, draft.note, draft);
  }

  async #forNotes({ heading, template }: QuickDraft): Promise<string | undefined> {
    if (heading !== undefined) throw needsNote("heading");
    if (template === undefined) return undefined;
    return (await this.#vault.read(await findTemplate(this.#vault, template))).text;
  }

  async #readyNote(entry: QuickEntry, area: string | undefined): Promise<CleanDraft> {
    return await this.#maker.prepare(cleanQuickTask(entry.task, area, { today: this.#vault.clock.today() }));
  }

  async #addNotes(entries: readonly QuickEntry[], draft: QuickDraft) {
    const form = await this.#forNotes(draft);
    const { lines, refused } = await readyLines(entries, (entry) => this.#readyNote(entry, draft.area));
    assertAny(lines, refused);
    const made: CreatedTask[] = [];
    const plan = { reason: `add ${lines.length} tasks`, files: [] };
    const names = await this.#maker.filesByName();
    const lacking = new Set<string>();
    const { operation, undoable } = await this.#vault.history.together(plan, async (operation) => {
      for (const { entry, ready: draft } of lines) {
        const parent = entry.parent === undefined ? undefined : made[entry.parent]?.task.path;
        const text = form === undefined ? undefined : await fillTemplate(form, draft.title, this.#vault);
        for (const remark of text ? templateRemarks(text) : []) lacking.add(remark);
        const earlier = entry.after.flatMap((at) => made[at]?.task ?? []);
        const links = await this.#maker.blockers(
          earlier.map(({ path }) => path),
          "note",
        );
        const blockedBy = [...(draft.values.blockedBy ?? []), ...links.references];
        const waiting = blockedBy.length === 0 ? draft : withBlockers(draft, blockedBy);
        made.push(await this.#maker.makeNote(waiting, { operation, parent, template: text?.text, names }));
      }
    });
    return {
      refused,
      lines,
      tasks: made.map(({ task }, at) => ({
        task,
        title: task.title,
        place: task.path,
        line: lines[at]?.entry.line ?? 0,
      })),
      adjustments: [...new Set([...made.flatMap(({ adjustments }) => adjustments), ...lacking])],
      operation,
      undoable,
      durable: made.every(({ durable }) => durable),
    };
  }

  async #forLines(note: string, draft: QuickDraft): Promise<NoteOfLines> {
    for (const name of ["area", "template"] as const) if (draft[name] !== undefined) throw onlyForNotes(name);
    return this.#noteFor(note);
  }

  async #readyLine({ task }: QuickEntry, { path }: NoteOfLines): Promise<CheckboxDraft> {
    const box = checkboxOf(task);
    const blockers = await this.#maker.blockers(task.blockedBy, "line");
    await this.#append(path, "", undefined, [box]);
    return { box, blockers };
  }

  async #addLines(entries: readonly QuickEntry[], note: string, draft: QuickDraft) {
    const place = await this.#forLines(note, draft);
    const { path, missing } = place;
    const { lines: ready, refused } = await readyLines(entries, (entry) => this.#readyLine(entry, place));
    assertAny(ready, refused);
    const waitedFor = new Set(ready.flatMap(({ entry }) => entry.after));
    const signs = ready.map((_, at) => (waitedFor.has(at) ? this.#vault.ids.next() : undefined));
    const drafts = ready.map(({ entry, ready: { box, blockers } }, at) => ({
      box: { ...box, parent: entry.parent, sign: signs[at] },
      earlier: entry.after.flatMap((place) => signs[place] ?? []),
      blockers,
    }));
    const unsigned = drafts.flatMap(({ blockers }) => blockers.unsigned);
    const { heading } = draft;
    // Checks the lines before anything is written.
    await this.#append(path, "", heading, waitingBoxes(drafts, new Map()));
    const files = [...new Set([path, ...unsigned.map(({ task }) => task.path)])];
    const plan = { reason: `add ${drafts.length} tasks`, files };
    const { result, operation, undoable } = await this.#vault.history.together(plan, async (operation) => {
      const signed = await this.#sign(unsigned, operation);
      const boxes = waitingBoxes(drafts, signed.signs);
      const made = missing && (await this.#makePeriodic(missing, operation));
      let places: readonly LinePlace[] = [];
      const append = async (text: string): Promise<string> => {
        const added = await this.#append(path, text, heading, boxes);
        places = added.places;
        return added.text;
      };
      const edit = await this.#vault.writing.edit(path, append, "add tasks", { operation });
      const lacking = made ? templateRemarks(made) : [];
      return { boxes, signed, lacking, places, durable: edit.file?.durable ?? true };
    });
    const { boxes, signed, lacking, places, durable } = result;
    const tasks = await orIfFailed(this.#tasksAt(places), []);
    const linksTaken = missing && (await this.#links?.linksTaken(path));
    return {
      refused,
      lines: ready,
      tasks: boxes.map(({ title }, at) => ({
        task: tasks[at],
        title,
        place: places[at]?.id ?? path,
        line: ready[at]?.entry.line ?? 0,
      })),
      adjustments: [
        ...signed.edits
          .filter((one) => one.path !== path)
          .map((one) => `'${one.path}' was changed too: a line that is waited for has a 🆔 now`),
        ...lacking,
        ...(linksTaken === undefined ? [] : [linksTaken]),
      ],
      operation,
      undoable,
      durable,
    };
  }

  async #append(path: VaultPath, text: string, heading: string | undefined, boxes: readonly NewCheckbox[]) {
    const format = appenderAmong(this.#index.formats);
    const [settings, today] = [await this.#vault.settings(), this.#vault.clock.today()];
    return format.append(text, heading, boxes, { settings, today, path, mayBePlain: true });
  }

  async #sign(unsigned: readonly SignFor[], operation: Operation): Promise<SignedLines> {
    const rows = await this.#index.among(unsigned.map(({ task }) => task.id));
    return await signLines(this.#vault, this.#index, rows, unsigned, { operation });
  }

  /** By id: another program may have inserted lines since. */
  async #tasksAt(places: readonly LinePlace[]): Promise<readonly (Task | undefined)[]> {
    const rows = await this.#index.refresh({}, "lines");
    return places.map(({ id }) => {
      try {
        return findTask(id, rows, this.#index.formats)?.task;
      } catch (error) {
        if (isVaultError(error, "AMBIGUOUS_NAME")) return undefined;
        throw error;
      }
    });
  }

  async #noteFor(note: string): Promise<NoteOfLines> {
    const bare = note.trim();
    const periodic = await periodicNote(this.#vault, bare);
    if (periodic) return periodic.exists ? { path: periodic.path } : { path: periodic.path, missing: periodic };
    // An empty name is refused as such, not as the hidden file `.md`.
    const isWhole = bare === "" || isMarkdown(bare as VaultPath);
    const path = vaultPath(isWhole ? bare : `${bare}.md`, this.#vault.pathRules);
    await this.#vault.stat(path);
    if (isReserved(path, await this.#vault.settings()))
      throw new VaultError("PERMISSION_DENIED", `'${path}' belongs to TaskNotes, and holds no tasks.`, {
        hint: "Give another note.",
      });
    return { path };
  }

  async #makePeriodic(note: PeriodicNote, operation: Operation): Promise<FilledTemplate> {
    const made = await newPeriodicText(this.#vault, note);
    await this.#vault.writing.create(note.path, made.text, `${PERIODICITY[note.period]} note`, { operation });
    return made;
  }
}

/** A line with what it becomes. Places of `parent` and `after` count these lines. */
interface ReadyLine<Result> {
  readonly entry: QuickEntry;
  readonly ready: Result;
}

type AddedLines = Omit<AddedTasks, "remarks"> & { readonly lines: readonly ReadyLine<unknown>[] };

/** A line is refused with the lines below it, and with those that wait for it. */
async function readyLines<Result>(
  entries: readonly QuickEntry[],
  read: (entry: QuickEntry) => Promise<Result>,
): Promise<{ readonly lines: readonly ReadyLine<Result>[]; readonly refused: readonly RefusedLine[] }> {
  const lines: ReadyLine<Result>[] = [];
  const refused: RefusedLine[] = [];
  const places = new Map<number, number>();
  const missing = (at: number | undefined): number | undefined =>
    at === undefined || places.has(at) ? undefined : entries[at]?.line;
  for (const [at, entry] of entries.entries()) {
    const { line, task, parent, after } = entry;
    const above = missing(parent);
    const awaited = after.map(missing).find((one) => one !== undefined);
    let reason = entry.problem;
    if (above !== undefined) reason ??= `It is below line ${above}, which is not added.`;
    if (awaited !== undefined) reason ??= `It waits for line ${awaited}, which is not added.`;
    try {
      if (reason === undefined) {
        const ready = await read(entry);
        const placeOf = (one: number): number => places.get(one) ?? 0;
        places.set(at, lines.length);
        const moved = {
          ...entry,
          parent: parent === undefined ? undefined : placeOf(parent),
          after: after.map(placeOf),
        };
        lines.push({ entry: moved, ready });
      }
    } catch (error) {
      reason = problemIn(error);
    }
    if (reason !== undefined) refused.push({ line, title: task.title, reason });
  }
  return { lines, refused };
}

function assertAny(lines: readonly ReadyLine<unknown>[], refused: readonly RefusedLine[]): void {
  if (lines.length > 0) return;
  const bad = refused.map(({ line, reason }) => `line ${line}: ${reason}`);
  throw new VaultError("INVALID_ARGUMENT", `These lines make no task; nothing was added: ${bad.join(" ")}`, {
    hint: 'Put words that are no day, rule or link in "quotes" so that they are not read.',
  });
}

function problemIn(error: unknown): string {
  if (!isVaultError(error)) throw error;
  return reasonOf(error).replace(/ Nothing was (?:changed|added)\.$/, "");
}

interface CheckboxDraft {
  readonly box: NewCheckbox;
  readonly blockers: WrittenBlockers;
}

/** @param signs the lines' signs, by the planned ones */
function waitingBoxes(
  drafts: readonly (CheckboxDraft & { readonly earlier: readonly string[] })[],
  signs: ReadonlyMap<string, string>,
): NewCheckbox[] {
  return drafts.map(({ box, earlier, blockers: { references } }) => {
    const blockedBy = [...references.map((sign) => signs.get(sign) ?? sign), ...earlier];
    return blockedBy.length === 0 ? box : { ...box, blockedBy };
  });
}

function withBlockers(draft: CleanDraft, blockedBy: readonly string[]): CleanDraft {
  return {
    ...draft,
    values: { ...draft.values, blockedBy },
    given: draft.given && new Set([...draft.given, "blockedBy"]),
  };
}

function remarksOn({ task, line }: QuickEntry, { openTask }: KnownTitles): string[] {
  const open = openTask(task.title);
  return [
    ...task.unread.map(({ text, reason }) => `Line ${line}: not read: "${text}" (${reason}).`),
    ...(open === undefined ? [] : [`"${task.title}" is open already (id ${open.id}); added all the same.`]),
  ];
}

function checkboxOf(task: QuickTask): NewCheckbox {
  const { title, due, scheduled, start, created, completed, status, priority, recurrence, tags } = task;
  const [project] = task.projects;
  const unsaid = [
    project === undefined
      ? undefined
      : (["+Project", `give note as that of ${project}, whose lines belong to it`] as const),
    task.contexts.length > 0 ? (["@context", "write #tag"] as const) : undefined,
    task.timeEstimate === undefined ? undefined : (["~time", "leave that out"] as const),
    task.reminders === undefined ? undefined : (["remind", "leave that out"] as const),
  ].filter((one) => one !== undefined);
  if (unsaid.length > 0)
    throw new VaultError(
      "INVALID_ARGUMENT",
      `A checkbox line cannot hold ${unsaid.map(([sign]) => sign).join(", ")}.`,
      {
        hint: `Instead ${unsaid.map(([, instead]) => instead).join(", ")}; or leave note out, so that each task is a note.`,
      },
    );
  if (completed !== undefined && status !== "Done") throw notTicked();
  return { title, due, scheduled, start, created, completed, status, priority, recurrence, tags };
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
