/** Bounds of what is parsed: values and depth are counted outside strings only, and what honest calls hold passes. */
import { describe, expect, it } from "vitest";
import { idOf, isWithinBounds } from "./rpc.js";

const within = (text: string) => isWithinBounds(Buffer.from(text));
const many = (element: string, count: number) => `[${Array.from({ length: count }, () => element).join(",")}]`;

describe("the bounds of a JSON text", () => {
  it("are kept by a large note, whatever it holds", () => {
    const line = 'a, b: [[x]] {"y"} \\ \\" 日本語\n'.repeat(250_000);
    expect(within(JSON.stringify({ arguments: { text: line } }))).toBe(true);
    expect(within(JSON.stringify("[".repeat(5_000_000)))).toBe(true);
    expect(within(JSON.stringify("\\".repeat(3_000_000)))).toBe(true);
  });

  it("are kept by batches and lists of ten thousands", () => {
    expect(within(many("1", 200_000))).toBe(true);
    expect(within(many('{"a":1,"b":"c","d":[2]}', 20_000))).toBe(true);
    expect(within("[".repeat(1_000) + "]".repeat(1_000))).toBe(true);
  });

  it.each([
    ["values", many("1", 200_001)],
    ["empty lists", many("[]", 100_001)],
    ["fields", `{${Array.from({ length: 100_001 }, (_, i) => `"k${i}":1`).join()}}`],
    ["values behind strings", many('"\\\\\\""', 200_001)],
    ["lists in lists", "[".repeat(1_001)],
    ["objects in objects", '{"a":'.repeat(1_001)],
  ])("are passed by too many %s", (_what, text) => {
    expect(within(text)).toBe(false);
  });

  it("leave to the parser what is no JSON", () => {
    for (const text of ['"', '"\\', "]".repeat(2_000), `"${"x".repeat(2_000)}`, `"${"\\".repeat(1_999)}`])
      expect(within(text)).toBe(true);
  });
});

describe("the id of a message that is not parsed", () => {
  const inner = '{"id":7,"x":"\\"id\\":8"}';
  it.each([
    [`{"id":1,"params":${inner}}`, 1],
    [`{"params":[${inner}],"id" : "a\\"b" }`, 'a"b'],
    [`{"method":"id","params":${inner},"id":-3}`, -3],
    [`{"params":${inner}}`, undefined],
    [`{"id":null,"params":1}`, undefined],
    [`{"id":{"a":1}}`, undefined],
    [`[{"id":1}]`, undefined],
    [`{"id":"${"x".repeat(500)}"}`, undefined],
    [`{"id":1`, undefined],
  ])("of %s is %j", (text, id) => expect(idOf(Buffer.from(text))).toBe(id));
});
