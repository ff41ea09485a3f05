/** Serves over HTTP until a signal; `board` prints a login link. */
import type { VaultRules } from "../../access/rules.js";
import { loadSqlite } from "../../sqlite.js";
import { systemClock } from "../../clock.js";
import { isVaultError, VaultError, systemCode } from "../../errors.js";
import type { Log } from "../../log.js";
import type { AccessRules } from "../../server/http/guards.js";
import { startHttp, type RunningHttp } from "../../server/http/http-server.js";
import { isOwner, ownersToken } from "../../server/http/tokens.js";
import type { WebOptions } from "../../server/http/web/web-page.js";
import type { SignInOptions } from "../../server/http/sign-in/sign-in.js";
import { secretCalendars } from "../../server/http/calendar-feed.js";
import { traceOf } from "../../tools/outcome.js";
import { instructionsFor, withGuides } from "../../tools/instructions.js";
import { toolsFor } from "../../tools/registry.js";
import { createWorkspace, type Workspace } from "../../tools/workspace.js";
import { VERSION } from "../../version.js";
import { EXIT_CODES } from "../exit-codes.js";
import {
  accessRules,
  addressText,
  boardPorts,
  LOOPBACK,
  openTokenFile,
  publicUrl,
  httpAddress,
  isLoopbackAddress,
  type HttpAddress,
} from "./http-access.js";
import { calendarLinks } from "../calendar.js";
import { createLog, writeToStderr } from "../log.js";
import { writeOut } from "../terminal.js";
import { OPTIONS, type Settings } from "../options/options.js";
import { lazyOpener } from "../vault-opener.js";
import type { ClosableOpener } from "../../open.js";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isatty } from "node:tty";

/** @returns the exit code @throws INVALID_ARGUMENT for contradicting settings */
export async function serveHttp(settings: Settings, log: Log): Promise<number> {
  const address = httpAddress(settings);
  const access = accessRules(settings, isLoopbackAddress(address));
  const { legacySse, noWeb } = settings;
  const service = { address, access, legacySse, web: !noWeb, portFlag: OPTIONS.http.flag };
  return serveUntilSignal(settings, log, service, (running) => announce(settings, running));
}

export interface HttpService {
  readonly address: HttpAddress;
  /** When the port is taken. */
  readonly otherPorts?: readonly number[];
  readonly portFlag: string;
  /** Else warns of a missing folder. */
  readonly needsVault?: boolean;
  readonly access: AccessRules;
  readonly legacySse?: boolean;
  readonly web: boolean;
  readonly until?: Promise<void>;
  readonly signedIn?: SignInOptions["onCall"];
}

export async function serveUntilSignal(
  settings: Settings,
  log: Log,
  service: HttpService,
  listening: (running: RunningHttp) => void,
): Promise<number> {
  const { address, otherPorts, access, legacySse, web } = service;
  const { vault, toolsets, readOnly, toolErrors, noUndo, apps } = settings;
  warnOfShownToken(settings, log);
  loadSqlite();
  const opener = boundedOpener(
    lazyOpener(settings, log, () => true),
    vault,
  );
  if (service.needsVault && vault !== undefined) await opener.resolve(vault);
  const hasDefaultVault = vault !== undefined;
  const workspace = createWorkspace({ opener, default: vault, switches: false });
  const narrowed = new Map<string, Workspace>();
  const workspaceFor = (rules: readonly VaultRules[]): Workspace => {
    const made =
      narrowed.get(JSON.stringify(rules)) ??
      createWorkspace({ opener, default: vault, switches: false, access: rules });
    narrowed.set(JSON.stringify(rules), made);
    return made;
  };
  const { calendarTokens: calendars = [], rate } = access;
  const { signIn, issued } = await tokenIssuers(settings, service, log);
  const signalled = Promise.race([firstSignal(), ...(service.until ? [service.until] : [])]);
  let running: RunningHttp;
  try {
    running = await startHttp({
      ...address,
      ...(otherPorts ? { otherPorts } : {}),
      access,
      tools: toolsFor({ toolsets, readOnly, hasDefaultVault, denied: settings.denyTool }),
      workspace,
      workspaceFor,
      log,
      toolErrors,
      version: VERSION,
      instructions: (all, seen) => withGuides(instructionsFor(all, { hasDefaultVault }), all, seen),
      ...(legacySse === undefined ? {} : { legacySse }),
      keepsJournal: !noUndo,
      signIn,
      issued,
      app: apps === "off" ? undefined : { mode: apps, transport: "streamable-http", read: readAppDocument },
      calendar: secretCalendars({ links: calendarLinks(settings), tokens: calendars, workspace, rate, log }),
      web: web ? webOptions(settings) : undefined,
    });
  } catch (error) {
    writeToStderr(`${whyNot(service, error)}\n`);
    log.debug("The server did not start", traceOf(error));
    return EXIT_CODES.failed.number;
  }
  listening(running);
  if (!service.needsVault && vault !== undefined) warnOfMissing(opener.resolve(vault), log);
  process.on("uncaughtException", (error) => log.error("An exception that nobody caught", traceOf(error)));
  process.on("unhandledRejection", (error) => log.error("A rejection that nobody caught", traceOf(error)));
  await signalled;
  await running.stop();
  await opener.close();
  return EXIT_CODES.ok.number;
}

