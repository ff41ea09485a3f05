/** The rigs behind the undo journal's promise, each with its size as a parameter: what was done can be undone, wherever a crash came. */
import { randomInt } from "node:crypto";
import fs from "node:fs";
import { isVaultError } from "../../src/errors.js";
import { vaultPath } from "../../src/storage/path.js";
import type { Vault } from "../../src/vault/vault.js";
import type { OperationUndo } from "../../src/history/journal-records.js";
import { contents, journalVault } from "../kit/journal-vault.js";
import { journalOf, openVault, resetVault, SCRIPT_NAMES, takeAllBack } from "./journal-scripts.js";
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

/** Lets calls fail while a process ends, which closes the database: what it has acknowledged can be undone. */
export async function failAtClose(workers: JournalWorkers, step: number): Promise<string[]> {
  const points = Array.from({ length: 40 }, (_, index) => index + 1).filter((at) => at % step === 0);
  return await inLanes(points, async (at) => {
    return await withVault({}, async (vault) => {
      resetVault(vault.folder);
      const worker = workers.start(vault, { work: "ended" }, { FAULT_KIND: "EIO", FAULT_AT: String(at) });
      await worker.ended;
      const found = await takeAllBack(await openVault({ vault: vault.folder, locks: vault.locks }), vault.folder);
      return worker.lines[0] === "renamed" && found === undefined ? [] : [`EIO at ${at}: ${found ?? worker.lines[0]}`];
    });
  });
}

/** Removes the journal under a process that writes: what it acknowledges afterwards can be undone. */
export async function removeJournal(workers: JournalWorkers, edits: number): Promise<string[]> {
  return await withVault({ "note.md": "" }, async (vault) => {
    const worker = workers.start(vault, { work: "append", id: "p", count: edits });
    let told = 0;
    for (let removal = 0; removal < 3; removal++) {
      while (worker.isRunning && worker.lines.length < ((removal + 1) * edits) / 5) await pause(1);
      const journal = journalOf(vault.folder) ?? "";
      for (const end of ["", "-journal", "-wal", "-shm"]) fs.rmSync(journal + end, { force: true });
      told = worker.lines.length;
    }
    await worker.ended;
    const text = fs.readFileSync(vault.at("note.md"), "utf8");
    const { undone } = await undoLines(await openVault({ vault: vault.folder, locks: vault.locks }), text);
    // One change may have been under way at the removal.
    const most = worker.lines.length - told - 1;
    return worker.lines.length === edits && undone >= most
      ? []
      : [`${undone} of ${most} undone, ${worker.lines.length}`];
  });
}

/** @returns wrong texts that a journal with a flipped bit led to */
export async function flipBits(workers: JournalWorkers, flips: number): Promise<string[]> {
  return await withVault({}, async (vault) => {
    resetVault(vault.folder);
    const worker = workers.start(vault, { work: "flips", count: flips });
    await worker.ended;
    return worker.lines.at(-1) === "flipped" ? worker.lines.slice(0, -1) : [...worker.lines, worker.errors];
  });
}

/** Other changes prune the journal in the middle of an operation: it is undone as its answer says, or not at all. */
export async function pruneInOperation(tries: number): Promise<string[]> {
  const wrong: string[] = [];
  const files = ["a.md", "b.md", "c.md"].map((path) => vaultPath(path));
  for (let attempt = 0; attempt < tries; attempt++) {
    const { vault, storage, place } = journalVault(Object.fromEntries(files.map((path) => [path, path])), { limit: 4 });
    const other = journalVault({}, { storage, place, limit: 4 }).vault;
    const disturb = async (): Promise<void> => {
      for (let edits = randomInt(4); edits > 0; edits--)
        await other.writing.edit(files[randomInt(3)] ?? NOTE, (text) => `${text}.`, "other");
    };
    const made = new Map<string, string>();
    await disturb();
    const { undoable, operation = "" } = await vault.history.runOperation(
      { reason: "rig", files },
      async (operation) => {
        for (const path of files) {
          made.set(path, (await vault.read(path)).text);
          await vault.writing.edit(path, (text) => `${text}!`, "rig", { operation });
          await disturb();
        }
      },
    );
    await disturb();
    const before = await contents(storage);
    const outcome = await vault.history.undoOperation(operation.slice(3)).catch((error: unknown) => error);
    const after = await contents(storage);
    const kept = new Set(isVaultError(outcome) ? files : (outcome as OperationUndo).kept.map(({ path }) => path));
    for (const path of files)
      if (after[path] !== (kept.has(path) ? before[path] : made.get(path)))
        wrong.push(`${path} ${kept.has(path) ? "is said to be as it was" : "is said to be undone"}: ${after[path]}`);
    if (!undoable) wrong.push("an operation within the limits is said not to be undoable");
  }
  return wrong;
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
