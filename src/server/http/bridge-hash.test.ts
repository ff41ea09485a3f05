/** The fingerprint of tools against the vectors of the spec (docs: http, "The bridge"). */
import { describe, expect, it } from "vitest";
import { toolHash } from "./app.js";

const READ_NOTE = {
  name: "read_note",
  description: "Read a note by path",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};
const ZETA = { name: "zeta", description: "z", inputSchema: { type: "object", properties: {} } };

describe("the hash of tools", () => {
  it("is the document's", () => {
    expect(toolHash([READ_NOTE])).toBe("e43ef14dc12d08cc6d1d7ca9df9acabdc8369e3fe25f2ff512ca186ae6e080ab");
    expect(toolHash([READ_NOTE, ZETA])).toBe("a49d4b5093cf8d7b3ea9971a368c0ad5f1b0e6aaf7809aeabe4dc322e5b9826a");
  });

  it("does not depend on the order of tools and keys, but on that of arrays", () => {
    const turned = {
      inputSchema: { required: ["path"], properties: { path: { type: "string" } }, type: "object" },
      description: "Read a note by path",
      name: "read_note",
    };
    expect(toolHash([ZETA, turned])).toBe(toolHash([READ_NOTE, ZETA]));
    const listed = (required: string[]) => toolHash([{ ...ZETA, inputSchema: { required } }]);
    expect(listed(["a", "b"])).not.toBe(listed(["b", "a"]));
  });

  it("takes a key called __proto__ as plain data", () => {
    const odd = (text: string) => toolHash([{ ...ZETA, inputSchema: JSON.parse(text) as unknown }]);
    expect(odd('{"__proto__": {"a": 1}}')).not.toBe(odd('{"__proto__": {"a": 2}}'));
  });
});
