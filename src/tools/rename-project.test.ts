/** Renaming a project's note: its folder and the tasks that name it follow, or the answer says what does not. */
import { describe, expect, it } from "vitest";
import { memoryVault } from "../../test/kit/memory-vault.js";

const task = (projects: string, more = "") => `---\ntype: task\nstatus: to do\nprojects:${projects}\n---\n${more}`;

const FILES = {
  "_projects/Kitchen/Kitchen.md": "# Kitchen\n[[Tiles]]\n",
  "_projects/Kitchen/Tiles.md": "---\ntype: task\n---\n[[Kitchen]] [k](Kitchen.md)\n",
  "_projects/Kitchen/pics/oven.png": "",
  "_projects/Paint.md": task('\n  - Kitchen # mine\n  - "[[Kitchen]]"\n  - Garden'),
  "_archive/Old.md": task(" kitchen"),
  "_projects/Other.md": task(" Kitchen sink"),
  "Home.md": "![[_projects/Kitchen/pics/oven.png]] [[Kitchen/Tiles]]\nprojects: Kitchen\n",
};

async function contents({ open, text }: ReturnType<typeof memoryVault>) {
  const { paths } = await open.files.list();
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, path.endsWith(".png") ? "" : await text(path)])),
  );
}

describe("a project's note that is renamed in its folder", () => {
  it.each([
    { tool: "rename", args: { old_path: "_projects/Kitchen/Kitchen.md", new_path: "Bathroom" } },
    { tool: "rename", args: { old_path: "Kitchen", new_path: "_projects/Kitchen/Bathroom.md" } },
    { tool: "obsidian_move_note", args: { note: "Kitchen", new_name: "Bathroom" } },
  ])("renames the folder and plain names in tasks, as one operation: $tool $args", async ({ tool, args }) => {
    const vault = memoryVault(FILES);
    const before = await contents(vault);
    const answer = await vault.call(tool, args);
    expect(answer.ok, answer.text).toBe(true);
    expect(answer.text).toContain("'_projects/Bathroom' now.\nChanged the name in 2 tasks");
    expect(answer.ok && answer.data).toMatchObject({ path: "_projects/Bathroom/Bathroom.md", namedCount: 2 });
    expect(await contents(vault)).toEqual({
      "_projects/Bathroom/Bathroom.md": "# Kitchen\n[[Tiles]]\n",
      "_projects/Bathroom/Tiles.md": "---\ntype: task\n---\n[[Bathroom]] [k](Bathroom.md)\n",
      "_projects/Bathroom/pics/oven.png": "",
      "_projects/Paint.md": task('\n  - Bathroom # mine\n  - "[[Bathroom]]"\n  - Garden'),
      "_archive/Old.md": task(" Bathroom"),
      "_projects/Other.md": FILES["_projects/Other.md"],
      "Home.md": "![[_projects/Bathroom/pics/oven.png]] [[_projects/Bathroom/Tiles]]\nprojects: Kitchen\n",
    });
    const { tasks } = await vault.open.tasks.search({ query: "*", includeArchived: true });
    const projects = tasks.flatMap(({ parentProjects }) => parentProjects);
    expect(projects).toContain("Bathroom");
    expect(projects).not.toContain("Kitchen");
    const [last] = (await vault.open.files.history()).entries;
    await vault.open.files.undoOperation(`op-${last?.id}`);
    expect(await contents(vault)).toEqual(before);
  });

  it("is undone by its path, and renamed back", async () => {
    const vault = memoryVault(FILES);
    const before = await contents(vault);
    await vault.call("rename", { old_path: "Kitchen", new_path: "Bathroom" });
    await vault.call("undo_edit", { path: "_projects/Bathroom/Bathroom.md" });
    expect(await contents(vault)).toEqual(before);
    await vault.call("rename", { old_path: "Kitchen", new_path: "Bathroom" });
    await vault.call("rename", { old_path: "Bathroom", new_path: "Kitchen" });
    expect(await contents(vault)).toEqual(before);
  });

  it("without a folder of its own takes along the tasks that name it", async () => {
    const vault = memoryVault({
      "_projects/Kitchen.md": "",
      "_projects/a.md": task("\n  - &k Kitchen"),
      "_projects/c.md": task(" [Kitchen, {k: 1}] # x"),
      "_projects/b.md": task(" Kitchen"),
    });
    const answer = await vault.call("rename", { old_path: "_projects/Kitchen.md", new_path: "Bath" });
    expect(answer.text).toContain("Changed the name in 2 tasks that had");
    expect(answer.text).toContain(`[1 task still names the project "Kitchen", such as '_projects/a.md'.]`);
    expect(await vault.text("_projects/b.md")).toBe(task(" Bath"));
    expect(await vault.text("_projects/c.md")).toBe(task(" [Bath, {k: 1}] # x"));
    expect(await vault.text("_projects/a.md")).toBe(task("\n  - &k Kitchen"));
  });
});

