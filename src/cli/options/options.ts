/** The option table: one row a setting, from which parsing, help and documentation derive. */
import { INLINE_TASKS } from "../../tasks/task.js";
import type { Priority } from "../../tasks/fields/vocabulary.js";
import { TOOLSET_CHOICES } from "../../tools/toolset.js";
import { HTTP_OPTIONS, LIVESYNC_OPTIONS, LOG_OPTIONS } from "./server-options.js";
import { type Option, type SettingOf, WITH_RESULT } from "./option-kinds.js";

/** Repeated here, because the vocabulary is 24 KB that a start would load. */
const PRIORITY_VALUES = ["High", "Medium", "Low"] as const satisfies readonly Priority[];

export const OPTIONS = {
  vault: {
    flag: "--vault",
    kind: "text",
    placeholder: "folder",
    environment: ["OBSIDIAN_VAULT_PATH", "VAULT_PATH"],
    help: "The vault to work with, where no argument names it.",
    usedBy: "all",
  },
  ...LIVESYNC_OPTIONS,
  vaultId: {
    flag: "--vault-id",
    kind: "text",
    placeholder: "id",
    environment: ["VAULT_ID"],
    help: "What mcp-obsidian:// URIs call the vault. Default: the name of its folder or database.",
    usedBy: "all",
  },
  allowVault: {
    flag: "--allow-vault",
    kind: "texts",
    placeholder: "folder",
    help: "Let scan_vault open this folder and those below it, and no others but the vault itself. Repeatable.",
    usedBy: ["server"],
  },
  readOnly: {
    flag: "--read-only",
    kind: "switch",
    help: "Refuse everything that would change the vault.",
    usedBy: "all",
  },
  allowHidden: {
    flag: "--allow-hidden",
    kind: "switch",
    help: "Let tools read and write hidden files (names with a dot in front); below .obsidian nothing is ever written.",
    usedBy: ["server"],
  },
  deny: {
    flag: "--deny",
    kind: "texts",
    placeholder: "glob",
    help: "Hide files and folders of this pattern (as in .gitignore) from every answer, in addition to those in .mcpignore. Repeatable.",
    usedBy: "all",
  },
  denyTag: {
    flag: "--deny-tag",
    kind: "texts",
    placeholder: "tag",
    help: "Hide notes with this tag or one below it. Repeatable.",
    usedBy: "all",
  },
  denyProperty: {
    flag: "--deny-property",
    kind: "texts",
    placeholder: "name=value",
    help: "Hide notes with this property, such as ai=false; a name alone hides any value. Repeatable.",
    usedBy: "all",
  },
  allowWrite: {
    flag: "--allow-write",
    kind: "texts",
    placeholder: "glob",
    help: "Let only files of this pattern (as in .gitignore) be changed. Repeatable.",
    usedBy: "all",
  },
  denyTool: {
    flag: "--deny-tool",
    kind: "texts",
    placeholder: "tool",
    help: "Do not offer this tool. Repeatable.",
    usedBy: ["server"],
  },
  toolsets: {
    flag: "--toolsets",
    kind: "choices",
    values: TOOLSET_CHOICES,
    help: "Offer only the tools of these sets; core has what everyday work needs and costs a model the least. Default: all.",
    usedBy: ["server"],
  },
  timeZone: {
    flag: "--time-zone",
    kind: "text",
    placeholder: "zone",
    help: "IANA time zone that decides which day it is, such as Europe/Berlin. Default: the system's.",
    usedBy: "all",
  },
  locale: {
    flag: "--locale",
    kind: "text",
    placeholder: "name",
    help: "The language of periodic notes' names, which also decides when weeks begin, such as de or en-gb, where no plugin sets it. Default: en.",
    usedBy: "all",
  },
  fieldNames: {
    flag: "--field-names",
    kind: "texts",
    placeholder: "key=field",
    help: "Read a property whose name means different things in different languages as this task field, such as termin=due. Repeatable.",
    usedBy: "all",
  },
  inlineTasks: {
    flag: "--inline-tasks",
    kind: "choice",
    values: INLINE_TASKS,
    fallback: "auto",
    help: "Which checkboxes count as tasks: auto means marked.",
    usedBy: "all",
  },
  globalFilter: {
    flag: "--global-filter",
    kind: "text",
    placeholder: "text",
    help: "What a checkbox must hold to be a task, such as #task. Default: as the Tasks plugin is set.",
    usedBy: "all",
  },
  toolErrors: {
    flag: "--tool-errors",
    kind: "choice",
    values: ["result", "jsonrpc"],
    fallback: "result",
    help: "How a tool's failure is answered: as a result with isError, or as a JSON-RPC error.",
    usedBy: ["server"],
  },
  apps: {
    flag: "--apps",
    kind: "choice",
    values: ["auto", "on", "off"],
    fallback: "auto",
    help: "Who is offered the app that shows tasks in the conversation: auto, assistants that show such apps; on, all; off, none.",
    usedBy: ["server"],
  },
  maxFileSize: {
    flag: "--max-file-size",
    kind: "size",
    environment: ["MAX_FILE_SIZE"],
    fallback: 10 * 1024 * 1024,
    help: "The largest note that is read or written, in bytes or with k, M or G.",
    usedBy: "all",
  },
  maxImageSize: {
    flag: "--max-image-size",
    kind: "size",
    fallback: 700 * 1024,
    help: "The largest image that a tool shows, in bytes or with k, M or G; its side is 8,000 pixels at most.",
    usedBy: "all",
  },
  cacheFolder: {
    flag: "--cache-folder",
    kind: "text",
    placeholder: "folder",
    help: "Where the vault's index is stored between runs. Default: the system's cache folder.",
    usedBy: "all",
  },
  noCache: {
    flag: "--no-cache",
    kind: "switch",
    help: "Store no index between runs.",
    usedBy: "all",
  },
  stateFolder: {
    flag: "--state-folder",
    kind: "text",
    placeholder: "folder",
    help: "Where the undo journal is stored. Default: the system's folder for such data.",
    usedBy: "all",
  },
  noUndo: {
    flag: "--no-undo",
    kind: "switch",
    help: "Keep no undo journal: no texts outside the vault, and nothing can be undone.",
    usedBy: "all",
  },
  undoLimit: {
    flag: "--undo-limit",
    kind: "count",
    most: 10_000,
    environment: ["UNDO_STACK_LIMIT"],
    help: "How many changes of a file can be undone. Default: 100.",
    usedBy: "all",
  },
  undoSize: {
    flag: "--undo-size",
    kind: "size",
    environment: ["UNDO_MAX_SIZE"],
    fallback: 100 * 1024 * 1024,
    help: "How large a vault's undo journal may grow, the oldest changes going first.",
    usedBy: "all",
  },
  ...LOG_OPTIONS,
  ...HTTP_OPTIONS,
  area: {
    flag: "--area",
    kind: "text",
    placeholder: "area",
    help: "The task's area.",
    usedBy: ["add", "search", "list", "calendar"],
  },
  status: {
    flag: "--status",
    kind: "choice",
    values: ["To Do", "In Progress", "Blocked", "Done", "Cancelled", "Other"],
    help: "The task's status. add takes the first four.",
    usedBy: ["add", "search", "list"],
  },
  priority: {
    flag: "--priority",
    kind: "choice",
    values: PRIORITY_VALUES,
    help: "The task's priority.",
    usedBy: ["add"],
  },
  due: {
    flag: "--due",
    kind: "text",
    placeholder: "YYYY-MM-DD",
    help: "The day a task is due, in words too; to find, a range as well.",
    usedBy: ["add", "search", "list"],
  },
  project: {
    flag: "--project",
    kind: "texts",
    placeholder: "project",
    help: "A project the task belongs to. Repeatable.",
    usedBy: ["add", "search", "list", "calendar"],
  },
  tag: {
    flag: "--tag",
    kind: "texts",
    placeholder: "tag",
    help: "A tag. Repeatable.",
    usedBy: ["add", "search", "list", "find", "calendar"],
  },
  folder: {
    flag: "--folder",
    kind: "text",
    placeholder: "path",
    help: "Only below this folder of the vault.",
    usedBy: ["find"],
  },
  from: {
    flag: "--from",
    kind: "text",
    placeholder: "day",
    help: "Only notes dated this day or later: by a day in the name, a date property, or else the last change.",
    usedBy: ["find"],
  },
  to: {
    flag: "--to",
    kind: "text",
    placeholder: "day",
    help: "Only notes dated this day or before.",
    usedBy: ["find"],
  },
  description: {
    flag: "--description",
    kind: "text",
    placeholder: "text",
    help: "What the task's note says below its title.",
    usedBy: ["add"],
  },
  limit: {
    flag: "--limit",
    kind: "count",
    most: 100,
    help: "How many results are shown, 1 to 100; of notes to 50.",
    usedBy: ["search", "list", "find", "history"],
  },
  since: {
    flag: "--since",
    kind: "text",
    placeholder: "day",
    help: "Only changes of this day or later, such as yesterday.",
    usedBy: ["history"],
  },
  by: {
    flag: "--by",
    kind: "text",
    placeholder: "name",
    help: "Only changes by callers of this name.",
    usedBy: ["history"],
  },
  diff: {
    flag: "--diff",
    kind: "text",
    placeholder: "operation",
    help: "Show what the change op-… did, as a diff.",
    usedBy: ["history"],
  },
  archived: { flag: "--archived", kind: "switch", help: "Find archived tasks too.", usedBy: ["search", "list"] },
  is: {
    flag: "--is",
    kind: "texts",
    placeholder: "state",
    help: "A state: outstanding, ready, blocked, recurring, stale, note, inline, card or checkbox. Repeatable.",
    usedBy: ["search", "list"],
  },
  done: {
    flag: "--done",
    kind: "switch",
    help: "Show done tasks in the calendar too, with a check mark.",
    usedBy: ["calendar"],
  },
  dates: {
    flag: "--dates",
    kind: "choice",
    values: ["due", "scheduled", "both"],
    help: "Which days are shown in the calendar. Default: the day a task is due, else the one it is scheduled for.",
    usedBy: ["calendar"],
  },
  component: {
    flag: "--component",
    kind: "choice",
    values: ["event", "todo"],
    fallback: "event",
    help: "Events, which every calendar program shows, or to-dos, which some do.",
    usedBy: ["calendar"],
  },
  alarm: {
    flag: "--alarm",
    kind: "text",
    placeholder: "HH:MM",
    help: "Remind at this time of the day itself.",
    usedBy: ["calendar"],
  },
  client: {
    flag: "--client",
    kind: "texts",
    placeholder: "name",
    help: "A client to connect, such as claude-desktop or vscode, installed or not. Repeatable. Default: all that are installed. Of tokens revoke, the host of the program whose connections end.",
    usedBy: ["setup", "tokens"],
  },
  print: {
    flag: "--print",
    kind: "switch",
    help: "Show what would be written, and write nothing.",
    usedBy: ["setup"],
  },
  remove: {
    flag: "--remove",
    kind: "switch",
    help: "Take out of the configurations what setup has put in.",
    usedBy: ["setup"],
  },
  yes: {
    flag: "--yes",
    kind: "switch",
    help: "Write without asking; needed where there is no terminal.",
    usedBy: ["setup"],
  },
  json: {
    flag: "--json",
    kind: "switch",
    help: 'Print the structured result as JSON; a failure as {"error": ...}.',
    usedBy: [...WITH_RESULT, "calendar", "sign-in", "tokens"],
  },
  noColor: {
    flag: "--no-color",
    kind: "switch",
    environment: [
      { name: "NO_COLOR", note: "any value but an empty one", read: (text) => (text === "" ? undefined : "true") },
    ],
    help: "Plain text on a terminal too.",
    usedBy: "all",
  },
  progress: {
    flag: "--progress",
    kind: "switch",
    help: "Report the progress of long work on stderr, also when that is no terminal.",
    usedBy: WITH_RESULT,
  },
  help: { flag: "--help", short: "-h", kind: "switch", help: "Print this help.", usedBy: "all" },
  version: { flag: "--version", short: "-V", kind: "switch", help: "Print the version.", usedBy: "all" },
} as const satisfies Record<string, Option>;

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
