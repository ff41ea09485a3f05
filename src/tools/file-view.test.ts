/** That every tool which changes a file says when the disk did not confirm the change. */
import { describe, expect, it } from "vitest";
import { contextOf } from "../../test/kit/known-tasks.js";
import { assembleVault } from "../open.js";
import { fixedClock, sequentialIds } from "../clock.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import type { Settled } from "../storage/storage.js";
import { TOOLS } from "./all-tools.js";
import { createWorkspace } from "./workspace.js";

/** A disk that confirms nothing that one of its methods does. */
function unconfirming(method: "write" | "update" | "move" | "moveFolder" | "remove"): MemoryStorage {
  const files = { "Old.md": "old", "Box/In.md": "in", "Linking.md": "[[Old]] and [[Box/In]]" };
  const storage = new MemoryStorage({ files, clock });
  const made = storage[method].bind(storage) as (...args: unknown[]) => Promise<Settled | undefined>;
  const value = async (...args: unknown[]): Promise<Settled | undefined> => {
    const settled = await made(...args);
    return settled && { ...settled, durable: false };
  };
  Object.defineProperty(storage, method, { value });
  return storage;
}

const clock = fixedClock("2025-08-30T12:00:00Z");

describe("a change that the disk did not confirm", () => {
  it.each([
    ["create", { path: "New.md", file_text: "new" }, "write"],
    ["insert", { path: "Old.md", insert_line: 0, new_str: "x" }, "update"],
    ["rename", { old_path: "Old.md", new_path: "New.md" }, "move"],
    ["rename", { old_path: "Old.md", new_path: "New.md" }, "update"],
    ["rename", { old_path: "Box", new_path: "Crate" }, "moveFolder"],
    ["obsidian_move_note", { note: "Old", new_name: "New" }, "move"],
    ["delete", { path: "Old.md" }, "move"],
    ["delete", { path: "Old.md", permanent: true }, "remove"],
    ["obsidian_delete_note", { note: "Old" }, "move"],
    ["obsidian_delete_note", { note: "Old", permanent: true }, "remove"],
  ] as const)("%s %j says so of %s", async (name, args, method) => {
    const storage = unconfirming(method);
    const open = assembleVault({ storage, name: "Study", linkName: "Study", clock, ids: sequentialIds() });
    const opener = { resolve: async (path: string) => path, open: async () => open };
    const context = contextOf(createWorkspace({ opener, default: "Study", switches: true }));
    const outcome = await TOOLS.find((tool) => tool.name === name)?.call(args, context);
    expect(outcome).toMatchObject({ ok: true, data: { durable: false } });
    expect(outcome?.text).toContain("but the disk did not confirm that it would survive a power cut.");
  });
});
