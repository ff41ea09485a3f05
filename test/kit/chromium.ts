/** Where a Chromium is on this machine, and what a suite says that finds none. */
import { existsSync, writeSync } from "node:fs";
import { describe, expect, it } from "vitest";

const PLACES = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const CHROMIUM = PLACES.find((place) => place !== undefined && existsSync(place));

export const CHROMIUM_FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Runs a suite in the browser of this machine; where there is none, one visible line says so, and nothing counts as tested. */
export function inChromium(file: string, suite: (executablePath: string) => void): void {
  if (CHROMIUM !== undefined) return void describe("in Chromium", () => suite(CHROMIUM));
  const why = "no Chromium was found (CHROMIUM names one)";
  it(`NOT RUN: ${file}, because ${why}`, () => {
    writeSync(2, `\nNOT RUN: ${file}, because ${why}\n`);
    expect(PLACES.length).toBeGreaterThan(0);
  });
}
