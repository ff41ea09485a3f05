/**
 * Holds open the files that another program may be about to rename onto a file that is being replaced.
 *
 * Node has no conditional rename, so another program's rename can happen between our last check and ours. Its file is held
 * open, so its content can be restored. One case remains: a file that is created and renamed after the last check, within the
 * microseconds before our rename or while this process is stopped there. That save is lost.
 */
import fs from "node:fs";
import { closeQuietly, type OpenFolder } from "./open-folder.js";
import { makerOf } from "./temporary.js";

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;

/** Milliseconds: a program that saves by renaming does it right after writing. */
const RECENT = 2000;
/** Limits the work in a folder full of attachments. */
const MAX_RIVALS = 256;
const MAX_LOOKS = 3;

export class ConcurrentRenames {
  readonly #folder: OpenFolder;
  readonly #name: string;
  readonly #now: number;
  #handles: readonly number[] = [];
  #listedAt: number | undefined;

  /**
   * @param name of the file that is being replaced @param now the time by the folder's clock: when a file in it was just
   * written
   */
  constructor(folder: OpenFolder, name: string, now: number) {
    this.#folder = folder;
    this.#name = name;
    this.#now = now;
  }

  /** Holds the candidates that exist now. Takes one call when nothing changed since the last time. */
  hold(): void {
    if (!this.#folder.isHeld) return;
    for (let look = 1; look <= MAX_LOOKS; look++) {
      const changedAt = this.#folder.changedAt();
      if (changedAt === this.#listedAt) return;
      this.#listedAt = changedAt;
      this.close();
      this.#handles = candidates(this.#folder, this.#name, this.#now);
    }
  }

  /** The handle of a file that was renamed to our name and then replaced, if there is one. */
  replaced(): number | undefined {
    if (this.#handles.length === 0) return undefined;
    const trace = `${fs.readlinkSync(this.#folder.at())}/${this.#name} (deleted)`;
    return this.#handles.find((handle) => fs.readlinkSync(`/proc/self/fd/${handle}`) === trace);
  }

  close(): void {
    for (const handle of this.#handles) closeQuietly(handle);
  }
}

/** Recently written files that are not notes: programs do not prepare a save under the name of a note. */
function candidates(folder: OpenFolder, target: string, now: number): number[] {
  const handles: number[] = [];
  let looks = 0;
  // A plain loop, because it visits every file of the folder at each write.
  for (const entry of fs.readdirSync(folder.at(), { withFileTypes: true })) {
    const { name } = entry;
    if (name.endsWith(".md") || !entry.isFile() || name === target || makerOf(name) !== undefined) continue;
    if (++looks > MAX_RIVALS) break;
    try {
      const stat = fs.lstatSync(folder.at(name), { throwIfNoEntry: false });
      const isRecent = stat?.isFile() && stat.ctimeMs > now - RECENT;
      if (isRecent) handles.push(fs.openSync(folder.at(name), O_RDONLY | (O_NONBLOCK ?? 0) | (O_NOFOLLOW ?? 0)));
    } catch {
      // Gone again, or not readable.
    }
  }
  return handles;
}
