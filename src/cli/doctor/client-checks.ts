/** Looks into the configurations of MCP clients for entries that start this server; reads only, and tells no secrets. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { ClientConfig } from "../places.js";
import type { Finding } from "./finding.js";

const OUR_NAME = "obsidian-vault-mcp-server";
/** A larger file is no configuration of ours to read. */
const LARGEST = 64 * 1024 * 1024;

interface Entry {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The vault its environment names; nothing else of the environment is looked at. */
  readonly environmentVault: string | undefined;
}

/** One finding or more for each entry that mentions this server, and one for a file that cannot be read. */
export function checkClients(configs: readonly ClientConfig[]): Finding[] {
  const findings = configs.flatMap((config) => checkConfig(config));
  if (findings.length > 0) return findings;
  return [
    {
      level: "note",
      subject: "clients",
      message: "no client configuration mentions this server",
      advice: "The README shows what to paste for Claude Desktop, Claude Code, VS Code and Cursor.",
    },
  ];
}

function checkConfig(config: ClientConfig): Finding[] {
  if (!existsSync(config.path)) return [];
  let entries: Entry[];
  try {
    entries = entriesOf(JSON.parse(withoutComments(readSmall(config.path))), config.serversKey);
  } catch {
    const message = `${config.path} cannot be read as JSON`;
    return [
      {
        level: "warning",
        subject: config.client,
        message,
        advice: "Mend the file; the client cannot use it as it is.",
      },
    ];
  }
  return entries.filter(isOurs).flatMap((entry) => checkEntry(entry, config));
}

function readSmall(path: string): string {
  const bytes = readFileSync(path);
  if (bytes.length > LARGEST) throw new Error("too large");
  return bytes.toString("utf8").replace(/^\ufeff/, "");
}

/** VS Code's files may hold comments and trailing commas. */
function withoutComments(text: string): string {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) =>
    part.startsWith('"') ? part : " ",
  );
  return bare.replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g, (part) => (part === "," ? "" : part));
}

function entriesOf(config: unknown, serversKey: string): Entry[] {
  if (!isObject(config)) return [];
  const own = isObject(config[serversKey]) ? Object.entries(config[serversKey]) : [];
  // Claude Code keeps servers of single projects below `projects` in the same file.
  const projects = isObject(config["projects"]) ? Object.values(config["projects"]) : [];
  const entries = own.flatMap(([name, value]) => entryOf(name, value));
  return [
    ...entries,
    ...projects.flatMap((project) =>
      entriesOf(isObject(project) ? { [serversKey]: project[serversKey] } : {}, serversKey),
    ),
  ];
}

function entryOf(name: string, value: unknown): Entry[] {
  if (!isObject(value) || typeof value["command"] !== "string") return [];
  const args = Array.isArray(value["args"]) ? value["args"].filter((arg) => typeof arg === "string") : [];
  const environment = isObject(value["env"]) ? value["env"] : {};
  const vault = environment["OBSIDIAN_VAULT_PATH"] ?? environment["VAULT_PATH"];
  return [{ name, command: value["command"], args, environmentVault: typeof vault === "string" ? vault : undefined }];
}

function isOurs({ name, command, args }: Entry): boolean {
  if ([name, command, ...args].some((word) => word.includes(OUR_NAME))) return true;
  const script = scriptOf(args);
  return script !== undefined && packageNameAbove(script) === OUR_NAME;
}

function scriptOf(args: readonly string[]): string | undefined {
  return args.find((arg) => /\.[cm]?js$/.test(arg));
}

function packageNameAbove(script: string): unknown {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(dirname(dirname(script)), "package.json"), "utf8"));
    return isObject(manifest) ? manifest["name"] : undefined;
  } catch {
    return undefined;
  }
}

function checkEntry(entry: Entry, config: ClientConfig): Finding[] {
  const subject = config.client;
  const where = `"${entry.name}" in ${config.path}`;
  const findings = [...checkProgram(entry, subject, where), ...checkVault(entry, subject, where)];
  return findings.length > 0 ? findings : [{ level: "ok", subject, message: `${where} starts this server` }];
}

function checkProgram({ command, args }: Entry, subject: string, where: string): Finding[] {
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

function checkVault(entry: Entry, subject: string, where: string): Finding[] {
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

/** `--vault`, otherwise the first word after the program that looks like a path, otherwise the environment's. */
function vaultOf({ args, environmentVault }: Entry): string | undefined {
  const flag = args.indexOf("--vault");
  const given = flag >= 0 ? args[flag + 1] : args.find((arg) => arg.startsWith("--vault="))?.slice("--vault=".length);
  if (given !== undefined) return given;
  const script = scriptOf(args);
  const begin = args.findIndex((arg) => arg === script || arg.includes(OUR_NAME));
  const first = args[begin + 1];
  return first !== undefined && !first.startsWith("-") ? first : environmentVault;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
