/** The front ends a transcript goes through: each opens a vault with given files, calls tools, and shows the files afterwards. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { assembleVault, vaultOpener } from "../../src/open.js";
import { fixedClock, sequentialIds, type LocalDate } from "../../src/clock.js";
import { VaultError } from "../../src/errors.js";
import { silentLog } from "../../src/log.js";
import { livesyncStorage } from "../../src/storage/livesync/storage.js";
import { MemoryStorage } from "./memory-storage.js";
import { ROOT, type VaultPath } from "../../src/storage/path.js";
import type { Storage } from "../../src/storage/storage.js";
import { TRASH } from "../../src/storage/trash.js";
import { toolsFor } from "../../src/tools/registry.js";
import { callResult, type CallResult } from "../../src/tools/outcome.js";
import { createWorkspace, type VaultOpener } from "../../src/tools/workspace.js";
import { newDatabase, type NewVault } from "./couch-server.js";
import { storeFiles } from "./livesync-vault.js";

export interface FrontEndSetup {
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  readonly vault: "configured" | "none" | "missing";
  readonly readOnly: boolean;
}

interface FrontEndSession {
  /** The vault's path as callers write it; its base name is `Study`. */
  readonly vault: string;
  call(name: string, args: unknown): Promise<CallResult>;
  files(): Promise<ReadonlyMap<string, string>>;
  close(): Promise<void>;
}

export interface FrontEnd {
  readonly name: string;
  /** Whether answers come as words, without structured content and an error's code; default false. */
  readonly wordsOnly?: boolean;
  /** Revisions are not those of the content, which transcripts show. */
  readonly ownRevisions?: boolean;
  today(): LocalDate;
  open(setup: FrontEndSetup): Promise<FrontEndSession>;
}

const CLOCK = fixedClock("2025-08-30T12:00:00Z");

/** The tools called directly, as the library does, over what `opener` opens. */
function session(setup: FrontEndSetup, vault: string, opener: VaultOpener): Pick<FrontEndSession, "vault" | "call"> {
  const configured = setup.vault === "none" ? undefined : vault;
  const tools = toolsFor({ readOnly: setup.readOnly, hasDefaultVault: configured !== undefined });
  const workspace = createWorkspace({ opener, default: configured, switches: true });
  return {
    vault,
    async call(name, args) {
      const tool = tools.find(name);
      if (!tool) throw new Error(`no tool ${name}`);
      return callResult(await tool.call(args, { workspace, log: silentLog, signal: new AbortController().signal }));
    },
  };
}

interface Filled {
  readonly storage: Storage;
  readonly dispose?: () => Promise<void>;
}

function storageFrontEnd(
  frontEndName: string,
  fill: (name: string, setup: FrontEndSetup) => Promise<Filled>,
): FrontEnd {
  return {
    name: frontEndName,
    today: () => CLOCK.today(),
    async open(setup) {
      const name = "/vaults/Study";
      const { storage, dispose } = await fill(name, setup);
      const open = assembleVault({
        storage,
        name,
        linkName: "Study",
        clock: CLOCK,
        ids: sequentialIds(),
        readOnly: setup.readOnly,
      });
      const frontEnd: VaultOpener = {
        resolve: async (path) => {
          if (path === name && setup.vault !== "missing") return path;
          throw new VaultError("VAULT_NOT_FOUND", "There is no such vault in memory.");
        },
        open: async () => open,
      };
      const hidden = [...setup.files.keys()].filter((path) => path.startsWith("."));
      const files = async () =>
        new Map([
          ...(await filesIn(storage)),
          ...(await filesIn(storage, TRASH)),
          ...(await Promise.all(hidden.map(async (path) => [path, await textIn(storage, path as VaultPath)] as const))),
        ]);
      const close = async () => {
        await open.vault.close();
        await dispose?.();
      };
      return { ...session(setup, name, frontEnd), files, close };
    },
  };
}

export const memoryFrontEnd = storageFrontEnd("memory", async (name, { files }) => ({
  storage: new MemoryStorage({ name, files: Object.fromEntries(files), clock: CLOCK }),
}));

