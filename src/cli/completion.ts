/** The command `completion`: a shell's script, from the tables. */
import { VaultError } from "../errors.js";
import { COMMANDS } from "./commands.js";
import { type CommandName, COMMAND_NAMES } from "./command-names.js";
import { EXIT_CODES } from "./exit-codes.js";
import { isUsedBy, type Option } from "./options/option-kinds.js";
import { optionRows } from "./options/options.js";
import { writeOut } from "./terminal.js";

const PROGRAM = "obsidian-vault-mcp-server";
const FUNCTION = "_obsidian_vault_mcp_server";

const SHELLS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

export async function runCompletion(shell: string): Promise<number> {
  await writeOut(completionScript(shell));
  return EXIT_CODES.ok.number;
}

export function completionScript(shell: string): string {
  const name = shell.toLowerCase();
  const script = Object.hasOwn(SHELLS, name) ? SHELLS[name] : undefined;
  if (script) return `${script()}\n`;
  throw new VaultError("INVALID_ARGUMENT", `There is no completion for ${JSON.stringify(shell)}.`, {
    hint: `One of: ${Object.keys(SHELLS).join(", ")}.`,
  });
}

const optionsOf = (user: CommandName | "server"): Option[] =>
  optionRows().flatMap(([, option]) => (isUsedBy(option, user) ? [option] : []));
const flagsOf = (user: CommandName | "server"): string =>
  optionsOf(user)
    .map(({ flag }) => flag)
    .join(" ");

function valuesOf(option: Option): readonly string[] {
  return option.kind === "choice" || option.kind === "choices" ? option.values : [];
}

const takesPath = (option: Option): boolean =>
  option.kind === "secret" || ("placeholder" in option && ["folder", "file"].includes(option.placeholder));

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const actionsOf = (name: CommandName): readonly string[] => COMMANDS[name].operand.actions ?? [];

function bash(): string {
  const rows = optionRows().map(([, option]) => option);
  const choices = rows.flatMap((option) => {
    const values = valuesOf(option);
    return values.length === 0 ? [] : [`    ${option.flag}) _values ${values.map(quoted).join(" ")}; return ;;`];
  });
  const paths = rows.filter(takesPath).map(({ flag }) => flag);
  const commands = COMMAND_NAMES.map(
    (name) => `    ${name}) words="${[...actionsOf(name), flagsOf(name)].join(" ")}" ;;`,
  );
  return `# Completion of ${PROGRAM} for bash: eval "$(${PROGRAM} completion bash)"
${FUNCTION}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" words IFS=$'\\n'
  COMPREPLY=()
  _values() {
    local value
    for value in "$@"; do
      [[ "$value" == "$current"* ]] && COMPREPLY+=("$(printf %q "$value")")
    done
  }
  case "$previous" in
${choices.join("\n")}
    ${paths.join("|")}) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  case "\${COMP_WORDS[1]}" in
${commands.join("\n")}
    *) words="${flagsOf("server")}" ;;
  esac
  [[ $COMP_CWORD == 1 ]] && words="${COMMAND_NAMES.join(" ")} $words"
  COMPREPLY=($(IFS=' '; compgen -W "$words" -- "$current"))
  if [[ "$current" != -* ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY+=($(compgen -d -- "$current"))
  fi
}
complete -F ${FUNCTION} ${PROGRAM}`;
}

function zsh(): string {
  const described = COMMAND_NAMES.map((name) => `    ${quoted(`${name}:${COMMANDS[name].help}`)}`);
  const cases = COMMAND_NAMES.map((name) => {
    const operands = actionsOf(name);
    const operand = operands.length > 0 ? `(${operands.join(" ")})` : "_files -/";
    return `    ${name}) _arguments ${[...optionsOf(name).map(zshOption), quoted(`*:${COMMANDS[name].operand.name}:${operand}`)].join(" ")} ;;`;
  });
  return `#compdef ${PROGRAM}
# Completion of ${PROGRAM} for zsh, after compinit: eval "$(${PROGRAM} completion zsh)"
${FUNCTION}() {
  local -a commands=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )) && [[ "$words[2]" != -* ]]; then
    _describe command commands
    _files -/
    return
  fi
  local name="$words[2]"
  if (( $+commands[(r)$name:*] )); then
    shift words
    (( CURRENT-- ))
  fi
  case "$name" in
${cases.join("\n")}
    *) _arguments ${[...optionsOf("server").map(zshOption), "'*:vault:_files -/'"].join(" ")} ;;
  esac
}
compdef ${FUNCTION} ${PROGRAM}`;
}

function zshOption(option: Option): string {
  const help = option.help.replaceAll(/[\\:[\]]/g, String.raw`\$&`);
  const repeatable = option.kind === "texts" || option.kind === "choices" ? "*" : "";
  if (option.kind === "switch") return quoted(`${option.flag}[${help}]`);
  const values = valuesOf(option).map((value) => value.replaceAll(" ", String.raw`\ `));
  const action = values.length > 0 ? `(${values.join(" ")})` : takesPath(option) ? "_files" : "";
  return quoted(`${repeatable}${option.flag}[${help}]:${option.kind === "address" ? ":" : ""}value:${action}`);
}

function fish(): string {
  const isCommand = `__fish_seen_subcommand_from`;
  const commands = COMMAND_NAMES.map(
    (name) => `complete -c ${PROGRAM} -n __fish_use_subcommand -a ${name} -d ${fishQuoted(COMMANDS[name].help)}`,
  );
  const options = optionRows().map(([, option]) => {
    const users = option.usedBy ?? [];
    const names = users.filter((user) => user !== "server");
    const places = [
      ...(names.length > 0 ? [`${isCommand} ${names.join(" ")}`] : []),
      ...(users.includes("server") ? [`not ${isCommand} ${COMMAND_NAMES.join(" ")}`] : []),
    ];
    const condition = places.length === 0 ? "" : ` -n ${fishQuoted(places.join("; or "))}`;
    const values = valuesOf(option);
    const takes = option.kind === "switch" || option.kind === "address" ? "" : takesPath(option) ? " -r -F" : " -x";
    const words =
      values.length === 0
        ? ""
        : ` -a ${fishQuoted(values.map((value) => value.replaceAll(" ", String.raw`\ `)).join(" "))}`;
    return `complete -c ${PROGRAM}${condition} -l ${option.flag.slice(2)}${takes}${words} -d ${fishQuoted(option.help)}`;
  });
  const operands = COMMAND_NAMES.filter((name) => actionsOf(name).length > 0).map(
    (name) => `complete -c ${PROGRAM} -n '${isCommand} ${name}' -f -a '${actionsOf(name).join(" ")}'`,
  );
  return [
    `# Completion of ${PROGRAM} for fish: ${PROGRAM} completion fish | source`,
    ...commands,
    ...operands,
    ...options,
  ].join("\n");
}

const fishQuoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
