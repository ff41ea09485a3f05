/** What undoing says and does when a part of the journal, or the disk under the vault, fails: never more or less than it says. */
import { describe, expect, it } from "vitest";
import { append, at, contents, CLOCK, journalVault, putByHand } from "../../test/kit/journal-vault.js";
import { VaultError } from "../errors.js";
import { MemoryStorage } from "../storage/memory.js";
import type { Vault } from "../vault/vault.js";
import { MemoryPlace } from "./memory-store.js";
import { OPERATIONS } from "./operations.js";
import { drawerOf, keyOf } from "./record.js";

const FILES = { "a.md": "# A", "one.md": "[[a]]", "two.md": "[[a]]" };
const RENAMED = { "b.md": "# A", "one.md": "[[b]]", "two.md": "[[b]]" };
const PLAN = { reason: "rename", from: at("a.md"), to: at("b.md"), files: [at("a.md"), at("one.md"), at("two.md")] };
const relink = (text: string): string => text.replace("[[a]]", "[[b]]");
const drawer = (path: string): string => drawerOf(keyOf(at(path)));

/** @returns whether each step said that it can be taken back */
async function rename(vault: Vault): Promise<boolean[]> {
  const operation = await vault.begin(PLAN);
  const steps = [
    await vault.move(at("a.md"), at("b.md"), "rename", { operation }),
    await vault.edit(at("one.md"), relink, "rename", { operation }),
    await vault.edit(at("two.md"), relink, "rename", { operation }),
  ];
  await operation.done();
  return steps.map(({ undoable }) => undoable);
}

type Call = "add" | "append" | "read" | "list" | "rename" | "remove";

/** A journal of which some calls fail. */
class FailingPlace extends MemoryPlace {
  fails: (call: Call, drawer: string, name?: string) => boolean = () => false;
  /** What `add` waits for before a file is on disk. */
  flushed: Promise<void> = Promise.resolve();

  #check(call: Call, drawer: string, name?: string): void {
    if (this.fails(call, drawer, name)) throw new Error("EACCES");
  }

  override add(...[drawer, name, bytes]: Parameters<MemoryPlace["add"]>): Promise<void> {
    this.#check("add", drawer, name);
    return super.add(drawer, name, bytes).then(() => this.flushed);
  }

  override append(...[drawer, name, bytes]: Parameters<MemoryPlace["append"]>): ReturnType<MemoryPlace["append"]> {
    this.#check("append", drawer, name);
    return super.append(drawer, name, bytes);
  }

  override read(drawer: string, name: string): Uint8Array | undefined {
    this.#check("read", drawer, name);
    return super.read(drawer, name);
  }

  override list(drawer: string): readonly string[] {
    this.#check("list", drawer);
    return super.list(drawer);
  }

  override rename(drawer: string, from: string, to: string): boolean {
    this.#check("rename", drawer, from);
    return super.rename(drawer, from, to);
  }

  override remove(drawer: string, name: string): boolean {
    this.#check("remove", drawer, name);
    return super.remove(drawer, name);
  }
}

function failingVault(files: Readonly<Record<string, string>> = FILES) {
  const place = new FailingPlace();
  return { ...journalVault(files, { place }), place };
}

describe("a rename that cannot be written down", () => {
  it.each([
    ["its file cannot be made", (call: Call, drawer: string) => call === "add" && drawer === OPERATIONS],
    ["its file cannot be added to", (call: Call, drawer: string) => call === "append" && drawer === OPERATIONS],
    ["the step of the move cannot be made", (call: Call, where: string) => call === "add" && where === drawer("b.md")],
  ])("cannot be undone, and says so: %s", async (_how, fails) => {
    const { vault, storage, place } = failingVault();
    place.fails = fails;
    expect(await rename(vault)).toContain(false);
    place.fails = () => false;
    expect(await contents(storage)).toEqual(RENAMED);
    await expect(vault.undo(at("b.md"))).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
    await expect(vault.undo(at("one.md"))).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
    expect(await contents(storage)).toEqual(RENAMED);
  });

  it("but for one note is undone but for that note, which is named", async () => {
    const { vault, storage, place } = failingVault();
    place.fails = (call, where) => call === "add" && where === drawer("two.md");
    expect(await rename(vault)).toEqual([true, true, false]);
    place.fails = () => false;
    expect(await vault.undo(at("b.md"))).toMatchObject({ others: ["one.md"], kept: [{ path: "two.md" }] });
    expect(await contents(storage)).toEqual({ ...FILES, "two.md": "[[b]]" });
  });
});

