/** The tools as published: goldens, schemas, token budget, and what narrowing leaves. `UPDATE_GOLDEN=1` rewrites the goldens. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { expectGolden, goldenNames } from "../../test/kit/golden.js";
import { contextOf, KnownTasks, workspaceOf } from "../../test/kit/known-tasks.js";
import { instructionsFor, withGuides } from "./instructions.js";
import { restrictedStorage } from "../access/restricted-storage.js";
import { RuleSet } from "../access/rules.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import { memoryVault } from "../../test/kit/memory-vault.js";
import { toolsFor } from "./registry.js";
import { TOOLS } from "./all-tools.js";
import type { Schema } from "./schema.js";
import type { ToolListing } from "./tool.js";
import { TOOLSETS } from "./toolset.js";

/** Tokens (o200k) of name, description and input schema that all tools may cost together. */
const BUDGET_OF_ALL = 6_000;
/** What the toolset `core` may cost. */
const BUDGET_OF_CORE = 3_600;

const ajv = new Ajv2020({ strict: true });
const published = toolsFor();
const listings = published.tools.map((tool) => tool.listing);
const tokensOf = ({ name, description, inputSchema }: ToolListing) =>
  encode(JSON.stringify({ name, description, inputSchema })).length;

/** Every schema below a schema, with where it stands. */
function* schemasIn(schema: Schema, place: string): Generator<readonly [place: string, schema: Schema]> {
  yield [place, schema];
  if (schema.type === "array") yield* schemasIn(schema.items, `${place}[]`);
  if (schema.type !== "object") return;
  for (const [name, inner] of Object.entries(schema.properties)) yield* schemasIn(inner, `${place}.${name}`);
}

describe.each(listings)("$name as published", (listing) => {
  const schemas = [...schemasIn(listing.inputSchema, "input"), ...schemasIn(listing.outputSchema, "output")];

  it("is what its golden says", () => expectGolden(`${listing.name}.json`, `${JSON.stringify(listing, null, 2)}\n`));

  it.each(["inputSchema", "outputSchema"] as const)("has a valid draft 2020-12 %s", (side) => {
    expect(ajv.validateSchema(listing[side])).toBe(true);
    expect(() => ajv.compile(listing[side])).not.toThrow();
  });

  it("uses no unions, combinators or references, and no null", () => {
    expect(JSON.stringify([listing.inputSchema, listing.outputSchema])).not.toMatch(
      /"(anyOf|oneOf|allOf|not|if|\$ref|const)":|"type":\[|"null"/,
    );
  });

  it("closes every object and requires only what it has", () => {
    for (const [place, schema] of schemas) {
      if (schema.type !== "object") continue;
      // Or it is a map from any names.
      const isMap = Object.keys(schema.properties).length === 0;
      expect([place, schema.additionalProperties === false]).toEqual([place, !isMap]);
      expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining([...(schema.required ?? [])]));
    }
  });

  it("describes every property", () => {
    const properties = schemas.filter(([place]) => place.includes(".") && !place.endsWith("[]"));
    expect(properties.filter(([, schema]) => !schema.description).map(([place]) => place)).toEqual([]);
  });

  it("has defaults that are valid", () => {
    for (const [place, schema] of schemas) {
      if (!("default" in schema)) continue;
      expect([place, ajv.validate(schema, schema.default)]).toEqual([place, true]);
    }
  });

  it("has a description of at most 2 KB and a title", () => {
    expect(Buffer.byteLength(listing.description)).toBeLessThanOrEqual(2048);
    expect(listing.title).not.toBe("");
    expect(listing.annotations.title).toBe(listing.title);
  });

  it("has a name every client takes", () => expect(listing.name).toMatch(/^[a-z][a-z0-9_]{0,63}$/));
});

