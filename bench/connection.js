/** Speaks to the program under test: one call a process, or a session over stdio. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { timeSpawn, timedEnvironment } from "./timing.js";

const INITIALIZE = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "bench", version: "1" },
};

export function programArguments({ program, vault, cache }) {
  return [
    program,
    ...(vault === undefined ? [] : ["--vault", vault]),
    "--cache-folder",
    cache,
    "--state-folder",
    `${cache}/state`,
  ];
}

/**
 * One request in a process of its own, sent as the scripts of the API reference do: no line end, then end of input.
 * @returns times of `timeSpawn`, and the `result`
 */
export async function callOnce(target, method, params = {}) {
  const input = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const times = await timeSpawn(process.execPath, programArguments(target), { input });
  const { result, error } = JSON.parse(times.output);
  if (error || result?.isError) throw new Error(`${method}: ${JSON.stringify(error ?? result.content)}`);
  return { ...times, result };
}

export function callToolOnce(target, name, args) {
  return callOnce(target, "tools/call", { name, arguments: args });
}

export class Session {
  #child;
  #waiting = new Map();
  #nextId = 1;
  #ended;

  constructor(target) {
    this.#child = spawn(process.execPath, target.command ?? programArguments(target), {
      env: timedEnvironment(target.environment),
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#ended = new Promise((resolve) => {
      this.#child.once("close", (code) => {
        for (const settle of this.#waiting.values()) settle({ error: { message: `the server ended with ${code}` } });
        resolve(code);
      });
    });
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const message = JSON.parse(line);
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    });
  }

  /** Sends a request; resolves with the result and the milliseconds it took. */
  async request(method, params = {}) {
    const id = this.#nextId++;
    const start = process.hrtime.bigint();
    const { result, error } = await new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
    const time = Number(process.hrtime.bigint() - start) / 1e6;
    if (error || result?.isError) throw new Error(`${method}: ${JSON.stringify(error ?? result.content)}`);
    return { result, time };
  }

  callTool(name, args) {
    return this.request("tools/call", { name, arguments: args });
  }

  /** The handshake; resolves with the milliseconds of `initialize`. */
  async initialize() {
    const { time } = await this.request("initialize", INITIALIZE);
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    return time;
  }

  /** The most memory the process ever had resident, in megabytes; undefined where the system does not say. */
  peakMemory() {
    try {
      const kilobytes = /^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${this.#child.pid}/status`, "utf8"))?.[1];
      return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
    } catch {
      return undefined;
    }
  }

  /** Milliseconds of processor time since the start, in steps of ten; undefined where the system does not say. */
  processorTime() {
    try {
      const fields = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      return (Number(fields[11]) + Number(fields[12])) * 10;
    } catch {
      return undefined;
    }
  }

  async close() {
    this.#child.stdin.end();
    await this.#ended;
  }
}
