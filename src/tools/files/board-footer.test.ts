/** No tool writes behind the settings footer of a Kanban board. */
import { describe, expect, it } from "vitest";
import { contextOf } from "../../../test/kit/known-tasks.js";
import { assembleVault } from "../../open.js";
import { fixedClock, sequentialIds } from "../../clock.js";
import { MemoryStorage } from "../../../test/kit/memory-storage.js";
import { vaultPath } from "../../storage/path.js";
import { TOOLS } from "../all-tools.js";
import { createWorkspace } from "../workspace.js";

const FOOTER = '%% kanban:settings\n```\n{"kanban-plugin":"board"}\n```\n%%';
const BOARD = `---\n\nkanban-plugin: board\n\n---\n\n## Backlog\n\n- [ ] Sand the floor\n\n\n## Done\n\n**Complete**\n\n\n\n\n${FOOTER}`;

function boardVault(board = BOARD, path = "House board.md") {
  const clock = fixedClock("2026-11-23T12:00:00Z");
  const storage = new MemoryStorage({ name: "Home", files: { [path]: board }, clock });
  const open = assembleVault({ storage, name: "Home", linkName: "Home", clock, ids: sequentialIds() });
  const opener = { resolve: async (at: string) => at, open: async () => open };
  const context = contextOf(createWorkspace({ opener, default: "Home", switches: true }));
  return {
    call: async (name: string, args: unknown) => await TOOLS.find((tool) => tool.name === name)!.call(args, context),
    text: async () => (await open.vault.read(vaultPath(path))).text,
  };
}

const REFUSAL = "'House board' is a Kanban board; the plugin would drop this text.";
const lastLine = BOARD.split("\n").length;
const PATCH = `@@ -${lastLine} +${lastLine},2 @@\n-%%\n\\ No newline at end of file\n+%%\n+- [ ] Buy sandpaper\n`;

describe("text behind a board's footer", () => {
  it.each([
    ["obsidian_append_note", { path: "House board.md", content: "- [ ] Buy sandpaper" }],
    ["insert", { path: "House board.md", insert_line: lastLine, new_str: "- [ ] Buy sandpaper" }],
    ["edit_note", { path: "House board.md", patch: PATCH }],
    ["str_replace", { path: "House board.md", old_str: "```\n%%", new_str: "```\n%%\n- [ ] Buy sandpaper" }],
    ["create", { path: "Other.md", content: `${BOARD}\n- [ ] Buy sandpaper\n` }],
    ["obsidian_create_note", { name: "Other", content: `${BOARD}\n- [ ] Buy sandpaper\n` }],
  ])("is refused in %s, and the board stays as it was", async (name, args) => {
    const vault = boardVault();
    const outcome = await vault.call(name, args);
    expect(outcome.ok).toBe(false);
    expect(outcome.text).toContain("is a Kanban board; the plugin would drop this text.");
    expect(await vault.text()).toBe(BOARD);
  });

  it("is refused with the lanes to choose from", async () => {
    const outcome = await boardVault().call("obsidian_append_note", { path: "House board.md", content: "More" });
    expect(outcome.text).toContain(`${REFUSAL}\nName a lane as heading (Backlog, Done) and write list items.`);
  });

  it("is refused with the names of lanes alone, without limits and archive", async () => {
    const vault = boardVault(
      BOARD.replace("## Backlog", "## Backlog (3)").replace("\n\n%%", "***\n\n## Archive\n\n%%"),
    );
    const outcome = await vault.call("add_tasks", { text: "Sand", note: "House board.md", heading: "Nope" });
    expect(outcome.text).toContain("Name a lane as heading (Backlog, Done) and write");
  });

  it("is found with other line ends and behind the first of two footers", async () => {
    for (const board of [BOARD.replaceAll("\n", "\r\n"), `${BOARD}\n\n${FOOTER}\n`]) {
      const vault = boardVault(board);
      const { ok } = await vault.call("obsidian_append_note", { path: "House board.md", content: "More" });
      expect(ok).toBe(false);
      expect(await vault.text()).toBe(board);
    }
  });

  it("that is there already may go, so that a broken board can be repaired", async () => {
    const vault = boardVault(`${BOARD}\n- [ ] Lost\n- [ ] Kept\n`);
    const { ok } = await vault.call("str_replace", { path: "House board.md", old_str: "\n- [ ] Lost", new_str: "" });
    expect(ok).toBe(true);
    const unclosed = boardVault(BOARD.replace(/\n%%$/, ""));
    expect(
      (await unclosed.call("insert", { path: "House board.md", insert_line: lastLine - 1, new_str: "%%" })).ok,
    ).toBe(true);
    expect(await unclosed.text()).toBe(BOARD);
  });

  it("is no matter in a note that is no board, and above the footer", async () => {
    const vault = boardVault(BOARD.replace("kanban-plugin: board", "about: boards"));
    expect((await vault.call("obsidian_append_note", { path: "House board.md", content: "More" })).ok).toBe(true);
    const board = boardVault();
    const change = { path: "House board.md", old_str: "Sand the floor", new_str: "Sand it" };
    expect((await board.call("str_replace", change)).ok).toBe(true);
  });
});

describe("new cards", () => {
  it("go to the lane that heading names, as list items", async () => {
    const vault = boardVault();
    const append = {
      path: "House board.md",
      heading: "backlog",
      content: "- [ ] Buy sandpaper\n\t- [ ] fine\n- Call Anna\n",
    };
    expect((await vault.call("obsidian_append_note", append)).ok).toBe(true);
    const cards = "- [ ] Sand the floor\n- [ ] Buy sandpaper\n\t- [ ] fine\n- Call Anna\n\n\n## Done";
    expect(await vault.text()).toBe(BOARD.replace("- [ ] Sand the floor\n\n\n## Done", cards));
    for (const wrong of [
      { heading: "Later", content: "- x" },
      { heading: "Backlog", content: "text" },
    ]) {
      const refused = await vault.call("obsidian_append_note", { path: "House board.md", ...wrong });
      expect(refused.text).toContain(`${REFUSAL}\nName a lane as heading (Backlog, Done) and write list items.`);
    }
  });

  it("are added by add_tasks to the first lane that is not complete, or the one named, with the board's day", async () => {
    const vault = boardVault();
    const text = "Buy sandpaper 2026-12-01 !high\n  fine one\nCall Anna";
    expect((await vault.call("add_tasks", { note: "House board.md", text })).ok).toBe(true);
    expect((await vault.call("add_tasks", { note: "House board.md", heading: "Done", text: "Pay rent" })).ok).toBe(
      true,
    );
    expect(await vault.text()).toContain(
      "- [ ] Sand the floor\n- [ ] Buy sandpaper @{2026-12-01} ⏫\n\t- [ ] fine one\n- [ ] Call Anna\n\n\n## Done\n\n**Complete**\n- [x] Pay rent\n",
    );
    const refused = await vault.call("add_tasks", { note: "House board.md", heading: "Later", text: "x" });
    expect(refused.text).toContain(REFUSAL);
  });
});
