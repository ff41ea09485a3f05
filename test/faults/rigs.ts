/** The rigs behind the promises of reliability.md, each with its size as a parameter: short in the suite, long by hand. */
import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import fs from "node:fs";
import nodePath from "node:path";
import type { Readable } from "node:stream";
import { vaultPath } from "../../src/storage/path.js";
import { TemporaryVault } from "../kit/temporary-vault.js";
import { faultAfterKill, OPERATIONS, resetVault } from "./operations.js";
import type { WorkerOrder } from "./worker.js";

const NOTE = vaultPath("note.md");

type Running = ChildProcessByStdio<null, Readable, Readable>;

/** Starts workers from one bundled program, each with an order of that program's kind. */
export class Workers<Order extends object = Omit<WorkerOrder, "vault" | "locks">> {
  readonly #program: string;
  readonly #shim: string | undefined;
  readonly #wrapper: readonly string[];

  /**
   * @param shim the built `fault.c`, for workers that are to fail
   * @param wrapper a command that runs what follows it in other circumstances
   */
  constructor(program: string, shim?: string, wrapper: readonly string[] = []) {
    this.#program = program;
    this.#shim = shim;
    this.#wrapper = wrapper;
  }

  /** @param user runs it as this user, by number */
  start(vault: TemporaryVault, order: Order, fault: Readonly<Record<string, string>> = {}, user?: number): Worker {
    const whole = { vault: vault.folder, locks: vault.locks, ...order };
    const { NODE_EXTRA_CA_CERTS: _slow, ...env } = process.env;
    const preload = this.#shim === undefined ? {} : { LD_PRELOAD: this.#shim };
    const [command, ...args] = [...this.#wrapper, process.execPath, this.#program, JSON.stringify(whole)];
    return new Worker(
      spawn(command, args, {
        env: { ...env, ...preload, ...fault },
        stdio: ["ignore", "pipe", "pipe"],
        ...(user === undefined ? {} : { uid: user, gid: user }),
      }),
    );
  }
}

export class Worker {
  readonly #process: Running;
  readonly ended: Promise<void>;
  #out = "";
  #errors = "";

