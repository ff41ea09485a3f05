/**
 * Hostile frontmatter, sizes and encodings through create, update, get, search and scan. The
 * rules behind them are proven one by one in src/markdown/*.test.ts; what arguments are refused (S07, E06) stands in
 * test/tool-refusals.test.ts. S01 to S04, S06, S08 to S10 and the editing side of F07, F20 and E04 are
 * about file tools, which are not there yet; S05 at its full size is a bench.
 */
import fs from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LONG } from "./kit/fuzz.js";
import {
  codeOf,
  expectClean,
  expectDiscreet,
  HostileVault,
  libraryFrontEnd,
  type HostileFrontEnd,
} from "./kit/hostile-vault.js";

const TASK = "type: task\nid: task-x\ntitle: X\nstatus: To Do\n";
const BOMB = Array.from({ length: 9 }, (_, level) => {
  const below = level === 0 ? '"lol"' : `*l${level - 1}`;
  return `l${level}: &l${level} [${Array.from({ length: 9 }, () => below).join(",")}]\n`;
}).join("");
const note = (yaml: string, fence = "---"): string => `${fence}\n${yaml}---\n# X\n\nThe body.\n`;
const pwned = (path: string): string => `{a: require("fs").writeFileSync(${JSON.stringify(path)}, "x")}\n`;

/** What an update of the status does to a note that holds this: it changes that line and nothing else, or is refused. */
const NOTES: readonly (readonly [id: string, expected: "changed" | "refused", text: string])[] = [
  ...["js", "javascript", "JS", "JavaScript", "coffee", "json", "toml", " js", "yaml.js"].map(
    (engine) => ["F01, F02", "refused", note(pwned("/tmp/PWNED-hostile") + TASK, `---${engine}`)] as const,
  ),
  ["F03", "changed", note(`__proto__: {polluted: yes}\nconstructor: {prototype: {p: 1}}\n${TASK}`)],
  ["F04", "changed", note(`<<: {__proto__: {polluted: yes}}\n${TASK}`)],
  ["F05", "refused", note(`${BOMB}${TASK}`)],
  ["F06", "refused", note(`a: 1\na: 2\n${TASK}`)],
  ["F06", "refused", note(`${TASK}status: Done\n`)],
  ["F07", "refused", `---\n${TASK}The body.\n`],
  ["F08", "refused", note(`${TASK}a: [\n`)],
  ["F09", "refused", note(`${TASK}a:\n\tb: 1\n`)],
  ["F09", "refused", note("type: task\nid: task-x\ntitle: Foo: bar\nstatus: To Do\n")],
  ["F09", "refused", note(`${TASK}owner: @bob\ntags: #a\n`)],
  ["F09", "changed", note(`${TASK}date: {{date}}\n`)],
  ["F10", "refused", note("just text\n")],
  ["F10", "refused", note("- type: task\n- id: task-x\n")],
  [
    "F11",
    "changed",
    note(`${TASK}a: !!js/function "function(){return 1}"\nb: !!python/object:os.system x\nc: !mine x\n`),
  ],
  ["F12", "changed", note(TASK).replaceAll("\n", "\r\n")],
  ["F12", "changed", `\ufeff${note(TASK)}`],
  ["F12", "changed", `\ufeff${note(TASK).replaceAll("\n", "\r\n")}`],
  [
    "F13",
    "changed",
    note(
      `ver: 1.10\ncode: 0123\nn: 1e3\nt: 12:30:00\nyes: yes # why\nq: 'it''s'\nl: [a, b]\nlong: ${"x ".repeat(100)}\n${TASK}`,
    ),
  ],
  ["F14", "changed", note(`due: 2025-08-30\n${TASK}`)],
  ["F15", "changed", note(`up: [[Note]]\nups:\n  - [[A]]\n${TASK}`)],
  ["F18", "changed", "---\n\nA rule above, and no frontmatter: task-x\n\n---\n"],
  ["F19", "refused", note(`${TASK}deep: ${"[".repeat(10_000)}\n`)],
  ["F19", "refused", note(`${TASK}deep: ${"[".repeat(3000)}${"]".repeat(3000)}\n`)],
  ["F19", "refused", note(`${TASK}deep: ${"{a: ".repeat(3000)}${"}".repeat(3000)}\n`)],
  ["F19", "refused", note(TASK + Array.from({ length: 1000 }, (_, depth) => `${" ".repeat(depth)}k:\n`).join(""))],
  ["F20", "refused", note(`${TASK}big: ${"x".repeat(1024 * 1024)}\n`)],
  ["F21", "changed", note('type: task\nid: task-x\nstatus: 5\npriority: [x]\ntags: "a, b"\ndueDate: yesterday\n')],
  [
    "F21",
    "refused",
    note(
      "type: task\nid: task-x\nstatus: {a: b}\npriority: {}\ntags: {a: 1}\ndue: [[[]]]\ntitle: [a, {b: c}]\narea: 0x1F\n",
    ),
  ],
  ["E03", "changed", `\ufeff${note(TASK)}`],
  ["E05", "changed", note(TASK).replace("title: X\n", "title: X\r\n").replace("# X\n", "# X\r\n")],
  ["E07", "changed", note(TASK).replace("The body", "The \0 body")],
  ["E08", "changed", note(`family: 👩‍👩‍👧‍👦\nodd: "a\u2028b\u2029c\u0085d"\n${TASK}`)],
];
const BYTES: readonly (readonly [id: string, bytes: Buffer])[] = [
  ["E01", Buffer.concat([Buffer.from(note(TASK)), Buffer.from([0xff, 0xfe, 0x80])])],
  ["E02", Buffer.from(`\ufeff${note(TASK)}`, "utf16le")],
];

