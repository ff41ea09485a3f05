/** The command line in the test's own process: what commands say needs no process each, and one costs six times as much. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { vi } from "vitest";
import { runProgram } from "../../src/cli/program.js";
import { stateHome, type Ended } from "./child.js";

/** Runs the arguments as the program does. One at a time: arguments, environment and output are those of the whole process. */
export async function runHere(
  [program = "", ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Ended> {
  const written = { 1: "", 2: "" };
  const given: Readonly<Record<string, string>> = { XDG_STATE_HOME: stateHome(), ...environment };
  const before = Object.keys(given).map((name) => [name, process.env[name]] as const);
  const { argv, exitCode } = process;
  const { writeSync } = fs;
  const listeners = process.eventNames().map((name) => [name, process.rawListeners(name)] as const);
  const collect = (descriptor: 1 | 2) => (text: string | Uint8Array, done?: unknown) => {
    written[descriptor] += typeof text === "string" ? text : Buffer.from(text).toString();
    if (typeof done === "function") done();
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, "write").mockImplementation(collect(1)),
    vi.spyOn(process.stderr, "write").mockImplementation(collect(2)),
  ];
  try {
    Object.assign(process.env, given);
    process.argv = [process.execPath, program, ...args];
    process.exitCode = undefined;
    fs.writeSync = ((descriptor: number, ...rest: [string]) =>
      descriptor === 2 ? collect(2)(...rest) : writeSync(descriptor, ...rest)) as typeof writeSync;
    syncBuiltinESMExports();
    await runProgram();
    return { code: Number(process.exitCode), signal: null, stdout: written[1], stderr: written[2] };
  } finally {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    process.argv = argv;
    process.exitCode = exitCode;
    for (const spy of spies) spy.mockRestore();
    fs.writeSync = writeSync;
    syncBuiltinESMExports();
    const known = new Map(listeners);
    for (const name of process.eventNames())
      for (const listener of process.rawListeners(name))
        if (known.get(name)?.includes(listener) !== true) process.off(name, listener as () => void);
  }
}