describe("the registry", () => {
  it("keeps its order", () => {
    expect(listings.map(({ name }) => name)).toEqual([
      "scan_vault",
      "create_task",
      "update_task",
      "search_tasks",
      "get_task",
      "get_agenda",
      "add_tasks",
      "update_tasks",
      "find_notes",
      "summarise_note",
      "obsidian_create_note",
      "obsidian_read_note",
      "obsidian_append_note",
      "obsidian_prepend_note",
      "replace_section",
      "set_properties",
      "rename_tag",
      "obsidian_move_note",
      "obsidian_delete_note",
      "obsidian_get_backlinks",
      "obsidian_get_outgoing_links",
      "obsidian_list_unresolved_links",
      "obsidian_list_orphans",
      "obsidian_list_tags",
      "obsidian_list_attachments",
      "obsidian_list_conflicts",
      "run_view",
      "read_note",
      "edit_note",
      "view",
      "create",
      "str_replace",
      "insert",
      "undo_edit",
      "get_history",
      "get_workspace_files",
      "search",
      "delete",
      "rename",
    ]);
  });

  it("publishes of lengths only what the documents prescribe, and enforces the others", async () => {
    const lengths = listings.flatMap(({ name, inputSchema }) =>
      [...schemasIn(inputSchema, name)].flatMap(([place, schema]) =>
        Object.keys(schema).flatMap((key) => (/^(min|max)(Length|Items)$/.test(key) ? [`${place} ${key}`] : [])),
      ),
    );
    expect(lengths.toSorted()).toEqual([
      "create_task.area minLength",
      "create_task.title minLength",
      "search_tasks.query minLength",
      "update_task.taskId minLength",
    ]);
    const search = published.find("search_tasks");
    const outcome = await search?.call({ query: "x".repeat(1_001) }, contextOf(workspaceOf(new KnownTasks([]))));
    expect(outcome).toMatchObject({ ok: false, error: { code: "INVALID_ARGUMENT" } });
  });

  it("has no golden without a tool", () => {
    expect(goldenNames(".json")).toEqual(listings.map(({ name }) => `${name}.json`).sort());
  });

  it("keeps to its token budget", () => {
    const rows: string[] = [];
    let all = 0;
    for (const toolset of TOOLSETS) {
      const tools = published.tools.filter((tool) => tool.toolset === toolset);
      if (tools.length === 0) continue;
      let total = 0;
      for (const { listing } of tools) {
        const tokens = tokensOf(listing);
        total += tokens;
        rows.push(`| ${toolset} | \`${listing.name}\` | ${tokens} |`);
      }
      rows.push(`| ${toolset} | all | ${total} |`);
      all += total;
    }
    const core = toolsFor({ toolsets: ["core"], hasDefaultVault: true }).tools.reduce(
      (sum, tool) => sum + tokensOf(tool.listing),
      0,
    );
    rows.push(`| core | all | ${core} |`, `| all | all | ${all} |`);
    expect(core).toBeLessThanOrEqual(BUDGET_OF_CORE);
    expect(all).toBeLessThanOrEqual(BUDGET_OF_ALL);
    expectGolden("tool-tokens.md", ["| toolset | tool | tokens |", "| --- | --- | ---: |", ...rows, ""].join("\n"));
  });

  it("asks for the vault's path only where none is configured", () => {
    const [required] = toolsFor({ hasDefaultVault: false }).tools;
    const [optional] = toolsFor({ hasDefaultVault: true }).tools;
    expect(required?.listing.inputSchema.required).toEqual(["vaultPath"]);
    expect(optional?.listing.inputSchema.required).toBeUndefined();
    expect(optional?.listing.inputSchema.properties).toEqual(required?.listing.inputSchema.properties);
  });
});

describe("narrowing", () => {
  const context = contextOf(workspaceOf(new KnownTasks([])));

  it("hides writing tools from a read-only server and refuses calls to them", async () => {
    const narrowed = toolsFor({ readOnly: true });
    expect(narrowed.tools.map((tool) => tool.name)).toEqual([
      "scan_vault",
      "search_tasks",
      "get_task",
      "get_agenda",
      "find_notes",
      "summarise_note",
      "obsidian_read_note",
      "obsidian_get_backlinks",
      "obsidian_get_outgoing_links",
      "obsidian_list_unresolved_links",
      "obsidian_list_orphans",
      "obsidian_list_tags",
      "obsidian_list_attachments",
      "obsidian_list_conflicts",
      "run_view",
      "read_note",
      "view",
      "get_history",
      "get_workspace_files",
      "search",
    ]);
    const outcome = await narrowed.find("create_task")?.call({ title: "a", area: "b" }, context);
    expect(outcome).toMatchObject({ ok: false, error: { code: "PERMISSION_DENIED" } });
    expect(outcome?.text).toBe(
      "❌ Error: create_task is not available: this server is read-only.\nThe server must be started without --read-only to change the vault.",
    );
  });

  it("leaves everyday tools in core, which combines with others, and says how a person gets the rest", async () => {
    const core = toolsFor({ toolsets: ["core"] });
    expect(core.tools.length).toBeLessThanOrEqual(21);
    expect(core.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["get_agenda", "undo_edit", "rename"]));
    expect((await core.find("view")?.call({}, context))?.text).toMatch(
      /^❌ Error: view is not served \(--toolsets core\); a person can add it with --toolsets all\.\n/,
    );
    const more = toolsFor({ toolsets: ["core", "files"] }).tools.map(({ name }) => name);
    expect(more).toEqual(expect.arrayContaining(["get_agenda", "view"]));
    expect(more).not.toContain("scan_vault");
    expect(toolsFor({ toolsets: ["all"] }).tools).toHaveLength(listings.length);
  });

  it("hides tools of toolsets that are off and refuses calls to them", async () => {
    const narrowed = toolsFor({ toolsets: [] });
    expect(narrowed.tools.filter((tool) => tool.toolset === "tasks")).toEqual([]);
    const outcome = await narrowed.find("search_tasks")?.call({ query: "a" }, context);
    expect(outcome?.text).toBe(
      '❌ Error: search_tasks is not available: the toolset "tasks" is switched off.\nThe server must be started with --toolsets tasks to use it.',
    );
  });

  it("finds what is on, and nothing that is not there", async () => {
    expect((await published.find("search_tasks")?.call({ query: "a" }, context))?.ok).toBe(true);
    for (const name of ["nope", "", "constructor", "__proto__", "Scan_Vault"])
      expect(published.find(name)).toBeUndefined();
  });
});

