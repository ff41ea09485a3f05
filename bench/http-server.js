/** Servers for the HTTP benchmark, each in a process of its own: the program, and a bare one that answers the same bytes to everything. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { programArguments } from "./connection.js";
import { timedEnvironment } from "./timing.js";

const TICKS_A_SECOND = 100;

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

export class ServerProcess {
  #child;
  port;

  constructor(child, port) {
    this.#child = child;
    this.port = port;
  }

  /** Seconds of processor time it has used; 0 where the system does not tell. */
  processorTime() {
    try {
      const fields = readFileSync(`/proc/${this.#child.pid}/stat`, "latin1")
        .replace(/^.*\) /, "")
        .split(" ");
      return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
    } catch {
      return 0;
    }
  }

  /** Megabytes of memory in use, and the most there ever were. */
  memory() {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "latin1");
    const of = (field) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
    return { now: of("VmRSS"), most: of("VmHWM") };
  }

  stop() {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGTERM");
    return ended;
  }
}

async function started(child, port) {
  for (;;) {
    const isUp = await fetch(`http://127.0.0.1:${port}/health`).then(
      async (response) => (await response.text()) !== undefined,
      () => false,
    );
    if (isUp) return new ServerProcess(child, port);
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    await sleep(20);
  }
}

export async function startProgram(bench, options = []) {
  const port = await freePort();
  const args = [...programArguments(bench), "--http", `127.0.0.1:${port}`, ...options];
  return started(spawn(process.execPath, args, { env: timedEnvironment(), stdio: "ignore" }), port);
}

/** A bare `node:http` server: reads the whole body, sends the same head and bytes. */
export async function startBare({ headers, body }) {
  const port = await freePort();
  const source = `
    const body = Buffer.from(${JSON.stringify(body.toString("base64"))}, "base64");
    const headers = { ...${JSON.stringify(headers)}, "Content-Length": body.length };
    require("node:http").createServer((request, response) => {
      const parts = [];
      request.on("data", (part) => parts.push(part));
      request.on("end", () => { Buffer.concat(parts); response.writeHead(200, headers); response.end(body); });
    }).listen(${port}, "127.0.0.1");`;
  const child = spawn(process.execPath, ["-e", source], { env: timedEnvironment(), stdio: "ignore" });
  return started(child, port);
}
