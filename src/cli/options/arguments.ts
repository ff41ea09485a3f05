/** Reads command line and environment by the option table. */
import { VaultError } from "../../errors.js";
import { nearest } from "../../text/nearest.js";
import { COMMANDS, isCommandName, usageOf } from "../commands.js";
import { type CommandName, COMMAND_NAMES } from "../command-names.js";
import { livesyncVault } from "../livesync-settings.js";
import { defaultOf, isUsedBy, misused, readValue, type Option } from "./option-kinds.js";
import { HTTP_OPTIONS } from "./server-options.js";
import { OPTIONS, optionRows, type OptionName, type Settings } from "./options.js";

export interface Arguments {
  readonly settings: Settings;
  /** Undefined starts the server. */
  readonly command: CommandName | undefined;
  readonly words: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

type Written = Map<OptionName, string[]>;

/** @param isFolder tells a vault from a mistyped command */
export function readCommandLine(
  argv: readonly string[],
  environment: Environment,
  isFolder: (word: string) => boolean,
): Arguments {
  const { written, operands } = splitWords(argv);
  // A vault may be named `help`.
  if (operands[0] === "help" && !isFolder("help")) {
    operands.shift();
    written.set("help", ["true"]);
  }
  const first = operands[0];
  const command = first !== undefined && isCommandName(first) ? first : undefined;
  const rest = command ? operands.slice(1) : operands;
  const wantsHelp = written.has("help") || written.has("version");
  const takesWords = command !== undefined && COMMANDS[command].operand.kind === "words";
  const words = takesWords ? rest.join(" ") : "";
  // Reports a mistyped command before its options.
  if (!takesWords) takeVault(rest, command, written, isFolder);
  if (!wantsHelp) refuseUnused(written, command);
  if (!wantsHelp && command === undefined) refuseWithoutHttp(written);
  if (command && !wantsHelp) refuseMissing(command, words, takesWords && rest.length > 0);
  const settings = readSettings(written, environment);
  if (settings.csv && settings.json) throw misused("--csv", "and --json are both given", "Give one of them.");
  const database = wantsHelp ? undefined : livesyncVault(settings);
  const standard = command === undefined ? undefined : COMMANDS[command].operand.default;
  return { settings: { ...settings, vault: database ?? settings.vault }, command, words: words || (standard ?? "") };
}

/** `3000`, `localhost:3000`, `[::1]:3000`. */
const ADDRESS = /^(?:(?:\[[^\]/\\]+\]|[^/\\:]+):)?\d{1,5}$/;