/** Only a warning: containers ask `/ready`. */
function warnOfMissing(folder: Promise<unknown>, log: Log): void {
  folder.catch((error: unknown) =>
    log.warn(
      "The vault cannot be opened",
      isVaultError(error) ? { code: error.code, reason: error.message } : traceOf(error),
    ),
  );
}

async function tokenIssuers(settings: Settings, { access, signedIn: onCall }: HttpService, log: Log) {
  if (!settings.signIn && settings.issuer === undefined) return {};
  const { issuerOf, signInOptions } = await import("./sign-in-settings.js");
  const signIn = await signInOptions(settings, access);
  return { signIn: signIn && { ...signIn, onCall }, issued: issuerOf(settings, log) };
}

function webOptions(settings: Settings): WebOptions {
  const clock = systemClock();
  return { folder: webFolder(), publicUrl: publicUrl(settings)?.origin, now: () => clock.now() };
}

/** The second ends the process. */
function firstSignal(): Promise<void> {
  return new Promise((resolve) => {
    const onSignal = () => {
      process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
      resolve();
    };
    process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  });
}

/** At every log level. */
function announce({ logFormat: format }: Settings, { url }: RunningHttp): void {
  const log = createLog({
    level: "info",
    format,
    write: writeToStderr,
    now: () => performance.timeOrigin + performance.now(),
  });
  log.info("Listening", { url });
}

function warnOfShownToken(settings: Settings, log: Log): void {
  if (settings.sources.token === OPTIONS.token.flag)
    log.warn(
      "A token on the command line can be seen by every user of this machine; AUTH_TOKEN_FILE names a file instead",
    );
  const open = openTokenFile(settings);
  if (open !== undefined)
    log.warn(`The file of ${open} can be read by every user of this machine; chmod 600 makes it yours alone`);
}

function whyNot({ address: { host, port }, otherPorts = [], portFlag }: HttpService, error: unknown): string {
  if (error instanceof VaultError) return error.message;
  const code = systemCode(error);
  const place = addressText({ host, port });
  const last = otherPorts.at(-1);
  const taken = last === undefined ? `${place} is` : `${place} to ${last} are`;
  if (code === "EADDRINUSE")
    return `${taken} in use by another program: stop it, or name another port with ${portFlag}.`;
  if (code === "EACCES") return `${place} may not be opened by this user: name a port above 1023 with ${portFlag}.`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return `${host} is no address of this machine.`;
  return `${place} could not be opened (${String(code)}).`;
}

/** Each costs memory and watches. */
const MAX_VAULTS = 16;

/** @param home never refused */
export function boundedOpener(
  opener: ClosableOpener,
  home: string | undefined,
  most: number = MAX_VAULTS,
): ClosableOpener {
  let open = 0;
  return {
    resolve: (path) => opener.resolve(path),
    async open(folder, name, access) {
      if (open >= most && name !== home)
        throw new VaultError("UNAVAILABLE", `${most} vaults are open already.`, { hint: "Work with one of those." });
      open++;
      try {
        return await opener.open(folder, name, access);
      } catch (error) {
        open--;
        throw error;
      }
    },
    close: () => opener.close(),
  };
}

/** Missing when run from source. */
function webFolder(): string {
  return join(import.meta.dirname, "web");
}

/** Undefined where it was not built. */
export async function readAppDocument(): Promise<string | undefined> {
  return readFile(join(webFolder(), "tasks-app.html"), "utf8").catch(() => undefined);
}

/** Always with a token: others can reach the port. @returns the exit code */
export async function serveBoard(settings: Settings, log: Log): Promise<number> {
  const [port = 0, ...otherPorts] = boardPorts(settings);
  const access = accessRules(settings, true);
  const owner = access.tokens.find(({ scopes }) => isOwner(scopes)) ?? ownersToken("this board");
  const tokens = [...new Set([...access.tokens, owner])];
  const service = {
    address: { host: LOOPBACK, port },
    otherPorts,
    portFlag: OPTIONS.port.flag,
    needsVault: true,
    access: { ...access, tokens },
    web: true,
  };
  return serveUntilSignal(settings, log, service, (running) => {
    const link = running.loginLink(owner);
    void writeOut(`${link}\n`);
    if (!isatty(1)) return;
    writeToStderr("The link works once, within two minutes. Ctrl-C ends the board.\n");
    if (!settings.noOpen) openInBrowser(link, log);
  });
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  // A shell could interpret the link.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** `$BROWSER` names one executable. */
export function openerFor(link: string, browser: string | undefined, system: NodeJS.Platform): readonly string[] {
  if (browser !== undefined && browser !== "") return [browser, link];
  return [...(OPENERS[system] ?? ["xdg-open"]), link];
}

function openInBrowser(link: string, log: Log): void {
  const [program = "", ...words] = openerFor(link, process.env["BROWSER"], process.platform);
  const child = spawn(program, words, { detached: true, stdio: "ignore" });
  child.on("error", (error) => log.debug("The browser was not opened", traceOf(error)));
  child.unref();
}
