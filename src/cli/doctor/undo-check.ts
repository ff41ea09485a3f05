/** Checks the undo journal: can it be written, how large is it, and did a crash leave a change of several files half done. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { JOURNALS } from "../../history/folder-store.js";
import type { Vault } from "../../vault/vault.js";
import type { Finding } from "./finding.js";
import { isUsable, nearestFolder } from "./usable-folder.js";

const subject = "undo";

/** @param folder the state folder; undefined: no journal is kept */
export function checkUndo(folder: string | undefined): Finding[] {
  if (folder === undefined)
    return [
      {
        level: "note",
        subject,
        message: "switched off: no change can be undone",
        advice: "Leave out --no-undo to keep a journal.",
      },
    ];
  const journals = join(folder, JOURNALS);
  const place = nearestFolder(journals);
  if (!isUsable(place))
    return [
      {
        level: "warning",
        subject,
        message: `the journal cannot be kept, because ${place} cannot be written; changes are made, but cannot be undone`,
        advice: "Make it a folder you may write to, or name another one with --state-folder.",
      },
    ];
  if (place !== journals) return [{ level: "ok", subject, message: `${journals} will be made when first needed` }];
  const { bytes, closed } = measured(journals);
  const kept = "it holds former texts of notes, and deleting it costs only the ability to undo";
  const message = `${journals}: ${Math.ceil(bytes / 1024)} KiB; ${kept}`;
  if (closed === undefined) return [{ level: "ok", subject, message }];
  return [
    {
      level: "warning",
      subject,
      message: `${closed} cannot be read, so what was written there cannot be undone; ${message}`,
      advice: "Check the permissions of the folder and the disk it is on.",
    },
  ];
}

/** Bytes of all journals together, and one of the places that could not be looked at. */
function measured(folder: string): { readonly bytes: number; readonly closed: string | undefined } {
  let [bytes, closed]: [number, string | undefined] = [0, undefined];
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    try {
      for (const entry of readdirSync(next, { withFileTypes: true })) {
        const place = join(next, entry.name);
        if (entry.isDirectory()) folders.push(place);
        else if (entry.isFile()) bytes += statSync(place, { throwIfNoEntry: false })?.size ?? 0;
      }
    } catch {
      closed = next;
    }
  }
  return { bytes, closed };
}

/** Changes of several files that a crash interrupted. */
export async function checkInterrupted(vault: Vault): Promise<Finding[]> {
  return (await vault.unfinished()).map(({ plan, done, missing }): Finding => {
    const { reason, to } = plan;
    const path = to ?? done[0]?.path;
    return {
      level: "warning",
      subject,
      path,
      message: `interrupted: ${reason}; ${done.length} changes were made, ${missing.length} files are missing`,
      advice: `The same call again finishes it; undo_edit of '${path}' takes it back.`,
    };
  });
}
