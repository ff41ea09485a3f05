/** One row a command. */
import { VaultError } from "../errors.js";
import type { CommandName } from "./command-names.js";
import { argumentOf } from "./speech.js";
import { misused } from "./options/option-kinds.js";
import { sourceOf, type Settings } from "./options/options.js";

interface Operand {
  readonly name: string;
  /** `vault`: one optional folder. `words`: one or more. */
  readonly kind: "vault" | "words";
  readonly default?: string | undefined;
  /** For completion. */
  readonly actions?: readonly string[] | undefined;
}

export interface CommandCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

interface Command {
  readonly operand: Operand;
  readonly help: string;
  /** Absent where the command has a file of its own. */
  readonly call?: (words: string, settings: Settings) => CommandCall | Promise<CommandCall>;
}

const VAULT: Operand = { name: "vault", kind: "vault" };
/** @param standard undefined: required */
const takes = (name: string, standard?: string, actions?: readonly string[]): Operand => {
  return { name, kind: "words", default: standard, actions };
};

export const COMMANDS: Readonly<Record<CommandName, Command>> = {
  scan: {
    operand: VAULT,
    help: "The most urgent tasks and how many there are.",
    call: () => ({ tool: "scan_vault", arguments: {} }),
  },
  today: {
    operand: VAULT,
    help: "Tasks that are overdue, then those planned or due today.",
    call: () => ({ tool: "get_agenda", arguments: { view: "day" } }),
  },
  week: {
    operand: VAULT,
    help: "Tasks of today and the next seven days, day by day.",
    call: () => ({ tool: "get_agenda", arguments: { view: "week" } }),
  },
  list: {
    operand: takes("query", "*"),
    help: "List tasks by filters. Examples: --due overdue, --is ready, --project Kitchen.",
    call: (query, settings) => ({
      tool: "search_tasks",
      arguments: { query, ...(settings.due !== undefined && { sort: "due" }), ...filtersOf(settings) },
    }),
  },
  search: {
    operand: takes("query"),
    help: "Find tasks by words.",
    call: (query, settings) => ({ tool: "search_tasks", arguments: { query, ...filtersOf(settings) } }),
  },
  add: {
    operand: takes("title"),
    help: "Create a task. Days and signs in the words are read: add Buy milk tomorrow !high #errand. Quotes keep them: add '\"Call tomorrow\"'.",
    call: addCall,
  },
  done: {
    operand: takes("task"),
    help: "Mark a task as done.",
    call: (taskId) => ({ tool: "update_task", arguments: { taskId, updates: { status: "Done" } } }),
  },
  set: {
    operand: takes("task field=value ..."),
    help: 'Change fields of a task. Example: set Pay rent due="next friday" priority=high.',
    call: async (words) => ({ tool: "update_task", arguments: await assignmentsIn(words) }),
  },
  show: {
    operand: takes("task"),
    help: "Everything known about one task.",
    call: (taskId) => ({ tool: "get_task", arguments: { taskId } }),
  },
  find: {
    operand: takes("words", ""),
    help: "Find notes by words, tags, folder and dates. Without words: those changed last.",
    call: (query, { tag, folder, from, to, limit }) => ({
      tool: "find_notes",
      arguments: given({ query, folder, tags: tag, date_from: from, date_to: to, limit, include_content: false }),
    }),
  },
  read: {
    operand: takes("note"),
    help: "Print a note, named by its title, path, alias or link.",
    call: (path) => ({ tool: "read_note", arguments: { path } }),
  },
  undo: {
    operand: takes("path", ""),
    help: "Take back the last change. A path names a file, op-… a whole call.",
    call: (path) => ({ tool: "undo_edit", arguments: path === "" ? {} : { path } }),
  },
  history: {
    operand: takes("path", ""),
    help: "List the changes made through this program, newest first, by whom. --diff op-… shows what one changed.",
    call: (path, { since, by, diff, limit }) => ({
      tool: "get_history",
      arguments: given({ path: path || undefined, since, by, diff, limit }),
    }),
  },
  base: {
    operand: takes("path", "Tasks.base"),
    help: "Write an Obsidian Bases file with tables of the vault's tasks. It never overwrites a file.",
  },
  view: {
    operand: takes("source [name]", ""),
    help: "Show a saved view: a base file, or a base or tasks block of a note, by its name or number, as in Today 2. Without words: list them.",
    call: (words, { this: context, limit }) => ({
      tool: "run_view",
      arguments: given({ source: words.trim() || undefined, this: context, limit }),
    }),
  },
  board: {
    operand: VAULT,
    help: "Show the vault's tasks in the browser. Serves a page on this machine, prints its link and opens it.",
  },
  calendar: {
    operand: takes("action [name]", "links", ["link", "links", "revoke", "print"]),
    help: "Show tasks in calendar programs. link <name> makes a secret address of the server (--http) to subscribe to, links lists them, revoke <name> ends one, print writes the calendar here.",
  },
  "sign-in": {
    operand: VAULT,
    help: "Print a link that logs a browser in to the server (--sign-in), once and within ten minutes.",
  },
  tokens: {
    operand: takes("action [id]", "list", ["list", "revoke"]),
    help: "Which programs are connected to the server (--sign-in). list shows them, revoke <id> ends one, revoke --client <host> those of a program, revoke --all every one.",
  },
  doctor: {
    operand: VAULT,
    help: "Check the vault, the cache and the clients' configurations, and say what to fix.",
  },
  setup: {
    operand: VAULT,
    help: "Connect the assistants on this machine with a vault. Finds both, shows each change and asks before it writes.",
  },
  completion: {
    operand: takes("shell", undefined, ["bash", "zsh", "fish"]),
    help: "Print the completion script for bash, zsh or fish.",
  },
};

