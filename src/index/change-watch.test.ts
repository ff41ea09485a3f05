import { describe, expect, it } from "vitest";
import { fixedClock } from "../clock.js";
import { silentLog } from "../log.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import { ROOT, vaultPath, type VaultPath } from "../storage/path.js";
import type { Change, FileStat, ListOptions } from "../storage/storage.js";
import { textsIn, textSubject } from "../../test/kit/text-subject.js";
import { ChangeWatch } from "./change-watch.js";
import { VaultIndex } from "./vault-index.js";
import { SettingsKeeper } from "../obsidian/settings.js";

const at = (path: string): VaultPath => vaultPath(path);

/** A storage whose announcements the test makes. */
class Announcing extends MemoryStorage {
  sweeps = 0;
  failSweeps = false;
  #wake: (() => void) | undefined;
  readonly #queue: (Change | Error)[] = [];

  announce(...changes: (Change | Error)[]): void {
    this.#queue.push(...changes);
    this.#wake?.();
  }

  override list(options?: ListOptions): AsyncGenerator<readonly FileStat[]> {
    this.sweeps++;
    if (this.failSweeps) throw new Error("the disk is gone");
    return super.list(options);
  }

  override async *changes(signal: AbortSignal): AsyncGenerator<Change> {
    signal.addEventListener("abort", () => this.#wake?.());
    while (!signal.aborted) {
      const change = this.#queue.shift();
      if (change instanceof Error) throw change;
      if (change) yield change;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

const turns = async (): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve, 3));
  for (let n = 0; n < 3; n++) await new Promise(setImmediate);
};
const changed = (path: string): Change => ({ kind: "changed", path: at(path) });
const unsure: Change = { kind: "unsure" };

describe("what is in doubt", () => {
  it("is everything until the watch is established, and once after that", async () => {
    const storage = new Announcing();
    const watch = new ChangeWatch(storage, silentLog);
    expect([await watch.take(), await watch.take()]).toEqual(["everything", "everything"]);
    storage.announce(unsure);
    await turns();
    expect([await watch.take(), await watch.take()]).toEqual(["everything", new Set()]);
    watch.stop();
    expect(await watch.take()).toBe("everything");
  });

  it("is each path that was announced, or everything when an announcement was lost or there are too many", async () => {
    const storage = new Announcing();
    const watch = new ChangeWatch(storage, silentLog);
    storage.announce(unsure);
    await turns();
    await watch.take();
    storage.announce(changed("a.md"), changed("b.md"), changed("a.md"));
    expect(await watch.take()).toEqual(new Set(["a.md", "b.md"]));
    storage.announce(changed("a.md"), unsure, changed("b.md"));
    expect([await watch.take(), await watch.take()]).toEqual(["everything", new Set()]);
    storage.announce(...Array.from({ length: 1000 }, (_, n) => changed(`${n}.md`)));
    expect(await watch.take()).toBe("everything");
    watch.stop();
  });

  it("comes back when it could not be resolved", async () => {
    const storage = new Announcing();
    const watch = new ChangeWatch(storage, silentLog);
    storage.announce(unsure);
    await turns();
    await watch.take();
    storage.announce(changed("a.md"));
    watch.giveBack(await watch.take());
    storage.announce(changed("b.md"));
    expect(await watch.take()).toEqual(new Set(["a.md", "b.md"]));
    watch.giveBack("everything");
    expect(await watch.take()).toBe("everything");
    watch.stop();
  });

  it("is everything for ever when the watch breaks", async () => {
    const storage = new Announcing();
    const watch = new ChangeWatch(storage, silentLog);
    storage.announce(unsure);
    await turns();
    await watch.take();
    storage.announce(new Error("too many watches"));
    expect([await watch.take(), await watch.take()]).toEqual(["everything", "everything"]);
  });
});

describe("an index that watches", () => {
  function indexOf(storage: Announcing): VaultIndex {
    const clock = fixedClock("2025-08-30T12:00:00Z");
    const settings = new SettingsKeeper(storage);
    const para = async () => ({ projects: [], areas: [], resources: [], archive: [], inbox: [] });
    return new VaultIndex({ storage, clock, subjects: [textSubject()], settings, para, log: silentLog });
  }

  async function watching() {
    const storage = new Announcing({ files: { "a.md": "1", "b.md": "1" } });
    const index = indexOf(storage);
    const texts = async () => textsIn(await index.refresh());
    index.startSession();
    await index.refresh();
    storage.announce(unsure);
    await turns();
    await index.refresh();
    storage.sweeps = 0;
    return { storage, index, texts };
  }
  const write = (storage: Announcing, path: string, text: string) =>
    storage.write(at(path), new TextEncoder().encode(text), { kind: "any" });

  it("watches from its first refresh on, and not before", async () => {
    const storage = new Announcing({ files: { "a.md": "1" } });
    let watched = false;
    storage.changes = async function* (signal) {
      watched = true;
      yield unsure;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    };
    const index = indexOf(storage);
    index.startSession();
    await turns();
    expect(watched).toBe(false);
    await index.refresh();
    expect([watched, storage.sweeps]).toEqual([true, 1]);
    await index.refresh();
    expect(storage.sweeps).toBe(1);
    await index.close();
  });

  it("reads only what was announced, and everything when the storage is unsure", async () => {
    const { storage, index, texts } = await watching();
    await write(storage, "a.md", "2");
    await write(storage, "b.md", "2");
    storage.announce(changed("a.md"));
    expect(await texts()).toEqual({ "a.md": "2", "b.md": "1" });
    expect(storage.sweeps).toBe(0);
    storage.announce(unsure);
    expect(await texts()).toEqual({ "a.md": "2", "b.md": "2" });
    expect(storage.sweeps).toBe(1);
    await index.close();
  });

  it("lists a folder of which only the name was announced, whether it came or went", async () => {
    const { storage, index, texts } = await watching();
    for (const path of ["old/x.md", "old/deep/y.md", "older/z.md"]) await write(storage, path, "2");
    storage.announce(changed("old"), changed("older"));
    expect(Object.keys(await texts()).length).toBe(5);
    for (const path of ["old/x.md", "old/deep/y.md"]) await storage.remove(at(path), { kind: "any" });
    await write(storage, "new/x.md", "3");
    await write(storage, "a.md", "3");
    storage.announce(changed("old"), changed("new"));
    expect(await texts()).toEqual({ "a.md": "1", "b.md": "1", "older/z.md": "2", "new/x.md": "3" });
    expect(storage.sweeps).toBe(2);
    await index.close();
  });

  it("lists everything when the vault itself or very many new names were announced", async () => {
    const { storage, index, texts } = await watching();
    await write(storage, "a.md", "2");
    storage.announce({ kind: "changed", path: ROOT });
    expect(await texts()).toMatchObject({ "a.md": "2" });
    for (let n = 0; n < 20; n++) await write(storage, `new/${n}.md`, "n");
    storage.announce(...Array.from({ length: 20 }, (_, n) => changed(`new/${n}.md`)));
    expect(Object.keys(await texts()).length).toBe(22);
    await index.close();
  });

  it("forgets no doubt when a sweep fails", async () => {
    const { storage, index, texts } = await watching();
    await write(storage, "a.md", "2");
    storage.announce(unsure);
    storage.failSweeps = true;
    await expect(texts()).rejects.toThrow("the disk is gone");
    storage.failSweeps = false;
    expect(await texts()).toEqual({ "a.md": "2", "b.md": "1" });
    await index.close();
  });

  it("sweeps before every answer once the watch broke", async () => {
    const { storage, texts } = await watching();
    storage.announce(new Error("too many watches"));
    await write(storage, "b.md", "3");
    expect(await texts()).toMatchObject({ "b.md": "3" });
    await write(storage, "b.md", "4");
    expect(await texts()).toMatchObject({ "b.md": "4" });
  });
});
