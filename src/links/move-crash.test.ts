/** A crash at any point of a move: undoing leads back to the old vault, asking for the same move again to the new one. */
import { describe, expect, test } from "vitest";
import { at, linkVault } from "../../test/kit/link-vault.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import type { Storage } from "../storage/storage.js";
import type { CompanionsOf } from "../vault/new-path.js";
import { MemoryJournalStorage } from "../history/connection.js";
import { HookedPlace } from "../../test/kit/hooked-journal.js";

/** A process that dies with a certain write, which is still done; whatever it asks of the disk afterwards is not. */
class Life {
  /** Settles with its death. */
  readonly death: Promise<"crashed">;
  /** How often the disk was asked to change something. */
  used = 0;
  #left: number;
  #isDead = false;
  #tell: (word: "crashed") => void = () => {};

  constructor(left: number) {
    this.#left = left;
    this.death = new Promise((resolve) => (this.#tell = resolve));
  }

  /** The same thing, as this process changes it. */
  of<Thing extends object>(thing: Thing, writes: readonly (keyof Thing)[]): Thing {
    return new Proxy(thing, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== "function") return value;
        const call = (...args: unknown[]): unknown =>
          Reflect.apply(
            value,
            target,
            args.map((arg) => this.#own(arg)),
          );
        return writes.some((write) => write === key) ? (...args: unknown[]) => this.#write(() => call(...args)) : call;
      },
    });
  }

