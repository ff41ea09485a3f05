/** Asks a vault for answers that need all of its index, in a process that `fault.c` may end or disturb from the first refresh on. */
import { askIndex } from "./index-answers.js";
import type { IndexOrder } from "./index-rig.js";

// SQLite is loaded before the calls are counted.
const { openSqlite } = await import("../../src/sqlite.js");
openSqlite()?.close();
const answers = await askIndex(
  JSON.parse(process.argv[2] ?? "") as IndexOrder,
  () => (process.env["FAULT_ARMED"] = "1"),
);
delete process.env["FAULT_ARMED"];
process.stdout.write(`${JSON.stringify({ answers, calls: Number(process.env["FAULT_COUNT"] ?? 0) })}\n`);
