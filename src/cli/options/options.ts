/** One row a setting, for parsing, help and documentation. */
import { INLINE_TASKS, TASK_SORTS } from "../../tasks/task.js";
import type { Priority } from "../../tasks/fields/vocabulary.js";
import { TOOLSET_CHOICES } from "../../tools/toolset.js";
import { HTTP_OPTIONS, LIVESYNC_OPTIONS, LOG_OPTIONS } from "./server-options.js";
import {
  choice,
  choices,
  upTo,
  type Option,
  optionTable,
  type SettingOf,
  size,
  text,
  texts,
  toggle,
} from "./option-kinds.js";
import { type CommandName, COMMAND_NAMES } from "../command-names.js";

/** The vocabulary is 24 KB to load. */
const PRIORITY_VALUES = ["High", "Medium", "Low"] as const satisfies readonly Priority[];

const WITHOUT_RESULT: ReadonlySet<CommandName> = new Set([
  "board",
  "calendar",
  "sign-in",
  "tokens",
  "setup",
  "completion",
]);
const COMMANDS_WITH_RESULT = COMMAND_NAMES.filter((name) => !WITHOUT_RESULT.has(name));

export const OPTIONS = optionTable({
  vault: text("folder", "The vault to work with, where no argument names it.", {
    environment: ["OBSIDIAN_VAULT_PATH", "VAULT_PATH"],
  }),
  ...LIVESYNC_OPTIONS,
  vaultId: text("id", "What mcp-obsidian:// URIs call the vault. Default: the name of its folder or database.", {
    environment: ["VAULT_ID"],
  }),
  allowVault: texts(
    "folder",
    "Let scan_vault open this folder and those below it, and no others but the vault itself. Repeatable.",
    { usedBy: ["server"] },
  ),
  readOnly: toggle("Refuse everything that would change the vault."),
  allowHidden: toggle(
    "Let tools read and write hidden files (names with a dot in front); below .obsidian nothing is ever written.",
    { usedBy: ["server"] },
  ),
  deny: texts(
    "glob",
    "Hide files and folders of this pattern (as in .gitignore) from every answer, in addition to those in .mcpignore. Repeatable.",
  ),
  denyTag: texts("tag", "Hide notes with this tag or one below it. Repeatable."),
  denyProperty: texts(
    "name=value",
    "Hide notes with this property, such as ai=false; a name alone hides any value. Repeatable.",
  ),
  allowWrite: texts("glob", "Let only files of this pattern (as in .gitignore) be changed. Repeatable."),
  denyTool: texts("tool", "Do not offer this tool. Repeatable.", { usedBy: ["server"] }),
  toolsets: choices(
    TOOLSET_CHOICES,
    "Offer only the tools of these sets; core has what everyday work needs and costs a model the least. Default: all.",
    { usedBy: ["server"], environment: ["TOOLSETS"] },
  ),
  timeZone: text("zone", "IANA time zone that decides which day it is, such as Europe/Berlin. Default: the system's."),
  locale: text(
    "name",
    "The language of periodic notes' names, which also decides when weeks begin, such as de or en-gb, where no plugin sets it. Default: en.",
  ),
  fieldNames: texts(
    "key=field",
    "Read a property whose name means different things in different languages as this task field, such as termin=due. Repeatable.",
  ),
  inlineTasks: choice(INLINE_TASKS, "Which checkboxes count as tasks: auto means marked.", { fallback: "auto" }),
  globalFilter: text(
    "text",
    "What a checkbox must hold to be a task, such as #task. Default: as the Tasks plugin is set.",
  ),
  toolErrors: choice(
    ["result", "jsonrpc"],
    "How a tool's failure is answered: as a result with isError, or as a JSON-RPC error.",
    { fallback: "result", usedBy: ["server"] },
  ),
  apps: choice(
    ["auto", "on", "off"],
    "Who is offered the app that shows tasks in the conversation: auto, assistants that show such apps; on, all; off, none.",
    { fallback: "auto", usedBy: ["server"] },
  ),
  maxFileSize: size(10 * 1024 * 1024, "The largest note that is read or written, in bytes or with k, M or G.", {
    environment: ["MAX_FILE_SIZE"],
  }),
  maxImageSize: size(
    700 * 1024,
    "The largest image that a tool shows, in bytes or with k, M or G; its side is 8,000 pixels at most.",
  ),
  cacheFolder: text("folder", "Where the vault's index is stored between runs. Default: the system's cache folder."),
  noCache: toggle("Store no index between runs."),
  stateFolder: text("folder", "Where the undo journal is stored. Default: the system's folder for such data."),
  noUndo: toggle("Keep no undo journal: no texts outside the vault, and nothing can be undone."),
  acceptJournal: toggle(
    "Undo by a journal again that may be of another vault, because none of the files it changed last is in this one.",
    { usedBy: ["doctor"] },
  ),
  undoLimit: upTo(10_000, "How many changes of a file can be undone. Default: 100.", {
    environment: ["UNDO_STACK_LIMIT"],
  }),
  undoSize: size(100 * 1024 * 1024, "How large a vault's undo journal may grow, the oldest changes going first.", {
    environment: ["UNDO_MAX_SIZE"],
  }),
  ...LOG_OPTIONS,
  ...HTTP_OPTIONS,
  area: text("area", "The task's area.", { usedBy: ["add", "search", "list", "calendar"] }),
  status: choices(
    ["To Do", "In Progress", "Blocked", "Done", "Cancelled", "Other"],
    "The task's status, to find also a word of the vault's own; add takes one of the first four. Repeatable.",
    { usedBy: ["add", "search", "list"], isOpen: true },
  ),
  priority: choices(PRIORITY_VALUES, "The task's priority. Repeatable.", { usedBy: ["add", "search", "list"] }),
  due: text("YYYY-MM-DD", "The day a task is due, in words too; to find, a range as well.", {
    usedBy: ["add", "search", "list"],
  }),
  project: texts("project", "A project the task belongs to. Repeatable.", {
    usedBy: ["add", "search", "list", "calendar"],
  }),
  scheduled: text("range", "Only tasks planned for a day or range, as with --due.", { usedBy: ["search", "list"] }),
  completed: text("range", 'Only tasks finished on a day or in a range, such as "last week".', {
    usedBy: ["search", "list"],
  }),
  context: text("name", "Only tasks of this context, such as phone; none and any too.", { usedBy: ["search", "list"] }),
  note: text("path", "Only tasks in this note.", { usedBy: ["search", "list"] }),
  sort: choice(
    TASK_SORTS,
    "The order of the tasks. Default: relevance with words, else agenda; of list with --due, due.",
    { usedBy: ["search", "list"] },
  ),
  tag: texts("tag", "A tag. Repeatable.", { usedBy: ["add", "search", "list", "find", "calendar"] }),
  folder: text("path", "Only below this folder of the vault.", { usedBy: ["find"] }),
  from: text(
    "day",
    "Only notes dated this day or later: by a day in the name, a date property, or else the last change.",
    { usedBy: ["find"] },
  ),
  to: text("day", "Only notes dated this day or before.", { usedBy: ["find"] }),
  description: text("text", "What the task's note says below its title.", { usedBy: ["add"] }),
  limit: upTo(100, "How many results are shown, 1 to 100; of notes to 50.", {
    usedBy: ["search", "list", "find", "history", "view"],
  }),
  this: text("note", "The note that this means in a base.", { usedBy: ["view"] }),
  csv: toggle("Print the rows as CSV.", { usedBy: ["view"] }),
  since: text("day", "Only changes of this day or later, such as yesterday.", { usedBy: ["history"] }),
  by: text("name", "Only changes by callers of this name.", { usedBy: ["history"] }),
  diff: text("operation", "Show what the change op-… did, as a diff.", { usedBy: ["history"] }),
  archived: toggle("Find archived tasks too.", { usedBy: ["search", "list"] }),
  is: texts(
    "state",
    "A state: outstanding, ready, blocked, recurring, stale, duplicate, note, inline, card or checkbox. Repeatable.",
    { usedBy: ["search", "list"] },
  ),
  done: toggle("Show done tasks in the calendar too, with a check mark.", { usedBy: ["calendar"] }),
  dates: choice(
    ["due", "scheduled", "both"],
    "Which days are shown in the calendar. Default: the day a task is due, else the one it is scheduled for.",
    { usedBy: ["calendar"] },
  ),
  component: choice(["event", "todo"], "Events, which every calendar program shows, or to-dos, which some do.", {
    fallback: "event",
    usedBy: ["calendar"],
  }),
  alarm: text("HH:MM", "Remind at this time of the day itself.", { usedBy: ["calendar"] }),
  client: texts(
    "name",
    "A client to connect, such as claude-desktop or vscode, installed or not. Repeatable. Default: all that are installed. Of tokens revoke, the host of the program whose connections end.",
    { usedBy: ["setup", "tokens"] },
  ),
  print: toggle("Show what would be written, and write nothing.", { usedBy: ["setup"] }),
  remove: toggle("Take out of the configurations what setup has put in.", { usedBy: ["setup"] }),
  yes: toggle("Write without asking; needed where there is no terminal.", { usedBy: ["setup"] }),
  json: toggle('Print the structured result as JSON; a failure as {"error": ...}.', {
    usedBy: [...COMMANDS_WITH_RESULT, "calendar", "sign-in", "tokens"],
  }),
  noColor: toggle("Plain text on a terminal too.", {
    environment: [
      { name: "NO_COLOR", note: "any value but an empty one", read: (text) => (text === "" ? undefined : "true") },
    ],
  }),
  progress: toggle("Report the progress of long work on stderr, also when that is no terminal.", {
    usedBy: COMMANDS_WITH_RESULT,
  }),
  help: toggle("Print this help.", { short: "-h" }),
  version: toggle("Print the version.", { short: "-V" }),
});

export type OptionName = keyof typeof OPTIONS;

export type Settings = { readonly [Name in OptionName]: SettingOf<(typeof OPTIONS)[Name]> } & {
  readonly sources: Readonly<Partial<Record<OptionName, string>>>;
};

export function isInDatabase({ couchdbUrl, livesyncSetupUri }: Settings): boolean {
  return couchdbUrl !== undefined || livesyncSetupUri !== undefined;
}

export function sourceOf(name: OptionName, { sources }: Pick<Settings, "sources">): string {
  return sources[name] ?? OPTIONS[name].flag;
}

export function optionRows(): readonly (readonly [name: OptionName, option: Option])[] {
  return Object.entries(OPTIONS) as [OptionName, Option][];
}
