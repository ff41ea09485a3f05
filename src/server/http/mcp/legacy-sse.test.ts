/** HTTP+SSE, when asked for: the v1 client's own transport over it, its sessions' owners, and its absence by default. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { afterEach, describe, expect, it } from "vitest";
import { HttpTest, OPEN_ACCESS, json } from "../../../../test/kit/http-front.js";
import { ALL_SCOPES, digestOf } from "../tokens.js";

let http: HttpTest;
afterEach(() => http.close());

describe("HTTP+SSE", () => {
  it("serves the v1 client", async () => {
    http = await HttpTest.open({ legacySse: true });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new SSEClientTransport(new URL(`${http.url}/sse`)));
    expect((await client.listTools()).tools.length).toBeGreaterThan(20);
    const answer = await client.callTool({ name: "read_note", arguments: { path: "Notes/Example.md" } });
    expect(answer.content).toEqual([{ type: "text", text: "# Example\n" }]);
    await client.close();
  });

  it("is not there unless asked for", async () => {
    http = await HttpTest.open();
    expect([(await http.send("/sse")).status, (await http.send("/messages", { body: {} })).status]).toEqual([404, 404]);
  });

  it("refuses foreign pages, other methods, unknown streams and those of others", async () => {
    const token = (name: string) => ({ name, digest: digestOf(`${name}-token-of-some-length`), scopes: ALL_SCOPES });
    http = await HttpTest.open({ legacySse: true, access: { ...OPEN_ACCESS, tokens: [token("one"), token("two")] } });
    const as = (name: string) => ({ Authorization: `Bearer ${name}-token-of-some-length` });
    expect((await http.send("/sse")).status).toBe(401);
    expect((await http.send("/sse", { headers: { ...as("one"), Origin: "https://evil.example" } })).status).toBe(403);
    expect((await http.send("/sse", { method: "PUT", headers: as("one") })).status).toBe(405);
    expect((await http.send("/messages", { headers: as("one") })).status).toBe(405);
    const stream = await fetch(`${http.url}/sse`, { headers: as("one") });
    const reader = stream.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    const path = /data: (\S+)/.exec(first)?.[1] ?? "";
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const foreign = await http.send(path, { headers: as("two"), body: ping });
    expect([foreign.status, json(foreign)]).toMatchObject([404, { error: "Session not found" }]);
    expect((await http.send("/messages?sessionId=1", { headers: as("one"), body: ping })).status).toBe(404);
    expect((await http.send(path, { headers: as("one"), body: "{bad" })).status).toBe(400);
    expect((await http.send(path, { headers: as("one"), body: ping })).status).toBe(202);
    await reader?.cancel();
  });
});
