/** set_properties: the values that properties get, and what is refused (docs: notes-and-files, "Surgery on notes"). */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { FUZZ_FACTOR, LONG } from "../../test/kit/fuzz.js";
import { contextOf } from "../../test/kit/known-tasks.js";
import { fixedClock, sequentialIds } from "../clock.js";
import { assembleVault } from "../open.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import { vaultPath } from "../storage/path.js";
import type { ToolOutcome } from "../tools/outcome.js";
import { TOOLS } from "../tools/all-tools.js";
import { createWorkspace } from "../tools/workspace.js";
import { fold } from "../text/fold.js";
import { withItems } from "./set-properties.js";

const types = { types: { rating: "number", draft: "checkbox", start: "date", authors: "multitext", note: "text" } };

function vaultWith(files: Readonly<Record<string, string>>, maxFileSize?: number) {
  const clock = fixedClock("2026-11-23T09:05:00Z");
  const storage = new MemoryStorage({
    name: "Study",
    files: { ".obsidian/types.json": JSON.stringify(types), ...files },
    clock,
  });
  const opened = assembleVault({ storage, name: "Study", clock, ids: sequentialIds(), maxFileSize });
  const opener = { resolve: async (path: string) => path, open: async () => opened };
  const context = contextOf(createWorkspace({ opener, default: "Study", switches: false }));
  return {
    storage,
    text: async (path: string) => (await opened.vault.read(vaultPath(path))).text,
    call: async (name: string, input: object): Promise<ToolOutcome> =>
      TOOLS.find((tool) => tool.name === name)!.call(input, context),
  };
}

const dataOf = (outcome: ToolOutcome, key: string): string => String(outcome.ok && outcome.data[key]);

const NOTE = '---\r\n# mine\r\ntags: [a, "b"]\r\nold:   1 # one\r\nauthors:\r\n  - Ann\r\n---\r\ntext';

