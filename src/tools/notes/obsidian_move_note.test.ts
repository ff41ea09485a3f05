import { describe, expect, it } from "vitest";
import { contextOf } from "../../../test/kit/known-tasks.js";
import { assembleVault } from "../../open.js";
import { fixedClock } from "../../clock.js";
import { MemoryStorage } from "../../../test/kit/memory-storage.js";
import { createWorkspace } from "../workspace.js";
import { moveNote } from "./obsidian_move_note.js";

const FILES = {
  "a/Plan.md": "![[map.png]]",
  "b/Plan.md": "",
  "Idea v1.2.md": "",
  "img/map.png": "",
  "Home.md": "[[Idea v1.2]] [[a/Plan]]",
};

async function move(args: Readonly<Record<string, unknown>>) {
  const storage = new MemoryStorage({ files: FILES });
  const clock = fixedClock("2025-08-30T12:00:00Z");
  const open = assembleVault({ storage, name: "Study", linkName: "Study", clock });
  const opener = { resolve: async (path: string) => path, open: async () => open };
  return await moveNote.call(args, contextOf(createWorkspace({ opener, default: "Study", switches: true })));
}

describe("where a note goes", () => {
  it.each([
    [{ note: "idea v1.2", new_name: "Idea v1.3" }, "Idea v1.2.md", "Idea v1.3.md"],
    [{ note: "Idea v1.2", new_name: "Thought.md" }, "Idea v1.2.md", "Thought.md"],
    [{ note: "a/Plan", new_name: "Project" }, "a/Plan.md", "a/Project.md"],
    [{ note: "a/Plan.md", folder: "/" }, "a/Plan.md", "Plan.md"],
    [{ note: "[[a/Plan|y]]", folder: "new/deep/" }, "a/Plan.md", "new/deep/Plan.md"],
    [{ note: "mcp-obsidian://Study/b/Plan.md", new_name: "P", folder: "a" }, "b/Plan.md", "a/P.md"],
    [{ note: "Home", new_name: "HOME" }, "Home.md", "HOME.md"],
    [{ note: "img/map.png", new_name: "chart" }, "img/map.png", "img/chart.png"],
  ])("%j", async (args, from, path) => {
    expect(await move(args)).toMatchObject({ ok: true, data: { from, path, undoable: true } });
  });
});

it("tells what became of the links in words and in data", async () => {
  expect(await move({ note: "Idea v1.2", new_name: "x" })).toMatchObject({
    text: "✅ Moved Idea v1.2.md → x.md\nRewrote 1 link in 1 note.",
    details: expect.stringMatching(/^undo_edit with path "op-\S+" takes all of it back\.$/) as string,
    data: { links: 1, rewritten: ["Home.md"] },
  });
  expect(await move({ note: "b/Plan.md", folder: "c" })).toMatchObject({ text: "✅ Moved b/Plan.md → c/Plan.md" });
});

describe("refuses", () => {
  it.each([
    [{ note: "Home" }, "INVALID_ARGUMENT", "Neither new_name nor folder was given"],
    [{ note: "Home", new_name: "a/b" }, "INVALID_ARGUMENT", "new_name holds a slash"],
    [{ note: "Home", new_name: "a|b" }, "INVALID_ARGUMENT", "holds a character that names in Obsidian cannot"],
    [{ note: "Home", new_name: ".." }, "PERMISSION_DENIED", "leaves the vault"],
    [{ note: "Home", folder: "../x" }, "PERMISSION_DENIED", "leaves the vault"],
    [{ note: "Home", folder: ".git" }, "PERMISSION_DENIED", "is hidden"],
    [{ note: "Plan", new_name: "x" }, "AMBIGUOUS_NAME", "a/Plan.md"],
    [{ note: "Nothing", new_name: "x" }, "FILE_NOT_FOUND", "Nothing"],
    [{ note: "a/Plan", folder: "b" }, "ALREADY_EXISTS", "'b/Plan.md' exists already"],
  ])("%j", async (args, code, words) => {
    const outcome = await move(args);
    expect(outcome).toMatchObject({ ok: false, error: { code } });
    expect(outcome.text).toContain(words);
  });
});
