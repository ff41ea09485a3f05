/** The command `board`: serves the page locally and opens a link that logs the browser in. */
import { randomBytes } from "node:crypto";
import { isatty } from "node:tty";
import type { Log } from "../../log.js";
import { ALL_SCOPES, digestOf, isOwner, type NamedToken } from "../../server/http/tokens.js";
import { accessRules, boardPorts, LOOPBACK } from "./http-access.js";
import { OPTIONS, type Settings } from "../options/options.js";
import { serveUntilSignal } from "./serve-http.js";
import { writeToStderr } from "../log.js";
import { writeOut } from "../terminal.js";
import { spawn } from "node:child_process";
import { traceOf } from "../../tools/outcome.js";

/**
 * Always with a token, because other users of the machine can reach the port.
 * @returns the exit code, after a signal
 */
export async function serveBoard(settings: Settings, log: Log): Promise<number> {
  const [port = 0, ...otherPorts] = boardPorts(settings);
  const access = accessRules(settings, true);
  const owner = access.tokens.find(({ scopes }) => isOwner(scopes)) ?? randomToken();
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

/** Never shown, because links log in. */
function randomToken(): NamedToken {
  // No row of a tokens file can have this name.
  return { name: "this board", digest: digestOf(randomBytes(32).toString("base64url")), scopes: ALL_SCOPES };
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  // No shell is involved, so the link cannot be interpreted.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** `$BROWSER` names one executable, which gets the link as its argument; else the system's opener. */
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
