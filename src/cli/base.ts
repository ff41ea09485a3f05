/** The command `base`: writes an Obsidian Bases file over the vault's tasks, never over another file. */
import { asCaller } from "../history/journal.js";
import type { Log } from "../log.js";
import { failed, type ToolOutcome } from "../tools/outcome.js";
import { isVaultError } from "../errors.js";
import { createWorkspace } from "../tools/workspace.js";
import type { Settings } from "./options/options.js";
import { lazyOpener } from "./vault-opener.js";

/** @param path in the vault; `.base` is optional */
export async function writeBase(path: string, settings: Settings, log: Log): Promise<ToolOutcome> {
  const opener = lazyOpener(settings, log, () => false);
  try {
    const vault = await createWorkspace({ opener, default: settings.vault, switches: false }).current();
    const text = await vault.tasks.base();
    const place = /\.base$/i.test(path) ? path : `${path}.base`;
    const created = await asCaller({ client: "command line", tool: "base" }, () => vault.files.create(place, text));
    return {
      ok: true,
      text: `Created '${created.path}'. Open it in Obsidian; it needs the core plugin Bases.`,
      data: { path: created.path },
    };
  } catch (error) {
    if (isVaultError(error)) return failed(error, "");
    throw error;
  } finally {
    await opener.close();
  }
}
