/** The tasks app in the protocol: shown to peers that can draw it, in both eras and over both transports, and to nobody else. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ENVELOPE, HttpTest, json } from "../../test/kit/http-front.js";
import { INITIALIZE_PARAMS, MODERN_META, StdioSession, type Message } from "../../test/kit/stdio-session.js";
import { noVault } from "../../test/kit/fixture-tools.js";
import { toolsFor } from "../tools/registry.js";
import { APP_EXTENSION, APP_MEDIA_TYPE, EMPTY_FRAMES, isAppOfferedTo, type AppOffer } from "./tasks-app.js";
import { peerOf } from "./dispatch.js";

const DOCUMENT = "<!doctype html>\n<title>Tasks</title>\n";
const DRAWN = ["get_agenda", "scan_vault", "search_tasks"];
const DRAWS = { extensions: { [APP_EXTENSION]: { mimeTypes: [APP_MEDIA_TYPE] } } };
const tools = toolsFor({ hasDefaultVault: true });

const offer = (more: Partial<AppOffer> = {}): AppOffer => ({
  mode: "auto",
  transport: "stdio",
  read: async () => DOCUMENT,
  ...more,
});

interface Listed {
  readonly name: string;
  readonly _meta?: { readonly ui: { readonly resourceUri: string }; readonly "ui/resourceUri": string };
}
const listed = ({ result }: Message): readonly Listed[] => result?.["tools"] as Listed[];
const marked = (tools: readonly Listed[]): string[] =>
  tools
    .filter(({ _meta }) => _meta !== undefined)
    .map(({ name }) => name)
    .sort();

const marksOf = (tools: readonly Listed[]) => tools.flatMap(({ _meta }) => _meta ?? []);

/** A 2025-era session over stdio, after its handshake. */
async function session(app: AppOffer | undefined, capabilities: object = {}, name = "test"): Promise<StdioSession> {
  const made = new StdioSession({ tools, workspace: noVault(), app });
  const params = { ...INITIALIZE_PARAMS, capabilities, clientInfo: { name, version: "1" } };
  made.send({ jsonrpc: "2.0", id: "init", method: "initialize", params });
  made.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  await made.answer("init");
  return made;
}
let asked = 0;
function ask(made: StdioSession, method: string, params: object = {}): Promise<Message> {
  const id = ++asked;
  return made.send({ jsonrpc: "2.0", id, method, params }).answer(id);
}