describe("a value", () => {
  it.each<[says: string, properties: object, expected: string]>([
    ["is a number by types.json", { rating: "4" }, NOTE.replace("- Ann\r\n", "- Ann\r\nrating: 4\r\n")],
    ["is a number below zero", { rating: "-4" }, NOTE.replace("- Ann\r\n", "- Ann\r\nrating: -4\r\n")],
    ["is true or false", { Draft: "yes" }, NOTE.replace("- Ann\r\n", "- Ann\r\nDraft: true\r\n")],
    ["is a day in words", { start: "next monday" }, NOTE.replace("- Ann\r\n", "- Ann\r\nstart: 2026-11-30\r\n")],
    ["is text though it is digits", { note: "007" }, NOTE.replace("- Ann\r\n", '- Ann\r\nnote: "007"\r\n')],
    ["is a number of a new property", { fee: "-12.50" }, NOTE.replace("- Ann\r\n", "- Ann\r\nfee: -12.50\r\n")],
    ["keeps its digits", { zip: "01234" }, NOTE.replace("- Ann\r\n", '- Ann\r\nzip: "01234"\r\n')],
    ["keeps its sign", { phone: "+4930123" }, NOTE.replace("- Ann\r\n", '- Ann\r\nphone: "+4930123"\r\n')],
    ["is a list", { authors: ["Ann", "Bo"] }, NOTE.replace("- Ann\r\n", "- Ann\r\n  - Bo\r\n")],
    ["is a list's only item", { authors: "Bo" }, NOTE.replace("- Ann", "- Bo")],
    ["is added to a list once", { tags: { add: ["#c", "A"] } }, NOTE.replace('"b"]', '"b", c]')],
    ["is removed from a list", { tags: { remove: "a" } }, NOTE.replace('a, "b"', '"b"')],
    ["makes a list", { topics: { add: "x" } }, NOTE.replace("- Ann\r\n", "- Ann\r\ntopics:\r\n  - x\r\n")],
    ["is removed with its lines", { authors: "" }, NOTE.replace("authors:\r\n  - Ann\r\n", "")],
    ["of another kind is its own type", { other: 4.5 }, NOTE.replace("- Ann\r\n", "- Ann\r\nother: 4.5\r\n")],
  ])("%s", async (_says, properties, expected) => {
    const { call, text } = vaultWith({ "A.md": NOTE });
    const done = await call("set_properties", { notes: "A", properties });
    expect(done.text).toContain("Changed 1 note.");
    expect(await text("A.md")).toBe(expected);
    expect((await call("set_properties", { notes: "A", properties })).text).toContain("Already so: 1");
    await call("undo_edit", { path: dataOf(done, "operation") });
    expect(await text("A.md")).toBe(NOTE);
  });

  it("that is no item of the list is named with the item that is probably meant", async () => {
    const { call, text } = vaultWith({ "A.md": '---\nlinks:\n  - "[[Bo|Borealis]]"\n---\n' });
    const before = await text("A.md");
    const { text: told } = await call("set_properties", { notes: "A", properties: { links: { remove: ["Bo", "x"] } } });
    expect(told).toBe('Changed 0 notes.\nAlready so: 1\nlinks has no item "Bo"; it has "[[Bo|Borealis]]".');
    expect(await text("A.md")).toBe(before);
  });

  it("in quotes stays text when it becomes an item of a list", async () => {
    const { call, text } = vaultWith({ "A.md": '---\nversion: "3"\nrating: 3\n---\n' });
    await call("set_properties", { notes: "A", properties: { version: { add: ["x"] }, rating: { add: ["4"] } } });
    expect(await text("A.md")).toBe('---\nversion:\n  - "3"\n  - x\nrating:\n  - 3\n  - 4\n---\n');
  });

  it.each([{ tags: { remove: ["a"] } }, { tags: { add: ["y z"] } }])(
    "that cannot be read is no reason to say what was written, or is so: %j",
    async (properties) => {
      const { call } = vaultWith({ "A.md": "---\ntags: [a\n---\n" });
      const { text } = await call("set_properties", { notes: "A", properties });
      expect(text).toContain("Left out 1 (A.md): The frontmatter cannot be changed");
      expect(text).not.toMatch(/Already so|was written/);
    },
  );

  it("that is a day in words is told as it was read, in a plan too", async () => {
    const { call } = vaultWith({ "A.md": NOTE });
    const read = 'Read start "next monday" as Mon 2026-11-30 (in 7 days).';
    const properties = { start: "next monday", note: "tomorrow", rating: "4" };
    const written = "Written: start: 2026-11-30; note: tomorrow; rating: 4.";
    for (const [notes, adjustments] of [["A", [read, written]] as const, [{ folder: "/" }, [read]] as const]) {
      const answer = await call("set_properties", { notes, properties });
      expect(answer).toMatchObject({ ok: true, data: { adjustments } });
      expect(answer.text).toContain(`\n${read}`);
    }
  });

  it("is shown as it was written, and a word that tasks do not know is said", async () => {
    const task = "---\ntype: task\nstatus: todo\n---\n";
    const { call, text } = vaultWith({ "A.md": task, "B.md": task, "C.md": "---\ntags: [c]\n---\n" });
    const properties = { status: "blurb", due: "friday", tags: { add: ["a b", "x"] } };
    expect(await call("set_properties", { notes: ["A", "B", "C"], properties })).toMatchObject({
      data: {
        adjustments: [
          'tag "a b" was written as "a-b"',
          'status "blurb" is no status that tasks know; it was written as it is.',
          'Read dueDate "friday" as Fri 2026-11-27 (in 4 days).',
          "Written: status: blurb; due: 2026-11-27, due: friday; tags: [a-b, x], tags: [c, a-b, x].",
        ],
      },
    });
    expect(await text("A.md")).toContain("status: blurb\n");
    expect((await call("set_properties", { notes: "A", properties: { status: "" } })).text).toContain(
      "Written: status removed.",
    );
    expect((await call("set_properties", { notes: "B", properties: { due: "" } })).text).toContain("due emptied.");
  });

  it("is written as a tag that Obsidian knows, and a number is none", async () => {
    const { call, text } = vaultWith({ "A.md": "text" });
    await call("set_properties", { notes: "A", properties: { tags: "#my tag, b" } });
    expect(await text("A.md")).toContain("tags:\n  - my-tag\n  - b\n");
    expect(await call("set_properties", { notes: "A", properties: { tags: { add: ["1984"] } } })).toMatchObject({
      error: { code: "INVALID_ARGUMENT" },
    });
  });

  it.each(["", " ", "a\nb"])("%j is no name for a property", async (name) => {
    const { call, text } = vaultWith({ "A.md": NOTE, "T.md": "---\ntype: task\n---\n" });
    expect((await call("set_properties", { notes: "A", properties: { [name]: "x" } })).text).toContain(
      "cannot be the name",
    );
    const updates = { properties: { [name]: "x" } };
    expect((await call("update_task", { taskId: "T", updates })).text).toContain("cannot be the name");
    expect([await text("A.md"), await text("T.md")]).toEqual([NOTE, "---\ntype: task\n---\n"]);
  });

  it("has the type of the key elsewhere in the vault", async () => {
    const { call, text } = vaultWith({
      "A.md": "a",
      "B.md": "---\npages: 12\n---\n",
      "C.md": "---\nread: 2026-01-01\n---\n",
    });
    expect((await call("set_properties", { notes: "A", properties: { read: "tomorrow" } })).ok).toBe(true);
    expect(await text("A.md")).toBe("---\nread: 2026-11-24\n---\na");
    const refused = await call("set_properties", { notes: "A", properties: { pages: "many" } });
    expect(refused.text).toContain('"many" is no number (property "pages").');
    expect(refused.text).toContain("Give a number:");
  });

  it("is a list where most notes have a list, of one item or none", async () => {
    const one = "---\nguests:\n  - Bob\nnone: []\n---\n";
    const { call, text } = vaultWith({ "A.md": one, "B.md": one, "C.md": "c" });
    await call("set_properties", { notes: "A", properties: { guests: "Eve" } });
    expect(await text("A.md")).toBe(one.replace("Bob", "Eve"));
    await call("set_properties", { notes: "B", properties: { guests: ["Eve", "Bob"], none: "x" } });
    expect(await text("B.md")).toBe("---\nguests:\n  - Eve\n  - Bob\nnone: [x]\n---\n");
    await call("set_properties", { notes: "C", properties: { guests: "Eve" } });
    expect(await text("C.md")).toBe("---\nguests:\n  - Eve\n---\nc");
  });

  it("is a list in a task where most notes have a list, made or changed, alone or with others", async () => {
    const one = "---\nguests:\n  - Bob\n---\n";
    const task = "---\ntype: task\n---\n";
    const { call, text } = vaultWith({ "A.md": one, "B.md": one, "S.md": task, "T.md": task, "U.md": task });
    const properties = { guests: "Eve" };
    await call("create_task", { title: "New", area: "Home", properties });
    expect(parse((await text("_projects/New.md")).split("---")[1] ?? "")).toMatchObject({ guests: ["Eve"] });
    await call("update_task", { taskId: "S", updates: { properties } });
    await call("update_tasks", { tasks: ["T", "U"], updates: { properties } });
    for (const path of ["S.md", "T.md", "U.md"]) expect(await text(path)).toMatch(/guests:(?:\n {2}- Eve| \[Eve\])\n/);
  });

  it("is a link without the quotes that YAML needs, which are written once", async () => {
    const { call, text } = vaultWith({ "A.md": "a", "T.md": "---\ntype: task\n---\n" });
    const given = '"[[Wedding]]"';
    await call("set_properties", { notes: "A", properties: { plan: given, list: [given], said: '"so"' } });
    expect(await text("A.md")).toBe('---\nplan: "[[Wedding]]"\nlist:\n  - "[[Wedding]]"\nsaid: "\\"so\\""\n---\na');
    await call("update_task", { taskId: "T", updates: { properties: { plan: given }, parentProjects: [given] } });
    expect(await text("T.md")).toContain('plan: "[[Wedding]]"\n');
    expect(await text("T.md")).not.toContain('\\"');
  });

  it("takes the block with it when it was the only one", async () => {
    const { call, text } = vaultWith({ "A.md": "---\nx: 1\n---\ntext\n" });
    await call("set_properties", { notes: "A", properties: { x: "" } });
    expect(await text("A.md")).toBe("text\n");
  });

  it.each(["---\nfoo: bar\n---\n", "---\nunclosed\n"])(
    "but not where the text begins with a rule: %j",
    async (body) => {
      const { call, text } = vaultWith({ "A.md": `---\nx: 1\n---\n${body}` });
      await call("set_properties", { notes: "A", properties: { x: "" } });
      expect(await text("A.md")).toBe(`---\n---\n${body}`);
      await call("set_properties", { notes: "A", properties: { x: "1" } });
      expect(await text("A.md")).toBe(`---\nx: 1\n---\n${body}`);
    },
  );

  it.each([
    [{ rating: "next friday" }, '"next friday" is no number (property "rating").'],
    [{ draft: "maybe" }, '"maybe" is no checkbox value (true or false) (property "draft").'],
    [{ start: "soon" }, '"soon" is no day (property "start").'],
    [{ note: ["a"] }, 'is no text (property "note").'],
    [{ note: { put: "a" } }, 'give a text, a list, or {"add": "x"}'],
    [{ sets: [{ link: "[[Bench]]" }] }, 'an item is a list or mapping itself (property "sets").'],
    [{ sets: { add: [["a"]] } }, 'an item is a list or mapping itself (property "sets").'],
  ])("%j is refused", async (properties, says) => {
    const { call, text } = vaultWith({ "A.md": NOTE });
    expect((await call("set_properties", { notes: "A", properties })).text).toContain(says);
    expect(await text("A.md")).toBe(NOTE);
  });
});

