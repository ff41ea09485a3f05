/** Runs that are shared: each caller gets the result, and goes on in a turn of the loop of its own. */
import { expect, it } from "vitest";
import { Coalesced } from "./coalesce.js";
import { loopTurn } from "./timers.js";

/** Notes in which turn of the loop each of five callers goes on. */
async function turnsOf(
  runs: Coalesced<string, never>,
): Promise<{ turns: number[]; outcomes: PromiseSettledResult<string>[] }> {
  let turn = 0;
  const state = { isOver: false };
  const turns: number[] = [];
  const note = (): void => void turns.push(turn);
  const outcomes = Promise.allSettled([1, 2, 3, 4, 5].map(() => runs.join().finally(note)));
  void outcomes.then(() => (state.isOver = true));
  while (!state.isOver) {
    await loopTurn();
    turn++;
  }
  return { turns, outcomes: await outcomes };
}

it("callers who share a run go on one in each turn of the loop", async () => {
  let began = 0;
  const { turns, outcomes } = await turnsOf(
    new Coalesced(async () => {
      began++;
      await loopTurn();
      return "done";
    }),
  );
  expect(began).toBe(1);
  expect(outcomes).toEqual(Array.from({ length: 5 }, () => ({ status: "fulfilled", value: "done" })));
  expect(new Set(turns).size).toBe(5);
});

it("a run that fails fails for everybody who shares it, and the next begins anew", async () => {
  let began = 0;
  const runs = new Coalesced<string, never>(async () => {
    began++;
    if (began === 1) throw new Error("no");
    return "done";
  });
  const { outcomes } = await turnsOf(runs);
  expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => "rejected"));
  expect(await runs.join()).toBe("done");
});
