/** The long form of the load scenarios, with figures; started by `scripts/load.js`, which names the program. */
import { execFileSync } from "node:child_process";
import { LoadedServer } from "./loaded-server.js";
import { NOTES, brokenOff, callsAtOnce, leftSessions, slowReaders, slowWriters, type Found } from "./scenarios.js";
import { soak } from "./soak.js";

const [, , program = "", vaultMaker = "", only, minutes = "120"] = process.argv;

/** A sender is let go 30 seconds after he began; the server looks every two. */
const PATIENCE_MS = 34_000;

const SCENARIOS: Readonly<Record<string, (server: LoadedServer) => Promise<Found>>> = {
  calls: (server) => callsAtOnce(server, { rounds: 10 }),
  readers: (server) => slowReaders(server),
  writers: (server) => slowWriters(server, { patienceMs: PATIENCE_MS }),
  broken: (server) => brokenOff(server, { requests: 1500 }),
  sessions: (server) => leftSessions(server),
  soak: (server) => soak(server, { minutes: Number(minutes), pauseMs: 20 }),
};

function fillVault(folder: string): void {
  execFileSync(process.execPath, [vaultMaker, folder, "10000"]);
}

for (const [name, scenario] of Object.entries(SCENARIOS)) {
  if (only !== undefined && only !== name) continue;
  const server = await LoadedServer.start(program, name === "soak" ? fillVault : NOTES, { collects: name === "soak" });
  const { wrong, figures } = await scenario(server);
  const { code, complaints } = await server.stop();
  const failed = wrong.length > 0 || code !== 0 || complaints.length > 0;
  if (failed) process.exitCode = 1;
  console.log(`${failed ? "FAILED" : "ok"} ${name}: ${JSON.stringify(figures)}`);
  if (failed)
    console.log(JSON.stringify({ code, complaints: complaints.slice(0, 5), wrong: wrong.slice(0, 5) }, null, 2));
}
