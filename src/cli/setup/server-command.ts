/** How a client starts this program, with files for its secrets. */
import { delimiter, isAbsolute, resolve, dirname } from "node:path";
import { realpathSync, statSync, chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { sha256 } from "../../text/hash.js";
import type { Option } from "../options/option-kinds.js";
import { LIVESYNC_OPTIONS } from "../options/server-options.js";
import { OPTIONS, optionRows, type Settings } from "../options/options.js";
import { PACKAGE_NAME, projectEntries, secretFilesOf, serverEntries, readServerList } from "./server-list.js";
import { VaultError } from "../../errors.js";
import { clientConfigs, type Folders, type ServerList } from "./clients.js";
import { readConfigFile, removeLeftOvers, temporaryFor } from "./config-file.js";

export interface RunningProgram {
  readonly system: NodeJS.Platform;
  readonly node: string;
  readonly script: string;
  readonly searchPath: string | undefined;
}

interface SecretFile {
  readonly path: string;
  readonly text: string;
}

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Written first. */
  readonly secrets: readonly SecretFile[];
}

type DatabaseSettings = Pick<Settings, keyof typeof LIVESYNC_OPTIONS>;

const NOT_CARRIED = new Set<string>(["vault", "noColor", "help", "version", ...Object.keys(LIVESYNC_OPTIONS)]);
const CARRIED = optionRows().filter(([name, { usedBy }]) => usedBy === undefined && !NOT_CARRIED.has(name));
/** Assistants read every listed tool. */
export const CORE_TOOLS = [OPTIONS.toolsets.flag, "core"];

/** @param vault absolute; undefined: the settings' database */
export function serverCommand(
  program: RunningProgram,
  settings: Settings,
  vault: string | undefined,
  secretsFolder: string,
): ServerCommand {
  const { command, args } = programCommand(program);
  const database = vault === undefined ? databaseOptions(settings, secretsFolder) : { args: [vault], secrets: [] };
  const { sources } = settings;
  const given = CARRIED.filter(([name, { flag }]) => sources[name] === flag || name === "vaultId");
  const carried = given.flatMap(([name, option]) => flagsFor(option, settings[name]));
  return { command, args: [...args, ...database.args, ...carried, ...CORE_TOOLS], secrets: database.secrets };
}

/** Absolute: desktop programs often lack a PATH. npx empties its cache, so npx itself is named. */
function programCommand({ system, node, script, searchPath }: RunningProgram): { command: string; args: string[] } {
  if (!/[/\\]_npx[/\\]/.test(script)) return { command: stableNode(node, searchPath), args: [script] };
  const words = ["-y", PACKAGE_NAME];
  return system === "win32" ? { command: "cmd", args: ["/c", "npx", ...words] } : { command: "npx", args: words };
}

/** A version's own folder goes with an update. */
function stableNode(node: string, searchPath = ""): string {
  const shortLived = /fnm_multishells|node_modules|[/\\]_npx[/\\]/;
  const links = searchPath
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !shortLived.test(folder))
    .map((folder) => resolve(folder, "node"));
  return links.find((link) => leadsTo(link, node)) ?? node;
}

function leadsTo(link: string, file: string): boolean {
  return statSync(link, { throwIfNoEntry: false }) !== undefined && realpathSync(link) === realpathSync(file);
}

function databaseOptions(settings: Settings, folder: string): Pick<ServerCommand, "args" | "secrets"> {
  const args: string[] = [];
  const secrets: SecretFile[] = [];
  const database = databaseSettings(settings);
  for (const [name, option] of Object.entries(LIVESYNC_OPTIONS)) {
    const value = database[name as keyof typeof LIVESYNC_OPTIONS];
    if (typeof value !== "object") args.push(...flagsFor(option, value));
    else if ("file" in value) args.push(option.flag, resolve(value.file));
    else {
      const path = resolve(folder, `${fileNameOf(database)}.${option.flag.slice(2).replace(/-file$/, "")}`);
      secrets.push({ path, text: value.text });
      args.push(option.flag, path);
    }
  }
  return { args, secrets };
}

function fileNameOf(settings: DatabaseSettings): string {
  const { couchdbUrl, couchdbDatabase, couchdbUser, livesyncSetupUri } = settings;
  const identity = JSON.stringify([couchdbUrl, couchdbDatabase, couchdbUser, livesyncSetupUri]);
  const name = (couchdbDatabase ?? "vault").replace(/[^\w-]/g, "_");
  return `${name}-${sha256(identity).slice(0, 8)}`;
}

function databaseSettings(settings: Settings): DatabaseSettings {
  if (settings.couchdbUrl === undefined || !URL.canParse(settings.couchdbUrl)) return settings;
  const url = new URL(settings.couchdbUrl);
  if (url.username === "" && url.password === "") return settings;
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  url.username = "";
  url.password = "";
  return {
    ...settings,
    couchdbUrl: url.href,
    couchdbUser: settings.couchdbUser ?? (user || undefined),
    couchdbPassword: settings.couchdbPassword ?? (password ? { text: password } : undefined),
  };
}

function flagsFor(option: Option, value: unknown): string[] {
  const { flag } = option;
  if (value === true) return [flag];
  if (Array.isArray(value)) return value.flatMap((one) => [flag, String(one)]);
  if (typeof value === "number") return [flag, String(value)];
  if (typeof value !== "string") return [];
  return [flag, "placeholder" in option && option.placeholder === "folder" ? resolve(value) : value];
}

export function secretsFolder({ system, home, applications, environment, join }: Folders): string {
  const base = system === "win32" ? environment["LOCALAPPDATA"] || join(home, "AppData", "Local") : applications;
  return join(base, "obsidian-vault-mcp-server", "secrets");
}

export function writeSecretFiles(secrets: readonly SecretFile[]): void {
  for (const { path, text } of secrets) {
    const temporary = temporaryFor(path);
    removeLeftOvers(path);
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      chmodSync(dirname(path), 0o700);
      // The reader removes it.
      writeFileSync(temporary, `${text}\n`, { mode: 0o600, flag: "wx", flush: true });
      renameSync(temporary, path);
    } catch (cause) {
      rmSync(temporary, { force: true });
      throw new VaultError("PERMISSION_DENIED", `The secret ${path} cannot be written.`, { cause });
    }
  }
}

export function holdsSecret({ path, text }: SecretFile): boolean {
  try {
    return readFileSync(path, "utf8") === `${text}\n`;
  } catch {
    return false;
  }
}

export function removeIdleSecrets(
  removed: readonly { readonly client: ServerList; readonly read: { readonly text: string } }[],
  folders: Folders,
): string[] {
  const folder = secretsFolder(folders);
  const needed = new Set(
    clientConfigs(folders, undefined).flatMap((list) => secretsIn(() => readConfigFile(list.path).text, list)),
  );
  const were = new Set(removed.flatMap(({ client, read }) => secretsIn(() => read.text, client)));
  const idle = [...were].filter((path) => dirname(path) === folder && !needed.has(path));
  for (const path of idle) rmSync(path, { force: true });
  return idle;
}

function secretsIn(text: () => string, list: ServerList): string[] {
  try {
    const config = readServerList(text(), list);
    return [...serverEntries(config, list.serversKey), ...projectEntries(config, list.serversKey)].flatMap(
      secretFilesOf,
    );
  } catch {
    return [];
  }
}
