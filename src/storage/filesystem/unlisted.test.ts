import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { TemporaryVault } from "../../../test/kit/temporary-vault.js";
import type { ListOptions, UnlistedEntry } from "../storage.js";

let vault: TemporaryVault;
beforeEach(() => {
  vault = new TemporaryVault({ "a.md": "a", "sub/b.md": "b", ".hidden/c.md": "c" });
});
afterEach(() => vault.remove());

async function unlisted(options: ListOptions = {}): Promise<string[]> {
  const storage = await vault.open();
  const told: UnlistedEntry[] = [];
  for await (const batch of storage.list({ ...options, onUnlisted: (what) => told.push(what) })) void batch;
  await storage.close();
  return told.map(({ folder, name, kind, reason }) => JSON.stringify([folder, name, kind, reason])).sort();
}

it("says nothing of a vault whose every file is listed, nor of hidden ones", async () => {
  expect(await unlisted()).toEqual([]);
});

it.runIf(process.platform === "linux")("tells files and folders that no path can name", async () => {
  for (const name of ["CON.md", "line\nbreak.md", "sub/back\\slash.md"]) fs.writeFileSync(vault.at(name), "");
  fs.mkdirSync(vault.at("aux"));
  fs.writeFileSync(Buffer.concat([Buffer.from(`${vault.folder}/latin-`), Buffer.from([0xe9]), Buffer.from(".md")]), "");
  fs.mkdirSync(Buffer.concat([Buffer.from(`${vault.folder}/dir-`), Buffer.from([0xe9])]));
  expect(await unlisted()).toEqual([
    '["","CON.md","file","name"]',
    '["","aux","folder","name"]',
    '["","dir-\ufffd","folder","name"]',
    '["","latin-\ufffd.md","file","name"]',
    '["","line\\nbreak.md","file","name"]',
    '["sub","back\\\\slash.md","file","name"]',
  ]);
});

it.skipIf(process.platform === "win32")("tells links that are not followed, and special files", async () => {
  fs.symlinkSync("a.md", vault.at("inside.md"));
  fs.symlinkSync("sub", vault.at("inside"));
  fs.symlinkSync("/etc", vault.at("outside"));
  fs.symlinkSync("gone.md", vault.at("nowhere.md"));
  fs.symlinkSync("../.hidden", vault.at("sub/hidden"));
  execFileSync("mkfifo", [vault.at("pipe.md")]);
  expect(await unlisted()).toEqual([
    '["","nowhere.md","file","link"]',
    '["","outside","file","link"]',
    '["","pipe.md","file","special"]',
    '["sub","hidden","file","link"]',
  ]);
});

it("tells nothing of an unwanted folder", async () => {
  fs.symlinkSync("/etc", vault.at("sub/outside"));
  expect(await unlisted({ wants: (path) => path !== "sub" })).toEqual([]);
});

it.runIf(process.platform === "linux")(
  "a name that no path can name is announced when it comes and goes, a hidden one is not",
  async () => {
    const storage = await vault.open();
    const stop = new AbortController();
    const changes = storage.changes?.(stop.signal);
    const next = async () => (await changes?.next())?.value as unknown;
    expect(await next()).toEqual({ kind: "unsure" });
    fs.writeFileSync(vault.at(".b.md.tmp"), "");
    fs.writeFileSync(vault.at("sub/CON.md"), "");
    expect(await next()).toEqual({ kind: "unsure" });
    fs.rmSync(vault.at("sub/CON.md"));
    expect(await next()).toEqual({ kind: "unsure" });
    fs.writeFileSync(vault.at(".b.md.tmp"), "x");
    fs.writeFileSync(vault.at("a.md"), "x");
    expect(await next()).toEqual({ kind: "changed", path: "a.md" });
    stop.abort();
    await storage.close();
  },
);
