/** Finding by filters, orders and pages, and what is said beside the tasks found. */
import { taskSubject } from "../../tasks/rows/task-subject.js";
import { noteFormat } from "../note-format/format.js";
import { describe, expect, it } from "vitest";
import { note, refusal, taskVault } from "../../../test/kit/task-vault.js";
import { fixedClock, sequentialIds } from "../../clock.js";
import { assembleVault } from "../../open.js";
import { MemoryStorage } from "../../../test/kit/memory-storage.js";
import { cursorText } from "../../search/cursor.js";
import { Vault } from "../../vault/vault.js";
import { type TaskQuery, taskService } from "../service.js";

const NOW = "2026-11-21T12:00:00Z";
const task = (lines: string, body = ""): string => note(`type: task\n${lines}`, body);
const FILES = {
  "paint.md": task(
    'title: Paint the wall\ndue: 2026-11-27\nblockedBy: ["[[measure]]", "[[order]]"]\narea: Home\nprojects: ["[[Kitchen]]"]',
  ),
  "measure.md": task("title: Measure the wall\ndue: 2026-11-19\npriority: high\ncontexts: hardware-store"),
  "order.md": task("title: Order paint\nstatus: in-progress\nscheduled: 2026-11-23\nassignee: '[[Anna Berg]]'"),
  "plants.md": task(
    "title: Water the plants\nrecurrence: DTSTART:20261102;FREQ=WEEKLY;BYDAY=SA\nscheduled: 2026-11-21\ncomplete_instances: [2026-11-07, 2026-11-14]",
  ),
  "tax.md": task("title: File the taxes\nstatus: done\ncompletedDate: 2026-11-20\ndue: 2026-11-01\ntags: money"),
  "waits.md": task("title: Hear from the landlord\nstatus: waiting"),
  "_archive/old.md": task("title: Old thing\ndue: 2026-11-02"),
};
const vault = taskVault(FILES, { now: NOW });

const find = (query: string, rest: Partial<TaskQuery> = {}) => vault.tasks.search({ query, ...rest });
async function names(query: string, rest: Partial<TaskQuery> = {}): Promise<string> {
  return (await find(query, rest)).tasks.map(({ path }) => path.replace(".md", "")).join(" ");
}