describe("who is offered the app", () => {
  it.each<[string, unknown, boolean]>([
    ["the extension with its type", DRAWS, true],
    ["other types besides", { extensions: { [APP_EXTENSION]: { mimeTypes: ["text/html", APP_MEDIA_TYPE] } } }, true],
    ["nothing", {}, false],
    ["the extension without types", { extensions: { [APP_EXTENSION]: {} } }, false],
    ["the extension with other types", { extensions: { [APP_EXTENSION]: { mimeTypes: ["text/html"] } } }, false],
    ["types that are no list", { extensions: { [APP_EXTENSION]: { mimeTypes: APP_MEDIA_TYPE } } }, false],
    ["an extension that is no object", { extensions: { [APP_EXTENSION]: true } }, false],
    ["another extension", { extensions: { "example/ui": { mimeTypes: [APP_MEDIA_TYPE] } } }, false],
    ["extensions that are none", { extensions: 5 }, false],
    ["capabilities that are none", undefined, false],
  ])("a peer that declares %s: %o is %s", (_, capabilities, expected) => {
    expect(isAppOfferedTo(offer(), peerOf({ name: "test" }, capabilities))).toBe(expected);
  });

  it.each(EMPTY_FRAMES)(
    "not $client over $transport, unless it is asked for",
    ({ client, transport, evidence, seen }) => {
      const peer = peerOf({ name: client }, DRAWS);
      expect(isAppOfferedTo(offer({ transport }), peer)).toBe(false);
      expect(isAppOfferedTo(offer({ transport, mode: "on" }), peer)).toBe(true);
      expect(isAppOfferedTo(offer({ transport: transport === "stdio" ? "streamable-http" : "stdio" }), peer)).toBe(
        true,
      );
      expect(evidence).toMatch(/https:\/\//);
      expect(seen).toMatch(/^20\d\d-\d\d$/);
    },
  );

  it("never somebody who has not introduced himself", () => {
    expect(isAppOfferedTo(offer({ mode: "on" }), undefined)).toBe(false);
  });
});

describe("over stdio", () => {
  it("marks what it draws, and lists and gives the document", async () => {
    const made = await session(offer(), DRAWS);
    const tools = listed(await ask(made, "tools/list"));
    expect(marked(tools)).toEqual(DRAWN);
    const [meta] = marksOf(tools);
    const uri = meta?.ui.resourceUri ?? "";
    expect(uri).toMatch(/^ui:\/\/obsidian-vault\/tasks-[0-9a-f]{12}\.html$/);
    expect(meta?.["ui/resourceUri"]).toBe(uri);
    const { result } = await ask(made, "resources/list");
    expect(result?.["resources"]).toEqual([expect.objectContaining({ uri, mimeType: APP_MEDIA_TYPE, title: "Tasks" })]);
    const read = await ask(made, "resources/read", { uri });
    expect(read.result?.["contents"]).toEqual([{ uri, mimeType: APP_MEDIA_TYPE, text: DOCUMENT }]);
    await made.end();
  });

  it("is the same, byte for byte, for every other peer", async () => {
    const lines: string[][] = [];
    for (const app of [undefined, offer()]) {
      const made = await session(app);
      asked = 0;
      await ask(made, "tools/list");
      await ask(made, "resources/list");
      await made.end();
      lines.push(made.raw.split("\n").sort());
    }
    expect(lines[1]).toEqual(lines[0]);
  });

  it("is not there for calls without a handshake, whatever they say", async () => {
    const made = new StdioSession({ tools, workspace: noVault(), app: offer({ mode: "on" }) });
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { capabilities: DRAWS } };
    expect(marked(listed(await made.send(list).answer(1)))).toEqual([]);
    await made.end();
  });

  it("is asked of each request of the later revision", async () => {
    const made = new StdioSession({ tools, workspace: noVault(), app: offer() });
    const draws = { ...MODERN_META, "io.modelcontextprotocol/clientCapabilities": DRAWS };
    const list = (id: number, meta: object) =>
      made.send({ jsonrpc: "2.0", id, method: "tools/list", params: { _meta: meta } }).answer(id);
    expect(marked(listed(await list(1, draws)))).toEqual(DRAWN);
    expect(marked(listed(await list(2, MODERN_META)))).toEqual([]);
    await made.end();
  });

  it("changes its name with the document, and gives the present one under an earlier name", async () => {
    let document = DOCUMENT;
    const made = await session(offer({ read: async () => document }), DRAWS);
    const uriNow = async () => marksOf(listed(await ask(made, "tools/list"))).at(0)?.ui.resourceUri;
    const before = await uriNow();
    document = `${DOCUMENT}<p>`;
    expect(await uriNow()).not.toBe(before);
    const read = await ask(made, "resources/read", { uri: before });
    expect(read.result?.["contents"]).toEqual([expect.objectContaining({ uri: before, text: document })]);
    await made.end();
  });

  it("is not spoken of in a copy that was built without it", async () => {
    const made = await session(offer({ read: async () => undefined, mode: "on" }), DRAWS);
    expect(marked(listed(await ask(made, "tools/list")))).toEqual([]);
    expect((await ask(made, "resources/list")).result?.["resources"]).toEqual([]);
    const read = await ask(made, "resources/read", { uri: "ui://obsidian-vault/tasks-0123456789ab.html" });
    expect(read.error?.message).toContain("built without its app");
    await made.end();
  });

  it("can be read where a server is narrowed to tasks, which shows no other resource", async () => {
    const narrow = toolsFor({ hasDefaultVault: true, toolsets: ["tasks"] });
    const made = new StdioSession({ tools: narrow, workspace: noVault(), app: offer() });
    const params = { ...INITIALIZE_PARAMS, capabilities: DRAWS };
    made.send({ jsonrpc: "2.0", id: "init", method: "initialize", params });
    expect((await made.answer("init")).result?.["capabilities"]).toMatchObject({ resources: {} });
    const { result } = await ask(made, "resources/list");
    const [app] = (result?.["resources"] ?? []) as { uri: string }[];
    expect((await ask(made, "resources/templates/list")).result).toEqual({ resourceTemplates: [] });
    expect((await ask(made, "resources/read", { uri: app?.uri })).result?.["contents"]).toHaveLength(1);
    const other = await ask(made, "resources/read", { uri: "mcp-obsidian://v/A.md" });
    expect(other.error?.message).toContain("no notes as resources");
    await made.end();
  });
});

