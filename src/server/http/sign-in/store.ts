/** Stores sign-in's documents with compare-and-swap: in a folder, or for several servers in CouchDB. */
import { randomBytes } from "node:crypto";
import { link, open, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCode } from "../../../errors.js";
import { makePrivateFolder } from "../../../private-folder.js";
import { sha256 } from "../../../text/hash.js";

/** `grants`: who may call. `links`: one-time logins. */
type StoredKind = "grants" | "links";

interface StoredDocument {
  readonly value: unknown;
  readonly revision: string;
}

/** Rejects when unreachable. */
export interface SignInStore {
  /** Undefined also when not JSON. */
  read(kind: StoredKind, name: string): Promise<StoredDocument | undefined>;
  /** False when it has changed. @param expected undefined for a new document */
  write(kind: StoredKind, name: string, value: unknown, expected: string | undefined): Promise<boolean>;
  remove(kind: StoredKind, name: string, expected: string): Promise<boolean>;
  names(kind: StoredKind): Promise<readonly string[]>;
}

export interface SignInKeyAndStore {
  /** 32 bytes, for client ids and refresh tokens. */
  readonly key: Buffer;
  readonly store: SignInStore;
}

const KEY_BYTES = 32;

/** @throws Error of node:fs */
export async function openFolderStore(folder: string): Promise<SignInKeyAndStore> {
  for (const kind of ["grants", "links"]) makePrivateFolder(join(folder, kind));
  return { key: await folderKey(join(folder, "key")), store: folderStore(folder) };
}

/** The first process wins. */
async function folderKey(file: string): Promise<Buffer> {
  const made = `${file}.${randomBytes(8).toString("hex")}`;
  const isMissing = await stat(file).then(
    () => false,
    () => true,
  );
  if (isMissing) {
    await writeWhole(made, randomBytes(KEY_BYTES));
    await link(made, file).catch(() => undefined);
    await rm(made);
  }
  const key = await readFile(file);
  if (key.length !== KEY_BYTES) throw new Error("the key of sign-in is damaged");
  return key;
}

async function writeWhole(file: string, bytes: string | Buffer): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const ENDING = ".json";
const RENEW_MS = 500;
/** Its process has died. */
const STALE_LOCK_MS = 3_000;
const LOCK_RETRY_MS = 5;
/** More than to find it stale. */
const LOCK_TIMEOUT_MS = 10_000;

