/**
 * How long does the first call take, of a fresh session and of a spawned process, without and with an index, and the call after it?
 * Targets 2 to 7. Beside `cat` over the same notes, and `rg` where it is installed. `--slow`: on a machine four times slower; `--cold`:
 * the system has read none of the files (see `conditions.js`). Both ask whether every call is answered (target 7), and hold no time to a target.
 */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { forgetFiles, slowDown } from "./conditions.js";
import { callToolOnce, Session } from "./connection.js";
import { COMMON_WORD, RARE_WORD } from "./generate-vault.js";
import { answer, isMain, limitAt, spread } from "./question.js";
import { interleave, summarise, timeCat, timeNode, timeSpawn } from "./timing.js";

/** Rows of the targets' table: the most cats above Node's start, at 10,000 and at 100,000 notes. */
const ROWS = {
  2: { usual: [6, 5], dense: [10, 9] },
  3: [5, 4],
  "3b": [14, 12],
  4: [2, 1.5],
  "4b": [1.5, 1.2],
  5: [1.5, 1.2],
  "5, texts": [1.8, 1.5],
};

/**
 * What is asked, and its rows without an index and with one.
 * @typedef {{ call: [name: string, given: Record<string, any>], cold: keyof typeof ROWS, kept: keyof typeof ROWS, words?: boolean, reads?: boolean }} Asked
 * @type {Record<string, Asked>}
 */
const TOOLS = {
  scan_vault: { call: ["scan_vault", {}], cold: 2, kept: 4 },
  search_tasks: { call: ["search_tasks", { query: RARE_WORD }], cold: 2, kept: 4 },
  "search_tasks, misspelt": { call: ["search_tasks", { query: "zanzbiar" }], cold: 2, kept: 4 },
  "search_tasks, ready": { call: ["search_tasks", { query: "*", is: ["ready"] }], cold: 2, kept: 4 },
  ...Object.fromEntries(
    ["day", "week", "review", "projects"].map((view) => [
      `agenda, ${view}`,
      { call: ["get_agenda", { view }], cold: 2, kept: 4 },
    ]),
  ),
  "find_notes, browsing": { call: ["find_notes", {}], cold: 3, kept: "4b" },
  obsidian_list_tags: { call: ["obsidian_list_tags", {}], cold: 3, kept: "4b" },
  obsidian_list_orphans: { call: ["obsidian_list_orphans", {}], cold: 3, kept: "4b" },
  obsidian_list_unresolved_links: { call: ["obsidian_list_unresolved_links", {}], cold: 3, kept: "4b" },
  obsidian_list_attachments: {
    call: ["obsidian_list_attachments", { note: "_inbox/Bench attachments.md" }],
    cold: 3,
    kept: "4b",
  },
  get_workspace_files: { call: ["get_workspace_files", {}], cold: 3, kept: "4b" },
  "find_notes, a rare word": { call: ["find_notes", { query: RARE_WORD }], words: true, cold: "3b", kept: 5 },
  "find_notes, a common word": { call: ["find_notes", { query: COMMON_WORD }], words: true, cold: "3b", kept: 5 },
  "search, a rare word": { call: ["search", { query: RARE_WORD }], reads: true, cold: 3, kept: "5, texts" },
};
/** On Node 20 `libsql` is loaded, which later ones need not. */
const LIBSQL_MS = Number(process.versions.node.split(".")[0]) < 22 ? 40 : 0;
/** After so many milliseconds a session has learnt what it learns behind an answer; a person takes longer to read it. */
const REST = 200;
/** The same where it learns texts, for as many notes. */
const REST_FOR_TEXTS = ({ notes }) => Math.min(3_000, 300 + notes / 3);
/** Below 10,000 notes a vault is read in less time than a program needs to start: there the start (target 1) is allowed too. */
const START = 25;

/** @param {import("./question.js").Bench} bench */
export async function firstCalls(bench) {
  const findings = [];
  const failures = [];
  const note = join(bench.vault, TOOLS.obsidian_list_attachments.call[1].note);
  mkdirSync(dirname(note), { recursive: true });
  writeFileSync(note, "# Bench attachments\n");
  for (const [what, tool] of Object.entries(TOOLS)) findings.push(...(await firstCallsOf(bench, what, tool, failures)));
  rmSync(note);
  return [...findings, noneFailed(bench, failures)];
}

const conditions = { slow: false, cold: false };

function noneFailed({ notes }, failures) {
  const [detail = ""] = failures;
  return {
    target: 7,
    what: "first calls that failed",
    notes,
    measured: failures.length,
    limit: 0,
    unit: "calls",
    detail,
  };
}

/**
 * @param {Asked} asked
 * @param failures takes what calls failed with; such a call counts as endless
 */
