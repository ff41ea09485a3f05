/**
 * Refuses writes to a database locked, cleaned or rebuilt since it was first recorded (docs: livesync,
 * "Locked and rebuilt databases").
 */
import { isRecord, parseJson } from "../../text/decoded.js";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { VaultError, systemCode } from "../../errors.js";
import { makePrivateFolder } from "../../private-folder.js";
import { sha256 } from "../../text/hash.js";
import { isTexts } from "./codec/document.js";
import type { Marks } from "./inspect.js";

interface DatabaseState {
  /** When CouchDB created it. */
  readonly instance?: string | undefined;
  readonly created?: number | undefined;
  readonly salt?: string | undefined;
  readonly isLocked: boolean;
  readonly isCleaned: boolean;
  /** Devices that may sync while it is locked. */
  readonly accepted: readonly string[];
}

interface GuardOptions {
  /** Undefined: remembered by this process only. */
  readonly folder: string | undefined;
  /** Without credentials. */
  readonly identity: string;
  readonly isCheck?: boolean | undefined;
}

/** Of CouchDB 3.3 and later. Others give their own start, or 0. */
const SECONDS = /^\d{10}$/;

export class RebuildGuard {
  readonly #file: string | undefined;
  readonly #isCheck: boolean;
  /** Without a folder. */
  #first: DatabaseState | undefined;

  constructor({ folder, identity, isCheck = false }: GuardOptions) {
    this.#file = folder === undefined ? undefined : join(folder, "livesync", `${sha256(identity).slice(0, 16)}.json`);
    this.#isCheck = isCheck;
  }

  /** @returns why nothing may be written */
  judge(marks: Marks): VaultError | undefined {
    const now = stateOf(marks);
    let before: DatabaseState;
    try {
      before = this.#stored(now);
    } catch (cause) {
      before = this.#first ??= now;
      if (now.isLocked) return unknownLock(cause);
    }
    const fault = faultOf(before, now);
    if (!fault) this.#follow(before, now);
    return fault;
  }

  /** @throws PERMISSION_DENIED when the state cannot be stored */
  accept(marks: Marks): void {
    try {
      this.#store(stateOf(marks));
    } catch (cause) {
      throw new VaultError("PERMISSION_DENIED", "The database was not accepted: the state folder cannot be written.", {
        hint: FOLDER_HINT,
        cause,
      });
    }
  }

  /** @throws for an unusable folder or damaged file */
  #stored(now: DatabaseState): DatabaseState {
    const file = this.#file;
    if (file === undefined) return (this.#first ??= now);
    const stored = readIn(file);
    if (stored) return stored;
    if (this.#isCheck) return now;
    this.#store(now, { onlyFirst: true });
    return readIn(file) ?? now;
  }

  /** Stores a lock, a device that went, and what was unknown. */
  #follow(before: DatabaseState, now: DatabaseState): void {
    const next: DatabaseState = {
      ...now,
      instance: now.instance ?? before.instance,
      created: now.created ?? before.created,
      salt: now.salt ?? before.salt,
    };
    if (this.#isCheck || JSON.stringify(next) === JSON.stringify(before)) return;
    try {
      this.#store(next);
    } catch {}
  }

  /** In one step. @param options.onlyFirst not over another process's */
  #store(state: DatabaseState, { onlyFirst = false } = {}): void {
    const file = this.#file;
    if (file === undefined) {
      this.#first = state;
      return;
    }
    makePrivateFolder(dirname(file));
    const unfinished = `${file}-${randomBytes(4).toString("hex")}`;
    try {
      fs.writeFileSync(unfinished, JSON.stringify(state), { mode: 0o600, flag: "wx", flush: true });
      if (onlyFirst && fs.existsSync(file)) return;
      fs.renameSync(unfinished, file);
    } finally {
      fs.rmSync(unfinished, { force: true });
    }
  }
}

export function acceptedDevices({ milestone }: Pick<Marks, "milestone">): readonly string[] | undefined {
  if (milestone?.["locked"] !== true) return undefined;
  const { accepted_nodes: accepted } = milestone;
  return isTexts(accepted) ? accepted : [];
}

function stateOf(marks: Marks): DatabaseState {
  const { instance, milestone, parameters } = marks;
  const [created, salt, accepted] = [milestone?.["created"], parameters?.["pbkdf2salt"], acceptedDevices(marks)];
  return {
    instance: instance !== undefined && SECONDS.test(instance) ? instance : undefined,
    created: typeof created === "number" ? created : undefined,
    salt: typeof salt === "string" ? salt : undefined,
    isLocked: accepted !== undefined,
    isCleaned: milestone?.["cleaned"] === true,
    accepted: accepted?.toSorted() ?? [],
  };
}

/** @throws when it cannot be read */
function readIn(file: string): DatabaseState | undefined {
  let text: string;
  try {
    text = fs.readFileSync(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
  const state = parseJson(text);
  if (!isRecord(state) || typeof state["isLocked"] !== "boolean" || !isTexts(state["accepted"]))
    throw new Error("The file is damaged.");
  return state as unknown as DatabaseState;
}

function faultOf(before: DatabaseState, now: DatabaseState): VaultError | undefined {
  const isOther = (["instance", "created", "salt"] as const).some(
    (name) => before[name] !== undefined && now[name] !== undefined && before[name] !== now[name],
  );
  if (isOther) return refused("it was rebuilt or replaced after this program first used it", ACCEPT);
  if (now.isCleaned && !before.isCleaned)
    return refused("a device has cleaned it up after this program first used it", ACCEPT);
  if (!now.isLocked) return undefined;
  // A lock accepts only the device that made it.
  if (!before.isLocked || before.accepted.some((device) => !now.accepted.includes(device)))
    return refused("it was locked after this program first used it: LiveSync has rebuilt it, or is about to", UNLOCK);
  if (now.accepted.length === 0) return refused("it is locked, and no device is accepted", UNLOCK);
  return undefined;
}

const ACCEPT =
  "Check in Obsidian that the notes are right; then the person who runs the server ends this with `doctor --accept-rebuilt`.";
const UNLOCK =
  "When all devices are in sync, unlock it in Obsidian (LiveSync's settings, Maintenance, \"I'm ready, unlock the database\"); if the lock is to stay, the person who runs the server ends this with `doctor --accept-rebuilt`.";
const FOLDER_HINT = "Make the state folder one that this user may write to, or name another one with --state-folder.";

function refused(why: string, hint: string, cause?: unknown): VaultError {
  return new VaultError("PERMISSION_DENIED", `Nothing is written to the database: ${why}.`, { hint, cause });
}

function unknownLock(cause: unknown): VaultError {
  const why = "it is locked, and whether that is new is unknown, because the state folder cannot be used";
  return refused(why, `${FOLDER_HINT} If its file is damaged, \`doctor --accept-rebuilt\` writes a new one.`, cause);
}
