/** Tools that do what tests of a connection need: answer, wait, write, fail, print, report progress. They know no vault. */
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { VaultError } from "../../src/errors.js";
import { silentLog, type Log } from "../../src/log.js";
import type { ToolBox } from "../../src/tools/registry.js";
import { defineTool, type Tool } from "../../src/tools/tool.js";
import { createWorkspace, type Workspace } from "../../src/tools/workspace.js";

const NOTHING = { type: "object", properties: {}, additionalProperties: false } as const;
const TEXT = {
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
  additionalProperties: false,
} as const;
const MILLISECONDS = {
  type: "object",
  properties: { ms: { type: "integer" } },
  required: ["ms"],
  additionalProperties: false,
} as const;
const row = {
  toolset: "tasks",
  effect: "reads",
  failure: "❌ Error:",
  text: ({ text }: { text: string }) => text,
  output: TEXT,
} as const;

const echo = defineTool({
  ...row,
  name: "echo",
  title: "Echo",
  description: "Says what it is told.",
  input: TEXT,
  run: async ({ text }) => ({ text }),
});

const big = defineTool({
  ...row,
  name: "big",
  title: "Big",
  description: "Answers with so many letters.",
  input: {
    type: "object",
    properties: { letters: { type: "integer" } },
    required: ["letters"],
    additionalProperties: false,
  },
  run: async ({ letters }) => ({ text: "x".repeat(letters) }),
});

const write = defineTool({
  ...row,
  name: "write",
  title: "Write",
  effect: "changes",
  description: "Waits, then writes a file, whatever its signal says.",
  input: {
    type: "object",
    properties: { ms: { type: "integer" }, file: { type: "string" } },
    required: ["ms", "file"],
    additionalProperties: false,
  },
  async run({ ms, file }) {
    await sleep(ms);
    writeFileSync(file, "written");
    return { text: "written" };
  },
});

const wait = defineTool({
  ...row,
  name: "wait",
  title: "Wait",
  description: "Waits, reporting every 20 ms how far it is, until its signal stops it.",
  input: MILLISECONDS,
  async run({ ms }, { signal, onProgress }) {
    for (let done = 0; done < ms; done += 20) {
      // A client that reads the last report together with the answer takes it for one that came too late.
      if (done < (ms * 2) / 3) onProgress?.({ done, total: ms });
      await sleep(20, undefined, { signal });
    }
    return { text: `waited ${ms} ms` };
  },
});

const searchDeaf = defineTool({
  ...row,
  name: "search_deaf",
  limit: "search",
  title: "Deaf",
  description: "Waits without ever looking at its signal.",
  input: MILLISECONDS,
  async run({ ms }) {
    await sleep(ms);
    return { text: "late" };
  },
});

const print = defineTool({
  ...row,
  name: "print",
  title: "Print",
  description: "Prints to stdout, as a careless dependency does.",
  input: NOTHING,
  async run() {
    console.log("STRAY by console");
    process.stdout.write("STRAY by write\n");
    process.emitWarning("STRAY by warning");
    return { text: "printed" };
  },
});

const refuse = defineTool({
  ...row,
  name: "refuse",
  title: "Refuse",
  description: "Fails the way a tool should.",
  input: NOTHING,
  run: async () => {
    throw new VaultError("VAULT_NOT_FOUND", "There is no such vault.", { hint: "Name another." });
  },
});

const crash = defineTool({
  ...row,
  name: "crash",
  title: "Crash",
  description: "Fails in a way nobody foresaw.",
  input: NOTHING,
  run: async () => {
    throw new Error("ENOENT: /home/someone/secret.md");
  },
});

/** Answers with what JSON cannot hold. */
const unspeakable: Tool = {
  ...crash,
  name: "unspeakable",
  listing: { ...crash.listing, name: "unspeakable" },
  call: async () => ({ ok: true, text: "", data: { text: 1n } }),
};

/** Breaks the promise every tool makes. */
const thrower: Tool = {
  ...crash,
  name: "thrower",
  listing: { ...crash.listing, name: "thrower" },
  call: () => Promise.reject(new Error("EACCES: /home/someone/secret.md")),
};

const TOOLS: readonly Tool[] = [echo, big, write, wait, searchDeaf, print, refuse, crash, unspeakable, thrower];

export const fixtureTools: ToolBox = {
  tools: TOOLS,
  find: (name) => TOOLS.find((tool) => tool.name === name),
};

export function noVault(): Workspace {
  const missing = () => Promise.reject(new VaultError("VAULT_NOT_FOUND", "There is no vault here."));
  return createWorkspace({ opener: { resolve: missing, open: missing }, switches: true });
}

export const fixtureFacts: {
  workspace: Workspace;
  tools: ToolBox;
  log: Log;
  version: string;
  instructions: () => Promise<string>;
} = {
  workspace: noVault(),
  tools: fixtureTools,
  log: silentLog,
  version: "1.2.3",
  instructions: async () => "These tools are for tests.",
};
