/** The help text, made from the option, command and exit code tables. */
import { COMMANDS, COMMAND_NAMES, type CommandName } from "./commands.js";
import { EXIT_CODES } from "./exit-codes.js";
import { optionRows, type Option } from "./options.js";

const PROGRAM = "obsidian-vault-mcp-server";
const WIDTH = 100;

/** The whole help, or that of one command. */
export function helpText(command: CommandName | undefined): string {
  return command === undefined ? programHelp() : commandHelp(command);
}

function programHelp(): string {
  const commands = COMMAND_NAMES.map((name) => [usageOf(name), COMMANDS[name].help] as const);
  return [
    "An MCP server and command-line program for the tasks in an Obsidian vault.",
    "",
    "Usage:",
    `  ${PROGRAM} [vault]              serve MCP on stdin and stdout (what AI assistants start)`,
    `  ${PROGRAM} <command> [options]`,
    "",
    "Commands:",
    ...table(commands),
    "",
    "Options:",
    ...table(optionRows().map(([, option]) => [spelling(option), description(option)] as const)),
    "",
    "Exit codes:",
    ...table(Object.values(EXIT_CODES).map(({ number, meaning }) => [String(number), meaning] as const)),
    "",
  ].join("\n");
}

function commandHelp(command: CommandName): string {
  const rows = optionRows().filter(([, option]) => option.usedBy === "all" || option.usedBy.includes(command));
  return [
    COMMANDS[command].help,
    "",
    `Usage: ${PROGRAM} ${usageOf(command)} [options]`,
    "",
    "Options:",
    ...table(rows.map(([, option]) => [spelling(option), description(option)] as const)),
    "",
  ].join("\n");
}

function usageOf(name: CommandName): string {
  const { operand, needs = [] } = COMMANDS[name];
  const words = operand.kind === "vault" ? `[${operand.name}]` : `<${operand.name}>`;
  return [name, words, ...needs.map((option) => `--${option} <${option}>`)].join(" ");
}

/** How an option is written, such as `--vault <folder>`. */
export function spelling(option: Option): string {
  const flag = option.short === undefined ? option.flag : `${option.short}, ${option.flag}`;
  switch (option.kind) {
    case "switch":
      return flag;
    case "text":
    case "texts":
      return `${flag} <${option.placeholder}>`;
    case "choice":
      return `${flag} <${option.values.map((value) => (value.includes(" ") ? `"${value}"` : value)).join("|")}>`;
    case "choices":
      return `${flag} <${option.values.join(",")}>`;
    case "size":
      return `${flag} <size>`;
    case "count":
    default:
      return `${flag} <number>`;
  }
}

/** What an option does, with the environment variables that set it, its default and the commands it belongs to. */
export function description(option: Option): string {
  const variables = (option.environment ?? []).map((variable) => {
    return typeof variable === "string" ? variable : `${variable.name} (${variable.note})`;
  });
  const notes = [
    variables.length > 0 ? `Environment: ${variables.join(", ")}.` : "",
    option.kind === "choice" && option.fallback !== undefined ? `Default: ${option.fallback}.` : "",
    option.kind === "size" ? `Default: ${option.fallback / 1024 ** 2}M.` : "",
  ];
  return [option.help, ...notes].filter((note) => note !== "").join(" ");
}

/** Two columns; the second is wrapped below itself. */
function table(rows: readonly (readonly [string, string])[]): string[] {
  const left = Math.min(30, Math.max(...rows.map(([name]) => name.length))) + 4;
  return rows.flatMap(([name, text]) => {
    const lines = wrap(text, WIDTH - left);
    const head = `  ${name}`.padEnd(left);
    if (head.length > left) return [head, ...lines.map((line) => " ".repeat(left) + line)];
    return lines.map((line, index) => (index === 0 ? head : " ".repeat(left)) + line);
  });
}

function wrap(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.length - 1;
    const line = lines[last] ?? "";
    if (line !== "" && line.length + 1 + word.length > width) lines.push(word);
    else lines[last] = line === "" ? word : `${line} ${word}`;
  }
  return lines;
}
