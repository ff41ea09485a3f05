/** How many warm searches a second come through HTTP, against a bare server that answers the same bytes? Target 12. */
import { RARE_WORD } from "./generate-vault.js";
import { askOnce, load, requestBytes } from "./http-load.js";
import { startBare, startProgram } from "./http-server.js";
import { answer, isMain, spread } from "./question.js";
import { summarise } from "./timing.js";

const CONNECTIONS = 32;
const MS_A_ROUND = 1000;
const SEARCH = { name: "search_tasks", arguments: { query: RARE_WORD } };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const BOTH = { Accept: "application/json, text/event-stream" };

const rpc = (method, params) => ({ jsonrpc: "2.0", id: 1, method, params });

/** The ways a search comes in. */
const WAYS = {
  bridge: { path: `/bridge/v1/tools/${SEARCH.name}/call`, body: { arguments: SEARCH.arguments } },
  "/mcp, bare": { path: "/mcp", body: rpc("tools/call", SEARCH) },
  "/mcp, 2026-07-28": {
    path: "/mcp",
    headers: { ...BOTH, "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": SEARCH.name },
    body: rpc("tools/call", { ...SEARCH, _meta: META }),
  },
};
/** What the way through the server costs, without a search. */
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
        const found = await compare({ way, request, ours, bare, notes, rounds, bytes: first.body.length });
        findings.push(isSearch ? found : { ...found, target: 0, limit: undefined });
      } finally {
        await bare.stop();
      }
    }
  } finally {
    await ours.stop();
  }
  return findings;
}

async function compare({ way, request, ours, bare, notes, rounds, bytes }) {
  const times = { ours: [], bare: [] };
  const processor = { ours: [], bare: [] };
  for (let round = -1; round < Math.min(rounds, 7); round++) {
    for (const [name, server] of Object.entries({ ours, bare })) {
      const before = server.processorTime();
      const { rate, answers } = await load({
        port: server.port,
        bytes: requestBytes({ port: server.port, ...request }),
        connections: CONNECTIONS,
        ms: round < 0 ? MS_A_ROUND / 2 : MS_A_ROUND,
      });
      if (round < 0) continue;
      times[name].push(rate);
      processor[name].push(((server.processorTime() - before) * 1000) / answers);
    }
  }
  const [mine, theirs] = [summarise(times.ours), summarise(times.bare)];
  const each = (name) => summarise(processor[name]).median.toFixed(3);
  return {
    target: 12,
    what: `HTTP, ${CONNECTIONS} connections, warm search, ${way}: bare rate over ours`,
    notes,
    measured: theirs.median / mine.median,
    limit: 2,
    unit: "times",
    detail: `${spread(mine)} a second, bare ${spread(theirs)}; processor ${each("ours")} ms each, bare ${each("bare")}; ${bytes} bytes`,
  };
}

if (isMain(import.meta.url)) await answer([http]);
