import { describe, expect, it } from "vitest";
import { note, refusal, taskVault } from "../../../test/kit/task-vault.js";

const OTHERS = {
  "Tasks/Buy.md": note("type: task\nid: buy-1"),
  "Tasks/Measure.md": note("type: task"),
  "a/Twin.md": note("type: task"),
  "b/Twin.md": note("type: task"),
};

async function waitingFor(frontmatter: string, blockedBy: readonly string[], others = {}): Promise<string> {
  const vault = taskVault({ ...OTHERS, ...others, "x.md": note(`id: t\ntype: task\n${frontmatter}`, "# T\n") });
  await vault.tasks.update("t", { blockedBy });
  const text = await vault.text("x.md");
  return text.slice("---\nid: t\ntype: task\n".length, -"\n---\n# T\n".length);
}

describe("what a task waits for is written", () => {
  const mapped = [
    "blockedBy:",
    '  - uid: "[[Buy]]" # first',
    "    reltype: STARTTOSTART",
    "    gap: P1D",
    '  - uid: "[[Measure]]"',
    "    reltype: FINISHTOSTART",
    "priority: high",
  ].join("\n");

  it.each<[string, string, readonly string[], string]>([
    [
      "as links",
      "status: todo",
      ["buy-1", "Tasks/Measure.md"],
      'status: todo\nblockedBy:\n  - "[[Buy]]"\n  - "[[Measure]]"',
    ],
    ["by path where a name is not clear", "status: todo", ["a/Twin.md"], 'status: todo\nblockedBy:\n  - "[[a/Twin]]"'],
    [
      "behind what stands there",
      'dependsOn:\n  - "[[Buy|paint]]" # soon',
      ["Buy", "Measure"],
      'dependsOn:\n  - "[[Buy|paint]]" # soon\n  - "[[Measure]]"',
    ],
    ["by ids where the note has ids", "blockedBy: [other]", ["buy-1"], "blockedBy: [buy-1]"],
    [
      "item by item in a list of mappings",
      mapped,
      ["Buy"],
      mapped.replace('  - uid: "[[Measure]]"\n    reltype: FINISHTOSTART\n', ""),
    ],
    [
      "into a list of mappings",
      mapped,
      ["Buy", "Measure", "a/Twin.md"],
      mapped.replace("START\npriority", 'START\n  - uid: "[[a/Twin]]"\n    reltype: FINISHTOSTART\npriority'),
    ],
    [
      "with a kind of its own beside another kind",
      'blockedBy:\n  - uid: "[[Buy]]"\n    reltype: STARTTOSTART',
      ["Buy", "Measure"],
      'blockedBy:\n  - uid: "[[Buy]]"\n    reltype: STARTTOSTART\n  - uid: "[[Measure]]"\n    reltype: FINISHTOSTART',
    ],
    [
      "into mappings in brackets",
      'blockedBy: [{ uid: "[[Buy]]", gap: P1D }, { uid: "[[Twin]]" }]',
      ["Buy", "Measure"],
      'blockedBy: [{ uid: "[[Buy]]", gap: P1D }, { uid: "[[Measure]]", reltype: FINISHTOSTART }]',
    ],
    ["not at all when it is so already", mapped, ["Measure", "Buy"], mapped],
    ["as nothing", mapped, [], "blockedBy:\npriority: high"],
    ["as nothing where a list stood", 'blockedBy:\n  - "[[Buy]]"', [], "blockedBy: []"],
    ["into an empty key", "blockedBy:\nstatus: todo", ["Buy"], 'blockedBy:\n  - "[[Buy]]"\nstatus: todo'],
  ])("%s", async (_name, before, references, wanted) => {
    expect(await waitingFor(before, references)).toBe(wanted);
  });

  it("as mappings where the vault has them", async () => {
    const others = { "o.md": note(`type: task\n${mapped}`) };
    expect(await waitingFor("status: todo", ["Buy"], others)).toBe(
      'status: todo\nblockedBy:\n  - uid: "[[Buy]]"\n    reltype: FINISHTOSTART',
    );
  });

  it("for a new task", async () => {
    const vault = taskVault(OTHERS);
    const { task, waitsFor } = await vault.tasks.create({
      title: "Paint",
      area: "Home",
      blockedBy: ["Buy", "Measure"],
    });
    expect(await vault.text(task.path)).toContain('blockedBy:\n  - "[[Buy]]"\n  - "[[Measure]]"\n');
    expect(waitsFor?.names).toEqual(["Buy", "Measure"]);
  });
});

