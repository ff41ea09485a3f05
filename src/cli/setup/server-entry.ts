/** The servers in a client's configuration: which start this program, for which vault. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject } from "../../server/rpc.js";
import { LIVESYNC_OPTIONS } from "../options/server-options.js";

export const PACKAGE_NAME = "obsidian-vault-mcp-server";

export interface ServerEntry {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** From its environment; other variables are ignored. */
  readonly environmentVault: string | undefined;
}

export function serverEntries(config: unknown, serversKey: string): ServerEntry[] {
  if (!isObject(config) || !isObject(config[serversKey])) return [];
  return Object.entries(config[serversKey]).flatMap(([name, value]) => entryOf(name, value));
}

/** Claude Code stores projects' servers in the same file. */
export function projectEntries(config: unknown, serversKey: string): ServerEntry[] {
  const projects = isObject(config) && isObject(config["projects"]) ? Object.values(config["projects"]) : [];
  return projects.flatMap((project) => serverEntries(project, serversKey));
}

function entryOf(name: string, value: unknown): ServerEntry[] {
  if (!isObject(value)) return [];
  // OpenCode has command and arguments in one list; Goose names them differently.
  const [command, ...args] = [value["command"] ?? value["cmd"], value["args"]]
    .flat()
    .filter((word) => typeof word === "string");
  if (command === undefined) return [];
  const given = value["env"] ?? value["environment"] ?? value["envs"];
  const environment = isObject(given) ? given : {};
  const vault = environment["OBSIDIAN_VAULT_PATH"] ?? environment["VAULT_PATH"];
  return [{ name, command, args, environmentVault: typeof vault === "string" ? vault : undefined }];
}

export function startsThisServer({ name, command, args }: ServerEntry): boolean {
  if ([name, command, ...args].some((word) => word.includes(PACKAGE_NAME))) return true;
  const script = scriptOf(args);
  return script !== undefined && packageNameAbove(script) === PACKAGE_NAME;
}

export function scriptOf(args: readonly string[]): string | undefined {
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

export function vaultOf({ args, environmentVault }: ServerEntry): string | undefined {
  const given = optionValue(args, "--vault");
  if (given !== undefined) return given;
  const script = scriptOf(args);
  const begin = args.findIndex((arg) => arg === script || arg.includes(PACKAGE_NAME));
  const first = args[begin + 1];
  return first !== undefined && !first.startsWith("-") ? first : environmentVault;
}

export function namesDatabase({ args }: ServerEntry): boolean {
  const { couchdbUrl, livesyncSetupUri } = LIVESYNC_OPTIONS;
  return [couchdbUrl, livesyncSetupUri].some(({ flag }) => optionValue(args, flag) !== undefined);
}

export function secretFilesOf({ args }: ServerEntry): string[] {
  const flags = Object.values(LIVESYNC_OPTIONS).flatMap(({ kind, flag }) => (kind === "secret" ? [flag] : []));
  return flags.flatMap((flag) => optionValue(args, flag) ?? []);
}

function optionValue(args: readonly string[], flag: string): string | undefined {
  const at = args.indexOf(flag);
  return at >= 0 ? args[at + 1] : args.find((arg) => arg.startsWith(`${flag}=`))?.slice(flag.length + 1);
}
