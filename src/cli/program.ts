/** From command line to exit code. */
import { fstatSync, statSync } from "node:fs";
import { systemClock, type Clock } from "../clock.js";
import { VaultError } from "../errors.js";
import { readCommandLine, type Arguments } from "./options/arguments.js";
import { errorData, EXIT_CODES } from "./exit-codes.js";
import { createLog, writeFailure, writeToStderr } from "./log.js";
import type { Log } from "../log.js";
import type { CommandName } from "./command-names.js";
import type { Settings } from "./options/options.js";

/** The process ends with its work. */
export async function runProgram(): Promise<void> {
  let log: Log | undefined;
  try {
    const read = readCommandLine(process.argv.slice(2), process.env, isFolder);
    const clock = systemClock(read.settings.timeZone);
    log = programLog(read.settings, clock);
    process.exitCode = await run(read, log);
  } catch (error) {
    process.exitCode = tellFailure(error, log);
  }
}

async function run({ settings, command, words }: Arguments, log: Log): Promise<number> {
  if (settings.version) {
    const { VERSION } = await import("../version.js");
    return print(`${VERSION}\n`);
  }
  if (settings.help) return help(command);
  if (settings.healthCheck) {
    const { checkHealth } = await import("./serve/health-check.js");
    return checkHealth(settings);
  }
  // Else only `doctor` takes it.
  if (command === undefined && settings.tunnel !== undefined) {
    const { serveTunnel } = await import("./serve/serve-tunnel.js");
    return serveTunnel(settings, log);
  }
  if (command === undefined && settings.http !== undefined) {
    const { serveHttp } = await import("./serve/serve-http.js");
    return serveHttp(settings, log);
  }
  if (command === undefined && (await isTerminal(0))) return overview(settings.vault);
  if (command === undefined) {
    const { serve } = await import("./serve/serve.js");
    return serve(settings, log);
  }
  const { runCommand } = await import("./run-command.js");
  return runCommand(command, words, settings, log);
}

async function help(command: CommandName | undefined): Promise<number> {
  const { helpText } = await import("./help.js");
  return print(helpText(command, await screenWidth()));
}

async function overview(vault: string | undefined): Promise<number> {
  if (vault !== undefined && !vault.startsWith("livesync:") && !isFolder(vault)) {
    throw new VaultError("INVALID_ARGUMENT", `There is no command and no folder ${JSON.stringify(vault)}.`, {
      hint: "See --help for all options and commands.",
    });
  }
  const { overviewText, terminalAdvice } = await import("./help.js");
  return print(overviewText(await screenWidth()) + (vault === undefined ? "" : terminalAdvice(vault)));
}

const screenWidth = async (): Promise<number | undefined> =>
  (await isTerminal(1)) ? process.stdout.columns : undefined;

function print(text: string): number {
  process.stdout.write(text);
  return EXIT_CODES.ok.number;
}

function isFolder(word: string): boolean {
  return statSync(word, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** A pipe need not load `node:tty`. */
async function isTerminal(descriptor: number): Promise<boolean> {
  try {
    if (!fstatSync(descriptor).isCharacterDevice()) return false;
  } catch {
    return false;
  }
  const { isatty } = await import("node:tty");
  return isatty(descriptor);
}

function programLog({ logLevel: level, logFormat: format }: Settings, clock: Clock): Log {
  return createLog({ level, format, write: writeToStderr, now: () => clock.now() });
}

function tellFailure(error: unknown, log: Log | undefined): number {
  if (error instanceof VaultError && error.code === "INVALID_ARGUMENT") {
    if (wantsJson(process.argv)) print(`${JSON.stringify({ error: errorData(error) }, null, 2)}\n`);
    else writeFailure(error);
    return EXIT_CODES.usage.number;
  }
  if (log) log.error("The program failed unexpectedly", { error });
  else writeToStderr("The program failed unexpectedly. DEBUG=true logs the cause.\n");
  return EXIT_CODES.failed.number;
}

/** Reading them has failed. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end < 0 ? undefined : end).includes("--json");
}
