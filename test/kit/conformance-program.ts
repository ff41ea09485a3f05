/** Serves the conformance fixtures through the HTTP front end on a free port of this machine; says where on stdout, and ends with its stdin. */
import { silentLog } from "../../src/log.js";
import { startHttp } from "../../src/server/http/http-server.js";
import { conformanceFeatures } from "./conformance-features.js";
import { conformanceToolFeature, conformanceTools } from "./conformance-tools.js";
import { noVault } from "./fixture-tools.js";

const running = await startHttp({
  host: "127.0.0.1",
  port: 0,
  access: { hosts: [], origins: [], tokens: [], rate: undefined },
  tools: conformanceTools,
  toolFeature: conformanceToolFeature,
  features: async () => conformanceFeatures,
  workspace: noVault(),
  log: silentLog,
  toolErrors: "result",
  version: "1.2.3",
  instructions: async () => "Fixtures of the conformance suite.",
});
process.stdout.write(`${running.url}/mcp\n`);
process.stdin.resume().once("end", () => void running.stop());
