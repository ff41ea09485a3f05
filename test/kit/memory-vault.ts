/** The tools over a vault in memory, called directly. */
import { fixedClock, sequentialIds } from "../../src/clock.js";
import { silentLog } from "../../src/log.js";
import { type AssemblyOptions, assembleVault } from "../../src/open.js";
import { MemoryStorage } from "./memory-storage.js";
import type { Storage } from "../../src/storage/storage.js";
import type { ToolOutcome } from "../../src/tools/outcome.js";
import { toolsFor } from "../../src/tools/registry.js";
import { createWorkspace } from "../../src/tools/workspace.js";

/** An outcome with the fields of both kinds. */
type Answer = ToolOutcome & { readonly images?: unknown };

export function memoryVault(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: Partial<AssemblyOptions> & { readonly now?: string } = {},
) {
  const clock = fixedClock(options.now ?? "2026-11-23T12:00:00Z");
  const name = "/vaults/Made";
  const storage: Storage = options.storage ?? new MemoryStorage({ name, files, clock });
  const open = assembleVault({ name, linkName: "Made", clock, ids: sequentialIds(), ...options, storage });
  const opener = { resolve: async () => name, open: async () => open };
  const workspace = createWorkspace({ opener, default: name, switches: false });
  const tools = toolsFor({ readOnly: false, hasDefaultVault: true });
  const call = async (tool: string, args: unknown): Promise<Answer> => {
    const found = tools.find(tool);
    if (!found) throw new Error(`no tool ${tool}`);
    return found.call(args, { workspace, log: silentLog, signal: new AbortController().signal });
  };
  return {
    open,
    workspace,
    storage,
    call,
    view: (path: string, range?: readonly number[]) => call("view", { path, ...(range && { view_range: range }) }),
    read: (note: string) => call("obsidian_read_note", { note }),
    text: async (path: string) => (await open.vault.read(path as never)).text,
  };
}
