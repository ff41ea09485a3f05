/** How much memory does a session need that has used every tool? Target 8. */
import { Session } from "./connection.js";
import { RARE_WORD } from "./generate-vault.js";
import { answer, isMain } from "./question.js";
import { removeNotes } from "./traces.js";

const SEARCHES = [RARE_WORD, "zanzbiar", "meeting report", "m", "review quarter budget", "会议"];

/** @param {import("./question.js").Bench} bench */
export async function memory(bench) {
  const { notes, vault, rounds } = bench;
  const session = new Session(bench);
  await session.initialize();
  const idle = session.peakMemory();
  for (let round = 0; round < rounds; round++) {
    await session.callTool("scan_vault", { vaultPath: vault });
    for (const query of SEARCHES) await session.callTool("search_tasks", { query });
    const { result } = await session.callTool("create_task", { title: `Bench memory ${round}`, area: "Work" });
    const taskId = /^Task ID: (.+)$/m.exec(result.content[0].text)[1];
    await session.callTool("update_task", { taskId, updates: { status: "Done" } });
    await session.callTool("get_task", { taskId });
  }
  const peak = session.peakMemory();
  await session.close();
  removeNotes(vault, /^Bench memory /);
  if (peak === undefined || idle === undefined) return [];
  return [
    {
      target: 8,
      what: "session, all tools used, peak memory",
      notes,
      measured: peak,
      limit: notes <= 50_000 ? 150 : 250,
      unit: "MB",
      detail: `${idle.toFixed(0)} MB after \`initialize\``,
    },
  ];
}

if (isMain(import.meta.url)) await answer([memory]);
