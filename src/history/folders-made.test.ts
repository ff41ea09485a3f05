/** Undo removes the folders that a change made, if they are empty, and no others. */
import fs from "node:fs";
import nodePath from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TemporaryVault } from "../../test/kit/temporary-vault.js";
import { openVault } from "../library.js";

let temporary: TemporaryVault;
beforeEach(() => {
  temporary = new TemporaryVault({ "a.md": "[[b]]\n", "Old/b.md": "b\n", "Old/sub/c.md": "c\n" });
  fs.mkdirSync(temporary.at("Mine"));
});
afterEach(() => temporary.remove());

const open = () => openVault(temporary.folder, { stateFolder: nodePath.join(temporary.base, "state") });

/** All but the trash. */
const names = () =>
  fs.readdirSync(temporary.folder, { recursive: true, encoding: "utf8" }).filter((name) => !name.startsWith(".trash"));

describe("a folder that a change made", () => {
  it.each([
    ["create", { path: "New/deep/x.md", file_text: "x" }],
    ["obsidian_create_note", { name: "New/deep/x", content: "x" }],
    ["create_task", { title: "Buy milk", area: "Home" }],
    ["add_tasks", { text: "Buy milk" }],
    ["rename", { old_path: "a.md", new_path: "New/deep/a.md" }],
    ["rename", { old_path: "Old", new_path: "New/deep/Old" }],
    ["rename", { old_path: "Old/sub", new_path: "sub" }],
    ["obsidian_move_note", { note: "b", folder: "New/deep" }],
    ["create", { path: "Mine/x.md", file_text: "x" }],
    ["delete", { path: "Old/sub/c.md" }],
  ])("is gone when %s %j is undone, and the person's own empty folder is not", async (tool, args) => {
    const before = names();
    const vault = await open();
    expect(await vault.call(tool, args)).toMatchObject({ ok: true });
    expect(names()).not.toEqual(before);
    await vault.close();
    const next = await open();
    expect(await next.call("undo_edit", {})).toMatchObject({ ok: true });
    expect(names()).toEqual(before);
    await next.close();
  });

  it("stays with what came into it since, and goes under the name that its folder has then", async () => {
    const vault = await open();
    await vault.call("create", { path: "New/x.md", file_text: "x" });
    fs.writeFileSync(temporary.at("New/own.md"), "own");
    await vault.call("undo_edit", {});
    expect(fs.readdirSync(temporary.at("New"))).toEqual(["own.md"]);
    await vault.call("rename", { old_path: "Old", new_path: "Now" });
    await vault.call("create", { path: "Now/more/x.md", file_text: "x" });
    await vault.call("undo_edit", { path: "Now/b.md" });
    await vault.call("undo_edit", { path: "Old/more/x.md" });
    expect(fs.readdirSync(temporary.at("Old")).toSorted()).toEqual(["b.md", "sub"]);
    await vault.close();
  });
});
