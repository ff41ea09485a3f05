/** Slices of work: one in each turn of the loop, soon for what has just begun. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { idleTurn, loopTurn, TimeSlice } from "./timers.js";

// The stopwatch alone: turns of the loop are real.
beforeEach(() => void vi.useFakeTimers({ toFake: ["hrtime"] }));
afterEach(() => void vi.useRealTimers());

/** Works slice by slice and notes each. */
async function workBySlices(name: string, slices: number, milliseconds: number, log: string[]): Promise<void> {
  const slice = new TimeSlice();
  for (let count = 0; count < slices; count++) {
    vi.advanceTimersByTime(milliseconds);
    log.push(name);
    await slice.yield();
  }
}

describe("a time slice", () => {
  it("comes one in each turn of the loop, however many wait for theirs", async () => {
    const log: string[] = [];
    const works = ["a", "b", "c"].map((name) => workBySlices(name, 3, 1, log));
    let over = false;
    const turn = () => {
      log.push("turn");
      if (!over) setImmediate(turn);
    };
    setImmediate(turn);
    await Promise.all(works);
    over = true;
    // All three begin at once; after that nobody works without the loop having turned.
    expect(log.slice(3).join(" ")).not.toMatch(/[abc] [abc]/);
  });

  it("goes to what has just begun before what has worked long", async () => {
    const log: string[] = [];
    const long = [1, 2, 3].map(() => workBySlices("long", 8, 40, log));
    while (log.length < 9) await loopTurn();
    const before = log.length;
    await workBySlices("short", 3, 1, log);
    // In the order of asking there would be three before each slice of the short one, nine in all.
    expect(log.slice(before).filter((name) => name === "long").length).toBeLessThanOrEqual(3);
    await Promise.all(long);
  });

  it("is not withheld for ever from what has worked long", async () => {
    const log: string[] = [];
    let over = false;
    const long = workBySlices("long", 3, 50, log).then(() => (over = true));
    // There is always somebody who has just begun.
    const others = async (): Promise<void> => {
      await Promise.all([1, 2].map(() => workBySlices("short", 2, 5, [])));
      if (!over) await others();
    };
    await Promise.all([long, others()]);
    expect(log).toHaveLength(3);
  });

  it("is refused to work that was given up", async () => {
    const cancel = new AbortController();
    const slice = new TimeSlice(cancel.signal);
    const next = slice.yield();
    cancel.abort(new Error("given up"));
    await expect(next).rejects.toThrow("given up");
  });
});

describe("an idle turn", () => {
  it("comes when nobody waits for a slice", async () => {
    const log: string[] = [];
    const others = workBySlices("slice", 8, 2, log);
    await idleTurn();
    log.push("idle");
    await others;
    expect(log.indexOf("idle")).toBe(8);
  });

  it("comes in the end, however long others work", async () => {
    const log: string[] = [];
    let isOver = false;
    const work = async (): Promise<void> => {
      await workBySlices("slice", 15, 50, log);
      if (!isOver) await work();
    };
    const others = work();
    await idleTurn();
    isOver = true;
    await others;
    expect(log.length * 50).toBeGreaterThan(500);
  });
});
