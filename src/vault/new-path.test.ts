/** Which names count as taken before something new is put beside them. */
import { describe, expect, test } from "vitest";
import { memoryVault } from "../../test/kit/memory-vault.js";
import { linkVault, at } from "../../test/kit/link-vault.js";
import { visibleForm, occupantOf } from "./new-path.js";

const LOOK_ALIKE = [
  "a\u200b.md",
  "\u2060a.md",
  "a\ufeff.md",
  "a\u00ad.md",
  "a\u200e.md",
  "a\u202e.md",
  "a\u{e0061}.md",
  "a\u200d.md",
  "\u200ca.md",
];

test.each(LOOK_ALIKE)("%j is taken where a note differs from it only by what nobody sees", async (name) => {
  const { vault, move } = linkVault({ "a.md": "", "b.md": "", "f/c.md": "" });
  expect(await occupantOf(vault, at(name))).toMatchObject({ path: "a.md" });
  await expect(move("b.md", name)).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
  await expect(move("b.md", `${name.replace("a", "f").slice(0, -3)}/d.md`)).rejects.toMatchObject({
    code: "ALREADY_EXISTS",
  });
  const hidden = linkVault({ [name]: "" });
  expect(await occupantOf(hidden.vault, at("a.md"))).toMatchObject({ path: name });
});

test("names that look different are different", () => {
  const names = ["a", "b", "á", "👨‍👩‍👧", "👨👩👧", "👩‍💻", "👩💻", "❤️‍🔥", "❤️🔥"];
  expect(new Set(names.map(visibleForm)).size).toBe(names.length);
});

describe("a folder whose name is written with combining marks", () => {
  const [composed, combining] = ["\u00dcbung", "U\u0308bung"];
  const files = { [`${combining}/Old.md`]: "- [ ] task 📅 2026-12-01\n", "x.md": "" };

  test.each([
    ["create", { path: `${composed}/New.md`, file_text: "" }, `${combining}/New.md`],
    ["rename", { old_path: "x.md", new_path: `${composed}/New.md` }, `${combining}/New.md`],
    ["rename", { old_path: `${composed}/Old.md`, new_path: `${composed}/New.md` }, `${combining}/New.md`],
    ["obsidian_move_note", { note: "x", folder: composed }, `${combining}/x.md`],
  ])("is the one that %s means by composed letters, which look alike", async (tool, args, path) => {
    const { call, open } = memoryVault(files);
    expect(await call(tool, args)).toMatchObject({ ok: true });
    expect(await open.vault.paths()).toContain(path);
  });

  test.each([
    ["search_tasks", { query: "*", note: composed }],
    ["search_tasks", { query: "*", note: composed.toLowerCase() }],
    ["find_notes", { folder: composed }],
    ["set_properties", { notes: { folder: composed }, properties: { a: "1" } }],
  ])("is the one that filters of %s mean", async (tool, args) => {
    expect((await memoryVault(files).call(tool, args)).text).toContain(tool === "search_tasks" ? "task" : "Old");
  });
});
