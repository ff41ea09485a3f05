/** The command `setup`: connects clients with a vault, or disconnects them. */
import { isRecord } from "../../text/decoded.js";
import { realpathSync, existsSync, statSync } from "node:fs";
import { systemClock, type EpochMilliseconds } from "../../clock.js";
import { isVaultError, VaultError } from "../../errors.js";
import { EXIT_CODES, exitCodeOf } from "../exit-codes.js";
import { isInDatabase, type Settings } from "../options/options.js";
import { thisPlatform, type Platform } from "../places.js";
import { writeFailure } from "../log.js";
import { shellWord } from "../speech.js";
import { clientFolders, type Folders, MCP_CLIENTS, type ConfigPlace, type McpClient } from "./clients.js";
import { namesIn, removeLeftOvers, replaceConfigFile, readConfigFile } from "./config-file.js";
import { planConnection, planRemoval, removeCopies, type Plan } from "./plan.js";
import {
  holdsSecret,
  removeIdleSecrets,
  secretsFolder,
  writeSecretFiles,
  serverCommand,
  type RunningProgram,
  type ServerCommand,
} from "./server-command.js";
import { resolveVaultFolder } from "../../storage/filesystem/vault-folder.js";
import { terminalConversation, type Conversation } from "../terminal.js";
import { basename, resolve } from "node:path";

export interface SetupMachine {
  readonly platform: Platform;
  readonly program: RunningProgram;
  readonly conversation: Conversation;
  /** Distinguishes backups, such as `20261122-190000`. */
  readonly stamp: string;
}

export async function runSetup(settings: Settings): Promise<number> {
  const instant = new Date(systemClock(settings.timeZone).now()).toISOString();
  try {
    return await setUp(settings, {
      platform: thisPlatform(process.env),
      program: {
        system: process.platform,
        node: process.execPath,
        script: realpathSync(process.argv[1] ?? ""),
        searchPath: process.env["PATH"],
      },
      conversation: terminalConversation(settings),
      stamp: instant.slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-"),
    });
  } catch (error) {
    if (!isVaultError(error)) throw error;
    writeFailure(error);
    return exitCodeOf(error);
  }
}

/** @throws without a terminal, vault or client */
export async function setUp(settings: Settings, machine: SetupMachine): Promise<number> {
  const { conversation: talk, platform } = machine;
  if (!talk.canAsk && !settings.yes && !settings.print) {
    throw new VaultError("INVALID_ARGUMENT", "setup asks before it writes, and there is no terminal to ask at.", {
      hint: "--yes writes without asking, --print only shows what would be written.",
    });
  }
  const folders = clientFolders(platform, namesIn);
  const clients = chosenClients(settings.client, folders);
  if (settings.remove) {
    const removal = ({ client, file }: ChosenClient) => planRemoval(client, file);
    const done = await carryOut(clients, removal, settings, machine);
    await forgetSecrets(done, folders, talk);
    return exitOf(done);
  }
  const isDatabase = isInDatabase(settings);
  const vault = isDatabase ? undefined : await chosenVault(settings.vault, folders, talk);
  if (vault === undefined && !isDatabase) return EXIT_CODES.interrupted.number;
  // A server would refuse a home or system folder.
  if (vault !== undefined) resolveVaultFolder(vault);
  const wanted = serverCommand(machine.program, settings, vault, secretsFolder(folders));
  await talk.say(`Vault: ${vault ?? settings.vault ?? ""}`);
  await talk.say(`Server: ${[wanted.command, ...wanted.args].map(quoted).join(" ")}`);
  const connection = ({ client, file }: ChosenClient) => planConnection(client, file, wanted);
  const done = await carryOut(clients, connection, settings, machine, wanted.secrets);
  if (done.some(({ state }) => state === "changed")) await talk.say('\nThen ask: "What is on my plate?"');
  return exitOf(done);
}

interface Done {
  readonly plan: Plan;
  readonly state: "changed" | "unchanged" | "failed" | "interrupted";
}

async function carryOut(
  clients: readonly ChosenClient[],
  planFor: (chosen: ChosenClient) => Plan,
  settings: Settings,
  machine: SetupMachine,
  allSecrets: ServerCommand["secrets"] = [],
): Promise<Done[]> {
  const { conversation: talk } = machine;
  const done: Done[] = [];
  const changes: { readonly plan: Change; readonly makePlan: () => Plan }[] = [];
  for (const chosen of clients) {
    const makePlan = () => planFor(chosen);
    const plan = makePlan();
    if (!settings.print) removeLeftOvers(plan.file);
    await talk.say(`\n${plan.client.name}: ${plan.file}`);
    if (plan.kind !== "change") done.push({ plan, state: await leave(plan, talk) });
    else {
      for (const line of plan.lines) await talk.say(`  ${line}`);
      changes.push({ plan, makePlan });
    }
  }
  if (changes.length === 0) return done;
  const secrets = allSecrets.filter((secret) => !holdsSecret(secret));
  if (secrets.length > 0) await talk.say("");
  for (const { path } of secrets) await talk.say(`The secret goes into ${path}, which only you may read.`);
  const agreed = await agreement(changes.length, settings, talk);
  if (agreed === "yes") await talk.say("");
  for (const { plan, makePlan } of changes)
    done.push({
      plan,
      state: agreed === "yes" ? await change(plan, makePlan, settings, machine, secrets) : agreed,
    });
  const changed = done.filter(({ state }) => state === "changed");
  if (changed.length > 0 && settings.remove)
    await talk.say(`\nStart these again: ${changed.map(({ plan }) => plan.client.name).join(", ")}.`);
  else if (changed.length > 0) await talk.say("\nSo that they see it:");
  for (const { plan } of settings.remove ? [] : changed)
    await talk.say(`  ${plan.client.name}: ${plan.client.restart}.`);
  return done;
}

