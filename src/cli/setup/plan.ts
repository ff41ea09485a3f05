/** The change to one client's configuration, or why there is none. */
import { isRecord } from "../../text/decoded.js";
import { existsSync, rmSync } from "node:fs";
import { isAbsolute } from "node:path";
import { isVaultError, VaultError } from "../../errors.js";
import { CLIENT_ENTRY_NAME, serverOf, type McpClient, type ServerList, type StdioServer } from "./clients.js";
import { copiesOf, readConfigFile, type ConfigText } from "./config-file.js";
import { CORE_TOOLS, type ServerCommand } from "./server-command.js";
import {
  scriptOf,
  serverEntries,
  startsThisServer,
  vaultOf,
  type ServerEntry,
  readServerList,
  sameButFor,
  withoutServer,
  withServer,
} from "./server-list.js";

/** `text` undefined: remove the file. */
export type Plan = { readonly client: McpClient; readonly file: string } & (
  | {
      readonly kind: "change";
      readonly read: ConfigText;
      readonly text: string | undefined;
      readonly lines: readonly string[];
    }
  | { readonly kind: "nothing"; readonly why: string }
  | { readonly kind: "refused"; readonly why: string; readonly advice: string }
);

export function planConnection(client: McpClient, file: string, wanted: ServerCommand): Plan {
  return planned(client, file, ({ text, entries, taken }) => {
    const there = entries.find((entry) => startsThisServer(entry) && serves(entry, wanted));
    if (there) return `"${there.name}" starts this server with this vault already`;
    const own = entries.find(({ name }) => name === CLIENT_ENTRY_NAME);
    if (taken && !(own && isOurs(own, wanted))) {
      throw new VaultError("ALREADY_EXISTS", `has another server called "${CLIENT_ENTRY_NAME}"`, {
        hint: "Give that one another name, then run setup again.",
      });
    }
    const server = serverOf(client, wanted.command, wanted.args);
    return { text: withServer(text, client, CLIENT_ENTRY_NAME, server), own: [...wordsOf(own), ...wordsOf(wanted)] };
  });
}

export function planRemoval(client: McpClient, file: string): Plan {
  return planned(client, file, ({ text, entries, taken }) => {
    const own = entries.find(({ name }) => name === CLIENT_ENTRY_NAME);
    if (!taken) return "is not connected by setup";
    if (!own || !startsThisServer(own)) return `its "${CLIENT_ENTRY_NAME}" is another server and stays`;
    const server = serverOf(client, own.command, own.args);
    const before = textBefore(file, text, client, server);
    const isOnlyOurs = before === undefined && withServer("", client, CLIENT_ENTRY_NAME, server) === text;
    const without = isOnlyOurs ? undefined : (before ?? withoutServer(text, client, CLIENT_ENTRY_NAME));
    return { text: without, own: wordsOf(own) };
  });
}

/** From the backup of setup's first change. */
function textBefore(file: string, text: string, client: McpClient, server: StdioServer): string | undefined {
  const isBefore = (copy: string): boolean =>
    !hasEntry(readServerList(copy, client), client) && withServer(copy, client, CLIENT_ENTRY_NAME, server) === text;
  return readableCopies(file, isBefore)[0]?.text;
}

/** Those that differ only by our server. @returns the others */
export function removeCopies({ file, client }: Pick<Plan, "file" | "client">): readonly string[] {
  const now = readConfigFile(file).text;
  const same = readableCopies(file, (copy) => sameButFor(CLIENT_ENTRY_NAME, copy, now, client));
  for (const { path } of same) rmSync(path, { force: true });
  return copiesOf(file);
}

function readableCopies(file: string, test: (text: string) => boolean): { path: string; text: string }[] {
  return copiesOf(file).flatMap((path) => {
    try {
      const { text } = readConfigFile(path);
      return test(text) ? [{ path, text }] : [];
    } catch {
      return [];
    }
  });
}

interface Standing {
  readonly text: string;
  readonly entries: readonly ServerEntry[];
  readonly taken: boolean;
}

