/** How long does a process take that is spawned to create a task? Target 5. */
import { rmSync } from "node:fs";
import { callToolOnce } from "./connection.js";
import { answer, isMain, spread } from "./question.js";
import { removeNotes } from "./traces.js";
import { interleave, timeNode } from "./timing.js";

const LIMIT = 40;

/** @param {import("./question.js").Bench} bench */
export async function create(bench) {
  const { notes, rounds, vault, cache } = bench;
  let number = 0;
  const created = async () =>
    (
      await callToolOnce(bench, "create_task", {
        title: `Bench create ${++number}`,
        area: "Work",
        description: "Made by a benchmark.",
      })
    ).exit;
  await callToolOnce(bench, "scan_vault", { vaultPath: vault });
  const times = await interleave(rounds, {
    node: timeNode,
    create: created,
    cold: async () => {
      rmSync(cache, { recursive: true, force: true });
      const time = await created();
      await callToolOnce(bench, "scan_vault", { vaultPath: vault });
      return time;
    },
  });
  removeNotes(vault, /^Bench create /);
  return [
    ["spawn, create_task, snapshot present, above Node", times.create],
    ["spawn, create_task, no snapshot, above Node", times.cold],
  ].map(([what, time]) => ({
    target: 5,
    what,
    notes,
    measured: time.median - times.node.median,
    limit: LIMIT,
    unit: "ms",
    detail: `${spread(time)}; Node ${spread(times.node)}`,
  }));
}

if (isMain(import.meta.url)) await answer([create]);
