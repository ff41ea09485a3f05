/** The rigs behind the undo journal's promise, each with its size as a parameter: what was done can be undone, wherever a crash came. */
import { randomInt } from "node:crypto";
import fs from "node:fs";
import { isVaultError } from "../../src/errors.js";
import { vaultPath } from "../../src/storage/path.js";
import type { Vault } from "../../src/vault/vault.js";
import { openVault, resetVault, SCRIPT_NAMES, takeAllBack } from "./journal-scripts.js";
import type { JournalOrder } from "./journal-worker.js";
import { inLanes, pause, withVault, type Workers } from "./rigs.js";

export type JournalWorkers = Workers<JournalOrder>;
const NOTE = vaultPath("note.md");

/** Kills a process before and after every `step`-th call of every script, then undoes all. @returns what was wrong */
export async function killJournalAtCalls(
  workers: JournalWorkers,
  step: number,
): Promise<{ wrong: string[]; kills: number }> {
  const calls = await withVault({}, async (vault) => {
    const counter = workers.start(vault, { work: "count" });
    await counter.ended;
    return new Map(counter.lines.map((line) => line.split(": ") as [string, string]));
  });
  const points = SCRIPT_NAMES.flatMap((script) =>
    Array.from({ length: Number(calls.get(script)) }, (_, index) => index + 1).flatMap((at) =>
      ["kill", "killafter"].map((kind) => ({ script, kind, at })),
    ),
  ).filter((_point, index) => index % step === 0);
  const wrong = await inLanes(points, async ({ script, kind, at }) => {
    return await withVault({}, async (vault) => {
      resetVault(vault.folder);
      const worker = workers.start(vault, { work: "killed", script }, { FAULT_KIND: kind, FAULT_AT: String(at) });
      await worker.ended;
      const place = { vault: vault.folder, locks: vault.locks };
      const found = await takeAllBack(await openVault(place), vault.folder);
      return found === undefined ? [] : [`${script} ${kind} at ${at}: ${found}`];
    });
  });
  return { wrong, kills: points.length };
}

/** Every script with every failure at every call, or with one of them in turn at every `step`-th. */
export async function failJournalCalls(
  workers: JournalWorkers,
  step: number,
): Promise<{ wrong: string[]; tries: number }> {
  return await withVault({}, async (vault) => {
    const worker = workers.start(vault, { work: "sweep", count: step });
    await worker.ended;
    const tries = Number(/^tries (\d+)$/.exec(worker.lines.at(-1) ?? "")?.[1] ?? 0);
    return { wrong: worker.lines.filter((line) => !line.startsWith("tries ")), tries };
  });
}

/** Processes append to one note, then all is undone, line by line. @returns lines told but not undone one by one */
export async function undoParallelEdits(
  workers: JournalWorkers,
  processes: number,
  edits: number,
): Promise<{ wrong: string[]; undone: number }> {
  return await withVault({ "note.md": "" }, async (vault) => {
    const all = Array.from({ length: processes }, (_, index) =>
      workers.start(vault, { work: "append", id: `p${index}`, count: edits }),
    );
    await Promise.all(all.map((worker) => worker.ended));
    const told = all.flatMap((worker) => worker.lines);
    const text = fs.readFileSync(vault.at("note.md"), "utf8");
    const { undone, wrong } = await undoLines(await openVault({ vault: vault.folder, locks: vault.locks }), text);
    return {
      wrong: told.length === processes * edits && text.split("\n").length - 1 === told.length ? wrong : told,
      undone,
    };
  });
}

/** Kills appending processes at random moments; each time the newest line must be undone, and nothing else. */
export async function killJournalAtRandom(
  workers: JournalWorkers,
  kills: number,
): Promise<{ wrong: string[]; undone: number }> {
  let undone = 0;
  const wrong = await inLanes([0, 1], async () => {
    return await withVault({ "note.md": "" }, async (vault) => {
      const found: string[] = [];
      const place = { vault: vault.folder, locks: vault.locks };
      for (let kill = 0; kill < kills / 2; kill++) {
        const worker = workers.start(vault, { work: "append", id: `k${kill}`, count: 1_000_000 });
        while (worker.isRunning && worker.lines.length === 0) await pause(1);
        await pause(randomInt(30));
        await worker.kill();
        const text = fs.readFileSync(vault.at("note.md"), "utf8");
        const result = await undoLines(await openVault(place, 10_000), text, 3);
        found.push(...result.wrong);
        undone += result.undone;
      }
      return found;
    });
  });
  return { wrong, undone };
}

/** Undoes one line after the other, and looks at what is left each time. */
async function undoLines(vault: Vault, text: string, most = Infinity): Promise<{ wrong: string[]; undone: number }> {
  let left = text;
  for (let undone = 0; ; undone++) {
    if (left === "" || undone === most) return { wrong: [], undone };
    left = left.slice(0, left.lastIndexOf("\n", left.length - 2) + 1);
    const outcome = await vault.history.undo(NOTE).catch((error: unknown) => error);
    if (isVaultError(outcome)) return { wrong: [`${outcome.code} with ${left.length} characters left`], undone };
    const { text: now } = await vault.read(NOTE);
    if (now !== left) return { wrong: [`after ${undone} undone: ${now.slice(-40)}`], undone };
  }
}
