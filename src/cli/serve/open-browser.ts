/** Opens a link in the user's browser, if there is a way. */
import { spawn } from "node:child_process";
import type { Log } from "../../log.js";
import { traceOf } from "../../tools/outcome.js";

/** The command that opens a link on each system, with the arguments before the link. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  // No shell is involved, so nothing in the link can have a meaning for one.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** `$BROWSER` names one executable, which gets the link as its one argument; else the system's own opener does. */
export function openerFor(link: string, browser: string | undefined, system: NodeJS.Platform): readonly string[] {
  if (browser !== undefined && browser !== "") return [browser, link];
  return [...(OPENERS[system] ?? ["xdg-open"]), link];
}

export function openInBrowser(link: string, log: Log): void {
  const [program = "", ...words] = openerFor(link, process.env["BROWSER"], process.platform);
  const child = spawn(program, words, { detached: true, stdio: "ignore" });
  child.on("error", (error) => log.debug("The browser was not opened", traceOf(error)));
  child.unref();
}
