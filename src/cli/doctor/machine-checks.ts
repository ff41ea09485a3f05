/** Checks outside the vault: folders, settings of `--http`, MCP clients. Shows no secrets. */
import { readdirSync, statSync, statfsSync, accessSync, constants, existsSync } from "node:fs";
import { join, dirname, isAbsolute } from "node:path";
import { finding, type Finding } from "./finding.js";
import { JOURNALS } from "../../history/journal-file.js";
import { isVaultError } from "../../errors.js";
import type { AccessRules } from "../../server/http/guards.js";
import { accessRules, addressText, httpAddress, isLoopbackAddress, type HttpAddress } from "../serve/http-access.js";
import type { Settings } from "../options/options.js";
import { HTTP_OPTIONS } from "../options/server-options.js";
import type { ClientConfig } from "../setup/clients.js";
import { readConfigFile } from "../setup/config-file.js";
import {
  namesDatabase,
  projectEntries,
  scriptOf,
  secretFilesOf,
  serverEntries,
  startsThisServer,
  vaultOf,
  type ServerEntry,
  readServerList,
} from "../setup/server-list.js";

const SUFFIX = ".index";
const NO_CACHE = "without it every start reads all notes";

export function checkCache(folder: string | undefined): Finding[] {
  if (folder === undefined) return [finding("note", "cache", `switched off: ${NO_CACHE}`, ADVICE_OFF)];
  const place = nearestFolder(folder);
  if (!isUsable(place)) {
    const what = place === folder ? folder : `${folder} cannot be made, because ${place}`;
    const advice = `Make it a folder you may write to, or name another one with --cache-folder; ${NO_CACHE}.`;
    return [finding("warning", "cache", `${what} cannot be written`, advice)];
  }
  if (isFull(place)) return [finding("warning", "cache", `${folder} is on a full disk; ${NO_CACHE}`, ADVICE_FULL)];
  if (place !== folder) return [finding("ok", "cache", `${folder} will be made when first needed`)];
  const sizes = readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  const size = Math.ceil(sizes.reduce((sum, bytes) => sum + bytes, 0) / 1024);
  const message = `${folder}: ${sizes.length} ${sizes.length === 1 ? "index" : "indexes"}, ${size} KiB; deleting it costs only time`;
  return [finding("ok", "cache", message)];
}

const ADVICE_OFF = "Leave out --no-cache to keep one.";

export function nearestFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

export function isUsable(folder: string, rights = constants.R_OK | constants.W_OK | constants.X_OK): boolean {
  try {
    accessSync(folder, rights);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}

export const ADVICE_FULL = "Free some space on it.";

/** Some file systems count no blocks or no files. */
export function isFull(folder: string): boolean {
  try {
    const { blocks, bavail, files, ffree } = statfsSync(folder);
    return (blocks > 0 && bavail === 0) || (files > 0 && ffree === 0);
  } catch {
    return false;
  }
}

export function checkUndo(folder: string | undefined): Finding[] {
  if (folder === undefined)
    return [finding("note", "undo", "switched off: no change can be undone", "Leave out --no-undo to keep a journal.")];
  const journals = join(folder, JOURNALS);
  const place = nearestFolder(journals);
  if (!isUsable(place)) {
    const what = `the journal cannot be kept, because ${place} cannot be written; changes are made, but cannot be undone`;
    const advice = "Make it a folder you may write to, or name another one with --state-folder.";
    return [finding("warning", "undo", what, advice)];
  }
  if (isFull(place)) {
    const what = `${journals} is on a full disk; changes are made, but cannot be undone`;
    return [finding("warning", "undo", what, ADVICE_FULL)];
  }
  if (place !== journals) return [finding("ok", "undo", `${journals} will be made when first needed`)];
  const { bytes, closed } = measured(journals);
  const kept = "it holds former texts of notes, and deleting it costs only the ability to undo";
  const message = `${journals}: ${Math.ceil(bytes / 1024)} KiB; ${kept}`;
  if (closed === undefined) return [finding("ok", "undo", message)];
  const what = `${closed} cannot be read, so what was written there cannot be undone; ${message}`;
  return [finding("warning", "undo", what, "Check the permissions of the folder and the disk it is on.")];
}

function measured(folder: string): { readonly bytes: number; readonly closed: string | undefined } {
  let [bytes, closed]: [number, string | undefined] = [0, undefined];
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    try {
      for (const entry of readdirSync(next, { withFileTypes: true })) {
        const place = join(next, entry.name);
        if (entry.isDirectory()) folders.push(place);
        else if (entry.isFile()) bytes += statSync(place, { throwIfNoEntry: false })?.size ?? 0;
      }
    } catch {
      closed = next;
    }
  }
  return { bytes, closed };
}