describe("filters", () => {
  it.each<[string, Partial<TaskQuery>, string]>([
    ["overdue, as the scan counts", { due: "overdue" }, "measure"],
    ["a week from today", { due: "this week" }, "paint"],
    ["an open range", { due: "before today" }, "measure tax"],
    ["no due date", { due: "none" }, "order plants waits"],
    ["any scheduled day", { scheduled: "any" }, "order plants"],
    ["scheduled by today", { scheduled: "2026-11-01..2026-11-21" }, "plants"],
    ["completed, instances of series too", { completed: "last 14 days" }, "tax plants"],
    ["completed yesterday", { completed: "yesterday" }, "tax"],
    ["outstanding", { is: ["outstanding"] }, "order measure paint plants waits"],
    ["ready", { is: ["ready"] }, "order measure plants"],
    ["blocked by status or by others", { is: ["blocked"] }, "paint waits"],
    ["recurring", { is: ["recurring"] }, "plants"],
    ["all of several", { is: ["blocked"], due: "any" }, "paint"],
    ["below a folder", { note: "_archive/", includeArchived: true }, "_archive/old"],
    ["one of several statuses", { status: ["In Progress", "Done"] }, "order tax"],
    ["a project", { project: "kitchen" }, "paint"],
    ["a project as a link", { project: "[[Kitchen]]" }, "paint"],
    ["no project", { project: "none" }, "order measure plants waits tax"],
    ["any project", { project: "Any" }, "paint"],
    ["no area", { area: "none" }, "order measure plants waits tax"],
    ["no area, as answers call it", { area: "Unassigned" }, "order measure plants waits tax"],
    ["any area", { area: "any" }, "paint"],
    ["a tag with its sign", { tags: ["#money"] }, "tax"],
    ["no tag", { tags: ["none"], is: ["blocked"] }, "paint waits"],
    ["any tag", { tags: ["any"] }, "tax"],
    ["a priority", { priority: "High" }, "measure"],
    ["a context, with its sign or without", { context: "@Hardware-Store" }, "measure"],
    ["no context", { context: "none", is: ["blocked"] }, "paint waits"],
    ["a note by its path", { note: "paint.md" }, "paint"],
    ["a note by its name", { note: "[[Old]]", includeArchived: true }, "_archive/old"],
    ["inline", { is: ["inline"] }, ""],
  ])("%s", async (_name, filters, found) => expect(await names("*", filters)).toBe(found));

  it.each<Partial<TaskQuery>>([
    { area: "" },
    { project: " " },
    { due: "" },
    { tags: [""] },
    { tags: ["#", "money"] },
    { tags: [] },
    { status: [] },
    { is: [] },
  ])("an empty one is refused, not ignored: %j", async (filter) => {
    const error = await refusal(find("*", filter));
    expect([error.code, error.message]).toEqual(["INVALID_ARGUMENT", `The filter ${Object.keys(filter)[0]} is empty.`]);
    expect(error.hint).toMatch(/^Leave /);
  });

  it("says how many done tasks a question about completed days leaves out", async () => {
    const files = {
      "old.md": task("title: Old\nstatus: done"),
      "_archive/older.md": task("title: Older\nstatus: done"),
      "dropped.md": task("title: Dropped\nstatus: cancelled"),
    };
    const one = taskVault({ ...FILES, ...files }, { now: NOW });
    const { remarks } = await one.tasks.search({ query: "*", completed: "last week" });
    const { doneWithoutDay } = await one.tasks.review();
    expect(remarks).toContain(`Not counted: ${doneWithoutDay} tasks that are done without saying when.`);
    expect(doneWithoutDay).toBe(2);
    const other = await one.tasks.search({ query: "taxes", completed: "last week" });
    expect(other.remarks.join()).not.toContain("Not counted");
  });

  it("suggests no names that only plain checkboxes have, also after those were listed", async () => {
    const files = { "a.md": task("title: A\ntags: [kitchen]"), "b.md": "- [ ] plain #kitchenn\n" };
    const { tasks } = taskVault(files, { lines: { inlineTasks: "marked" } });
    const suggested = async () => (await tasks.search({ query: "*", tags: ["kitchenz"] })).remarks;
    const before = await suggested();
    expect((await tasks.search({ query: "*", is: ["checkbox"] })).total).toBe(1);
    expect(before).toEqual(['No task has the tag "kitchenz". The nearest: "kitchen".']);
    expect(await suggested()).toEqual(before);
  });

  it("knows what lies untouched", async () => {
    const { storage, tasks } = taskVault(
      { "a.md": task("title: A"), "b.md": task("title: B\ndue: 2026-12-31"), "c.md": task("title: C\nstatus: done") },
      { now: "2026-10-01T12:00:00Z" },
    );
    expect((await tasks.search({ query: "*", is: ["stale"] })).total).toBe(0);
    const clock = fixedClock(NOW);
    const later = taskService(
      new Vault({ storage, clock, ids: sequentialIds(), subjects: [taskSubject([noteFormat], clock)] }),
    );
    const { tasks: stale } = await later.search({ query: "*", is: ["stale"] });
    expect(stale.map(({ path }) => path)).toEqual(["a.md"]);
  });

  it.each<[Partial<TaskQuery>, string]>([
    [{ due: "blursday" }, 'due "blursday" is not a day or range I know. Today is Sat 2026-11-21.'],
    [{ completed: "overdue" }, 'completed "overdue" is nothing'],
    [{ cursor: "x" }, 'cursor "x" is none that an answer gave'],
  ])("%j is refused", async (filters, words) => {
    const error = await refusal(find("*", filters));
    expect([error.code, error.message]).toEqual(["INVALID_ARGUMENT", expect.stringContaining(words)]);
  });

  it("say how words were read", async () => {
    const { remarks } = await find("*", { due: "next week", scheduled: "2026-11-21" });
    expect(remarks).toEqual([
      'Read due "next week" as 2026-11-23..2026-11-29.',
      'Without due "next week": 1 task. Without scheduled "2026-11-21": 1 task.',
    ]);
  });
});

