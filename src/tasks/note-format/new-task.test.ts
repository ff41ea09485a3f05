import { describe, expect, it } from "vitest";
import { LONG } from "../../../test/kit/fuzz.js";
import { taskVault, type TaskVault } from "../../../test/kit/task-vault.js";
import type { CreatedTask } from "../service.js";

async function create(vault: TaskVault, draft: { readonly title?: string }): Promise<CreatedTask> {
  return vault.tasks.create({ title: "Title", area: "Work", ...draft });
}

describe("ids and file names", () => {
  it.each([
    ["Review: Q3/Q4", "task-review-q3-q4-000001"],
    ["Übung macht den Meister", "task-übung-macht-den-meister-000001"],
    ["設計レビュー", "task-設計レビュー-000001"],
    ["हिन्दी काम", "task-हिन्दी-काम-000001"],
    ["..", "task-000001"],
    ["🚀", "task-000001"],
    ["a".repeat(59) + " bcd", `task-${"a".repeat(59)}-000001`],
    ["-rf", "task-rf-000001"],
  ])("%j has the id %s", async (title, id) => expect((await create(taskVault(), { title })).task.id).toBe(id));

  // N01 to N13
  it.each([
    "CON",
    "aux",
    "NUL",
    "COM1",
    "LPT9",
    "con.md",
    "nul.tar.md",
    "a:b",
    "what?",
    'say "x"',
    "a*b",
    "<b>",
    "a|b",
    "a\\b",
    "a/b",
    "ends.",
    "  edges  ",
    ".hidden",
    "..",
    "...",
    "🚀",
    "!?",
    "x".repeat(300),
    "漢".repeat(255),
    "tab\there",
    "esc\u001bape",
    "[[link]] #tag ^b %%c%%",
    "-rf",
    "--help",
    "$(id)",
    "`id`",
  ])("%j gets a visible, safe file and comes back as it is", async (title) => {
    const vault = taskVault();
    const { task } = await create(vault, { title });
    expect(task.title).toBe(title.trim());
    expect(task.path).toMatch(/^_projects\/[^./][^\\:*?"<>|#^[\]/]*\.md$/u);
    expect(Buffer.byteLength(task.path.slice("_projects/".length))).toBeLessThanOrEqual(255);
    expect((await vault.task(task.path)).title).toBe(title.trim());
  });

  it("falls back to Untitled task", async () => {
    const vault = taskVault();
    expect((await create(vault, { title: "..." })).task.path).toBe("_projects/Untitled task.md");
    expect((await create(vault, { title: "???" })).task.path).toBe("_projects/Untitled task 2.md");
  });

  it.each([
    ["same", "same"],
    ["Foo", "foo"],
    ["ΟΔΟΣ", "οδος"],
    ["café", "café".normalize("NFD")],
  ])("%s and %s get two files", async (first, second) => {
    const vault = taskVault();
    const one = (await create(vault, { title: first })).task;
    const two = (await create(vault, { title: second })).task;
    expect(two.path).toMatch(/ 2\.md$/);
    expect(one.id).not.toBe(two.id);
    expect((await vault.tasks.agenda()).taskCount).toBe(2);
  });

  it("makes a file of each of many parallel tasks with one title", async () => {
    const many = LONG ? 100 : 30;
    const vault = taskVault();
    const made = await Promise.all(Array.from({ length: many }, () => create(vault, {})));
    expect(new Set(made.map(({ task }) => task.path)).size).toBe(many);
    expect(new Set(made.map(({ task }) => task.id)).size).toBe(many);
  });

  it("does not overwrite what another process makes between looking and writing", async () => {
    const vault = taskVault({ "_projects/other.md": "" });
    const paraListing = vault.vault.paraListing.bind(vault.vault);
    vault.vault.paraListing = async () => {
      const look = await paraListing();
      await vault.put("_projects/Title.md", "theirs");
      return look;
    };
    const { task } = await create(vault, {});
    expect([task.path, await vault.text("_projects/Title.md")]).toEqual(["_projects/Title 2.md", "theirs"]);
  });
});