function splitWords(argv: readonly string[]): { written: Written; operands: string[] } {
  const written: Written = new Map();
  const operands: string[] = [];
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? "";
    if (word === "--") {
      operands.push(...argv.slice(index + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      operands.push(word);
      continue;
    }
    const equals = word.startsWith("--") ? word.indexOf("=") : -1;
    const flag = equals < 0 ? word : word.slice(0, equals);
    const [name, option] = findOption(flag);
    let value = equals < 0 ? undefined : word.slice(equals + 1);
    if (value === undefined && option.kind === "address")
      value = ADDRESS.test(argv[index + 1] ?? "") ? argv[++index] : "";
    if (value === undefined && option.kind !== "switch") value = argv[++index];
    if (value === undefined && option.kind === "switch") value = "true";
    if (value === undefined || (equals < 0 && value.startsWith("--")))
      throw misused(option.flag, "needs a value", value && `Write ${option.flag}=<value> where it begins with a dash.`);
    const before = written.get(name) ?? [];
    if (before.length > 0 && !/^(?:texts|choices)$/.test(option.kind)) throw misused(option.flag, "is given twice");
    written.set(name, [...before, value]);
  }
  return { written, operands };
}

function findOption(flag: string): readonly [OptionName, Option] {
  const rows = optionRows();
  const found = rows.find(([, option]) => option.flag === flag || option.short === flag);
  if (found) return found;
  const flags = rows.map(([, option]) => option.flag);
  const [near] = nearest(flag, flags, 1);
  throw new VaultError("INVALID_ARGUMENT", `Unknown option ${flag}.`, { hint: hintFor(near) });
}

function hintFor(near: string | undefined): string {
  return near === undefined
    ? "See --help for all options; write -- before words that begin with a dash."
    : `Did you mean ${near}?`;
}

function refuseUnused(written: Written, command: CommandName | undefined): void {
  for (const name of written.keys()) {
    const option: Option = OPTIONS[name];
    if (isUsedBy(option, command ?? "server")) continue;
    throw misused(
      option.flag,
      `is no option of ${command ?? "the server"}; it belongs to ${option.usedBy?.join(", ")}`,
    );
  }
}

/** Variables may be for several programs. */
function refuseWithoutHttp(written: Written): void {
  if (written.has("http") || written.has("healthCheck")) return;
  const name = [...written.keys()].find((one) => Object.hasOwn(HTTP_OPTIONS, one));
  if (name !== undefined) throw misused(OPTIONS[name].flag, "needs --http", "Add --http.");
}

function takeVault(
  rest: readonly string[],
  command: CommandName | undefined,
  written: Written,
  isFolder: (word: string) => boolean,
): void {
  const [vault, unexpected] = rest;
  if (vault === undefined) return;
  // An unset quoted variable.
  if (vault === "") {
    throw new VaultError("INVALID_ARGUMENT", "The vault is given as an empty text.", {
      hint: "Name the folder that holds your notes, or leave it out where --vault or OBSIDIAN_VAULT_PATH names it.",
    });
  }
  const mayBeCommand = command === undefined && !/[/\\]/.test(vault) && !isFolder(vault);
  const [near] = mayBeCommand ? nearest(vault, COMMAND_NAMES, 1) : [];
  if (near !== undefined) {
    throw new VaultError("INVALID_ARGUMENT", `Unknown command ${vault}.`, {
      hint: `Did you mean ${near}? A folder of that name is written ./${vault}.`,
    });
  }
  // Else a server would wait for input.
  if (mayBeCommand && !/^(livesync:|-)/.test(vault)) {
    throw new VaultError("INVALID_ARGUMENT", `There is no command and no folder ${JSON.stringify(vault)}.`, {
      hint: `See --help for all commands; a folder that is not there yet is written ./${vault}.`,
    });
  }
  if (unexpected !== undefined) {
    throw new VaultError("INVALID_ARGUMENT", `Unexpected argument ${unexpected}.`, {
      hint: "A path with spaces needs quotes; see --help for the commands.",
    });
  }
  if (written.has("vault")) throw misused("--vault", "and a vault as an argument are both given");
  written.set("vault", [vault]);
}

function refuseMissing(command: CommandName, words: string, isGiven: boolean): void {
  const { operand } = COMMANDS[command];
  // As in `undo "$FILE"` with an unset variable.
  if (operand.default !== undefined && isGiven && words.trim() === "")
    throw misused(command, "is given an empty text", `Leave it out, or write: ${usageOf(command)}`);
  if (operand.kind === "words" && operand.default === undefined && words.trim() === "") {
    throw new VaultError("INVALID_ARGUMENT", `${command} needs a ${operand.name.split(" ")[0]}.`, {
      hint: `Write: ${usageOf(command)}`,
    });
  }
}

function readSettings(written: Written, environment: Environment): Settings {
  const sources: Partial<Record<OptionName, string>> = {};
  const settings = optionRows().map(([name, option]) => {
    const given = givenFor(name, option, written, environment);
    if (given === undefined) return [name, defaultOf(option)];
    sources[name] = given.source;
    return [name, readValue(option, given.source, given.texts)];
  });
  return { ...Object.fromEntries(settings), sources } as Settings;
}

function givenFor(
  name: OptionName,
  option: Option,
  written: Written,
  environment: Environment,
): { readonly source: string; readonly texts: readonly string[] } | undefined {
  const flags = written.get(name);
  if (flags) return { source: option.flag, texts: flags };
  const variable = lookUp(option, environment);
  return variable && { source: variable.name, texts: [variable.text] };
}

function lookUp(option: Option, environment: Environment): { name: string; text: string } | undefined {
  for (const variable of option.environment ?? []) {
    const name = typeof variable === "string" ? variable : variable.name;
    const raw = environment[name];
    const text = raw === undefined || typeof variable === "string" ? raw : variable.read(raw);
    if (text !== undefined && text !== "") return { name, text };
  }
  return undefined;
}