it("refuses to exclude a tag", async () => {
  await expect(find("*", { tags: ["!money"] })).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: 'tags "!money": no filter excludes a tag.',
  });
});

describe("a project or area that no task names so", () => {
  const { tasks } = taskVault({
    "Projects/Kitchen/Kitchen.md": note("type: project\naliases: [Cuisine]"),
    "Areas/Home.md": note("aliases: [House]"),
    "paint.md": task("title: Paint\nprojects: ['[[Kitchen]]']\narea: Home"),
    "Templates/Task.md": task("title: Template"),
  });
  it.each<[Partial<TaskQuery>, string]>([
    [{ project: "cuisine" }, 'Read project "cuisine" as "Kitchen".'],
    [{ project: ["Projects/Kitchen"] }, 'Read project "Projects/Kitchen" as "Kitchen".'],
    [{ project: "projects/kitchen/Kitchen.md" }, 'Read project "projects/kitchen/Kitchen.md" as "Kitchen".'],
    [{ area: "House" }, 'Read area "House" as "Home".'],
    [{ area: "areas/Home.md" }, 'Read area "areas/Home.md" as "Home".'],
    [{ area: "/Areas/Home" }, 'Read area "/Areas/Home" as "Home".'],
    [{ project: "Projects/Kitchen/" }, 'Read project "Projects/Kitchen/" as "Kitchen".'],
  ])("is found by its alias, path or folder: %j", async (filters, remark) => {
    const { total, remarks } = await tasks.search({ query: "*", ...filters });
    expect([total, remarks.map(String)]).toEqual([1, [remark]]);
  });

  it("is written in a saved base as the note that is meant", async () => {
    const { selection } = await tasks.search({ query: "*", project: "cuisine" });
    const { text } = await tasks.viewBase({ name: "Kitchen", group: undefined, selection });
    expect(text).toContain('contains(link("Kitchen"))');
  });

  it("is found by the alias of a note anywhere, if tasks name that note", async () => {
    const files = {
      "Big move.md": note("aliases: [Umzug]"),
      "Other.md": note("aliases: [Else]"),
      "pack.md": task("title: Pack\nprojects: ['[[Big move]]']"),
    };
    const clock = fixedClock(NOW);
    const storage = new MemoryStorage({ name: "Study", files, clock });
    const { tasks: own } = assembleVault({ storage, name: "Study", clock, ids: sequentialIds() });
    const read = async (project: string) => {
      const { total, remarks } = await own.search({ query: "*", project });
      return [total, ...remarks.map(String)];
    };
    expect(await read("umzug")).toEqual([1, 'Read project "umzug" as "Big move".']);
    expect(await read("Else")).toEqual([0, 'No task has the project "Else". Known: "Big move".']);
  });

  it("says that a global filter is no tag", async () => {
    const { tasks: own } = taskVault({
      ".obsidian/plugins/obsidian-tasks-plugin/data.json": JSON.stringify({ globalFilter: "#todo" }),
      ".obsidian/community-plugins.json": '["obsidian-tasks-plugin"]',
      "a.md": "- [ ] Pack #todo\n",
    });
    const { total, remarks } = await own.search({ query: "*", tags: ["todo"] });
    expect([total, ...remarks.map(String)]).toEqual([
      0,
      '"#todo" is the global filter of the plugin Tasks and no tag of its tasks: is ["inline"] lists them.',
    ]);
  });

  it("says what excludes the tasks of a note that has the name of a template", async () => {
    const { tasks: own } = taskVault({
      "Templates/Task.md": task("title: Template"),
      "Work/Task.md": task("title: Real"),
    });
    const { remarks } = await own.search({ query: "*", note: "Task", priority: "High" });
    expect(remarks.map(String)).toEqual(['Without priority "High": 1 task.']);
  });

  it("says why a template has no tasks", async () => {
    const { remarks } = await tasks.search({ query: "*", note: "Templates/Task.md" });
    expect(remarks).toEqual([
      "'Templates/Task.md' has no tasks: templates, and notes excluded in Obsidian's settings, have none.",
    ]);
    await expect(tasks.get("Templates/Task.md")).rejects.toMatchObject({
      hint: "'Templates/Task.md' is no task: templates, and notes excluded in Obsidian's settings, are none.",
    });
  });
});

