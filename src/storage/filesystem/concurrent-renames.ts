/**
 * Holds open the files that another program may rename onto a file being replaced.
 *
 * Node has no conditional rename, so that rename can happen between our last check and ours. The
 * held file can then be restored. A file created and renamed after the last check is lost.
 */
import fs from "node:fs";
import { closeQuietly, type OpenFolder } from "./open-folder.js";
import { makerOf } from "./temporary.js";

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;

/** Milliseconds: a program renames right after writing. */
const RECENT = 2000;
const MAX_CONCURRENT = 256;
const MAX_CHECKS = 3;

export class ConcurrentRenames {
  readonly #folder: OpenFolder;
  readonly #name: string;
  readonly #now: number;
  #handles: readonly number[] = [];
  #listedAt: number | undefined;

  /** @param now by the folder's clock, as the time of a file just written */
  constructor(folder: OpenFolder, name: string, now: number) {
    this.#folder = folder;
    this.#name = name;
    this.#now = now;
  }

  /** Costs one system call when nothing has changed since the last call. */
  hold(): void {
    if (!this.#folder.isHeld) return;
    for (let check = 1; check <= MAX_CHECKS; check++) {
      const changedAt = this.#folder.changedAt();
      if (changedAt === this.#listedAt) return;
      this.#listedAt = changedAt;
      this.close();
      this.#handles = candidates(this.#folder, this.#name, this.#now);
    }
  }

  /** The handle of a file that another program renamed to our name, and that we then replaced. */
  replaced(): number | undefined {
    if (this.#handles.length === 0) return undefined;
    const trace = `${fs.readlinkSync(this.#folder.at())}/${this.#name} (deleted)`;
    return this.#handles.find((handle) => fs.readlinkSync(`/proc/self/fd/${handle}`) === trace);
  }

  close(): void {
    for (const handle of this.#handles) closeQuietly(handle);
  }
}

/** Opens recently written files, except notes: programs do not prepare a save under a note's name. */
function candidates(folder: OpenFolder, target: string, now: number): number[] {
  const handles: number[] = [];
  let seen = 0;
  for (const entry of fs.readdirSync(folder.at(), { withFileTypes: true })) {
    const { name } = entry;
    if (name.endsWith(".md") || !entry.isFile() || name === target || makerOf(name) !== undefined) continue;
    if (++seen > MAX_CONCURRENT) break;
    try {
      const stat = fs.lstatSync(folder.at(name), { throwIfNoEntry: false });
      const isRecent = stat?.isFile() && stat.ctimeMs > now - RECENT;
      if (isRecent) handles.push(fs.openSync(folder.at(name), O_RDONLY | (O_NONBLOCK ?? 0) | (O_NOFOLLOW ?? 0)));
    } catch {
      // Gone or unreadable.
    }
  }
  return handles;
}