it("changes the property it is asked for, where a task note has two of one field", async () => {
  const task = "---\ntype: task\ndue: 2026-12-01\nDue Date: 2026-12-02\n---\n";
  const { call, text } = vaultWith({ "A.md": task });
  const changed = await call("set_properties", { notes: "A", properties: { "due date": "2026-12-09" } });
  expect(changed.text).toContain("Written: Due Date: 2026-12-09.");
  expect(await text("A.md")).toBe(task.replace("2026-12-02", "2026-12-09"));
  await call("set_properties", { notes: "A", properties: { due: "2026-12-05" } });
  expect(await text("A.md")).toBe("---\ntype: task\ndue: 2026-12-05\nDue Date: 2026-12-09\n---\n");
});

describe("a list with items that are no text", () => {
  const MAPS = '---\nexercises:\n  - link: "[[Bench]]" # first\n    sets: 6\n  # rest\n  - link: "[[Squat]]"\n---\n';

  it.each<[string, string, object, string]>([
    ["grows by a text", MAPS, { exercises: { add: "Row" } }, MAPS.replace('"[[Squat]]"', '"[[Squat]]"\n  - Row')],
    [
      "loses what its JSON names",
      MAPS,
      { exercises: { remove: [{ link: "[[Squat]]" }] } },
      MAPS.replace('  - link: "[[Squat]]"\n', ""),
    ],
    [
      "in brackets grows",
      "---\np: [Anna, {name: Bert, age: 3}, 0x1F, ~]\n---\n",
      { p: { add: ["Cora"], remove: ["anna"] } },
      "---\np: [{name: Bert, age: 3}, 0x1F, ~, Cora]\n---\n",
    ],
    [
      "of tags grows",
      "---\ntags:\n  - '#keep'\n  - 42\n  - {meta: x}\n---\n",
      { tags: { add: "new" } },
      "---\ntags:\n  - '#keep'\n  - 42\n  - {meta: x}\n  - new\n---\n",
    ],
    [
      "keeps the other tags of an item",
      "---\ntags: [a b, c]\n---\n",
      { tags: { remove: "a" } },
      "---\ntags: [b, c]\n---\n",
    ],
    ["goes when it is named", MAPS, { exercises: "" }, ""],
    [
      "is replaced when its whole value is given",
      MAPS,
      { exercises: ["Row"] },
      "---\nexercises:\n  - Row\n  # rest\n---\n",
    ],
  ])("%s", async (_says, before, properties, after) => {
    const { call, text } = vaultWith({ "A.md": before });
    expect((await call("set_properties", { notes: "A", properties })).text).toContain("Changed 1 note.");
    expect(await text("A.md")).toBe(after);
  });

  it("is refused where an anchor holds its items together", async () => {
    const before = "---\nlist:\n  - &one { a: 1 }\n  - b\nother: *one\n---\n";
    const { call, text } = vaultWith({ "A.md": before });
    expect((await call("set_properties", { notes: "A", properties: { list: { add: "x" } } })).text).toContain(
      "cannot be changed",
    );
    expect(await text("A.md")).toBe(before);
  });
});

