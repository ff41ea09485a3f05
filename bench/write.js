/** What do an update and an update of many tasks cost above what the disk takes, and are parallel edits all kept? Target 9. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Session } from "./connection.js";
import { answer, isMain, spread } from "./question.js";
import { findNotes, removeNotes } from "./traces.js";
import { interleave } from "./timing.js";

const LIMIT = 8;
const MANY = 500;
/** Of each of many. */
const LIMIT_OF_EACH = 1;

/** @param {import("./question.js").Bench} bench */
export async function write(bench) {
  try {
    const { disk, update } = await oneUpdate(bench);
    return [update, await manyUpdates(bench, disk), await parallelEdits(bench, 1), await parallelEdits(bench, 2)];
  } finally {
    removeNotes(bench.vault, /^Bench (write|parallel)/);
  }
}

async function oneUpdate(bench) {
  const { notes, rounds, vault } = bench;
  const session = await openSession(bench);
  const taskId = await createTask(session, "Bench write");
  let flip = false;
  const times = await interleave(rounds * 2, {
    disk: async () => writeByHand(join(vault, "_projects", "Bench write by hand.md"), `${Date.now()}\n`.repeat(100)),
    update: async () => {
      flip = !flip;
      return (await session.callTool("update_task", { taskId, updates: { priority: flip ? "High" : "Low" } })).time;
    },
  });
  await session.close();
  const disk = times.disk.median;
  const update = {
    target: 9,
    what: "session, one update, above two fsyncs",
    notes,
    measured: times.update.median - disk,
    limit: LIMIT,
    unit: "ms",
    detail: `${spread(times.update)}; two fsyncs on the same disk ${spread(times.disk)}`,
  };
  return { disk, update };
}

/** The outstanding tasks change in one call, up to so many; afterwards all is as it was. @param disk milliseconds of two fsyncs */
async function manyUpdates(bench, disk) {
  const session = await openSession(bench);
  const tasks = await outstandingTasks(session);
  const args = { tasks, updates: { scheduled: "2031-01-06" } };
  const { plan } = (await session.callTool("update_tasks", args)).result.structuredContent;
  const { result, time } = await session.callTool("update_tasks", { ...args, plan });
  const { updatedCount, operation } = result.structuredContent;
  await session.callTool("undo_edit", { path: operation });
  await session.close();
  return {
    target: 9,
    what: `session, ${tasks.length} tasks updated in one call, above two fsyncs each`,
    notes: bench.notes,
    measured: time - updatedCount * disk,
    limit: tasks.length * LIMIT_OF_EACH,
    unit: "ms",
    detail: `${time.toFixed(0)}; ${updatedCount} updated; two fsyncs ${disk.toFixed(1)}`,
  };
}

async function outstandingTasks(session) {
  const tasks = [];
  let cursor;
  do {
    const page = { query: "*", is: ["outstanding"], limit: 100, ...(cursor && { cursor }) };
    const { structuredContent } = (await session.callTool("search_tasks", page)).result;
    tasks.push(...structuredContent.tasks.map(({ id }) => id));
    ({ cursor } = structuredContent);
  } while (cursor !== undefined && tasks.length < MANY);
  return tasks.slice(0, MANY);
}

/** The least a safe write does: a temporary file, fsync, rename, fsync of the folder. Milliseconds. */
function writeByHand(path, text) {
  const start = process.hrtime.bigint();
  const file = openSync(`${path}.tmp`, "w");
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  renameSync(`${path}.tmp`, path);
  const folder = openSync(join(path, ".."), "r");
  fsyncSync(folder);
  closeSync(folder);
  return Number(process.hrtime.bigint() - start) / 1e6;
}

/** Twenty edits at once, each of another field of one of three tasks; how many are lost. */
async function parallelEdits(bench, processes) {
  const { notes, vault } = bench;
  const sessions = await Promise.all(Array.from({ length: processes }, () => openSession(bench)));
  const names = [1, 2, 3].map((number) => `Bench parallel ${processes}-${number}`);
  const ids = [];
  for (const name of names) ids.push(await createTask(sessions[0], name));
  const edits = names
    .flatMap((name, index) => FIELDS.map(({ updates, mark }) => ({ name, taskId: ids[index], updates, mark })))
    .slice(0, 20);
  const start = performance.now();
  const outcomes = await Promise.allSettled(
    edits.map(({ taskId, updates }, index) => sessions[index % processes].callTool("update_task", { taskId, updates })),
  );
  const time = performance.now() - start;
  await Promise.all(sessions.map((session) => session.close()));
  const texts = new Map(
    names.map((name) => [name, readFileSync(findNotes(vault, new RegExp(`^${name}\\.md$`))[0], "utf8")]),
  );
  const kept = edits.filter(({ name, mark }) => mark.test(texts.get(name))).length;
  const refused = outcomes.filter(({ status }) => status === "rejected").length;
  for (const path of findNotes(vault, /^Bench parallel/)) rmSync(path);
  return {
    target: 9,
    what: `of ${edits.length} parallel edits in ${processes === 1 ? "one process" : "two processes"}, not kept`,
    notes,
    measured: edits.length - kept,
    limit: 0,
    unit: "edits",
    detail: `${kept} of ${edits.length} kept, ${refused} refused, ${time.toFixed(0)} ms`,
  };
}

const FIELDS = [
  { updates: { title: "Bench marked title" }, mark: /^title:.*Bench marked title/m },
  { updates: { status: "In Progress" }, mark: /^status:\s*"?in progress/im },
  { updates: { priority: "High" }, mark: /^priority:\s*"?high/im },
  { updates: { dueDate: "2031-03-07" }, mark: /2031-03-07/ },
  { updates: { area: "Marked area" }, mark: /Marked area/ },
  { updates: { tags: ["marked-tag"] }, mark: /marked-tag/ },
  { updates: { description: "Marked description." }, mark: /Marked description\./ },
];

async function openSession(bench) {
  const session = new Session(bench);
  await session.initialize();
  await session.callTool("scan_vault", { vaultPath: bench.vault });
  return session;
}

async function createTask(session, title) {
  const { result } = await session.callTool("create_task", {
    title,
    area: "Work",
    priority: "Low",
    tags: ["bench"],
    dueDate: "2030-01-01",
  });
  return /^Task ID: (.+)$/m.exec(result.content[0].text)[1];
}

if (isMain(import.meta.url)) await answer([write]);
