/**
 * How long does a process take that answers one call and needs no vault? Target 1. Node gives its children sockets, which they
 * need Node's streams for; a shell gives files and pipes, as scripts have them. Both are measured.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Session, callOnce, programArguments } from "./connection.js";
import { answer, isMain, spread } from "./question.js";
import { interleave, timeNode, timeSpawn } from "./timing.js";

const LIMIT = 25;
const LIMIT_OF_INITIALIZE = 100;

/** @param {import("./question.js").Bench} bench */
export async function start(bench) {
  const { notes, rounds } = bench;
  const folder = mkdtempSync(join(tmpdir(), "bench-start-"));
  const request = join(folder, "request");
  writeFileSync(request, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }));
  const byShell = async (...args) => {
    const line = `exec "$0" "$@" < '${request}' > '${join(folder, "answer")}'`;
    return (await timeSpawn("sh", ["-c", line, process.execPath, ...args])).exit;
  };
  const times = await interleave(rounds * 2, {
    node: timeNode,
    list: async () => (await callOnce(bench, "tools/list")).exit,
    nodeByShell: () => byShell("-e", "0"),
    listByShell: () => byShell(...programArguments(bench)),
    initialize: async () => {
      const from = performance.now();
      const session = new Session(bench);
      await session.initialize();
      const time = performance.now() - from;
      await session.close();
      return time;
    },
  });
  rmSync(folder, { recursive: true });
  const node = `Node ${spread(times.node)}`;
  return [
    {
      target: 1,
      what: "spawn, `tools/list`, above Node",
      notes,
      measured: times.list.median - times.node.median,
      limit: LIMIT,
      unit: "ms",
      detail: `${spread(times.list)}; ${node}`,
    },
    {
      target: 1,
      what: "the same by a shell, from a file",
      notes,
      measured: times.listByShell.median - times.nodeByShell.median,
      limit: LIMIT,
      unit: "ms",
      detail: `${spread(times.listByShell)}; Node ${spread(times.nodeByShell)}`,
    },
    {
      target: 1,
      what: "spawn to the answer of `initialize`",
      notes,
      measured: times.initialize.median,
      limit: LIMIT_OF_INITIALIZE,
      unit: "ms",
      detail: `${spread(times.initialize)}; ${node}`,
    },
  ];
}

if (isMain(import.meta.url)) await answer([start]);
