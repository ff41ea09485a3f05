/** How long do questions about links take in a running session, the freshness of the answer included, and what does the graph need? */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Session } from "./connection.js";
import { answer, isMain, limitAt, spread } from "./question.js";
import { summarise } from "./timing.js";

const HUB = "Bench hub";

/** @param {import("./question.js").Bench} bench */
export async function links(bench) {
  const { notes, rounds, vault } = bench;
  const session = new Session(bench);
  await session.initialize();
  const [hub, linking, coming] = [HUB, "Bench linking", "Bench coming"].map((name) => join(vault, `${name}.md`));
  writeFileSync(hub, "# Hub\n");
  writeFileSync(linking, "");
  const backlinks = () => session.callTool("obsidian_get_backlinks", { note: HUB });
  const first = (await backlinks()).time;
  // By then the watch stands, which makes a look at every note unnecessary.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const calls = {
    "obsidian_get_backlinks, nothing changed": backlinks,
    obsidian_get_outgoing_links: () => session.callTool("obsidian_get_outgoing_links", { note: "Bench linking" }),
    obsidian_list_unresolved_links: () => session.callTool("obsidian_list_unresolved_links", {}),
    obsidian_list_orphans: () => session.callTool("obsidian_list_orphans", {}),
    obsidian_list_tags: () => session.callTool("obsidian_list_tags", {}),
  };
  const times = new Map([...Object.keys(calls), "changed", "new"].map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const count = 1 + (round % 3);
    writeFileSync(linking, `[[${HUB}]]\n`.repeat(count));
    times.get("changed").push(await expectTotal(backlinks, count));
    writeFileSync(coming, `[[${HUB}]]\n`);
    times.get("new").push(await expectTotal(backlinks, count + 1));
    rmSync(coming);
    for (const [name, call] of Object.entries(calls)) times.get(name).push((await call()).time);
  }
  const peak = session.peakMemory();
  await session.close();
  for (const path of [hub, linking]) rmSync(path);
  const found = (name, what, limit) => {
    const list = summarise(times.get(name));
    return {
      target: 0,
      what,
      notes,
      measured: list.median,
      limit,
      unit: "ms",
      detail: `${spread(list)}, ${rounds} calls`,
    };
  };
  return [
    {
      target: 0,
      what: "obsidian_get_backlinks, first in a session",
      notes,
      measured: first,
      limit: undefined,
      unit: "ms",
      detail: "",
    },
    found("changed", "obsidian_get_backlinks right after a changed note", limitAt(notes, 5, 20)),
    found("new", "obsidian_get_backlinks right after a new note", undefined),
    ...Object.keys(calls).map((name) => found(name, name, undefined)),
    ...(peak === undefined
      ? []
      : [
          {
            target: 0,
            what: "session, links and tags only, peak memory",
            notes,
            measured: peak,
            limit: undefined,
            unit: "MB",
            detail: "",
          },
        ]),
  ];
}

async function expectTotal(call, total) {
  const { result, time } = await call();
  if (result.structuredContent.total !== total)
    throw new Error(`The graph told of ${result.structuredContent.total} links where there are ${total}.`);
  return time;
}

if (isMain(import.meta.url)) await answer([links]);
