/** Another program's configuration: read strictly, replaced atomically, with a backup. */
import {
  chownSync,
  closeSync,
  copyFileSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { VaultError, systemCode } from "../../errors.js";

const MAX_BYTES = 64 * 1024 * 1024;
const BYTE_ORDER_MARK = "\ufeff";

export interface ConfigText {
  /** Without byte order mark. */
  readonly text: string;
  readonly bytes: Buffer | undefined;
}

/** @throws VaultError whose message continues the file's name */
export function readConfigFile(path: string): ConfigText {
  let bytes: Buffer;
  try {
    const stat = statSync(path);
    // Reading others could block.
    if (!stat.isFile()) throw new VaultError("INVALID_ARGUMENT", "is no ordinary file");
    if (stat.size > MAX_BYTES) throw new VaultError("TOO_LARGE", "is too large for a configuration");
    bytes = readFileSync(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT" && lstatSync(path, { throwIfNoEntry: false }) === undefined)
      return { text: "", bytes: undefined };
    if (error instanceof VaultError) throw error;
    throw new VaultError("PERMISSION_DENIED", "cannot be read", { cause: error });
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), bytes };
  } catch (cause) {
    throw new VaultError("NOT_TEXT", "is not written in UTF-8", { cause });
  }
}

/**
 * Follows links. @returns the backup; undefined for a new file
 * @throws CONFLICT when the file has changed, PERMISSION_DENIED
 */
export function replaceConfigFile(
  path: string,
  read: ConfigText,
  text: string | undefined,
  stamp: string,
): string | undefined {
  const target = read.bytes === undefined ? path : realpathSync(path);
  const temporary = temporaryFor(target);
  const mark = read.bytes?.toString("utf8").startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  try {
    const old = read.bytes && statSync(target);
    if (old && (old.mode & 0o222) === 0)
      throw new VaultError("PERMISSION_DENIED", "is read-only", { hint: "Make it writable, then run setup again." });
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    if (text !== undefined) writeDurably(temporary, mark + text, old);
    const now = readConfigFile(target).bytes;
    if (!(now === undefined ? read.bytes === undefined : read.bytes?.equals(now))) {
      throw new VaultError("CONFLICT", "was changed by another program meanwhile", { hint: "Run setup again." });
    }
    const copy = read.bytes && keptCopy(target, `${path}.backup-${stamp}`);
    if (text === undefined) rmSync(target);
    else renameSync(temporary, target);
    return copy;
  } catch (error) {
    rmSync(temporary, { force: true });
    if (error instanceof VaultError) throw error;
    throw new VaultError("PERMISSION_DENIED", "cannot be written", { cause: error });
  }
}

/** Overwrites no backup. */
function keptCopy(file: string, name: string): string {
  for (let count = 1; ; count++) {
    const copy = count === 1 ? name : `${name}-${count}`;
    try {
      copyFileSync(file, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
  }
}

export function copiesOf(path: string): readonly string[] {
  const begin = `${basename(path)}.backup-`;
  return namesIn(dirname(path))
    .filter((name) => name.startsWith(begin) && /^\d{8}-\d{6}(?:-\d+)?$/.test(name.slice(begin.length)))
    .toSorted()
    .toReversed()
    .map((name) => join(dirname(path), name));
}

export const temporaryFor = (path: string): string => join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);

/** They may contain keys. */
export function removeLeftOvers(path: string): void {
  for (const file of new Set([path, existsSync(path) ? realpathSync(path) : path])) {
    const begin = `.${basename(file)}.`;
    for (const name of namesIn(dirname(file))) {
      const id = name.startsWith(begin) ? /^(\d+)\.tmp$/.exec(name.slice(begin.length))?.[1] : undefined;
      if (id !== undefined && !isRunning(Number(id))) rmSync(join(dirname(file), name), { force: true });
    }
  }
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

/** A new file is private: it may contain keys. */
function writeDurably(path: string, text: string, old: { mode: number; uid: number; gid: number } | undefined): void {
  const file = openSync(path, "wx", old ? old.mode & 0o777 : 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (old && process.getuid?.() === 0) chownSync(path, old.uid, old.gid);
}

export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