describe("refusals leave every byte", () => {
  const ring = { "A.md": note('type: task\nblockedBy: ["[[B]]"]'), "B.md": note("type: task") };

  it.each<[string, readonly string[], RegExp]>([
    ["B.md", ["A"], /wait for each other: B → A → B/],
    ["A.md", ["A"], /wait for each other: A → A/],
    ["B.md", ["Nowhere"], /Item not found: Nowhere/],
  ])("%s after %j", async (path, blockedBy, message) => {
    const vault = taskVault(ring);
    const before = await vault.text(path);
    expect((await refusal(vault.tasks.update(path, { blockedBy }))).message).toMatch(message);
    expect(await vault.text(path)).toBe(before);
  });

  it("tells of a ring that stands in the vault", async () => {
    const vault = taskVault({ ...ring, "B.md": note('type: task\nblockedBy: ["[[A]]"]') });
    expect((await vault.tasks.agenda()).problems.map(({ message }) => message)).toEqual([
      "These tasks wait for each other: A → B → A.",
    ]);
  });
});

it("says what finishing a task meant", async () => {
  const vault = taskVault({
    "Buy.md": note('type: task\nblockedBy: ["[[Order]]"]'),
    "Order.md": note("type: task"),
    "Paint.md": note('type: task\nblockedBy: ["[[Buy]]"]'),
    "Sand.md": note('type: task\nblockedBy: ["[[Buy]]", "[[Order]]"]'),
    "Shop.md": note('type: task\nprojects: ["[[Buy]]"]'),
  });
  const { consequences } = await vault.tasks.update("Buy.md", { status: "Done" });
  expect(consequences?.nowReady.map(({ title }) => title)).toEqual(["Paint"]);
  expect([consequences?.waitedFor, consequences?.openSubtasks]).toEqual([["Order"], 1]);
  const ties = await vault.tasks.get("Order.md");
  expect([ties.blocks.map(({ title }) => title), ties.isReady]).toEqual([["Buy", "Sand"], true]);
});

it("an entry outside a list is read, and changing it is refused", async () => {
  const waiting = note('type: task\nblockedBy: {uid: "[[A]]", reltype: FINISHTOSTART, gap: P1D}');
  const vault = taskVault({ "A.md": note("type: task"), "B.md": note("type: task"), "Waiting.md": waiting });
  expect((await vault.task("Waiting.md")).blockedBy).toEqual(["[[A]]"]);
  expect((await vault.tasks.get("Waiting.md")).isReady).toBe(false);
  const error = await refusal(vault.tasks.update("Waiting.md", { blockedBy: ["A.md", "B.md"] }));
  expect(error.message).toContain("cannot be changed safely here");
  expect(await vault.text("Waiting.md")).toBe(waiting);
});

describe("entries that TaskNotes leaves aside", () => {
  const entry = (uid: string, more = ""): string => `  - uid: ${JSON.stringify(uid)}\n${more}`;

  it.each<[string, string, string | undefined]>([
    ["a link", entry("[[A]]"), undefined],
    ["a path and a gap", entry("./a.md", "    reltype: STARTTOSTART\n    gap: -PT15M\n"), undefined],
    ["a Markdown link", entry("[A](a.md)", "    gap: P2W\n"), undefined],
    ["no uid", entry(" "), "blockedBy has an invalid entry: its uid names no task."],
    ["a broken link", entry("[A]("), "blockedBy has an invalid entry: its uid names no task."],
    ["another relation", entry("A", "    reltype: BLOCKS\n"), "blockedBy has an invalid entry: its reltype is none."],
    ["a gap that is none", entry("A", "    gap: soon\n"), "blockedBy has an invalid entry: its gap is no duration."],
    ["one task twice", entry("[[A]]") + entry("A"), "blockedBy has a duplicate entry: two name the same task."],
  ])("%s", async (_, entries, problem) => {
    const { tasks } = taskVault({ "Waiting.md": `---\ntype: task\nblockedBy:\n${entries}---\n` });
    const { problems } = await tasks.agenda();
    expect(problems.map(({ message }) => message)).toEqual(problem === undefined ? [] : [problem]);
  });
});
