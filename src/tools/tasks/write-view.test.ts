/** What the answers of tools that write say to one who reads the text alone. */
import { describe, expect, it } from "vitest";
import { contextOf, workspaceOf } from "../../../test/kit/known-tasks.js";
import { note, taskVault, type TaskVault } from "../../../test/kit/task-vault.js";
import { type ToolOutcome, wordsOf } from "../outcome.js";
import { TOOLS } from "../all-tools.js";

async function call({ tasks }: TaskVault, name: string, args: unknown): Promise<ToolOutcome> {
  const tool = TOOLS.find((tool) => tool.name === name);
  if (!tool) throw new Error(name);
  return await tool.call(args, contextOf(workspaceOf(tasks)));
}

const said = async (vault: TaskVault, name: string, args: unknown): Promise<string> =>
  wordsOf(await call(vault, name, args));

const LINES = { lines: { inlineTasks: "marked" } } as const;
const weekly = note('type: task\nstatus: To Do\nscheduled: 2025-08-30\nrecurrence: "DTSTART:20250830;FREQ=WEEKLY"');

describe("a series", () => {
  it("names the line of the instance to come, which finds it", async () => {
    const vault = taskVault({ "Log.md": "text\n- [ ] rent 🔁 every month 📅 2025-09-01\n" }, LINES);
    const text = await said(vault, "update_task", { taskId: "rent", updates: { status: "Done" } });
    expect(text).toContain("Done for Mon 2025-09-01; next Wed 2025-10-01 (in 32 days), id Log.md:2~");
    expect((await vault.tasks.get(/Log\.md:2~\w+/.exec(text)?.[0] ?? "")).task).toMatchObject({
      title: "rent",
      status: "To Do",
    });
  });

  it("says once that an instance is finished already", async () => {
    const vault = taskVault({ "a.md": weekly });
    await said(vault, "update_task", { taskId: "a", updates: { status: "Done" } });
    const text = await said(vault, "update_task", { taskId: "a", updates: { status: "Done" } });
    expect(text).toContain("Nothing changed: Sat 2025-08-30 is finished already.");
    expect(text).not.toContain("everything was so already");
  });

  it("says that its rule has no such day", async () => {
    const vault = taskVault({ "a.md": weekly });
    const finish = async (occurrence: string) =>
      await said(vault, "update_task", { taskId: "a", updates: { status: "Done", occurrence } });
    expect(await finish("2025-09-03")).toContain("Done for Wed 2025-09-03. Wed 2025-09-03 is no day of its rule.");
    expect(await finish("2025-09-06")).not.toContain("no day of its rule");
  });
});

it("says what properties hold now, as set_properties does", async () => {
  const vault = taskVault({ "a.md": note("type: task\nRating: 4\ngone: x"), "b.md": note("type: task") });
  const properties = { rating: "5", gone: "", seen: "2025-08-30" };
  const update = { taskId: "a", updates: { properties } };
  expect(await said(vault, "update_task", update)).toContain("\nWritten: Rating: 5; gone emptied; seen: 2025-08-30.");
  expect(await said(vault, "update_task", update)).not.toContain("Written:");
  const created = { title: "New", area: "Home", properties: { rating: "5" } };
  expect(await said(vault, "create_task", created)).toContain("\nWritten: rating: 5.");
  const many = { tasks: ["a", "b"], updates: { properties: '{"rating": "6"}' } };
  expect(await said(vault, "update_tasks", many)).toContain("1. a: Rating 5 → 6\n2. b: rating none → 6\n");
});

it("leaves out of a written task what says nothing", async () => {
  const vault = taskVault({ "a.md": note("type: task") });
  const { data } = (await call(vault, "update_task", { taskId: "a", updates: { priority: "High" } })) as {
    data: object;
  };
  expect(JSON.stringify(data)).not.toMatch(/"(?:adjustments|durable|link)"/);
});

it("tells an estimate of a new task once", async () => {
  const text = await said(taskVault({}), "add_tasks", { text: "Paint wall ~30m" });
  expect(text.match(/estimate 30 min/g)).toHaveLength(1);
});

