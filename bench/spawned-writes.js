/** How long does a process take that is spawned to create or to change a task? Target 8. */
import { rmSync } from "node:fs";
import { callToolOnce } from "./connection.js";
import { answer, isMain, limitAt, spread } from "./question.js";
import { removeNotes } from "./traces.js";
import { interleave, timeCat, timeNode } from "./timing.js";

const LIMIT = 60;
/** At 100,000 notes so many `cat` over all of them are allowed besides. */
const CATS = 0.8;

/** @param {import("./question.js").Bench} bench */
export async function spawnedWrites(bench) {
  const { notes, rounds, vault, cache } = bench;
  let number = 0;
  const create = (title) =>
    callToolOnce(bench, "create_task", { title, area: "Work", description: "Made by a benchmark." });
  const { result } = await create("Bench create 0");
  const taskId = /^Task ID: (.+)$/m.exec(result.content[0].text)[1];
  let flip = false;
  await callToolOnce(bench, "scan_vault", { vaultPath: vault });
  const { node, cat, ...times } = await interleave(rounds, {
    node: timeNode,
    cat: () => timeCat(vault),
    create: async () => (await create(`Bench create ${++number}`)).exit,
    update: async () => {
      flip = !flip;
      return (await callToolOnce(bench, "update_task", { taskId, updates: { priority: flip ? "High" : "Low" } })).exit;
    },
    cold: async () => {
      rmSync(cache, { recursive: true, force: true });
      const { exit } = await create(`Bench create ${++number}`);
      await callToolOnce(bench, "scan_vault", { vaultPath: vault });
      return exit;
    },
  });
  removeNotes(vault, /^Bench create /);
  const limit = limitAt(notes, LIMIT, LIMIT + CATS * cat.median);
  return [
    ["create_task, index there", times.create, limit],
    ["update_task, index there", times.update, limit],
    ["create_task, no index", times.cold, undefined],
  ].map(([what, time, most]) => ({
    target: 8,
    what: `spawn, ${what}, above Node`,
    notes,
    measured: time.median - node.median,
    limit: most,
    unit: "ms",
    detail: `${spread(time)}; Node ${spread(node)}; cat ${spread(cat)}`,
  }));
}

if (isMain(import.meta.url)) await answer([spawnedWrites]);
