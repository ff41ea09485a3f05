/** What undoing says and does when a part of the journal, or the disk under the vault, fails: never more or less than it says. */
import { describe, expect, it } from "vitest";
import { append, at, contents, CLOCK, journalVault, putByHand } from "../../test/kit/journal-vault.js";
import { HookedPlace, type StatementRun } from "../../test/kit/hooked-journal.js";
import { VaultError } from "../errors.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import type { ChangeBytes, Storage } from "../storage/storage.js";
import type { Vault } from "../vault/vault.js";

const FILES = { "a.md": "# A", "one.md": "[[a]]", "two.md": "[[a]]" };
const RENAMED = { "b.md": "# A", "one.md": "[[b]]", "two.md": "[[b]]" };
const PLAN = { reason: "rename", from: at("a.md"), to: at("b.md"), files: [at("a.md"), at("one.md"), at("two.md")] };
const relink = (text: string): string => text.replace("[[a]]", "[[b]]");

/** @returns whether each step said that it can be taken back */
async function rename(vault: Vault): Promise<boolean[]> {
  const operation = await vault.history.begin(PLAN);
  const steps = [
    await vault.writing.move(at("a.md"), at("b.md"), "rename", { operation }),
    await vault.writing.edit(at("one.md"), relink, "rename", { operation }),
    await vault.writing.edit(at("two.md"), relink, "rename", { operation }),
  ];
  await operation.done();
  return steps.map(({ undoable }) => undoable);
}

const INSERT_STEP = "INSERT INTO steps";
const INSERT_OPERATION = "INSERT INTO operations";

/** Fails whatever is found in a statement's text and values. */
const failing =
  (...parts: readonly string[]) =>
  ({ sql, values }: StatementRun): void => {
    if (parts.every((part) => sql.includes(part) || values.includes(part))) throw new Error("EIO");
  };
const nothing = (): void => {};

function failingVault(files: Readonly<Record<string, string>> = FILES) {
  const place = new HookedPlace();
  return { ...journalVault(files, { place }), place };
}

describe("a rename that cannot be written into the journal", () => {
  it.each([
    ["the operation cannot be added", failing(INSERT_OPERATION)],
    ["the step of the move cannot be added", failing(INSERT_STEP, "b.md")],
    ["a step cannot even be noted as lost", failing(INSERT_STEP, "two.md")],
  ])("cannot be undone, and says so: %s", async (_how, fails) => {
    const { vault, storage, place } = failingVault();
    place.before = fails;
    expect(await rename(vault)).toContain(false);
    place.before = nothing;
    expect(await contents(storage)).toEqual(RENAMED);
    await expect(vault.history.undo(at("b.md"))).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
    await expect(vault.history.undo(at("one.md"))).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
    expect(await contents(storage)).toEqual(RENAMED);
  });

  it("but for one note is undone but for that note, which is named", async () => {
    const { vault, storage, place } = failingVault();
    place.before = failing(INSERT_STEP, "two.md", "open");
    expect(await rename(vault)).toEqual([true, true, false]);
    place.before = nothing;
    expect(await vault.history.undo(at("b.md"))).toMatchObject({ others: ["one.md"], kept: [{ path: "two.md" }] });
    expect(await contents(storage)).toEqual({ ...FILES, "two.md": "[[b]]" });
  });
});

describe("a journal of which a part cannot be read", () => {
  it("takes back all of the rename, names what is left, or refuses, whichever single statement fails", async () => {
    for (let failingAt = 1; ; failingAt++) {
      const { vault, storage, place } = failingVault();
      await rename(vault);
      let count = 0;
      place.before = () => {
        if (++count === failingAt) throw new Error("EIO");
      };
      const outcome = await vault.history.undo(at("b.md")).catch((error: unknown) => error);
      place.before = nothing;
      if (count < failingAt) break;
      const now = await contents(storage);
      if (outcome instanceof VaultError) expect(now).toEqual(RENAMED);
      else {
        const left = Object.entries(now).flatMap(([path, text]) => (text === "[[b]]" || path === "b.md" ? [path] : []));
        expect(outcome).toMatchObject({ kept: left.map((path) => ({ path })) });
        await vault.history.undo(at("a.md")).catch(() => undefined);
        expect(await contents(storage)).toEqual(FILES);
      }
    }
  });

  it("changes nothing when a former text is damaged, and names the note", async () => {
    const { vault, storage, place } = failingVault();
    await rename(vault);
    const database = await place.open();
    database?.prepare("UPDATE steps SET image = 'x' WHERE path = 'one.md'").run();
    expect(await vault.history.undo(at("b.md"))).toMatchObject({ path: "a.md", kept: [{ path: "one.md" }] });
    expect(await contents(storage)).toEqual({ ...FILES, "one.md": "[[b]]" });
  });

  it("leads nowhere but to paths of the vault", async () => {
    const { vault, storage, place } = failingVault();
    await vault.writing.move(at("a.md"), at("c.md"), "test");
    const database = await place.open();
    database?.prepare("UPDATE steps SET source = '../a.md'").run();
    await expect(vault.history.undo(at("c.md"))).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(await contents(storage)).toMatchObject({ "c.md": "# A" });
  });
});

