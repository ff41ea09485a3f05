/** Looks at the CouchDB database of a vault that LiveSync keeps: can it be reached, may it be used, how are its files stored. */
import type { Log } from "../../log.js";
import type { LivesyncReport } from "../../storage/livesync/storage.js";
import { livesyncConfiguration } from "../livesync-settings.js";
import type { Settings } from "../options/options.js";
import type { Finding } from "./finding.js";

const subject = "database";

/** @throws VaultError naming why it cannot be used */
export async function checkDatabase(settings: Settings, log: Log): Promise<Finding[]> {
  const { LivesyncStorage } = await import("../../storage/livesync/storage.js");
  const { systemClock } = await import("../../clock.js");
  const exposed: Finding[] = [];
  const storage = new LivesyncStorage(await livesyncConfiguration(settings), {
    clock: systemClock(settings.timeZone),
    warn: (message) => exposed.push({ level: "warning", subject, message, advice: "Fix it before notes are read." }),
  });
  const report = await storage.report();
  log.debug("The database was looked at", { requests: storage.requests });
  await storage.close();
  return [...exposed, described(report), ...untyped(report), ...writing(report)];
}

function described({ host, database, files, conflicts, encryption, hasHiddenNames }: LivesyncReport): Finding {
  const names = hasHiddenNames ? ", names hidden" : "";
  const message = `${database} on ${host}: ${files} files, ${encryption}${names}`;
  if (conflicts === 0) return { level: "ok", subject, message };
  const advice = `${conflicts} in conflict: resolve them in Obsidian; obsidian_list_conflicts shows them.`;
  return { level: "note", subject, message, advice };
}

/** Documents of other programs: they could be taken for notes, or hide them. */
function untyped({ untyped: count }: LivesyncReport): Finding[] {
  if (count === 0) return [];
  const message = `${count} ${count === 1 ? "document has" : "documents have"} no type: of LiveSync's first versions, or of another program`;
  const advice = "If another program uses this database, give LiveSync one of its own; else let LiveSync rebuild it.";
  return [{ level: "warning", subject, message, advice }];
}

function writing({ readOnly }: LivesyncReport): Finding[] {
  if (!readOnly) return [];
  const advice = readOnly.hint ?? "Reading works.";
  return [{ level: "warning", subject, message: readOnly.message, advice }];
}
