/**
 * Times the calendar feed over 1,000 dated tasks, one in ten a series (docs: calendar, "The feed"). `node
 * bench/calendar.js [--tasks 1000] [--rounds 7]`; needs a build.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { machineLine, summarise, timedEnvironment } from "./timing.js";

const PROGRAM = join(import.meta.dirname, "..", "dist", "index.js");
const DAY_MS = 86_400_000;
/** Of the kernel's clock, in which it counts processor time. */
const TICK_MS = 10;

const LIMITS = { "made anew": 230, "asked for again": 25 };

const dayFromNow = (days) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

function writeVault(folder, count) {
  mkdirSync(join(folder, "Tasks"), { recursive: true });
  for (let number = 0; number < count; number++) {
    const day = dayFromNow((number * 7) % 300);
    const dates = number % 10 === 0 ? `scheduled: ${day}\nrecurrence: FREQ=WEEKLY` : `due: ${day}`;
    const head = `---\ntype: task\nid: task-${number}\nstatus: To Do\n${dates}\narea: Work\ntags: [phone, errand]\n---\n`;
    writeFileSync(join(folder, "Tasks", `Call number ${number}, and ask again.md`), `${head}Some text.\n`);
  }
}

async function serve(places, environment) {
  const args = [PROGRAM, ...places, "--http", "127.0.0.1:0", "--log-format", "json"];
  const child = spawn(process.execPath, args, { env: environment, stdio: ["ignore", "ignore", "pipe"] });
  let told = "";
  for await (const part of child.stderr) {
    told += part;
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(told) ?? [];
    if (url !== undefined) return { child, url };
  }
  throw new Error(told);
}

function processorTime(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return Number.NaN;
  }
}

async function timed(pid, address, headers = {}) {
  const [began, processor] = [performance.now(), processorTime(pid)];
  const response = await fetch(address, { headers });
  const text = await response.text();
  const events = text.split("BEGIN:VEVENT").length - 1;
  const [wall, busy] = [performance.now() - began, processorTime(pid) - processor];
  return { wall, busy, events, status: response.status, tag: response.headers.get("etag") };
}

async function main() {
  const { values } = parseArgs({
    options: { tasks: { type: "string", default: "1000" }, rounds: { type: "string", default: "7" } },
  });
  const base = mkdtempSync(join(tmpdir(), "calendar-bench-"));
  const vault = join(base, "vault");
  writeVault(vault, Number(values.tasks));
  const places = ["--vault", vault, "--state-folder", join(base, "state"), "--cache-folder", join(base, "cache")];
  const environment = timedEnvironment();
  const link = execFileSync(process.execPath, [PROGRAM, "calendar", "link", "Tasks", ...places], { env: environment });
  const [path] = /\/calendar\/[\w-]+\.ics/.exec(link.toString()) ?? [];
  const { child, url } = await serve(places, environment);
  try {
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "scan_vault", arguments: {} } };
    await fetch(`${url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(call),
    });
    const first = await timed(child.pid, url + path);
    const found = { "made anew": [], "asked for again": [] };
    let last = first;
    for (let round = 0; round < Number(values.rounds); round++) {
      const note = join(vault, "Tasks", "Call number 1, and ask again.md");
      writeFileSync(note, readFileSync(note, "utf8").replace(/due: .*/, `due: ${dayFromNow(round + 1)}`));
      last = await timed(child.pid, url + path);
      found["made anew"].push(last);
      const again = await timed(child.pid, url + path, { "if-none-match": last.tag });
      if (again.status !== 304) throw new Error(`asked for again: ${again.status}`);
      found["asked for again"].push(again);
    }
    console.log(`${machineLine()}; ${last.events.toLocaleString("en")} events`);
    console.log(`the first time: ${first.wall.toFixed(0)} ms, ${first.busy} ms of the processor`);
    for (const [name, limit] of Object.entries(LIMITS)) {
      const { median, least, most } = summarise(found[name].map(({ wall }) => wall));
      const busy = summarise(found[name].map((one) => one.busy)).median;
      const verdict = median <= limit ? "met" : "MISSED";
      console.log(
        `${name}: ${median.toFixed(0)} ms (${least.toFixed(0)} to ${most.toFixed(0)}), ${busy} ms of the processor, at most ${limit}: ${verdict}`,
      );
      if (median > limit) process.exitCode = 1;
    }
  } finally {
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("exit", resolve));
    rmSync(base, { recursive: true, force: true });
  }
}

await main();
