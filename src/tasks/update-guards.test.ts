import { describe, expect, it } from "vitest";
import { note, refusal, taskVault } from "../../test/kit/task-vault.js";
import type { TaskUpdates, UpdatedTask } from "./service.js";

describe("refusals leave every byte", () => {
  it.each<[string, string, string, TaskUpdates, string, RegExp]>([
    ["nothing to change", note("type: task"), "x", {}, "INVALID_ARGUMENT", /names no field/],
    ["blank title", note("type: task"), "x", { title: " \n" }, "INVALID_ARGUMENT", /title must not be blank/],
    ["blank area", note("type: task"), "x", { area: "" }, "INVALID_ARGUMENT", /area must not be blank/],
    ["no such day", note("type: task"), "x", { dueDate: "2025-02-31" }, "INVALID_ARGUMENT", /"2025-02-31"/],
    ["no tag", note("type: task\ntags: [a]"), "x", { tags: ["!!!", ""] }, "INVALID_ARGUMENT", /keeps its tags/],
    [
      "invalid YAML",
      note("id: a\ntype: task\nbad: ["),
      "x.md",
      { status: "Done" },
      "INVALID_ARGUMENT",
      /^x\.md, line \d+, column \d+: /,
    ],
    [
      "invalid YAML by id",
      note("id: abc\ntype: task\nbad: ["),
      "abc",
      { status: "Done" },
      "INVALID_ARGUMENT",
      /^x\.md, line/,
    ],
    [
      "duplicate keys",
      note("type: task\na: 1\na: 2"),
      "x",
      { status: "Done" },
      "INVALID_ARGUMENT",
      /^x\.md, line 4, column 1: The frontmatter cannot be changed: This key/,
    ],
    ["unknown", note("type: task"), "nothing", { status: "Done" }, "FILE_NOT_FOUND", /^Item not found: nothing$/],
    ["no task", note("type: note"), "x", { status: "Done" }, "FILE_NOT_FOUND", /^Item not found: x$/],
    ["outside", note("type: task"), "../../etc/passwd", { status: "Done" }, "PERMISSION_DENIED", /^(?!.*passwd)/],
  ])("%s", async (_name, text, reference, updates, code, message) => {
    const vault = taskVault({ "x.md": text });
    const error = await refusal(vault.tasks.update(reference, updates));
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
    // A refused day says in its message what to write.
    expect(error.hint ?? /Write YYYY-MM-DD/.exec(error.message)?.[0]).toBeDefined();
    expect(await vault.text("x.md")).toBe(text);
  });
});

describe("what stands there now counts", () => {
  it("keeps all of 20 parallel updates of different fields", async () => {
    const vault = taskVault({ "x.md": note("type: task\nid: t1", "# T\n") });
    const updates: TaskUpdates[] = [
      { title: "New" },
      { status: "Blocked" },
      { priority: "High" },
      { dueDate: "2025-09-01" },
      { area: "Home" },
      { tags: ["a"] },
      { description: "text" },
      { parentProjects: ["P"] },
    ];
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => vault.tasks.update("t1", updates[index % updates.length] ?? {})),
    );
    expect(await vault.task("x.md")).toMatchObject({
      title: "New",
      status: "Blocked",
      priority: "High",
      due: "2025-09-01",
      area: "Home",
      tags: ["a"],
      excerpt: "text",
      parentProjects: ["P"],
    });
  });

  /** Lets another program write between the look-up and the edit. */
  async function meanwhile(
    theirs: string,
    reference: string,
  ): Promise<{ work: Promise<UpdatedTask>; text: () => Promise<string> }> {
    const vault = taskVault({ "x.md": note("type: task\nid: t1\nstatus: todo") });
    const edit = vault.vault.writing.edit.bind(vault.vault.writing);
    vault.vault.writing.edit = async (path, change, reason) => {
      await vault.put("x.md", theirs);
      return edit(path, change, reason);
    };
    return { work: vault.tasks.update(reference, { status: "Done" }), text: () => vault.text("x.md") };
  }

  it("applies the change to a note another program has changed meanwhile", async () => {
    const { work, text } = await meanwhile(note("type: task\nid: t1\nstatus: doing\nnew: 1"), "t1");
    expect((await work).task.status).toBe("Done");
    expect(await text()).toBe(note("type: task\nid: t1\nstatus: done\nnew: 1"));
  });

  it.each([
    ["is no task any more", note("type: note\nid: t1"), "t1", "CONFLICT"],
    ["has another id", note("type: task\nid: t2"), "t1", "CONFLICT"],
    ["cannot be read any more", note("type: task\nid: t1\nbad: ["), "x.md", "INVALID_ARGUMENT"],
  ])("refuses when the note %s", async (_name, theirs, reference, code) => {
    const { work, text } = await meanwhile(theirs, reference);
    expect((await refusal(work)).code).toBe(code);
    expect(await text()).toBe(theirs);
  });
});
