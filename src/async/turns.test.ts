/** Taking turns: never more at once, in order, and a turn is given back by what fails. */
import { describe, expect, it } from "vitest";
import { Semaphore } from "./turns.js";

describe("turns", () => {
  it("run so many at a time, in the order they came", async () => {
    const turns = new Semaphore(2, 10);
    const [begun, ends]: [number[], (() => void)[]] = [[], []];
    const work = [0, 1, 2, 3].map((n) =>
      turns.run(() => {
        begun.push(n);
        return new Promise<void>((resolve) => ends.push(resolve));
      }),
    );
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    for (let n = 0; n < 4; n++) {
      await expect.poll(() => ends.length, { interval: 1 }).toBeGreaterThan(n);
      ends[n]?.();
      await work[n];
    }
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  it("let the event loop turn between pieces of work that never wait", async () => {
    const turns = new Semaphore(1, 10);
    const order: string[] = [];
    const work = ["a", "b", "c"].map((name) => turns.run(async () => void order.push(name)));
    setImmediate(() => setImmediate(() => order.push("loop")));
    await Promise.all(work);
    expect(order.indexOf("loop")).toBeLessThan(order.indexOf("c"));
    expect(order.indexOf("loop")).toBeGreaterThan(-1);
  });

  it("are full when so many wait, and pass on what failed", async () => {
    const turns = new Semaphore(1, 1);
    let end = () => {};
    const first = turns.run(() => new Promise<void>((resolve) => (end = resolve)));
    expect(turns.isFull).toBe(false);
    const second = turns.run(() => Promise.reject(new Error("no")));
    expect(turns.isFull).toBe(true);
    end();
    await first;
    await expect(second).rejects.toThrow("no");
    expect(await turns.run(async () => 3)).toBe(3);
  });
});
