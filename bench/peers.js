/**
 * How do others do on the same vault, in the same run? `node bench/peers.js --notes 10000` installs them from npm in a temporary
 * folder first, which takes a minute; nothing of them stays. A peer that npm does not serve is left out.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Session } from "./connection.js";
import { RARE_WORD } from "./generate-vault.js";
import { answer, isMain, spread } from "./question.js";
import { interleave, summarise, timeCat, timeSpawn } from "./timing.js";

const PACKAGES = ["@bitbonsai/mcpvault", "@modelcontextprotocol/server-filesystem", "backlog.md"];

/** @param {import("./question.js").Bench} bench */
export async function peers(bench) {
  const { vault, notes, rounds, cache } = bench;
  const folder = mkdtempSync(join(tmpdir(), "vault-bench-peers-"));
  try {
    const installed = install(folder);
    const bin = (name) => join(folder, "node_modules", ".bin", name);
    const forget = () => {
      rmSync(cache, { recursive: true, force: true });
      mkdirSync(cache, { recursive: true });
    };
    const servers = {
      "ours, find_notes": { target: bench, before: forget, call: ["find_notes", { query: RARE_WORD }] },
      "ours with an index, find_notes": { target: bench, call: ["find_notes", { query: RARE_WORD }] },
      "ours, search": { target: bench, before: forget, call: ["search", { query: RARE_WORD }] },
      "@bitbonsai/mcpvault, search_notes": {
        target: { command: [bin("mcpvault"), vault] },
        call: ["search_notes", { query: RARE_WORD, limit: 20 }],
      },
      "@modelcontextprotocol/server-filesystem, search_files (names alone)": {
        target: { command: [bin("mcp-server-filesystem"), vault] },
        call: ["search_files", { path: vault, pattern: `**/*${RARE_WORD}*` }],
      },
    };
    const asked = Object.entries(servers).filter(([what]) => isServed(what, installed));
    const seconds = Object.fromEntries(asked.map(([what]) => [what, []]));
    const memory = {};
    const steps = asked.map(
      ([
        what,
        {
          target,
          before,
          call: [tool, args],
        },
      ]) => [
        what,
        async () => {
          before?.();
          const session = new Session(target);
          await session.initialize();
          const { time } = await session.callTool(tool, args);
          seconds[what].push((await session.callTool(tool, args)).time);
          memory[what] = Math.max(memory[what] ?? 0, session.peakMemory() ?? 0);
          await session.close();
          return time;
        },
      ],
    );
    const board = installed.has("backlog.md") ? makeBacklog(join(folder, "board"), Math.round(notes * 0.3)) : undefined;
    const lists = {
      ...(board && {
        "backlog.md, spawned `task list`": async () =>
          (await timeSpawn("sh", ["-c", `cd "$0" && exec "$1" task list --plain`, board, bin("backlog")])).exit,
      }),
    };
    const times = await interleave(Math.max(1, Math.floor(rounds / 3)), {
      cat: () => timeCat(vault),
      ...Object.fromEntries(steps),
      ...lists,
    });
    const found = (what, time, detail) => ({
      target: 0,
      what,
      notes,
      measured: time.median / times.cat.median,
      limit: undefined,
      unit: "cat",
      milliseconds: time.median,
      detail: `${spread(time)}; cat ${spread(times.cat)}${detail}`,
    });
    return [
      ...asked.map(([what]) =>
        found(
          `${what}, first call of a session`,
          times[what],
          `; the next call ${spread(summarise(seconds[what]))}; ${memory[what].toFixed(0)} MB at most`,
        ),
      ),
      ...Object.keys(lists).map((what) => found(what, times[what], "")),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const isServed = (what, installed) => what.startsWith("ours") || [...installed].some((name) => what.startsWith(name));

/** Installs each peer by itself, so that one that cannot be had keeps out no other. @returns those that are there */
function install(folder) {
  writeFileSync(join(folder, "package.json"), '{"private": true}');
  const installed = new Set();
  for (const name of PACKAGES) {
    try {
      const options = ["install", "--no-audit", "--no-fund", "--ignore-scripts", name];
      execFileSync("npm", options, { cwd: folder, stdio: "ignore" });
      installed.add(name);
    } catch {
      console.error(`${name} could not be installed and is left out.`);
    }
  }
  return installed;
}

function makeBacklog(folder, tasks) {
  for (const name of ["tasks", "drafts", "completed", "archive", "docs", "decisions", "milestones"])
    mkdirSync(join(folder, "backlog", name), { recursive: true });
  execFileSync("git", ["init", "-q"], { cwd: folder });
  const config = [
    'project_name: "bench"',
    'statuses: ["To Do", "In Progress", "Done"]',
    "labels: []",
    "remote_operations: false",
    "check_active_branches: false",
  ];
  writeFileSync(join(folder, "backlog", "config.yml"), `${config.join("\n")}\n`);
  for (let id = 1; id <= tasks; id++) {
    const title = `Prepare report ${id}`;
    const lines = [
      "---",
      `id: TASK-${id}`,
      `title: ${title}`,
      "status: To Do",
      "assignee: []",
      "created_date: '2026-01-05 10:00'",
      "labels: []",
      "dependencies: []",
      `ordinal: ${id * 1000}`,
      "---",
      "",
      "## Description",
      "",
      "An ordinary description of some words.\n".repeat(20),
    ];
    writeFileSync(join(folder, "backlog", "tasks", `task-${id} - ${title.replaceAll(" ", "-")}.md`), lines.join("\n"));
  }
  if (readdirSync(join(folder, "backlog", "tasks")).length !== tasks) throw new Error("The board was not made.");
  return folder;
}

if (isMain(import.meta.url)) await answer([peers]);