describe("adding and removing items of any list", () => {
  interface Item {
    readonly source: string;
    /** Undefined for an item that is no text. */
    readonly text?: string;
  }
  const TEXTS: readonly Item[] = [
    { source: "anna", text: "anna" },
    { source: '"b: # c"', text: "b: # c" },
    { source: "'it''s'", text: "it's" },
    { source: "1.10", text: "1.10" },
    { source: "true", text: "true" },
    { source: "d e", text: "d e" },
    { source: '"[[Note, two]]"', text: "[[Note, two]]" },
    { source: "[[Bare]]", text: "[[Bare]]" },
  ];
  const OTHERS: readonly Item[] = ["{ k: v, l: [1] }", "[x, [y]]", "~", "*s", "{}", "[[x], [y]]"].map((source) => ({
    source,
  }));
  const IN_LINES: readonly Item[] = ["k: v # w\n  l:\n    - 1", "- a\n- b", "# c\n  k: v"].map((source) => ({
    source: source.replaceAll("\n- ", "\n  - "),
  }));
  const inBrackets = fc
    .record({
      items: fc.array(fc.constantFrom(...TEXTS, ...OTHERS), { minLength: 1, maxLength: 6 }),
      gap: fc.constantFrom(", ", ",", " , ", ",\n  "),
    })
    .map(({ items, gap }) => ({ items, yaml: `list: [${items.map(({ source }) => source).join(gap)}] # end` }));
  const inLines = fc
    .record({
      items: fc.array(fc.constantFrom(...TEXTS, ...OTHERS, ...IN_LINES), { minLength: 1, maxLength: 6 }),
      indent: fc.constantFrom("", "  ", "    "),
      comments: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
    })
    .map(({ items, indent, comments }) => {
      const lines = items.map(({ source }, at) => (comments[at] ? `# ${at}\n` : "") + `- ${source}`);
      return { items, yaml: `list:\n${lines.join("\n").replace(/^/gm, indent)}` };
    });
  const names = fc.array(fc.constantFrom("ANNA", "it's", "1.10", "true", "[[Bare]]", "new", "x, y", "b: # c"), {
    maxLength: 3,
  });

  it("keeps the bytes of all others", () => {
    const check = (
      list: { items: readonly Item[]; yaml: string },
      add: readonly string[],
      remove: readonly string[],
      ending: string,
    ) => {
      const text = `---\nabove: &s text # a\n${list.yaml}\nbelow: 1 # b\n---\nbody\n`.replaceAll("\n", ending);
      const isGone = (item: Item): boolean =>
        item.text !== undefined && remove.some((one) => fold(one) === fold(item.text ?? ""));
      const kept = list.items.filter((item) => !isGone(item));
      const result = withItems(text, "list", { add, remove });
      const [head, tail] = [text.slice(0, text.indexOf("list:")), text.slice(text.indexOf("below:"))];
      expect(result.startsWith(head) && result.endsWith(tail)).toBe(true);
      let at = head.length;
      for (const { source } of kept) {
        // Lines of an item keep their indentation; the first pattern of blanks is that of the list.
        const lines = source.split("\n");
        for (const line of lines) {
          const next = result.indexOf(line.trim(), at);
          expect({ result, line, next }).not.toMatchObject({ next: -1 });
          at = next + line.trim().length;
        }
      }
      const valueOf = (note: string): unknown[] => parse(note.split(/^---\r?$/m)[1] ?? "", { schema: "failsafe" }).list;
      const before = valueOf(text).filter((_, place) => !isGone(list.items[place] ?? { source: "" }));
      const after = valueOf(result);
      expect(after.slice(0, before.length)).toEqual(before);
      const said = new Set(kept.map((item) => fold(item.text ?? "")));
      expect(after.slice(before.length).map(String)).toEqual(add.filter((one) => !said.has(fold(one))));
    };
    fc.assert(
      fc.property(
        fc.oneof(inBrackets, inLines),
        names,
        names,
        fc.constantFrom("\n", "\r\n"),
        (list, add, remove, ending) =>
          check(
            list,
            [...new Set(add)],
            remove.filter((one) => !add.includes(one)),
            ending,
          ),
      ),
      { numRuns: (LONG ? 300 : 150) * FUZZ_FACTOR },
    );
  });
});

