/** Changes one server in the text of a client's configuration, in either format, and verifies that nothing else has changed. */
import { isDeepStrictEqual } from "node:util";
import { VaultError } from "../../errors.js";
import { isObject } from "../../server/rpc.js";
import type { ServerList, StdioServer } from "./clients.js";
import { readJson, withJsonValue, withoutJsonValue } from "./json-config.js";
import { readToml, withTomlTable, withoutTomlTable } from "./toml-config.js";

type Config = Readonly<Record<string, unknown>>;

/**
 * The parsed configuration.
 * @throws SyntaxError naming the line when it cannot be read
 */
export function readServerList(text: string, { format }: Pick<ServerList, "format">): Config {
  const config = (format === "toml" ? readToml(text) : readJson(text)) ?? {};
  if (!isObject(config)) throw new SyntaxError("line 1");
  return config;
}

/** The text with a server of this name; of an existing one only the given fields change. */
export function withServer(text: string, list: ServerList, name: string, server: StdioServer): string {
  const { serversKey, format } = list;
  const before = readServerList(text, list);
  const servers = serversOf(before, serversKey);
  const old = servers[name];
  const expected = {
    ...before,
    [serversKey]: { ...servers, [name]: { ...(isObject(old) ? old : {}), ...server } },
  };
  const after = edited(() => {
    if (format === "toml") return withTomlTable(text, [serversKey, name], { ...server });
    if (!isObject(old)) return withJsonValue(text, [serversKey, name], server);
    return Object.entries(server).reduce(
      (now, [key, value]) => withJsonValue(now, [serversKey, name, key], value),
      text,
    );
  });
  return proven(after, list, expected);
}

/** The text without the server of this name. */
export function withoutServer(text: string, list: ServerList, name: string): string {
  const { serversKey, format } = list;
  const before = readServerList(text, list);
  const { [name]: _, ...others } = serversOf(before, serversKey);
  const { [serversKey]: __, ...rest } = before;
  const after = edited(() =>
    format === "toml" ? withoutTomlTable(text, [serversKey, name]) : withoutJsonValue(text, [serversKey, name]),
  );
  if (Object.keys(others).length > 0) return proven(after, list, { ...before, [serversKey]: others });
  return proven(after, list, rest, { ...before, [serversKey]: {} });
}

function serversOf(config: Config, serversKey: string): Config {
  const servers = config[serversKey] ?? {};
  if (!isObject(servers)) throw unsafe();
  return servers;
}

/** A form of text that the editors do not know is refused rather than guessed at. */
function edited<Result>(edit: () => Result): Result {
  try {
    return edit();
  } catch (cause) {
    throw unsafe(cause);
  }
}

/** @throws VaultError when the new text does not say exactly what was intended */
function proven(text: string, list: ServerList, ...expected: readonly Config[]): string {
  const said = edited(() => readServerList(text, list));
  if (expected.some((one) => isDeepStrictEqual(plain(said), plain(one)))) return text;
  throw unsafe();
}

/** Objects of parsers may have other prototypes than those written here. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}

function unsafe(cause?: unknown): VaultError {
  return new VaultError("INVALID_ARGUMENT", "is written in a way that cannot be changed without touching more", {
    hint: "Add the server by hand; --print shows what to add.",
    cause,
  });
}
