/** Answers that are given again: the same to everybody by every way, never stale, never to those who may not ask, never without bound. */
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { ENVELOPE, HttpTest, OPEN_ACCESS, json } from "../../../test/kit/http-front.js";
import { toolsFor } from "../../tools/registry.js";
import { defineTool } from "../../tools/tool.js";
import { ALL_SCOPES, digestOf } from "./tokens.js";

let http: HttpTest;
afterEach(() => http.close());

const TASK = "---\ntype: task\nstatus: To Do\n---\n\n# Buy zanzibar\n";
const MODERN = { "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "search_tasks" };

/** A tool made of the catalog that says how often it was run, in a text as long as asked for. */
function counter(during: () => void = () => {}) {
  const runs: string[] = [];
  const text = { type: "string" } as const;
  const object = { type: "object", additionalProperties: false } as const;
  const tool = defineTool({
    ...object,
    name: "count",
    title: "Count",
    toolset: "tasks",
    effect: "reads",
    description: "Says which run it is.",
    fromCatalog: true,
    input: { ...object, properties: { of: text, letters: { type: "integer" } }, required: ["of"] },
    output: { ...object, properties: { text }, required: ["text"] },
    failure: "",
    async run({ of, letters = 0 }, { workspace }) {
      await (await workspace.current()).vault.catalog.refresh();
      runs.push(of);
      during();
      return { text: `${of} ${runs.length} ${"x".repeat(letters)}`.trim() };
    },
    text: ({ text: said }) => said,
  });
  return { runs, tools: { tools: [tool], find: (name: string) => (name === "count" ? tool : undefined) } };
}

const ask = async (of: string, letters = 0) => {
  const answer = json(await http.call("count", { of, letters }));
  return (answer as { content: { text: string }[] }).content[0]?.text.split(" x")[0];
};

describe("answers that are given again", () => {
  it("are those of the first time, in the same bytes", async () => {
    http = await HttpTest.open({}, { "One.md": TASK });
    const calls = {
      bridge: () => http.call("search_tasks", { query: "zanzibar" }),
      bare: () => http.rpc("tools/call", { name: "search_tasks", arguments: { query: "zanzibar" } }),
      modern: () =>
        http.rpc(
          "tools/call",
          { name: "search_tasks", arguments: { query: "zanzibar" }, _meta: ENVELOPE },
          { ...MODERN, Accept: "application/json, text/event-stream" },
        ),
    };
    const seen: Record<string, string[]> = {};
    for (let round = 0; round < 3; round++)
      for (const [way, call] of Object.entries(calls)) (seen[way] ??= []).push((await call()).text);
    for (const texts of Object.values(seen)) {
      expect(texts[0]).toContain("Buy zanzibar");
      expect(new Set(texts).size).toBe(1);
    }
    const batch = await http.send("/mcp", {
      body: [1, "two"].map((id) => ({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name: "search_tasks", arguments: { query: "zanzibar" } },
      })),
    });
    const { result } = JSON.parse(seen["bare"]?.[0] ?? "") as { result: unknown };
    expect(json(batch)).toEqual([1, "two"].map((id) => ({ jsonrpc: "2.0", id, result })));
  });

  it("are worked out once while nothing changes", async () => {
    const { runs, tools } = counter();
    http = await HttpTest.open({ tools });
    await ask("warm");
    expect([await ask("a"), await ask("a"), await ask("b"), await ask("a")]).toEqual(["a 2", "a 2", "b 3", "a 2"]);
    expect(runs).toEqual(["warm", "a", "b"]);
  });

  it("are never stale: a note that was written before the call is in it", async () => {
    http = await HttpTest.open({}, { "One.md": TASK });
    const search = async () => (await http.call("search_tasks", { query: "zanzibar" })).text;
    for (let round = 0; round < 40; round++) {
      await search();
      appendFileSync(http.vault.at("One.md"), "\n");
      expect(await search()).toContain("Found 1 tasks");
      writeFileSync(http.vault.at("Two.md"), TASK);
      expect(await search()).toContain("Found 2 tasks");
      expect(await search()).toContain("Found 2 tasks");
      rmSync(http.vault.at("Two.md"));
      expect(await search()).toContain("Found 1 tasks");
    }
  });

  it("are not kept when the vault changes while they are made", async () => {
    let change = true;
    const { tools } = counter(() => change && appendFileSync(http.vault.at("Notes/Example.md"), "more\n"));
    http = await HttpTest.open({ tools });
    await ask("warm");
    const changing = [await ask("a"), await ask("a")];
    change = false;
    const steady = [await ask("a"), await ask("a"), await ask("a")];
    expect(changing).toEqual(["a 2", "a 3"]);
    expect(new Set(steady.slice(1)).size).toBe(1);
  });

  it("are not given to those who may not ask", async () => {
    const token = (name: string, scopes = ALL_SCOPES) => ({ name, digest: digestOf(`token-of-${name}`), scopes });
    const tokens = [token("all"), token("notes", { write: true, toolsets: ["notes"] })];
    http = await HttpTest.open({ access: { ...OPEN_ACCESS, tokens } }, { "One.md": TASK });
    const search = async (name: string) =>
      (await http.call("search_tasks", { query: "zanzibar" }, { Authorization: `Bearer token-of-${name}` })).text;
    for (let round = 0; round < 3; round++) {
      expect(await search("all")).toContain("Buy zanzibar");
      expect(await search("notes")).toContain('lacks the scope \\"tasks\\"');
    }
  });

  it("are none that failed, and none of tools that read more than the catalog", async () => {
    http = await HttpTest.open({ tools: toolsFor({ hasDefaultVault: true }) }, { "One.md": TASK });
    for (let round = 0; round < 3; round++)
      expect((await http.call("search_tasks", { query: "" })).text).toContain('"success":false');
    const fromCatalog = toolsFor({ hasDefaultVault: true }).tools.filter((tool) => tool.fromCatalog);
    expect(fromCatalog.map(({ name, effect }) => [name, effect])).toEqual([["search_tasks", "reads"]]);
  });

  it("take so much memory and no more: what was given longest ago is worked out again", async () => {
    const { runs, tools } = counter();
    http = await HttpTest.open({ tools });
    await ask("warm");
    for (const of of ["a", "b", "c"]) await ask(of, 100_000);
    expect(runs).toEqual(["warm", "a", "b", "c"]);
    for (const of of ["c", "b", "a"]) await ask(of, 100_000);
    expect(runs).toEqual(["warm", "a", "b", "c", "a"]);
    for (let again = 0; again < 2; again++) await ask("huge", 300_000);
    expect(runs.slice(5)).toEqual(["huge", "huge"]);
  });
});
