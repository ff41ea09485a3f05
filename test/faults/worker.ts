/** A process that works on a vault until it is done or killed; the rigs start several of it. */
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isVaultError } from "../../src/errors.js";
import { filesystemStorage, type FilesystemStorage } from "../../src/storage/filesystem/storage.js";
import type { Safeguards } from "../../src/storage/filesystem/replace.js";
import { vaultPath } from "../../src/storage/path.js";
import { faultOf, type Operation, OPERATIONS, perform, resetVault } from "./operations.js";

/** What a worker is told to do, as JSON in its first argument. `path`, `id` and `count` mean what the work says. */
export interface WorkerOrder {
  readonly work: keyof typeof WORK;
  readonly vault: string;
  readonly locks: string;
  readonly path: string;
  /** Tells this worker from the others. */
  readonly id: string;
  readonly count: number;
  readonly operation?: Operation;
  readonly safeguards?: Partial<Safeguards>;
}

const FAILURES = ["ENOSPC", "EIO", "EACCES", "EDQUOT", "EROFS", "short"];

/** The calls of the C library that an operation makes. */
async function callsOf(storage: FilesystemStorage, order: WorkerOrder, operation: Operation): Promise<string[]> {
  resetVault(order.vault);
  await withFault("count", 0, async () => await perform(storage, operation));
  return (process.env["FAULT_SEEN"] ?? "").trim().split(" ");
}

async function withFault(kind: string, at: number, call: () => Promise<string>): Promise<string> {
  Object.assign(process.env, { FAULT_KIND: kind, FAULT_AT: String(at), FAULT_ARMED: "1" });
  try {
    return await call();
  } finally {
    delete process.env["FAULT_ARMED"];
    // Unarmed, the next call starts the count anew.
    fs.closeSync(fs.openSync("/dev/null", "r"));
  }
}

const WORK = {
  /** Appends `count` lines `<id>:<n>`, each read, changed and written; tells each on stdout once it was acknowledged. */
  async append(storage: FilesystemStorage, order: WorkerOrder): Promise<void> {
    for (let line = 0; line < order.count; line++) {
      await storage.update(vaultPath(order.path), (current) =>
        Buffer.from(`${textOf(current?.bytes)}${order.id}:${line}\n`),
      );
      tell(`${order.id}:${line}`);
    }
  },
  /** Rewrites the note `count` times with version `<n>`, 100 times in a row so that a torn file shows. */
  async rewrite(storage: FilesystemStorage, order: WorkerOrder): Promise<void> {
    for (let version = 1; version <= order.count; version++) {
      await storage.update(vaultPath(order.path), (current) => {
        const next = Number(textOf(current?.bytes).split("\n")[0] ?? 0) + 1;
        return Buffer.from(`${next}\n`.repeat(100 + (next % 900)));
      });
      tell(textOf((await storage.read(vaultPath(order.path)))?.bytes).split("\n")[0] ?? "");
    }
  },
  async create(storage: FilesystemStorage, order: WorkerOrder): Promise<void> {
    tell("ready");
    await storage.write(vaultPath(order.path), Buffer.from(`${order.id}\n`.repeat(1000)), { kind: "absent" });
    tell("created");
  },
  /** Holds the note's lock until it is killed. */
  async hold(storage: FilesystemStorage, order: WorkerOrder): Promise<void> {
    await storage.update(vaultPath(order.path), async () => {
      tell("holding");
      await new Promise((resolve) => setTimeout(resolve, 60_000));
      return undefined;
    });
  },
  /** One operation, killed in the middle by the injected fault. */
  async killed(storage: FilesystemStorage, order: WorkerOrder): Promise<void> {
    process.env["FAULT_ARMED"] = "1";
    await perform(storage, order.operation ?? "replace");
    tell("survived");
  },
  /** Every operation with every failure at every call; tells what was wrong. */
  async sweep(storage: FilesystemStorage, order: WorkerOrder): Promise<void> {
    resetVault(order.vault);
    // Makes the folder of the locks, so that every try makes the same calls.
    await perform(storage, "replace");
    let tries = 0;
    for (const operation of OPERATIONS) {
      const calls = await callsOf(storage, order, operation);
      tell(`calls ${operation}: ${calls.join(" ")}`);
      for (const kind of FAILURES) {
        for (let at = 1; at <= calls.length; at++) {
          resetVault(order.vault);
          const outcome = await withFault(kind, at, async () => await perform(storage, operation));
          const isUnconfirmed = calls[at - 1] === "fsync" && kind !== "short" && outcome === "done";
          const wrong = isUnconfirmed
            ? "the disk confirmed nothing"
            : faultOf(order.vault, order.locks, operation, outcome);
          if (wrong) tell(`wrong ${operation} ${kind} at ${at} ${calls[at - 1]}: ${outcome}: ${wrong}`);
          tries++;
        }
      }
    }
    tell(`tries ${tries}`);
  },
  /** A program that knows no locks: counts up its own line of the note, in place or by rename, and tells how often its line went back. */
  async outside(_storage: FilesystemStorage, order: WorkerOrder): Promise<void> {
    const location = `${order.vault}/${order.path}`;
    let [saved, lost] = [0, 0];
    for (let save = 1; save <= order.count; save++) {
      await sleep(2 + Math.floor((save * 7919) % 7));
      let text = fs.readFileSync(location, "utf8");
      // What is seen for a moment between a rename and its undoing counts only if it stays.
      for (let look = 0; outsideOf(text) !== saved && look < 30; look++) {
        await sleep(2);
        text = fs.readFileSync(location, "utf8");
      }
      if (outsideOf(text) !== saved) lost++;
      saved = save;
      const next = text.replace(/^outside: \d+/, `outside: ${save}`);
      if (order.id === "rename" || (order.id === "both" && save % 2 === 0)) {
        fs.writeFileSync(`${location}~`, next);
        fs.renameSync(`${location}~`, location);
      } else fs.writeFileSync(location, next);
    }
    tell(`lost ${lost}`);
  },
};

function outsideOf(text: string): number {
  return Number(/^outside: (\d+)/.exec(text)?.[1] ?? -1);
}

/** By hand, so that what was told has left the process. */
function tell(line: string): void {
  fs.writeSync(1, `${line}\n`);
}

function textOf(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString();
}

const order = JSON.parse(process.argv[2] ?? "{}") as WorkerOrder;
const storage = await filesystemStorage(order.vault, {
  lock: { folder: order.locks },
  ...(order.safeguards ? { safeguards: order.safeguards } : {}),
});
try {
  await WORK[order.work](storage, order);
} catch (error) {
  tell(isVaultError(error) ? `failed: ${error.code}` : `failed: ${String(error)}`);
}
await storage.close();
