/** The one Chromium of a run, which the tests' processes share, and what becomes of a suite where the machine has none. */
import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";
import { describe, inject, it } from "vitest";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    chromium: string | undefined;
  }
}

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

/** Starts the browser before the tests that need it: a global setup of `vitest.config.ts`. @returns what ends it after them */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = CHROMIUM && (await chromium.launchServer({ executablePath: CHROMIUM, args: FLAGS }));
  project.provide("chromium", server ? server.wsEndpoint() : undefined);
  return async () => (server ? server.close() : undefined);
}

let browser: Promise<Browser> | undefined;

export function sharedBrowser(address: string): Promise<Browser> {
  return (browser ??= chromium.connect(address));
}

/** Runs a suite with the address of the browser; where there is none the suite counts as skipped. */
export function inChromium(file: string, suite: (address: string) => void): void {
  const address = inject("chromium");
  if (address !== undefined) return void describe("in Chromium", () => suite(address));
  it.skip(`${file} needs a Chromium (CONTRIBUTING.md says how to install one; CHROMIUM names it)`);
}
