/** The task operations over one vault. */
import { Mutex } from "async-mutex";
import { meansAll } from "../search/words.js";
import { call, said, type Wording, counted } from "../text/wording.js";
import { TimeSlice } from "../async/timers.js";
import type { IndexView } from "../index/view.js";
import { orIfFailed } from "../errors.js";
import type { Operation } from "../history/journal-records.js";
import { isListed } from "../obsidian/ignore.js";
import { baseName, isMarkdown, type VaultPath } from "../storage/path.js";
import type { Vault } from "../vault/vault.js";
import type { TaskUpdates, Tasks, WaitsFor } from "./api.js";
import { isFieldKey, isOneOfSeveral, nullsIgnored, withoutNulls } from "./fields/task-fields.js";
import type { BaseSettings } from "./bases/tasks-base.js";
import { taskConditions } from "./query/filter.js";
import { excludedLines, inlineCount, plainCount, plainWith, problemsIn, unreadIn } from "./query/not-counted.js";
import { parseSelection } from "./query/selection.js";
import { addQuickTasks, planQuickTasks } from "./writing/add-tasks.js";
import { changeTasks } from "./writing/bulk.js";
import { dayAgenda, dueLists, readSpan } from "./agenda.js";
import type { TaskFormat } from "./format.js";
import { conventionsOf, isReserved, withOwnWords } from "./note-format/note-settings.js";
import { noteFormat } from "./note-format/format.js";
import { fieldChanges } from "./note-format/properties.js";
import { TaskFinder } from "./query/finder.js";
import { type FindFile, TaskIndex } from "./task-index.js";
import type { TaskRows } from "./rows/task-rows.js";
import type { Task, TaskProblem } from "./task.js";
import { momentsOf } from "./fields/reminders.js";
import type { SettingsProblem } from "../obsidian/settings-values.js";
import { dependenciesOf, relationsOf } from "./relations.js";
import { noLongerTask } from "./task-references.js";
import { applyEach } from "./writing/change-set.js";
import type { NoteLinks, WriteContext } from "./writing/edit-note.js";
import type { Companions, Renaming } from "../vault/new-path.js";
import { makeTask } from "./writing/create.js";
import { waitsOf, changeTask, type Outcome, planUpdates } from "./writing/update.js";
import { cleanUpdates } from "./writing/arguments.js";
import { readFrontmatter, splitNote } from "../markdown/frontmatter/frontmatter.js";
import type { Spelling } from "./fields/spelling.js";

export type * from "./api.js";

interface TaskServiceOptions {
  readonly formats?: readonly TaskFormat[];
  readonly findFile?: FindFile;
  readonly links?: NoteLinks;
}

const LIST_PLAIN = call("search_tasks", { is: ["checkbox"] }, 'search_tasks is ["checkbox"]');

const plainWords = (count: number, open = ""): string =>
  `${count} ${open}plain ${count === 1 ? "checkbox" : "checkboxes"}`;

const withList = (what: string, list: string, boxes: number): Wording =>
  said`${what}${list} ${boxes === 1 ? "it" : "them"}: ${LIST_PLAIN}.`.or(`${what}.`);

/** What a base does not find by tag, property or type. */
const UNMARKED: ReadonlySet<string> = new Set(["status-in-para"]);

const baseSettings = ({ dialect, para, settings }: TaskRows): BaseSettings => ({
  dialect: withOwnWords(dialect, settings),
  archive: para.archive,
  conventions: conventionsOf(settings),
  archiveTag: settings.taskNotes.archiveTag,
  excluded: settings.taskNotes.excludedFolders,
});

