/** What the page asks of the tools (docs: web): columns in parts, views of the agenda, writing by revision. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebTest } from "../../../../test/kit/web-front.js";

interface Row {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly revision: string;
}
interface Found {
  readonly tasks: readonly Row[];
  readonly total: number;
  readonly cursor?: string;
  readonly description?: string;
}
interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent: Found & Row & { readonly sections: readonly { readonly tasks: readonly Row[] }[] };
}

const note = (lines: string, body = "") => `---\ntype: task\n${lines}\n---\n${body}`;
const VAULT = {
  ...Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`Many/${n}.md`, note("status: To Do\narea: Many")])),
  "Odd.md": note("status: on the stove"),
  "Paint.md": note("status: In Progress\ndue: 2025-08-30\nproject: House", "# Paint\n\nTwo coats.\n"),
  "Large.md": note("status: Blocked", `# Large\n\n${"A line of a long note.\n".repeat(10_000)}`),
  "List.md": "# List\n\n- [ ] #task Buy brushes 📅 2025-08-30\n- [ ] #task Clean up\n",
  ".obsidian/plugins/obsidian-tasks-plugin/data.json": '{"globalFilter":"#task"}',
  ".obsidian/community-plugins.json": '["obsidian-tasks-plugin"]',
};

let web: WebTest;
let headers: Record<string, string>;
beforeAll(async () => {
  web = await WebTest.open({ vault: VAULT });
  headers = web.headers(await web.loggedIn());
});
afterAll(() => web.close());

async function answerTo(name: string, args: object): Promise<Answer> {
  const { text } = await web.http.rpc("tools/call", { name, arguments: args }, headers);
  return (JSON.parse(text) as { result: Answer }).result;
}
async function call(name: string, args: object): Promise<Answer["structuredContent"]> {
  const { structuredContent, isError, content } = await answerTo(name, args);
  if (isError) throw new Error(content[0]?.text);
  return structuredContent;
}
const rowOf = async (title: string): Promise<Row> => {
  const { tasks } = await call("search_tasks", { query: "*", limit: 100, allFields: true });
  const row = tasks.find((task) => task.title === title);
  if (!row) throw new Error(title);
  return row;
};

describe("columns", () => {
  it("come in portions, with their total", async () => {
    const column = { query: "*", status: ["To Do"], area: "Many", limit: 20 };
    const first = await call("search_tasks", column);
    expect([first.tasks.length, first.total]).toEqual([20, 25]);
    const rest = await call("search_tasks", { ...column, cursor: first.cursor });
    expect([rest.tasks.length, rest.total, rest.cursor]).toEqual([5, 25, undefined]);
    expect(new Set([...first.tasks, ...rest.tasks].map(({ id }) => id)).size).toBe(25);
  });

  it("of other words hold what no other column does", async () => {
    const { tasks } = await call("search_tasks", { query: "*", status: ["Other"], sort: "modified" });
    expect(tasks.map(({ title, status }) => [title, status])).toEqual([["Odd", "on the stove"]]);
  });
});

it("the agenda has what the views show", async () => {
  expect(await call("get_agenda", { view: "projects" })).toMatchObject({ projects: [{ name: "House", open: 1 }, {}] });
  expect(await call("get_agenda", { view: "review", days: 371 })).toMatchObject({ days: expect.any(Array) as unknown });
  const review = JSON.stringify(await call("get_agenda", { view: "review" }));
  for (const section of ["Overdue", "Undated", "Stale"]) expect(review).toContain(`"name":"${section}"`);
});

describe("a row's revision", () => {
  it.each(["Paint", "Large", "Buy brushes"])(
    "of %s is the same from every call, and good for writing",
    async (title) => {
      const row = await rowOf(title);
      const told = await call("get_task", { taskId: row.id });
      expect(told.revision).toBe(row.revision);
      const agenda = await call("get_agenda", { view: "review", allFields: true });
      const shown = agenda.sections.flatMap(({ tasks }) => tasks).filter(({ id }) => id === row.id);
      for (const { revision } of shown) expect(revision).toBe(row.revision);
      const update = (updates: object, revision: string) =>
        answerTo("update_task", { taskId: row.id, updates, expectedRevision: revision });
      const done = await update({ priority: "High" }, row.revision);
      expect(done.isError).not.toBe(true);
      const refused = await update({ priority: "Low" }, row.revision);
      expect([refused.isError, refused.content[0]?.text]).toEqual([true, expect.stringContaining("has changed since")]);
      const { id, revision } = await rowOf(title);
      expect([id, revision]).toEqual([row.id, done.structuredContent.revision]);
    },
  );

  it("guards descriptions as it guards fields", async () => {
    const { id, revision } = await call("get_task", { taskId: "Paint.md" });
    const update = (description: string) =>
      answerTo("update_task", { taskId: id, updates: { description }, expectedRevision: revision });
    expect((await update("Three coats.")).isError).not.toBe(true);
    expect((await update("One coat.")).isError).toBe(true);
    expect(readFileSync(join(web.http.vault.folder, "Paint.md"), "utf8")).toContain("Three coats.");
  });
});
