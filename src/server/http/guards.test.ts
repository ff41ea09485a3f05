/** Who may call, over real sockets: nothing of a refused request runs. */
import { afterEach, describe, expect, it } from "vitest";
import { HttpTest, OPEN_ACCESS, json } from "../../../test/kit/http-front.js";
import { toolsFor } from "../../tools/registry.js";
import type { HttpOptions } from "./http-server.js";
import { RateLimit } from "./guards.js";
import { ALL_SCOPES, digestOf, type NamedToken } from "./tokens.js";

let server: HttpTest | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});
const open = async (options: Partial<HttpOptions> = {}) => (server = await HttpTest.open(options));

const CREATE = { path: "New.md", file_text: "x" };
const create = JSON.stringify({ arguments: CREATE });
const TOKEN = "correct-horse-battery";
const token = (name: string, text: string, scopes = ALL_SCOPES): NamedToken => ({
  name,
  digest: digestOf(text),
  scopes,
});
const withTokens = (...tokens: NamedToken[]) => ({ access: { ...OPEN_ACCESS, tokens } });

const EVERYWHERE = [
  "/mcp",
  "/bridge/v1/tools",
  "/bridge/v1/health",
  "/bridge/v1/tools/create/call",
  "/metrics",
  "/nowhere",
];

describe("the guards", () => {
  // test/hostile-inputs.md, H01, H03
  it("refuse pages of other sites everywhere, before anything runs", async () => {
    const http = await open();
    for (const origin of [
      "https://evil.example",
      "null",
      "http://localhost.evil.example",
      "http://127.0.0.1.evil.example",
      "file://",
      "http://localhost:1:2",
      "app://obsidian.md.evil",
    ])
      for (const path of EVERYWHERE) {
        const headers = { Origin: origin };
        expect((await http.send(path, { headers })).status, `${origin} ${path}`).toBe(403);
        expect((await http.send(path, { headers, body: create })).status).toBe(403);
      }
    expect(
      (await http.send("/mcp", { headers: { Origin: ["http://localhost", "https://evil.example"] } })).status,
    ).not.toBe(200);
    expect(http.vault.hiddenNames().concat(await names(http))).not.toContain("New.md");
  });

  it.each(EVERYWHERE.concat("/health", "/ready"))("refuse more headers than are looked at, %s", async (path) => {
    const http = await open();
    // An answer of 431 ends the connection by itself.
    const ask = async (headers: readonly string[], end = "Connection: close") => {
      const head = [`POST ${path} HTTP/1.1`, "Host: localhost", `Content-Length: ${create.length}`, ...headers];
      const text = [...head, "Content-Type: application/json", end, "", create].join("\r\n");
      return Number(/^HTTP\/1\.1 (\d+) /.exec(await http.raw(text))?.[1]);
    };
    const others = (count: number) => Array.from({ length: count }, () => "x:");
    // Of 1,000 the last ones still count: Host, Content-Length, Origin, Content-Type and Connection are five.
    const isProbe = path === "/health" || path === "/ready";
    expect(await ask([...others(995), "Origin: https://evil.example"])).toBe(isProbe ? 405 : 403);
    for (const count of [996, 1020, 1050, 3000])
      expect(await ask([...others(count), "Origin: https://evil.example"], "x: y"), `${count}`).toBe(431);
    expect(await names(http)).not.toContain("New.md");
  });

  // test/hostile-inputs.md, H02, H03
  it("take no body that is not announced as JSON", async () => {
    const http = await open();
    const types = [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonx",
      "",
      "application/json; charset=latin1",
    ];
    for (const type of types)
      for (const path of ["/mcp", "/bridge/v1/tools/create/call"]) {
        const refused = await http.send(path, { headers: { "Content-Type": type }, body: create });
        expect(refused.status, type).toBe(415);
      }
    const squeezed = await http.send("/mcp", { headers: { "Content-Encoding": "gzip" }, body: create });
    expect(squeezed.status).toBe(415);
    const fine = { "Content-Type": 'Application/JSON; charset="utf-8"' };
    expect((await http.call("search_tasks", { query: "x" }, fine)).status).toBe(200);
    expect(await names(http)).not.toContain("New.md");
  });

  // test/hostile-inputs.md, H04
  it("serve no foreign Host (DNS rebinding) but the probes, which say nothing else", async () => {
    const http = await open({ access: { ...OPEN_ACCESS, hosts: ["notes.example"] } });
    for (const host of [
      "evil.example",
      `evil.example:${http.server.port}`,
      "localhost.evil.example",
      "127.0.0.1.evil.example",
      "localhost@evil.example",
      "[::2]",
      "0.0.0.0",
    ])
      for (const path of EVERYWHERE)
        for (const origin of [undefined, `http://${host}`]) {
          const headers = { Host: host, ...(origin === undefined ? {} : { Origin: origin }) };
          expect((await http.send(path, { headers, body: create })).status, `${host} ${path}`).toBe(403);
        }
    for (const host of [
      "localhost",
      "LOCALHOST:1",
      "127.0.0.1:99",
      "127.1.2.3",
      "[::1]:3000",
      "notes.example:443",
      "Notes.Example",
    ])
      expect((await http.send("/bridge/v1/health", { headers: { Host: host } })).status, host).toBe(200);
    const probed = { Host: "10.1.2.3:8080", Origin: "https://evil.example" };
    expect(json(await http.send("/health", { headers: probed }))).toEqual({ status: "ok" });
    expect(json(await http.send("/ready", { headers: probed }))).toEqual({ status: "ready", journal: "kept" });
    expect(
      await http.raw(
        "GET /bridge/v1/tools HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
      ),
    ).toMatch(/^HTTP\/1\.1 40[03] /);
    expect(await http.raw("GET /bridge/v1/tools HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 403 /);
    expect(
      await http.raw(
        "GET http://evil.example/bridge/v1/tools HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      ),
    ).toMatch(/^HTTP\/1\.1 404 /);
  });

  // test/hostile-inputs.md, H05, H06
  it("let curl, Obsidian and local pages work without a token", async () => {
    const http = await open({ access: { ...OPEN_ACCESS, origins: ["https://notes.example"] } });
    for (const origin of [
      undefined,
      "app://obsidian.md",
      "capacitor://localhost",
      "http://localhost:5173",
      "https://127.0.0.1",
      "http://[::1]:80",
      "https://notes.example",
    ]) {
      const answer = await http.call(
        "read_note",
        { path: "Notes/Example.md" },
        origin === undefined ? {} : { Origin: origin },
      );
      expect(json(answer), origin).toMatchObject({ success: true, content: [{ type: "text", text: "# Example\n" }] });
      expect(answer.headers["access-control-allow-origin"]).toBe("*");
    }
  });

  // test/hostile-inputs.md, H07
  it("answer preflights of anybody with 204, and never for private networks", async () => {
    const http = await open();
    const headers = {
      Origin: "https://evil.example",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Private-Network": "true",
    };
    const onBridge = await http.send("/bridge/v1/tools/create/call", { method: "OPTIONS", headers });
    expect([onBridge.status, onBridge.text]).toEqual([204, ""]);
    expect(onBridge.headers).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, POST, OPTIONS",
      "access-control-allow-headers": "Content-Type",
    });
    expect(onBridge.headers).not.toHaveProperty("access-control-allow-private-network");
    const onMcp = await http.send("/mcp", { method: "OPTIONS", headers });
    expect(onMcp.headers["access-control-allow-headers"]).toBe(
      "Content-Type, Authorization, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID",
    );
    expect(onMcp.headers["access-control-expose-headers"]).toBe("Mcp-Session-Id, WWW-Authenticate, Retry-After");
    expect((await http.call("create", CREATE, { Origin: "https://evil.example" })).status).toBe(403);
  });

  // test/hostile-inputs.md, H13, H14
  it("want the right token, once, in a header", async () => {
    const http = await open(withTokens(token("one", TOKEN), token("other", "another-token-here")));
    const right = [
      { Authorization: `Bearer ${TOKEN}` },
      { Authorization: `bearer   ${TOKEN}` },
      { "X-ObsiScripta-Api-Key": TOKEN },
      { Authorization: "Bearer another-token-here" },
    ];
    for (const headers of right) expect((await http.send("/bridge/v1/tools", { headers })).status).toBe(200);
    const wrong: Record<string, string | string[]>[] = [
      {},
      { Authorization: "" },
      { Authorization: "Bearer" },
      { Authorization: "Bearer " },
      { Authorization: "Bearer wrong" },
      { Authorization: `Bearer ${TOKEN}x` },
      { Authorization: `Bearer ${TOKEN} x` },
      { Authorization: `Basic ${TOKEN}` },
      { Authorization: TOKEN },
      { "X-ObsiScripta-Api-Key": "" },
      { "X-ObsiScripta-Api-Key": [TOKEN, TOKEN] },
      { Authorization: "Bearer wrong", "X-ObsiScripta-Api-Key": TOKEN },
    ];
    for (const headers of wrong)
      for (const path of [
        "/mcp",
        "/bridge/v1/tools",
        "/bridge/v1/health",
        "/metrics",
        `/bridge/v1/tools?token=${TOKEN}&access_token=${TOKEN}`,
        "/nowhere",
      ]) {
        const refused = await http.send(path, { headers });
        expect(refused.status, JSON.stringify(headers)).toBe(401);
        expect(refused.headers["www-authenticate"]).toMatch(/^Bearer /);
      }
    const twice = `GET /bridge/v1/tools HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nAuthorization: Bearer ${TOKEN}\r\nConnection: close\r\n\r\n`;
    expect(await http.raw(twice)).toMatch(/^HTTP\/1\.1 401 /);
    expect(http.logged.join("")).not.toContain(TOKEN);
  });

  it("lets pages send a token where one is wanted, and a collector come by any name with one", async () => {
    const http = await open(withTokens(token("one", TOKEN)));
    const preflight = await http.send("/bridge/v1/tools", { method: "OPTIONS" });
    expect(preflight.headers["access-control-allow-headers"]).toBe(
      "Content-Type, Authorization, X-ObsiScripta-Api-Key",
    );
    const headers = { Host: "10.0.0.7:8080", Authorization: `Bearer ${TOKEN}` };
    expect((await http.send("/metrics", { headers })).status).toBe(200);
    expect((await http.send("/bridge/v1/tools", { headers })).status).toBe(403);
  });

  it("limits each caller's rate, and how fast tokens can be tried", async () => {
    const rate = new RateLimit({ perMinute: 1, burst: 2 });
    const http = await open({ access: { ...OPEN_ACCESS, tokens: [token("one", TOKEN)], rate } });
    const ask = (text: string) => http.send("/bridge/v1/health", { headers: { Authorization: `Bearer ${text}` } });
    expect([await ask("wrong"), await ask("wrong"), await ask("wrong")].map(({ status }) => status)).toEqual([
      401, 401, 429,
    ]);
    expect([await ask(TOKEN), await ask(TOKEN)].map(({ status }) => status)).toEqual([200, 200]);
    const late = await ask(TOKEN);
    expect([late.status, late.headers["retry-after"]]).toEqual([429, "60"]);
    expect(json(late)).toMatchObject({ error: "Too many requests" });
    expect((await http.send("/health")).status).toBe(200);
  });

  it("narrows tools, resources and prompts to a token's scopes, in the lookup as in the list", async () => {
    const reader = token("reader", "reader-reader-reader", { write: false, toolsets: ["tasks"] });
    const http = await open(withTokens(reader, token("all", TOKEN)));
    const [narrow, wide] = [{ Authorization: "Bearer reader-reader-reader" }, { Authorization: `Bearer ${TOKEN}` }];
    const { tools } = json(await http.send("/bridge/v1/tools", { headers: narrow })) as { tools: { name: string }[] };
    const reading = toolsFor({ toolsets: ["tasks"], readOnly: true }).tools;
    expect(tools.map(({ name }) => name)).toEqual(reading.map(({ name }) => name));
    expect(tools.map(({ name }) => name)).not.toContain("create_task");
    for (const [tool, scope] of [
      ["create", "files"],
      ["create_task", "write"],
      ["read_note", "notes"],
    ] as const) {
      const refused = json(await http.call(tool, { path: "New.md" }, narrow));
      expect(refused).toMatchObject({
        success: false,
        isError: true,
        content: [{ text: expect.stringContaining(`"${scope}"`) as string }],
      });
    }
    expect(json(await http.rpc("resources/list", {}, narrow))).toMatchObject({ error: { code: -32601 } });
    expect(json(await http.rpc("resources/list", {}, wide))).toMatchObject({
      result: { resources: [{ name: "Example.md" }] },
    });
    const session = await http.initialize(wide);
    expect((await http.rpc("tools/list", {}, { ...narrow, "Mcp-Session-Id": session })).status).toBe(404);
    expect(await names(http)).not.toContain("New.md");
  });
});

async function names(http: HttpTest): Promise<string[]> {
  const { readdir } = await import("node:fs/promises");
  return readdir(http.vault.folder);
}
