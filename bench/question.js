/** What every benchmark script has in common: its command line, the vaults it runs on, and how its findings are printed. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { generateVault } from "./generate-vault.js";
import { machineLine } from "./timing.js";

const PROGRAM = join(dirname(dirname(fileURLToPath(import.meta.url))), "dist", "index.js");
/** By unit, how far beyond a target `--quick` lets a finding go: it finds blunders, on machines of any speed and load. */
const QUICK_SLACK = {
  ms: { factor: 5, plus: 200 },
  cat: { factor: 5, plus: 10 },
  MB: { factor: 1.5, plus: 0 },
  exponent: { factor: 1, plus: 2 },
};
const NO_SLACK = { factor: 1, plus: 0 };

/**
 * @typedef {object} Finding
 * @property {number | string} target the number of the target in docs/performance.md; 0: no target, measured for comparison
 * @property {string} what
 * @property {number} notes size of the vault
 * @property {number} measured in `unit`
 * @property {number | undefined} limit the most that is allowed, in `unit`
 * @property {number} [milliseconds] the same as time, where `unit` is another
 * @property {string} unit
 * @property {string} detail the figures behind it, and their spread
 *
 * @typedef {{ program: string, vault: string, cache: string, notes: number, rounds: number, dense: boolean }} Bench where and how often to measure
 */

export function readSettings(argv = process.argv.slice(2)) {
  const { values } = parseArgs({
    args: argv,
    options: {
      notes: { type: "string" },
      rounds: { type: "string" },
      program: { type: "string", default: PROGRAM },
      json: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      dense: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  return {
    sizes: (values.notes ?? (values.quick ? "1000,3000" : "1000,10000")).split(",").map(Number),
    rounds: Number(values.rounds ?? (values.quick ? 3 : 15)),
    program: values.program,
    json: values.json,
    quick: values.quick,
    dense: values.dense,
    help: values.help,
  };
}

/**
 * Runs questions over vaults made for the purpose, and removes these. `quick` asks only the first question of more than the first size.
 * @param {readonly ((bench: Bench) => Promise<Finding[]>)[]} questions
 */
export async function measure(questions, { sizes, rounds, program, quick = false, dense = false }) {
  const findings = [];
  for (const [place, notes] of sizes.entries()) {
    const folder = mkdtempSync(join(tmpdir(), "vault-bench-"));
    try {
      const vault = join(folder, "vault");
      generateVault(vault, { notes, dense });
      for (const [number, question] of (quick && place > 0 ? questions.slice(0, 1) : questions).entries()) {
        const cache = join(folder, `cache-${number}`);
        mkdirSync(cache);
        findings.push(...(await question({ program, vault, cache, notes, rounds, dense })));
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return findings;
}

/** Whether a finding keeps its target; undefined when it has none. */
export function passes(finding, quick = false) {
  const most = allowed(finding, quick);
  return most === undefined ? undefined : finding.measured <= most;
}

function allowed({ limit, unit }, quick) {
  const { factor, plus } = (quick && QUICK_SLACK[unit]) || NO_SLACK;
  return limit === undefined ? undefined : limit * factor + plus;
}

export function table(findings, quick = false) {
  const verdict = (finding) => ({ true: "pass", false: "**fail**", undefined: "" })[String(passes(finding, quick))];
  const number = (value) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(2));
  const rows = findings.map((finding) => {
    const { target, what, notes, measured, unit, detail } = finding;
    const limit = allowed(finding, quick);
    const most = limit === undefined ? "" : `${number(limit)} ${unit}`;
    return `| ${target || ""} | ${what} | ${notes.toLocaleString("en")} | ${number(measured)} ${unit} | ${most} | ${verdict(finding)} | ${detail} |`;
  });
  return [
    `| # | what | notes | measured | ${quick ? "target, with slack" : "target"} | | figures |`,
    "|---|---|---|---|---|---|---|",
    ...rows,
    "",
    `Machine: ${machineLine()}.`,
  ].join("\n");
}

/** The whole of a script: measures its questions and prints what was found. `--quick` fails where a finding is far off. */
export async function answer(questions, conclude = (findings) => findings) {
  const settings = readSettings();
  if (settings.help) {
    console.log("Options: --notes 1000,10000  --rounds 15  --dense  --quick  --json  --program dist/index.js");
    return;
  }
  const findings = conclude(await measure(questions, settings));
  console.log(
    settings.json ? JSON.stringify({ machine: machineLine(), findings }, null, 2) : table(findings, settings.quick),
  );
  if (settings.quick && findings.some((finding) => passes(finding, true) === false)) process.exitCode = 1;
}

export function isMain(url) {
  return url === pathToFileURL(process.argv[1] ?? "").href;
}

/** A limit given at 10,000 and at 100,000 notes, in between by order of magnitude. */
export function limitAt(notes, at10000, at100000) {
  const share = Math.min(1, Math.max(0, Math.log10(notes) - 4));
  return at10000 + (at100000 - at10000) * share;
}

/** Milliseconds as `12.3 (11.8 to 14.0)`: the median, and the spread from least to 95th percentile. */
export function spread({ median, least, p95 }) {
  return `${median.toFixed(1)} (${least.toFixed(1)} to ${p95.toFixed(1)})`;
}
