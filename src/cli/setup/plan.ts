/** What to do to one client's configuration: a change with its new text, nothing, or nothing because it cannot be done safely. */
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { isVaultError, VaultError } from "../../errors.js";
import { isObject } from "../../server/rpc.js";
import { changeLines } from "./change-text.js";
import { serverOf, type McpClient } from "./clients.js";
import { keptCopies, readConfigFile, type ConfigText } from "./config-file.js";
import type { ServerCommand } from "./server-command.js";
import { scriptOf, serverEntries, startsThisServer, vaultOf, type ServerEntry } from "./server-entry.js";
import { readServerList, withoutServer, withServer } from "./server-list.js";

/** What the server is called in every configuration. */
export const CLIENT_ENTRY_NAME = "obsidian-vault";

export type Plan = { readonly client: McpClient; readonly file: string } & (
  | { readonly kind: "change"; readonly read: ConfigText; readonly text: string; readonly lines: readonly string[] }
  | { readonly kind: "nothing"; readonly why: string }
  | { readonly kind: "refused"; readonly why: string; readonly advice: string }
);

/** To have a client start the server. */
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

/** The plan that removes what setup has added. */
export function planRemoval(client: McpClient, file: string): Plan {
  return planned(client, file, ({ text, entries, taken }) => {
    const own = entries.find(({ name }) => name === CLIENT_ENTRY_NAME);
    if (!taken) return "is not connected by setup";
    if (!own || !startsThisServer(own)) return `its "${CLIENT_ENTRY_NAME}" is another server and stays`;
    const without = textBefore(file, text, client, own) ?? withoutServer(text, client, CLIENT_ENTRY_NAME);
    return { text: without, own: wordsOf(own) };
  });
}

/** The text that setup found, byte for byte: a kept copy to which the server needs only to be added to give the present text. */
function textBefore(file: string, text: string, client: McpClient, own: ServerEntry): string | undefined {
  const server = serverOf(client, own.command, own.args);
  for (const copy of keptCopies(file)) {
    try {
      const before = readConfigFile(copy).text;
      if (withServer(before, client, CLIENT_ENTRY_NAME, server) === text && before !== text) return before;
    } catch {
      // What cannot be read is not what setup found.
    }
  }
  return undefined;
}

interface Standing {
  readonly text: string;
  readonly entries: readonly ServerEntry[];
  /** Whether there is a server with our name, of whatever transport. */
  readonly taken: boolean;
}

/** @param change gives the new text with the values that may be shown, or the reason why nothing changes */
function planned(
  client: McpClient,
  file: string,
  change: (standing: Standing) => { text: string; own: readonly string[] } | string,
): Plan {
  try {
    const read = readConfigFile(file);
    const config = readList(read.text, client);
    const servers = config[client.serversKey];
    const taken = isObject(servers) && servers[CLIENT_ENTRY_NAME] !== undefined;
    const changed = change({ text: read.text, entries: serverEntries(config, client.serversKey), taken });
    if (typeof changed === "string") return { client, file, kind: "nothing", why: changed };
    const lines = changeLines(read.text, changed.text, client.format, [...changed.own, "stdio"]);
    return { client, file, kind: "change", read, text: changed.text, lines };
  } catch (error) {
    if (!isVaultError(error)) throw error;
    return { client, file, kind: "refused", why: error.message, advice: error.hint ?? "Look at the file by hand." };
  }
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

/** Whether an entry already does what is wanted; a person may have added arguments to it. */
function serves(entry: ServerEntry, wanted: ServerCommand): boolean {
  const { command, args } = entry;
  return (
    wanted.args.every((word) => args.includes(word)) &&
    vaultOf(entry) === vaultOf({ ...entry, args: wanted.args }) &&
    (command === wanted.command || !isAbsolute(command) || existsSync(command))
  );
}

/** An entry whose program no longer exists is ours if it named the same one. */
function isOurs(entry: ServerEntry, { args }: ServerCommand): boolean {
  return startsThisServer(entry) || (scriptOf(entry.args) !== undefined && scriptOf(entry.args) === scriptOf(args));
}

function wordsOf(server: Pick<ServerCommand, "command" | "args"> | undefined): string[] {
  return server === undefined ? [] : [server.command, ...server.args];
}
