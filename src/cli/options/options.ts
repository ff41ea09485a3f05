/** The option table: one row a setting, from which parsing, help and documentation derive. */
import { TASK_SORTS } from "../../tasks/query/task-query.js";
import { INLINE_TASKS } from "../../tasks/task.js";
import type { Priority } from "../../tasks/fields/vocabulary.js";
import { TOOLSET_CHOICES } from "../../tools/toolset.js";
import { HTTP_OPTIONS, LIVESYNC_OPTIONS, LOG_OPTIONS } from "./server-options.js";
import { type Option, optionTable, type SettingOf } from "./option-kinds.js";
import { type CommandName, COMMAND_NAMES } from "../command-names.js";

/** Repeated here, because the vocabulary is 24 KB that a start would load. */
const PRIORITY_VALUES = ["High", "Medium", "Low"] as const satisfies readonly Priority[];

const WITHOUT_RESULT: ReadonlySet<CommandName> = new Set([
  "board",
  "calendar",
  "sign-in",
  "tokens",
  "setup",
  "completion",
]);
/** Commands that print the answer of a tool, or findings. */
const COMMANDS_WITH_RESULT = COMMAND_NAMES.filter((name) => !WITHOUT_RESULT.has(name));

export const OPTIONS = optionTable({
  vault: {
    kind: "text",
    placeholder: "folder",
    environment: ["OBSIDIAN_VAULT_PATH", "VAULT_PATH"],
    help: "The vault to work with, where no argument names it.",
  },
  ...LIVESYNC_OPTIONS,
  vaultId: {
    kind: "text",
    placeholder: "id",
    environment: ["VAULT_ID"],
    help: "What mcp-obsidian:// URIs call the vault. Default: the name of its folder or database.",
  },
  allowVault: {
    kind: "texts",
    placeholder: "folder",
    help: "Let scan_vault open this folder and those below it, and no others but the vault itself. Repeatable.",
    usedBy: ["server"],
  },
  readOnly: {
    kind: "switch",
    help: "Refuse everything that would change the vault.",
  },
  allowHidden: {
    kind: "switch",
    help: "Let tools read and write hidden files (names with a dot in front); below .obsidian nothing is ever written.",
    usedBy: ["server"],
  },
  deny: {
    kind: "texts",
    placeholder: "glob",
    help: "Hide files and folders of this pattern (as in .gitignore) from every answer, in addition to those in .mcpignore. Repeatable.",
  },
  denyTag: {
    kind: "texts",
    placeholder: "tag",
    help: "Hide notes with this tag or one below it. Repeatable.",
  },
  denyProperty: {
    kind: "texts",
    placeholder: "name=value",
    help: "Hide notes with this property, such as ai=false; a name alone hides any value. Repeatable.",
  },
  allowWrite: {
    kind: "texts",
    placeholder: "glob",
    help: "Let only files of this pattern (as in .gitignore) be changed. Repeatable.",
  },
  denyTool: {
    kind: "texts",
    placeholder: "tool",
    help: "Do not offer this tool. Repeatable.",
    usedBy: ["server"],
  },
  toolsets: {
    kind: "choices",
    values: TOOLSET_CHOICES,
    help: "Offer only the tools of these sets; core has what everyday work needs and costs a model the least. Default: all.",
    usedBy: ["server"],
  },
  timeZone: {
    kind: "text",
    placeholder: "zone",
    help: "IANA time zone that decides which day it is, such as Europe/Berlin. Default: the system's.",
  },
  locale: {
    kind: "text",
    placeholder: "name",
    help: "The language of periodic notes' names, which also decides when weeks begin, such as de or en-gb, where no plugin sets it. Default: en.",
  },
  fieldNames: {
    kind: "texts",
    placeholder: "key=field",
    help: "Read a property whose name means different things in different languages as this task field, such as termin=due. Repeatable.",
  },
  inlineTasks: {
    kind: "choice",
    values: INLINE_TASKS,
    fallback: "auto",
    help: "Which checkboxes count as tasks: auto means marked.",
  },
  globalFilter: {
    kind: "text",
    placeholder: "text",
    help: "What a checkbox must hold to be a task, such as #task. Default: as the Tasks plugin is set.",
  },
  toolErrors: {
    kind: "choice",
    values: ["result", "jsonrpc"],
    fallback: "result",
    help: "How a tool's failure is answered: as a result with isError, or as a JSON-RPC error.",
    usedBy: ["server"],
  },
  apps: {
    kind: "choice",
    values: ["auto", "on", "off"],
    fallback: "auto",
    help: "Who is offered the app that shows tasks in the conversation: auto, assistants that show such apps; on, all; off, none.",
    usedBy: ["server"],
  },
  maxFileSize: {
    kind: "size",
    environment: ["MAX_FILE_SIZE"],
    fallback: 10 * 1024 * 1024,
    help: "The largest note that is read or written, in bytes or with k, M or G.",
  },
  maxImageSize: {
    kind: "size",
    fallback: 700 * 1024,
    help: "The largest image that a tool shows, in bytes or with k, M or G; its side is 8,000 pixels at most.",
  },
  cacheFolder: {
    kind: "text",
    placeholder: "folder",
    help: "Where the vault's index is stored between runs. Default: the system's cache folder.",
  },
  noCache: {
    kind: "switch",
    help: "Store no index between runs.",
  },
  stateFolder: {
    kind: "text",
    placeholder: "folder",
    help: "Where the undo journal is stored. Default: the system's folder for such data.",
  },
  noUndo: {
    kind: "switch",
    help: "Keep no undo journal: no texts outside the vault, and nothing can be undone.",
  },
  acceptJournal: {
    kind: "switch",
    help: "Undo by a journal again that may be of another vault, because none of the files it changed last is in this one.",
    usedBy: ["doctor"],
  },
  undoLimit: {
    kind: "count",
    most: 10_000,
    environment: ["UNDO_STACK_LIMIT"],
    help: "How many changes of a file can be undone. Default: 100.",
  },
  undoSize: {
    kind: "size",
    environment: ["UNDO_MAX_SIZE"],
    fallback: 100 * 1024 * 1024,
    help: "How large a vault's undo journal may grow, the oldest changes going first.",
  },
  ...LOG_OPTIONS,
  ...HTTP_OPTIONS,
  area: {
    kind: "text",
    placeholder: "area",
    help: "The task's area.",
    usedBy: ["add", "search", "list", "calendar"],
  },
  status: {
    kind: "choice",
    values: ["To Do", "In Progress", "Blocked", "Done", "Cancelled", "Other"],
    help: "The task's status. add takes the first four.",
    usedBy: ["add", "search", "list"],
  },
  priority: {
    kind: "choice",
    values: PRIORITY_VALUES,
    help: "The task's priority.",
    usedBy: ["add", "search", "list"],
  },
  due: {
    kind: "text",
    placeholder: "YYYY-MM-DD",
    help: "The day a task is due, in words too; to find, a range as well.",
    usedBy: ["add", "search", "list"],
  },
  project: {
    kind: "texts",
    placeholder: "project",
    help: "A project the task belongs to. Repeatable.",
    usedBy: ["add", "search", "list", "calendar"],
  },
  scheduled: {
    kind: "text",
    placeholder: "range",
    help: "Only tasks planned for a day or range, as with --due.",
    usedBy: ["search", "list"],
  },
  completed: {
    kind: "text",
    placeholder: "range",
    help: 'Only tasks finished on a day or in a range, such as "last week".',
    usedBy: ["search", "list"],
  },
  context: {
    kind: "text",
    placeholder: "name",
    help: "Only tasks of this context, such as phone; none and any too.",
    usedBy: ["search", "list"],
  },
  note: {
    kind: "text",
    placeholder: "path",
    help: "Only tasks in this note.",
    usedBy: ["search", "list"],
  },
  sort: {
    kind: "choice",
    values: TASK_SORTS,
    help: "The order of the tasks.",
    usedBy: ["search", "list"],
  },
  tag: {
    kind: "texts",
    placeholder: "tag",
    help: "A tag. Repeatable.",
    usedBy: ["add", "search", "list", "find", "calendar"],
  },
  folder: {
    kind: "text",
    placeholder: "path",
    help: "Only below this folder of the vault.",
    usedBy: ["find"],
  },
  from: {
    kind: "text",
    placeholder: "day",
    help: "Only notes dated this day or later: by a day in the name, a date property, or else the last change.",
    usedBy: ["find"],
  },
  to: {
    kind: "text",
    placeholder: "day",
    help: "Only notes dated this day or before.",
    usedBy: ["find"],
  },
  description: {
    kind: "text",
    placeholder: "text",
    help: "What the task's note says below its title.",
    usedBy: ["add"],
  },
  limit: {
    kind: "count",
    most: 100,
    help: "How many results are shown, 1 to 100; of notes to 50.",
    usedBy: ["search", "list", "find", "history", "view"],
  },
  this: {
    kind: "text",
    placeholder: "note",
    help: "The note that this means in a base.",
    usedBy: ["view"],
  },
  csv: {
    kind: "switch",
    help: "Print the rows as CSV.",
    usedBy: ["view"],
  },
  since: {
    kind: "text",
    placeholder: "day",
    help: "Only changes of this day or later, such as yesterday.",
    usedBy: ["history"],
  },
  by: {
    kind: "text",
    placeholder: "name",
    help: "Only changes by callers of this name.",
    usedBy: ["history"],
  },
  diff: {
    kind: "text",
    placeholder: "operation",
    help: "Show what the change op-… did, as a diff.",
    usedBy: ["history"],
  },
  archived: { kind: "switch", help: "Find archived tasks too.", usedBy: ["search", "list"] },
  is: {
    kind: "texts",
    placeholder: "state",
    help: "A state: outstanding, ready, blocked, recurring, stale, duplicate, note, inline, card or checkbox. Repeatable.",
    usedBy: ["search", "list"],
  },
  done: {
    kind: "switch",
    help: "Show done tasks in the calendar too, with a check mark.",
    usedBy: ["calendar"],
  },
  dates: {
    kind: "choice",
    values: ["due", "scheduled", "both"],
    help: "Which days are shown in the calendar. Default: the day a task is due, else the one it is scheduled for.",
    usedBy: ["calendar"],
  },
  component: {
    kind: "choice",
    values: ["event", "todo"],
    fallback: "event",
    help: "Events, which every calendar program shows, or to-dos, which some do.",
    usedBy: ["calendar"],
  },
  alarm: {
    kind: "text",
    placeholder: "HH:MM",
    help: "Remind at this time of the day itself.",
    usedBy: ["calendar"],
  },
  client: {
    kind: "texts",
    placeholder: "name",
    help: "A client to connect, such as claude-desktop or vscode, installed or not. Repeatable. Default: all that are installed. Of tokens revoke, the host of the program whose connections end.",
    usedBy: ["setup", "tokens"],
  },
  print: {
    kind: "switch",
    help: "Show what would be written, and write nothing.",
    usedBy: ["setup"],
  },
  remove: {
    kind: "switch",
    help: "Take out of the configurations what setup has put in.",
    usedBy: ["setup"],
  },
  yes: {
    kind: "switch",
    help: "Write without asking; needed where there is no terminal.",
    usedBy: ["setup"],
  },
  json: {
    kind: "switch",
    help: 'Print the structured result as JSON; a failure as {"error": ...}.',
    usedBy: [...COMMANDS_WITH_RESULT, "calendar", "sign-in", "tokens"],
  },
  noColor: {
    kind: "switch",
    environment: [
      { name: "NO_COLOR", note: "any value but an empty one", read: (text) => (text === "" ? undefined : "true") },
    ],
    help: "Plain text on a terminal too.",
  },
  progress: {
    kind: "switch",
    help: "Report the progress of long work on stderr, also when that is no terminal.",
    usedBy: COMMANDS_WITH_RESULT,
  },
  help: { short: "-h", kind: "switch", help: "Print this help." },
  version: { short: "-V", kind: "switch", help: "Print the version." },
});

export type OptionName = keyof typeof OPTIONS;

export type Settings = { readonly [Name in OptionName]: SettingOf<(typeof OPTIONS)[Name]> } & {
  readonly sources: Readonly<Partial<Record<OptionName, string>>>;
};

export function sourceOf(name: OptionName, { sources }: Pick<Settings, "sources">): string {
  return sources[name] ?? OPTIONS[name].flag;
}

export function optionRows(): readonly (readonly [name: OptionName, option: Option])[] {
  return Object.entries(OPTIONS) as [OptionName, Option][];
}
