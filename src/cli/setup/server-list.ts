/** Finds this program's servers in a configuration, and changes nothing else in its text. */
import { isRecord } from "../../text/decoded.js";
import { isDeepStrictEqual } from "node:util";
import { VaultError } from "../../errors.js";
import type { ServerList, StdioServer } from "./clients.js";
import { readJson, withJsonValue, withoutJsonValue } from "./json-config.js";
import { readYaml, withoutYamlEntry, withYamlEntry } from "./yaml-config.js";
import { getStaticTOMLValue, parseTOML, type AST } from "toml-eslint-parser";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { LIVESYNC_OPTIONS } from "../options/server-options.js";

type Config = Readonly<Record<string, unknown>>;

const READERS = { json: readJson, toml: readToml, yaml: readYaml };

/** @throws SyntaxError naming the line */
export function readServerList(text: string, { format }: Pick<ServerList, "format">): Config {
  const config = READERS[format](text) ?? {};
  if (!isRecord(config)) throw new SyntaxError("it is no object with keys");
  return config;
}

export function withServer(text: string, list: ServerList, name: string, server: StdioServer): string {
  const { serversKey, format } = list;
  const before = readServerList(text, list);
  const servers = serversOf(before, serversKey);
  const old = servers[name];
  const expected = {
    ...before,
    [serversKey]: { ...servers, [name]: { ...(isRecord(old) ? old : {}), ...server } },
  };
  const after = edited(() => {
    if (format === "toml") return withTomlTable(text, [serversKey, name], server);
    if (format === "yaml") return withYamlEntry(text, serversKey, name, server);
    if (!isRecord(old)) return withJsonValue(text, [serversKey, name], server);
    return Object.entries(server).reduce(
      (now, [key, value]) => withJsonValue(now, [serversKey, name, key], value),
      text,
    );
  });
  return proven(after, list, expected);
}

export function withoutServer(text: string, list: ServerList, name: string): string {
  const { serversKey, format } = list;
  const before = readServerList(text, list);
  const { [name]: _, ...others } = serversOf(before, serversKey);
  const { [serversKey]: __, ...rest } = before;
  const after = edited(() => {
    if (format === "toml") return withoutTomlTable(text, [serversKey, name]);
    if (format === "yaml") return withoutYamlEntry(text, serversKey, name);
    return withoutJsonValue(text, [serversKey, name]);
  });
  if (Object.keys(others).length > 0) return proven(after, list, { ...before, [serversKey]: others });
  return proven(after, list, rest, { ...before, [serversKey]: {} });
}

export function sameButFor(name: string, one: string, other: string, list: ServerList): boolean {
  const others = (text: string): unknown => {
    const { [list.serversKey]: servers, ...rest } = readServerList(text, list);
    const { [name]: _, ...remaining } = isRecord(servers) ? servers : {};
    return plain({ ...rest, servers: isRecord(servers) ? remaining : (servers ?? {}) });
  };
  return isDeepStrictEqual(others(one), others(other));
}

function serversOf(config: Config, serversKey: string): Config {
  const servers = config[serversKey] ?? {};
  if (!isRecord(servers)) throw unsafe();
  return servers;
}

function edited<Result>(edit: () => Result): Result {
  try {
    return edit();
  } catch (cause) {
    throw unsafe(cause);
  }
}

/** @throws when the new text says something else */
function proven(text: string, list: ServerList, ...expected: readonly Config[]): string {
  const said = edited(() => readServerList(text, list));
  if (expected.some((one) => isDeepStrictEqual(plain(said), plain(one)))) return text;
  throw unsafe();
}

/** Parsers use other prototypes. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}

function unsafe(cause?: unknown): VaultError {
  return new VaultError("INVALID_ARGUMENT", "is written in a way that cannot be changed without touching more", {
    hint: "Add the server by hand, as docs/clients.md shows.",
    cause,
  });
}

type Path = readonly string[];

export function readToml(text: string): unknown {
  return getStaticTOMLValue(parsed(text));
}

function parsed(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text);
  } catch (error) {
    const line = error instanceof Error && "lineNumber" in error ? error.lineNumber : 1;
    throw new SyntaxError(`line ${String(line)}`, { cause: error });
  }
}

/** At the end if missing. */
export function withTomlTable(text: string, path: Path, values: Readonly<Record<string, unknown>>): string {
  const table = tablesAt(text, path).find(({ resolvedKey }) => resolvedKey.length === path.length);
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  if (!table) {
    const lines = [`[${path.map(writtenKey).join(".")}]`, ...Object.entries(values).map(writtenPair)];
    return `${endedText(text, eol)}${lines.join(eol)}${eol}`;
  }
  return Object.entries(values).reduceRight((now, pair) => withPair(now, path, pair, eol), text);
}