export function checkHttp(settings: Settings): Finding[] {
  const { tokenFile, tokensFile, sources } = settings;
  // PORT and others are set for many programs.
  const isFlag = Object.values(HTTP_OPTIONS).some(({ flag }) => Object.values(sources).includes(flag));
  const isSet = (["bindAddr", "token", "tokenFile", "tokensFile"] as const).some((name) => sources[name] !== undefined);
  if (!isFlag && !isSet) return [];
  try {
    const address = httpAddress(settings);
    const access = accessRules(settings, isLoopbackAddress(address));
    return [described(address, access), ...[tokenFile, tokensFile].flatMap(readableByOthers)];
  } catch (error) {
    if (!isVaultError(error)) throw error;
    return [finding("error", "http", error.message, error.hint)];
  }
}

function described(address: HttpAddress, { tokens, calendarTokens = [], rate }: AccessRules): Finding {
  const place = `--http listens on ${addressText(address)}`;
  const names = [
    ...tokens.map(({ name, scopes }) => `${name} (${scopes.write ? "reads and writes" : "reads"})`),
    ...calendarTokens.map(({ name }) => `${name} (a calendar)`),
  ];
  const limits = rate ? "" : ", at any rate";
  if (tokens.length > 0) return finding("ok", "http", `${place}; tokens: ${names.join(", ")}${limits}`);
  if (isLoopbackAddress(address))
    return finding("ok", "http", `${place}; every program of this machine may call, without a token`);
  const advice = "Set AUTH_TOKEN_FILE and leave out --insecure-no-auth.";
  return finding("warning", "http", `${place}; anybody who can reach it can change the vault`, advice);
}

function readableByOthers(path: string | undefined): Finding[] {
  if (path === undefined || process.platform === "win32") return [];
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o077) === 0) return [];
  const message = `${path} can be read by other users of this machine`;
  return [finding("warning", "http", message, `chmod 600 ${path}`)];
}

export function checkClients(configs: readonly ClientConfig[]): Finding[] {
  const findings = configs.flatMap((config) => checkConfig(config));
  if (findings.length > 0) return findings;
  const advice = "`setup` connects the clients on this machine; docs/clients.md shows what to write by hand.";
  return [finding("note", "clients", "no client configuration mentions this server", advice)];
}

function checkConfig(config: ClientConfig): Finding[] {
  const subject = config.client;
  let entries: ServerEntry[];
  try {
    const list = readServerList(readConfigFile(config.path).text, config);
    entries = [...serverEntries(list, config.serversKey), ...projectEntries(list, config.serversKey)];
  } catch (error) {
    const reason = isVaultError(error)
      ? error.message
      : `cannot be read as ${config.format.toUpperCase()} (${error instanceof SyntaxError ? error.message : "unknown"})`;
    const advice = "Correct the file; the client cannot use it as it is.";
    return [finding("warning", subject, `${config.path} ${reason}`, advice)];
  }
  return entries.filter(startsThisServer).flatMap((entry) => checkEntry(entry, config));
}

function checkEntry(entry: ServerEntry, config: ClientConfig): Finding[] {
  const subject = config.client;
  const where = `"${entry.name}" in ${config.path}`;
  const place = namesDatabase(entry) ? checkSecrets(entry, subject, where) : checkVault(entry, subject, where);
  const findings = [...checkProgram(entry, subject, where), ...place];
  return findings.length > 0 ? findings : [finding("ok", subject, `${where} starts this server`)];
}

function checkProgram({ command, args }: ServerEntry, subject: string, where: string): Finding[] {
  const script = scriptOf(args);
  if (script !== undefined && !isAbsolute(script)) {
    const advice = "Use the absolute path; clients start servers in folders of their own.";
    return [finding("warning", subject, `${where} names the program by a relative path`, advice)];
  }
  const missing = [command, script ?? ""].find((path) => isAbsolute(path) && !existsSync(path));
  if (missing === undefined) return [];
  const message = `${where} names a program that does not exist: ${missing}`;
  return [finding("error", subject, message, "Correct the path; `npm run build` makes dist/index.js.")];
}

function checkSecrets(entry: ServerEntry, subject: string, where: string): Finding[] {
  const missing = secretFilesOf(entry).find((path) => !existsSync(path));
  if (missing === undefined) return [];
  const message = `${where} names a file with a secret that does not exist: ${missing}`;
  return [finding("error", subject, message, "Run `setup` again with the database's settings.")];
}

function checkVault(entry: ServerEntry, subject: string, where: string): Finding[] {
  const vault = vaultOf(entry);
  if (vault === undefined) {
    const advice = "Add the vault's absolute path after the program, or call scan_vault with vaultPath.";
    return [finding("note", subject, `${where} names no vault`, advice)];
  }
  if (isAbsolute(vault) && existsSync(vault)) return [];
  const message = isAbsolute(vault)
    ? `${where} names a vault that does not exist: ${vault}`
    : `${where} names no absolute vault path`;
  return [finding("error", subject, message, "Write the vault's whole path; ~ and variables are not replaced there.")];
}
