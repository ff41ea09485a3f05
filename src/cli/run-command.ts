/** Runs a command, a tool call, and prints its answer. */
import { isatty } from "node:tty";
import { systemClock } from "../clock.js";
import { VaultError, isVaultError } from "../errors.js";
import { asCaller } from "../async/caller.js";
import type { Log } from "../log.js";
import { toolsFor } from "../tools/registry.js";
import { type ToolOutcome, failedOutcome, wordsOf } from "../tools/outcome.js";
import { COMMANDS, type CommandCall } from "./commands.js";
import type { CommandName } from "./command-names.js";
import { errorData, EXIT_CODES, exitCodeOf } from "./exit-codes.js";
import type { Settings } from "./options/options.js";
import { speechOf } from "./speech.js";
import { onScreen, printable, screenColumns, stderrProgress, writeOut } from "./terminal.js";
import { withVault } from "./vault-opener.js";

export async function runCommand(name: CommandName, words: string, settings: Settings, log: Log): Promise<number> {
  process.on("uncaughtException", (error) => {
    log.error("An exception that nobody caught", { error });
    process.exitCode = EXIT_CODES.failed.number;
  });
  const own = OWN_FILES[name];
  if (settings.vault === undefined && !WITHOUT_VAULT.has(name))
    return print({ ok: false, text: NO_VAULT.message, error: NO_VAULT }, settings);
  if (own) return own(words, settings, log);
  const { call } = COMMANDS[name];
  if (!call) throw new Error(`the command ${name} does nothing`);
  return callTool(name, await call(words, settings), settings, log);
}

type Run = (words: string, settings: Settings, log: Log) => Promise<number>;

/** Commands whose code is loaded when they run. */
const OWN_FILES: Readonly<Partial<Record<CommandName, Run>>> = {
  base: async (words, settings, log) => print(await writeBase(words, settings, log), settings),
  async board(_, settings, log) {
    const { serveBoard } = await import("./serve/serve-http.js");
    try {
      return await serveBoard(settings, log);
    } catch (error) {
      if (isVaultError(error) && error.code !== "INVALID_ARGUMENT") return print(failedOutcome(error, ""), settings);
      throw error;
    }
  },
  async calendar(words, settings, log) {
    const result = await (await import("./calendar.js")).runCalendar(words, settings, log);
    return typeof result === "number" ? result : print(result, settings);
  },
  "sign-in": async (_, settings) =>
    print(await (await import("./serve/sign-in-settings.js")).printLink(settings), settings),
  tokens: async (words, settings, log) =>
    print(await (await import("./serve/sign-in-settings.js")).runTokens(words, settings, log), settings),
  doctor: async (_, settings, log) => (await import("./doctor/doctor.js")).runDoctor(settings, log),
  setup: async (_, settings) => (await import("./setup/setup.js")).runSetup(settings),
  completion: async (words) => (await import("./completion.js")).runCompletion(words),
};

const WITHOUT_VAULT: ReadonlySet<CommandName> = new Set(["sign-in", "tokens", "doctor", "setup", "completion"]);

const NO_VAULT = new VaultError("VAULT_NOT_FOUND", "No vault was named.", {
  hint: "Name it with --vault <folder>, or set OBSIDIAN_VAULT_PATH.",
});

async function callTool(
  name: CommandName,
  { tool, arguments: args }: CommandCall,
  settings: Settings,
  log: Log,
): Promise<number> {
  const abort = new AbortController();
  const onInterrupt = () => abort.abort();
  process.once("SIGINT", onInterrupt);
  const progress = stderrProgress(settings);
  try {
    const found = toolsFor({ hasDefaultVault: true }).find(tool);
    if (!found) throw new Error(`the tool ${tool} is missing`);
    if (settings.readOnly && found.effect !== "reads")
      return await print(failedOutcome(wouldChange(name), ""), settings);
    return await withVault(settings, log, async (workspace) => {
      const speech = speechOf(name);
      const context = { workspace, log, signal: abort.signal, onProgress: progress?.report, speech };
      const outcome = await asCaller({ client: "command line" }, () => found.call(args, context));
      progress?.finish();
      const exit = await print(outcome, settings, name);
      return abort.signal.aborted && !outcome.ok ? EXIT_CODES.interrupted.number : exit;
    });
  } finally {
    process.off("SIGINT", onInterrupt);
  }
}

function wouldChange(name: CommandName): VaultError {
  return new VaultError("PERMISSION_DENIED", `${name} would change the vault.`, {
    hint: "Leave --read-only out to allow it.",
  });
}

async function writeBase(path: string, settings: Settings, log: Log): Promise<ToolOutcome> {
  return withVault(settings, log, async (workspace) => {
    try {
      const { tasks, files } = await workspace.current();
      const text = await tasks.base();
      const place = /\.base$/i.test(path) ? path : `${path}.base`;
      const created = await asCaller({ client: "command line", tool: "base" }, () => files.create(place, text));
      return {
        ok: true,
        text: `Created '${created.path}'. Open it in Obsidian; it needs the core plugin Bases.`,
        data: { path: created.path },
      };
    } catch (error) {
      if (isVaultError(error)) return failedOutcome(error.in(speechOf("base")), "");
      throw error;
    }
  });
}

async function print(outcome: ToolOutcome, settings: Settings, name?: CommandName): Promise<number> {
  const exit = outcome.ok ? EXIT_CODES.ok.number : exitCodeOf(outcome.error);
  if (settings.json) {
    const data = outcome.ok ? outcome.data : { error: errorData(outcome.error) };
    await writeOut(`${JSON.stringify(data, null, 2)}\n`);
  } else if (outcome.ok && settings.csv) {
    const { csvOf, csvRemarks } = await import("./output/columns.js");
    await writeOut(csvOf(outcome.data));
    const remarks = csvRemarks(outcome.data);
    if (remarks !== undefined) process.stderr.write(`${isatty(2) ? printable(remarks) : remarks}\n`);
  } else if (outcome.ok && name === "read") {
    await printNote(outcome);
  } else if (outcome.ok) {
    await writeOut(`${await answerText(outcome, settings, name)}\n`);
  } else {
    // The documents prescribe another beginning to tools.
    const words = failedOutcome(outcome.error, "❌ ").text;
    process.stderr.write(`${isatty(2) ? await onScreen(words, process.stderr) : words}\n`);
  }
  return exit;
}

/** Remarks go to stderr. */
async function printNote({ text, details }: ToolOutcome & { readonly ok: true }): Promise<void> {
  const isTerminal = isatty(1);
  await writeOut(isTerminal ? printable(text).replace(/\n?$/, "\n") : text);
  if (details !== undefined) process.stderr.write(`${isatty(2) ? printable(details) : details}\n`);
}

/** A pipe gets whole lines. */
const NO_COLUMNS = 1_000_000;

async function answerText(
  outcome: ToolOutcome & { readonly ok: true },
  settings: Settings,
  name: CommandName | undefined,
): Promise<string> {
  const isTerminal = isatty(1);
  const words = wordsOf(outcome);
  if (name === undefined || (!isTerminal && name !== "find"))
    return isTerminal ? onScreen(words, process.stdout) : words;
  const { screenOf } = await import("./output/screens.js");
  return screenOf(name, outcome.data, words, {
    columns: isTerminal ? screenColumns(process.stdout) : NO_COLUMNS,
    color: isTerminal && !settings.noColor,
    today: systemClock(settings.timeZone).today(),
    hints: isTerminal,
    remarks: outcome.remarks,
  });
}