async function leave(plan: Exclude<Plan, { kind: "change" }>, talk: Conversation): Promise<Done["state"]> {
  if (plan.kind === "nothing") await talk.say(`  Nothing to do: ${plan.why}.`);
  else await talk.say(`  Left alone: it ${plan.why}. ${plan.advice}`);
  return plan.kind === "nothing" ? "unchanged" : "failed";
}

async function agreement(
  count: number,
  { print, yes }: Settings,
  talk: Conversation,
): Promise<"yes" | "unchanged" | "interrupted"> {
  if (print) return "unchanged";
  if (yes) return "yes";
  const answer = await talk.ask(`\nWrite ${count === 1 ? "this" : `these ${count} changes`}? [y/N] `);
  if (answer === undefined) return "interrupted";
  if (/^y(es)?$/i.test(answer)) return "yes";
  await talk.say("Not written.");
  return "unchanged";
}

type Change = Extract<Plan, { kind: "change" }>;

async function change(
  plan: Change,
  makePlan: () => Plan,
  settings: Settings,
  { conversation: talk, stamp }: SetupMachine,
  secrets: ServerCommand["secrets"],
): Promise<Done["state"]> {
  const { name } = plan.client;
  try {
    writeSecretFiles(secrets.filter((secret) => !holdsSecret(secret)));
    const copy = applyChange(plan, makePlan, stamp);
    await talk.say(
      settings.remove
        ? `${name}: ${removed(plan)}`
        : `${name}: ${copy === undefined ? "written." : `written; as it was: ${copy}`}`,
    );
    return "changed";
  } catch (error) {
    if (!isVaultError(error)) throw error;
    await talk.say(`${name}: not written: it ${error.message}. ${error.hint ?? ""}`.trimEnd());
    return "failed";
  }
}

function removed(plan: Plan): string {
  const copies = removeCopies(plan);
  return copies.length === 0 ? "removed." : `removed. These copies hold other settings and stay: ${copies.join(", ")}`;
}

async function forgetSecrets(done: readonly Done[], folders: Folders, talk: Conversation): Promise<void> {
  const removed = done.flatMap(({ plan, state }) => (state === "changed" && plan.kind === "change" ? [plan] : []));
  for (const path of removeIdleSecrets(removed, folders)) await talk.say(`  Removed the secret ${path}`);
}

function exitOf(done: readonly Done[]): number {
  if (done.some(({ state }) => state === "interrupted")) return EXIT_CODES.interrupted.number;
  return (done.some(({ state }) => state === "failed") ? EXIT_CODES.failed : EXIT_CODES.ok).number;
}

const quoted = (word: string): string => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : shellWord(word));

/** Claude Code writes its file every few seconds while it runs. */
const ATTEMPTS = 5;

function applyChange(plan: Change, makePlan: () => Plan, stamp: string): string | undefined {
  let current: Plan = plan;
  for (let attempt = 1; current.kind === "change"; attempt++) {
    try {
      return replaceConfigFile(current.file, current.read, current.text, stamp);
    } catch (error) {
      if (!isVaultError(error) || error.code !== "CONFLICT" || attempt === ATTEMPTS) throw error;
      current = makePlan();
    }
  }
  const why = current.kind === "refused" ? current.why : "was changed by another program meanwhile";
  throw new VaultError("CONFLICT", why, { hint: "Run setup again." });
}

interface ChosenClient {
  readonly client: McpClient;
  /** Need not exist. */
  readonly file: string;
}