  constructor(child: Running) {
    this.#process = child;
    child.stdout.on("data", (chunk: Buffer) => (this.#out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (this.#errors += chunk.toString()));
    this.ended = new Promise((resolve) => child.once("close", () => resolve()));
  }

  /** The lines it has told so far. */
  get lines(): string[] {
    return this.#out.split("\n").slice(0, -1);
  }

  get isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  get errors(): string {
    return this.#errors;
  }

  async tells(line: string): Promise<void> {
    while (!this.lines.includes(line)) {
      if (!this.isRunning) throw new Error(`The worker ended: ${this.#out} ${this.#errors}`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.ended;
  }
}

/** Builds the library that injects faults; undefined where there is no C compiler. */
export function buildShim(source: string, folder: string): string | undefined {
  const library = nodePath.join(folder, "fault.so");
  try {
    execFileSync("gcc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], { stdio: "pipe" });
    return library;
  } catch {
    return undefined;
  }
}

/** Every operation with every failure at every call. @returns what was wrong, and how many tries there were */
export async function failEveryCall(
  workers: Workers,
): Promise<{ wrong: string[]; tries: number; calls: Map<string, string[]> }> {
  return await withVault({}, async (vault) => {
    const worker = workers.start(vault, { work: "sweep", path: "", id: "", count: 0 });
    await worker.ended;
    const calls = worker.lines
      .filter((line) => line.startsWith("calls "))
      .map((line) => /^calls (\w+): (.*)$/.exec(line));
    return {
      wrong: [
        ...worker.lines.filter((line) => line.startsWith("wrong ") || line.startsWith("failed")),
        worker.errors,
      ].filter(Boolean),
      tries: Number(/^tries (\d+)$/.exec(worker.lines.at(-1) ?? "")?.[1] ?? 0),
      calls: new Map(calls.map((match) => [match?.[1] ?? "", match?.[2]?.split(" ") ?? []])),
    };
  });
}

/** Kills a process before and after every `step`-th call of every operation. */
export async function killAtCalls(
  workers: Workers,
  calls: ReadonlyMap<string, readonly string[]>,
  step: number,
): Promise<string[]> {
  const points = OPERATIONS.flatMap((operation) =>
    (calls.get(operation) ?? []).flatMap((_call, index) =>
      ["kill", "killafter"].map((kind) => ({ operation, kind, at: index + 1 })),
    ),
  ).filter((_point, index) => index % step === 0);
  return await inLanes(points, async ({ operation, kind, at }) => {
    return await withVault({}, async (vault) => {
      resetVault(vault.folder);
      // Makes the folder of the locks, so that the calls are those that were counted.
      await (await vault.open()).update(NOTE, () => undefined);
      const worker = workers.start(
        vault,
        { work: "killed", operation, path: "", id: "", count: 1 },
        { FAULT_KIND: kind, FAULT_AT: String(at) },
      );
      await worker.ended;
      const wrong = worker.lines.includes("survived") ? "was not killed" : faultAfterKill(vault.folder, operation);
      return wrong === undefined ? [] : [`${operation} ${kind} at ${at}: ${wrong}`];
    });
  });
}

/** Kills processes at random moments of continuous writing. */
export async function killAtRandom(
  workers: Workers,
  kills: number,
): Promise<{ torn: number; lost: number; writes: number }> {
  const result = { torn: 0, lost: 0, writes: 0 };
  await inLanes([0, 1], async () => {
    return await withVault({ "note.md": "0\n".repeat(100) }, async (vault) => {
      for (let kill = 0; kill < kills / 2; kill++) {
        const worker = workers.start(vault, { work: "rewrite", path: "note.md", id: "", count: 1_000_000 });
        while (worker.lines.length === 0) await pause(1);
        await pause(randomInt(40));
        await worker.kill();
        const lines = fs.readFileSync(vault.at("note.md"), "utf8").split("\n").slice(0, -1);
        const version = Number(lines[0]);
        const isWhole = lines.length === 100 + (version % 900) && lines.every((line) => line === lines[0]);
        if (!isWhole) result.torn++;
        if (!(version >= Number(worker.lines.at(-1) ?? 0))) result.lost++;
        result.writes += worker.lines.length;
      }
      return [];
    });
  });
  return result;
}

/** An outside program saves `saves` times while a worker of ours edits the same note without pause. */
export async function outsideEditor(
  workers: Workers,
  way: "in place" | "rename" | "both",
  saves: number,
  safeguards: WorkerOrder["safeguards"] = {},
): Promise<{ lost: number; ours: number }> {
  return await withVault({ "note.md": `outside: 0\n${"text\n".repeat(200)}` }, async (vault) => {
    const outside = workers.start(vault, { work: "outside", path: "note.md", id: way, count: saves });
    const storage = await vault.open({ safeguards });
    let ours = 0;
    while (outside.isRunning) {
      const written = await storage.update(NOTE, (current) => {
        const text = Buffer.from(current?.bytes ?? []).toString();
        return text.startsWith("outside: ") ? Buffer.from(`${text.split("ours:")[0]}ours: ${ours}\n`) : undefined;
      });
      if (written) ours++;
    }
    await outside.ended;
    const last = Number(/^outside: (\d+)/.exec(fs.readFileSync(vault.at("note.md"), "utf8"))?.[1]);
    const told = /^lost (\d+)$/.exec(outside.lines.at(-1) ?? "")?.[1];
    if (told === undefined) throw new Error(`The outside program failed: ${outside.errors}`);
    return { lost: Number(told) + (last === saves ? 0 : 1), ours };
  });
}

/** Runs a command in a mount namespace of its own, where the kernel's boot id cannot be read, as in some sandboxes. */
const WITHOUT_BOOT_ID = [
  "unshare",
  "--mount",
  "sh",
  "-c",
  'mount --bind /dev/null /proc/sys/kernel/random/boot_id && exec "$0" "$@"',
];

/** Workers that do not know which boot they live in; undefined where namespaces may not be made. */
export function workersWithoutBootId(program: string): Workers | undefined {
  const args = [...WITHOUT_BOOT_ID.slice(1), "cat", "/proc/sys/kernel/random/boot_id"];
  try {
    const read = execFileSync("unshare", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return read === "" ? new Workers(program, undefined, WITHOUT_BOOT_ID) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Several processes append lines to one note, every second of them from `others`.
 * @returns how many acknowledged lines are missing
 */
export async function parallelAppends(
  workers: Workers,
  processes: number,
  edits: number,
  safeguards: WorkerOrder["safeguards"] = {},
  others: Workers = workers,
): Promise<{ lost: number; acknowledged: number }> {
  return await withVault({ "note.md": "start\n" }, async (vault) => {
    const all = Array.from({ length: processes }, (_, index) =>
      (index % 2 === 0 ? workers : others).start(vault, {
        work: "append",
        path: "note.md",
        id: `p${index}`,
        count: edits,
        safeguards,
      }),
    );
    await Promise.all(all.map((worker) => worker.ended));
    const lines = new Set(fs.readFileSync(vault.at("note.md"), "utf8").split("\n"));
    const told = all.flatMap((worker) => worker.lines);
    return {
      lost: told.filter((line) => !lines.has(line)).length,
      acknowledged: told.filter((line) => /^p\d+:/.test(line)).length,
    };
  });
}

export async function withVault<Result>(
  files: Readonly<Record<string, string>>,
  work: (vault: TemporaryVault) => Promise<Result>,
): Promise<Result> {
  const vault = new TemporaryVault(files);
  try {
    return await work(vault);
  } finally {
    vault.remove();
  }
}

/** Two at a time. */
export async function inLanes<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<string[]>,
): Promise<string[]> {
  const rest = [...items];
  const found: string[] = [];
  const lane = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) found.push(...(await work(item)));
  };
  await Promise.all([lane(), lane()]);
  return found;
}

export async function pause(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}
