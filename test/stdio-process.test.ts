/** The cases of docs: protocol, "On stdin and stdout", that need a real process: pipes, signals, the death of either end. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { bundleProgram } from "./kit/bundle.js";
import { Child, jsonLines } from "./kit/child.js";
import { INITIALIZE_PARAMS } from "./kit/stdio-session.js";

let program: string;
const folder = mkdtempSync(join(tmpdir(), "stdio-process-"));
beforeAll(async () => {
  program = await bundleProgram(join(import.meta.dirname, "kit/stdio-program.ts"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const call = (id: number, name: string, args: object = {}) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } })}\n`;
const initialize = `${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: INITIALIZE_PARAMS })}\n`;
/** Waits until a process whose stdout is paused has begun a large answer, so that it also handles signals. */
const answering = (child: Child) =>
  vi.waitUntil(() => child.process.stdout.readableLength > 10_000, { timeout: 60_000, interval: 10 });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.each([
  ["one-shot", ""],
  ["initialized", initialize],
])("a process, %s", (_, opening) => {
  // test/hostile-inputs.md, J12
  it("answers one call without a newline and ends with 0", async () => {
    const { code, stdout, stderr } = await new Child([program]).end(
      opening + call(1, "echo", { text: "hi" }).trimEnd(),
    );
    expect(code).toBe(0);
    expect(jsonLines(stdout).at(-1)).toMatchObject({ id: 1, result: { content: [{ type: "text", text: "hi" }] } });
    expect(stderr).toBe("closed\n");
  });

  // test/hostile-inputs.md, J10
  it("ends at exit although stdin stays open", async () => {
    const child = new Child([program]);
    child.process.stdin.write(`${opening}${call(1, "wait", { ms: 100 })}{"jsonrpc":"2.0","method":"exit"}\n`);
    const { code, stdout } = await child.ended;
    expect(code).toBe(0);
    expect(jsonLines(stdout).at(-1)).toMatchObject({ id: 1, result: { content: [{ text: "waited 100 ms" }] } });
  });

  // test/hostile-inputs.md, J11
  it("flushes a large answer through a pipe", async () => {
    const { code, stdout } = await new Child([program]).end(opening + call(1, "big", { letters: 3_000_000 }));
    expect(code).toBe(0);
    expect(stdout.length).toBeGreaterThan(6_000_000);
    jsonLines(stdout);
  });

  // test/hostile-inputs.md, J13
  it("ends quietly when the reader of a large answer dies, with the write in flight completed", async () => {
    const file = join(folder, `written-${opening.length}`);
    const child = new Child([program]);
    child.process.stdout.pause();
    child.process.stdin.write(opening + call(1, "write", { ms: 250, file }) + call(2, "big", { letters: 5_000_000 }));
    await answering(child);
    child.process.stdout.destroy();
    const { code, stderr } = await child.ended;
    expect(code).toBe(0);
    expect(stderr).toBe("closed\n");
    expect(existsSync(file)).toBe(true);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("finishes what is in flight at %s and ends with 0", async (signal) => {
    const child = new Child([program]);
    child.process.stdin.write(opening + call(1, "echo", { text: "up" }) + call(2, "wait", { ms: 200 }));
    await child.until('"up"');
    child.process.kill(signal);
    const { code, stdout, stderr } = await child.ended;
    expect(code).toBe(0);
    expect(jsonLines(stdout).at(-1)).toMatchObject({ id: 2, result: { content: [{ text: "waited 200 ms" }] } });
    expect(stderr).toBe("closed\n");
  });

  // test/hostile-inputs.md, J15
  it("keeps prints and warnings off stdout", async () => {
    const { stdout, stderr } = await new Child([program]).end(opening + call(1, "print"));
    expect(stdout).not.toContain("STRAY");
    expect(jsonLines(stdout).at(-1)).toMatchObject({ id: 1 });
    expect(stderr).toContain("STRAY by console");
    expect(stderr).toContain("STRAY by write");
    expect(stderr).toContain("STRAY by warning");
  });
});

describe("a process", () => {
  it("does not wait for ever at SIGTERM for a reader that does not read", async () => {
    const child = new Child([program]);
    child.process.stdout.pause();
    child.process.stdin.write(call(1, "big", { letters: 5_000_000 }));
    await answering(child);
    const started = performance.now();
    child.process.kill("SIGTERM");
    const code = await new Promise((resolve) => child.process.once("exit", (exitCode) => resolve(exitCode)));
    expect(code).toBe(0);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it("ends when its parent dies", async () => {
    const parent = `
      const { spawn } = require("node:child_process");
      const child = spawn(process.execPath, [${JSON.stringify(program)}], { stdio: ["pipe", "pipe", "ignore"] });
      child.stdin.write(${JSON.stringify(initialize)});
      child.stdout.once("data", () => { console.log(child.pid); });`;
    const dying = spawn(process.execPath, ["-e", parent], { stdio: ["ignore", "pipe", "inherit"] });
    const pid = await new Promise<number>((resolve) => dying.stdout.once("data", (text) => resolve(Number(text))));
    expect(alive(pid)).toBe(true);
    dying.kill("SIGKILL");
    for (let tries = 0; alive(pid) && tries < 100; tries++) await pause(50);
    expect(alive(pid)).toBe(false);
  });
});

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
