/** Names the running process so that any other process of this machine can tell whether it is still alive. */
import fs from "node:fs";
import { createRequire } from "node:module";
import { systemCode } from "./failure.js";

const require = createRequire(import.meta.url);
/** Only where there is no `/proc`, and a millisecond to load: hence `require` at its use. */
const loadChildProcess = () => require("node:child_process") as typeof import("node:child_process");

/** `<pid>-<start>-<world>`: start time in clock ticks (0 where unknown), and the boot and process namespace that both count in. */
export type ProcessIdentity = string & { readonly __brand: "ProcessIdentity" };

const IDENTITY = /^(\d+)-(\d+)-([0-9a-z]+)$/;

let own: ProcessIdentity | undefined;

export function ownIdentity(): ProcessIdentity {
  return (own ??= `${process.pid}-${processState(process.pid)?.start ?? 0}-${world()}` as ProcessIdentity);
}

/** Milliseconds after which a process that cannot be looked at (in another container, or on Windows) is given up. */
const GIVEN_UP_AFTER = 5 * 60 * 1000;

/**
 * Whether the named process has ended. When in doubt it is alive.
 * @param since when (milliseconds since the epoch) it was certainly running; tells a process that took over its number
 * @param now milliseconds since the epoch
 */
export function hasEnded(identity: string, since: number, now: number): boolean {
  const match = IDENTITY.exec(identity);
  if (!match) return false;
  const [pid, start, itsWorld] = [Number(match[1]), match[2], match[3]];
  const isGivenUp = now - since > GIVEN_UP_AFTER;
  if (itsWorld !== world()) return bootOf(itsWorld) !== bootOf(world()) || isGivenUp;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (systemCode(error) === "ESRCH") return true;
  }
  if (process.platform === "linux") {
    const state = processState(pid);
    // A zombie has ended; only its parent has not noticed yet.
    return (
      state !== undefined && ((start !== "0" && state.start !== start) || state.state === "Z" || state.state === "X")
    );
  }
  return process.platform === "win32" ? isGivenUp : startedAfter(pid, since);
}

/** State and start time from `/proc/<pid>/stat`; the command's name before them may hold spaces and brackets. */
function processState(pid: number): { state: string | undefined; start: string | undefined } | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    // As UTF-8, which Node reads in one call; the name may be no UTF-8, what is behind it is digits.
    const text = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0], start: fields[19] };
  } catch {
    return undefined;
  }
}

let ownWorld: string | undefined;

/** Process numbers mean something only within one boot and one process namespace (a container has its own). */
function world(): string {
  if (ownWorld !== undefined) return ownWorld;
  try {
    const boot = fs
      .readFileSync("/proc/sys/kernel/random/boot_id", "utf8")
      .replace(/[^0-9a-f]/g, "")
      .slice(0, 12);
    const namespace = fs.readlinkSync("/proc/self/ns/pid").replace(/\D/g, "");
    ownWorld = `${boot}n${namespace}`;
  } catch {
    ownWorld = "0";
  }
  return ownWorld;
}

function bootOf(world: string | undefined): string | undefined {
  return world?.split("n")[0];
}

/** Where there is no `/proc`: whether the process that has this number now is younger than `since`. */
function startedAfter(pid: number, since: number): boolean {
  try {
    const env = { LC_ALL: "C", TZ: "UTC" };
    const text = loadChildProcess().execFileSync("/bin/ps", ["-o", "lstart=", "-p", String(pid)], {
      encoding: "latin1",
      env,
      timeout: 1000,
    });
    const started = Date.parse(`${text.trim()} UTC`);
    // `ps` tells whole seconds.
    return started > since + 1000;
  } catch {
    return false;
  }
}
