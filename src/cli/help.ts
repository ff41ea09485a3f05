/** The help text, from the tables. */
import { COMMANDS, usageOf } from "./commands.js";
import { type CommandName, COMMAND_NAMES } from "./command-names.js";
import { EXIT_CODES } from "./exit-codes.js";
import { HTTP_OPTIONS, LIVESYNC_OPTIONS, LOG_OPTIONS } from "./options/server-options.js";
import { isUsedBy, type Option } from "./options/option-kinds.js";
import { optionRows } from "./options/options.js";
import { wrapped } from "./output/columns.js";
import { shellWord } from "./speech.js";

const PROGRAM = "obsidian-vault-mcp-server";
const MIN_WIDTH = 40;
const MAX_WIDTH = 100;

/** @param columns 0: unknown */
const widthFor = (columns = MAX_WIDTH): number => Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, columns || 80));

export function helpText(command: CommandName | undefined, columns: number | undefined): string {
  const width = widthFor(columns);
  return command === undefined ? programHelp(width) : commandHelp(command, width);
}

export function terminalAdvice(vault: string): string {
  return `\nThe server speaks to assistants, not to a terminal. To see this vault's tasks:\n  ${PROGRAM} scan ${shellWord(vault)}\n`;
}

export function overviewText(columns: number | undefined): string {
  const width = widthFor(columns);
  const rows = COMMAND_NAMES.map((name) => [name, COMMANDS[name].help.replace(/(?<=[.]) .*/, "")] as const);
  return [
    "The tasks and notes of an Obsidian vault, for AI assistants (MCP) and for you.",
    "",
    ...section("Commands:", rows, tableOf(width)),
    ...section(
      "Examples:",
      [
        [`${PROGRAM} setup`, "connect your assistants with a vault"],
        [`${PROGRAM} today "My Vault"`, "what is overdue, planned and due"],
        [`${PROGRAM} "My Vault"`, "what an assistant starts: the server on stdin and stdout"],
      ],
      (some) => some.flatMap(([command, what]) => [`  ${command}`, `      ${what}`]),
    ),
    "<command> --help explains a command; --help lists all options.",
    "",
  ].join("\n");
}

function programHelp(width: number): string {
  const table = tableOf(width);
  return [
    "An MCP server and command-line program for the tasks in an Obsidian vault.",
    "",
    "Usage:",
    `  ${PROGRAM} [vault]      serve MCP on stdin and stdout`,
    `  ${PROGRAM} <command>    do one thing and print the result`,
    "",
    ...section(
      "Commands:",
      COMMAND_NAMES.map((name) => [usageOf(name), COMMANDS[name].help] as const),
      table,
    ),
    ...section("Options:", rowsOf("general", isForAll), table),
    ...section("Options of the server:", rowsOf("general", isServers), table),
    ...section(
      `Options of commands (${PROGRAM} <command> --help says which):`,
      rowsOf("general", (option) => !isForAll(option) && !isServers(option)),
      table,
    ),
    ...otherSections(() => true, table),
    "Exit codes:",
    ...table(Object.values(EXIT_CODES).map(({ number, meaning }) => [String(number), meaning] as const)),
    "",
  ].join("\n");
}

function commandHelp(command: CommandName, width: number): string {
  const table = tableOf(width);
  const own = rowsOf("general", ({ usedBy = [] }) => usedBy.includes(command));
  return [
    ...wrapped(COMMANDS[command].help, width),
    "",
    `Usage: ${PROGRAM} ${usageOf(command)} [options]`,
    "",
    ...otherSections((option) => isUsedBy(option, command), table),
    ...section("Options of every command:", rowsOf("general", isForAll), table),
    ...section(`Options of ${command}:`, own, table),
  ].join("\n");
}

function otherSections(of: (option: Option) => boolean, table: Table): string[] {
  return [
    ...section("Where the vault and its data are stored:", rowsOf("storage", of), table),
    ...section("Log:", rowsOf("log", of), table),
    ...section("HTTP:", rowsOf("http", of), table),
  ];
}

const isForAll = ({ usedBy }: Option): boolean => usedBy === undefined;
const isServers = ({ usedBy = [] }: Option): boolean => usedBy.includes("server");

const STORAGE = new Set<string>([
  ...Object.keys(LIVESYNC_OPTIONS),
  "vaultId",
  "maxFileSize",
  "maxImageSize",
  "cacheFolder",
  "noCache",
  "stateFolder",
  "noUndo",
  "undoLimit",
  "undoSize",
]);

function groupOf(name: string): Group {
  if (STORAGE.has(name)) return "storage";
  if (Object.hasOwn(LOG_OPTIONS, name)) return "log";
  return Object.hasOwn(HTTP_OPTIONS, name) ? "http" : "general";
}

type Group = "general" | "storage" | "log" | "http";
type Rows = readonly (readonly [string, string])[];
type Table = (rows: Rows) => string[];

function rowsOf(group: Group, of: (option: Option) => boolean): Rows {
  return optionRows().flatMap(([name, option]) =>
    groupOf(name) === group && of(option) ? [[spelling(option), description(option)] as const] : [],
  );
}

function section(heading: string, rows: Rows, table: Table): string[] {
  return rows.length === 0 ? [] : [heading, ...table(rows), ""];
}

/** @public For `scripts/docs.js`. */
export function spelling(option: Option): string {
  const flag = option.short === undefined ? option.flag : `${option.short}, ${option.flag}`;
  switch (option.kind) {
    case "switch":
      return flag;
    case "text":
    case "texts":
      return `${flag} <${option.placeholder}>`;
    case "choice":
    case "choices": {
      const values = option.values.map((value) => (value.includes(" ") ? `"${value}"` : value));
      return `${flag} <${values.join(option.kind === "choice" ? "|" : ",")}>`;
    }
    case "address":
      return `${flag} [[host:]port]`;
    case "secret":
      return `${flag} <file>`;
    case "size":
      return `${flag} <size>`;
    case "count":
    default:
      return `${flag} <number>`;
  }
}

function description(option: Option): string {
  const variables = (option.environment ?? []).map((variable) =>
    typeof variable === "string" ? variable : `${variable.name} (${variable.note})`,
  );
  return [
    option.help,
    ...(variables.length > 0 ? [`Environment: ${variables.join(", ")}.`] : []),
    ...(option.kind === "choice" && option.fallback !== undefined ? [`Default: ${option.fallback}.`] : []),
    ...(option.kind === "size" ? [`Default: ${sizeText(option.fallback)}.`] : []),
  ].join(" ");
}

const tableOf =
  (width: number): Table =>
  (rows) => {
    const left = Math.min(Math.floor(width * 0.3), Math.max(...rows.map(([name]) => name.length))) + 4;
    return rows.flatMap(([name, text]) => {
      const lines = wrapped(text, width - left);
      const head = `  ${name}`.padEnd(left);
      if (!head.endsWith("  ")) return [head.trimEnd(), ...lines.map((line) => " ".repeat(left) + line)];
      return lines.map((line, index) => (index === 0 ? head : " ".repeat(left)) + line);
    });
  };

const sizeText = (bytes: number): string => (bytes % 1024 ** 2 === 0 ? `${bytes / 1024 ** 2}M` : `${bytes / 1024}k`);