function folderStore(folder: string): SignInStore {
  async function read(kind: StoredKind, name: string): Promise<StoredDocument | undefined> {
    const text = await textOf(kind, name);
    const value = text === undefined ? undefined : parsed(text);
    return text === undefined || value === undefined ? undefined : { value, revision: sha256(text) };
  }

  function write(kind: StoredKind, name: string, value: unknown, expected: string | undefined): Promise<boolean> {
    return ifStill(kind, name, expected, async (file) => {
      const unfinished = `${file}.${randomBytes(8).toString("hex")}`;
      try {
        await writeWhole(unfinished, JSON.stringify(value));
        await rename(unfinished, file);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
    });
  }

  function remove(kind: StoredKind, name: string, expected: string): Promise<boolean> {
    return ifStill(kind, name, expected, (file) => rm(file));
  }

  async function names(kind: StoredKind): Promise<readonly string[]> {
    const files = await readdir(join(folder, kind));
    return files.flatMap((file) => (file.endsWith(ENDING) ? [file.slice(0, -ENDING.length)] : []));
  }

  async function textOf(kind: StoredKind, name: string): Promise<string | undefined> {
    try {
      return await readFile(join(folder, kind, name + ENDING), "utf8");
    } catch (error) {
      if (systemCode(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  async function ifStill(
    kind: StoredKind,
    name: string,
    expected: string | undefined,
    change: (file: string) => Promise<void>,
  ): Promise<boolean> {
    const file = join(folder, kind, name + ENDING);
    const unlock = await lock(`${file}.lock`);
    try {
      const text = await textOf(kind, name);
      if ((text === undefined ? undefined : sha256(text)) !== expected) return false;
      await change(file);
      return true;
    } finally {
      await unlock();
    }
  }

  return { read, write, remove, names };
}

async function lock(file: string): Promise<() => Promise<void>> {
  let [seen, since] = ["", performance.now()];
  for (const deadline = since + LOCK_TIMEOUT_MS; ; await sleep(LOCK_RETRY_MS)) {
    try {
      await (await open(file, "wx", 0o600)).close();
      return renewed(file);
    } catch (error) {
      if (systemCode(error) !== "EEXIST" || performance.now() > deadline) throw error;
    }
    const state = await stateOf(file);
    if (state !== seen) [seen, since] = [state, performance.now()];
    else if (performance.now() - since > STALE_LOCK_MS) await removeStale(file, state);
  }
}

/** Until the returned function is called. */
function renewed(file: string): () => Promise<void> {
  let beat = 0;
  const timer = setInterval(() => void utimes(file, ++beat, beat).catch(() => undefined), RENEW_MS).unref();
  return async () => {
    clearInterval(timer);
    await rm(file, { force: true });
  };
}

/** Compares no clocks. */
async function stateOf(file: string): Promise<string> {
  return stat(file).then(
    ({ ino, mtimeMs }) => `${ino} ${mtimeMs}`,
    () => "",
  );
}

/** Puts back another waiter's new lock. */
async function removeStale(file: string, state: string): Promise<void> {
  const moved = `${file}.${randomBytes(8).toString("hex")}`;
  const isMoved = await rename(file, moved).then(
    () => true,
    () => false,
  );
  if (!isMoved) return;
  if ((await stateOf(moved)) !== state) await link(moved, file).catch(() => undefined);
  await rm(moved, { force: true });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const TIMEOUT_MS = 5_000;

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** @param address may hold user and password */
export function couchStore(address: URL): SignInStore & {
  /** @throws when it is unusable */
  prepare(): Promise<void>;
} {
  const { username, password } = address;
  const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
  const authorization = username === "" ? {} : { Authorization: `Basic ${basic}` };
  const url = address.origin + address.pathname.replace(/\/+$/, "");

  const send = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(url + path, {
      method,
      headers: { ...authorization, Accept: "application/json", "Content-Type": "application/json" },
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer["body"] };
  };

  return {
    async prepare() {
      const { status } = await send("PUT", "");
      if (status !== 201 && status !== 202 && status !== 412) throw unusable(status);
    },

    async read(kind, name) {
      const { status, body } = await send("GET", `/${idOf(kind, name)}`);
      if (status === 404) return undefined;
      if (status !== 200) throw unusable(status);
      return { value: body["value"], revision: String(body["_rev"]) };
    },

    async write(kind, name, value, expected) {
      const document = { value, ...(expected === undefined ? {} : { _rev: expected }) };
      return isChanged(await send("PUT", `/${idOf(kind, name)}`, document));
    },

    async remove(kind, name, expected) {
      return isChanged(await send("DELETE", `/${idOf(kind, name)}?rev=${encodeURIComponent(expected)}`));
    },

    async names(kind) {
      const range = `startkey=${encodeURIComponent(`"${kind}:"`)}&endkey=${encodeURIComponent(`"${kind}:\ufff0"`)}`;
      const { status, body } = await send("GET", `/_all_docs?${range}`);
      if (status !== 200 || !Array.isArray(body["rows"])) throw unusable(status);
      return (body["rows"] as { id: string }[]).map(({ id }) => id.slice(kind.length + 1));
    },
  };
}

/** 202: too few nodes. */
function isChanged({ status }: Answer): boolean {
  if (status === 200 || status === 201) return true;
  if (status === 409 || status === 404) return false;
  throw unusable(status);
}

function idOf(kind: StoredKind, name: string): string {
  return encodeURIComponent(`${kind}:${name}`);
}

function unusable(status: number): Error {
  return new Error(`the database of sign-in answered ${status}`);
}
