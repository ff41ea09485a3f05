import { describe, expect, it } from "vitest";
import { CallTurns } from "./call-limits.js";

/** Which calls have begun, by name. */
function taking(turns: CallTurns, kinds: readonly ("call" | "search")[]): string[] {
  const begun: string[] = [];
  for (const [at, kind] of kinds.entries()) void turns.take(kind).then(() => begun.push(`${kind} ${at}`));
  return begun;
}

const settled = () => new Promise((resolve) => void setImmediate(resolve));

describe("turns of calls", () => {
  it("leave places that searches cannot take", async () => {
    const turns = new CallTurns(3, 2);
    const begun = taking(turns, ["search", "search", "search", "search", "call", "call"]);
    await settled();
    expect(begun).toEqual(["search 0", "search 1", "call 4"]);
    expect([turns.taken, turns.waiting]).toEqual([3, 3]);
    turns.release("call");
    await settled();
    expect(begun.slice(3)).toEqual(["call 5"]);
  });

  it("go to whoever came first among those that may have one", async () => {
    const turns = new CallTurns(2, 1);
    const begun = taking(turns, ["search", "call", "search", "call", "call"]);
    for (const ended of ["search", "call", "search"] as const) {
      await settled();
      turns.release(ended);
    }
    await settled();
    expect(begun).toEqual(["search 0", "call 1", "search 2", "call 3", "call 4"]);
    turns.release("call");
    turns.release("call");
    expect([turns.taken, turns.waiting]).toEqual([0, 0]);
  });
});
