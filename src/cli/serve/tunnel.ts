/** Runs the user's own tunnel program and reads the public address from its output (docs: phone). */
import { spawn, type ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { unlessLate } from "../../async/timers.js";
import { VaultError } from "../../errors.js";
import { isLoopback } from "../../server/http/guards.js";
import { printable } from "../terminal.js";

export interface Tunnel {
  readonly origin: string;
  /** Resolves with the reason when the program has ended. */
  readonly ended: Promise<string>;
  isStopped(): boolean;
  stop(): Promise<void>;
}

interface TunnelOptions {
  /** For a program that does not print it. */
  readonly origin: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly addressMs?: number;
  readonly settleMs?: number;
}

const ADDRESS_TIMEOUT_MS = 60_000;
/** For a second address after the first. */
const SETTLE_MS = 500;
const STOP_TIMEOUT_MS = 3_000;
const MAX_OUTPUT = 64 * 1024;
const SHOWN_LINES = 5;

/**
 * As a shell separates words; nothing else is interpreted.
 * @throws INVALID_ARGUMENT
 */
export function wordsOfCommand(command: string): string[] {
  const words: string[] = [];
  let rest = command.trim();
  while (rest !== "") {
    const word = /^(?:"[^"]*"|'[^']*'|[^\s"'])+/.exec(rest)?.[0];
    if (word === undefined) throw badTunnel("has a quotation mark without its end");
    words.push(
      word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ""),
    );
    rest = rest.slice(word.length).trimStart();
  }
  return words;
}

/** Addresses with a path are pages to read, such as terms of use. */
export function originsIn(text: string): string[] {
  const plain = text.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, "");
  const found = [...plain.matchAll(/https:\/\/[^\s"'`<>()[\]{}|\\^,;=]+/gi)].map(([address]) =>
    address.replace(/\.$/, ""),
  );
  const origins = found.flatMap((address) => {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    const isOrigin = url && url.href === `${url.origin}/` && !isLoopback(url.hostname) && url.hostname.includes(".");
    return isOrigin ? [url.origin] : [];
  });
  return [...new Set(origins)];
}

/** @throws INVALID_ARGUMENT, UNAVAILABLE; the program has been ended then */
export async function openTunnel(command: string, options: TunnelOptions): Promise<Tunnel> {
  const [program = "", ...words] = wordsOfCommand(command);
  if (program === "") throw badTunnel("names no program");
  const { origin: known, environment: env, signal, addressMs = ADDRESS_TIMEOUT_MS, settleMs = SETTLE_MS } = options;
  // A group of its own, so that programs it starts end with it.
  const isGroup = process.platform !== "win32";
  const child = spawn(program, words, { env, stdio: ["ignore", "pipe", "pipe"], detached: isGroup, windowsHide: true });
  let isOver = false;
  const send = (name: NodeJS.Signals): void => {
    if (!isOver) sendSignal(child, isGroup, name);
  };
  const onExit = () => send("SIGTERM");
  process.once("exit", onExit);
  const ended = new Promise<string>((resolve) => {
    const end = (how: string): void => {
      isOver = true;
      process.off("exit", onExit);
      resolve(how);
    };
    child.once("error", () => end(`The tunnel's program ${JSON.stringify(program)} could not be started.`));
    child.once("close", (code, by) => end(`The tunnel's program ended (${by ?? `exit code ${code}`}).`));
  });
  const stop = async (): Promise<void> => {
    send("SIGTERM");
    await unlessLate(ended, STOP_TIMEOUT_MS);
    send("SIGKILL");
    await ended;
  };
  const interrupted = new Promise<string>((resolve) => {
    const onAbort = () => {
      resolve("The server was stopped before it began.");
      void stop();
    };
    signal.addEventListener("abort", onAbort, { once: true });
  });
  let output = "";
  // A line may come in parts.
  const printedOrigins = (): string[] => originsIn(output.slice(0, output.lastIndexOf("\n") + 1));
  const printed = new Promise<undefined>((resolve) => {
    if (known !== undefined) resolve(undefined);
    for (const stream of [child.stdout, child.stderr]) {
      const decoder = new StringDecoder("utf8");
      stream.on("data", (part: Buffer) => {
        output = (output + decoder.write(part)).slice(-MAX_OUTPUT);
        if (printedOrigins().length > 0) resolve(undefined);
      });
    }
  });
  const refusal = async (why: string, hint: string | undefined): Promise<VaultError> => {
    await stop();
    const last = printable(output).trimEnd().split("\n").slice(-SHOWN_LINES).join(" / ");
    return new VaultError("UNAVAILABLE", last === "" ? why : `${why} It printed last: ${last}`, { hint });
  };
  const end = Promise.race([ended, interrupted]);
  await unlessLate(Promise.race([end, printed]), addressMs);
  const failure = await unlessLate(end, settleMs);
  const advice = signal.aborted ? undefined : "Run the command by itself to see what it needs.";
  if (failure !== undefined) throw await refusal(failure, advice);
  const [origin, another] = known === undefined ? printedOrigins() : [known];
  const hint = "Give the public address with --public-url.";
  if (origin === undefined)
    throw await refusal(`The tunnel's program printed no https address within ${addressMs / 1000} seconds.`, hint);
  if (another !== undefined)
    throw await refusal(`The tunnel's program printed two addresses, ${origin} and ${another}.`, hint);
  for (const stream of [child.stdout, child.stderr]) stream.removeAllListeners("data").resume();
  return { origin, ended, stop, isStopped: () => signal.aborted };
}

function sendSignal({ pid }: ChildProcess, isGroup: boolean, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(isGroup ? -pid : pid, signal);
  } catch {}
}

export function badTunnel(
  what: string,
  hint = 'Name a program and its words, such as "ngrok http 3000 --log stdout".',
): VaultError {
  return new VaultError("INVALID_ARGUMENT", `--tunnel ${what}.`, { hint });
}
