/** The clients' configurations in examples/clients: the programs they name start, the calls they describe are answered, and no other. */
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { MCP_CLIENTS } from "../src/cli/setup/clients.js";
import { ROOT, builtProgram } from "./kit/built-program.js";
import { Child, jsonLines } from "./kit/child.js";
import { listening } from "./kit/program-front-ends.js";

interface Server {
  readonly command?: string | readonly string[];
  readonly cmd?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly serverUrl?: string;
  readonly httpUrl?: string;
  readonly uri?: string;
  readonly bearer_token_env_var?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
interface Configuration {
  readonly inputs?: readonly { readonly id: string; readonly password: boolean }[];
}
const KEYS = [...new Set(MCP_CLIENTS.map(({ serversKey }) => serversKey))];
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  toml: (text) => getStaticTOMLValue(parseTOML(text)),
  yaml: parse,
  json: JSON.parse,
};

const FOLDER = join(ROOT, "examples", "clients");
const TOKEN = "a-token-of-the-test-0123";
const scratch = mkdtempSync(join(tmpdir(), "clients-"));
let program: string;
beforeAll(async () => void (program = await builtProgram()));
afterAll(() => rmSync(scratch, { recursive: true }));

/** A configuration file: its kind and the one server in it. */
function read(file: string): { readonly configuration: Configuration; readonly server: Server } {
  const text = readFileSync(join(FOLDER, file), "utf8");
  const configuration = READERS[file.split(".").at(-1) ?? ""]?.(text) as Configuration & Record<string, object>;
  const servers = KEYS.flatMap((key) => Object.entries(configuration[key] ?? {})) as [string, Server][];
  expect(servers.map(([name]) => name)).toEqual(["obsidian-vault"]);
  return { configuration, server: servers[0]?.[1] ?? {} };
}

const files = readdirSync(FOLDER);
const request = (id: number, method: string, params: unknown = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const INITIALIZE = request(1, "initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "clients", version: "1" },
});

it("every client has both ways", () => {
  const clients = [...new Set(files.map((file) => file.split(".")[0]))];
  expect(clients).toEqual(MCP_CLIENTS.map(({ id }) => id).toSorted());
  expect(files).toHaveLength(2 * clients.length);
  expect(read("vscode.stdio.json").configuration).toHaveProperty("servers");
});

describe.each(files.filter((file) => file.includes(".stdio.")))("%s", (file) => {
  it("starts a program that shakes hands and offers its tools", async () => {
    const { command: first, cmd, args: rest = [] } = read(file).server;
    const [command, ...args] = [first ?? cmd, rest].flat();
    expect(command).toBe("node");
    const placed = args.map((arg = "") =>
      arg
        .replace("/absolute/path/to/obsidian-vault-mcp-server/dist/index.js", program)
        .replace("/absolute/path/to/My Vault", join(ROOT, "test-vault")),
    );
    expect(placed.some((arg) => arg.startsWith("/absolute"))).toBe(false);
    const child = new Child(placed, { XDG_CACHE_HOME: scratch });
    const { code, stdout } = await child.end(`${INITIALIZE}\n${request(2, "tools/list")}\n`);
    expect(code).toBe(0);
    expect(jsonLines(stdout)).toEqual([
      expect.objectContaining({ id: 1, result: expect.objectContaining({ protocolVersion: "2025-06-18" }) }),
      expect.objectContaining({ id: 2, result: { tools: expect.arrayContaining([expect.anything()]) } }),
    ]);
  });
});

describe("over HTTP", () => {
  let child: Child;
  let url: string;
  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}/mcp`;
    const settings = { AUTH_TOKEN: TOKEN, XDG_CACHE_HOME: scratch };
    child = new Child([program, "--http", String(port), join(ROOT, "test-vault"), "--read-only"], settings);
    await listening(child);
  });
  afterAll(async () => {
    child.process.kill("SIGTERM");
    await child.ended;
  });

  it.each(files.filter((file) => file.includes(".http.")))(
    "%s: its call is answered, without the token it is not",
    async (file) => {
      const { configuration, server } = read(file);
      const [name = "", value = ""] = headerOf(server);
      expect(name).toBe("Authorization");
      const answer = (token: string) => call(url, { [name]: filledIn(value, configuration, token) });
      expect((await answer(TOKEN)).status).toBe(200);
      expect((await answer("another-token-0123456789")).status).toBe(401);
    },
  );
});

/** The header a client would send: said outright, or to `mcp-remote`, whose variable holds the rest. */
function headerOf({ url, serverUrl, httpUrl, uri, headers, args = [], env = {}, ...rest }: Server): readonly string[] {
  if (rest.bearer_token_env_var !== undefined) return ["Authorization", `Bearer \${${rest.bearer_token_env_var}}`];
  if (headers !== undefined) {
    expect(url ?? serverUrl ?? httpUrl ?? uri).toBe("https://notes.example/mcp");
    return Object.entries(headers)[0] ?? [];
  }
  expect(args).toContain("https://notes.example/mcp");
  const [name = "", variable = ""] = (args.at(-1) ?? "").split(":");
  return [name, env[variable.slice(2, -1)] ?? ""];
}

/** Puts the token where the client would: from the environment, an input that it asks for, or by the reader's own hand. */
function filledIn(value: string, { inputs = [] }: Configuration, token: string): string {
  const places = [
    "<token>",
    "${OBSIDIAN_VAULT_TOKEN}",
    "${env:OBSIDIAN_VAULT_TOKEN}",
    "{env:OBSIDIAN_VAULT_TOKEN}",
    "$OBSIDIAN_VAULT_TOKEN",
  ];
  const asked = inputs.filter(({ password }) => password).map(({ id }) => `\${input:${id}}`);
  return [...places, ...asked].reduce((text, place) => text.replace(place, () => token), value);
}

function call(url: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: INITIALIZE,
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
