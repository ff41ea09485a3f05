import { describe, expect, it } from "vitest";
import { printable, progressLine } from "./terminal.js";

describe("printable", () => {
  it("never passes on what drives a terminal", () => {
    expect(printable("a\u001b]0;pwned\u0007\u009b2J\rb\n\tc")).toBe("a\ufffd]0;pwned\ufffd\ufffd2J\ufffdb\n\tc");
  });
});

describe("progressLine", () => {
  it("is silent for half a second, then keeps its pace, and cleans up", () => {
    let now = 0;
    const written: string[] = [];
    const line = progressLine(
      (text) => written.push(text),
      true,
      () => now,
    );
    for (now = 0; now <= 650; now += 50) line.report({ done: now, total: 1000 });
    line.finish();
    expect(written).toEqual([
      "\rReading notes: 500 of 1000\u001b[K",
      "\rReading notes: 600 of 1000\u001b[K",
      "\r\u001b[K",
    ]);
  });

  it("writes nothing at all for short work", () => {
    const written: string[] = [];
    const line = progressLine(
      (text) => written.push(text),
      true,
      () => 0,
    );
    line.report({ done: 1, total: undefined });
    line.finish();
    expect(written).toEqual([]);
  });

  it("writes whole lines, one a second, where there is no terminal", () => {
    let now = 0;
    const written: string[] = [];
    const line = progressLine(
      (text) => written.push(text),
      false,
      () => now,
    );
    for (now = 0; now <= 2000; now += 250) line.report({ done: now, total: undefined });
    line.finish();
    expect(written).toEqual(["Reading notes: 500\n", "Reading notes: 1500\n"]);
  });
});
