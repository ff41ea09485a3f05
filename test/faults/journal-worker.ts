/** A process that changes a vault with an undo journal until it is done or killed; the rigs of the journal start several of it. */
import { randomInt } from "node:crypto";
import fs from "node:fs";
import nodePath from "node:path";
import { isVaultError } from "../../src/errors.js";
import { vaultPath } from "../../src/storage/path.js";
import {
  journalOf,
  openTasks,
  openVault,
  resetVault,
  SCRIPT_NAMES,
  scriptOf,
  type ScriptName,
  takeAllBack,
  textsIn,
} from "./journal-scripts.js";

export interface JournalOrder {
  readonly work: keyof typeof WORK;
  readonly script?: ScriptName;
  /** Tells this worker from the others. */
  readonly id?: string;
  readonly count?: number;
}

type WholeOrder = JournalOrder & { readonly vault: string; readonly locks: string };

const FAILURES = ["ENOSPC", "EIO", "EACCES", "short"];

function tell(line: string): void {
  fs.writeSync(1, `${line}\n`);
}

async function withFault<Result>(kind: string, at: number, work: () => Promise<Result>): Promise<Result> {
  Object.assign(process.env, { FAULT_KIND: kind, FAULT_AT: String(at), FAULT_ARMED: "1" });
  try {
    return await work();
  } finally {
    delete process.env["FAULT_ARMED"];
    // Unarmed, the next call starts the count anew.
    fs.closeSync(fs.openSync("/dev/null", "r"));
  }
}

/** A script on a fresh vault, disturbed at one call. @returns what is wrong */
async function disturbed(order: WholeOrder, name: ScriptName, kind: string, at: number): Promise<string | undefined> {
  resetVault(order.vault);
  const opened = await openTasks(order);
  const { vault } = opened;
  const script = scriptOf(name);
  await script.before?.(opened);
  const outcome = await withFault(kind, at, () =>
    script.run(opened).catch((error: unknown) => (isVaultError(error) ? "refused" : `unexpected ${String(error)}`)),
  );
  if (typeof outcome === "string" && outcome !== "refused") return outcome;
  // What says itself that it cannot be undone was made all the same.
  const wrong = outcome === false ? undefined : await takeAllBack(vault, order.vault);
  await vault.close();
  return wrong;
}

async function callsOf(order: WholeOrder, name: ScriptName): Promise<number> {
  await disturbed(order, name, "count", 0);
  return (process.env["FAULT_SEEN"] ?? "").trim().split(" ").length;
}

function putBack(folder: string, texts: ReadonlyMap<string, string | undefined>): void {
  for (const [path, text] of texts) {
    const place = nodePath.join(folder, path);
    // An undo removes the folders that its change made.
    fs.mkdirSync(nodePath.dirname(place), { recursive: true });
    if (text === undefined) fs.rmSync(place, { force: true });
    else fs.writeFileSync(place, text);
  }
}

/** After the rename, and before the edit of many notes. */
const isBetween = (path: string, text: string): boolean => path !== "a.md" && text.endsWith("[[b]]\n");

const WORK = {
  /** How many calls of the C library each script makes. */
  async count(order: WholeOrder): Promise<void> {
    for (const name of SCRIPT_NAMES) tell(`${name}: ${await callsOf(order, name)}`);
  },
  /** Every script with failures at its calls; tells what was wrong. At `count` 1 every call fails in every way, else every `count`-th in one. */
  async sweep(order: WholeOrder): Promise<void> {
    let tries = 0;
    for (const name of SCRIPT_NAMES) {
      const calls = await callsOf(order, name);
      const { count: step = 1 } = order;
      const each = step === 1 ? 1 : step * FAILURES.length;
      for (const [index, kind] of FAILURES.entries()) {
        for (let at = 1 + ((index * step) % each); at <= calls; at += each) {
          const wrong = await disturbed(order, name, kind, at);
          if (wrong !== undefined) tell(`wrong ${name} ${kind} at ${at}: ${wrong}`);
          tries++;
        }
      }
    }
    tell(`tries ${tries}`);
  },
  /** One script, killed in the middle by the injected fault. */
  async killed(order: WholeOrder): Promise<void> {
    const opened = await openTasks(order);
    const script = scriptOf(order.script ?? "edit");
    await script.before?.(opened);
    process.env["FAULT_ARMED"] = "1";
    await script.run(opened);
    tell("survived");
  },
  /** Renames a note with its links; what happens while the process ends is disturbed. */
  async ended(order: WholeOrder): Promise<void> {
    const opened = await openTasks(order);
    tell((await scriptOf("rename").run(opened)) ? "renamed" : "not undoable");
    process.env["FAULT_ARMED"] = "1";
  },
  /** Flips single bits of a journal, `count` times: undoing may be refused, but never writes a text that was not there. */
  async flips(order: WholeOrder): Promise<void> {
    const { count = 1 } = order;
    const before = textsIn(order.vault);
    const opened = await openTasks(order);
    for (const name of ["rename", "edit many"] as const)
      await scriptOf(name)
        .run(opened)
        .catch(() => false);
    await opened.vault.close();
    const after = textsIn(order.vault);
    const journal = journalOf(order.vault) ?? "";
    const bytes = fs.readFileSync(journal);
    for (let flip = 0; flip < count; flip++) {
      const [place, bit] = [randomInt(bytes.length), randomInt(8)];
      const flipped = Buffer.from(bytes);
      flipped.writeUInt8(flipped.readUInt8(place) ^ (1 << bit), place);
      fs.writeFileSync(journal, flipped);
      putBack(order.vault, after);
      const vault = await openVault(order);
      for (const path of after.keys()) await vault.history.undo(vaultPath(path)).catch(() => undefined);
      await vault.close();
      for (const [path, text] of textsIn(order.vault))
        if (text !== undefined && ![before, after].some((texts) => texts.get(path) === text) && !isBetween(path, text))
          tell(`wrong ${path} with bit ${bit} of byte ${place} flipped: ${text.slice(-40)}`);
    }
    tell("flipped");
  },
  /** Renames a note with its links and takes that back, without end; tells each once it was acknowledged. */
  async renames(order: WholeOrder): Promise<void> {
    const opened = await openTasks(order, 10_000);
    const { vault } = opened;
    for (;;) {
      tell((await scriptOf("rename").run(opened)) ? "renamed" : "not undoable");
      await vault.history.undo(vaultPath("x/b.md"));
      tell("back");
    }
  },
  /** Appends `count` lines `<id>:<n>`, each an edit of its own; tells each once it was acknowledged as undoable. */
  async append(order: WholeOrder): Promise<void> {
    const vault = await openVault(order, 10_000);
    for (let line = 0; line < (order.count ?? 0); line++) {
      const { undoable } = await vault.writing.edit(
        vaultPath("note.md"),
        (text) => `${text}${order.id}:${line}\n`,
        "append",
      );
      tell(undoable ? `${order.id}:${line}` : "not undoable");
    }
  },
};

const order = JSON.parse(process.argv[2] ?? "{}") as WholeOrder;
try {
  await WORK[order.work](order);
} catch (error) {
  tell(`failed: ${String(error)}`);
}
