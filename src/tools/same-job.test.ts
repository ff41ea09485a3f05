/** Tools with the same job have the same effect on the vault and the same refusals (docs: notes-and-files, "Notes stay notes"). */
import { describe, expect, it } from "vitest";
import { contextOf } from "../../test/kit/known-tasks.js";
import { fixedClock, sequentialIds } from "../clock.js";
import { assembleVault } from "../open.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import type { ToolOutcome } from "./outcome.js";
import { TOOLS } from "./all-tools.js";
import { createWorkspace } from "./workspace.js";

const FILES = {
  "Plan.md": "# Plan\n\n[[Roof]] [[Alpha]] ![[p.png]]\n",
  "Notes/Roof.md": "---\ntitle: The roof\naliases: [Top]\n---\nsee [[Plan]] and [[Roof]]\n",
  "Notes/dos.md": "\uFEFFone\r\ntwo",
  "Notes/empty.md": "",
  "Notes/broken.md": Uint8Array.of(0xff, 0xfe, 0x00),
  "a/Twin.md": "1\n",
  "b/Twin.md": "2\n",
  "Notes/p.png": Uint8Array.of(0x89, 0x50),
  ".obsidian/app.json": "{}",
  "Alpha.md": "[a](Notes/Roof.md)\n",
};

/** What a caller may write for a note, there or not. */
const REFERENCES = [
  ..."Plan|Plan.md|plan|/Plan.md|./Plan.md|[[Plan]]|mcp-obsidian://Study/Plan.md|obsidian://open?vault=Study&file=Plan".split(
    "|",
  ),
  ..."Notes/Roof.md|Notes\\Roof.md|Roof|The roof|top|[roof](Notes/Roof.md)|Notes/dos.md|Notes/empty|Notes/broken.md".split(
    "|",
  ),
  ..."Twin|a/Twin|Rof|nowhere/x.md|../x.md|Notes/../Plan.md|.obsidian/app.json|C:\\x.md|\\\\host\\x.md|a\0b.md| ".split(
    "|",
  ),
  ..."mcp-obsidian://Other/Plan.md|[[]]".split("|"),
];

async function outcomeOf(tool: string, args: object, options: { maxFileSize?: number } = {}) {
  const clock = fixedClock("2025-08-30T12:00:00Z");
  const storage = new MemoryStorage({ name: "Study", files: FILES, clock });
  const open = assembleVault({ storage, name: "Study", linkName: "Study", clock, ids: sequentialIds(), ...options });
  const opener = { resolve: async (path: string) => path, open: async () => open };
  const context = contextOf(createWorkspace({ opener, default: "Study", switches: true }));
  const outcome = await TOOLS.find(({ name }) => name === tool)?.call(args, context);
  if (!outcome) throw new Error(tool);
  const files = new Map<string, string>();
  for await (const batch of storage.list())
    for (const { path } of batch)
      files.set(path, Buffer.from((await storage.read(path))?.bytes ?? []).toString("latin1"));
  return { outcome, files };
}

const valuesOf = (outcome: ToolOutcome, names: readonly string[]) =>
  outcome.ok ? Object.fromEntries(names.map((name) => [name, outcome.data[name]])) : { code: outcome.error.code };

interface Pair {
  /** The values that both answers hold. */
  readonly same: readonly string[];
  readonly calls: readonly (readonly [args: object, otherArgs: object])[];
}

const PAIRS: Readonly<Record<string, Pair>> = {
  "view, obsidian_read_note": {
    same: ["path", "hash", "link"],
    calls: REFERENCES.map((note) => [{ path: note }, { note }]),
  },
  "delete, obsidian_delete_note": {
    same: ["path", "trashedTo", "undoable", "durable"],
    calls: [
      ...REFERENCES.map((note) => [{ path: note }, { note }] as const),
      ...[{ permanent: true }, { expected_hash: "abc" }, { permanent: "yes" }].map(
        (more) =>
          [
            { path: "Plan", ...more },
            { note: "Plan", ...more },
          ] as const,
      ),
    ],
  },
  "rename, obsidian_move_note": {
    same: ["path", "links", "rewritten", "rewrittenCount", "skipped", "undoable", "durable"],
    calls: [
      ...REFERENCES.map(
        (note) =>
          [
            { old_path: note, new_path: "/New" },
            { note, new_name: "New", folder: "/" },
          ] as const,
      ),
      ...["New.md", "Plan 2.0", "Plan.txt", "Plan", "PLAN", "Alpha", "a:b", "x#y", "CON", ".hidden", "end.", " x"].map(
        (name) =>
          [
            { old_path: "Plan.md", new_path: name },
            { note: "Plan.md", new_name: name, folder: "/" },
          ] as const,
      ),
      ...["Notes", "New folder/deep", "notes", "../x", ".obsidian", "Alpha.md", "C:\\x"].map(
        (folder) =>
          [
            { old_path: "Plan.md", new_path: `${folder}/Plan.md` },
            { note: "Plan.md", folder },
          ] as const,
      ),
    ],
  },
};

describe.each(Object.entries(PAIRS))("%s", (names, { same, calls }) => {
  const [one = "", other = ""] = names.split(", ");
  it.each(calls)("%j, %j", async (args, otherArgs) => {
    const [mine, theirs] = [await outcomeOf(one, args), await outcomeOf(other, otherArgs)];
    expect(valuesOf(theirs.outcome, same)).toEqual(valuesOf(mine.outcome, same));
    expect(theirs.files).toEqual(mine.files);
  });
});