describe("a failure in the middle of an undo, or at its end", () => {
  it("in the journal does not make it look as if nothing was changed", async () => {
    const { vault, storage, place } = failingVault({ "a.md": "0" });
    await vault.writing.edit(at("a.md"), append("1"), "first");
    await vault.writing.edit(at("a.md"), append("2"), "second");
    const update = storage.update.bind(storage);
    storage.update = async (...args) => {
      const written = await update(...args);
      place.before = () => {
        throw new Error("EIO");
      };
      return written;
    };
    expect(await vault.history.undo(at("a.md"))).toMatchObject({ path: "a.md", text: "01" });
    storage.update = update;
    place.before = nothing;
    expect(await vault.history.undo(at("a.md"))).toMatchObject({ text: "0" });
  });

  it("of the vault's disk after a file was put back counts as what it is", async () => {
    const { vault, storage } = failingVault({ "a.md": "0" });
    await vault.writing.edit(at("a.md"), append("1"), "first");
    await vault.writing.edit(at("a.md"), append("2"), "second");
    const update = storage.update.bind(storage);
    storage.update = async (...args) => {
      await update(...args);
      storage.update = update;
      throw new VaultError("UNAVAILABLE", "The disk reported an error.");
    };
    expect(await vault.history.undo(at("a.md"))).toMatchObject({ text: "01", file: { durable: false } });
  });

  /** The call is carried out, but its answer is lost, and nothing can be read until `heal`. */
  function lost(storage: Storage, call: "move" | "update", work: (...args: never[]) => Promise<unknown>) {
    const away = new VaultError("UNAVAILABLE", "The server cannot be reached.");
    const unknown = new VaultError("UNAVAILABLE", "It is unknown whether 'a.md' was changed.", { path: "a.md" });
    const heal = () => [call, "read", "stat"].forEach((name) => Reflect.deleteProperty(storage, name));
    Reflect.set(storage, call, async (...args: never[]) => {
      await work(...args);
      storage.read = () => Promise.reject(away);
      storage.stat = () => Promise.reject(away);
      throw unknown;
    });
    return heal;
  }

  it("after which nothing can be read leaves it to the next undo to judge what was made", async () => {
    const { vault, storage } = failingVault({ "a.md": "0" });
    await vault.writing.edit(at("a.md"), append("1"), "first");
    await vault.writing.edit(at("a.md"), append("2"), "second");
    const heal = lost(storage, "update", storage.update.bind(storage));
    await expect(vault.history.undo(at("a.md"))).rejects.toThrow("It is unknown whether 'a.md' was changed.");
    heal();
    expect(await contents(storage)).toEqual({ "a.md": "01" });
    expect(await vault.history.undo(at("a.md"))).toMatchObject({ text: "0" });
  });

  it("that leaves a file under both names is made good by undoing again", async () => {
    const { vault, storage } = failingVault();
    await rename(vault);
    const heal = lost(storage, "move", () => putByHand(storage, "a.md", "# A"));
    await vault.history.undo(at("b.md"));
    heal();
    expect(await vault.history.undo(at("b.md"))).toMatchObject({ path: "a.md", kept: [] });
    expect(await contents(storage)).toEqual({ ...FILES, ".trash/b.md": "# A" });
  });

  it("that cannot judge a step which was never made leaves it to the next undo", async () => {
    const { vault, storage } = failingVault();
    const read = storage.read.bind(storage);
    let heal = nothing;
    const work = vault.history.runOperation({ reason: "two", files: [at("a.md"), at("one.md")] }, async (operation) => {
      await vault.writing.edit(at("a.md"), append("!"), "two", { operation });
      heal = lost(storage, "update", async (_path: string, change: ChangeBytes) => {
        await change(await read(at("one.md")));
      });
      await vault.writing.edit(at("one.md"), relink, "two", { operation });
    });
    await expect(work).rejects.toMatchObject({ message: expect.stringContaining("not undone: 'one.md', 'a.md'") });
    heal();
    const last = await vault.history.lastChange();
    if (last?.kind !== "operation") throw new Error("the operation is gone");
    expect(await vault.history.undoOperation(last.id)).toMatchObject({ reverted: ["a.md"], kept: [] });
    expect(await contents(storage)).toEqual(FILES);
  });

  it("that leaves only the operation behind is no reason to refuse the next undo", async () => {
    const { vault, storage, place } = failingVault();
    await vault.writing.edit(at("a.md"), append("!"), "earlier");
    await rename(vault);
    place.before = failing("DELETE FROM operations WHERE number = ?");
    expect(await vault.history.undo(at("b.md"))).toMatchObject({ path: "a.md", kept: [] });
    place.before = nothing;
    await expect(vault.history.undo(at("b.md"))).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
    expect(await contents(storage)).toEqual({ ...FILES, "a.md": "# A!" });
    expect(await vault.history.undo(at("a.md"))).toMatchObject({ text: "# A", step: { reason: "earlier" } });
  });

  it("is made good by undoing again, which goes no further", async () => {
    const { vault, storage } = failingVault();
    await vault.writing.edit(at("a.md"), append("!"), "earlier");
    await rename(vault);
    const update = storage.update.bind(storage);
    storage.update = async (path, change) => {
      if (path === "one.md") throw new VaultError("UNAVAILABLE", "Too many files are open.");
      return await update(path, change);
    };
    expect(await vault.history.undo(at("b.md"))).toMatchObject({ path: "a.md", kept: [{ path: "one.md" }] });
    storage.update = update;
    expect(await vault.history.undo(at("a.md"))).toMatchObject({ kept: [] });
    expect(await contents(storage)).toEqual({ ...FILES, "a.md": "# A!" });
    expect(await vault.history.undo(at("a.md"))).toMatchObject({ text: "# A" });
  });
});

