/** Changes of JSON texts: nothing but the property changes, whatever the layout, and taking it out gives the text back. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJson, withJsonValue, withoutJsonValue } from "./json-config.js";
import { FUZZ_FACTOR } from "../../../test/kit/fuzz.js";

const PATH = ["mcpServers", "obsidian-vault"];
const SERVER = { command: "node", args: ["/x.js", "/My Vault"] };
const connected = (text: string) => withJsonValue(text, PATH, SERVER);

describe("adding a server", () => {
  it.each([
    ["nothing", ""],
    ["an empty object", "{}"],
    ["an empty object over lines", "{\n}\n"],
    ["no servers yet", '{\n  "theme": "dark"\n}\n'],
    ["no servers, on one line", '{"theme":"dark"}'],
    ["an empty list of servers", '{\n\t"mcpServers": {},\n\t"theme": "dark"\n}'],
    ["only comments", '{\n  "mcpServers": {\n    // none yet\n  }\n}\n'],
    ["another server", '{\n    "mcpServers": {\n        "a": { "command": "b" }\n    }\n}\n'],
    ["another server with a comment", '{\n  "mcpServers": {\n    "a": { "command": "b" } // mine\n  }\n}\n'],
    ["a trailing comma", '{\n  "mcpServers": {\n    "a": {}, /* mine */\n    // the end\n  },\n}\n'],
    ["a comma on a line of its own", '{ "mcpServers":\n  { "a": 1\n  , "b": 2\n  }\n}'],
    ["servers on one line", '{\n  "mcpServers": { "a": { "command": "b" } }\n}\n'],
    ["everything on one line", '{"mcpServers":{"a":{"command":"b"}},"theme":"dark"}'],
    ["carriage returns", '{\r\n\t"mcpServers": {\r\n\t\t"a": {} // mine\r\n\t}\r\n}\r\n'],
  ])("to %s", (_, text) => {
    const changed = connected(text);
    const before = (readJson(text) ?? {}) as { mcpServers?: object };
    expect(readJson(changed)).toEqual({ ...before, mcpServers: { ...before.mcpServers, "obsidian-vault": SERVER } });
    if (text.includes("\r")) expect(changed).not.toMatch(/[^\r]\n/);
    for (const comment of text.match(/\/\/.*|\/\*.*?\*\//g) ?? []) expect(changed).toContain(comment);
    const back = withoutJsonValue(changed, PATH);
    if (/"a": ?(?:\{|1)/.test(text)) expect(back).toBe(text);
    else
      expect(readJson(back)).toEqual(
        Object.fromEntries(Object.entries(before).filter(([key]) => key !== PATH[0] || text.includes("//"))),
      );
  });

  it("refuses what stands in the way", () => {
    expect(() => connected('{"mcpServers": []}')).toThrow(TypeError);
    expect(() => connected("[]")).toThrow(TypeError);
    expect(() => connected('{"mcpServers": {')).toThrow("line 1");
    expect(() => connected('{\n  "a": 1\n  "b": 2\n}')).toThrow("line 3");
  });
});

describe("removing a server", () => {
  it.each([
    ["the first", '{\n  "s": {\n    "x": 1,\n    "y": 2\n  }\n}', '{\n  "s": {\n    "y": 2\n  }\n}'],
    ["the last", '{\n  "s": {\n    "y": 2, // why\n    "x": 1\n  }\n}', '{\n  "s": {\n    "y": 2 // why\n  }\n}'],
    ["the last before a comma", '{\n  "s": {\n    "y": 2,\n    "x": 1,\n  }\n}', '{\n  "s": {\n    "y": 2,\n  }\n}'],
    ["one under a comment", '{\n  "s": {\n    // about\n    "x": 1\n  }\n}', '{\n  "s": {\n    // about\n  }\n}'],
    ["the first on a line", '{"s":{"x":1,"y":2}}', '{"s":{"y":2}}'],
    ["the last on a line", '{"s":{"y":2,"x":1}}', '{"s":{"y":2}}'],
    ["the only one", '{"s":{"x":1},"t":1}', '{"t":1}'],
    ["the only one of all", '{\n  "s": {\n    "x": 1\n  }\n}\n', "{}\n"],
    ["none", '{"s":{"y":1}}', '{"s":{"y":1}}'],
  ])("%s", (_, text, expected) => expect(withoutJsonValue(text, ["s", "x"])).toBe(expected));
});

it("changes a value in its place", () => {
  const text = '{\n  "s": {\n    "x": {"args": ["a"], "alwaysAllow": []} // mine\n  }\n}';
  expect(withJsonValue(text, ["s", "x", "args"], ["b", "c"])).toBe(text.replace('["a"]', '["b", "c"]'));
});

/** JSON texts as people and programs write them, with comments and commas anywhere. */
const layouts = fc
  .tuple(
    fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1, maxKeys: 4 }),
    fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }),
    fc.constantFrom(undefined, 1, 2, 4, "\t"),
    fc.constantFrom("\n", "\r\n"),
    fc.constantFrom("", " // note", " /* note */"),
  )
  .filter(([servers, others]) => !("obsidian-vault" in servers) && !("mcpServers" in others))
  .map(([servers, others, indent, eol, comment]) => {
    const text = JSON.stringify({ ...others, mcpServers: servers }, undefined, indent);
    const commented = indent === undefined ? text : text.replaceAll(/(?<=[^\\]",|\d,|[}\]],?)$/gm, comment);
    return commented.replaceAll("\n", eol);
  });

it("gives every text back that it was added to", () => {
  fc.assert(
    fc.property(layouts, (text) => {
      const changed = connected(text);
      expect((readJson(changed) as { mcpServers: object }).mcpServers).toHaveProperty("obsidian-vault", SERVER);
      expect(readJson(connected(changed))).toEqual(readJson(changed));
      expect(withoutJsonValue(changed, PATH)).toBe(text);
    }),
    { numRuns: 200 * FUZZ_FACTOR },
  );
});