it.each(["", " "])("an empty lane (%j) is refused: a card is always in one", async (lane) => {
  const board = "---\nkanban-plugin: board\n---\n\n## Doing\n\n- [ ] Paint the fence\n";
  const vault = taskVault({ "Board.md": board }, LINES);
  const update = { taskId: "Paint the fence", updates: { lane } };
  expect(await said(vault, "update_task", update)).toContain("lane is empty: a card is always in a lane.");
  const many = { tasks: ["Paint the fence"], updates: { lane } };
  expect(await said(vault, "update_tasks", many)).toContain("lane is empty");
});

it("tells every value that callers may set", async () => {
  const vault = taskVault({ "a.md": note("type: task\ncontexts: [phone]\nestimate: 90") });
  const text = await said(vault, "update_task", { taskId: "a", updates: { start: "2025-09-01" } });
  expect(text).toContain("starts Mon 2025-09-01 (in 2 days); estimate 1 h 30 min");
});

it("an added task says each fact once, and a caller that asks for all fields gets its days as data", async () => {
  const vault = taskVault({});
  const text = "Paint on 2025-09-01 start 2025-08-29 ~30m #2025-09-02";
  const understood = ["scheduled Mon 2025-09-01 (in 2 days)", "estimate 30 min", "tags 2025-09-02", "start 2025-08-29"];
  const facts = [
    { kind: "scheduled", words: "scheduled", day: "2025-09-01" },
    { kind: "estimate", words: "estimate 30 min" },
    { words: "tags 2025-09-02" },
    { words: "start 2025-08-29" },
  ];
  const outcome = await call(vault, "add_tasks", { text, allFields: true });
  expect(outcome.ok && outcome.data).toMatchObject({ added: [{ understood, facts }] });
});

it("a new task says the area that it has of its project", async () => {
  const files = {
    "1. Projects/Roof/Roof.md": note("type: project\narea: Home"),
    "1. Projects/Roof/Log.md": "- [ ] order tiles #task\n",
  };
  const vault = taskVault(files, LINES);
  expect(await said(vault, "add_tasks", { text: "Call Ann +Roof" })).toContain("area Home; projects Roof");
  expect(await said(vault, "add_tasks", { text: "Pay #task", note: "1. Projects/Roof/Log.md" })).toContain("area Home");
});

describe("a refusal", () => {
  it.each([
    ["FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", '"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30" has no day from 2025-08-30 on.'],
    ["every week until January 1, 2020", '"every week until January 1, 2020" has no day from 2025-08-30 on.'],
    ["FREQ=DAILY;INTERVAL=0", "INTERVAL=0 is no whole number from 1 to 1,000."],
  ])("of the rule %s says why, and nothing is written", async (recurrence, why) => {
    const vault = taskVault({ "a.md": note("type: task\ndue: 2025-09-01") });
    expect(await said(vault, "update_task", { taskId: "a", updates: { recurrence } })).toContain(why);
    expect(await vault.text("a.md")).toBe(note("type: task\ndue: 2025-09-01"));
  });

  it("comes for a rule whose only day the same call takes away", async () => {
    const vault = taskVault({ "a.md": note("type: task\ndue: 2025-09-01") });
    const text = await said(vault, "update_task", { taskId: "a", updates: { recurrence: "every week", dueDate: "" } });
    expect(text).toContain("recurrence needs a day to count from");
  });

  it("of a line that is another by now names those of its note that stand nearest", async () => {
    const lines = ["one", "two", "three"].map((title) => `- [ ] ${title} #task\n`).join("");
    const vault = taskVault({ "Log.md": lines, "b.md": "- [ ] one #task\n" }, LINES);
    const text = await said(vault, "update_task", { taskId: "Log.md:3~abcdef", updates: { status: "Done" } });
    expect(text.match(/"(one|two|three) #task" \(To Do\)/g)).toEqual(
      ["three", "two", "one"].map((title) => `"${title} #task" (To Do)`),
    );
    expect(text).not.toContain("b.md");
  });

  it("of lines that make no task says of each why, in sentences", async () => {
    const vault = taskVault({ "a.md": note("type: task") });
    const text = await said(vault, "add_tasks", { text: "call after [[Nobody]]\n- [x] water" });
    expect(text).toMatch(/line 1: Item not found: \[\[Nobody\]\]\. .* line 2: It is done/);
    const some = await said(vault, "add_tasks", { text: "call\n- [x] water" });
    expect(some).toMatch(/^Not added: line 2 "water": It is done, .*\nAdded 1 task\.\n1\. call: /);
    expect(text).not.toContain("Nothing was changed");
  });
});

