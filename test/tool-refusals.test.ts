/** Hostile arguments at every tool, over a real vault that must stay as it was. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { memoryFrontEnd } from "./kit/front-ends.js";
import { ERROR_META_KEY } from "../src/tools/outcome.js";
import { TOOLS } from "../src/tools/all-tools.js";

const NOTE = "---\nid: task-plan\ntype: task\ntitle: Plan\ndue: 2025-09-01\n---\n# Plan\n";
const files = new Map([["_projects/Plan.md", NOTE]]);
const session = await memoryFrontEnd.open({ files, vault: "configured", readOnly: false });
const json = (text: string): unknown => JSON.parse(text);
const task = (more: object) => ({ title: "New", area: "Work", ...more });
const update = (updates: unknown) => ({ taskId: "task-plan", updates });

const NO_DAYS = [
  "2025-02-31",
  "2025-02-29",
  "2025-13-01",
  "2025-00-10",
  "0000-00-00",
  "2025-8-1",
  "2025-08-30\n",
  " 2025-08-30x",
];
const STRANGE = ["a string", 5, true, [], [{}], { x: 1 }, json('"\\ud800"')];

const REFUSED: readonly (readonly [tool: string, args: unknown])[] = [
  ...NO_DAYS.map((dueDate) => ["create_task", task({ dueDate })] as const),
  ...NO_DAYS.map((dueDate) => ["update_task", update({ dueDate })] as const),
  ...["scan_vault", "create_task", "update_task", "search_tasks", "get_task"].flatMap((tool) =>
    ["text", 5, null, [], ["a"], json('{"__proto__":{"x":1}}'), { unknown: 1 }].map((args) => [tool, args] as const),
  ),
  ...STRANGE.filter((value) => typeof value !== "string").map((title) => ["create_task", task({ title })] as const),
  ...STRANGE.map((status) => ["create_task", task({ status })] as const),
  ...STRANGE.filter((value) => value !== 5).map((limit) => ["search_tasks", { query: "a", limit }] as const),
  ...[0, -1, 101, 1.5, 1e308].map((limit) => ["search_tasks", { query: "plan", limit }] as const),
  ...["", " ", "\u3000"].flatMap((blank) => [
    ["create_task", task({ title: blank })] as const,
    ["create_task", task({ area: blank })] as const,
    ["update_task", update({ title: blank })] as const,
    ["search_tasks", { query: blank }] as const,
    ["get_task", { taskId: blank }] as const,
  ]),
  ["create_task", json('{"title":"a\\ud800","area":"b"}')],
  ["create_task", json('{"title":"a","area":"b","description":"\\udfff"}')],
  ["create_task", task({ title: "x".repeat(1001) })],
  ["create_task", task({ tags: Array.from({ length: 51 }, () => "a") })],
  ["update_task", update({})],
  ["update_task", update({ path: "x" })],
  ["update_task", json('{"taskId":"task-plan","updates":{"__proto__":{"status":"Done"}}}')],
  ["update_task", { taskId: "task-plan" }],
  ["get_task", { taskId: "task-plan", offset: -1 }],
];

describe("refused, and nothing written", () => {
  it.each(REFUSED)("%s %j", async (tool, args) => {
    const result = await session.call(tool, args);
    expect(result.isError).toBe(true);
    expect(result["_meta"]?.[ERROR_META_KEY]).toMatchObject({ code: "INVALID_ARGUMENT", number: -32602 });
    expect(result.structuredContent).toBeUndefined();
    expect(result.content[0]?.text).toMatch(/^❌ Error [a-z]+ (task|tasks|vault): \S/);
    expect(await session.files()).toEqual(files);
  });

  beforeAll(() => expect(Reflect.get({}, "x")).toBeUndefined());
  afterAll(() => expect(Reflect.get({}, "x")).toBeUndefined());
  afterAll(() => session.close());
});

describe("taken", () => {
  it.each([
    ["a leap day", { dueDate: "2024-02-29" }],
    ["a title of 1000 characters", { title: "日".repeat(1000) }],
    ["words YAML could take for something else", { title: '- [x] @home: "quotes" #1', tags: "yes", area: "null" }],
    ["text that looks like frontmatter", { title: "x\n---\nevil: 1", description: "---\nevil: 1\n---" }],
  ])("%s", async (_name, more) => {
    const fresh = await memoryFrontEnd.open({ files: new Map(), vault: "configured", readOnly: false });
    const created = await fresh.call("create_task", task(more));
    expect(created.content[0]?.text).toMatch(/^✅/);
    const id = created.structuredContent?.["id"];
    const read = await fresh.call("get_task", { taskId: id });
    const expected = (task(more) as { title: string }).title.replaceAll("\n", " ");
    const title = String(read.structuredContent?.["title"]);
    expect(expected.startsWith(title.replace(/…$/, ""))).toBe(true);
    expect(JSON.stringify(read.structuredContent?.["properties"])).not.toContain('"key":"evil"');
    await fresh.close();
  });
});

/** A value for an argument: what a caller may send that is no writing, wherever a text is taken. */
const SENT = "a\u001B[2J\u0007b\u009Bc\u202Ed";
const textual = (schema: object): unknown => {
  const { type, items, properties, anyOf } = schema as Record<string, unknown>;
  if (Array.isArray(anyOf)) return textual(anyOf[0] as object);
  if (type === "array") return [textual(items as object)];
  if (type === "object") return Object.fromEntries(textsOf(properties as Record<string, object>));
  return type === "integer" || type === "number" ? 1 : type === "boolean" ? true : SENT;
};
const textsOf = (properties: Readonly<Record<string, object>> = {}) =>
  Object.entries(properties).map(([name, schema]) => [name, textual(schema)] as const);

describe("no answer shows a caller its control characters again", () => {
  // Notes whose titles, states and ids hold them too: candidates and hints name them.
  const own = (id: number) =>
    `---\ntype: task\nid: "x${id}\\e[2J"\ntitle: "Same\\e[2J"\nstatus: "odd\\a"\narea: "Work\\a"\n---\n# Same\n`;
  const marked = new Map([1, 2].map((id) => [`_projects/Same ${id}.md`, own(id)]));

  it.each(TOOLS.map((tool) => [tool.name, tool] as const))("%s", async (_name, tool) => {
    const fresh = await memoryFrontEnd.open({ files: marked, vault: "configured", readOnly: false });
    const { properties, required = [] } = tool.input;
    const all = textsOf(properties);
    const needed = all.filter(([name]) => required.includes(name));
    const asked: object[] = [
      Object.fromEntries(all),
      ...all.map((argument) => Object.fromEntries([...needed, argument])),
      ...all.map(([name]) => Object.fromEntries([...needed, [name, "Same"]])),
      { [SENT]: SENT },
    ];
    for (const args of asked) {
      const { content, _meta } = await fresh.call(tool.name, args);
      const texts: string[] = [];
      // The reviver sees every text as it is, not as JSON escapes it.
      JSON.parse(
        JSON.stringify({ content, _meta }),
        (_key, value) => (typeof value === "string" && texts.push(value), value),
      );
      expect(texts.join("\n")).not.toMatch(/[\u001b\u0007\u009b\u202e]/);
    }
    await fresh.close();
  });
});
