/** Times spawned processes and steps against each other: rounds are interleaved, so that a busy machine slows all alike. */
import { spawn } from "node:child_process";
import { cpus, loadavg } from "node:os";

/** The environment of everything that is timed. Node 20 loads NODE_EXTRA_CA_CERTS at start, which costs twice what Node costs. */
export function timedEnvironment(extra = {}) {
  const environment = { ...process.env, ...extra };
  for (const name of [
    "NODE_EXTRA_CA_CERTS",
    "NODE_OPTIONS",
    "OBSIDIAN_VAULT_PATH",
    "VAULT_PATH",
    "DEBUG",
    "LOG_LEVEL",
  ]) {
    delete environment[name];
  }
  return environment;
}

/**
 * Runs a program to its end.
 * @returns {Promise<{ exit: number, answer: number, output: string }>} milliseconds from spawn to the end of the process, and to its
 *   first line on stdout
 */
export function timeSpawn(command, args, { input = "", environment = {} } = {}) {
  return new Promise((resolve, reject) => {
    const start = process.hrtime.bigint();
    const passed = () => Number(process.hrtime.bigint() - start) / 1e6;
    const child = spawn(command, args, { env: timedEnvironment(environment), stdio: ["pipe", "pipe", "pipe"] });
    let answer;
    let output = "";
    let errors = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
      if (answer === undefined && output.includes("\n")) answer = passed();
    });
    child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
    child.on("error", reject);
    child.on("close", (code) => {
      const exit = passed();
      if (code === 0) resolve({ exit, answer: answer ?? exit, output });
      else reject(new Error(`${command} ${args.join(" ")} ended with ${code}: ${errors.slice(0, 2_000)}`));
    });
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

/** The baseline of every spawn: Node doing nothing. */
export async function timeNode() {
  return (await timeSpawn(process.execPath, ["-e", "0"])).exit;
}

/** The baseline of every scan: all notes through `cat`. */
export async function timeCat(vault) {
  const command = "find . -name '.?*' -prune -o -name '*.md' -type f -print0 | xargs -0 cat > /dev/null";
  return (await timeSpawn("sh", ["-c", `cd "$0" && ${command}`, vault])).exit;
}

/**
 * Runs every step once a round, after one round that does not count.
 * @param {Record<string, () => Promise<number>>} steps name -> does the work, answers milliseconds
 * @returns {Promise<Record<string, Summary>>}
 */
export async function interleave(rounds, steps) {
  const times = Object.fromEntries(Object.keys(steps).map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const [name, step] of Object.entries(steps)) {
      const time = await step();
      if (round >= 0) times[name].push(time);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, summarise(list)]));
}

/**
 * @typedef {{ median: number, p95: number, least: number, most: number, count: number }} Summary milliseconds
 * @returns {Summary}
 */
export function summarise(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return { median: at(0.5), p95: at(0.95), least: at(0), most: at(1), count: sorted.length };
}

export function machineLine() {
  const [cpu] = cpus();
  const load = loadavg()[0] ?? 0;
  return `${cpus().length} × ${cpu?.model.trim() ?? "unknown processor"}, ${process.platform} ${process.arch}, Node ${process.versions.node}, load ${load.toFixed(1)}`;
}
