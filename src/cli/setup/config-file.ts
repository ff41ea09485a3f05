/**
 * A configuration file of another program: read strictly, replaced as a whole only if it is unchanged since, with a copy kept beside it.
 */
import {
  chownSync,
  closeSync,
  copyFileSync,
  constants,
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
import { VaultError } from "../../errors.js";

/** A larger file is no configuration of ours to read. */
const LARGEST = 64 * 1024 * 1024;
const BYTE_ORDER_MARK = "\ufeff";

export interface ConfigText {
  /** Without the byte order mark. */
  readonly text: string;
  /** Undefined: there is no file yet. */
  readonly bytes: Buffer | undefined;
}

/** @throws VaultError whose message follows the file's name: it is too large, may not be read, or is no text */
export function readConfigFile(path: string): ConfigText {
  let bytes: Buffer;
  try {
    if (statSync(path).size > LARGEST) throw new VaultError("TOO_LARGE", "is too large for a configuration");
    bytes = readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" && lstatSync(path, { throwIfNoEntry: false }) === undefined)
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
 * Replaces what was read by a text. A link stays a link: its target is replaced.
 * @param stamp distinguishes this copy from others
 * @returns the copy of the old file; undefined when there was none
 * @throws VaultError CONFLICT when the file has changed since, PERMISSION_DENIED when it may not be written or is marked read-only
 */
export function replaceConfigFile(path: string, read: ConfigText, text: string, stamp: string): string | undefined {
  const target = read.bytes === undefined ? path : realpathSync(path);
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  const mark = read.bytes?.toString("utf8").startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  try {
    const old = read.bytes && statSync(target);
    if (old && (old.mode & 0o222) === 0)
      throw new VaultError("PERMISSION_DENIED", "is read-only", { hint: "Make it writable, then run setup again." });
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    writeDurably(temporary, mark + text, old);
    const now = readConfigFile(target).bytes;
    if (!(now === undefined ? read.bytes === undefined : read.bytes?.equals(now))) {
      throw new VaultError("CONFLICT", "was changed by another program meanwhile", { hint: "Run setup again." });
    }
    const copy = read.bytes && keptCopy(target, `${path}.backup-${stamp}`);
    renameSync(temporary, target);
    return copy;
  } catch (error) {
    rmSync(temporary, { force: true });
    if (error instanceof VaultError) throw error;
    throw new VaultError("PERMISSION_DENIED", "cannot be written", { cause: error });
  }
}

/** Copies the file under a name that is free, so that no copy is overwritten. */
function keptCopy(file: string, name: string): string {
  for (let count = 1; ; count++) {
    const copy = count === 1 ? name : `${name}-${count}`;
    try {
      copyFileSync(file, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  }
}

/** The copies kept beside a file, the newest first. */
export function keptCopies(path: string): readonly string[] {
  const names = namesIn(dirname(path)).filter((name) => name.startsWith(`${basename(path)}.backup-`));
  return names
    .toSorted()
    .toReversed()
    .map((name) => join(dirname(path), name));
}

/** Mode and owner are those of the file replaced; a new one is the user's alone, because such files hold keys. */
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

/** The names in a folder; none when it is missing. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