describe("notes", () => {
  let vault: HostileVault;
  let frontEnd: HostileFrontEnd;
  beforeEach(async () => {
    vault = new HostileVault();
    frontEnd = await libraryFrontEnd(vault);
  });
  afterEach(async () => {
    expect([Reflect.get({}, "polluted"), Reflect.get({}, "p"), fs.existsSync("/tmp/PWNED-hostile")]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    await frontEnd.close();
    vault.remove();
  });

  it.each(NOTES)("%s is %s: %j", async (_id, expected, text) => {
    vault.put("_projects/X.md", text);
    const before = vault.tree();
    const start = process.cpuUsage();
    const scan = await frontEnd.call("scan_vault", { vaultPath: vault.folder });
    const read = await frontEnd.call("get_task", { taskId: "_projects/X.md" });
    const search = await frontEnd.call("search_tasks", { query: "title" });
    // Of this process alone: other programs may keep the machine busy. Bombs would take hours.
    expect(process.cpuUsage(start).user).toBeLessThan(10_000_000);
    expect([scan.isError, search.isError]).toEqual([undefined, undefined]);
    expect(search.content[0]?.text).toContain("Title of task-a");
    expectDiscreet(vault, JSON.stringify([scan, read, search]), vault.folder);
    expect(vault.tree()).toEqual(before);
    const updated = await frontEnd.call("update_task", { taskId: "_projects/X.md", updates: { status: "Done" } });
    expect(updated.isError ? "refused" : "changed", updated.content[0]?.text).toBe(expected);
    if (updated.isError) expect(vault.tree()).toEqual(before);
    else expectOneLine(text, vault.text("_projects/X.md"));
    expectClean(vault, frontEnd, before);
  });

  it.each(BYTES)("%s is not text and stays as it is", async (_id, bytes) => {
    vault.put("_projects/X.md", bytes);
    const before = vault.tree();
    const scan = await frontEnd.call("scan_vault", { vaultPath: vault.folder });
    expect(JSON.stringify(scan.structuredContent?.["problems"])).toContain("_projects/X.md");
    for (const call of [
      ["get_task", {}],
      ["update_task", { updates: { status: "Done" } }],
    ] as const) {
      const result = await frontEnd.call(call[0], { taskId: "_projects/X.md", ...call[1] });
      expect(codeOf(result)).toBe("NOT_TEXT");
      expect(result.content[0]?.text).toMatch(/UTF-8/);
    }
    expect(vault.tree()).toEqual(before);
  });

  it.each(["F08 a: [", "F06 a: 1\na: 2", "F09 a:\n\tb: 1"])("%s is refused with its line", async (yaml) => {
    vault.put("_projects/X.md", note(`${TASK}${yaml.slice(4)}\n`));
    const result = await frontEnd.call("update_task", { taskId: "task-x", updates: { status: "Done" } });
    expect(result.content[0]?.text).toMatch(/_projects\/X\.md.*line \d/s);
  });

  // test/hostile-inputs.md, F20
  it("says that frontmatter is too large, wherever it ends", async () => {
    vault.put("_projects/X.md", note(`${TASK}big: ${"x".repeat(100 * 1024)}\n`));
    vault.put("_projects/Y.md", note(`${TASK.replace("task-x", "task-y")}big: ${"x".repeat(1024 * 1024)}\n`));
    vault.put("_projects/Z.md", `---\nA rule, and ${"a long text. ".repeat(100 * 1024)}`);
    const scan = await frontEnd.call("scan_vault", { vaultPath: vault.folder });
    expect(scan.structuredContent).toMatchObject({ problemCount: 2 });
    for (const taskId of ["task-x", "_projects/X.md", "task-y", "_projects/Y.md"]) {
      const result = await frontEnd.call("get_task", { taskId });
      expect(codeOf(result)).toBe("INVALID_ARGUMENT");
      expect(result.content[0]?.text).toContain("larger than 64 KiB");
    }
  });

  // test/hostile-inputs.md, F14
  it("keeps the day it reads, and F21 flags what it cannot", async () => {
    vault.put("_projects/X.md", note(`due: 2025-08-30\n${TASK}`));
    vault.put("_projects/Y.md", note("type: task\ndueDate: 2025-02-30\n"));
    const scan = await frontEnd.call("scan_vault", { vaultPath: vault.folder });
    expect(scan.structuredContent).toMatchObject({ dueThisWeekCount: 1, problemCount: 1 });
    expect((await frontEnd.call("get_task", { taskId: "task-x" })).structuredContent).toMatchObject({
      due: "2025-08-30",
    });
  });

  // test/hostile-inputs.md, E08
  it("gives a description back byte by byte, in any script", async () => {
    const description = "👩‍👩‍👧‍👦 e\u0301 \u2028\u2029\u0085 \u202egnp\u202c $& $1 $$ $` \\n ​ 日本\n\n\n---\n```\n---\n```";
    const made = await frontEnd.call("create_task", { title: "X", area: "Y", description });
    const path = String(made.structuredContent?.["path"]);
    expect(vault.text(path)).toContain(`\n${description}\n`);
    await frontEnd.call("update_task", { taskId: path, updates: { description: `${description} again` } });
    expect(vault.text(path).endsWith(`\n${description} again\n`)).toBe(true);
  });
});

/** Exactly one line is another one, and it is the status. */
function expectOneLine(before: string, after: string): void {
  const [old, now] = [before.split("\n"), after.split("\n")];
  expect(now.length - old.length).toBeLessThanOrEqual(1);
  const changed = now.filter((line) => !old.includes(line));
  expect(changed).toHaveLength(1);
  expect(changed[0]).toMatch(/^status: .*\r?$/);
  expect(old.filter((line) => !now.includes(line)).length).toBeLessThanOrEqual(1);
}

const MANY = LONG ? 10_000 : 2_000;

describe("sizes", () => {
  const vault = new HostileVault();
  const deep = `${"d/".repeat(200)}deep.md`;
  const frontEnd = libraryFrontEnd(vault);
  beforeAll(() => {
    vault.put(deep, note(TASK.replaceAll("task-x", "task-deep")));
    fs.mkdirSync(vault.at("wide"));
    for (let i = 0; i < MANY; i++)
      fs.writeFileSync(vault.at(`wide/n${i}.md`), `---\ntype: task\nstatus: todo\n---\n# N${i}\n`);
    fs.mkdirSync(vault.at("_projects/folder.md"));
    vault.put("_projects/empty.md", "");
    vault.put(
      "_projects/huge.md",
      Buffer.alloc(10 * 1024 * 1024 + 1, `---\n${TASK.replaceAll("task-x", "task-huge")}---\n${"x".repeat(999)}`),
    );
  });
  afterAll(async () => {
    await (await frontEnd).close();
    vault.remove();
  });

  // test/hostile-inputs.md, S05, S11
  it("lists thousands of notes of one folder and one 200 folders deep, in bounded answers", async () => {
    const scan = await (await frontEnd).call("scan_vault", { vaultPath: vault.folder });
    expect(scan.structuredContent).toMatchObject({ taskCount: MANY + 4 });
    expect(JSON.stringify(scan).length).toBeLessThan(50_000);
    const search = await (await frontEnd).call("search_tasks", { query: "n", limit: 100 });
    expect(JSON.stringify(search).length).toBeLessThan(100_000);
    const updated = await (await frontEnd).call("update_task", { taskId: "task-deep", updates: { status: "Done" } });
    expect(updated.isError).toBeUndefined();
    expect(vault.text(deep)).toContain("status: Done\n");
  });

  // test/hostile-inputs.md, S03
  it("refuses a note over the limit, naming both sizes, and leaves an empty one and a folder", async () => {
    const look = () =>
      fs.readdirSync(vault.at("_projects")).map((name) => [name, fs.statSync(vault.at(`_projects/${name}`)).ctimeMs]);
    const before = look();
    for (const taskId of ["task-huge", "_projects/huge.md"]) {
      const result = await (await frontEnd).call("update_task", { taskId, updates: { status: "Done" } });
      expect(codeOf(result)).toBe("TOO_LARGE");
      expect(result.content[0]?.text).toMatch(/10,241 KiB.*10,240 KiB/);
    }
    for (const taskId of ["_projects/empty.md", "_projects/folder.md", "folder"])
      expect(codeOf(await (await frontEnd).call("update_task", { taskId, updates: { status: "Done" } }))).toBe(
        "FILE_NOT_FOUND",
      );
    expect(look()).toEqual(before);
  });
});