function livesyncFrontEnd(name: string, settings: NewVault, passphrase?: string): FrontEnd {
  const frontEnd = storageFrontEnd(name, async (_, { files }) => {
    const database = await newDatabase(settings);
    const { url, name: databaseName, user, password } = database;
    const storage = livesyncStorage({ url, database: databaseName, user, password, passphrase }, { clock: CLOCK });
    await storeFiles(database, textsOf(files), CLOCK.now(), passphrase);
    return { storage, dispose: () => database.remove() };
  });
  return { ...frontEnd, ownRevisions: true };
}

function textsOf(files: FrontEndSetup["files"]): ReadonlyMap<string, string> {
  return new Map([...files].map(([path, content]) => [path, Buffer.from(content).toString("utf8")]));
}

export const plainLivesyncFrontEnd = livesyncFrontEnd("livesync", {});
export const hiddenLivesyncFrontEnd = livesyncFrontEnd(
  "livesync-encrypted",
  { encrypt: true, usePathObfuscation: true },
  "correct horse 馬",
);

export const folderFrontEnd: FrontEnd = {
  name: "folder",
  today: () => CLOCK.today(),
  async open(setup) {
    const folder = new VaultFolder(setup);
    const frontEnd = vaultOpener({ clock: CLOCK, ids: sequentialIds(), readOnly: setup.readOnly });
    return {
      ...session(setup, folder.path, frontEnd),
      files: async () => folder.files(),
      close: async () => {
        await frontEnd.close();
        folder.remove();
      },
    };
  },
};

/** Calls that read everything there is to read, of the tools that a client uses first. */
const FIRST_CALLS: readonly (readonly [name: string, args: object])[] = [
  ["scan_vault", {}],
  ["search_tasks", { query: "a" }],
  ["get_agenda", {}],
  ["search", { query: "a" }],
  ["find_notes", {}],
  ["obsidian_list_tags", {}],
  ["obsidian_list_unresolved_links", {}],
];

/** The library over a folder that it has read in another state: every note had one more line. */
export const warmFrontEnd: FrontEnd = {
  ...folderFrontEnd,
  name: "warm",
  async open(setup) {
    const session = await folderFrontEnd.open(setup);
    if (setup.vault !== "configured") return session;
    const notes = [...setup.files].filter(([path]) => path.endsWith(".md") && !path.startsWith("."));
    const write = (path: string, content: string | Uint8Array) => writeFileSync(join(session.vault, path), content);
    for (const [path, content] of notes)
      write(path, `${Buffer.from(content).toString("utf8")}\n- [ ] a #old [[old]]\n`);
    for (const [name, args] of FIRST_CALLS) await session.call(name, args);
    for (const [path, content] of notes) write(path, content);
    return session;
  },
};

async function filesIn(storage: Storage, folder: VaultPath = ROOT): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const { path, kind } of (await storage.children(folder)) ?? []) {
    if (kind === "folder") for (const [inner, text] of await filesIn(storage, path)) files.set(inner, text);
    else files.set(path, await textIn(storage, path));
  }
  return files;
}

async function textIn(storage: Storage, path: VaultPath): Promise<string> {
  return Buffer.from((await storage.read(path))?.bytes ?? []).toString("utf8");
}

/** A temporary folder `Study` with the files of a setup; it does not exist when the vault is to be missing. */
export class VaultFolder {
  readonly path: string;
  /** Folders beside all this, for what a program keeps between runs. */
  readonly cache: string;
  readonly state: string;
  readonly #parent: string;

  constructor({ files, vault }: FrontEndSetup) {
    this.#parent = mkdtempSync(join(tmpdir(), "transcript-"));
    this.path = join(this.#parent, "Study");
    this.cache = mkdtempSync(join(tmpdir(), "transcript-cache-"));
    this.state = mkdtempSync(join(tmpdir(), "transcript-state-"));
    if (vault !== "missing") mkdirSync(this.path);
    for (const [path, text] of files) {
      mkdirSync(dirname(join(this.path, path)), { recursive: true });
      writeFileSync(join(this.path, path), text);
    }
  }

  files(): ReadonlyMap<string, string> {
    const files = new Map<string, string>();
    for (const entry of readdirSync(this.#parent, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      files.set(path.slice(this.path.length + 1).replaceAll("\\", "/"), readFileSync(path, "utf8"));
    }
    return files;
  }

  remove(): void {
    for (const folder of [this.#parent, this.cache, this.state]) rmSync(folder, { recursive: true, force: true });
  }
}