async function firstCallsOf(bench, what, asked, failures) {
  const { call, words, reads, cold, kept } = asked;
  const [name, given] = call;
  const { notes, rounds, vault, cache, dense } = bench;
  const limitsOf = (row) => (Array.isArray(ROWS[row]) ? ROWS[row] : ROWS[row][dense ? "dense" : "usual"]);
  const args = name === "scan_vault" ? { ...given, vaultPath: vault } : given;
  const forget = () => {
    rmSync(cache, { recursive: true, force: true });
    mkdirSync(cache, { recursive: true });
  };
  const after = [];
  const warm = [];
  const answered = (call) => async () => {
    try {
      return await call();
    } catch (error) {
      failures.push(`${what}: ${error.message}`);
      return Infinity;
    }
  };
  const first = async () => {
    const session = new Session(bench);
    try {
      return await firstOf(session);
    } finally {
      await session.close();
    }
  };
  const firstOf = async (session) => {
    await session.initialize();
    const { time } = await session.callTool(name, args);
    after.push((await session.callTool(name, args)).time);
    await new Promise((resolve) => setTimeout(resolve, words || reads ? REST_FOR_TEXTS(bench) : REST));
    for (let count = 0; count < 5; count++) warm.push((await session.callTool(name, args)).time);
    return time;
  };
  const rg = args.query === RARE_WORD ? await ripgrep(vault) : undefined;
  const times = await interleave(
    Math.max(2, Math.floor(rounds / 3)),
    underConditions(vault, {
      node: timeNode,
      cat: () => timeCat(vault),
      ...(rg && { rg }),
      "spawned, no index": answered(async () => (forget(), (await callToolOnce(bench, name, args)).exit)),
      "fresh session, no index": answered(async () => (forget(), first())),
      "spawned, index there": answered(async () => (await callToolOnce(bench, name, args)).exit),
      "fresh session, index there": answered(first),
    }),
  );
  const { node, cat } = times;
  const allowance = ((notes < 10_000 ? START : 0) + LIBSQL_MS) / cat.median;
  const found = ([how, time]) => {
    const above = how.startsWith("spawned") ? time.median - node.median : time.median;
    const row = how.endsWith("no index") ? cold : kept;
    return {
      target: row,
      what: `${what}: ${how}`,
      notes,
      measured: above / cat.median,
      limit: isBad() ? undefined : limitAt(notes, ...limitsOf(row)) + allowance,
      unit: "cat",
      milliseconds: above,
      detail: `${spread(time)}; cat ${spread(cat)}${times.rg ? `; rg ${spread(times.rg)}` : ""}`,
    };
  };
  const later = (how, list) => ({
    target: 6,
    what: `${what}: ${how}`,
    notes,
    measured: summarise(list).median / (reads ? cat.median : 1),
    limit: isBad() ? undefined : reads ? 1 : limitAt(notes, 20, 60),
    unit: reads ? "cat" : "ms",
    detail: spread(summarise(list)),
  });
  return [
    ...Object.entries(times)
      .filter(([how]) => how.includes("index"))
      .map(found),
    { ...later("the call right after the first", after), limit: undefined },
    later("warm", warm),
    ...(words ? [indexSize(bench)] : []),
  ];
}

/** Target 14: the index with all words, against the notes. */
function indexSize({ notes, vault, cache }) {
  const sum = (folder, wanted) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && wanted.test(entry.name))
      .reduce((total, { parentPath, name }) => total + statSync(join(parentPath, name)).size, 0);
  const [index, text] = [sum(cache, /\.index(-wal)?$/), sum(vault, /\.md$/)];
  const detail = `${(index / 1e6).toFixed(1)} of ${(text / 1e6).toFixed(1)} MB`;
  return {
    target: 14,
    what: "size of the index",
    notes,
    measured: index / text,
    limit: 1,
    unit: "times the notes",
    detail,
  };
}

const isBad = () => conditions.slow || conditions.cold;

/** The same steps, each after the system was made to forget what it read, if that was asked for. */
function underConditions(vault, steps) {
  if (!conditions.cold) return steps;
  const chilled = ([name, step]) => [name, async () => (forgetFiles(vault), step())];
  return Object.fromEntries(Object.entries(steps).map(chilled));
}

async function ripgrep(vault) {
  const time = async () => (await timeSpawn("rg", ["-l", RARE_WORD, vault])).exit;
  try {
    await time();
    return time;
  } catch {
    return undefined;
  }
}

if (isMain(import.meta.url)) {
  for (const name of Object.keys(conditions)) {
    const place = process.argv.indexOf(`--${name}`);
    conditions[name] = place !== -1 && process.argv.splice(place, 1).length > 0;
  }
  const end = conditions.slow ? slowDown() : () => {};
  try {
    await answer([firstCalls]);
  } finally {
    end();
  }
}
