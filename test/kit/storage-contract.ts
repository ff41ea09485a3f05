/** What every storage driver promises, as one suite that runs over each of them. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isVaultError, type ErrorCode } from "../../src/errors.js";
import { isObsidianConfig, ROOT, vaultPath, type VaultPath } from "../../src/storage/path.js";
import {
  isUnreadable,
  type Change,
  type FileStat,
  type Revision,
  type Stamp,
  type Storage,
} from "../../src/storage/storage.js";

export interface ContractSubject {
  readonly storage: Storage;
  readonly dispose: () => Promise<void>;
}

/** In what storages may differ. */
export interface ContractTraits {
  /** Whether a folder stays when its last file goes. Default: true. */
  readonly emptyFolders?: boolean;
  /** Whether equal bytes have equal revisions, in any place. Default: true. */
  readonly contentRevisions?: boolean;
  /** So many files are many, fewer where each is much work. Default: 100. */
  readonly many?: number;
}

/** @param open makes a storage over an empty vault */
export function storageContract(
  name: string,
  open: () => Promise<ContractSubject>,
  { emptyFolders = true, contentRevisions = true, many = 100 }: ContractTraits = {},
): void {
  describe(`storage contract: ${name}`, () => {
    let subject: ContractSubject;
    let storage: Storage;
    beforeEach(async () => {
      subject = await open();
      storage = subject.storage;
    });
    afterEach(async () => {
      await storage.close();
      await subject.dispose();
    });

    const put = async (at: string, text: string) => await storage.write(path(at), bytes(text), { kind: "any" });
    const putHidden = async (at: string, text: string) => {
      if (storage.keepsHidden !== false) await put(at, text);
      else await fails(put(at, text), "PERMISSION_DENIED");
    };
    const textOf = async (at: string) => {
      const file = await storage.read(path(at));
      return file && text(file.bytes);
    };

    describe("reading", () => {
      test("what is not there is a value", async () => {
        expect(await storage.read(path("a.md"))).toBeUndefined();
        expect(await storage.stat(path("no/a.md"))).toBeUndefined();
        expect(await storage.children(path("no"))).toBeUndefined();
        expect(await storage.children(ROOT)).toEqual([]);
        expect(await listed(storage)).toEqual([]);
      });

      test("bytes come back as they were written", async () => {
        const content = Uint8Array.from([0, 255, 254, 13, 10, 0xef, 0xbb, 0xbf]);
        const written = await storage.write(path("a.bin"), content, { kind: "absent" });
        const file = await storage.read(path("a.bin"));
        expect(Buffer.compare(file?.bytes ?? Buffer.alloc(0), content)).toBe(0);
        expect(file?.revision).toBe(written.revision);
        expect(file?.stat).toEqual(written.stat);
        expect(written.stat).toMatchObject({ path: "a.bin", size: content.length });
        expect(written.stat.stamp).toHaveLength(storage.stampLength);
        expect(await storage.stat(path("a.bin"))).toEqual(written.stat);
      });

      test("an empty file is a file", async () => {
        await put("empty.md", "");
        expect(await textOf("empty.md")).toBe("");
      });

      test("a folder and what is below a file are no files", async () => {
        await put("a/b.md", "x");
        expect(await storage.read(path("a"))).toBeUndefined();
        expect(await storage.stat(path("a"))).toBeUndefined();
        expect(await storage.read(path("a/b.md/c.md"))).toBeUndefined();
      });

      test("a caller cannot change what is stored", async () => {
        const content = bytes("one");
        await storage.write(path("a.md"), content, { kind: "any" });
        content.fill(0);
        (await storage.read(path("a.md")))?.bytes.fill(0);
        expect(await textOf("a.md")).toBe("one");
      });
    });

    describe("listing", () => {
      test("gives every visible file once, with the stat that a look at the file gives", async () => {
        for (const at of ["a.md", "b/c.md", "b/d/e.txt", "ü/😀.md"]) await put(at, at);
        for (const at of [".trash/a.md", "b/.hidden.md"]) await putHidden(at, at);
        const stats = await listed(storage);
        expect(stats.map((stat) => stat.path)).toEqual(["a.md", "b/c.md", "b/d/e.txt", "ü/😀.md"]);
        for (const stat of stats) expect(await storage.stat(stat.path)).toEqual(stat);
      });

      test("leaves out what is not wanted, and does not ask about what is below an unwanted folder", async () => {
        for (const at of ["a.md", "b/c.md", "b/d/e.md", "f/g.txt"]) await put(at, at);
        const asked: string[] = [];
        const wants = (at: VaultPath, kind: "file" | "folder"): boolean => {
          asked.push(at);
          return kind === "folder" ? at !== "b" : at.endsWith(".md");
        };
        expect((await listed(storage, { wants })).map((stat) => stat.path)).toEqual(["a.md"]);
        expect(asked).not.toContain("b/c.md");
        expect(asked).not.toContain("b/d");
      });

      test("leaves out what the caller knows, if it asks", async () => {
        for (const at of ["a.md", "b/c.md", "b/d/e.txt", "f/g.md"]) await put(at, at);
        const wants = (at: VaultPath): boolean => at !== "f";
        const known: FileStat[] = [];
        const isKnown = (path: VaultPath, stamp: Stamp): boolean => {
          if (path === "a.md") return false;
          known.push({ path, size: path.length, modified: 0, created: 0, stamp: [...stamp] });
          return true;
        };
        const told = (stats: readonly FileStat[]) => stats.map(({ path, stamp }) => ({ path, stamp }));
        const rest = await listed(storage, { wants, isKnown });
        const both = [...rest, ...known].sort((one, other) => (one.path < other.path ? -1 : 1));
        expect(told(both)).toEqual(told(await listed(storage, { wants })));
        expect(rest.map((stat) => stat.path)).toContain("a.md");
      });

      test("stops when the signal aborts", async () => {
        await put("a.md", "x");
        await expect(listed(storage, { signal: AbortSignal.abort() })).rejects.toThrow();
      });

      test("children are what stands directly in a folder", async () => {
        for (const at of ["a.md", "b/c.md", "b/d/e.md"]) await put(at, at);
        await putHidden(".trash/x.md", "x");
        const root = await storage.children(ROOT);
        expect([...(root ?? [])].sort((one, other) => one.path.localeCompare(other.path))).toEqual([
          { name: "a.md", path: "a.md", kind: "file" },
          { name: "b", path: "b", kind: "folder" },
        ]);
        expect((await storage.children(path("b")))?.map((entry) => entry.path).sort()).toEqual(["b/c.md", "b/d"]);
        expect(await storage.children(path("a.md"))).toBeUndefined();
      });
    });

    describe("reading many", () => {
      test("gives what is there, whole, and leaves out what is gone", async () => {
        const all = Array.from({ length: many }, (_, index) => path(`f${index % 7}/n${index}.md`));
        await Promise.all(
          all.map((at) => storage.write(at, bytes(`${at} ${"x".repeat(at.length * 97)}`), { kind: "absent" })),
        );
        const seen = new Map<string, string>();
        for await (const batch of storage.readMany([path("gone.md"), ...all, path("no/gone.md")])) {
          const alone = await Promise.all(
            batch.map((entry) => {
              if (isUnreadable(entry)) throw entry.error;
              seen.set(entry.stat.path, text(entry.bytes));
              return storage.read(entry.stat.path);
            }),
          );
          expect(alone.map((file) => file?.revision)).toEqual(
            batch.map((entry) => "revision" in entry && entry.revision),
          );
        }
        expect([...seen.keys()]).toEqual(all);
        for (const at of all) expect(seen.get(at)).toBe(`${at} ${"x".repeat(at.length * 97)}`);
      });

      test("reads no more than the limit, and then knows no revision", async () => {
        await put("long.md", "0123456789");
        await put("short.md", "012");
        for await (const batch of storage.readMany([path("long.md"), path("short.md")], { limit: 4 })) {
          for (const entry of batch) {
            if (isUnreadable(entry)) throw entry.error;
            const isWhole = entry.stat.path === "short.md";
            expect(text(entry.bytes)).toBe(isWhole ? "012" : "0123");
            expect(entry.stat.size).toBe(isWhole ? 3 : 10);
            if (!isWhole) expect(() => entry.revision).toThrow(RangeError);
          }
        }
      });
    });

    describe("writing", () => {
      test("makes the folders that are missing", async () => {
        await put("a/b/c/d.md", "deep");
        expect(await textOf("a/b/c/d.md")).toBe("deep");
      });

      test("keeps to what the writer expects", async () => {
        const first = await storage.write(path("a.md"), bytes("1"), { kind: "absent" });
        await fails(storage.write(path("a.md"), bytes("2"), { kind: "absent" }), "ALREADY_EXISTS");
        const second = await storage.write(path("a.md"), bytes("2"), { kind: "revision", revision: first.revision });
        await fails(
          storage.write(path("a.md"), bytes("3"), { kind: "revision", revision: first.revision }),
          "CONFLICT",
        );
        await fails(
          storage.write(path("b.md"), bytes("3"), { kind: "revision", revision: first.revision }),
          "CONFLICT",
        );
        expect(second.revision).not.toBe(first.revision);
        expect(second.durable).toBe(true);
        expect(await textOf("a.md")).toBe("2");
        expect(await textOf("b.md")).toBeUndefined();
      });

      test("a changed file has another stamp, an unchanged one the same", async () => {
        const first = await put("a.md", "1");
        const again = await storage.stat(path("a.md"));
        expect(again?.stamp).toEqual(first.stat.stamp);
        const second = await put("a.md", "two");
        expect(second.stat.stamp).not.toEqual(first.stat.stamp);
      });

      test("refuses a folder's path, and a path through a file", async () => {
        await put("a/b.md", "x");
        await fails(put("a", "x"), "ALREADY_EXISTS");
        await fails(put("a/b.md/c.md", "x"), "ALREADY_EXISTS");
        expect(await textOf("a/b.md")).toBe("x");
      });

      test("never writes to Obsidian's settings", async () => {
        const settings = vaultPath(".obsidian/plugins/evil/main.js", { allowHidden: true });
        expect(isObsidianConfig(settings)).toBe(true);
        await put("a.md", "x");
        await fails(storage.write(settings, bytes("x"), { kind: "any" }), "PERMISSION_DENIED");
        await fails(
          storage.update(settings, () => bytes("x")),
          "PERMISSION_DENIED",
        );
        await fails(storage.move(path("a.md"), settings, { kind: "any" }), "PERMISSION_DENIED");
        await fails(storage.remove(settings, { kind: "any" }), "PERMISSION_DENIED");
        expect(await storage.read(settings)).toBeUndefined();
      });

      test("of ten who create one path one succeeds", async () => {
        const tries = Array.from({ length: 10 }, (_, index) =>
          storage.write(path("new/a.md"), bytes(`${index}`), { kind: "absent" }),
        );
        const results = await Promise.allSettled(tries);
        const won = results.findIndex((result) => result.status === "fulfilled");
        expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
        for (const result of results) {
          if (result.status === "rejected") expect(isVaultError(result.reason, "ALREADY_EXISTS")).toBe(true);
        }
        expect(await textOf("new/a.md")).toBe(`${won}`);
      });
    });

    describe("updating", () => {
      test("reads, changes and writes", async () => {
        const created = await storage.update(path("x/a.md"), (current) => (current ? undefined : bytes("1")));
        expect(created?.stat.size).toBe(1);
        const changed = await storage.update(path("x/a.md"), (current) => bytes(`${text(current?.bytes)}2`));
        expect(changed?.revision).toBe((await storage.read(path("x/a.md")))?.revision);
        expect(await textOf("x/a.md")).toBe("12");
      });

      test("changes a file that is no note as well", async () => {
        for (const at of ["x/board.canvas", "x/table.csv", "x/plain"]) {
          await put(at, "1");
          await storage.update(path(at), () => bytes("2"));
          expect(await textOf(at)).toBe("2");
          await put(at, "3");
          expect(await textOf(at)).toBe("3");
        }
      });

      test("writes nothing when there is nothing to change", async () => {
        const before = await put("a.md", "same");
        expect(await storage.update(path("a.md"), () => undefined)).toBeUndefined();
        expect(await storage.update(path("a.md"), () => bytes("same"))).toBeUndefined();
        expect(await storage.update(path("no/b.md"), () => undefined)).toBeUndefined();
        expect(await storage.stat(path("a.md"))).toEqual(before.stat);
        expect(await storage.children(path("no"))).toBeUndefined();
      });

      test("an error in the change is the caller's, and changes nothing", async () => {
        await put("a.md", "1");
        const refuse = (): never => {
          throw new RangeError("no");
        };
        await expect(storage.update(path("a.md"), refuse)).rejects.toThrow(RangeError);
        await expect(storage.update(path("no/b.md"), refuse)).rejects.toThrow(RangeError);
        expect(await textOf("a.md")).toBe("1");
        expect(await storage.children(path("no"))).toBeUndefined();
        await storage.update(path("a.md"), () => bytes("2"));
        expect(await textOf("a.md")).toBe("2");
      });

      test("of twenty parallel updates none is lost", async () => {
        await put("a.md", "");
        const append = async (line: number) =>
          await storage.update(path("a.md"), async (current) => {
            await Promise.resolve();
            return bytes(`${text(current?.bytes)}${line}\n`);
          });
        await Promise.all(Array.from({ length: 20 }, (_, line) => append(line)));
        const lines = (await textOf("a.md"))?.trimEnd().split("\n").map(Number) ?? [];
        expect(lines.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, line) => line));
      });
    });

    describe("removing", () => {
      test("takes the file away, if it is what it should be", async () => {
        const written = await put("b/a.md", "1");
        await fails(storage.remove(path("b/a.md"), { kind: "revision", revision: "other" as Revision }), "CONFLICT");
        await fails(storage.remove(path("b/c.md"), { kind: "any" }), "FILE_NOT_FOUND");
        await fails(storage.remove(path("b"), { kind: "any" }), "FILE_NOT_FOUND");
        expect(await textOf("b/a.md")).toBe("1");
        await storage.remove(path("b/a.md"), { kind: "revision", revision: written.revision });
        expect(await storage.read(path("b/a.md"))).toBeUndefined();
        expect(await storage.children(path("b"))).toEqual(emptyFolders ? [] : undefined);
      });
    });

    describe("moving", () => {
      test("keeps content and modification time, and makes folders", async () => {
        const written = await put("a.md", "1");
        const to = storage.keepsHidden === false ? "trash/x/a.md" : ".trash/x/a.md";
        const expected = { kind: "revision", revision: written.revision } as const;
        const moved = await storage.move(path("a.md"), path(to), expected);
        expect(moved.durable).toBe(true);
        expect(moved.revision).toBe((await storage.read(path(to)))?.revision);
        if (contentRevisions) expect(moved.revision).toBe(written.revision);
        expect(moved.stat).toMatchObject({ path: to, size: 1, modified: written.stat.modified });
        expect(await storage.stat(path(to))).toEqual(moved.stat);
        expect(await textOf("a.md")).toBeUndefined();
        expect(await textOf(to)).toBe("1");
      });

      test("replaces nothing", async () => {
        const written = await put("a.md", "1");
        await put("b.md", "2");
        await put("c/d.md", "3");
        await fails(storage.move(path("a.md"), path("b.md"), { kind: "any" }), "ALREADY_EXISTS");
        await fails(storage.move(path("a.md"), path("c"), { kind: "any" }), "ALREADY_EXISTS");
        await fails(storage.move(path("a.md"), path("a.md"), { kind: "any" }), "ALREADY_EXISTS");
        await fails(storage.move(path("a.md"), path("b.md/x.md"), { kind: "any" }), "ALREADY_EXISTS");
        await fails(storage.move(path("no.md"), path("new/e.md"), { kind: "any" }), "FILE_NOT_FOUND");
        await fails(
          storage.move(path("a.md"), path("new/e.md"), { kind: "revision", revision: "other" as Revision }),
          "CONFLICT",
        );
        expect(await textOf("a.md")).toBe("1");
        expect(await textOf("b.md")).toBe("2");
        expect((await storage.stat(path("a.md")))?.stamp).toEqual(written.stat.stamp);
        expect(await storage.children(path("new"))).toBeUndefined();
      });
    });

    describe("moving a folder", () => {
      const moveFolder = (from: string, to: string) => storage.moveFolder?.(path(from), path(to));

      test("takes everything along, and makes the folders above the new place", async () => {
        if (!storage.moveFolder) return;
        for (const at of ["a/b/c.md", "a/d.png", "a/.hidden/e", "ab/f.md"]) await put(at, at);
        const before = await storage.stat(path("a/b/c.md"));
        expect(await moveFolder("a", "x/y")).toEqual({ durable: true });
        expect((await listed(storage)).map((stat) => stat.path)).toEqual(["ab/f.md", "x/y/b/c.md", "x/y/d.png"]);
        expect(await textOf("x/y/.hidden/e")).toBe("a/.hidden/e");
        expect(await storage.children(path("a"))).toBeUndefined();
        expect(await storage.stat(path("x/y/b/c.md"))).toMatchObject({ size: 8, modified: before?.modified });
        expect(await moveFolder("x/y/b", "a")).toEqual({ durable: true });
        expect(await textOf("a/c.md")).toBe("a/b/c.md");
      });

      test("replaces nothing, moves no file and nothing into itself", async () => {
        if (!storage.moveFolder) return;
        for (const at of ["a/b.md", "c/d.md", "e.md"]) await put(at, at);
        await storage.write(path("empty/x.md"), bytes(""), { kind: "absent" });
        await storage.remove(path("empty/x.md"), { kind: "any" });
        for (const to of ["c", "empty", "e.md", "e.md/x", "a"]) {
          await fails(storage.moveFolder(path("a"), path(to)), "ALREADY_EXISTS");
        }
        await fails(storage.moveFolder(path("a"), path("a/x/y")), "INVALID_ARGUMENT");
        for (const from of ["no", "e.md", "c/no"]) {
          await fails(storage.moveFolder(path(from), path("new/x")), "FILE_NOT_FOUND");
        }
        await fails(storage.moveFolder(path("a"), path(".obsidian/plugins")), "PERMISSION_DENIED");
        await fails(storage.moveFolder(path(".obsidian"), path("open")), "PERMISSION_DENIED");
        expect(await storage.children(path("new"))).toBeUndefined();
        expect(await storage.children(path("a/x"))).toBeUndefined();
        expect((await listed(storage)).map((stat) => stat.path)).toEqual(["a/b.md", "c/d.md", "e.md"]);
      });
    });

    describe("changes", () => {
      test("are announced from the moment the watch stands until the signal aborts", async () => {
        if (!storage.changes) return;
        const stop = new AbortController();
        const feed = storage.changes(stop.signal)[Symbol.asyncIterator]();
        expect(await feed.next()).toEqual({ value: { kind: "unsure" }, done: false });
        const waitFor = async (at: string): Promise<void> => {
          for (;;) {
            const { value, done } = await feed.next();
            expect(done).toBe(false);
            const change = value as Change;
            if (change.kind === "changed") expect(change.path).not.toMatch(/(^|\/)\./);
            if (change.kind === "unsure" || change.path === at) return;
          }
        };
        await putHidden(".trash/hidden.md", "x");
        await put("a.md", "1");
        await waitFor("a.md");
        await put("new/folder/b.md", "1");
        await waitFor("new/folder/b.md");
        await put("new/folder/c.md", "1");
        await waitFor("new/folder/c.md");
        await storage.move(path("a.md"), path("d.md"), { kind: "any" });
        await waitFor("d.md");
        if (await storage.moveFolder?.(path("new/folder"), path("new/named"))) {
          await waitFor("new/named/c.md");
          await put("new/named/e.md", "1");
          await waitFor("new/named/e.md");
        }
        await storage.remove(path("d.md"), { kind: "any" });
        await waitFor("d.md");
        stop.abort();
        for (;;) if ((await feed.next()).done) break;
      });

      test("are announced to each who listens, also when others stop, and to whoever comes after all of them", async () => {
        if (!storage.changes) return;
        const listen = async () => {
          const stop = new AbortController();
          const feed = storage.changes?.(stop.signal);
          if (!feed) throw new Error("it announced changes a moment ago");
          const heard = feed[Symbol.asyncIterator]();
          expect((await heard.next()).value).toEqual({ kind: "unsure" });
          return { stop, feed: heard };
        };
        const hears = async ({ feed }: Awaited<ReturnType<typeof listen>>, at: string): Promise<void> => {
          for (;;) {
            const { value, done } = await feed.next();
            expect(done).toBe(false);
            const change = value as Change;
            if (change.kind === "unsure" || change.path === at) return;
          }
        };
        const [one, other] = await Promise.all([listen(), listen()]);
        await put("a.md", "1");
        await Promise.all([hears(one, "a.md"), hears(other, "a.md")]);
        one.stop.abort();
        for (;;) if ((await one.feed.next()).done) break;
        await put("b.md", "1");
        await hears(other, "b.md");
        await other.feed.return?.();
        const last = await listen();
        await put("c.md", "1");
        await hears(last, "c.md");
        last.stop.abort();
      });
    });
  });
}

const path = (at: string): VaultPath => vaultPath(at, { allowHidden: true });
const bytes = (content: string): Uint8Array => new TextEncoder().encode(content);
const text = (content: Uint8Array | undefined): string => new TextDecoder().decode(content);

async function listed(storage: Storage, options: Parameters<Storage["list"]>[0] = {}) {
  return (await all(storage.list(options))).sort((one, other) => (one.path < other.path ? -1 : 1));
}

export async function fails(promise: Promise<unknown>, ...codes: readonly ErrorCode[]): Promise<void> {
  const outcome = await promise.then(
    () => "no error",
    (error: unknown) => (isVaultError(error) ? error.code : error),
  );
  expect(codes).toContain(outcome);
}

export async function all<Item>(batches: AsyncIterable<readonly Item[]>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const batch of batches) items.push(...batch);
  return items;
}