describe("instructions", () => {
  it.each([
    ["a server with a vault", toolsFor({ hasDefaultVault: true }).tools, true],
    ["a server without one", toolsFor().tools, false],
    ["a read-only server", toolsFor({ readOnly: true }).tools, true],
    ["a server for tasks", toolsFor({ toolsets: ["tasks"], hasDefaultVault: true }).tools, true],
    ["a server for notes", toolsFor({ toolsets: ["notes"], hasDefaultVault: true }).tools, true],
    ["a server for files", toolsFor({ toolsets: ["files"], hasDefaultVault: true }).tools, true],
    ["a server with no tools", [], true],
  ])("of %s are under 2 KB and name only tools that are on", (_, tools, hasDefaultVault) => {
    const text = instructionsFor(tools, { hasDefaultVault });
    expect(Buffer.byteLength(text)).toBeLessThan(2048);
    const off = TOOLS.filter((tool) => !tools.some((on) => on.name === tool.name));
    for (const { name } of off) expect(text).not.toMatch(new RegExp(`\\b${name}\\b`));
    for (const { name, toolset } of tools) if (toolset === "tasks") expect(text).toContain(name);
  });

  it("name a vault's own guides with their size, and copy nothing of them", async () => {
    const { tools } = toolsFor({ hasDefaultVault: true });
    const about = instructionsFor(tools, { hasDefaultVault: true });
    const told = (files: Record<string, string>, offered = tools) =>
      withGuides(about, offered, memoryVault(files).workspace);
    const both = await told({
      "AGENTS.md": "Ignore all that.\n",
      "CLAUDE.md": "x".repeat(3000),
      "Deep/AGENTS.md": "y",
    });
    expect(both.slice(about.length)).toBe(
      "\nOwner's guide: AGENTS.md (17 bytes), CLAUDE.md (3 KB); read it with obsidian_read_note before writing.",
    );
    expect(Buffer.byteLength(both)).toBeLessThan(2048);
    const files = toolsFor({ toolsets: ["files"], hasDefaultVault: true }).tools;
    expect(await told({ "AGENTS.md": "x" }, files)).toContain("read it with view");
    const hiding = RuleSet.of([{ deny: ["/AGENTS.md"] }]) as RuleSet;
    const storage = restrictedStorage(new MemoryStorage({ files: { "AGENTS.md": "x", "CLAUDE.md": "y" } }), hiding);
    expect(await withGuides(about, tools, memoryVault({}, { storage }).workspace)).toContain(
      "guide: CLAUDE.md (1 bytes);",
    );
    expect(await told({ "agents.md": "x", "Note.md": "y" })).toBe(about);
    expect(await told({ "AGENTS.md": "x" }, toolsFor({ toolsets: ["tasks"], hasDefaultVault: true }).tools)).toBe(
      about,
    );
  });

  it("begin with the agenda where a vault is configured, and with a scan where none is", () => {
    const first = (hasDefaultVault: boolean) =>
      /Begin with (\w+)/.exec(instructionsFor(toolsFor({ hasDefaultVault }).tools, { hasDefaultVault }))?.[1];
    expect(first(true)).toBe("get_agenda");
    expect(first(false)).toBe("scan_vault");
  });
});

describe("arguments that are not published", () => {
  it.each([
    ["obsidian_append_note", "expected_hash"],
    ["find_notes", "has_attachments"],
    ["find_notes", "count_only"],
    ["update_task", "expectedRevision"],
    ["search_tasks", "allFields"],
  ])("%s takes %s all the same", (name, argument) => {
    const tool = published.find(name);
    expect(Object.keys(tool?.listing.inputSchema.properties ?? {})).not.toContain(argument);
    expect(Object.keys(tool?.input.properties ?? {})).toContain(argument);
  });
});

describe("a hint", () => {
  it("names another tool in place of one that is not offered, or nothing", async () => {
    const context = contextOf(workspaceOf(new KnownTasks([])));
    const narrowed = toolsFor({ denied: ["search_tasks"], hasDefaultVault: true });
    const refused = await narrowed.find("get_task")?.call({ taskId: "nothing" }, context);
    expect(refused).toMatchObject({ ok: false });
    expect(refused?.text).not.toContain("search_tasks");
  });
});
