/** A task service over a fixed list of tasks, and a workspace around it: for tests of what tools say, not of what they find. */
import { call, said } from "../../src/text/wording.js";
import { assembleVault } from "../../src/open.js";
import { fixedClock, parseLocalDate, sequentialIds, type LocalDate } from "../../src/clock.js";
import { VaultError } from "../../src/errors.js";
import { silentLog, type Log } from "../../src/log.js";
import { MemoryStorage } from "./memory-storage.js";
import { vaultPath } from "../../src/storage/path.js";
import type { Revision } from "../../src/storage/storage.js";
import type { Agenda, TaskDraft, TaskQuery, Tasks, TaskUpdates } from "../../src/tasks/service.js";
import { taskRecord } from "../../src/tasks/fields/task-fields.js";
import type { Task } from "../../src/tasks/task.js";
import { type ToolContext, createWorkspace, type OpenVault, type Workspace } from "../../src/tools/workspace.js";

const TODAY = day("2025-08-30");

export function day(text: string): LocalDate {
  const date = parseLocalDate(text);
  if (date === undefined) throw new Error(`no date: ${text}`);
  return date;
}

export function task(given: Partial<Task> & { readonly title: string }): Task {
  const path = vaultPath(`_projects/${given.title.replaceAll(/[^\w ]/g, "")}.md`);
  const blank = taskRecord({
    id: path,
    path,
    source: "note",
    properties: {},
    rule: "type-key",
    title: given.title,
    status: "To Do",
    priority: "Medium",
    series: undefined,
    occurrence: undefined,
    revision: "",
    area: undefined,
    parentProjects: [],
    archived: false,
    excerpt: "",
    modified: Date.parse("2025-08-01T10:00:00Z"),
  });
  return { ...blank, ...given };
}

export class KnownTasks implements Tasks {
  readonly asked: [method: keyof Tasks, ...args: unknown[]][] = [];
  readonly #tasks: readonly Task[];
  readonly #agenda: Partial<Agenda>;
  readonly #description: string;
  readonly #durable: boolean;

  constructor(
    tasks: readonly Task[],
    options: { readonly agenda?: Partial<Agenda>; readonly description?: string; readonly durable?: boolean } = {},
  ) {
    this.#tasks = tasks;
    this.#agenda = options.agenda ?? {};
    this.#description = options.description ?? "";
    this.#durable = options.durable ?? true;
  }

  async all() {
    this.asked.push(["all"]);
    return { today: TODAY, tasks: this.#tasks };
  }

  async agenda() {
    this.asked.push(["agenda"]);
    const overdue = this.#tasks.filter((task) => task.due !== undefined && task.due < TODAY);
    const dueThisWeek = this.#tasks.filter((task) => task.due !== undefined && task.due >= TODAY);
    return {
      today: TODAY,
      outstanding: this.#tasks,
      overdue,
      dueThisWeek,
      totals: { outstanding: this.#tasks.length, overdue: overdue.length, dueThisWeek: dueThisWeek.length },
      paraFolders: { projects: [vaultPath("_projects")], areas: [], resources: [], archive: [], inbox: [] },
      taskCount: this.#tasks.length,
      noteCount: this.#tasks.length,
      problems: [],
      inline: { tasks: 0, notes: 0 },
      waitsFor: new Map(),
      ...this.#agenda,
    };
  }

  async search(query: TaskQuery) {
    this.asked.push(["search", query]);
    const tasks = this.#tasks.slice(0, query.limit);
    const [fingerprint, waitsFor] = ["0123abcd", new Map()];
    const selection = `query=${query.query}#${fingerprint}`;
    return { tasks, total: this.#tasks.length, offset: 0, selection, fingerprint, today: TODAY, waitsFor, remarks: [] };
  }

  async days() {
    this.asked.push(["days"]);
    const entries = this.#tasks.map((task) => ({ task }));
    const sections = [{ kind: "overdue" as const, total: entries.length, mark: 0, entries }];
    return {
      today: TODAY,
      from: TODAY,
      to: TODAY,
      sections,
      waitsFor: new Map(),
      remarks: [],
    };
  }

  async review() {
    this.asked.push(["review"]);
    const nothing = { sections: [], stuckProjects: [], doneWithoutDay: 0, days: [] };
    return { today: TODAY, ...nothing, waitsFor: new Map(), remarks: [] };
  }

  async base() {
    this.asked.push(["base"]);
    return "views: []\n";
  }

  async viewBase() {
    this.asked.push(["viewBase"]);
    return { text: "views: []\n", untyped: 0 };
  }

  async projects() {
    this.asked.push(["projects"]);
    return [];
  }

  async get(reference: string) {
    this.asked.push(["get", reference]);
    return {
      task: this.#find(reference),
      why: 'its type key "type" says "task"',
      description: this.#description,
      properties: { type: "task", Order: [1, "two"], empty: null },
      revision: "revision-1" as Revision,
      problems: [],
      checklist: { done: 0, total: 0 },
      series: undefined,
      blockers: [],
      isBlocked: false,
      isReady: true,
      blocks: [],
      subtasks: [],
    };
  }

  async create(draft: TaskDraft) {
    this.asked.push(["create", draft]);
    const { title, area, status = "To Do", priority = "Medium", dueDate, tags = [] } = draft;
    const due = dueDate === undefined ? undefined : day(dueDate);
    return {
      task: task({ id: "task-1", title, area, status, priority, due, tags }),
      adjustments: [],
      undoable: true,
      durable: this.#durable,
    };
  }

  async update(reference: string, updates: TaskUpdates) {
    this.asked.push(["update", reference, updates]);
    const { status, priority, area } = updates;
    const before = this.#find(reference);
    const after = {
      ...before,
      status: status ?? before.status,
      priority: priority ?? before.priority,
      area: area ?? before.area,
    };
    return {
      task: after,
      updated: Object.keys(updates),
      adjustments: [],
      alsoChanged: [],
      changed: true,
      undoable: true,
      durable: this.#durable,
    };
  }

  async addMany(): Promise<never> {
    return this.updateMany();
  }

  async planMany(): Promise<never> {
    return this.updateMany();
  }

  async updateMany(): Promise<never> {
    throw new VaultError("SERVER_ERROR", "Tools over many tasks are tested over a vault.");
  }

  #find(reference: string): Task {
    const found = this.#tasks.find((task) => task.id === reference);
    if (found) return found;
    throw new VaultError("FILE_NOT_FOUND", `Item not found: ${reference}`, {
      candidates: this.#tasks.map(({ id, title, path, status }) => ({ id, title, path, status })),
      hint: said`List more with ${call("search_tasks")}.`,
    });
  }
}

export function vaultOf(tasks: Tasks, name = "/vaults/Study"): OpenVault {
  const storage = new MemoryStorage({ name });
  const clock = fixedClock("2025-08-30T12:00:00Z");
  const open = assembleVault({ storage, name, linkName: name.split("/").at(-1), clock, ids: sequentialIds() });
  return { ...open, tasks };
}

export function workspaceOf(tasks: Tasks, name?: string): Workspace {
  const open = vaultOf(tasks, name);
  return createWorkspace({
    opener: { resolve: async (path) => path, open: async () => open },
    default: open.name,
    switches: true,
  });
}

export function contextOf(workspace: Workspace, log: Log = silentLog): ToolContext {
  return { workspace, log, signal: new AbortController().signal };
}
