/**
 * Locks vault files against other processes of this user, by files outside the vault.
 *
 * A lock is a claim `<key>.<number>`, created in one step with its holder's name and the highest number plus one, only
 * while no living claim exists. A holder that then finds another living claim withdraws. Only the next holder removes
 * dead claims.
 *
 * A claim of a process that cannot be checked (in a container or sandbox) lives until five minutes after its renewal.
 */
import type { EpochMilliseconds } from "../../clock.js";
import { randomInt } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import nodePath from "node:path";
import { KeyedMutex } from "../../async/turns.js";
import { VaultError, systemCode } from "../../errors.js";
import { sha256 } from "../../text/hash.js";
import { isMissing } from "./failure.js";
import { hasEnded, isIdentity, ownIdentity } from "./process-identity.js";
import { assertWritable, foldName, type VaultPath } from "../path.js";
import type { VaultLock } from "../storage.js";
import { discard } from "./temporary.js";
import type { VaultRoot } from "./vault-root.js";
import { sleep } from "../../async/timers.js";

const VAULT = "/";
const VAULT_IS_HELD = "Another rename, merge or undo in this vault is still under way; nothing was changed.";
const FILE_IS_HELD = "Another program has been writing this file for too long.";

/** A rename with many links holds the vault's lock long. */
const VAULT_TIMEOUT_MS = 20_000;
/** A claim without a name is being written, or its writer died. */
const NAMELESS_CLAIM_LIFE_MS = 2000;

export interface LockOptions {
  /** Default: shared by all processes of this user. */
  readonly folder?: string;
  /** Milliseconds. */
  readonly timeout?: number;
  /** Milliseconds. */
  readonly renewedEvery?: number;
}

export class FileLocks {
  readonly #base: string;
  readonly #timeout: number;
  readonly #renewedEvery: number;
  readonly #now: () => EpochMilliseconds;

  constructor(
    { folder = defaultFolder(), timeout = 10_000, renewedEvery = 20_000 }: LockOptions,
    now: () => EpochMilliseconds,
  ) {
    this.#base = folder;
    this.#timeout = timeout;
    this.#renewedEvery = renewedEvery;
    this.#now = now;
  }