/** @throws INVALID_ARGUMENT, FILE_NOT_FOUND when none is installed */
function chosenClients(names: readonly string[], folders: Folders): ChosenClient[] {
  const known = MCP_CLIENTS.map(({ id }) => id).join(", ");
  if (names.length > 0) {
    return [...new Set(names.flatMap((name) => name.split(",")))].map((name) => {
      const client = MCP_CLIENTS.find(({ id, name: title }) => [id, title].some((one) => fold(one) === fold(name)));
      if (client) return { client, file: placeOf(client, folders).file };
      throw new VaultError("INVALID_ARGUMENT", `There is no client ${JSON.stringify(name)}.`, {
        hint: `One of: ${known}.`,
      });
    });
  }
  const installed = MCP_CLIENTS.filter((client) => existsSync(placeOf(client, folders).evidence));
  if (installed.length > 0) return installed.map((client) => ({ client, file: placeOf(client, folders).file }));
  throw new VaultError("FILE_NOT_FOUND", "No MCP client was found on this machine.", {
    hint: `Name one all the same with --client (${known}); docs/clients.md says what to write for others.`,
  });
}

const fold = (word: string): string => word.toLowerCase().replace(/[\s_-]/g, "");

function placeOf({ places }: McpClient, folders: Folders): ConfigPlace {
  const all = places(folders);
  const found = all.find(({ evidence }) => existsSync(evidence)) ?? all[0];
  if (!found) throw new Error("a client without a place");
  return found;
}

/** Undefined when the person has left. @throws VAULT_NOT_FOUND, AMBIGUOUS_NAME when nobody can be asked */
async function chosenVault(
  given: string | undefined,
  folders: Folders,
  talk: Conversation,
): Promise<string | undefined> {
  const vaults = knownVaults(folders).map(({ path }) => path);
  if (given !== undefined) return namedVault(given, vaults);
  const [only, ...others] = vaults;
  if (only === undefined) {
    const message = "No vault was named, and Obsidian's list of vaults has none on this machine.";
    throw new VaultError("VAULT_NOT_FOUND", message, { hint: 'Name it: setup "/path/to/My Vault".' });
  }
  if (others.length === 0) return only;
  if (!talk.canAsk) {
    throw new VaultError("AMBIGUOUS_NAME", `Obsidian knows ${vaults.length} vaults: ${vaults.join(", ")}.`, {
      hint: "Name one of them: setup <vault>.",
    });
  }
  await talk.say("Obsidian knows these vaults:");
  for (const [index, path] of vaults.entries()) await talk.say(`  ${index + 1}  ${path}`);
  const answer = await talk.ask("Which one? [1] ");
  if (answer === undefined) return undefined;
  return vaults[Number(answer || "1") - 1] ?? namedVault(answer, vaults);
}

function namedVault(given: string, vaults: readonly string[]): string {
  const folder = resolve(given);
  if (isFolder(folder)) return folder;
  const [found, another] = vaults.filter((path) => basename(path) === given);
  if (found !== undefined && another === undefined) return found;
  throw new VaultError("VAULT_NOT_FOUND", `There is no folder ${folder}.`, {
    hint: vaults.length === 0 ? "Check the path." : `Obsidian knows ${vaults.join(", ")}.`,
  });
}

interface KnownVault {
  readonly path: string;
  readonly open: boolean;
  readonly lastOpened: EpochMilliseconds;
}

/** Packagings on Linux differ. */
export function obsidianLists({ system, home, applications, join }: Folders): string[] {
  const own = join(applications, "obsidian", "obsidian.json");
  if (system === "win32" || system === "darwin") return [own];
  return [
    own,
    join(home, ".var", "app", "md.obsidian.Obsidian", "config", "obsidian", "obsidian.json"),
    join(home, "snap", "obsidian", "current", ".config", "obsidian", "obsidian.json"),
  ];
}

/** A file for each vault. */
export function headlessFiles({ system, home, applications, join, list }: Folders): string[] {
  const own = system === "linux" ? join(applications, "obsidian-headless") : join(home, ".obsidian-headless");
  return list(join(own, "sync")).map((id) => join(own, "sync", id, "config.json"));
}

/** Open ones first, then the last used, then those of Obsidian Headless. */
function knownVaults(folders: Folders): KnownVault[] {
  const headless = headlessFiles(folders).flatMap((file) => headlessVault(readJsonFile(file)));
  const vaults = [...headless, ...obsidianLists(folders).flatMap((file) => vaultsIn(readJsonFile(file)))];
  const byPath = new Map(vaults.map((vault) => [vault.path, vault]));
  return [...byPath.values()]
    .filter(({ path }) => isFolder(path))
    .toSorted((a, b) => Number(b.open) - Number(a.open) || b.lastOpened - a.lastOpened);
}

function headlessVault(config: unknown): KnownVault[] {
  const path = isRecord(config) ? config["vaultPath"] : undefined;
  return typeof path === "string" ? [{ path, open: false, lastOpened: 0 }] : [];
}

function vaultsIn(list: unknown): KnownVault[] {
  const vaults = isRecord(list) && isRecord(list["vaults"]) ? Object.values(list["vaults"]) : [];
  return vaults.flatMap((vault) => {
    if (!isRecord(vault) || typeof vault["path"] !== "string") return [];
    return [{ path: vault["path"], open: vault["open"] === true, lastOpened: Number(vault["ts"]) || 0 }];
  });
}

function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(readConfigFile(file).text);
  } catch {
    return undefined;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