describe("only the note is renamed, and the answer says what keeps the old name,", () => {
  it.each([
    {
      why: "where the new folder exists",
      more: { "_projects/bathroom/x.md": "" },
      to: "Bathroom",
      says: "'_projects/bathroom' exists already",
    },
    { why: "where it leaves the folder", more: {}, to: "_projects/Bathroom.md", says: "the note moved away from it" },
  ])("$why", async ({ more, to, says }) => {
    const vault = memoryVault({ ...FILES, ...more });
    const answer = await vault.call("rename", { old_path: "_projects/Kitchen/Kitchen.md", new_path: to });
    expect(answer.text).toContain(`[The folder '_projects/Kitchen' keeps its name: ${says}.]`);
    expect(answer.text).toContain(`[2 tasks still name the project "Kitchen", such as `);
    expect(await vault.text("_archive/Old.md")).toBe(FILES["_archive/Old.md"]);
    expect(await vault.text("_projects/Kitchen/Tiles.md")).toContain("[[Bathroom]]");
  });

  it("where the caller may not change all that is in the folder", async () => {
    const { open } = memoryVault(FILES);
    const renamed = await open.links.move(
      "_projects/Kitchen/Kitchen.md" as never,
      "_projects/Kitchen/Bath.md" as never,
      {
        isNamed: (path) => !path.endsWith(".png"),
      },
    );
    expect(renamed).toMatchObject({ to: "_projects/Kitchen/Bath.md", moved: 1, named: [] });
    expect(renamed.oldNames?.[0]).toContain("keeps its name: this caller may not change all that is in it.");
  });

  it("where another project has the name too", async () => {
    const vault = memoryVault({ ...FILES, "Work/Projects/Kitchen.md": "" });
    const answer = await vault.call("rename", { old_path: "_projects/Kitchen/Kitchen.md", new_path: "Bathroom" });
    expect(answer.text).toContain("'_projects/Bathroom' now.");
    expect(answer.text).toContain(`[2 tasks still name the project "Kitchen", as another project has, such as `);
  });

  it("and nothing of it is said of other notes, or where the name stays", async () => {
    const vault = memoryVault({ ...FILES, "Notes/Kitchen/Kitchen.md": "" });
    for (const paths of [
      { old_path: "Notes/Kitchen/Kitchen.md", new_path: "Bathroom" },
      { old_path: "_projects/Kitchen/Kitchen.md", new_path: "Notes/Kitchen.md" },
    ])
      expect((await vault.call("rename", paths)).text).not.toMatch(/folder|still/);
    expect((await vault.open.files.list()).paths).toContain("Notes/Kitchen/Bathroom.md");
  });
});

it("a note with a link that cannot be rewritten is named, and that its other links were", async () => {
  const vault = memoryVault({
    "Old.md": "",
    "a.md": "---\nup: [[Old]]\n---\n[[Old]]",
    "b.md": "---\nup: [[Old]]\n---\n",
  });
  const { text } = await vault.call("rename", { old_path: "Old.md", new_path: "x, y.md" });
  expect(text).toContain("Rewrote 1 link in 1 note.\n[Some links in 'a.md' are as they were: ");
  expect(text).toContain("[Links in 'b.md' are as they were: ");
});