describe("a journal of which a part cannot be read", () => {
  it("names the note whose step it was", async () => {
    const { vault, storage, place } = failingVault();
    await rename(vault);
    place.fails = (call, where) => call === "read" && where === drawer("one.md");
    expect(await vault.undo(at("b.md"))).toMatchObject({ path: "a.md", kept: [{ path: "one.md" }] });
    expect(await contents(storage)).toEqual({ ...FILES, "one.md": "[[b]]" });
  });

  it("changes nothing when that is the move itself", async () => {
    const { vault, storage, place } = failingVault();
    await rename(vault);
    place.fails = (call, where) => call === "read" && where === drawer("b.md");
    await expect(vault.undo(at("b.md"))).rejects.toMatchObject({ code: "CONFLICT", path: "b.md" });
    expect(await contents(storage)).toEqual(RENAMED);
  });

  it("is told of after a crash, too, when the step of the move is empty", async () => {
    const ended = new Set<string>();
    const dead = new MemoryPlace({ maker: "dead", ended });
    const { vault, storage } = journalVault(FILES, { place: dead });
    const operation = await vault.begin(PLAN);
    await vault.move(at("a.md"), at("b.md"), "rename", { operation });
    for (const name of dead.list(drawer("b.md"))) dead.overwrite(drawer("b.md"), name, new Uint8Array());
    ended.add("dead");
    const next = journalVault({}, { storage, place: new MemoryPlace({ maker: "next", ended, sharedWith: dead }) });
    expect(await next.vault.unfinished()).toMatchObject([{ plan: PLAN, done: [] }]);
    await expect(next.vault.undo(at("b.md"))).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await contents(storage)).toEqual({ ...FILES, "b.md": "# A", "a.md": undefined });
  });
});

describe("a failure in the middle of an undo, or at its end", () => {
  it.each([
    ["a listing", "list"],
    ["a removal", "remove"],
    ["a renaming", "rename"],
  ] as const)("of %s in the journal does not make it look as if nothing was changed", async (_what, call) => {
    const { vault, storage, place } = failingVault({ "a.md": "0" });
    await vault.edit(at("a.md"), append("1"), "first");
    await vault.edit(at("a.md"), append("2"), "second");
    let isBack = false;
    const update = storage.update.bind(storage);
    storage.update = async (...args) => {
      const written = await update(...args);
      isBack = true;
      return written;
    };
    place.fails = (failing) => isBack && failing === call;
    expect(await vault.undo(at("a.md"))).toMatchObject({ path: "a.md", text: "01" });
    place.fails = () => false;
    expect(await vault.undo(at("a.md"))).toMatchObject({ text: "0" });
  });

  it("of the vault's disk after a file was put back counts as what it is", async () => {
    const { vault, storage } = failingVault({ "a.md": "0" });
    await vault.edit(at("a.md"), append("1"), "first");
    await vault.edit(at("a.md"), append("2"), "second");
    const update = storage.update.bind(storage);
    storage.update = async (...args) => {
      await update(...args);
      storage.update = update;
      throw new VaultError("UNAVAILABLE", "The disk reported an error.");
    };
    expect(await vault.undo(at("a.md"))).toMatchObject({ text: "01", file: { durable: false } });
  });

  it("that leaves only the operation's own file behind is no reason to refuse the next undo", async () => {
    const { vault, storage, place } = failingVault();
    await vault.edit(at("a.md"), append("!"), "earlier");
    await rename(vault);
    place.fails = (call, where, name) => call === "remove" && where === OPERATIONS && name?.endsWith(".undo") === true;
    expect(await vault.undo(at("b.md"))).toMatchObject({ path: "a.md", kept: [] });
    place.fails = () => false;
    await expect(vault.undo(at("b.md"))).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
    expect(await contents(storage)).toEqual({ ...FILES, "a.md": "# A!" });
    expect(await vault.undo(at("a.md"))).toMatchObject({ text: "# A", step: { reason: "earlier" } });
  });

  it("is made good by undoing again, which goes no further", async () => {
    const { vault, storage } = failingVault();
    await vault.edit(at("a.md"), append("!"), "earlier");
    await rename(vault);
    const update = storage.update.bind(storage);
    storage.update = async (path, change) => {
      if (path === "one.md") throw new VaultError("UNAVAILABLE", "Too many files are open.");
      return await update(path, change);
    };
    expect(await vault.undo(at("b.md"))).toMatchObject({ path: "a.md", kept: [{ path: "one.md" }] });
    storage.update = update;
    expect(await vault.undo(at("a.md"))).toMatchObject({ kept: [] });
    expect(await contents(storage)).toEqual({ ...FILES, "a.md": "# A!" });
    expect(await vault.undo(at("a.md"))).toMatchObject({ text: "# A" });
  });
});

it("a rename whose old name is taken by now is not undone in part", async () => {
  const { vault, storage } = failingVault();
  await rename(vault);
  await putByHand(storage, "a.md", "another");
  await expect(vault.undo(at("b.md"))).rejects.toMatchObject({ code: "CONFLICT", path: "a.md" });
  expect(await contents(storage)).toEqual({ ...RENAMED, "a.md": "another" });
});

it("every step of an operation is on disk before what it describes", async () => {
  const storage = new MemoryStorage({ files: FILES, clock: CLOCK });
  const place = new FailingPlace();
  const { vault } = journalVault({}, { storage, place });
  const operation = await vault.begin(PLAN);
  let release = (): void => {};
  place.flushed = new Promise((resolve) => (release = resolve));
  const moving = vault.move(at("a.md"), at("b.md"), "rename", { operation });
  const editing = vault.edit(at("one.md"), relink, "rename", { operation });
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await contents(storage)).toEqual(FILES);
  release();
  await Promise.all([moving, editing]);
  expect(await contents(storage)).toEqual({ ...RENAMED, "two.md": "[[a]]" });
});