/** @param change the new text, or why nothing changes */
function planned(
  client: McpClient,
  file: string,
  change: (standing: Standing) => { text: string | undefined; own: readonly string[] } | string,
): Plan {
  try {
    const read = readConfigFile(file);
    const config = readList(read.text, client);
    const taken = hasEntry(config, client);
    const changed = change({ text: read.text, entries: serverEntries(config, client.serversKey), taken });
    if (typeof changed === "string") return { client, file, kind: "nothing", why: changed };
    const lines = changeLines(read.text, changed.text ?? "", client.format, [
      ...changed.own,
      "stdio",
      "local",
      CLIENT_ENTRY_NAME,
    ]);
    return { client, file, kind: "change", read, text: changed.text, lines };
  } catch (error) {
    if (!isVaultError(error)) throw error;
    return { client, file, kind: "refused", why: error.message, advice: error.hint ?? "Check the file by hand." };
  }
}

function hasEntry(config: Readonly<Record<string, unknown>>, { serversKey }: McpClient): boolean {
  const servers = config[serversKey];
  return isRecord(servers) && servers[CLIENT_ENTRY_NAME] !== undefined;
}

function readList(text: string, client: McpClient) {
  try {
    return readServerList(text, client);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new VaultError("INVALID_ARGUMENT", `cannot be read as ${client.format.toUpperCase()} (${error.message})`, {
      hint: "Correct the file, then run setup again; it was not touched.",
      cause: error,
    });
  }
}

/** A person may have added arguments. */
function serves(entry: ServerEntry, wanted: ServerCommand): boolean {
  const { command, args } = entry;
  return (
    wanted.args.every((word) => args.includes(word) || CORE_TOOLS.includes(word)) &&
    vaultOf(entry) === vaultOf({ ...entry, args: wanted.args }) &&
    (command === wanted.command || !isAbsolute(command) || existsSync(command))
  );
}

/** Also without its program. */
function isOurs(entry: ServerEntry, { args }: ServerCommand): boolean {
  return startsThisServer(entry) || (scriptOf(entry.args) !== undefined && scriptOf(entry.args) === scriptOf(args));
}

function wordsOf(server: Pick<ServerCommand, "command" | "args"> | undefined): string[] {
  return server === undefined ? [] : [server.command, ...server.args];
}

const CONTEXT = 2;
const JSON_STRING = /"(?:[^"\\\n]|\\.)*"(\s*:)?/g;
/** A property, an item or neither, and its value. */
const YAML_LINE = /^([ \t]*(?:- +)*(?:[\w./-]+:(?:[ \t]+|(?=\r?$)))?)(.*?)\r?$/gm;
const TOML_STRING = /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"(?=\s*[.\]=])|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g;

/** @param own may be shown; others may be secrets */
function changeLines(before: string, after: string, format: ServerList["format"], own: readonly string[]): string[] {
  const [old, now] = [before, after].map((text) => linesOf(withoutValues(text, format, new Set(own))));
  if (!old || !now) return [];
  const begin = commonLength(old, now);
  const end = commonLength(old.slice(begin).reverse(), now.slice(begin).reverse());
  const mark = (sign: string, lines: readonly string[]): string[] => lines.map((line) => `${sign} ${line}`.trimEnd());
  return [
    ...mark(" ", old.slice(Math.max(0, begin - CONTEXT), begin)),
    ...mark("-", old.slice(begin, old.length - end)),
    ...mark("+", now.slice(begin, now.length - end)),
    ...mark(" ", old.slice(old.length - end, old.length - end + CONTEXT)),
  ];
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  const different = one.findIndex((line, index) => line !== other[index]);
  return different < 0 ? one.length : different;
}

function withoutValues(text: string, format: ServerList["format"], own: ReadonlySet<string>): string {
  const shown = (literal: string): boolean => own.has(literal.slice(1, -1)) || own.has(unquoted(literal));
  if (format === "json") {
    return text.replace(JSON_STRING, (literal, colon: string | undefined) =>
      colon !== undefined || shown(literal) ? literal : '"…"',
    );
  }
  if (format === "yaml") {
    return text.replace(YAML_LINE, (line, key: string, value: string) =>
      value === "" || /^(?:true|false|\d+|\{\})$/.test(value) || own.has(value) || shown(value) ? line : `${key}…`,
    );
  }
  return text.replace(TOML_STRING, (literal: string, offset: number) => {
    const isKey = !/^("""|''')/.test(literal) && /^\s*[.\]=]/.test(text.slice(offset + literal.length));
    return isKey || shown(literal) ? literal : '"…"';
  });
}

function unquoted(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
}
