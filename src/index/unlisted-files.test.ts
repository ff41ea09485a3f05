import { describe, expect, it } from "vitest";
import { fixedClock } from "../clock.js";
import { silentLog } from "../log.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import { ROOT, vaultPath, type VaultPath } from "../storage/path.js";
import type { Change, FileStat, ListOptions, UnlistedEntry } from "../storage/storage.js";
import { VaultIndex } from "./vault-index.js";
import { SettingsKeeper } from "../obsidian/settings.js";

const closed = (name: string): UnlistedEntry => ({ folder: ROOT, name, kind: "folder", reason: "closed" });

/** A storage with folders that may not be read, and announcements that the test makes. */
class Closable extends MemoryStorage {
  closed = new Set<VaultPath>();
  sweeps = 0;
  #announce: (change: Change) => void = () => {};

  announce(change: Change): void {
    this.#announce(change);
  }

  override list(options: ListOptions = {}): AsyncGenerator<readonly FileStat[]> {
    if (options.wants?.(vaultPath("anywhere"), "folder")) this.sweeps++;
    for (const name of this.closed) if (options.wants?.(name, "folder") ?? true) options.onUnlisted?.(closed(name));
    const wants = (path: VaultPath, kind: "file" | "folder"): boolean =>
      !this.closed.has(path) && (options.wants?.(path, kind) ?? true);
    return super.list({ ...options, wants });
  }

  override async *changes(signal: AbortSignal): AsyncGenerator<Change> {
    yield { kind: "unsure" };
    while (!signal.aborted) yield await new Promise<Change>((resolve) => (this.#announce = resolve));
  }
}

describe("what an index could not list", () => {
  const files = { "open/a.md": "a", "attic/b.md": "b" };
  const attic = vaultPath("attic");
  const closedAttic = [closed("attic")];
  const turns = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    for (let n = 0; n < 4; n++) await new Promise(setImmediate);
  };

  function indexOf(storage: Closable): VaultIndex {
    const settings = new SettingsKeeper(storage);
    const clock = fixedClock("2025-08-30T12:00:00Z");
    const para = async () => ({ projects: [], areas: [], resources: [], archive: [], inbox: [] });
    return new VaultIndex({ storage, clock, subjects: [], settings, para, log: silentLog });
  }

  it("names what a sweep could not list, and no longer once it is open", async () => {
    const storage = new Closable({ files });
    storage.closed.add(attic);
    const index = indexOf(storage);
    const first = await index.refresh();
    expect(first).toMatchObject({ noteCount: 1, unlisted: closedAttic });
    expect((await index.refresh()).generation).toBe(first.generation);
    storage.closed.clear();
    const opened = await index.refresh();
    expect(opened).toMatchObject({ noteCount: 2, unlisted: [] });
    expect(opened.generation).toBeGreaterThan(first.generation);
    expect(first.unlisted).toEqual(closedAttic);
  });

  it("sees while it watches that a folder is open again, without an announcement and without a sweep", async () => {
    const storage = new Closable({ files });
    storage.closed.add(attic);
    const index = indexOf(storage);
    index.startSession();
    await index.refresh();
    await turns();
    await index.refresh();
    storage.sweeps = 0;
    expect((await index.refresh()).unlisted).toEqual(closedAttic);
    storage.closed.clear();
    expect(await index.refresh()).toMatchObject({ noteCount: 2, unlisted: [] });
    expect(storage.sweeps).toBe(0);
    storage.closed.add(attic);
    storage.announce({ kind: "changed", path: attic });
    await turns();
    expect(await index.refresh()).toMatchObject({ noteCount: 1, unlisted: closedAttic });
    await index.close();
  });
});