describe("a change that failed although it was made", () => {
  it.each([
    ["a move", "move", (vault: Vault) => vault.writing.move(at("a.md"), at("b.md"), "test"), "b.md"],
    [
      "a deletion for good",
      "remove",
      (vault: Vault) => vault.writing.delete(at("a.md"), "test", { permanent: true }),
      "a.md",
    ],
    ["a deletion", "move", (vault: Vault) => vault.writing.delete(at("a.md"), "test"), "a.md"],
    ["a new file", "write", (vault: Vault) => vault.writing.create(at("n.md"), "n", "test"), "n.md"],
    ["an edit", "update", (vault: Vault) => vault.writing.edit(at("a.md"), append("!"), "test"), "a.md"],
  ] as const)("is reported as made, and can be undone: %s", async (_what, call, change, path) => {
    const { vault, storage } = failingVault();
    const real: (...args: never[]) => Promise<unknown> = storage[call].bind(storage);
    Reflect.set(storage, call, async (...args: never[]) => {
      await real(...args);
      Reflect.deleteProperty(storage, call);
      throw new VaultError("UNAVAILABLE", "The disk reported an error (EIO).");
    });
    expect(await change(vault)).toMatchObject({ undoable: true });
    await vault.history.undo(at(path));
    expect(await contents(storage)).toMatchObject(FILES);
  });
});

it("a rename whose old name is taken by now is not undone in part", async () => {
  const { vault, storage } = failingVault();
  await rename(vault);
  await putByHand(storage, "a.md", "another");
  await expect(vault.history.undo(at("b.md"))).rejects.toMatchObject({ code: "CONFLICT", path: "a.md" });
  expect(await contents(storage)).toEqual({ ...RENAMED, "a.md": "another" });
});

it("every step of an operation is in the journal before its change is made", async () => {
  const storage = new MemoryStorage({ files: FILES, clock: CLOCK });
  const place = new HookedPlace();
  const { vault } = journalVault({}, { storage, place });
  const operation = await vault.history.begin(PLAN);
  const seen: unknown[] = [];
  place.before = ({ sql }) => {
    if (sql.startsWith(INSERT_STEP)) seen.push("step");
  };
  const move = storage.move.bind(storage);
  storage.move = async (...args) => {
    seen.push("move");
    return await move(...args);
  };
  await vault.writing.move(at("a.md"), at("b.md"), "rename", { operation });
  expect(seen).toEqual(["step", "move"]);
});
