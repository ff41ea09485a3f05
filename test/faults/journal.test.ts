/** The short forms of the undo journal's rigs; `node scripts/faults.js undo` runs the long ones. */
import fs from "node:fs";
import os from "node:os";
import nodePath from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleProgram } from "../kit/bundle.js";
import {
  failAtClose,
  failJournalCalls,
  flipBits,
  killJournalAtCalls,
  killJournalAtRandom,
  pruneInOperation,
  removeJournal,
  undoParallelEdits,
} from "./journal-rigs.js";
import { openTasks, resetVault, SCRIPT_NAMES, scriptOf, takeAllBack } from "./journal-scripts.js";
import type { JournalOrder } from "./journal-worker.js";
import { buildShim, Workers } from "./rigs.js";
import { LONG, FUZZ_FACTOR } from "../kit/fuzz.js";

const folder = fs.mkdtempSync(nodePath.join(os.tmpdir(), "faults-"));
const shim = buildShim(nodePath.join(import.meta.dirname, "fault.c"), folder);
let program: string;

beforeAll(async () => {
  program = await bundleProgram(nodePath.join(import.meta.dirname, "journal-worker.ts"));
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

const EDITS = LONG ? 500 : 25;

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
  test(
    "killed anywhere, everything can be undone to what was there at first",
    { timeout: 240_000 * FUZZ_FACTOR },
    async () => {
      const { wrong, kills } = await killJournalAtCalls(new Workers<JournalOrder>(program, shim), LONG ? 7 : 863);
      expect(wrong).toEqual([]);
      expect(kills).toBeGreaterThan(3);
    },
  );

  test(
    "what fails changes nothing, and what succeeds can be undone or says it cannot",
    { timeout: 240_000 * FUZZ_FACTOR },
    async () => {
      const { wrong, tries } = await failJournalCalls(new Workers<JournalOrder>(program, shim), LONG ? 3 : 307);
      expect(wrong).toEqual([]);
      expect(tries).toBeGreaterThan(10);
    },
  );
});

test.runIf(shim !== undefined)(
  `what fails while a process ends costs nothing that it acknowledged${reason}`,
  async () => {
    expect(await failAtClose(new Workers<JournalOrder>(program, shim), LONG ? 1 : 19)).toEqual([]);
  },
);

test("the journal removed under a process: what it acknowledges afterwards can be undone", async () => {
  expect(await removeJournal(new Workers<JournalOrder>(program), LONG ? 1000 : 40)).toEqual([]);
});

test("a journal with a flipped bit writes no text that was not there", async () => {
  expect(await flipBits(new Workers<JournalOrder>(program), LONG ? 5000 : 12)).toEqual([]);
});

test("an operation that is pruned in its middle is undone as its answer says, or not at all", async () => {
  expect(await pruneInOperation(LONG ? 2000 : 60)).toEqual([]);
});

test(
  "two processes write one note again and again, and every line is undone",
  { timeout: 240_000 * FUZZ_FACTOR },
  async () => {
    expect(await undoParallelEdits(new Workers<JournalOrder>(program), 2, EDITS)).toEqual({
      wrong: [],
      undone: 2 * EDITS,
    });
  },
);

test("killed at random moments, the newest lines are undone one by one", async () => {
  const { wrong, undone } = await killJournalAtRandom(new Workers<JournalOrder>(program), LONG ? 200 : 5);
  expect(wrong).toEqual([]);
  expect(undone).toBeGreaterThan(5);
});
