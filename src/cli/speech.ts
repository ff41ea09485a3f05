/** Writes calls and arguments as commands and flags (docs: command-line, "Commands and output"). */
import type { Argument, Call, Speech } from "../text/wording.js";
import type { CommandName } from "./command-names.js";
import type { Option } from "./options/option-kinds.js";
import { optionRows } from "./options/options.js";

/** With the argument of its words. */
const COMMANDS_BY_TOOL: Readonly<Record<string, readonly [command: CommandName, words?: string]>> = {
  scan_vault: ["scan"],
  search_tasks: ["search", "query"],
  add_tasks: ["add", "text"],
  create_task: ["add", "title"],
  update_task: ["set", "taskId"],
  get_task: ["show", "taskId"],
  get_agenda: ["today"],
  undo_edit: ["undo", "path"],
  get_history: ["history", "path"],
  find_notes: ["find", "query"],
  run_view: ["view", "source"],
  obsidian_read_note: ["read", "note"],
  read_note: ["read", "path"],
};

const FIELD_OF: Readonly<Record<string, string>> = { dueDate: "due", parentProjects: "project" };

const OPTION_OF: Readonly<Record<string, string>> = {
  ...FIELD_OF,
  tags: "tag",
  includeArchived: "archived",
  date_from: "from",
  date_to: "to",
};

const WORDS_OF: Readonly<Record<string, string>> = {
  query: "the query",
  taskId: "the task",
  title: "the title",
  updates: "the fields",
};

/** Callers also write `constructor`. */
const rowOf = <Row>(table: Readonly<Record<string, Row>>, name: string): Row | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

export const fieldName = (argument: string): string => rowOf(FIELD_OF, argument) ?? argument;

export const argumentOf = (field: string): string =>
  Object.entries(FIELD_OF).find(([, name]) => name === field)?.[0] ?? field;

export const commandName = (tool: string): string => rowOf(COMMANDS_BY_TOOL, tool)?.[0] ?? tool;

export function speechOf(command: CommandName): Speech {
  return (named) => {
    if ("tool" in named) return callIn(command, named);
    if ("argument" in named) return argumentIn(command, named);
    return WAYS[named.way](command);
  };
}

const WAYS = {
  usage: (command: CommandName) =>
    command === "set" ? "Write: set <task> <field>=<value> ..." : `See ${command} --help.`,
  nextPage: () => "--limit shows them.",
  sameCall: (command: CommandName) =>
    command === "done" ? "(set <task> status=Done <field>=<value>)" : "in the same command",
};

const OF_UPDATES = "updates.";

function argumentIn(command: CommandName, { argument, words: written }: Argument): string {
  const isField = argument.startsWith(OF_UPDATES);
  const name = isField ? argument.slice(OF_UPDATES.length) : argument;
  const words = rowOf(WORDS_OF, argument);
  if (words !== undefined) return words;
  if (command === "set") return fieldName(name);
  if (command === "done") return isField ? `set <task> ${fieldName(name)}=<${name}>` : fieldName(name);
  const [base = ""] = argument.split("[");
  return optionOf(base, command)?.flag ?? written;
}

function optionOf(argument: string, command: CommandName): Option | undefined {
  const [, option] = optionRows().find(([name]) => name === (rowOf(OPTION_OF, argument) ?? argument)) ?? [];
  return option?.usedBy?.includes(command) === true ? option : undefined;
}

/** Undefined without such a command. */
function callIn(now: CommandName, { tool, with: given }: Call): string | undefined {
  if (tool === "get_agenda" && given["section"] === "overdue") return "list --due overdue --limit 100";
  const [named, operand = ""] = rowOf(COMMANDS_BY_TOOL, tool) ?? [];
  if (named === undefined) return undefined;
  const { [operand]: words, ...others } = given;
  const isList = named === "search" && (words === "*" || (words === undefined && Object.keys(others).length > 0));
  const command = isList ? "list" : named;
  const flags = Object.entries(others).map(([name, value]) => flagsFor(optionOf(name, command), value));
  if (flags.includes(undefined)) return undefined;
  // A list's filters narrow the shown one.
  const isSame = isList && words === undefined && (now === "list" || now === "search");
  return [isSame ? "" : command, isList || words === undefined ? "" : shellWord(words), ...flags]
    .filter((part) => part !== "")
    .join(" ");
}

function flagsFor(option: Option | undefined, value: unknown): string | undefined {
  const values = [value].flat();
  if (option === undefined || (values.length > 1 && option.kind !== "texts")) return undefined;
  if (option.kind === "switch") return option.flag;
  return values.map((one) => `${option.flag} ${shellWord(one)}`).join(" ");
}

/** For what a shell replaces in double quotes; Windows' own knows only those. */
export function shellWord(value: unknown): string {
  const text = String(value);
  if (/^[\p{L}\p{N}._/-]+$/u.test(text)) return text;
  return /[$`]|!(?![\s=]|$)/.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : JSON.stringify(text);
}
