/** Looks into the configurations of MCP clients for entries that start this server; reads only, and tells no secrets. */
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { isVaultError } from "../../errors.js";
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
} from "../setup/server-entry.js";
import { readServerList } from "../setup/server-list.js";
import type { Finding } from "./finding.js";

/** One finding or more for each entry that mentions this server, and one for a file that cannot be read. */
export function checkClients(configs: readonly ClientConfig[]): Finding[] {
  const findings = configs.flatMap((config) => checkConfig(config));
  if (findings.length > 0) return findings;
  return [
    {
      level: "note",
      subject: "clients",
      message: "no client configuration mentions this server",
      advice: "`setup` connects the clients on this machine; docs/clients.md shows what to write by hand.",
    },
  ];
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
    return [{ level: "warning", subject, message: `${config.path} ${reason}`, advice }];
  }
  return entries.filter(startsThisServer).flatMap((entry) => checkEntry(entry, config));
}

function checkEntry(entry: ServerEntry, config: ClientConfig): Finding[] {
  const subject = config.client;
  const where = `"${entry.name}" in ${config.path}`;
  const place = namesDatabase(entry) ? checkSecrets(entry, subject, where) : checkVault(entry, subject, where);
  const findings = [...checkProgram(entry, subject, where), ...place];
  return findings.length > 0 ? findings : [{ level: "ok", subject, message: `${where} starts this server` }];
}

function checkProgram({ command, args }: ServerEntry, subject: string, where: string): Finding[] {
  const script = scriptOf(args);
  if (script !== undefined && !isAbsolute(script)) {
    const message = `${where} names the program by a relative path`;
    return [
      {
        level: "warning",
        subject,
        message,
        advice: "Use the absolute path; clients start servers in folders of their own.",
      },
    ];
  }
  const missing = [command, script ?? ""].find((path) => isAbsolute(path) && !existsSync(path));
  if (missing === undefined) return [];
  const message = `${where} names a program that does not exist: ${missing}`;
  return [{ level: "error", subject, message, advice: "Correct the path; `npm run build` makes dist/index.js." }];
}

function checkSecrets(entry: ServerEntry, subject: string, where: string): Finding[] {
  const missing = secretFilesOf(entry).find((path) => !existsSync(path));
  if (missing === undefined) return [];
  const message = `${where} names a file with a secret that does not exist: ${missing}`;
  return [{ level: "error", subject, message, advice: "Run `setup` again with the database's settings." }];
}

function checkVault(entry: ServerEntry, subject: string, where: string): Finding[] {
  const vault = vaultOf(entry);
  if (vault === undefined) {
    const message = `${where} names no vault`;
    return [
      {
        level: "note",
        subject,
        message,
        advice: "Add the vault's absolute path after the program, or call scan_vault with vaultPath.",
      },
    ];
  }
  if (isAbsolute(vault) && existsSync(vault)) return [];
  const message = isAbsolute(vault)
    ? `${where} names a vault that does not exist: ${vault}`
    : `${where} names no absolute vault path`;
  return [
    {
      level: "error",
      subject,
      message,
      advice: "Write the vault's whole path; ~ and variables are not replaced there.",
    },
  ];
}