describe("many notes", () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`N/${at}.md`, `---\ntags: [x]\n---\n${at}`]));

  it("are changed by a plan, which another change makes invalid", async () => {
    const { call, text } = vaultWith({ ...many, "Other.md": "o", "N/bad.md": "---\ntags: [x\n---\n" });
    const asked = { notes: { tags: ["x"] }, properties: { rating: "3" } };
    const planned = await call("set_properties", asked);
    expect(planned.text).toContain("30 notes would change; nothing is written yet.");
    expect(await text("N/1.md")).not.toContain("rating");
    const plan = dataOf(planned, "plan");
    const other = await call("set_properties", { ...asked, properties: { rating: "4" }, plan });
    expect(other).toMatchObject({ ok: false, error: { code: "CONFLICT" } });
    const done = await call("set_properties", { ...asked, plan });
    expect(done.text).toContain("Changed 30 notes.");
    expect(await text("N/7.md")).toBe("---\ntags: [x]\nrating: 3\n---\n7");
    await call("undo_edit", { path: dataOf(done, "operation") });
    for (const [path, before] of Object.entries(many)) expect(await text(path)).toBe(before);
  });

  it("that are more than 20 names need a plan, and filters must select", async () => {
    const { call } = vaultWith(many);
    const notes = Object.keys(many);
    expect((await call("set_properties", { notes, properties: { rating: 1 } })).text).toContain("Plan: p-");
    expect((await call("set_properties", { notes: notes.slice(0, 20), properties: { rating: 1 } })).text).toContain(
      "Changed 20",
    );
    for (const all of [{}, { folder: "" }, { query: "", sort_by: "path" }, { tags: [], limit: 5 }])
      expect((await call("set_properties", { notes: all, properties: { rating: 1 } })).text).toContain(
        "select every note",
      );
    expect((await call("set_properties", { notes: { tag: "x", colour: 1 }, properties: { rating: 1 } })).ok).toBe(
      false,
    );
  });
});