export function isCommandName(word: string): word is CommandName {
  return Object.hasOwn(COMMANDS, word);
}

export function usageOf(name: CommandName): string {
  const { operand } = COMMANDS[name];
  const isOptional = operand.kind === "vault" || operand.default !== undefined;
  return `${name} ${isOptional ? `[${operand.name}]` : `<${operand.name}>`}`;
}

/** With a status or description, a title. */
async function addCall(words: string, settings: Settings): Promise<CommandCall> {
  const { area, due, project, tag, description } = settings;
  const [status, priority] = [onlyOne("status", settings), onlyOne("priority", settings)];
  if (status === undefined && description === undefined) {
    // Else an unreadable day would be words of the title.
    if (due !== undefined) await assertDueDay(due, settings);
    const signs = [
      ...(due === undefined ? [] : [`due ${due}`]),
      ...(priority === undefined ? [] : [`!${priority.toLowerCase()}`]),
      ...project.map((name) => `+[[${name}]]`),
      ...tag.map((name) => `#${name.replace(/^#/, "")}`),
    ];
    return { tool: "add_tasks", arguments: given({ text: [words, ...signs].join(" "), area }) };
  }
  if (area === undefined)
    throw new VaultError("INVALID_ARGUMENT", "--area is needed with --status and --description.", {
      hint: "Give --area <area>, or leave the other option out.",
    });
  const fields = {
    title: words,
    area,
    status,
    dueDate: due,
    priority,
    parentProjects: project,
    tags: tag,
    description,
  };
  return { tool: "create_task", arguments: given(fields) };
}

/** Only searches take several values. */
function onlyOne(name: "status" | "priority", settings: Settings): string | undefined {
  const [value, ...others] = settings[name] ?? [];
  if (others.length > 0) throw misused(sourceOf(name, settings), "is given twice", "A new task has one.");
  return value;
}

async function assertDueDay(text: string, { timeZone }: Settings): Promise<void> {
  const [{ requireDay }, { systemClock }] = await Promise.all([import("../dates/read-day.js"), import("../clock.js")]);
  requireDay("--due", text, systemClock(timeZone).today());
}

function filtersOf(settings: Settings): Record<string, unknown> {
  const { status, area, tag, limit, archived, due, scheduled, completed, context, note, sort, priority, project, is } =
    settings;
  const days = { due, scheduled, completed };
  const others = { tags: tag, includeArchived: archived || undefined, is, sort };
  return given({ status, area, limit, ...days, context, note, priority, project, ...others });
}

/** Words before the first assignment name the task. */
async function assignmentsIn(words: string): Promise<Record<string, unknown>> {
  const { givenInText } = await import("../tasks/fields/task-fields.js");
  const [task = "", ...parts] = words.split(/\s+([A-Za-z_]+)=/);
  const updates: Record<string, string | readonly string[]> = {};
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const written = parts[at] ?? "";
    const name = argumentOf(written);
    if (Object.hasOwn(updates, name)) throw misusedField(written, "is given twice");
    updates[name] = givenInText(name, (parts[at + 1] ?? "").trim());
    // The tool ignores empty texts of these.
    if (updates[name] === "" && /^(?:status|priority)$/.test(name)) throw misusedField(written, "needs a value");
    if (name === "properties" && !/^\s*\{/.test(String(updates[name])))
      throw misusedField(name, 'must be written as {"name":"text"}');
  }
  if (Object.keys(updates).length === 0) {
    const lacking = /^[A-Za-z_]+=/.test(task)
      ? "No task is named before the field."
      : "No field is named that the task should get.";
    throw new VaultError("INVALID_ARGUMENT", lacking, {
      hint: "Write: set <task> <field>=<value> ..., such as due=friday, status=Done, priority=High.",
    });
  }
  return { taskId: task.trim(), updates };
}

function misusedField(name: string, what: string): VaultError {
  return new VaultError("INVALID_ARGUMENT", `${name} ${what}.`, { hint: `Write: set <task> ${name}=<value>` });
}

function given(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  );
}
