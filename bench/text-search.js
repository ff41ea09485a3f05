/** How long do `search` and `find_notes` take in a running session, beside `rg -l` over the same notes where that is installed? Target 6. */
import { Session } from "./connection.js";
import { RARE_WORD } from "./generate-vault.js";
import { answer, isMain, limitAt, spread } from "./question.js";
import { interleave, timeSpawn } from "./timing.js";

/** The first ones have the target, the others are asked for comparison. */
const CALLS = {
  "search, a rare word": ["search", { query: RARE_WORD }],
  "find_notes, a rare word": ["find_notes", { query: RARE_WORD }],
  "search, a word in no note": ["search", { query: "quagga" }],
  "search, a rare word, as an expression": ["search", { query: "zanz[i]bar", regex: true }],
  "search, a common word": ["search", { query: "meeting" }],
  "find_notes, a rare word, misspelt": ["find_notes", { query: "zanzbiar" }],
  "find_notes, two common words": ["find_notes", { query: "meeting report" }],
};
const WITH_TARGET = 2;

/** @param {import("./question.js").Bench} bench */
export async function textSearch(bench) {
  const { notes, rounds, vault } = bench;
  const session = new Session(bench);
  await session.initialize();
  await warmUp(session);
  const steps = Object.fromEntries(
    Object.entries(CALLS).map(([what, [tool, args]]) => [what, async () => (await session.callTool(tool, args)).time]),
  );
  const rg = await ripgrep(vault);
  const { rg: baseline, ...times } = await interleave(rounds, { ...(rg && { rg }), ...steps });
  const peak = session.peakMemory();
  await session.close();
  const findings = Object.entries(times).map(([what, time], index) => ({
    target: index < WITH_TARGET ? 6 : 0,
    what: `session, ${what}, warm`,
    notes,
    measured: time.median,
    limit: index < WITH_TARGET ? limitAt(notes, 20, 60) : undefined,
    unit: "ms",
    detail: `${spread(time)}${baseline ? `; rg ${spread(baseline)}` : ""}`,
  }));
  const memory = { target: 0, what: "session that only searched, peak memory", notes, limit: undefined, unit: "MB" };
  return peak === undefined ? findings : [...findings, { ...memory, measured: peak, detail: "" }];
}

/** The first searches read everything, which on a busy machine may take longer than a call is given: what they learned is kept. */
async function warmUp(session) {
  for (const tool of ["search", "find_notes"]) {
    for (let attempt = 0; attempt < 20; attempt++) {
      if (await session.callTool(tool, { query: RARE_WORD }).catch(() => false)) break;
    }
  }
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

if (isMain(import.meta.url)) await answer([textSearch]);
