/** Nothing outside the vault is read, listed or written, whatever stands in the vault: links, FIFOs, sockets, flipped folders. */
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import nodePath from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fails } from "../../../test/kit/storage-contract.js";
import { TemporaryVault } from "../../../test/kit/temporary-vault.js";
import { isVaultError } from "../../errors.js";
import { ROOT, vaultPath, type VaultPath } from "../path.js";
import { isUnreadable } from "../storage.js";
import type { FilesystemStorage } from "./storage.js";

const SECRET = "SECRET-OUT";

let vault: TemporaryVault;
let storage: FilesystemStorage;

beforeEach(async () => {
  vault = new TemporaryVault({ "notes/a.md": "note", "real/b.md": "b", ".obsidian/app.json": "CONF" });
  fs.writeFileSync(nodePath.join(vault.base, "out.md"), SECRET);
  fs.mkdirSync(nodePath.join(vault.base, "outside"));
  fs.writeFileSync(nodePath.join(vault.base, "outside", "s.md"), SECRET);
  storage = await vault.open();
});
afterEach(async () => {
  await storage.close();
  vault.remove();
});

const hidden = (text: string): VaultPath => vaultPath(text, { allowHidden: true });
const link = (target: string, at: string): void => fs.symlinkSync(target, vault.at(at));

/** Every way to touch a path is refused, and the outside stays as it was. */
async function expectClosed(text: string): Promise<void> {
  const path = hidden(text);
  const change = (): never => {
    throw new Error("was shown the file");
  };
  await fails(storage.read(path), "PERMISSION_DENIED");
  await fails(storage.stat(path), "PERMISSION_DENIED");
  await fails(storage.write(path, Buffer.from("x"), { kind: "any" }), "PERMISSION_DENIED");
  await fails(storage.update(path, change), "PERMISSION_DENIED");
  await fails(storage.remove(path, { kind: "any" }), "PERMISSION_DENIED");
  await fails(storage.move(path, vaultPath("moved.md"), { kind: "any" }), "PERMISSION_DENIED");
  await fails(storage.move(vaultPath("notes/a.md"), path, { kind: "any" }), "PERMISSION_DENIED", "ALREADY_EXISTS");
  for await (const batch of storage.readMany([path])) {
    for (const entry of batch) expect(isUnreadable(entry) && entry.error.code).toBe("PERMISSION_DENIED");
  }
  expect(fs.existsSync(vault.at("moved.md"))).toBe(false);
  expect(fs.readFileSync(vault.at("notes/a.md"), "utf8")).toBe("note");
  expect(fs.readFileSync(nodePath.join(vault.base, "out.md"), "utf8")).toBe(SECRET);
}

describe("links", () => {
  test("a file link out of the vault", async () => {
    link("../out.md", "ln.md");
    await expectClosed("ln.md");
    expect(fs.readlinkSync(vault.at("ln.md"))).toBe("../out.md");
  });

  test("a folder link out of the vault", async () => {
    link("..", "up");
    await expectClosed("up/out.md");
    await fails(storage.write(vaultPath("up/new.md"), Buffer.from("x"), { kind: "absent" }), "PERMISSION_DENIED");
    await fails(storage.write(vaultPath("up/new/new.md"), Buffer.from("x"), { kind: "absent" }), "PERMISSION_DENIED");
    await fails(storage.children(vaultPath("up")), "PERMISSION_DENIED");
    expect(
      fs
        .readdirSync(vault.base)
        .filter((name) => name !== "locks")
        .sort(),
    ).toEqual(["out.md", "outside", "vault"]);
  });

  test("an absolute link to the vault's own sibling of the same beginning", async () => {
    fs.mkdirSync(`${vault.folder}-evil`);
    fs.writeFileSync(`${vault.folder}-evil/s.md`, SECRET);
    link(`${vault.folder}-evil`, "evil");
    await expectClosed("evil/s.md");
  });

  test("a link to a hidden folder of the vault", async () => {
    link(".obsidian", "cfg");
    await expectClosed("cfg/app.json");
  });

  test("a link that leads nowhere is no file, and nothing is made through it", async () => {
    link("../new.md", "dl.md");
    expect(await storage.read(vaultPath("dl.md"))).toBeUndefined();
    await fails(storage.write(vaultPath("dl.md"), Buffer.from("x"), { kind: "any" }), "PERMISSION_DENIED");
    expect(fs.existsSync(nodePath.join(vault.base, "new.md"))).toBe(false);
    expect(fs.lstatSync(vault.at("dl.md")).isSymbolicLink()).toBe(true);
  });

  test("links in a circle", async () => {
    link("two.md", "one.md");
    link("one.md", "two.md");
    await expectClosed("one.md");
  });

  test("a link inside the vault is followed for reading and writing, and stays a link", async () => {
    link("notes/a.md", "alias.md");
    link("real", "folder-alias");
    const file = await storage.read(vaultPath("alias.md"));
    expect(Buffer.from(file?.bytes ?? []).toString()).toBe("note");
    expect(file?.stat.path).toBe("alias.md");
    await storage.update(vaultPath("alias.md"), () => Buffer.from("changed"));
    expect(fs.readFileSync(vault.at("notes/a.md"), "utf8")).toBe("changed");
    expect(fs.lstatSync(vault.at("alias.md")).isSymbolicLink()).toBe(true);
    await storage.write(vaultPath("folder-alias/new.md"), Buffer.from("n"), { kind: "absent" });
    expect(fs.readFileSync(vault.at("real/new.md"), "utf8")).toBe("n");
    await storage.remove(vaultPath("alias.md"), { kind: "any" });
    expect(fs.existsSync(vault.at("alias.md"))).toBe(false);
    expect(fs.readFileSync(vault.at("notes/a.md"), "utf8")).toBe("changed");
  });

  test("listing gives every file once and under its own path; children shows what may be opened", async () => {
    link("notes/a.md", "alias.md");
    link("real", "folder-alias");
    link("..", "up");
    link(".obsidian", "cfg");
    link("..", "real/loop");
    const paths: string[] = [];
    for await (const batch of storage.list()) paths.push(...batch.map((stat) => stat.path));
    expect(paths.sort()).toEqual(["notes/a.md", "real/b.md"]);
    expect((await storage.children(ROOT))?.map(({ name, kind }) => `${name} ${kind}`).sort()).toEqual([
      "alias.md file",
      "folder-alias folder",
      "notes folder",
      "real folder",
    ]);
  });

  test("two names of one file have one lock", async () => {
    link("notes/a.md", "alias.md");
    const append = (path: string) =>
      storage.update(vaultPath(path), (current) => Buffer.concat([current?.bytes ?? Buffer.of(), Buffer.from("+")]));
    await Promise.all(Array.from({ length: 20 }, (_, index) => append(index % 2 ? "alias.md" : "notes/a.md")));
    expect(fs.readFileSync(vault.at("notes/a.md"), "utf8")).toBe(`note${"+".repeat(20)}`);
  });
});

