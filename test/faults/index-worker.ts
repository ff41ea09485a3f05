/** Asks a vault for answers that need all of its index, in a process that `fault.c` may end or disturb from the first refresh on. */
import { silentLog } from "../../src/log.js";
import { closeVault, openFolder } from "../../src/open.js";
import type { IndexOrder } from "./index-rig.js";

const { vault, cache } = JSON.parse(process.argv[2] ?? "") as IndexOrder;

// SQLite is loaded before the calls are counted.
const { openSqlite } = await import("../../src/database.js");
openSqlite()?.close();
const opened = await openFolder(vault, "vault", { cacheFolder: cache, log: silentLog, session: false });
process.env["FAULT_ARMED"] = "1";
const { notes } = await opened.notes.find({ query: "quagga", sortBy: "path", includeContent: false });
const { tasks } = await opened.tasks.search({ query: "*" });
await closeVault(opened);
delete process.env["FAULT_ARMED"];
const answers = [notes.map(({ path }) => path), tasks.map(({ path }) => path).toSorted()];
process.stdout.write(`${JSON.stringify({ answers, calls: Number(process.env["FAULT_COUNT"] ?? 0) })}\n`);
