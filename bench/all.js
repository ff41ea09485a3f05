/**
 * A question for every row of the targets' table, as one table: `node bench/all.js --notes 1000,10000,50000`. `--quick`
 * asks over 1,000 notes (of first calls over 3,000) and fails only where something is far off.
 */
import { firstCalls } from "./first-calls.js";
import { http } from "./http.js";
import { memory } from "./memory.js";
import { answer } from "./question.js";
import { session } from "./session.js";
import { spawnedWrites } from "./spawned-writes.js";
import { start } from "./start.js";
import { textSearch } from "./text-search.js";
import { views } from "./views.js";
import { write } from "./write.js";

const MOST_EXPONENT = 1.05;

function growth(findings) {
  const timed = findings.filter(({ milliseconds }) => milliseconds !== undefined);
  return [...new Set(timed.map(({ what }) => what))].flatMap((what) => {
    const own = timed.filter((finding) => finding.what === what);
    const [smallest, largest] = [own.at(0), own.at(-1)];
    if (smallest.notes === largest.notes) return [];
    const growing = Math.log(largest.milliseconds / smallest.milliseconds);
    return {
      target: 11,
      what: `${what}, growth from ${smallest.notes.toLocaleString("en")} notes`,
      notes: largest.notes,
      measured: growing / Math.log(largest.notes / smallest.notes),
      limit: MOST_EXPONENT,
      unit: "exponent",
      detail: `${smallest.milliseconds.toFixed(0)} to ${largest.milliseconds.toFixed(0)} ms`,
    };
  });
}

// Views last: they add lines to the notes.
await answer([firstCalls, start, spawnedWrites, session, textSearch, write, memory, http, views], (findings) => [
  ...findings,
  ...growth(findings),
]);