it("fields of a task follow the rules of tasks, in the same operation", async () => {
  const task = "---\ntags: [task]\nstatus: open\ndue: 2026-11-20\n---\nCall\n";
  const { call, text } = vaultWith({ "T.md": task, "N.md": "---\nstatus: draft\n---\n" });
  const done = await call("set_properties", {
    notes: ["T", "N"],
    properties: { status: "done", due: "friday", rating: "2" },
  });
  expect(done.text).toContain("Changed 2 notes.");
  expect(await text("T.md")).toMatch(/status: done\n[^]*due: 2026-11-27\n[^]*rating: 2\n/);
  expect(await text("N.md")).toContain("status: done\n");
  await call("undo_edit", { path: dataOf(done, "operation") });
  expect(await text("T.md")).toBe(task);
  const bad = await call("set_properties", { notes: ["T"], properties: { due: "sometime", rating: "3" } });
  expect(bad.text).toContain('"sometime" is no day (property "due").');
  expect(await text("T.md")).toBe(task);
});

it("says what the rules of tasks changed besides, and of a note that cannot be changed only why", async () => {
  const { call } = vaultWith({
    "T.md": "---\ntype: task\nstatus: To Do\ndue: 2026-11-20\nrecurrence: FREQ=WEEKLY\n---\n",
    "Twice.md": "---\ntype: task\nstatus: To Do\nstatus: Done\n---\n",
  });
  const { text } = await call("set_properties", { notes: ["T"], properties: { status: "done" } });
  expect(text).toContain("Written: status: To Do.\nBy the rules of tasks also: due: 2026-11-27; ");
  expect((await call("set_properties", { notes: ["Twice"], properties: { status: "x y" } })).text).not.toContain(
    "written as it is",
  );
});