it("names the places of a plan's parts only to a caller that asks for them", async () => {
  const workspace = workspaceOf(taskVault({}).tasks);
  const planned = async (more: object) => {
    const tool = TOOLS.find(({ name }) => name === "add_tasks");
    const outcome = await tool?.call({ text: "Call Anna tomorrow", plan: "show", ...more }, contextOf(workspace));
    return outcome?.ok ? outcome.data : {};
  };
  const [plain, full] = [await planned({}), await planned({ allFields: true })];
  expect(plain).toMatchObject({ planned: [{ read: [{ field: "dueDate", value: "2025-08-31" }] }] });
  expect(JSON.stringify(plain)).not.toContain('"from"');
  expect(full).toMatchObject({ plan: plain["plan"], planned: [{ read: [{ from: 10, to: 18 }] }] });
});

it("speaks of a line as a line", async () => {
  const vault = taskVault({ "Log.md": "- [ ] rent 📅 2025-09-01 #task\n- [ ] alone #task\n" }, LINES);
  const rent = await said(vault, "get_task", { taskId: "rent" });
  expect(rent).toContain("Fields on the line:\n- due: 2025-09-01\n\nThere is nothing below the line.");
  const note = await said(taskVault({ "a.md": "---\ntype: task\n---\n" }), "get_task", { taskId: "a" });
  expect(note).toContain("Frontmatter:\n- type: task\n\nThe note has no text below its title.");
});

describe("update_tasks", () => {
  it("names in its hints only what it takes itself", async () => {
    const vault = taskVault({ "a.md": note("type: task") });
    const texts = await Promise.all([
      said(vault, "update_tasks", { tasks: ["a"], updates: {} }),
      said(vault, "update_tasks", { tasks: ["a"], updates: { color: "red" } }),
      said(vault, "update_tasks", { tasks: ["a"], updates: { status: "blue" } }),
      said(vault, "update_tasks", { tasks: ["a"], updates: { properties: "x" } }),
      said(vault, "update_tasks", { tasks: ["a"], updates: { tags: { add: ["x"] } } }),
      said(vault, "update_tasks", { tasks: ["a"], updates: { title: { a: 1 } } }),
    ]);
    for (const text of texts) expect(text).toMatch(/❌.*Arguments: tasks \(required\), updates \(required\), plan\./s);
    for (const text of texts.slice(0, 3)) expect(text).not.toMatch(/taskId|expectedRevision/);
  });

  it("says a reason once, with the tasks that it holds for", async () => {
    const files = ["a", "b", "c"].map((name) => [`${name}.md`, note(`type: task\ntitle: ${name.toUpperCase()}`)]);
    const vault = taskVault(Object.fromEntries(files) as Record<string, string>);
    const text = await said(vault, "update_tasks", { tasks: ["a", "b", "c"], updates: { dueDate: "+1 day" } });
    expect(text).toContain("Left out: 3\n- A (a.md), B (b.md), C (c.md): It has no due date to move.");
  });
});

it("says of each series in a change of many which day is next", async () => {
  const vault = taskVault({ "L.md": "- [ ] water 🔁 every week 📅 2025-08-27\n", "a.md": weekly }, LINES);
  const text = await said(vault, "update_tasks", { tasks: ["water", "a"], updates: { status: "Done" } });
  expect(text).toContain("1. water: done for 2025-08-27, next 2025-09-03; status");
  expect(text).toContain(": done for 2025-08-30, next 2025-09-06; scheduled 2025-08-30 → 2025-09-06");
});
