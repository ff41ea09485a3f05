/** How long do calls take in a running session, the freshness of the answer included? Targets 6 and 10. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Session } from "./connection.js";
import { RARE_WORD } from "./generate-vault.js";
import { answer, isMain, limitAt, spread } from "./question.js";
import { summarise } from "./timing.js";

const CALLS_A_ROUND = 10;

/** @param {import("./question.js").Bench} bench */
export async function session(bench) {
  return [...(await warmCalls(bench)), await pingsDuringScan(bench)];
}

/** Each round a note changes behind the server's back, and the very next answer has to know it. */
async function warmCalls(bench) {
  const { notes, rounds, vault } = bench;
  const connection = new Session(bench);
  await connection.initialize();
  await connection.callTool("scan_vault", { vaultPath: vault });
  const path = join(vault, "_projects", "Bench freshness.md");
  const calls = {
    scan_vault: () => connection.callTool("scan_vault", { vaultPath: vault }),
    "search_tasks, a rare word": () => connection.callTool("search_tasks", { query: RARE_WORD }),
    "search_tasks, misspelt": () => connection.callTool("search_tasks", { query: "zanzbiar" }),
    "search_tasks, two common words": () => connection.callTool("search_tasks", { query: "meeting report" }),
    "search_tasks, one letter": () => connection.callTool("search_tasks", { query: "m" }),
  };
  const times = Object.fromEntries(Object.keys(calls).map((name) => [name, []]));
  const afterChange = [];
  for (let round = 0; round < rounds; round++) {
    const word = `fresh${round.toString(36)}x${"q".repeat(round % 3)}`;
    writeFileSync(path, `---\ntype: task\nstatus: To Do\n---\n# Bench ${word}\n`);
    const { result, time } = await connection.callTool("search_tasks", { query: word });
    if (!result.content[0].text.includes(`Bench ${word}`))
      throw new Error(`A search did not see a note written before it (${word}).`);
    afterChange.push(time);
    for (const [name, call] of Object.entries(calls)) {
      for (let count = 0; count < CALLS_A_ROUND; count++) times[name].push((await call()).time);
    }
  }
  rmSync(path);
  await connection.close();
  const found = (what, list) => ({
    target: 6,
    what: `session, ${what}, warm`,
    notes,
    measured: summarise(list).median,
    limit: limitAt(notes, 20, 60),
    unit: "ms",
    detail: `${spread(summarise(list))}, ${list.length} calls`,
  });
  return [
    ...Object.entries(times).map(([name, list]) => found(name, list)),
    { ...found("search_tasks right after a change", afterChange), target: 0, limit: undefined },
  ];
}

async function pingsDuringScan(bench) {
  const { notes, vault, cache, rounds } = bench;
  const waits = [];
  let scans = 0;
  for (let round = 0; round < Math.max(2, rounds / 3); round++) {
    rmSync(cache, { recursive: true, force: true });
    const connection = new Session(bench);
    await connection.initialize();
    const scan = connection.callTool("scan_vault", { vaultPath: vault });
    const over = scan.then(() => true);
    const worst = [0];
    const ping = async () => {
      worst.push((await connection.request("ping")).time);
      return false;
    };
    while (!(await Promise.race([over, ping()]))) continue;
    waits.push(Math.max(...worst));
    scans += (await scan).time;
    await connection.close();
  }
  const longest = summarise(waits);
  return {
    target: 10,
    what: "longest wait of a `ping` during a cold scan",
    notes,
    measured: longest.median,
    limit: 50,
    unit: "ms",
    detail: `${spread(longest)}; a cold scan ${(scans / waits.length).toFixed(0)}`,
  };
}

if (isMain(import.meta.url)) await answer([session]);