/** @param vault must have the subject of these formats */
export function taskService(vault: Vault, { formats = [noteFormat], findFile, links }: TaskServiceOptions = {}) {
  const decoded = new WeakMap<IndexView, readonly Task[]>();
  const index = new TaskIndex(vault, formats, findFile);
  const finder = new TaskFinder(vault, index);
  const writing: WriteContext = { vault, index, finder, links, creating: new Mutex() };

  /** Project folders, and notes in them that are not tasks. */
  async function findProjectNames(rows: TaskRows): Promise<readonly string[]> {
    const { para } = rows;
    const isTask = (path: VaultPath): boolean => rows.with({ by: "path", value: path.normalize("NFC") }).length > 0;
    const entries = await Promise.all(para.projects.map(async (folder) => (await vault.children(folder)) ?? []));
    return entries
      .flat()
      .filter(({ kind, path }) => kind === "folder" || (isListed(path, kind) && isMarkdown(path) && !isTask(path)))
      .map(({ path }) => baseName(path).replace(/\.md$/i, ""))
      .filter((name) => !name.startsWith("."));
  }

  function withNotices<Outcome extends { readonly adjustments: readonly Wording[] }>(
    outcome: Outcome,
    moments: readonly string[] = [],
  ): Outcome {
    const problems = vault.index.latest?.settings.taskNotes.problems ?? [];
    const notices = [...moments, ...problems.map(problemText)];
    return notices.length === 0 ? outcome : { ...outcome, adjustments: [...outcome.adjustments, ...notices] };
  }

  /** Which of a task's properties holds the field that another key spells. */
  async function fieldKeys(path: VaultPath): Promise<(key: string, keys: readonly string[]) => string | undefined> {
    const { spelling } = conventionsOf(await vault.settings());
    const rows = await index.refreshFor([path]);
    if (rows.with({ by: "path", value: path.normalize("NFC") }).length === 0) return () => undefined;
    const fieldOf = (key: string) => spelling.fieldsSpelled(key)[0]?.name;
    return (key, keys) => (fieldOf(key) && keys.find((one) => fieldOf(one) === fieldOf(key))) || undefined;
  }

  /**
   * The task fields among the properties, and their change. Undefined when the note is no task, or no property is a
   * field.
   */
  async function fieldsOf(path: VaultPath, properties: Readonly<Record<string, string>>) {
    const settings = await vault.settings();
    const { spelling } = conventionsOf(settings);
    const mayChange =
      settings.taskNotes.type !== undefined || Object.keys(properties).some((key) => isFieldKey(key, spelling));
    if (!mayChange) return undefined;
    const rows = await index.refreshFor([path]);
    const [task] = rows.with({ by: "path", value: path.normalize("NFC") });
    if (task === undefined) return undefined;
    const keys = readFrontmatter((await vault.read(path)).text).properties.map((property) => property.key);
    const { changes, remarks } = fieldChanges(properties, rows.settings);
    const updates = changes.filter(([key]) => !isOneOfSeveral(key, keys, spelling));
    if (updates.length === 0) return { keys: [], remarks, preview: async () => false, write: async () => false };
    const found = await index.find(task.id, rows);
    const given: TaskUpdates = Object.fromEntries(updates.map(([, update]) => update));
    const checked = cleanUpdates(given, { today: vault.clock.today() });
    remarks.push(...checked.adjustments);
    const plan = async () => await planUpdates(writing, [{ found, checked }], rows);
    const settled = (outcomes: readonly Outcome[]): boolean => {
      for (const outcome of outcomes) if (outcome instanceof Error) throw outcome;
      return outcomes.some((outcome) => !(outcome instanceof Error) && outcome.changed);
    };
    return {
      keys: updates.map(([key]) => key),
      remarks,
      preview: async () => settled((await plan()).outcomes),
      write: async (operation: Operation) => settled(await applyEach(writing, await plan(), { operation })),
    };
  }

  /** A project's folder, and plain names of projects and blockers. */
  async function renamedWith(request: Renaming): Promise<Companions | undefined> {
    const { renamedWith } = await import("./writing/renamed-project.js");
    return await renamedWith(vault, () => index.refresh(), request);
  }

  const tasks: Required<Tasks> = {
    all: async (options = {}) =>
      await index.ask(options, "tasks", async (rows) => {
        const known = decoded.get(rows.view) ?? (await rows.decodeSome(rows.everyId(), new TimeSlice(options.signal)));
        decoded.set(rows.view, known);
        return { today: vault.clock.today(), tasks: known };
      }),

    agenda: async ({ limit = -1, ...options } = {}) =>
      await index.ask(options, "tasks", async (rows) => {
        const today = vault.clock.today();
        const due = await dueLists(rows, today, { limit, slice: new TimeSlice(options.signal) });
        return {
          today,
          ...due,
          unreadInline: excludedLines(rows.view),
          inline: inlineCount(rows),
          waitsFor: waitsFor(rows),
          paraFolders: rows.para,
          taskCount: rows.total([]),
          noteCount: rows.view.noteCount,
          problems: [...allProblems(rows), ...relationsOf(rows).problems()],
        };
      }),

    search: async (query, options = {}) => finder.find(query, options),

    async notCounted(about = {}, options = {}) {
      const { query = "*", is = [], ...filters } = about;
      if (is.includes("checkbox") || is.includes("inline")) return undefined;
      const isAll = meansAll(query);
      const { clock } = vault;
      const { boxes, notes } = await index.askLatest(options, async (rows) => {
        const { filters: meant } = await finder.withNamesMeant(filters, rows);
        const { conditions } = taskConditions(
          { ...meant, query, ...(is.length > 0 && { is }) },
          { rows, today: clock.today(), clock },
        );
        return isAll ? plainCount(rows, conditions) : plainWith(query, rows, conditions);
      });
      if (boxes === 0) return undefined;
      if (!isAll)
        return withList(
          `${plainWords(boxes)} ${boxes === 1 ? "matches" : "match"} ${JSON.stringify(query)}`,
          "; list",
          boxes,
        );
      const isFiltered =
        is.length > 0 || Object.values(filters).some((value) => value !== undefined && value !== false);
      const where = isFiltered ? "with these filters" : `in ${counted(notes, "note")}`;
      return withList(`Not counted: ${plainWords(boxes, "open ")} ${where}`, ". List", boxes);
    },

    unread: async (about, options = {}) => await index.askLatest(options, (rows) => unreadIn(rows, about)),

    async days(query = {}, options = {}) {
      const today = vault.clock.today();
      const { echo, ...span } = readSpan(query, today);
      return await index.ask(options, "tasks", (rows) => ({
        today,
        ...span,
        sections: dayAgenda(rows, span, today, query),
        waitsFor: waitsFor(rows),
        remarks: echo === undefined ? [] : [echo],
      }));
    },

    async review({ date, days = 0, ...page } = {}, options = {}) {
      const { clock } = vault;
      const today = clock.today();
      const { echo, ...done } = date === undefined ? { echo: undefined } : readSpan({ date }, today, "back");
      return await index.ask(options, "tasks", async (rows) => {
        const { madeWithoutDay, reviewOf } = await import("./review.js");
        const projectNames = await findProjectNames(rows);
        const span = "from" in done ? { done } : {};
        return {
          today,
          ...span,
          ...reviewOf(rows, { today, clock, days, projectNames, ...span, ...page }),
          waitsFor: waitsFor(rows),
          remarks: [echo ?? [], days === 0 ? [] : madeWithoutDay(rows)].flat(),
        };
      });
    },

    async base(options = {}) {
      const { tasksBaseText } = await import("./bases/tasks-base.js");
      return tasksBaseText(baseSettings(await index.refresh(options)));
    },

    async viewBase({ selection, ...shown }, options = {}) {
      const rows = await index.refresh(options);
      const { filters } = await finder.withNamesMeant(parseSelection(selection).filters, rows);
      const settings = baseSettings(rows);
      const { viewBaseText } = await import("./bases/tasks-base.js");
      const text = viewBaseText(settings, { ...shown, filters, today: vault.clock.today() });
      const { tasks } = await finder.find(filters, options);
      return { text, untyped: tasks.filter(({ rule }) => UNMARKED.has(rule)).length };
    },

    async projects({ shown, ...options } = {}) {
      const { clock } = vault;
      const today = clock.today();
      return await index.ask(options, "tasks", async (rows) => {
        const { projectProgress, withNext } = await import("./review.js");
        const projectNames = await findProjectNames(rows);
        const all = projectProgress(rows, { today, clock, projectNames });
        return withNext(shown?.(all) ?? all, rows, today);
      });
    },

    /** What the projects' notes say of their state. */
    projectStates: async (names, options = {}) =>
      await index.askLatest(options, async (rows) => {
        const states = new Map<string, string>();
        for (const name of names) {
          const found = rows.view.filesNamed(name).map(({ path }) => path);
          const path =
            found.find((one) => rows.para.projects.some((folder) => one.startsWith(`${folder}/`))) ?? found[0];
          const text = path === undefined ? undefined : (await vault.read(path).catch(() => undefined))?.text;
          const state = text === undefined ? undefined : statusIn(text, conventionsOf(rows.settings).spelling);
          if (state !== undefined) states.set(name, state);
        }
        return states;
      }),

    async get(reference, options = {}) {
      const rows = await index.refreshFor([reference], options);
      const { task } = await index.find(reference, rows);
      const note = await vault.read(task.path);
      const detail = index.formatOf(task.source).detail(note, task, rows.context);
      if (detail === undefined) throw noLongerTask(task);
      const today = vault.clock.today();
      return {
        ...detail,
        task: rows.withArea(detail.task),
        ...dependenciesOf(task, relationsOf(rows), today),
      };
    },

    async named(references, options = {}) {
      const rows = await index.refreshFor(references, options);
      const tasks = new Map<string, Task>();
      for (const reference of references) {
        const [task] = (["ref", "path"] as const).flatMap((by) => rows.with({ by, value: reference }));
        if (task) tasks.set(reference, task);
      }
      return { tasks, waitsFor: waitsFor(rows) };
    },

    async create(draft) {
      const created = await makeTask(writing, draft);
      const moments = draft.reminders ? momentsOf(created.task, vault.clock) : [];
      const waits = await orIfFailed(waitsOf(writing, created.task), {});
      return withNotices({ ...created, ...waits }, moments);
    },

    async addMany(draft) {
      const { clock } = vault;
      const added = await addQuickTasks(writing, draft);
      const moments = added.tasks.flatMap(({ task }) => (task ? momentsOf(task, clock, added.tasks.length > 1) : []));
      return withNotices(added, moments);
    },

    planMany: async (draft) => await planQuickTasks(writing, draft),

    async update(reference, given, options = {}) {
      const { updates, ignored } = withoutNulls(given);
      const write = updates.convert === undefined ? changeTask : (await import("./writing/convert.js")).convertTask;
      const updated = await write(writing, reference, updates, options);
      const moments = updates["reminders"] ? momentsOf(updated.task, vault.clock) : [];
      return withIgnored(ignored, withNotices(updated, moments));
    },

    async updateMany(tasks, given, options = {}) {
      const { updates, ignored } = withoutNulls(given);
      return withIgnored(ignored, withNotices(await changeTasks(writing, tasks, updates, options)));
    },
  };
  return Object.assign(tasks, { fieldKeys, fieldsOf, renamedWith });
}

export type TaskService = ReturnType<typeof taskService>;

function statusIn(text: string, spelling: Spelling): string | undefined {
  const { properties } = readFrontmatter(text, splitNote(text));
  const status = spelling.fieldProperties(properties).get("status")?.text?.trim();
  return status === "" ? undefined : status;
}

function withIgnored<Outcome extends { readonly adjustments: readonly Wording[] }>(
  ignored: readonly string[],
  outcome: Outcome,
): Outcome {
  if (ignored.length === 0) return outcome;
  return { ...outcome, adjustments: [...outcome.adjustments, `Read ${nullsIgnored(ignored)}.`] };
}

const waitsFor = (rows: TaskRows): WaitsFor => ({ get: (task) => relationsOf(rows).waitingOf(task) });

function allProblems(rows: TaskRows): readonly TaskProblem[] {
  const { settings } = rows;
  const own = settings.taskNotes.problems.map(({ file, ...problem }) => ({ path: file, ...problem }));
  return [...own, ...problemsIn(rows.view).filter(({ path }) => !isReserved(path as VaultPath, settings))];
}

const problemText = ({ file, line, message }: SettingsProblem): string =>
  `${file}${line === undefined ? "" : `, line ${line}`}: ${message}`;
