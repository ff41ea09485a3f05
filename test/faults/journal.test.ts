/** The short forms of the undo journal's rigs; `node scripts/faults.js undo` runs the long ones. */
import fs from "node:fs";
import os from "node:os";
import nodePath from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleProgram } from "../kit/bundle.js";
import { failJournalCalls, killJournalAtCalls, killJournalAtRandom, undoParallelEdits } from "./journal-rigs.js";
import { openTasks, resetVault, SCRIPT_NAMES, scriptOf, takeAllBack } from "./journal-scripts.js";
import type { JournalOrder } from "./journal-worker.js";
import { buildShim, Workers } from "./rigs.js";

const folder = fs.mkdtempSync(nodePath.join(os.tmpdir(), "faults-"));
const shim = buildShim(nodePath.join(import.meta.dirname, "fault.c"), folder);
let program: string;

beforeAll(async () => {
  program = await bundleProgram(nodePath.join(import.meta.dirname, "journal-worker.ts"));
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

const reason = shim === undefined ? " (left out: there is no C compiler to build the fault library with)" : "";

test.each(SCRIPT_NAMES)("undisturbed, '%s' is done and can be undone", async (name) => {
  const vault = fs.mkdtempSync(nodePath.join(folder, "vault-"));
  const place = { vault: nodePath.join(vault, "notes"), locks: nodePath.join(vault, "locks") };
  fs.mkdirSync(place.vault);
  resetVault(place.vault);
  const opened = await openTasks(place);
  await scriptOf(name).before?.(opened);
  expect(await scriptOf(name).run(opened)).toBe(true);
  expect(await takeAllBack(opened.vault, place.vault)).toBeUndefined();
});

describe.runIf(shim !== undefined)(`failing calls of the C library${reason}`, () => {
  test("killed anywhere, everything can be undone to what was there at first", { timeout: 120_000 }, async () => {
    const { wrong, kills } = await killJournalAtCalls(new Workers<JournalOrder>(program, shim), 121);
    expect(wrong).toEqual([]);
    expect(kills).toBeGreaterThan(15);
  });

  test(
    "what fails changes nothing, and what succeeds can be undone or says it cannot",
    { timeout: 120_000 },
    async () => {
      const { wrong, tries } = await failJournalCalls(new Workers<JournalOrder>(program, shim), 29);
      expect(wrong).toEqual([]);
      expect(tries).toBeGreaterThan(60);
    },
  );
});

test("two processes write one note 50 times each, and every line is undone", { timeout: 120_000 }, async () => {
  expect(await undoParallelEdits(new Workers<JournalOrder>(program), 2, 50)).toEqual({ wrong: [], undone: 100 });
});

test("killed at random moments, the newest lines are undone one by one", async () => {
  const { wrong, undone } = await killJournalAtRandom(new Workers<JournalOrder>(program), 10);
  expect(wrong).toEqual([]);
  expect(undone).toBeGreaterThan(10);
});