describe("over HTTP", () => {
  let http: HttpTest;
  afterEach(() => http.close());

  const drawnBy = (text: { text: string }): string[] => marked(listed(json(text as never) as Message));

  it("follows what the session's handshake said", async () => {
    http = await HttpTest.open({ app: offer({ transport: "streamable-http" }) });
    const begin = async (capabilities: object, name: string) => {
      const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name, version: "1" } };
      const begun = await http.rpc("initialize", params);
      const headers = { "Mcp-Session-Id": String(begun.headers["mcp-session-id"]) };
      await http.send("/mcp", { body: { jsonrpc: "2.0", method: "notifications/initialized" }, headers });
      return drawnBy(await http.rpc("tools/list", {}, headers));
    };
    expect(await begin(DRAWS, "test")).toEqual(DRAWN);
    expect(await begin(DRAWS, "claude-ai")).toEqual(DRAWN);
    expect(await begin({}, "test")).toEqual([]);
  });

  it("follows what each request of the later revision says, and is not there for bare ones", async () => {
    http = await HttpTest.open({ app: offer({ transport: "streamable-http", mode: "auto" }) });
    const headers = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list", Accept: "application/json" };
    const meta = { ...ENVELOPE, "io.modelcontextprotocol/clientCapabilities": DRAWS };
    expect(drawnBy(await http.rpc("tools/list", { _meta: meta }, headers))).toEqual(DRAWN);
    expect(drawnBy(await http.rpc("tools/list", { _meta: ENVELOPE }, headers))).toEqual([]);
    expect(drawnBy(await http.rpc("tools/list"))).toEqual([]);
  });
});

it("names the tools that may be called beside a result it draws, and leaves the result as everybody's", async () => {
  const narrow = toolsFor({ hasDefaultVault: true, readOnly: true, toolsets: ["tasks"] });
  const http = await HttpTest.open({ app: offer({ transport: "streamable-http" }), tools: narrow });
  const call = async (name: string, args: object, draws: object) => {
    const headers = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name };
    const meta = { ...ENVELOPE, "io.modelcontextprotocol/clientCapabilities": draws };
    const answer = await http.rpc("tools/call", { name, arguments: args, _meta: meta }, headers);
    return (json(answer) as Message).result ?? {};
  };
  const { _meta: theirs, ...plain } = await call("get_agenda", {}, {});
  const { _meta: meta, ...drawn } = await call("get_agenda", {}, DRAWS);
  expect(drawn).toEqual(plain);
  const offered = narrow.tools.map(({ name }) => name);
  expect(meta).toEqual({ ...(theirs as object | undefined), "obsidian-vault-mcp-server/tools": offered });
  expect(offered).not.toContain("update_task");
  expect((await call("get_agenda", { date: "2025-02-30" }, DRAWS))["isError"]).toBe(true);
  await http.close();
});

it("has each host that draws nothing on its page", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/mcp-app.md"), "utf8");
  for (const { client, transport, seen } of EMPTY_FRAMES)
    expect(page).toMatch(new RegExp(`\\| \`${client}\`[^|]*\\| ${transport} \\|.*\\| ${seen} \\|`));
});