test("FIFOs, sockets and devices stall nothing", async () => {
  execFileSync("mkfifo", [vault.at("fifo.md"), vault.at("notes/fifo2.md")]);
  if (process.getuid?.() === 0) execFileSync("mknod", [vault.at("null.md"), "c", "1", "3"]);
  const started = performance.now();
  await expectClosed("fifo.md");
  const paths: string[] = [];
  for await (const batch of storage.list()) paths.push(...batch.map((stat) => stat.path));
  expect(paths.sort()).toEqual(["notes/a.md", "real/b.md"]);
  expect((await storage.children(ROOT))?.map((entry) => entry.name).sort()).toEqual(["notes", "real"]);
  expect(performance.now() - started).toBeLessThan(10_000);
});

/** Swaps a folder for a link to the outside and back, without pause. */
const FLIPPER = `
const fs = require("node:fs");
const [folder, other, link] = process.argv.slice(1);
const move = (from, to) => { try { fs.renameSync(from, to); } catch {} };
for (;;) {
  if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) move(folder, link);
  else move(folder, other);
  move(link, folder); move(folder, link); move(other, folder);
}`;

test("a folder that is flipped into a link and back lets nothing outside be read, listed or written", async () => {
  fs.writeFileSync(vault.at("real/s.md"), "inside");
  fs.writeFileSync(nodePath.join(vault.base, "outside", "only-outside.md"), SECRET);
  link("../outside", "spare");
  const flipper = spawn(process.execPath, ["-e", FLIPPER, vault.at("real"), vault.at("away"), vault.at("spare")]);
  const ended = new Promise((resolve) => flipper.once("exit", resolve));
  const path = vaultPath("real/s.md");
  let read = 0;
  try {
    const end = performance.now() + 1500;
    for (let round = 0; performance.now() < end; round++) {
      read += await tolerant(async () => expect(textOf((await storage.read(path))?.bytes)).not.toBe(SECRET));
      await tolerant(async () => {
        for await (const batch of storage.readMany([path, vaultPath("real/b.md")])) {
          for (const entry of batch) if (!isUnreadable(entry)) expect(textOf(entry.bytes)).not.toBe(SECRET);
        }
      });
      await tolerant(async () => {
        for await (const batch of storage.list())
          for (const stat of batch) expect(stat.path).not.toContain("only-outside");
      });
      await tolerant(async () => await storage.write(path, Buffer.from(`inside ${round}`), { kind: "any" }));
      await tolerant(async () => await storage.write(vaultPath("real/made.md"), Buffer.from("x"), { kind: "any" }));
      await tolerant(async () => await storage.remove(vaultPath("real/made.md"), { kind: "any" }));
      if (round % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    flipper.kill("SIGKILL");
    await ended;
  }
  expect(read).toBeGreaterThan(0);
  expect(fs.readdirSync(nodePath.join(vault.base, "outside")).sort()).toEqual(["only-outside.md", "s.md"]);
  expect(fs.readFileSync(nodePath.join(vault.base, "outside", "s.md"), "utf8")).toBe(SECRET);
});

/** While the folder is flipped, refusals and absences are right answers. */
async function tolerant(work: () => Promise<unknown>): Promise<number> {
  try {
    await work();
    return 1;
  } catch (error) {
    if (!isVaultError(error)) throw error;
    return 0;
  }
}

function textOf(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString();
}
