import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineReader, type Line } from "./stdio-server.js";

const text = (line: string): Line => ({ kind: "text", text: line });

function read(chunks: readonly (string | Uint8Array)[], limit?: number): Line[] {
  const reader = new LineReader(limit);
  const lines = chunks.flatMap((chunk) => reader.push(Buffer.from(chunk)));
  return [...lines, ...reader.end()];
}

describe("LineReader", () => {
  it("ends a line at \\n and at the end of input", () => expect(read(["a\nb"])).toEqual([text("a"), text("b")]));
  it("leaves out blank lines", () => expect(read(["\n \n\r\n\t\r\na\n\n"])).toEqual([text("a")]));
  it("keeps what JSON takes as white space", () => expect(read([" a\r\nb\r\n"])).toEqual([text(" a\r"), text("b\r")]));
  it("drops a byte order mark before the first message only", () => {
    expect(read(["\uFEFFa\n\uFEFFb"])).toEqual([text("a"), text("\uFEFFb")]);
  });
  it("takes a mark alone on the first line as blank", () => expect(read(["\uFEFF\r\na"])).toEqual([text("a")]));
  it("reports bytes that are not UTF-8, and goes on", () => {
    expect(read([Buffer.from([0x61, 0xff, 0x0a]), "b\n"])).toEqual([{ kind: "not-utf8" }, text("b")]);
  });

  it("gives the same lines however the bytes are cut", () => {
    const lines = fc.array(
      fc.string({ unit: "grapheme", minLength: 1 }).filter((line) => /\S/.test(line) && !line.includes("\n")),
    );
    fc.assert(
      fc.property(lines, fc.array(fc.nat({ max: 400 })), (wanted, cuts) => {
        const bytes = Buffer.from(wanted.join("\n"));
        const places = [...new Set([0, ...cuts.filter((cut) => cut < bytes.length), bytes.length])].sort(
          (a, b) => a - b,
        );
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        expect(read(chunks)).toEqual(read([bytes]));
        expect(read(chunks)).toHaveLength(wanted.filter((line, index) => index > 0 || line !== "\uFEFF").length);
      }),
    );
  });

  it("takes a line of exactly the limit", () => expect(read(["12345\n"], 5)).toEqual([text("12345")]));
  it("reports a longer line once, as soon as it is too long, and goes on with the next", () => {
    const reader = new LineReader(5);
    expect(reader.push(Buffer.from("1234"))).toEqual([]);
    expect(reader.push(Buffer.from("56"))).toEqual([{ kind: "too-long" }]);
    expect(reader.push(Buffer.alloc(1_000_000, "x"))).toEqual([]);
    expect(reader.push(Buffer.from("\nb\n"))).toEqual([text("b")]);
    expect(reader.end()).toEqual([]);
  });
  it("reports a longer line that never ends", () => expect(read(["1234567"], 5)).toEqual([{ kind: "too-long" }]));
});
