/**
 * Translates a tool's refusal for the command line: flags and commands instead of arguments and tools (docs:
 * command-line, "Commands and output").
 */
import type { CommandName } from "./options/option-kinds.js";

const COMMANDS_BY_TOOL: Readonly<Record<string, CommandName>> = {
  scan_vault: "scan",
  search_tasks: "search",
  create_task: "add",
  update_task: "set",
  get_task: "show",
  get_agenda: "today",
  undo_edit: "undo",
  find_notes: "find",
  obsidian_read_note: "read",
  read_note: "read",
};

const FLAGS: Readonly<Record<string, string>> = {
  dueDate: "--due",
  due: "--due",
  parentProjects: "--project",
  project: "--project",
  includeArchived: "--archived",
  tags: "--tag",
  status: "--status",
  priority: "--priority",
  area: "--area",
  limit: "--limit",
  is: "--is",
  date_from: "--from",
  date_to: "--to",
  folder: "--folder",
  query: "the query",
  taskId: "the task",
  title: "the title",
};

const FIELDS: Readonly<Record<string, string>> = { dueDate: "due", parentProjects: "project" };

/** Quoted words of the caller stay. */
export function inOwnWords(command: CommandName, text: string): string {
  const ofTools = text
    .replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => COMMANDS_BY_TOOL[word] ?? FLAGS[word] ?? word)
    .replace(/\n[^\n]*\bobsidian_[a-z]+_[a-z]+\b[^\n]*/g, "");
  if (command === "set")
    return ofTools
      .replace(/"updates\.([A-Za-z]+)"/g, (_, name: string) => FIELDS[name] ?? name)
      .replace(/(?<![="\w])(dueDate|parentProjects)\b(?!=)/g, (name) => FIELDS[name] ?? name)
      .replace('"updates" must name', "there must be")
      .replace(/(^|\n)Arguments: [^\n]*$/, "$1Write: set <task> <field>=<value> ...");
  const ofFields = command === "done" ? withSet(ofTools) : ofTools;
  return ofFields
    .replace(
      /"(?:updates\.)?([A-Za-z]+)(?:\[\d+\])?"(?= (?:must|is|has|holds|says|does))/g,
      (all, name: string) => FLAGS[name] ?? all,
    )
    .replace(/\b(dueDate|parentProjects|includeArchived|taskId)\b/g, (name) => FLAGS[name] ?? name)
    .replace(/(^|\n|: )due (?=")/g, "$1--due ")
    .replace(/\nArguments: [^\n]*$/, `\nSee ${command} --help.`)
    .replace(/^Arguments: [^\n]*$/, `See ${command} --help.`);
}

/** Suggests `set` where another field is needed. */
function withSet(text: string): string {
  return text
    .replace(/\bdueDate\b/g, "due")
    .replace(" in the same call", ", using set (set <task> status=Done scheduled=<day>)");
}