  /** A transaction of the journal. Those that a write already begun needs are still made. */
  commit<Result>(work: () => Result): Result {
    this.used += 1;
    if (this.#isDead) throw new Error("dead");
    this.#left -= 1;
    const done = work();
    if (this.#left === 0) this.#die();
    return done;
  }

  /** What the dead was about to say is never said. */
  #own(arg: unknown): unknown {
    if (typeof arg !== "function") return arg;
    return async (...args: unknown[]): Promise<unknown> => {
      const answer: unknown = await Reflect.apply(arg, undefined, args);
      return this.#isDead ? await new Promise(() => {}) : answer;
    };
  }

  #write(call: () => unknown): unknown {
    this.used += 1;
    this.#left -= 1;
    const done = this.#left < 0 ? undefined : call();
    if (this.#left > 0) return done;
    if (done instanceof Promise) void done.finally(() => this.#die());
    else this.#die();
    // Nobody hears the answer.
    return new Promise(() => {});
  }

  #die(): void {
    this.#isDead = true;
    this.#tell("crashed");
  }
}

const STORAGE_WRITES = ["write", "update", "remove", "move", "moveFolder"] as const;

const FILES = {
  "a/Old.md": "[[Old]] [s](s.md) [[../r]]\r\n",
  "a/s.md": "[[Old]]",
  "r.md": '---\nup: "[[Old]]"\n---\n[[a/Old]]',
  "b/New.md": "",
  "b/x.md": "[[New]] [[Old|x]] ![[Old]]",
  "c.canvas": '{"nodes":[{"type":"file","file":"a/Old.md"}]}',
};

/** What a crash after so many writes leaves; undefined when the move got through. */
async function crashed(
  writes: number,
  from: string,
  to: string,
  {
    files = FILES,
    companionsOf,
  }: { readonly files?: Record<string, string>; readonly companionsOf?: CompanionsOf } = {},
) {
  const storage = new MemoryStorage({ files });
  const place = new HookedPlace({ maker: "first" });
  const life = new Life(writes);
  place.commit = (work) => life.commit(work);
  const first = linkVault({}, { storage: life.of<Storage>(storage, STORAGE_WRITES), place, companionsOf });
  const outcome = await Promise.race([first.move(from, to).then(() => "moved"), life.death]);
  const next = new MemoryJournalStorage({ maker: "second", ended: new Set(["first"]), sharedWith: place });
  // Not the same storage: the dead one's turns in it never end.
  const left = await linkVault({}, { storage }).contents();
  return { outcome, used: life.used, after: linkVault(left, { place: next, companionsOf }) };
}

describe.each([
  ["a note into another folder", "a/Old.md", "b/Newer.md"],
  ["a note to a name that is taken elsewhere", "a/Old.md", "a/New.md"],
  ["a folder", "a", "z/a"],
])("%s", (_, from, to) => {
  test("a crash at any write is taken back or finished", async () => {
    const before = await linkVault(FILES).contents();
    const whole = await crashed(Infinity, from, to);
    const finished = await whole.after.contents();
    expect(whole.outcome).toBe("moved");
    expect(whole.used).toBeGreaterThan(8);
    const seen = new Set<string>();
    for (let left = 0; left <= whole.used; left += 1) {
      const undone = await crashed(left, from, to);
      const texts = await undone.after.contents();
      for (const [path, text] of Object.entries(texts)) {
        const wholes = [before, finished].map((state) => state[path]);
        const unmoved = path.startsWith(to) ? before[path.replace(to, from)] : undefined;
        expect([...wholes, unmoved]).toContain(text);
      }
      const [interrupted] = await undone.after.vault.history.unfinished();
      const isOld = JSON.stringify(texts) === JSON.stringify(before);
      const isNew = JSON.stringify(texts) === JSON.stringify(finished);
      if (!isOld && !isNew) expect(interrupted?.plan).toMatchObject({ from, to });
      seen.add(isOld ? "old" : isNew ? "new" : "between");
      if (interrupted) {
        await undone.after.vault.history.undo(at(to));
        expect(await undone.after.contents()).toEqual(before);
        expect(await undone.after.vault.history.unfinished()).toEqual([]);
      }
      const again = await crashed(left, from, to);
      if (!isNew || interrupted) expect(await again.after.move(from, to)).toMatchObject({ from, to, skipped: [] });
      expect(await again.after.contents()).toEqual(finished);
      expect(await again.after.vault.history.unfinished()).toEqual([]);
    }
    expect([...seen].sort()).toEqual(["between", "new", "old"]);
  });
});

test("a project's note with its folder and plain names: a crash at any write is taken back or finished", async () => {
  const files = {
    "p/K/K.md": "[[s]] [s](s.md)",
    "p/K/s.md": "[[K]] [k](K.md)",
    "p/t.md": "---\nprojects: K\n---\n[[K/s]] [[p/K/K]]",
    "r.md": "[[K]]",
  };
  const companionsOf: CompanionsOf = async ({ isMoved }) => ({
    folder: isMoved ? undefined : { from: at("p/K"), to: at("p/B") },
    named: [at("p/t.md")],
    rename: (text) => text.replace("projects: K", "projects: B"),
    oldNames: [],
  });
  const start = (left: number) => crashed(left, "p/K/K.md", "p/K/B.md", { files, companionsOf });
  const before = await linkVault(files).contents();
  const whole = await start(Infinity);
  const finished = await whole.after.contents();
  expect(finished).toEqual({
    "p/B/B.md": "[[s]] [s](s.md)",
    "p/B/s.md": "[[B]] [k](B.md)",
    "p/t.md": "---\nprojects: B\n---\n[[p/B/s]] [[p/B/B]]",
    "r.md": "[[B]]",
  });
  for (let left = 0; left <= whole.used; left += 1) {
    const undone = await start(left);
    const [interrupted] = await undone.after.vault.history.unfinished();
    if (interrupted) {
      await undone.after.vault.history.undoOperation(interrupted.id);
      expect(await undone.after.contents()).toEqual(before);
      expect(await undone.after.vault.history.unfinished()).toEqual([]);
    }
    const again = await start(left);
    const isNew = JSON.stringify(await again.after.contents()) === JSON.stringify(finished);
    if (!isNew || interrupted)
      expect(await again.after.move("p/K/K.md", "p/K/B.md")).toMatchObject({ to: "p/B/B.md", skipped: [] });
    expect(await again.after.contents()).toEqual(finished);
    expect(await again.after.vault.history.unfinished()).toEqual([]);
  }
});

test("a note that another program changed after the crash keeps that change", async () => {
  for (let left = 0; ; left += 1) {
    const { outcome, after } = await crashed(left, "a/Old.md", "b/Newer.md");
    if (outcome === "moved") break;
    const [interrupted] = await after.vault.history.unfinished();
    if (!interrupted?.missing.includes(at("b/x.md"))) continue;
    await after.put("b/x.md", "new [[Old#h]] [[New]]");
    await after.move("a/Old.md", "b/Newer.md");
    expect((await after.contents())["b/x.md"]).toBe("new [[Newer#h]] [[New]]");
  }
});
