/**
 * Asks every question and prints one table: `node bench/all.js --notes 1000,10000,50000`. `--quick` takes under a minute, asks over
 * 1,000 notes, and fails only where something is far off.
 */
import { create } from "./create.js";
import { http } from "./http.js";
import { memory } from "./memory.js";
import { answer } from "./question.js";
import { scan } from "./scan.js";
import { session } from "./session.js";
import { start } from "./start.js";
import { textSearch } from "./text-search.js";
import { write } from "./write.js";

const COLD_SCAN = "spawn, scan, no snapshot, above Node";
const MOST_EXPONENT = 1.05;

/** Target 11: how the time of the cold scan above Node's own start grows from one size to the next. */
function growth(findings) {
  const scans = findings.filter(({ what }) => what === COLD_SCAN);
  return scans.slice(1).map((larger, index) => {
    const smaller = scans[index];
    const exponent = Math.log(larger.milliseconds / smaller.milliseconds) / Math.log(larger.notes / smaller.notes);
    return {
      target: 11,
      what: `growth of the cold scan from ${smaller.notes.toLocaleString("en")} notes, exponent`,
      notes: larger.notes,
      measured: exponent,
      limit: MOST_EXPONENT,
      unit: "",
      detail: `${smaller.milliseconds.toFixed(0)} to ${larger.milliseconds.toFixed(0)} ms`,
    };
  });
}

await answer([start, scan, create, session, textSearch, write, memory, http], (findings) => [
  ...findings,
  ...growth(findings),
]);
