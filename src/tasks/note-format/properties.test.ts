import { describe, expect, it } from "vitest";
import { note, refusal, taskVault } from "../../../test/kit/task-vault.js";

const TYPES = {
  ".obsidian/types.json": JSON.stringify({
    types: { points: "number", paid: "checkbox", people: "multitext", meeting: "date", code: "text" },
  }),
};

async function after(frontmatter: string, properties: Readonly<Record<string, string>>): Promise<string> {
  const vault = taskVault({ ...TYPES, "x.md": note(`type: task\n${frontmatter}`) });
  await vault.tasks.update("x.md", { properties });
  return (await vault.text("x.md")).slice("---\ntype: task\n".length, -"\n---\n".length);
}

describe("other properties", () => {
  it.each<[string, Readonly<Record<string, string>>, string]>([
    ["status: todo", { assignee: "[[Anna]]" }, 'status: todo\nassignee: "[[Anna]]"'],
    ["points: 3 # old", { points: "5" }, "points: 5 # old"],
    ["Paid: false", { paid: "TRUE" }, "Paid: true"],
    ["people:\n  - Anna", { people: "Anna, Bo" }, "people:\n  - Anna\n  - Bo"],
    ["status: todo", { meeting: "2025-09-01" }, "status: todo\nmeeting: 2025-09-01"],
    ["status: todo", { meeting: "tomorrow" }, "status: todo\nmeeting: 2025-08-31"],
    ["status: todo", { code: "007" }, 'status: todo\ncode: "007"'],
    ["hours:", { hours: "2", fee: "-1200.50", seen: "2026-12-01" }, "hours: 2\nfee: -1200.50\nseen: 2026-12-01"],
    ["tone: red", { tone: "2", zip: "01234", own: "true" }, 'tone: "2"\nzip: "01234"\nown: true'],
    ["assignee: Bo", { assignee: "" }, "assignee:"],
    ["status: todo", { assignee: "" }, "status: todo"],
    ["status: todo", { archived: "true" }, "status: todo\narchived: true"],
    ["archived: true", { archived: "false" }, "archived: false"],
    ["contexts: [home]", { contexts: "home, desk" }, "contexts: [home, desk]"],
  ])("%s with %j", async (before, properties, wanted) => expect(await after(before, properties)).toBe(wanted));

  it.each<[Readonly<Record<string, string>>, RegExp]>([
    [{ due: "2025-09-01" }, /"due" is a task field; give it as dueDate/],
    [{ "Due Date": "x" }, /give it as dueDate/],
    [{ completed: "2025-09-01" }, /kept by the task tools/],
    [{ complete_instances: "2025-09-01" }, /kept by the task tools/],
    [{ reminders: "x" }, /give it as reminders/],
    [{ remind_me: "x" }, /a plugin keeps/],
    [{ points: "many" }, /"points" is a number/],
    [{ paid: "maybe" }, /true or false/],
    [{ meeting: "blursday" }, /not a day I know/],
    [{ "a\nb": "x" }, /cannot be the name/],
    [{ " ": "x" }, /cannot be the name/],
  ])("%j is refused", async (properties, message) => {
    const text = note("type: task");
    const vault = taskVault({ ...TYPES, "x.md": text });
    expect((await refusal(vault.tasks.update("x.md", { properties }))).message).toMatch(message);
    expect(await vault.text("x.md")).toBe(text);
  });
});

