/** New notes and the links of notes with the same name, through every tool that makes a note. */
import { describe, expect, it } from "vitest";
import { memoryVault } from "../../test/kit/memory-vault.js";
import { wordsOf } from "./outcome.js";

const FILES = {
  "Home/Roof repair.md": "# Roof repair\n",
  "A.md": "[[Roof repair]]\n",
  "B.md": "[[roof repair#Plan|x]] and ![[Roof repair.md]]\n",
  "Plan.md": "- [ ] Roof repair 📅 2026-11-30\n",
  ".obsidian/daily-notes.json": '{"folder": "Days"}',
  "Old/2026-11-23.md": "",
  "C.md": "[[2026-11-23]]\n",
};

const linksTo = async (open: ReturnType<typeof memoryVault>["open"], path: string) =>
  (await open.links.graph()).backlinks(path as never).length;

describe("a task made by a tool gets a name that no other note has", () => {
  it.each([
    { tool: "create_task", args: { title: "Roof repair", area: "Home" } },
    { tool: "create_task", args: { title: "ROOF REPAIR", area: "Home" } },
    { tool: "create_task", args: { title: "Roof repair", area: "Home", parentProjects: ["House"] } },
    { tool: "add_tasks", args: { text: "Buy tiles\nRoof repair" } },
    { tool: "update_task", args: { taskId: "Plan.md:1", updates: { convert: "note" } } },
  ])("$tool $args", async ({ tool, args }) => {
    const { call, open, text } = memoryVault({ ...FILES, "_projects/House/House.md": "" }, { inlineTasks: "marked" });
    const answer = await call(tool, args);
    expect(answer.ok, answer.text).toBe(true);
    expect(wordsOf(answer)).toMatch(
      /repair 2\.md'?: links to the name without number lead to 'Home\/Roof repair\.md'/i,
    );
    const { paths } = await open.files.list();
    const made = paths.find((path) => /repair 2\.md$/i.test(path)) ?? "";
    expect(await text(made)).toMatch(/# roof repair\n/i);
    expect(await linksTo(open, "Home/Roof repair.md")).toBe(3);
    expect(await linksTo(open, made)).toBe(tool === "update_task" ? 1 : 0);
  });

  it("several of one call and of the next get several names", async () => {
    const { call, open } = memoryVault(FILES);
    await call("add_tasks", { text: "Roof repair\nRoof repair" });
    await call("create_task", { title: "Roof repair: ", area: "Home" });
    const names = (await open.files.list()).paths.filter((path) => path.includes("repair "));
    expect(names.map((path) => path.slice(-"repair 2.md".length))).toEqual([
      "repair 2.md",
      "repair 3.md",
      "repair 4.md",
    ]);
  });

  it("unless an attachment alone has it, to which links without extension do not lead", async () => {
    const { call, open } = memoryVault({ "Home/Roof.pdf": "x", "pics/roof.png": "x" });
    expect(wordsOf(await call("create_task", { title: "Roof", area: "Home" }))).toContain("/Roof.md");
    // A link to roof.png may mean the note roof.png.md.
    expect(wordsOf(await call("create_task", { title: "roof.png", area: "Home" }))).toContain("/roof.png 2.md");
    expect((await open.files.list()).paths).toHaveLength(4);
  });
});

describe("obsidian_create_note", () => {
  it.each(["Roof repair", "roof REPAIR", "Roof repair.md"])(
    "refuses the bare name %s, with the path and how to make another",
    async (name) => {
      const { call, open } = memoryVault(FILES);
      const refused = await call("obsidian_create_note", { name, content: "x" });
      expect(refused).toMatchObject({ ok: false, error: { code: "ALREADY_EXISTS", path: "Home/Roof repair.md" } });
      const path = /another: "([^"]+)"/.exec(refused.text)?.[1];
      const made = await call("obsidian_create_note", { name: path, content: "x" });
      expect(made).toMatchObject({ ok: true });
      expect((await open.files.list()).paths.filter((one) => /\/?roof repair\.md$/i.test(one))).toHaveLength(2);
    },
  );

  it("takes a template's name, because only a path names a template", async () => {
    const { call } = memoryVault({ "Templates/Meeting.md": "{{title}}", "A.md": "[[Meeting]]" });
    const answer = await call("obsidian_create_note", { name: "Meeting", template: "Meeting" });
    expect(answer).toMatchObject({ ok: true, data: { path: "Meeting.md" } });
    expect(wordsOf(answer)).toContain("1 link leads to 'Meeting.md' now");
  });

  it("names the folder of new notes in that hint, and says nothing where no link leads", async () => {
    const settings = '{"newFileLocation": "folder", "newFileFolderPath": "Inbox"}';
    const { call } = memoryVault({ "Home/Roof.md": "", ".obsidian/app.json": settings });
    expect((await call("obsidian_create_note", { name: "Roof" })).text).toContain('another: "Inbox/Roof"');
    expect(wordsOf(await call("obsidian_create_note", { name: "Inbox/Roof" }))).not.toContain("now;");
  });

  it.each([
    { tool: "obsidian_create_note", args: { name: "/Roof repair" }, path: "Roof repair.md" },
    {
      tool: "obsidian_create_note",
      args: { name: "Roof repair", path: "Far/away" },
      path: "Far/away/Roof repair.md",
      links: 0,
    },
    { tool: "create", args: { path: "Roof repair.md", file_text: "[[Roof repair]]" }, path: "Roof repair.md" },
  ])("and $tool with $args say how many links lead there now", async ({ tool, args, path, links = 3 }) => {
    const { call, open } = memoryVault(FILES);
    const answer = await call(tool, args);
    expect(answer).toMatchObject({ ok: true });
    const others = (await open.links.graph()).backlinks(path as never).filter(({ from }) => from !== path);
    expect(others).toHaveLength(links);
    const sentence = `3 links lead to '${path}' now; 'Home/Roof repair.md' has the same name.`;
    if (links > 0) expect(wordsOf(answer)).toContain(sentence);
    else expect(wordsOf(answer)).not.toContain("lead to");
  });
});

describe("a periodic note has its own place, and its answer says what links lead there", () => {
  it.each([
    { tool: "obsidian_create_note", args: { name: "today" } },
    { tool: "obsidian_append_note", args: { note: "today", content: "x", create: true } },
    { tool: "obsidian_prepend_note", args: { note: "today", content: "x", create: true } },
    { tool: "add_tasks", args: { text: "Call Anna", note: "today" } },
    { tool: "create", args: { path: "Days/2026-11-23.md", file_text: "" } },
  ])("$tool", async ({ tool, args }) => {
    const { call } = memoryVault({ ...FILES, "Old/2026-11-23.md": "", "Days/x.md": "[[2026-11-23]]" });
    const answer = await call(tool, args);
    expect(answer.ok, answer.text).toBe(true);
    expect(wordsOf(answer)).toContain("'Days/2026-11-23.md' now; 'Old/2026-11-23.md' has the same name.");
  });
});
