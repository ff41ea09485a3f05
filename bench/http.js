/** What does a warm search over HTTP cost, and how long does it take among many? Beside a bare server that answers the same bytes. Target 13. */
import { RARE_WORD } from "./generate-vault.js";
import { askOnce, load, requestBytes } from "./http-load.js";
import { startBare, startProgram } from "./http-server.js";
import { answer, isMain, spread } from "./question.js";
import { summarise } from "./timing.js";

const CONNECTIONS = 32;
const MS_A_ROUND = 1000;
const PROCESSOR_MS = 1;
const SLOWEST_MS = 100;
const SEARCH = { name: "search_tasks", arguments: { query: RARE_WORD } };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const BOTH = { Accept: "application/json, text/event-stream" };

const rpc = (method, params) => ({ jsonrpc: "2.0", id: 1, method, params });

const WAYS = {
  bridge: { path: `/bridge/v1/tools/${SEARCH.name}/call`, body: { arguments: SEARCH.arguments } },
  "/mcp, bare": { path: "/mcp", body: rpc("tools/call", SEARCH) },
  "/mcp, 2026-07-28": {
    path: "/mcp",
    headers: { ...BOTH, "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": SEARCH.name },
    body: rpc("tools/call", { ...SEARCH, _meta: META }),
  },
};
const EMPTY_WAYS = { "/mcp, bare `ping` instead": { path: "/mcp", body: rpc("ping", {}) } };

function headersOf(head) {
  const lines = head.split("\r\n").slice(1);
  const all = lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]);
  return Object.fromEntries(
    all.filter(([name]) => !/^(date|connection|keep-alive|content-length|transfer-encoding)$/i.test(name)),
  );
}

/** @param {import("./question.js").Bench} bench */
export async function http(bench) {
  const { notes, rounds } = bench;
  const ours = await startProgram(bench);
  const findings = [];
  try {
    for (const [way, request] of Object.entries({ ...WAYS, ...EMPTY_WAYS })) {
      const first = await askOnce(ours.port, requestBytes({ port: ours.port, ...request }));
      const isSearch = way in WAYS;
      if (isSearch && !first.body.includes(RARE_WORD))
        throw new Error(`${way}: ${first.body.toString("utf8", 0, 500)}`);
      const bare = await startBare({ headers: headersOf(first.head), body: first.body });
      try {
        const found = await compare({ way, request, isSearch, ours, bare, notes, rounds, bytes: first.body.length });
        findings.push(...found);
      } finally {
        await bare.stop();
      }
    }
  } finally {
    await ours.stop();
  }
  return findings;
}

async function compare({ way, request, isSearch, ours, bare, notes, rounds, bytes }) {
  const times = { ours: [], bare: [] };
  const processor = { ours: [], bare: [] };
  const waits = [];
  for (let round = -1; round < Math.min(rounds, 7); round++) {
    for (const [name, server] of Object.entries({ ours, bare })) {
      const before = server.processorTime();
      const loaded = await load({
        port: server.port,
        bytes: requestBytes({ port: server.port, ...request }),
        connections: CONNECTIONS,
        ms: round < 0 ? MS_A_ROUND / 2 : MS_A_ROUND,
      });
      if (round < 0) continue;
      times[name].push(loaded.rate);
      processor[name].push(((server.processorTime() - before) * 1000) / loaded.answers);
      if (name === "ours") waits.push(...loaded.waits);
    }
  }
  const [mine, theirs] = [summarise(times.ours), summarise(times.bare)];
  const [cost, bareCost] = [summarise(processor.ours).median, summarise(processor.bare).median];
  const found = (what, measured, limit, detail) => ({
    target: isSearch ? 13 : 0,
    what: `HTTP, ${CONNECTIONS} connections, ${way}: ${what}`,
    notes,
    measured,
    limit: isSearch ? limit : undefined,
    unit: "ms",
    detail,
  });
  const rates = `${spread(mine)} a second, bare ${spread(theirs)}`;
  return [
    found("processor time of one", cost, PROCESSOR_MS, `bare ${bareCost.toFixed(3)}; ${rates}; ${bytes} bytes`),
    found("99th percentile of waits", percentile99(waits), SLOWEST_MS, `${waits.length} answers`),
  ];
}

function percentile99(waits) {
  return waits.toSorted((one, other) => one - other)[Math.floor(waits.length * 0.99)];
}

if (isMain(import.meta.url)) await answer([http]);