describe("days", () => {
  it.each([
    ["scheduled: 2025-09-01T09:30", "scheduled: 2025-09-02T09:30"],
    ["scheduled: 2025-09-01T09:30:00+02:00", "scheduled: 2025-09-02T09:30:00+02:00"],
    ["scheduled: 2025-09-01", "scheduled: 2025-09-02"],
    ["status: todo", "status: todo\nscheduled: 2025-09-02"],
  ])("keep their clock: %s", async (before, wanted) => {
    const vault = taskVault({ "x.md": note(`type: task\n${before}`) });
    const { adjustments } = await vault.tasks.update("x.md", { scheduled: "in 3 days" });
    expect(await vault.text("x.md")).toBe(note(`type: task\n${wanted}`));
    expect(adjustments).toEqual(['Read scheduled "in 3 days" as Tue 2025-09-02 (in 3 days).']);
  });

  it("of an instant are days of the reader's zone", async () => {
    const vault = taskVault({ "x.md": note("type: task\ndue: 2025-09-01T23:30:00Z") }, { timeZone: "Europe/Berlin" });
    const { task } = await vault.tasks.update("x.md", { dueDate: "2025-09-05" });
    expect([task.due, await vault.text("x.md")]).toEqual(["2025-09-05", note("type: task\ndue: 2025-09-04T23:30:00Z")]);
  });

  it("that are none or two are refused with what to write", async () => {
    const vault = taskVault({ "x.md": note("type: task") });
    const message = async (dueDate: string) => (await refusal(vault.tasks.update("x.md", { dueDate }))).message;
    expect(await message("1/2/2027")).toMatch(/2027-01-02.*2027-02-01|2027-02-01.*2027-01-02/);
    expect(await message("february")).toMatch(/not a day I know/);
    expect(await message("2025-02-30")).toMatch(/Write YYYY-MM-DD/);
  });
});

describe("the date a note was changed on", () => {
  it.each([
    ["2025-01-01", "2025-08-30"],
    ["2025-01-01T10:00", "2025-08-30T14:00"],
    ["2025-01-01 10:00:00", "2025-08-30 14:00:00"],
    ["2025-01-01T10:00:00Z", "2025-08-30T12:00:00Z"],
    ["2025-01-01T10:00:00.000+01:00", "2025-08-30T14:00:00.000+02:00"],
    ["last week", "last week"],
  ])("%s", async (before, wanted) => {
    const files = { "x.md": note(`type: task\ndateModified: ${before}\nupdated: 2020-01-01`) };
    const vault = taskVault(files, { timeZone: "Europe/Berlin" });
    await vault.tasks.update("x.md", { priority: "High" });
    expect(await vault.text("x.md")).toContain(`dateModified: ${wanted}\nupdated: 2020-01-01\n`);
    const text = await vault.text("x.md");
    await vault.tasks.update("x.md", { priority: "High" });
    expect(await vault.text("x.md")).toBe(text);
  });
});

describe("a revision", () => {
  it("is the same from every call, and another after a change", async () => {
    const vault = taskVault({ "x.md": note("type: task\nid: t", "text\n") });
    const [listed] = (await vault.tasks.search({ query: "*" })).tasks;
    const { task } = await vault.tasks.get("t");
    expect(task.revision).toBe(listed?.revision);
    const updated = await vault.tasks.update("t", { priority: "High" }, { expectedRevision: task.revision });
    expect(updated.task.revision).not.toBe(task.revision);
    expect((await vault.task("x.md")).revision).toBe(updated.task.revision);
    const error = await refusal(vault.tasks.update("t", { priority: "Low" }, { expectedRevision: task.revision }));
    expect([error.code, (await vault.task("x.md")).priority]).toEqual(["CONFLICT", "High"]);
  });

  it("changes with every byte of the note, also of a large one", async () => {
    const body = `${"x".repeat(300_000)}\n`;
    const vault = taskVault({ "x.md": note("type: task\nid: t", body) });
    const { revision } = await vault.task("x.md");
    const updated = await vault.tasks.update("t", { priority: "High" }, { expectedRevision: revision });
    expect(updated.changed).toBe(true);
    expect((await vault.task("x.md")).revision).toBe(updated.task.revision);
    const again = await vault.tasks.update("t", { description: body }, { expectedRevision: updated.task.revision });
    expect((await vault.tasks.search({ query: "*" })).tasks.map((task) => task.revision)).toEqual([
      again.task.revision,
    ]);
    await vault.put("x.md", note("type: task\nid: t", `${body}y`));
    expect((await vault.task("x.md")).revision).not.toBe(revision);
  });
});
