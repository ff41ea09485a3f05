/** `/mcp` without sessions: bare calls, malformed bodies, versions, and 2026-07-28 with its streams. */
import { appendFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENVELOPE, HttpTest, eventsOf, json } from "../../../../test/kit/http-front.js";
import { toolsFor } from "../../../tools/registry.js";

let http: HttpTest;
beforeAll(async () => {
  http = await HttpTest.open();
});
afterAll(() => http.close());

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
const modern = (method: string, name?: string) => ({
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
  "Mcp-Protocol-Version": "2026-07-28",
  "Mcp-Method": method,
  ...(name === undefined ? {} : { "Mcp-Name": name }),
});
const enveloped = (method: string, params: object = {}) => ({
  jsonrpc: "2.0",
  id: 7,
  method,
  params: { ...params, _meta: ENVELOPE },
});

describe("/mcp", () => {
  // test/hostile-inputs.md, H17
  it("answers the document's curl with one JSON body, whatever it accepts", async () => {
    for (const headers of [
      {},
      { Accept: "*/*" },
      { Accept: "application/json" },
      { Accept: "text/html" },
      { "Mcp-Protocol-Version": "2025-03-26" },
    ]) {
      const answer = await http.send("/mcp", { body: LIST, headers });
      expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/json"]);
      expect(json(answer)).toEqual({
        jsonrpc: "2.0",
        id: 1,
        result: { tools: toolsFor({ hasDefaultVault: true }).tools.map(({ listing }) => listing) },
      });
      expect(answer.headers).not.toHaveProperty("mcp-session-id");
    }
    const called = await http.rpc("tools/call", { name: "read_note", arguments: { path: "Notes/Example.md" } });
    expect(json(called)).toMatchObject({ id: 1, result: { content: [{ type: "text", text: "# Example\n" }] } });
  });

  it("takes a slash after its path, and a byte order mark before the body", async () => {
    for (const [path, body] of [
      ["/mcp/", LIST],
      ["/mcp", `\uFEFF${JSON.stringify(LIST)}`],
    ] as const)
      expect(json(await http.send(path, { body })), path).toHaveProperty("result.tools");
  });

  it("answers every method without a session, and batches in one array", async () => {
    for (const [method, params] of [
      ["ping", {}],
      ["resources/list", {}],
      ["prompts/list", {}],
    ] as const)
      expect(json(await http.rpc(method, params))).toHaveProperty("result");
    const batch = [
      { jsonrpc: "2.0", id: "a", method: "ping" },
      { jsonrpc: "2.0", method: "notifications/x" },
      5,
      { jsonrpc: "2.0", id: 2, method: "nope" },
    ];
    const answer = await http.send("/mcp", { body: batch });
    expect(answer.status).toBe(200);
    expect(json(answer)).toEqual(
      expect.arrayContaining([
        { jsonrpc: "2.0", id: "a", result: {} },
        { jsonrpc: "2.0", id: null, error: { code: -32600, message: expect.any(String) as string } },
        { jsonrpc: "2.0", id: 2, error: { code: -32601, message: 'Method not found: "nope"' } },
      ]),
    );
    const silent = await http.send("/mcp", { body: { jsonrpc: "2.0", method: "notifications/initialized" } });
    expect([silent.status, silent.text]).toEqual([202, ""]);
  });

  it("tells what is wrong with a body by its JSON-RPC number", async () => {
    const cases: [unknown, number, number][] = [
      ["{bad", 400, -32700],
      [Buffer.from([0xff, 0xfe]), 400, -32700],
      ["[]", 400, -32600],
      ["5", 400, -32600],
      ['{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600],
      ['{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32600],
      ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 400, -32602],
      [Array.from({ length: 101 }, () => LIST), 400, -32600],
      ['{"jsonrpc":"2.0","id":1,"method":"nope"}', 200, -32601],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope"}}', 200, -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_note","arguments":[]}}', 200, -32602],
    ];
    for (const [body, status, code] of cases) {
      const answer = await http.send("/mcp", { body });
      expect([answer.status, json(answer)], String(body)).toMatchObject([status, { jsonrpc: "2.0", error: { code } }]);
    }
  });

  it("answers a request of 2026-07-28 for a method that is not there with 404, and goes on", async () => {
    for (const method of ["unknown/method", "initialize", "ping", "logging/setLevel"]) {
      const answer = await http.send("/mcp", { body: enveloped(method), headers: modern(method) });
      expect([answer.status, json(answer)], method).toMatchObject([404, { id: 7, error: { code: -32601 } }]);
    }
    for (const method of ["server/discover", "tools/list", "resources/list"]) {
      const answer = await http.send("/mcp", { body: enveloped(method), headers: modern(method) });
      expect([answer.status, json(answer)], method).toMatchObject([200, { id: 7, result: expect.anything() }]);
    }
  });

  it("lets nobody subscribe who could hear of nothing", async () => {
    const params = { uri: "mcp-obsidian://vault/Notes/Example.md" };
    expect(json(await http.rpc("resources/subscribe", params))).toMatchObject({ error: { code: -32601 } });
    const body = enveloped("resources/subscribe", params);
    const answer = await http.send("/mcp", { body, headers: modern("resources/subscribe") });
    expect(json(answer)).toMatchObject({ error: { code: -32601 } });
  });

  it("answers a call of 2026-07-28, and refuses one whose headers or envelope are wrong", async () => {
    const call = { name: "read_note", arguments: { path: "Notes/Example.md" } };
    const right = modern("tools/call", "read_note");
    expect((await http.send("/mcp", { body: enveloped("tools/call", call), headers: right })).status).toBe(200);
    const wrong: [Record<string, string>, object, number][] = [
      [{ ...right, "Mcp-Name": "view" }, enveloped("tools/call", call), -32020],
      [{ ...right, "Mcp-Method": "tools/list" }, enveloped("tools/call", call), -32020],
      [modern("tools/call"), enveloped("tools/call", call), -32020],
      [{ ...right, "Mcp-Protocol-Version": "2025-06-18" }, enveloped("tools/call", call), -32020],
      [right, { ...LIST, method: "tools/call", params: { ...call, _meta: {} } }, -32602],
      [
        right,
        {
          ...LIST,
          method: "tools/call",
          params: { ...call, _meta: { ...ENVELOPE, [Object.keys(ENVELOPE)[1] ?? ""]: 5 } },
        },
        -32602,
      ],
    ];
    for (const [headers, body, code] of wrong) {
      const answer = await http.send("/mcp", { body, headers });
      expect([answer.status, json(answer)]).toMatchObject([400, { error: { code } }]);
    }
  });

  it("takes 16 MiB and not more", async () => {
    const text = (bytes: number) => JSON.stringify({ ...LIST, method: "nope", params: { x: "y".repeat(bytes) } });
    expect((await http.send("/mcp", { body: text(16 * 1024 * 1024 - 200) })).status).toBe(200);
    for (const chunked of [false, true]) {
      const over = await http.send("/mcp", { body: text(16 * 1024 * 1024), chunked });
      expect([over.status, json(over)]).toEqual([
        413,
        { jsonrpc: "2.0", id: null, error: { code: -32000, message: "The body may have at most 16 MiB." } },
      ]);
    }
  });

  it("refuses very many small values without parsing them; others are answered meanwhile", async () => {
    const message = "The body may hold at most 200,000 values and names of fields, nested at most 1,000 deep.";
    const listed = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":[${"[],".repeat(5_000_000)}1]}}`;
    const nested = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":${"[".repeat(8_000_000)}`;
    for (const body of [listed, nested]) {
      const answer = await http.send("/mcp", { body });
      expect([answer.status, json(answer)]).toEqual([413, { jsonrpc: "2.0", id: 1, error: { code: -32600, message } }]);
    }
    const fields = Array.from({ length: 70_000 }, (_, n) => `"f${n}":${n % 10}`).join();
    const called = await http.send("/bridge/v1/tools/read_note/call", { body: `{"arguments":{${fields},"a":[1]}}` });
    expect([called.status, json(called)]).toMatchObject([200, { success: false }]);
    const over = await http.send("/bridge/v1/tools/read_note/call", {
      body: `{"arguments":[${"1,".repeat(200_000)}1]}`,
    });
    expect([over.status, json(over)]).toEqual([413, { error: "Request body too large", message }]);
  });

  // test/hostile-inputs.md, H18
  it("refuses unknown versions and sessions, and has no stream without a session", async () => {
    expect((await http.send("/mcp", { body: LIST, headers: { "Mcp-Protocol-Version": "1999-01-01" } })).status).toBe(
      400,
    );
    const unknown = { "Mcp-Session-Id": "00000000-0000-0000-0000-000000000000" };
    expect((await http.send("/mcp", { body: LIST, headers: unknown })).status).toBe(404);
    expect((await http.send("/mcp", { headers: { ...unknown, Accept: "text/event-stream" } })).status).toBe(404);
    expect((await http.send("/mcp", { method: "DELETE", headers: unknown })).status).toBe(404);
    const bare = await http.send("/mcp", { headers: { Accept: "text/event-stream" } });
    expect([bare.status, bare.headers.allow]).toEqual([405, "POST, OPTIONS"]);
  });

  it("serves 2026-07-28: discovery, calls with our own error numbers, no session", async () => {
    const discovered = await http.send("/mcp", {
      body: enveloped("server/discover"),
      headers: modern("server/discover"),
    });
    expect(json(discovered)).toMatchObject({
      id: 7,
      result: {
        capabilities: { tools: {}, resources: { subscribe: true } },
      },
    });
    const call = enveloped("tools/call", { name: "read_note", arguments: { path: "Notes/Example.md" } });
    const called = await http.send("/mcp", { body: call, headers: modern("tools/call", "read_note") });
    expect(json(called)).toMatchObject({ id: 7, result: { content: [{ text: "# Example\n" }] } });
    expect(called.headers).not.toHaveProperty("mcp-session-id");
    const mismatched = await http.send("/mcp", { body: call, headers: modern("tools/list") });
    expect(mismatched.status).toBe(400);
    const bare = await http.send("/mcp", { body: LIST, headers: modern("tools/list") });
    expect([bare.status, json(bare)]).toMatchObject([400, { error: { code: -32602 } }]);
  });

  it("announces a changed note to those who listen, as long as they do", async () => {
    const uri = `mcp-obsidian://vault/Notes/Example.md`;
    const leave = new AbortController();
    const response = await fetch(`${http.url}/mcp`, {
      method: "POST",
      headers: modern("subscriptions/listen"),
      body: JSON.stringify(enveloped("subscriptions/listen", { notifications: { resourceSubscriptions: [uri] } })),
      signal: leave.signal,
    });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    let isChanged = false;
    const heard = await eventsOf(response, ({ length }) => {
      // A change right after the acknowledgement is heard.
      if (length === 1 && !isChanged) appendFileSync(http.vault.at("Notes/Example.md"), "\n");
      isChanged = true;
      return length >= 2;
    });
    leave.abort();
    expect(heard[0]).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
    expect(heard[1]).toMatchObject({ method: "notifications/resources/updated", params: { uri } });
  });
});
