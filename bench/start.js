/** How long does a process take that answers one call and needs no vault? Targets 1 and 2. */
import { Session, callOnce } from "./connection.js";
import { answer, isMain, spread } from "./question.js";
import { interleave, timeNode } from "./timing.js";

/** @param {import("./question.js").Bench} bench */
export async function start(bench) {
  const { notes, rounds } = bench;
  const times = await interleave(rounds * 2, {
    node: timeNode,
    list: async () => (await callOnce(bench, "tools/list")).exit,
    initialize: async () => {
      const from = performance.now();
      const session = new Session(bench);
      await session.initialize();
      const time = performance.now() - from;
      await session.close();
      return time;
    },
  });
  const node = `Node ${spread(times.node)}`;
  return [
    {
      target: 1,
      what: "spawn, `tools/list`, above Node",
      notes,
      measured: times.list.median - times.node.median,
      limit: 10,
      unit: "ms",
      detail: `${spread(times.list)}; ${node}`,
    },
    {
      target: 2,
      what: "spawn to the answer of `initialize`",
      notes,
      measured: times.initialize.median,
      limit: 100,
      unit: "ms",
      detail: `${spread(times.initialize)}; ${node}`,
    },
  ];
}

if (isMain(import.meta.url)) await answer([start]);
