/**
 * What do checkbox lines cost: taken apart, made a task, searched and changed many at once? `node bench/lines.js --notes 1000`: every
 * note gets five marked lines. The parts are measured in the library as it was built.
 */
import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Session } from "./connection.js";
import { answer, isMain, spread } from "./question.js";
import { summarise } from "./timing.js";

/** By URL, because the library need not be built when types are checked. */
const built = (path) => import(new URL(`../lib/${path}`, import.meta.url).href);

const LINES_A_NOTE = 5;
const MANY = 500;
const COUNT = 20_000;

const NO_FILES = { read: async () => undefined, stat: async () => undefined, async *readMany() {}, async *list() {} };

const lineOf = (at) =>
  [
    `- [ ] Call number ${at} about the offer 📅 2026-11-${10 + (at % 20)}`,
    `- [x] Send report ${at} to the team #work ⏫ ⏳ 2026-11-01 ✅ 2026-11-0${1 + (at % 9)}`,
    `  - [ ] Water plants ${at} 🔁 every week on Saturday 📅 2026-11-21`,
    `- [ ] #task Read chapter ${at} of the book [due:: 2026-12-01]`,
    `* [/] Paint wall ${at} 🆔 a${at} ⛔ a${at + 1} 🔼 🛫 2026-11-20`,
  ][at % 5];

const LINES = Array.from({ length: COUNT }, (_, at) => lineOf(at));

function microseconds(rounds, pieces, work) {
  const times = [];
  for (let round = 0; round < rounds + 2; round++) {
    const start = process.hrtime.bigint();
    work();
    times.push(Number(process.hrtime.bigint() - start) / 1000 / pieces);
  }
  // The first rounds are the compiler's.
  return summarise(times.slice(2));
}

function piece(what, { median, least, p95 }, limit) {
  const detail = `${least.toFixed(2)} to ${p95.toFixed(2)}, ${COUNT.toLocaleString("en")} at once`;
  return { target: 0, what, notes: 0, measured: median, limit, unit: "µs", detail };
}

async function pieces(rounds) {
  const { fixedClock } = await built("clock.js");
  const { nextOpenDay } = await built("tasks/recurrence/series.js");
  const { lineFormat } = await built("tasks/line-format/format.js");
  const { noteSource } = await built("index/read-note.js");
  const { lineFactsOf } = await built("tasks/line-format/line-facts.js");
  const { parseTaskLine } = await built("tasks/line-format/task-line.js");
  const text = `${LINES.join("\n")}\n`;
  const format = lineFormat({ inlineTasks: "marked" });
  const bytes = Buffer.from(text);
  const stat = { path: "Lines.md", modified: 0, created: 0, size: bytes.length, stamp: [] };
  const { SettingsKeeper } = await built("obsidian/settings.js");
  const clock = fixedClock("2026-11-21T12:00:00Z");
  const context = {
    para: { projects: [], areas: [], resources: [], archive: [], inbox: [] },
    clock,
    settings: await new SettingsKeeper(NO_FILES).current(),
  };
  const parsed = microseconds(rounds, COUNT, () => LINES.forEach((line) => parseTaskLine(line)));
  const read = microseconds(rounds, COUNT, () => lineFactsOf(text));
  const derived = microseconds(rounds, COUNT, () => format.read(noteSource({ stat, bytes }).note, context).tasks);
  const series = {
    recurrence: "DTSTART:20200101;FREQ=MONTHLY;BYDAY=-1FR",
    anchor: "scheduled",
    completed: [],
    skipped: [],
  };
  const next = microseconds(rounds, 1000, () => {
    for (let at = 0; at < 1000; at++) nextOpenDay(series, "2026-11-21");
  });
  return [
    piece("a line taken apart", parsed, 3),
    piece("a line found in its note", read, undefined),
    piece("a line made a task, taken apart included", derived, undefined),
    { ...piece("a next occurrence", next, 50), detail: "monthly on the last Friday, since 2020" },
  ];
}

/** @param {import("./question.js").Bench} bench */
export async function lines(bench) {
  const { notes, rounds, vault } = bench;
  addLines(vault);
  const session = new Session({ ...bench, environment: { OBSIDIAN_INLINE_TASKS: "marked", INLINE_TASKS: "marked" } });
  await session.initialize();
  const search = () => session.callTool("search_tasks", { query: "*", is: ["inline", "outstanding"], limit: 1 });
  const first = await search();
  const warm = [];
  for (let round = 0; round < rounds; round++) warm.push((await search()).time);
  const { total } = first.result.structuredContent;
  const change = await changeMany(session);
  await session.close();
  const figure = (what, measured, unit, detail) => ({
    target: 0,
    what,
    notes,
    measured,
    limit: undefined,
    unit,
    detail,
  });
  return [
    ...(await pieces(rounds)),
    figure("lines, first search in a session", first.time, "ms", `${total.toLocaleString("en")} outstanding lines`),
    figure("lines, searched again", summarise(warm).median, "ms", spread(summarise(warm))),
    figure(`update_tasks of ${change.count} lines, the plan`, change.plan, "ms", ""),
    figure(`update_tasks of ${change.count} lines, carried out`, change.done, "ms", `${change.notes} notes`),
  ];
}

function addLines(vault) {
  const notes = readdirSync(vault, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
  for (const [at, name] of notes.entries()) {
    const own = LINES.slice((at * LINES_A_NOTE) % COUNT).slice(0, LINES_A_NOTE);
    appendFileSync(join(vault, name), `\n${own.join("\n")}\n`);
  }
}

async function changeMany(session) {
  const tasks = [];
  for (let cursor; tasks.length < MANY;) {
    const page = { query: "*", is: ["inline", "outstanding"], limit: 100, ...(cursor && { cursor }) };
    const { structuredContent } = (await session.callTool("search_tasks", page)).result;
    tasks.push(...structuredContent.tasks.map(({ id }) => id));
    cursor = structuredContent.cursor;
    if (cursor === undefined) break;
  }
  const args = { tasks: tasks.slice(0, MANY), updates: { scheduled: "2027-01-04" } };
  const planned = await session.callTool("update_tasks", args);
  const { plan } = planned.result.structuredContent;
  const done = await session.callTool("update_tasks", { ...args, plan });
  const { updatedCount } = done.result.structuredContent;
  const notes = new Set(args.tasks.map((id) => id.replace(/(?::\d+~|#\^).*$/, ""))).size;
  return { count: updatedCount, notes, plan: planned.time, done: done.time };
}

if (isMain(import.meta.url)) await answer([lines]);
