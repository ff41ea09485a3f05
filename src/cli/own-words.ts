/**
 * Rewrites a tool's refusals and hints for the command line: flags and commands replace arguments and tools (docs:
 * command-line, "Commands and output").
 */
import type { CommandName } from "./command-names.js";

const COMMANDS_BY_TOOL: Readonly<Record<string, CommandName>> = {
  scan_vault: "scan",
  search_tasks: "search",
  create_task: "add",
  update_task: "set",
  get_task: "show",
  get_agenda: "today",
  undo_edit: "undo",
  get_history: "history",
  find_notes: "find",
  run_view: "view",
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

/** @param given the words of the caller, which stay as they are */
export function inOwnWords(command: CommandName, text: string, given = ""): string {
  if (given.trim() === "") return rewritten(command, text);
  // Else flags in the words would be rewritten too.
  return rewritten(command, text.replaceAll(given, GIVEN)).replaceAll(GIVEN, () => given);
}

const GIVEN = "\ue000";

function rewritten(command: CommandName, text: string): string {
  const ofTools = text
    .replace(/\b[a-z_]+ is not available: this server is read-only\./, `${command} would change the vault.`)
    .replace(
      "The server must be started without --read-only to change the vault.",
      "Leave --read-only out to allow it.",
    )
    .replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => COMMANDS_BY_TOOL[word] ?? FLAGS[word] ?? word)
    .replace(/\n[^\n]*(?:\bobsidian_[a-z]+_[a-z]+\b|\bfind with kind )[^\n]*/g, "")
    .replace(/(^|\n)view shows other files, delete removes them;.*$/, "$1Open it with another program.");
  if (command === "set")
    return ofTools
      .replace(/"updates\.([A-Za-z]+)"/g, (_, name: string) => FIELDS[name] ?? name)
      .replace(/(?<![="\w])(dueDate|parentProjects)\b(?!=)/g, (name) => FIELDS[name] ?? name)
      .replace('"updates" must name', "there must be")
      .replace("properties must be an object", 'properties must be written as {"name":"text"}')
      .replace('"taskId" must', "the task must")
      .replace(/\bupdates\.([a-z]+)\b/g, "$1=<$1>")
      .replace(/(^|\n)Arguments: [^\n]*$/, "$1Write: set <task> <field>=<value> ...");
  const ofFields = command === "done" ? withSet(ofTools) : ofTools;
  return ofFields
    .replace(
      /"(?:updates\.)?([A-Za-z]+)(?:\[\d+\])?"(?= (?:must|is|has|holds|says|does))/g,
      (all, name: string) => FLAGS[name] ?? all,
    )
    .replace(/\b(dueDate|parentProjects|includeArchived|taskId)\b/g, (name) => FLAGS[name] ?? name)
    .replace(/(^|\n|: )(due|since) (?=")/g, "$1--$2 ")
    .replace("leave folder out", "leave --folder out")
    .replace(/\nArguments: [^\n]*$/, `\nSee ${command} --help.`)
    .replace(/^Arguments: [^\n]*$/, `See ${command} --help.`);
}

/** Suggests `set` where another field is needed. */
function withSet(text: string): string {
  return text
    .replace(/\bdueDate\b/g, "due")
    .replace(" in the same call", ", using set (set <task> status=Done scheduled=<day>)")
    .replace(/\bName one with updates\.([a-z]+)/, "Name one with set <task> $1=<$1>");
}

/** Rewrites hints to name commands; note text could look like a hint, and must not be passed. */
export function hintsInOwnWords(command: CommandName, text: string): string {
  const list = command === "list" || command === "search" ? "" : "list ";
  return text
    .replace(
      /^((?:Not counted: |\d+ plain ).*[.;] [Ll]ist them: )search_tasks is \["checkbox"\]\.$/m,
      `$1${list}--is checkbox.`,
    )
    .replace(/; search_tasks with is: \["inline"\] lists them\.$/m, "; list --is inline lists them.")
    .replace(/^(- and \d+ more): search_tasks with .* due (".*")$/gm, "$1: list --due $2")
    .replace(/: call search_tasks with query (".*") and (.*)\.$/gm, searchCommand)
    .replace(/^(?:More: [\d,]+, cursor ".*"|\[More: cursor ".*"\])$/m, "More: --limit shows them.")
    .replace(/^(… and \d+ more): section "overdue", cursor ".*"$/gm, "$1: list --due overdue --limit 100")
    .replace(/^(… and \d+ more): section .*$/gm, "$1")
    .replace(/^undo_edit with path "(op-\S+)" (?=takes )/gm, "undo $1 ")
    .replace(/^(Not listed: .*)\. Ask for .* as section\.$/gm, "$1. list --due <day> shows one day.")
    .replace(/^(… and \d+ more): section "overdue" lists all$/gm, "$1: list --due overdue --limit 100")
    .replace(/^('.*' was deleted; )undo_edit restores it$/gm, "$1undo restores it")
    .replace(/^Read [a-zA-Z]+ (?=".*" as )/gm, (read) => inOwnWords(command, read))
    .replace(/^Read .*/gm, (line) => line.replace(/"updates\.\w+" as "updates\.\w+"(?:, )?/g, ""))
    .replace(/\n?^Read \.$/gm, "");
}

/** Only a full stop where the command lacks a filter. */
function searchCommand(_: string, query: string, filters: string): string {
  const options = filters.split(/, (?=[a-zA-Z]+ )/).map((filter) => {
    const [, name = "", value = ""] = /^(\w+) \[?(".*?")\]?$/.exec(filter) ?? [];
    return name === "priority" || FLAGS[name] === undefined ? undefined : `${FLAGS[name]} ${value}`;
  });
  if (options.includes(undefined)) return ".";
  return `: ${query === '"*"' ? "list" : `search ${query}`} ${options.join(" ")}`;
}
