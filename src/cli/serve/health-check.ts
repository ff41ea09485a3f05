/** `--health-check`: asks whether the server lives (a container's HEALTHCHECK). */
import { request } from "node:http";
import { EXIT_CODES } from "../exit-codes.js";
import { httpAddress, type HttpAddress } from "./http-access.js";
import type { Settings } from "../options/options.js";
import { writeToStderr } from "../log.js";

const ANSWER_TIMEOUT_MS = 3000;

export async function checkHealth(settings: Settings): Promise<number> {
  const address = reachable(httpAddress(settings));
  const found = await ask(address);
  if (found === 200) return EXIT_CODES.ok.number;
  writeToStderr(`${address.host}:${address.port}/health: ${found === undefined ? "no answer" : `status ${found}`}\n`);
  return EXIT_CODES.failed.number;
}

/** All interfaces include loopback. */
function reachable({ host, port }: HttpAddress): HttpAddress {
  if (host === "0.0.0.0") return { host: "127.0.0.1", port };
  return { host: host === "::" ? "::1" : host, port };
}

function ask({ host, port }: HttpAddress): Promise<number | undefined> {
  return new Promise((resolve) => {
    const asked = request({ host, port, path: "/health", timeout: ANSWER_TIMEOUT_MS }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.on("timeout", () => asked.destroy());
    asked.on("error", () => resolve(undefined));
    asked.end();
  });
}