  /**
   * In sorted order, against deadlocks.
   * @param vault its identity between processes
   * @throws UNAVAILABLE when one is held too long, or the lock folder is unusable
   */
  async run<Result>(vault: string, names: readonly string[], work: () => Promise<Result>): Promise<Result> {
    const held: string[] = [];
    const renewing = setInterval(() => held.forEach((claim) => renew(claim, this.#now())), this.#renewedEvery).unref();
    try {
      for (const key of [...new Set(names.map(keyOf))].sort()) held.push(await this.#acquire(vault, key));
      return await work();
    } finally {
      clearInterval(renewing);
      for (const claim of held) discard(claim);
    }
  }

  async #acquire(vault: string, key: string): Promise<string> {
    const folder = nodePath.join(this.#base, vault);
    // Set late: `performance` loads at first use.
    let deadline: number | undefined;
    for (let pause = 2; ; pause = Math.min(pause * 2, 16)) {
      try {
        const claim = this.#claim(folder, key);
        if (claim !== undefined) return claim;
      } catch (error) {
        if (!isMissing(error)) throw unusable(error);
        makePrivateFolder(this.#base);
        makePrivateFolder(folder);
        continue;
      }
      const isVault = key === VAULT_KEY;
      deadline ??= performance.now() + (isVault ? VAULT_TIMEOUT_MS : this.#timeout);
      if (performance.now() > deadline)
        throw new VaultError("UNAVAILABLE", isVault ? VAULT_IS_HELD : FILE_IS_HELD, { hint: "Try again in a moment." });
      await sleep(randomInt(1, pause + 1));
    }
  }

  #claim(folder: string, key: string): string | undefined {
    const standing = claimsOf(folder, key);
    if (standing.some((claim) => !this.#isDead(claim))) return undefined;
    const number = Math.max(0, ...standing.map(numberOf)) + 1;
    const claim = nodePath.join(folder, `${key}.${number}`);
    if (!makeClaim(claim)) return undefined;
    let isOurs = false;
    try {
      const others = claimsOf(folder, key).filter((other) => other !== claim);
      isOurs = others.every((other) => this.#isDead(other));
      if (isOurs) for (const other of others) discard(other);
    } finally {
      // Also when the check fails: the claim would live as long as this process.
      if (!isOurs) discard(claim);
    }
    return isOurs ? claim : undefined;
  }

  #isDead(claim: string): boolean {
    const stat = fs.lstatSync(claim, { throwIfNoEntry: false });
    const holder = stat && holderOf(claim);
    // Released meanwhile.
    if (!stat || holder === undefined) return false;
    if (!isIdentity(holder)) return this.#now() - stat.mtimeMs > NAMELESS_CLAIM_LIFE_MS;
    return hasEnded(holder, stat.mtimeMs, this.#now());
  }
}

/** A symbolic link gets its content at creation. Windows requires administrator rights. */
const CLAIM_IS_LINK = process.platform !== "win32";

function makeClaim(claim: string): boolean {
  try {
    if (CLAIM_IS_LINK) fs.symlinkSync(ownIdentity(), claim);
    else fs.writeFileSync(claim, ownIdentity(), { flag: "wx" });
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

function renew(claim: string, now: EpochMilliseconds): void {
  try {
    fs.lutimesSync(claim, now / 1000, now / 1000);
  } catch {
    // The claim is gone, or links have no times here.
  }
}

function holderOf(claim: string): string | undefined {
  try {
    return CLAIM_IS_LINK ? fs.readlinkSync(claim) : fs.readFileSync(claim, "latin1");
  } catch (error) {
    if (isMissing(error)) return undefined;
    return "";
  }
}

function claimsOf(folder: string, key: string): string[] {
  const names = fs
    .readdirSync(folder)
    .filter((name) => name.startsWith(`${key}.`) && /^\d+$/.test(name.slice(key.length + 1)));
  return names.map((name) => nodePath.join(folder, name));
}

function numberOf(claim: string): number {
  return Number(claim.slice(claim.lastIndexOf(".") + 1));
}

function keyOf(name: string): string {
  return sha256(name).slice(0, 32);
}

const VAULT_KEY = keyOf(VAULT);

/** For a vault that is no folder. */
export function vaultLock(identity: string, now: () => EpochMilliseconds): VaultLock {
  const [locks, queue] = [new FileLocks({}, now), new KeyedMutex()];
  return async (work) => await queue.run([VAULT], async () => await locks.run(keyOf(identity), [VAULT], work));
}

/** Not `os.tmpdir()`: MCP clients start servers without TMPDIR. */
function defaultFolder(): string {
  const user = process.getuid?.() ?? os.userInfo().username.replace(/[^A-Za-z0-9_-]/g, "_");
  return nodePath.join(process.platform === "win32" ? os.tmpdir() : "/tmp", `obsidian-vault-mcp-server-${user}`);
}

/** @throws UNAVAILABLE when others could tamper with the folder */
function makePrivateFolder(folder: string): void {
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw unusable(error);
  }
  const stat = fs.lstatSync(folder);
  const uid = process.getuid?.();
  const isOurs = uid === undefined || (stat.uid === uid && (stat.mode & 0o077) === 0);
  if (!stat.isDirectory() || !isOurs) throw unusable();
}

function unusable(cause?: unknown): VaultError {
  if (cause instanceof VaultError) return cause;
  const message = "The folder for locks in the system's temporary folder cannot be used, so nothing was written.";
  const hint =
    "Make sure that the temporary folder can be written and that its obsidian-vault-mcp-server folder belongs to you alone.";
  return new VaultError("UNAVAILABLE", message, { hint, cause });
}

export class PathLocks {
  readonly #root: VaultRoot;
  readonly #locks: FileLocks | undefined;
  readonly #queue = new KeyedMutex();

  constructor(root: VaultRoot, locks: FileLocks | undefined) {
    this.#root = root;
    this.#locks = locks;
  }

  /** @throws PERMISSION_DENIED for paths that must never be written */
  async run<Result>(paths: readonly VaultPath[], work: (keys: readonly string[]) => Promise<Result>): Promise<Result> {
    this.#root.assertSameDisk();
    const keys = paths.map((path) => this.#keyOf(path));
    return await this.#excluding(keys, async () => await work(keys));
  }

  /** Taken before any file's lock. */
  async runForVault<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#root.assertSameDisk();
    return await this.#excluding([VAULT], work);
  }

  async #excluding<Result>(keys: readonly string[], work: () => Promise<Result>): Promise<Result> {
    return await this.#queue.run(keys, async () =>
      this.#locks ? await this.#locks.run(this.#root.identity(), keys, work) : await work(),
    );
  }

  /** One for all names of a file. */
  #keyOf(path: VaultPath): string {
    assertWritable(path);
    const place = this.#root.place(path);
    place?.folder.close();
    const real = place?.path ?? path;
    assertWritable(real);
    return foldName(real);
  }
}
