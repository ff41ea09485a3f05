/** `--tunnel`: serves with sign-in at the address of the user's tunnel program (docs: phone). */
import { createServer } from "node:net";
import { VaultError } from "../../errors.js";
import type { Log } from "../../log.js";
import { isOwner, ownersToken } from "../../server/http/tokens.js";
import { EXIT_CODES } from "../exit-codes.js";
import { writeFailure, writeToStderr } from "../log.js";
import { OPTIONS, type Settings } from "../options/options.js";
import { loginLink, openSignInStore } from "./sign-in-settings.js";
import { writeOut, printable } from "../terminal.js";
import { accessRules, httpAddress, isLoopbackAddress, publicUrl, type HttpAddress } from "./http-access.js";
import { serveUntilSignal, type HttpService } from "./serve-http.js";
import { spawn, type ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { unlessLate } from "../../async/timers.js";
import { isLoopback } from "../../server/http/guards.js";

export async function serveTunnel(settings: Settings, log: Log): Promise<number> {
  const address = httpAddress(settings);
  if (!settings.signIn) throw badTunnel("lets others reach the server, which needs --sign-in", "Add --sign-in.");
  if (!isLoopbackAddress(address))
    throw badTunnel("reaches the server on this machine, which listens for others too", "Leave out the address.");
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  try {
    return await serveThrough(await openedTunnel(settings, address, interrupt.signal), settings, address, log);
  } catch (error) {
    if (!(error instanceof VaultError) || error.code !== "UNAVAILABLE") throw error;
    writeFailure(error);
    return (interrupt.signal.aborted ? EXIT_CODES.interrupted : EXIT_CODES.failed).number;
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

async function openedTunnel(settings: Settings, { host, port }: HttpAddress, signal: AbortSignal): Promise<Tunnel> {
  // The tunnel never leads to another program.
  const holder = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    holder.once("error", () => reject(portTaken(host, port)));
    holder.listen({ host, port }, resolve);
  });
  try {
    const origin = publicUrl(settings)?.origin;
    if (origin === undefined) writeToStderr("Waiting for the tunnel's address, at most a minute.\n");
    return await openTunnel(settings.tunnel ?? "", { origin, environment: withoutSecrets(process.env), signal });
  } finally {
    await new Promise((resolve) => holder.close(resolve));
  }
}

function portTaken(host: string, port: number): VaultError {
  return new VaultError("UNAVAILABLE", `${host}:${port} cannot be opened; another program may use it.`, {
    hint: `Name another port with ${OPTIONS.http.flag}, and in the tunnel's command.`,
  });
}

function withoutSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { token, couchdbUrl, signInDatabase, ...others } = OPTIONS;
  const secret = [token, couchdbUrl, signInDatabase, ...Object.values(others).filter(({ kind }) => kind === "secret")];
  const names = new Set<string>(
    secret.flatMap((option) =>
      "environment" in option ? option.environment.map((one) => (typeof one === "string" ? one : one.name)) : [],
    ),
  );
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.has(name)));
}

async function serveThrough(tunnel: Tunnel, given: Settings, address: HttpAddress, log: Log): Promise<number> {
  const { origin } = tunnel;
  const settings = { ...given, publicUrl: origin };
  // Strangers come from loopback too.
  const rules = accessRules(settings, false);
  const person = rules.tokens.find(({ scopes }) => isOwner(scopes)) ?? rules.people?.[0] ?? ownersToken("the owner");
  const isNew = ![...rules.tokens, ...(rules.people ?? [])].includes(person);
  const access = isNew ? { ...rules, tokens: [...rules.tokens, person] } : rules;
  const { store } = await openSignInStore(settings);
  let isConnected = false;
  let lost: string | undefined;
  const service: HttpService = {
    address,
    access,
    web: !settings.noWeb,
    portFlag: OPTIONS.http.flag,
    until: tunnel.ended.then((reason) => void (lost = reason)),
    signedIn(name) {
      if (!isConnected) void writeOut(`Connected: ${name}.\n`);
      isConnected = true;
    },
  };
  try {
    const code = await serveUntilSignal(
      settings,
      log,
      service,
      () => void invite(origin, () => loginLink(store, origin, person.name), !settings.noColor),
    );
    if (lost === undefined || tunnel.isStopped()) return code;
    writeToStderr(`${lost}\nThe server has ended too: nobody could reach it.\n`);
    return EXIT_CODES.failed.number;
  } finally {
    await tunnel.stop();
  }
}

async function invite(origin: string, makeLink: () => Promise<string>, isColoured: boolean): Promise<void> {
  const link = await makeLink();
  const code = await qrCode(link, process.stdout.isTTY && isColoured);
  await writeOut(
    `Address for the assistant:  ${origin}/mcp
Log the phone's browser in:  ${link}
(once, within ten minutes; or scan this)

${code}

Waiting for the first signed-in call. Ctrl-C ends server and tunnel.
`,
  );
}

/** Without colours a light terminal inverts the code, which many cameras cannot read. */
export async function qrCode(text: string, isColoured: boolean): Promise<string> {
  const { renderUnicodeCompact } = await import("uqr");
  const code = renderUnicodeCompact(text, { border: 2 });
  return isColoured ? code.replaceAll(/^.+$/gm, "\u001b[97;40m$&\u001b[0m") : code;
}

export interface Tunnel {
  readonly origin: string;
  /** Resolves with the reason. */
  readonly ended: Promise<string>;
  isStopped(): boolean;
  stop(): Promise<void>;
}

interface TunnelOptions {
  /** For a program that prints none. */
  readonly origin: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly addressMs?: number;
  readonly settleMs?: number;
}

const ADDRESS_TIMEOUT_MS = 60_000;
/** Waits for a second address after the first. */
const SETTLE_MS = 500;
const STOP_TIMEOUT_MS = 3_000;
const MAX_OUTPUT = 64 * 1024;
const SHOWN_LINES = 5;

/** As a shell does, without its other rules. @throws INVALID_ARGUMENT */
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

/** Those with a path are pages to read. */
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

/** @throws INVALID_ARGUMENT, UNAVAILABLE after ending the program */
export async function openTunnel(command: string, options: TunnelOptions): Promise<Tunnel> {
  const [program = "", ...words] = wordsOfCommand(command);
  if (program === "") throw badTunnel("names no program");
  const { origin: known, environment: env, signal, addressMs = ADDRESS_TIMEOUT_MS, settleMs = SETTLE_MS } = options;
  // Programs it starts end with it.
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

function badTunnel(
  what: string,
  hint = 'Name a program and its words, such as "ngrok http 3000 --log stdout".',
): VaultError {
  return new VaultError("INVALID_ARGUMENT", `--tunnel ${what}.`, { hint });
}
