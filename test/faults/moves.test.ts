/** Processes killed in the middle of a rename over 200 notes: undone or finished afterwards, and no note torn. */
import fs from "node:fs";
import nodePath from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { vaultPath } from "../../src/storage/path.js";
import { bundleProgram } from "../kit/bundle.js";
import { TemporaryVault } from "../kit/temporary-vault.js";
import { openLinks, type MoveOrder } from "./move-worker.js";
import { twoRelocations } from "./relocation-rigs.js";
import { Workers } from "./rigs.js";
import { FUZZ_FACTOR } from "../kit/fuzz.js";

const KILLS = 2 * FUZZ_FACTOR;
const FILLING = "All work and no play. ".repeat(400);

function files(): Record<string, string> {
  const notes: Record<string, string> = { "a/Old.md": "# Old\n[s](s.md)\n", "a/s.md": "[[Old]]" };
  for (let number = 1; number <= 200; number += 1) {
    const link = number % 3 === 0 ? "[x](../a/Old.md)" : "[[Old|x]]";
    notes[`n${number % 7}/note ${number}.md`] = `---\nup: "[[a/Old]]"\n---\n${FILLING}${link}\r\n${FILLING}`;
  }
  return notes;
}

function contents(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of fs.readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = nodePath.join(entry.parentPath, entry.name);
    if (entry.isFile() && !entry.name.startsWith("."))
      found[nodePath.relative(folder, path)] = fs.readFileSync(path, "utf8");
  }
  return found;
}

type Order = Omit<MoveOrder, "vault" | "locks">;
let workers: Workers<Order>;
beforeAll(async () => {
  workers = new Workers(await bundleProgram(nodePath.join(import.meta.dirname, "move-worker.ts")));
});

/** Runs a move until `delay` milliseconds after it began, or to its end; answers how long it took. */
async function run(vault: TemporaryVault, order: Order, delay = Infinity): Promise<number> {
  const worker = workers.start(vault, order);
  await worker.tells("moving");
  const start = performance.now();
  if (delay !== Infinity) {
    await Promise.race([sleep(delay), worker.ended]);
    await worker.kill();
  }
  await worker.ended;
  return performance.now() - start;
}

test("renames, merges and undo of two processes wait for each other, and leave no link dead", async () => {
  expect(await twoRelocations(workers, FUZZ_FACTOR > 1 ? 6 : 1, 40)).toEqual([]);
});

describe.each([
  ["a note", "a/Old.md", "b/New.md"],
  ["a folder", "a", "b/c"],
])("%s", (_, from, to) => {
  test("killed at any moment of its move", { timeout: 240_000 * FUZZ_FACTOR }, async () => {
    const before = files();
    const whole = new TemporaryVault(before);
    const took = await run(whole, { state: nodePath.join(whole.base, "state"), from, to });
    const after = contents(whole.folder);
    whole.remove();
    expect(Object.keys(after)).toHaveLength(Object.keys(before).length);
    let between = 0;
    // A machine that was busy before is perhaps free now, and the move done when it should be killed: then earlier.
    for (let kill = 0; kill < KILLS || between === 0; kill += 1) {
      const vault = new TemporaryVault(before);
      const order = { state: nodePath.join(vault.base, "state"), from, to };
      await run(vault, order, (took * ((kill % KILLS) + 0.5)) / KILLS / (1 + Math.floor(kill / KILLS)));
      const left = contents(vault.folder);
      const wholes = new Set([...Object.values(before), ...Object.values(after)]);
      for (const [path, text] of Object.entries(left)) expect(wholes.has(text), path).toBe(true);
      const { links, vault: next } = await openLinks({ ...order, vault: vault.folder, locks: vault.locks });
      const interrupted = await next.history.unfinished();
      if (interrupted.length > 0) {
        between += 1;
        expect(interrupted[0]?.plan).toMatchObject({ from, to });
        if (kill % 2 === 0) await next.history.undo(vaultPath(to));
        else await links.move(vaultPath(from), vaultPath(to));
        expect(contents(vault.folder)).toEqual(kill % 2 === 0 ? before : after);
        expect(await next.history.unfinished()).toEqual([]);
      } else expect([before, after]).toContainEqual(left);
      await next.close();
      vault.remove();
    }
    expect(between).toBeGreaterThan(0);
  });
});
