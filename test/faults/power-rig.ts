/** Cuts the power under a vault that is being written, on a disk of its own in a file, and looks at what is there afterwards. */
import { execFileSync } from "node:child_process";
import { randomInt } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import nodePath from "node:path";
import type { TemporaryVault } from "../kit/temporary-vault.js";
import type { JournalWorkers } from "./journal-rigs.js";
import { openVault, resetVault, takeAllBack } from "./journal-scripts.js";
import { pause, type Workers } from "./rigs.js";
import type { WorkerOrder } from "./worker.js";

const NOTE = "note.md";

export interface PowerCuts {
  readonly cuts: number;
  /** What was wrong: a torn note, an acknowledged text that is gone, a rename that cannot be taken back. */
  readonly wrong: readonly string[];
  /** Writes and renames that were acknowledged before the cuts. */
  readonly writes: number;
  readonly renames: number;
}

export interface PowerCutOptions {
  /** `ext4` or `xfs`, whose `mkfs` must be there. */
  readonly kind: string;
  readonly cuts: number;
  /** Of `power-cut.c`. */
  readonly source: string;
  readonly safeguards?: WorkerOrder["safeguards"];
}

/** Needs the rights to mount. */
export async function cutPower(
  workers: Workers,
  journalWorkers: JournalWorkers,
  { kind, cuts, source, safeguards = {} }: PowerCutOptions,
): Promise<PowerCuts> {
  const disk = new Disk(kind, source);
  const result = { cuts, wrong: [] as string[], writes: 0, renames: 0 };
  try {
    for (let cut = 0; cut < cuts; cut++) {
      const vault = disk.vault();
      resetVault(vault.folder);
      fs.writeFileSync(vault.at(NOTE), "0\n".repeat(100));
      execFileSync("sync", ["-f", disk.mounted]);
      const writer = workers.start(vault, { work: "rewrite", path: NOTE, id: "", count: 1_000_000, safeguards });
      const renamer = journalWorkers.start(vault, { work: "renames" });
      while ((writer.lines.length === 0 || renamer.lines.length === 0) && writer.isRunning) await pause(1);
      await pause(randomInt(150));
      disk.cut();
      const [written, renamed] = [writer.lines, renamer.lines];
      await Promise.all([writer.kill(), renamer.kill()]);
      await disk.restart();
      result.writes += written.length;
      result.renames += renamed.length;
      const found = [faultOfNote(vault, written.at(-1)), await faultOfRename(vault)];
      for (const fault of found) if (fault !== undefined) result.wrong.push(`cut ${cut}: ${fault}`);
    }
  } finally {
    disk.remove();
  }
  return result;
}

function faultOfNote(vault: TemporaryVault, acknowledged = "0"): string | undefined {
  const lines = fs.readFileSync(vault.at(NOTE), "utf8").split("\n").slice(0, -1);
  const version = Number(lines[0]);
  if (lines.length !== 100 + (version % 900) || lines.some((line) => line !== lines[0])) return "the note is torn";
  return version >= Number(acknowledged) ? undefined : `version ${acknowledged} was acknowledged, ${version} is there`;
}

async function faultOfRename(vault: TemporaryVault): Promise<string | undefined> {
  const opened = await openVault({ vault: vault.folder, locks: vault.locks });
  try {
    return await takeAllBack(opened, vault.folder);
  } finally {
    await opened.close();
  }
}

/** A disk in a file, with a vault on it. */
class Disk {
  readonly #base = fs.mkdtempSync(nodePath.join(os.tmpdir(), "power-"));
  readonly #image = nodePath.join(this.#base, "image");
  readonly #switch = nodePath.join(this.#base, "power-cut");
  readonly mounted = nodePath.join(this.#base, "disk");

  constructor(kind: string, source: string) {
    fs.mkdirSync(this.mounted);
    execFileSync("gcc", ["-O1", "-o", this.#switch, source]);
    execFileSync("truncate", ["-s", kind === "xfs" ? "320M" : "64M", this.#image]);
    execFileSync(`mkfs.${kind}`, ["-q", this.#image]);
    this.#mount();
  }

  vault(): TemporaryVault {
    const folder = nodePath.join(this.mounted, "vault");
    fs.mkdirSync(folder, { recursive: true });
    const at = (path: string): string => nodePath.join(folder, path);
    return { base: this.#base, folder, locks: nodePath.join(this.#base, "locks"), at } as TemporaryVault;
  }

  cut(): void {
    execFileSync(this.#switch, [this.mounted]);
  }

  /** The file system recovers what its journal holds, as after a cut. */
  async restart(): Promise<void> {
    // libsql keeps the files of a closed database open until memory is cleared up.
    globalThis.gc?.();
    await pause(20);
    execFileSync("umount", [this.mounted]);
    this.#mount();
  }

  remove(): void {
    execFileSync("umount", ["-l", this.mounted]);
    fs.rmSync(this.#base, { recursive: true, force: true });
  }

  #mount(): void {
    execFileSync("mount", ["-o", "loop", this.#image, this.mounted]);
  }
}