function withPair(text: string, path: Path, [key, value]: readonly [string, unknown], eol: string): string {
  const table = tablesAt(text, path).find(({ resolvedKey }) => resolvedKey.length === path.length);
  if (!table) return text;
  const pair = table.body.find(({ key: { keys } }) => keys.length === 1 && nameOf(keys[0]) === key);
  if (pair) return spliced(text, pair.value.range, writtenValue(value));
  const end = lineEnd(text, table.key.range[1]);
  return spliced(text, [end, end], `${eol}${writtenPair([key, value])}`);
}

export function withoutTomlTable(text: string, path: Path): string {
  return tablesAt(text, path)
    .map((table): readonly [number, number] => {
      const begin = text.lastIndexOf("\n", table.range[0] - 1) + 1;
      const blank = /(?:^|\n)[ \t]*\r?\n$/.exec(text.slice(0, begin))?.[0].replace(/^\n/, "") ?? "";
      const end = lineEnd(text, table.body.at(-1)?.range[1] ?? table.range[1]);
      return [begin - blank.length, end + (/^\r?\n/.exec(text.slice(end))?.[0].length ?? 0)];
    })
    .reduceRight((now, range) => spliced(now, range, ""), text);
}

function tablesAt(text: string, path: Path): AST.TOMLTable[] {
  const nodes = parsed(text).body[0].body;
  return nodes.filter(
    (node): node is AST.TOMLTable =>
      node.type === "TOMLTable" && path.every((part, index) => node.resolvedKey[index] === part),
  );
}

const nameOf = (key: AST.TOMLBare | AST.TOMLQuoted | undefined): string | undefined =>
  key?.type === "TOMLBare" ? key.name : key?.value;

const spliced = (text: string, [begin, end]: readonly [number, number], content: string): string =>
  text.slice(0, begin) + content + text.slice(end);

function lineEnd(text: string, offset: number): number {
  return offset + (/^[^\r\n]*/.exec(text.slice(offset))?.[0].length ?? 0);
}

function endedText(text: string, eol: string): string {
  if (text.trim() === "") return text;
  const whole = text.endsWith("\n") ? text : text + eol;
  return /\n[ \t]*\r?\n$/.test(whole) ? whole : whole + eol;
}

const writtenPair = ([key, value]: readonly [string, unknown]): string => `${writtenKey(key)} = ${writtenValue(value)}`;
const writtenKey = (key: string): string => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key));

function writtenValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writtenValue).join(", ")}]`;
  const text = String(value);
  if (text.includes("\\") && !/['\u0000-\u001f\u007f]/.test(text)) return `'${text}'`;
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

export const PACKAGE_NAME = "obsidian-vault-mcp-server";

export interface ServerEntry {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly environmentVault: string | undefined;
}

export function serverEntries(config: unknown, serversKey: string): ServerEntry[] {
  if (!isRecord(config) || !isRecord(config[serversKey])) return [];
  return Object.entries(config[serversKey]).flatMap(([name, value]) => entryOf(name, value));
}

/** In the same file for Claude Code. */
export function projectEntries(config: unknown, serversKey: string): ServerEntry[] {
  const projects = isRecord(config) && isRecord(config["projects"]) ? Object.values(config["projects"]) : [];
  return projects.flatMap((project) => serverEntries(project, serversKey));
}

function entryOf(name: string, value: unknown): ServerEntry[] {
  if (!isRecord(value)) return [];
  // OpenCode has one list; Goose other names.
  const [command, ...args] = [value["command"] ?? value["cmd"], value["args"]]
    .flat()
    .filter((word) => typeof word === "string");
  if (command === undefined) return [];
  const given = value["env"] ?? value["environment"] ?? value["envs"];
  const environment = isRecord(given) ? given : {};
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
    return isRecord(manifest) ? manifest["name"] : undefined;
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
