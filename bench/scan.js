/** How long does a process take that is spawned to scan or to search, with and without a snapshot? Targets 3 and 4. */
import { rmSync } from "node:fs";
import { callToolOnce } from "./connection.js";
import { RARE_WORD } from "./generate-vault.js";
import { answer, isMain, limitAt, spread } from "./question.js";
import { interleave, timeCat, timeNode } from "./timing.js";

/** Below 10,000 notes a vault is read in less time than a program needs to start: there the start (target 1) is allowed too. */
const START = 10;

/** @param {import("./question.js").Bench} bench */
export async function scan(bench) {
  const { notes, rounds, vault, cache } = bench;
  const scanned = () => callToolOnce(bench, "scan_vault", { vaultPath: vault });
  const firstAnswers = [];
  const times = await interleave(rounds, {
    node: timeNode,
    cat: () => timeCat(vault),
    cold: async () => {
      rmSync(cache, { recursive: true, force: true });
      const { exit, answer: first } = await scanned();
      firstAnswers.push(first);
      return exit;
    },
    scan: async () => (await scanned()).exit,
    search: async () => (await callToolOnce(bench, "search_tasks", { query: RARE_WORD })).exit,
    misspelt: async () => (await callToolOnce(bench, "search_tasks", { query: "zanzbiar" })).exit,
  });
  const { node, cat } = times;
  const found = (target, what, time, [at10000, at100000]) => {
    const milliseconds = limitAt(notes, at10000, at100000) * cat.median + (notes < 10_000 ? START : 0);
    return {
      target,
      what: `${what}, above Node`,
      notes,
      measured: (time.median - node.median) / cat.median,
      limit: milliseconds / cat.median,
      unit: "cat",
      milliseconds: time.median - node.median,
      detail: `${spread(time)}; Node ${spread(node)}; cat ${spread(cat)}`,
    };
  };
  const cold = found(4, "spawn, scan, no snapshot", times.cold, [2, 1.5]);
  const early = firstAnswers.toSorted((a, b) => a - b)[firstAnswers.length >> 1] ?? NaN;
  return [
    found(3, "spawn, scan, snapshot present", times.scan, [0.8, 0.5]),
    found(3, "spawn, search, snapshot present", times.search, [0.8, 0.5]),
    found(3, "spawn, misspelt search, snapshot present", times.misspelt, [0.8, 0.5]),
    { ...cold, detail: `${cold.detail}; answer out after ${early.toFixed(1)}` },
  ];
}

if (isMain(import.meta.url)) await answer([scan]);