describe("words", () => {
  it("takes the letter that signs leave of a word as a whole word, and says that signs are not searched", async () => {
    const { tasks } = taskVault({ "a.md": task("title: Learn C++"), "b.md": task("title: Call Bob") });
    const { tasks: found, remarks } = await tasks.search({ query: "C++" });
    expect(found.map(({ title }) => title)).toEqual(["Learn C++"]);
    expect(remarks.map(String)).toEqual([
      'Only letters and numbers are searched: "C++". For exact text: search with query "C++".',
    ]);
  });

  it.each([
    ["hardware", "measure"],
    ["anna berg", "order"],
    ["measure", "measure"],
  ])("%s finds %s", async (query, found) => expect(await names(query)).toBe(found));
});

describe("orders", () => {
  it.each<[string, Partial<TaskQuery>, string]>([
    ["*", {}, "order measure paint plants waits tax"],
    ["*", { sort: "due" }, "measure paint order plants waits tax"],
    ["*", { sort: "priority" }, "measure order paint plants waits tax"],
    ["*", { sort: "due", completed: "any" }, "tax plants"],
    ["*", { status: ["Done", "To Do"], sort: "due" }, "tax measure paint plants"],
    ["wall", { sort: "due" }, "measure paint"],
    ["*", { sort: "relevance" }, "order measure paint plants waits tax"],
  ])("%s %j", async (query, filters, found) => expect(await names(query, filters)).toBe(found));
});

describe("pages", () => {
  it("go on where the last one ended, and add up to the whole", async () => {
    const whole = await find("*");
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 10; page++) {
      const hits = await find("*", { limit: 2, ...(cursor !== undefined && { cursor }) });
      expect([hits.offset, hits.total, hits.selection]).toEqual([seen.length, 6, whole.selection]);
      seen.push(...hits.tasks.map(({ id }) => id));
      if (seen.length === hits.total) break;
      cursor = cursorText({ offset: seen.length, fingerprint: hits.fingerprint });
    }
    expect(seen).toEqual(whole.tasks.map(({ id }) => id));
  });

  it("say that the result has changed, and go on", async () => {
    const before = (offset: number) => cursorText({ offset, fingerprint: "00000000" });
    expect(await find("*", { limit: 2, cursor: before(2) })).toMatchObject({
      offset: 2,
      remarks: ["The result has changed since this cursor was given; the list goes on at the same place."],
    });
    expect(await find("*", { limit: 2, cursor: before(20) })).toMatchObject({
      offset: 0,
      remarks: ["The result has changed since this cursor was given; the list begins again."],
    });
  });

  it("name the same set by words in any order", async () => {
    const [byDue, byWords] = [await find("wall", { sort: "due" }), await find("wall")];
    expect(byDue.fingerprint).toBe(byWords.fingerprint);
    expect(byWords.selection).toBe(`query=wall#${byWords.fingerprint}`);
  });
});

it("names what holds tasks up", async () => {
  const { tasks, waitsFor } = await find("paint", { sort: "due" });
  expect(tasks.map((task) => waitsFor.get(task)?.names)).toEqual([["Measure the wall", "Order paint"], undefined]);
});

it("says that operators of other programs were searched as words", async () => {
  const { total, remarks } = await find("-wall");
  expect(total).toBeGreaterThan(0);
  expect(remarks).toEqual(['Searched as plain words: "-wall". A query has no operators, and every word must match.']);
  expect((await find("wall - 2")).remarks.join()).not.toContain("operators");
});