it("a plan names the notes that its filters could not judge", async () => {
  const { call } = vaultWith({ "a.md": "---\ntags: [x]\n---\n", "b.md": "---\ntags: [x\n---\n" });
  const { text } = await call("set_properties", { notes: { tags: ["x"] }, properties: { rating: "4" } });
  expect(text).toContain("1 note would change");
  expect(text).toContain("1 note cannot be read in full: b.md.");
});

it.each<[tool: string, input: object]>([
  ["set_properties", { notes: { tags: ["x"] }, properties: { note: "more than fits" } }],
  ["rename_tag", { from: "x", to: "longer-than-it-was" }],
  ["update_tasks", { tasks: ["big", "small"], updates: { properties: { other: "more than fits" } }, plan: "show" }],
  ["add_tasks", { note: "big", text: "more than fits tomorrow", plan: "show" }],
])("the plan of %s leaves out a note that would be too large, as the write does", async (tool, input) => {
  const head = "---\ntype: task\ntags: [x]\n---\n";
  const { call } = vaultWith({ "big.md": head + "x".repeat(260 - head.length), "small.md": head }, 260);
  expect((await call(tool, input)).text).toMatch(/'big\.md' has 1 KiB; the most a file may have is 1 KiB\./);
});

it("filters that find no note give no plan, and say why", async () => {
  const { call } = vaultWith({ "a.md": "---\ntags: [cooking]\n---\n" });
  const answer = await call("set_properties", { notes: { tags: ["coking"] }, properties: { rating: "1" } });
  expect(answer).toMatchObject({ ok: true, data: { changed: 0 } });
  expect(answer.text).not.toContain("Plan:");
  expect(answer.text).toContain('No note has the tag "coking". The nearest: "cooking".');
});

it("what was written is reported as done though its values cannot be shown", async () => {
  const { storage, call } = vaultWith({ "a.md": "text\n" });
  const update = storage.update.bind(storage);
  storage.update = async (...given) => {
    const written = await update(...given);
    storage.read = () => Promise.reject(new Error("the disk is gone"));
    return written;
  };
  expect(await call("set_properties", { notes: ["a.md"], properties: { rating: "5" } })).toMatchObject({
    ok: true,
    data: { changed: 1, undoable: true },
  });
});

it("is text where the property's other values are digits that no number keeps", async () => {
  const { call, text } = vaultWith({ "A.md": '---\nzip: "01234"\n---\n', "B.md": "" });
  await call("set_properties", { notes: ["B"], properties: { zip: "04109" } });
  expect(await text("B.md")).toContain('zip: "04109"\n');
});
