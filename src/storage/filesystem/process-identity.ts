/** Names a process; others on this machine can check whether it lives. */
import type { EpochMilliseconds } from "../../clock.js";
import fs from "node:fs";
import { createRequire } from "node:module";
import { systemCode } from "../../errors.js";

const require = createRequire(import.meta.url);
/** Slow, and only needed without `/proc`. */
const loadChildProcess = () => require("node:child_process") as typeof import("node:child_process");

/** `<pid>-<start>-<world>`: start in clock ticks, 0 if unknown; world is boot and process namespace. */
type ProcessIdentity = string & { readonly __brand: "ProcessIdentity" };

const IDENTITY = /^(\d+)-(\d+)-([0-9a-z]+)$/;

let own: ProcessIdentity | undefined;

export function ownIdentity(): ProcessIdentity {
  return (own ??= `${process.pid}-${processState(process.pid)?.start ?? 0}-${ownWorld().name}` as ProcessIdentity);
}

export function isIdentity(text: string): boolean {
  return IDENTITY.test(text);
}

/** For processes that cannot be checked. */
const IDENTITY_TIMEOUT_MS = 5 * 60 * 1000;

/** @param since last renewal */
export function hasEnded(identity: string, since: EpochMilliseconds, now: EpochMilliseconds): boolean {
  return isShownToHaveEnded(identity, since) || (isInDoubt(identity) && now - since > IDENTITY_TIMEOUT_MS);
}

export function isShownToHaveEnded(identity: string, since: number, world = ownWorld()): boolean {
  const match = IDENTITY.exec(identity);
  if (!match) return false;
  const [pid, start] = [Number(match[1]), match[2] ?? "0"];
  const relation = relationTo(worldOf(match[3]), world);
  if (relation !== "same") return relation === "past";
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (systemCode(error) === "ESRCH") return true;
  }
  if (process.platform !== "linux") return process.platform !== "win32" && startedAfter(pid, since);
  const state = processState(pid);
  return (
    state !== undefined && ((start !== "0" && state.start !== start) || state.state === "Z" || state.state === "X")
  );
}

/** The number may be reused, or of another namespace. */
function isInDoubt(identity: string): boolean {
  const match = IDENTITY.exec(identity);
  if (!match) return false;
  return process.platform === "win32" || match[2] === "0" || relationTo(worldOf(match[3]), ownWorld()) === "unknown";
}

/** From `/proc/<pid>/stat`. The command before these values may contain spaces and brackets. */
function processState(pid: number): { state: string | undefined; start: string | undefined } | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0], start: fields[19] };
  } catch {
    return undefined;
  }
}

/** Process numbers are unique within one boot and process namespace. */
interface World {
  readonly name: string;
  readonly boot: string | undefined;
  readonly namespace: string | undefined;
}

let thisWorld: World | undefined;

function ownWorld(): World {
  return (thisWorld ??= readWorld());
}

function readWorld(): World {
  if (process.platform !== "linux") return worldOf("0");
  const boot = tryTo(() => fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8"))?.replace(/[^0-9a-f]/g, "");
  const namespace = tryTo(() => fs.readlinkSync("/proc/self/ns/pid"))?.replace(/\D/g, "");
  return worldOf(`${boot?.slice(0, 12) ?? "0"}n${namespace ?? "0"}`);
}

function tryTo(read: () => string): string | undefined {
  try {
    return read() || undefined;
  } catch {
    return undefined;
  }
}

export function worldOf(name = "0"): World {
  const [boot = "0", namespace = "0"] = name.split("n");
  return { name, boot: boot === "0" ? undefined : boot, namespace: namespace === "0" ? undefined : namespace };
}

/** `past`: ended with an earlier boot. The processes of a reused namespace number are gone. */
function relationTo(theirs: World, ours: World): "same" | "past" | "unknown" {
  if (process.platform !== "linux") return theirs.name === ours.name ? "same" : "unknown";
  if (theirs.boot !== undefined && ours.boot !== undefined && theirs.boot !== ours.boot) return "past";
  return theirs.namespace !== undefined && theirs.namespace === ours.namespace ? "same" : "unknown";
}

/** Without `/proc`. */
function startedAfter(pid: number, since: number): boolean {
  try {
    const env = { LC_ALL: "C", TZ: "UTC" };
    const text = loadChildProcess().execFileSync("/bin/ps", ["-o", "lstart=", "-p", String(pid)], {
      encoding: "latin1",
      env,
      timeout: 1000,
    });
    const started = Date.parse(`${text.trim()} UTC`);
    // `ps` gives whole seconds.
    return started > since + 1000;
  } catch {
    return false;
  }
}