it("reads a word that no task has as its other forms, before it is taken for misspelt", async () => {
  const { tasks } = taskVault({ "Leak.md": note("type: task"), "Leaving.md": note("type: task") });
  const { tasks: found, remarks } = await tasks.search({ query: "leaking" });
  expect(found.map(({ title }) => title)).toEqual(["Leak"]);
  expect(remarks).toEqual(['No task has "leaking"; it was read as leak.']);
});

it("reads no word as another where plain checkboxes have it", async () => {
  const { tasks } = taskVault({ "Read.md": note("type: task", "# Read a book"), "Day.md": "- [ ] buy bread\n" });
  expect((await tasks.search({ query: "bread" })).total).toBe(0);
  expect((await tasks.search({ query: "raed" })).remarks.join()).toContain("it was read as read");
});

describe("a search that finds nothing", () => {
  it.each<[string, Partial<TaskQuery>, readonly string[]]>([
    ["overdue", {}, ['"overdue" is a filter, not a word: call search_tasks with query "*" and due "overdue".']],
    ["blocked", {}, ['"blocked" is a filter, not a word: call search_tasks with query "*" and is ["blocked"].']],
    ["due:today", {}, ['"due:today" is a filter, not a word: call search_tasks with query "*" and due "today".']],
    [
      "status:Blocked",
      {},
      ['"status:Blocked" is a filter, not a word: call search_tasks with query "*" and status ["Blocked"].'],
    ],
    [
      "done last week",
      {},
      ['"done last week" is a filter, not a word: call search_tasks with query "*" and completed "last week".'],
    ],
    ["next week", {}, ['"next week" is a filter, not a word: call search_tasks with query "*" and due "next week".']],
    [
      "wall overdue #home",
      {},
      [
        '"overdue" and "#home" are filters, not words: call search_tasks with query "wall" and due "overdue", tags ["home"].',
      ],
    ],
    ["open tasks", {}, ['"open" is a filter, not a word: call search_tasks with query "*" and is ["outstanding"].']],
    [
      "high priority",
      {},
      ['"high priority" is a filter, not a word: call search_tasks with query "*" and priority ["High"].'],
    ],
    [
      "tasks without a due date",
      {},
      ['"without a due date" is a filter, not a word: call search_tasks with query "*" and due "none".'],
    ],
    [
      "no project",
      {},
      ['"no project" is a filter, not a word: call search_tasks with query "*" and project ["none"].'],
    ],
    [
      "high priority tasks due this week",
      {},
      [
        '"high priority" and "due this week" are filters, not words: call search_tasks with query "*" and priority ["High"], due "this week".',
      ],
    ],
    [
      "what is overdue for the submarine",
      {},
      ['"overdue" is a filter, not a word: call search_tasks with query "submarine" and due "overdue".'],
    ],
    ["Inbox", {}, ['No task has "inbox".']],
    ["submarine", {}, ['No task has "submarine".']],
    ["*", { area: "Hoem" }, ['No task has the area "Hoem". The nearest: "Home".']],
    ["*", { project: "kitchn" }, ['No task has the project "kitchn". The nearest: "Kitchen".']],
    [
      "*",
      { tags: ["mony", "garden"] },
      ['No task has the tag "mony". The nearest: "money".', 'No task has the tag "garden". Known: "money".'],
    ],
    ["*", { status: ["Other"] }, ['Without status ["Other"]: 6 tasks.']],
    [
      "*",
      { tags: ["money"], due: "tomorrow" },
      ['Read due "tomorrow" as Sun 2026-11-22 (in 1 day).', 'Without due "tomorrow": 1 task.'],
    ],
  ])("%s %j", async (query, filters, remarks) => {
    const hits = await find(query, filters);
    expect([hits.total, hits.remarks]).toEqual([0, remarks]);
  });

  it("says which word or filter excludes everything, and which tasks have most of the words", async () => {
    const { tasks } = taskVault({
      "Roof.md": note("type: task\narea: Home", "# Repair the roof"),
      "Tap.md": note("type: task\narea: Home\ncontexts: [garage]", "# Repair the tap"),
      "Old.md": note("type: task\narchived: true", "# Sell the boat"),
    });
    const remarks = async (query: Partial<TaskQuery>) => (await tasks.search({ query: "*", ...query })).remarks;
    expect(await remarks({ query: "repair gutter roof" })).toEqual([
      'No task has "gutter".',
      'Only some of the words: "Repair the roof" (Roof.md) (lacks "gutter"); "Repair the tap" (Tap.md) (lacks "gutter", "roof").',
    ]);
    expect(await remarks({ query: "roof", context: "garage" })).toEqual([
      'Without context "garage": 1 task. Without the query: 1 task.',
    ]);
    expect(await remarks({ context: "garden" })).toEqual(['No task has the context "garden". Known: "garage".']);
    expect(await remarks({ context: "garag" })).toEqual(['No task has the context "garag". The nearest: "garage".']);
    expect(await remarks({ query: "boat" })).toEqual(["1 archived task found with includeArchived."]);
    expect(await remarks({ query: "what do I have to do about the tap?" })).toEqual([
      'No task has all words of "what do I have to do about the tap?": it was read as "tap".',
    ]);
  });

  it("says of one tag among others that nobody has it", async () => {
    expect((await find("*", { tags: ["money", "mony"] })).remarks).toEqual([
      'No task has the tag "mony". The nearest: "money".',
    ]);
  });

  it("says of one project among others that no task has it", async () => {
    const { total, remarks } = await find("*", { project: ["Kitchen", "kitchn"] });
    expect([total > 0, remarks]).toEqual([true, ['No task has the project "kitchn". The nearest: "Kitchen".']]);
  });

  it("names each state that excludes everything", async () => {
    const { tasks } = taskVault({ "a.md": note("type: task\nstatus: done"), "b.md": "- [ ] Plain\n" });
    const remarks = async (is: TaskQuery["is"]) => (await tasks.search({ query: "*", is })).remarks;
    expect(await remarks(["note", "card"])).toEqual(['Without is "card": 1 task.']);
    expect(await remarks(["checkbox", "note"])).toEqual(['Without is "note": 1 task.']);
    expect(await remarks(["checkbox", "note", "recurring"])).toEqual([
      'Alone: is "note" 0 tasks, is "recurring" 0 tasks.',
    ]);
  });

  it.each(["*", "roof"])("answers %s, whatever filters exclude each other", async (query) => {
    const filters: readonly Partial<TaskQuery>[] = [
      { note: "nowhere" },
      { status: "To Do" },
      { status: "Done" },
      { completed: "any" },
      { priority: "High" },
      { due: "overdue" },
      { is: ["outstanding"] },
      { is: ["note"] },
      { is: ["recurring", "ready"] },
      { is: ["blocked"] },
      { area: "none", project: "any" },
      { tags: ["money"], sort: "agenda" },
    ];
    for (const one of filters)
      for (const other of filters) {
        const both = { ...one, ...other };
        const { total, tasks } = await find(query, { ...both, limit: 5 });
        expect([both, tasks.length]).toEqual([both, Math.min(total, 5)]);
      }
  });
});

it("says which tasks wait for others where the status Blocked is asked for", async () => {
  expect((await find("*", { status: "Blocked" })).remarks).toEqual([
    '1 task waits for others and has another status: is ["blocked"] lists it.',
  ]);
  expect(String((await find("wall", { status: ["Blocked"] })).remarks[0])).toContain("1 task waits");
  expect((await find("*", { status: ["Blocked"], is: ["blocked"] })).remarks).toEqual([]);
  expect((await find("taxes", { status: "Blocked" })).remarks.join()).not.toContain("waits");
});

it("finds on a board the notes that its cards link to", async () => {
  const board = "---\nkanban-plugin: board\n---\n\n## Doing\n\n- [ ] [[tax]]\n- [ ] Hang curtains @{2026-11-24}\n";
  const { tasks } = taskVault({ "Boards/House.md": board, "tax.md": task("title: File the taxes") }, { now: NOW });
  const found = await tasks.search({ query: "*", note: "House" });
  expect(found.tasks.map(({ title, lane }) => [title, lane])).toEqual([
    ["Hang curtains", "Doing"],
    ["File the taxes", "Doing"],
  ]);
});
