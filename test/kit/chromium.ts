/** Where a Chromium is on this machine, and what becomes of a suite that finds none. */
import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";
import { describe, it } from "vitest";

const PLACES = [
  process.env["CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];
const CHROMIUM = PLACES.find((place) => place !== undefined && existsSync(place));

/** The names of a foreign site, and of one whose name is made to lead here; the browser resolves both to this machine. */
export const FOREIGN = "foreign.test";
export const REBOUND = "rebound.test";
/** Where the rebound name leads; the servers listen on 127.0.0.1 only. */
export const REBOUND_ADDRESS = "127.0.0.2";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--host-resolver-rules=MAP ${FOREIGN} 127.0.0.1, MAP ${REBOUND} ${REBOUND_ADDRESS}`,
];

let browser: Promise<Browser> | undefined;

/** One for all suites of this process; it ends with the process. */
export function sharedBrowser(executablePath: string): Promise<Browser> {
  return (browser ??= launch(executablePath));
}

function launch(executablePath: string): Promise<Browser> {
  // Vitest kills a worker that takes half a second to end. Exit kills the browser and removes its folder, an orderly end takes longer.
  process.once("SIGTERM", () => process.exit());
  return chromium.launch({ executablePath, args: FLAGS, handleSIGTERM: false });
}

/** Runs a suite in the browser of this machine; where there is none the suite counts as skipped. */
export function inChromium(file: string, suite: (executablePath: string) => void): void {
  if (CHROMIUM !== undefined) return void describe("in Chromium", () => suite(CHROMIUM));
  it.skip(`${file} needs a Chromium (CONTRIBUTING.md says how to install one; CHROMIUM names it)`);
}
