/** How much memory does a session need that has used the task tools, and one that has used tools of every toolset? Target 12. */
import { Session } from "./connection.js";
import { COMMON_WORD, RARE_WORD } from "./generate-vault.js";
import { answer, isMain } from "./question.js";
import { removeNotes } from "./traces.js";

/** A first look for a toolset at a vast vault may take longer than one call is given; what it has done so far is kept. */
const MOST_TRIES = 20;
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
  const withTasks = session.peakMemory();
  for (let round = 0; round < rounds; round++) await useNotesAndFiles(session);
  const withAll = session.peakMemory();
  await session.close();
  removeNotes(vault, /^Bench memory /);
  if (withTasks === undefined || withAll === undefined || idle === undefined) return [];
  const found = (what, measured) => ({
    target: 12,
    what: `session, ${what} used, peak memory`,
    notes,
    measured,
    limit: notes <= 50_000 ? 120 : 250,
    unit: "MB",
    detail: `${idle.toFixed(0)} MB after \`initialize\``,
  });
  return [found("all task tools", withTasks), found("tools of every toolset", withAll)];
}

async function useNotesAndFiles(session) {
  const found = await patiently(session, "find_notes", { query: RARE_WORD });
  for (const query of ["meetng", COMMON_WORD]) await patiently(session, "find_notes", { query });
  await patiently(session, "obsidian_list_tags", {});
  await patiently(session, "obsidian_get_backlinks", { note: found.structuredContent.notes[0].path });
  for (const query of [RARE_WORD, "quarter"]) await patiently(session, "search", { query });
}

async function patiently(session, name, args) {
  for (let tries = 1; ; tries++) {
    try {
      return (await session.callTool(name, args)).result;
    } catch (error) {
      if (tries === MOST_TRIES || !/took longer than/.test(String(error))) throw error;
    }
  }
}

if (isMain(import.meta.url)) await answer([memory]);
