/**
 * How do first and warm calls and memory grow with the vault? `node bench/growth.js --notes 1000,3000,10000,30000,100000 --svg <file>`
 * draws the picture of docs/performance.md too. Target 11.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { Session } from "./connection.js";
import { RARE_WORD } from "./generate-vault.js";
import { answer, isMain, spread } from "./question.js";
import { interleave, summarise, timeCat, timeSpawn } from "./timing.js";

const MOST_EXPONENT = 1.05;
const REST = 3_000;

/** @param {import("./question.js").Bench} bench */
async function growthAt(bench) {
  const { vault, notes, rounds, cache } = bench;
  const warm = [];
  let memory = 0;
  const first = (name, args, keep) => async () => {
    if (!keep) rmSync(cache, { recursive: true, force: true });
    mkdirSync(cache, { recursive: true });
    const session = new Session(bench);
    await session.initialize();
    const { time } = await session.callTool(name, args);
    if (name === "find_notes") {
      await new Promise((resolve) => setTimeout(resolve, REST));
      for (let count = 0; count < 5; count++) warm.push((await session.callTool(name, args)).time);
      memory = Math.max(memory, session.peakMemory() ?? 0);
    }
    await session.close();
    return time;
  };
  const rg = await timeSpawn("rg", ["--version"]).then(
    () => ({ rg: async () => (await timeSpawn("rg", ["-l", RARE_WORD, vault])).exit }),
    () => ({}),
  );
  const times = await interleave(Math.max(1, Math.floor(rounds / 5)), {
    cat: () => timeCat(vault),
    ...rg,
    "scan_vault, first": first("scan_vault", { vaultPath: vault }, false),
    "scan_vault, first with an index": first("scan_vault", { vaultPath: vault }, true),
    "find_notes, first": first("find_notes", { query: RARE_WORD }, false),
    "find_notes, first with an index": first("find_notes", { query: RARE_WORD }, true),
  });
  const found = (what, measured, unit, detail) => ({
    target: 0,
    what,
    notes,
    measured,
    limit: undefined,
    unit,
    detail,
  });
  return [
    ...Object.entries(times).map(([what, time]) => found(what, time.median, "ms", spread(time))),
    found("find_notes, warm", summarise(warm).median, "ms", spread(summarise(warm))),
    found("session that only searched, peak memory", memory, "MB", ""),
  ];
}

/** The exponents from the smallest to the largest vault. */
function withExponents(findings) {
  const whats = [...new Set(findings.map(({ what }) => what))].filter((what) => what.includes("first"));
  const exponents = whats.flatMap((what) => {
    const own = findings.filter((finding) => finding.what === what);
    const [smallest, largest] = [own.at(0), own.at(-1)];
    if (!smallest || !largest || smallest === largest) return [];
    const measured = Math.log(largest.measured / smallest.measured) / Math.log(largest.notes / smallest.notes);
    const detail = `${smallest.measured.toFixed(0)} ms at ${smallest.notes} to ${largest.measured.toFixed(0)} ms`;
    return [
      { target: 11, what: `${what}, exponent`, notes: largest.notes, measured, limit: MOST_EXPONENT, unit: "", detail },
    ];
  });
  return [...findings, ...exponents];
}

const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [760, 420, 70, 20, 250, 50];
const COLOURS = ["#666666", "#b07000", "#0b62a4", "#5aa0d8", "#a4260b", "#e08a70", "#2e8540"];

const label = (at, down, words, more = "") =>
  `<text x="${at.toFixed(1)}" y="${down.toFixed(1)}" ${more}>${words}</text>`;

/** One line with its points, and its row of the key. */
function lineOf({ what, place, timed, x, y }) {
  const colour = COLOURS[place % COLOURS.length];
  const points = timed
    .filter((finding) => finding.what === what)
    .map(({ notes, measured }) => [x(notes).toFixed(1), y(measured).toFixed(1)]);
  const key = TOP + 16 + place * 20;
  const from = WIDTH - RIGHT + 14;
  return [
    `<polyline points="${points.join(" ")}" fill="none" stroke="${colour}" stroke-width="2"/>`,
    points.map(([across, down]) => `<circle cx="${across}" cy="${down}" r="3" fill="${colour}"/>`).join(""),
    `<line x1="${from}" y1="${key - 4}" x2="${from + 20}" y2="${key - 4}" stroke="${colour}" stroke-width="2"/>`,
    label(from + 26, key, what),
  ];
}

/** Both axes by order of magnitude: what grows with the vault is a line that climbs, what does not is level. */
export function svgOf(findings) {
  const timed = findings.filter(({ unit }) => unit === "ms");
  const whats = [...new Set(timed.map(({ what }) => what))];
  const log = Math.log10;
  const range = (values) => [Math.floor(log(Math.min(...values))), Math.ceil(log(Math.max(...values)))];
  const [x0, x1] = range(timed.map(({ notes }) => notes));
  const [y0, y1] = range(timed.map(({ measured }) => measured));
  const x = (notes) => LEFT + ((log(notes) - x0) / Math.max(1, x1 - x0)) * (WIDTH - LEFT - RIGHT);
  const y = (ms) => HEIGHT - BOTTOM - ((log(ms) - y0) / Math.max(1, y1 - y0)) * (HEIGHT - TOP - BOTTOM);
  const powers = (from, to) => Array.from({ length: to - from + 1 }, (_, step) => 10 ** (from + step));
  const parts = [
    ...powers(x0, x1).flatMap((notes) => [
      `<line x1="${x(notes)}" y1="${TOP}" x2="${x(notes)}" y2="${HEIGHT - BOTTOM}" stroke="#ddd"/>`,
      label(x(notes), HEIGHT - BOTTOM + 18, notes.toLocaleString("en"), 'text-anchor="middle"'),
    ]),
    ...powers(y0, y1).flatMap((ms) => [
      `<line x1="${LEFT}" y1="${y(ms)}" x2="${WIDTH - RIGHT}" y2="${y(ms)}" stroke="#ddd"/>`,
      label(LEFT - 8, y(ms) + 4, `${ms.toLocaleString("en")} ms`, 'text-anchor="end"'),
    ]),
    label((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "notes", 'text-anchor="middle"'),
    ...whats.flatMap((what, place) => lineOf({ what, place, timed, x, y })),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" role="img" aria-label="Time of calls by number of notes"><rect width="100%" height="100%" fill="#fff"/>\n${parts.join("\n")}\n</svg>\n`;
}

if (isMain(import.meta.url)) {
  const place = process.argv.indexOf("--svg");
  const [, file] = place === -1 ? [] : process.argv.splice(place, 2);
  await answer([growthAt], (findings) => {
    if (file !== undefined) writeFileSync(file, svgOf(findings));
    return withExponents(findings);
  });
}
