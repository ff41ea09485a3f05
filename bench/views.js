/**
 * What do saved views cost over 10,000 notes with 50,000 checkboxes, in a running session and in a process of one call? `node
 * bench/views.js --notes 10000`. Each note gets four more lines.
 */
import { readdirSync, appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callToolOnce, Session } from "./connection.js";
import { COMMON_WORD } from "./generate-vault.js";
import { answer, isMain, limitAt, spread } from "./question.js";
import { interleave, summarise, timeCat, timeNode } from "./timing.js";

const BLOCKS = "Bench views.md";
const BASE = "Bench views.base";
const CALLS_A_ROUND = 5;
const QUERY_MS = 100;

const QUERIES = {
  "all open lines": "not done",
  "all open lines by folder": "not done\ngroup by folder",
  "all open lines by urgency": "not done\nsort by urgency",
  "open lines of a month, by day and priority": "not done\ndue in 2026-11\ngroup by due\nsort by priority",
  "open lines with a word, not blocked": `not done\nis not blocked\ndescription includes ${COMMON_WORD}`,
  "all open lines by description": "not done\nsort by description",
};

const VIEWS = [
  { name: "frontmatter", most: 60, filters: ['status == "To Do"'], order: ["file.name", "due", "area"], sort: "due" },
  { name: "days", most: 60, filters: ["due < now()"], order: ["file.name", "due"], sort: "due", group: "area" },
  { name: "backlinks of a note", most: 120, filters: ['file.hasLink("Project 1")'], order: ["file.name"] },
  { name: "numbers of links", most: 120, filters: ["file.links.length > 1"], order: ["file.name"], sort: "file.mtime" },
];

const lineOf = (at) =>
  [
    `- [ ] Call number ${at} about the ${COMMON_WORD} 📅 2026-11-${10 + (at % 20)}`,
    `- [x] Send report ${at} to the team #work ⏫ ⏳ 2026-11-01 ✅ 2026-11-0${1 + (at % 9)}`,
    `  - [ ] Water plants ${at} 🔁 every week on Saturday 📅 2026-1${at % 3}-21`,
    `* [/] Paint wall ${at} 🆔 a${at} ⛔ a${at + 1} 🔼 🛫 2026-11-20`,
  ][at % 4];

/** @param {import("./question.js").Bench} bench */
export async function views(bench) {
  addLines(bench.vault);
  writeViews(bench.vault);
  const calls = [
    ...Object.keys(QUERIES).map((name, at) => ({
      what: `tasks query, ${name}`,
      args: { source: BLOCKS, view: String(at + 1) },
      most: QUERY_MS,
    })),
    ...VIEWS.map(({ name, most }) => ({ what: `base, ${name}`, args: { source: BASE, view: name }, most })),
  ];
  const findings = [...(await warmCalls(bench, calls)), ...(await spawnedCalls(bench, [calls[0], calls.at(-1)]))];
  for (const name of [BLOCKS, BASE]) rmSync(join(bench.vault, name));
  return findings;
}

function addLines(vault) {
  const notes = readdirSync(vault, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
  for (const [at, name] of notes.entries()) {
    const own = [0, 1, 2, 3].map((place) => lineOf(at * 4 + place));
    appendFileSync(join(vault, name), `\n${own.join("\n")}\n`);
  }
}

function writeViews(vault) {
  const blocks = Object.values(QUERIES).map((query) => `\`\`\`tasks\n${query}\n\`\`\`\n`);
  writeFileSync(join(vault, BLOCKS), blocks.join("\n"));
  const items = VIEWS.map(({ name, filters, order, sort = "file.name", group }) => ({
    type: "table",
    name,
    filters: { and: filters },
    order,
    sort: [{ property: sort, direction: "DESC" }],
    groupBy: group === undefined ? null : { property: group, direction: "ASC" },
  }));
  // JSON is YAML.
  writeFileSync(join(vault, BASE), JSON.stringify({ views: items }));
}

/** Processor time of the server where the system counts it, because other programs do not change that. */
async function warmCalls(bench, calls) {
  const session = new Session(bench);
  await session.initialize();
  for (const { args } of calls) await session.callTool("run_view", args);
  // What a session stores and verifies in its idle turns.
  await new Promise((resolve) => setTimeout(resolve, 300 + bench.notes / 2));
  const times = Object.fromEntries(calls.map(({ what }) => [what, []]));
  const totals = {};
  for (let round = -1; round < bench.rounds; round++)
    for (const { what, args } of calls) {
      const before = session.processorTime();
      let passed = 0;
      for (let count = 0; count < CALLS_A_ROUND; count++) {
        const { result, time } = await session.callTool("run_view", args);
        passed += time;
        totals[what] = result.structuredContent.total;
      }
      const after = session.processorTime();
      if (round >= 0) times[what].push((after === undefined ? passed : after - before) / CALLS_A_ROUND);
    }
  await session.close();
  return calls.map(({ what, most }) => ({
    target: 6,
    what: `${what}, warm`,
    notes: bench.notes,
    measured: summarise(times[what]).median,
    limit: limitAt(bench.notes, most, most * 10),
    unit: "ms",
    detail: `${spread(summarise(times[what]))}; ${totals[what].toLocaleString("en")} rows`,
  }));
}

async function spawnedCalls(bench, calls) {
  const steps = calls.map(({ what, args }) => [what, async () => (await callToolOnce(bench, "run_view", args)).exit]);
  const { node, cat, ...times } = await interleave(Math.max(2, Math.floor(bench.rounds / 3)), {
    node: timeNode,
    cat: () => timeCat(bench.vault),
    ...Object.fromEntries(steps),
  });
  return Object.entries(times).map(([what, time]) => ({
    target: 4,
    what: `${what}: spawned, index there`,
    notes: bench.notes,
    measured: (time.median - node.median) / cat.median,
    limit: limitAt(bench.notes, 2, 1.5),
    unit: "cat",
    milliseconds: time.median - node.median,
    detail: `${spread(time)}; cat ${spread(cat)}`,
  }));
}

if (isMain(import.meta.url)) await answer([views]);
