/** Ends, or starves of disk space, a process at every call of the C library that it makes while it builds or refreshes an index. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import nodePath from "node:path";
import { askIndex } from "./index-answers.js";

/** What the worker is to do. */
export interface IndexOrder {
  readonly vault: string;
  readonly cache: string;
}

interface Told {
  readonly answers: readonly (readonly string[])[];
  readonly calls: number;
}

const NOTES = 5;

function writeVault(vault: string): void {
  fs.mkdirSync(vault);
  for (let number = 0; number < NOTES; number++) writeNote(vault, number, "quagga");
}

function writeNote(vault: string, number: number, word: string): void {
  const file = nodePath.join(vault, `Note ${number}.md`);
  fs.writeFileSync(file, `---\ntype: task\ntitle: Task ${number}\n---\n${number % 2 === 0 ? word : "gnu"}\n`);
  fs.utimesSync(file, 1_700_000_000, 1_700_000_000 + number);
}

/**
 * @param worker the bundled `index-worker.ts`
 * @param step every which call
 * @returns what was wrong, and how many tries there were
 */
export async function disturbIndex(
  worker: string,
  shim: string,
  step: number,
): Promise<{ wrong: string[]; tries: number }> {
  const home = fs.mkdtempSync(nodePath.join(os.tmpdir(), "index-rig-"));
  const wrong: string[] = [];
  let tries = 0;
  try {
    const vault = nodePath.join(home, "vault");
    writeVault(vault);
    const cache = nodePath.join(home, "cache");
    const run = (fault: Readonly<Record<string, string>> = {}): Told | undefined => {
      const { NODE_EXTRA_CA_CERTS: _slow, ...env } = process.env;
      const order: IndexOrder = { vault, cache };
      const { stdout } = spawnSync(process.execPath, [worker, JSON.stringify(order)], {
        env: { ...env, LD_PRELOAD: shim, ...fault },
        encoding: "utf8",
      });
      return stdout === "" ? undefined : (JSON.parse(stdout) as Told);
    };
    const expected = JSON.stringify([
      [0, 2, 4].map((number) => `Note ${number}.md`),
      [0, 1, 2, 3, 4].map((number) => `Note ${number}.md`),
    ]);
    // Without an index, and over one of which two notes have changed.
    const older = nodePath.join(home, "older");
    writeNote(vault, 0, "gnu");
    writeNote(vault, 1, "quagga");
    // By a process: when it has started, the notes are old enough for their stamps to count.
    run();
    fs.renameSync(cache, older);
    writeVaultAgain(vault);
    for (const [stage, before] of Object.entries({ build: undefined, refresh: older })) {
      const prepare = () => {
        fs.rmSync(cache, { recursive: true, force: true });
        if (before !== undefined) fs.cpSync(before, cache, { recursive: true });
      };
      prepare();
      const calls = run({ FAULT_KIND: "count" })?.calls ?? 0;
      if (calls < 20) wrong.push(`${stage}: only ${calls} calls were seen`);
      for (let at = 1 + (tries % step); at <= calls; at += step)
        for (const kind of ["kill", "killafter", "full"]) {
          tries++;
          prepare();
          const disturbed = run({ FAULT_KIND: kind, FAULT_AT: String(at) });
          if (disturbed && JSON.stringify(disturbed.answers) !== expected)
            wrong.push(`${stage}, ${kind} at ${at}: ${JSON.stringify(disturbed.answers)}`);
          if (!disturbed && kind === "full") wrong.push(`${stage}, a full disk at ${at}: no answer`);
          const after = JSON.stringify(await askIndex({ vault, cache }));
          if (after !== expected) wrong.push(`${stage}, after ${kind} at ${at}: ${after}`);
        }
    }
    return { wrong, tries };
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
}

function writeVaultAgain(vault: string): void {
  for (const number of [0, 1]) {
    writeNote(vault, number, "quagga");
    const file = nodePath.join(vault, `Note ${number}.md`);
    fs.utimesSync(file, 1_700_000_100, 1_700_000_100 + number);
  }
}
