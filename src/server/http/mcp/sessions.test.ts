/** Sessions of 2025-era clients: their beginning and end, streams, notifications, cancellation, idle time and number. */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { HttpTest, eventsOf, json } from "../../../../test/kit/http-front.js";
import { fixtureTools } from "../../../../test/kit/fixture-tools.js";
import type { HttpOptions } from "../http-server.js";

let http: HttpTest;
afterEach(() => http.close());
const open = async (options: Partial<HttpOptions> = {}) => (http = await HttpTest.open(options));

const inSession = (id: string) => ({ "Mcp-Session-Id": id, Accept: "application/json, text/event-stream" });
const listen = (id: string, signal?: AbortSignal) =>
  fetch(`${http.url}/mcp`, {
    headers: { "Mcp-Session-Id": id, Accept: "text/event-stream" },
    ...(signal ? { signal } : {}),
  });
const post = (id: string, body: unknown, signal?: AbortSignal) =>
  fetch(`${http.url}/mcp`, {
    method: "POST",
    headers: { ...inSession(id), "Content-Type": "application/json" },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
const call = (id: number, name: string, args: unknown = {}, meta?: unknown) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) },
});

describe("a session", () => {
  it("begins with initialize, answers in it, and ends with DELETE", async () => {
    await open();
    const id = await http.initialize();
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    const listed = await http.rpc("tools/list", {}, inSession(id));
    expect([listed.status, listed.headers["mcp-session-id"]]).toEqual([200, id]);
    expect(json(listed)).toHaveProperty("result.tools");
    expect((await http.rpc("ping", {}, { ...inSession(id), "Mcp-Protocol-Version": "1999-01-01" })).status).toBe(400);
    expect((await http.rpc("initialize", {}, inSession(id))).status).toBe(400);
    expect((await http.send("/mcp", { method: "DELETE", headers: inSession(id) })).status).toBe(204);
    for (const gone of [
      await http.rpc("ping", {}, inSession(id)),
      await http.send("/mcp", { method: "DELETE", headers: inSession(id) }),
    ])
      expect([gone.status, json(gone)]).toMatchObject([404, { error: { code: -32001 } }]);
  });

  it("begins anew with initialize under the id of one that has ended", async () => {
    await open();
    const id = await http.initialize(inSession("00000000-0000-0000-0000-000000000000"));
    expect((await http.rpc("ping", {}, inSession(id))).status).toBe(200);
  });

  it("does not begin when initialize is refused, or comes with others", async () => {
    await open({ sessions: { most: 1 } });
    const refused = await http.rpc("initialize", { protocolVersion: 5 });
    expect(json(refused)).toMatchObject({ error: { code: -32602 } });
    const id = String(refused.headers["mcp-session-id"]);
    expect((await http.rpc("ping", {}, inSession(id))).status).toBe(404);
    const init = { jsonrpc: "2.0", id: 1, method: "initialize", params: {} };
    expect((await http.send("/mcp", { body: [init, { ...init, id: 2 }] })).status).toBe(400);
  });

  it("answers in JSON, and in a stream when there is progress to tell", async () => {
    await open({ tools: fixtureTools, progress: { afterMs: 0, everyMs: 0 } });
    const id = await http.initialize();
    const plain = await post(id, call(1, "echo", { text: "a" }));
    expect(plain.headers.get("content-type")).toBe("application/json");
    const told = await post(id, call(2, "wait", { ms: 100 }, { progressToken: "t" }));
    expect(told.headers.get("content-type")).toBe("text/event-stream");
    const messages = await eventsOf(told, () => false);
    expect(messages.at(0)).toMatchObject({ method: "notifications/progress", params: { progressToken: "t" } });
    expect(messages.at(-1)).toMatchObject({ id: 2, result: {} });
    const noStream = await http.send("/mcp", {
      body: call(3, "wait", { ms: 40 }, { progressToken: "t" }),
      headers: { "Mcp-Session-Id": id },
    });
    expect([noStream.headers["content-type"], json(noStream)]).toMatchObject([
      "application/json",
      { id: 3, result: {} },
    ]);
  });

  it("ends a cancelled request's answer, and refuses an id that is still at work", async () => {
    await open({ tools: fixtureTools });
    const id = await http.initialize();
    const waiting = post(id, call(5, "wait", { ms: 60_000 }));
    await until(async () => (await figures()).includes("obsidian_mcp_tool_calls_open 1"));
    expect(await (await post(id, call(5, "echo"))).json()).toMatchObject({ id: 5, error: { code: -32600 } });
    expect(
      (await post(id, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } })).status,
    ).toBe(202);
    const ended = await waiting;
    expect([ended.status, await ended.text()]).toEqual([202, ""]);
    await until(async () => (await figures()).includes("obsidian_mcp_tool_calls_open 0"));
  });

  it("announces changes of subscribed notes on its stream; a newer stream takes over", async () => {
    await open();
    const id = await http.initialize();
    const uri = "mcp-obsidian://vault/Notes/Example.md";
    expect(json(await http.rpc("resources/subscribe", { uri }, inSession(id)))).toMatchObject({ result: {} });
    const older = await listen(id);
    const newer = await listen(id);
    const olderEnds = eventsOf(older, () => false);
    const heard = eventsOf(newer, (messages) => messages.length > 0);
    appendFileSync(http.vault.at("Notes/Example.md"), "more\n");
    expect(await heard).toEqual([{ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } }]);
    expect(await olderEnds).toEqual([]);
    expect((await http.send("/mcp", { headers: { "Mcp-Session-Id": id, Accept: "application/json" } })).status).toBe(
      406,
    );
  });

  it("ends when idle, but not while a stream is open or a request is at work", async () => {
    await open({ tools: fixtureTools, sessions: { idleMs: 2000 }, limits: { stopMs: 50 } });
    const [idle, listening, working] = [await http.initialize(), await http.initialize(), await http.initialize()];
    const leave = new AbortController();
    await listen(listening, leave.signal);
    const work = post(working, call(1, "wait", { ms: 60_000 }), leave.signal).catch(() => undefined);
    await sleep(3500);
    const statuses = [idle, listening, working].map(async (id) => (await http.rpc("ping", {}, inSession(id))).status);
    expect(await Promise.all(statuses)).toEqual([404, 200, 200]);
    leave.abort();
    await work;
  });

  it("makes room when there are too many: the one unused longest goes, those that are busy stay", async () => {
    await open({ tools: fixtureTools, sessions: { most: 3 }, limits: { stopMs: 50 } });
    const [first, second, third] = [await http.initialize(), await http.initialize(), await http.initialize()];
    const leave = new AbortController();
    const work = [post(first, call(1, "wait", { ms: 60_000 }), leave.signal).catch(() => undefined)];
    await http.rpc("ping", {}, inSession(second));
    const fourth = await http.initialize();
    const alive = async (id: string) => (await http.rpc("ping", {}, inSession(id))).status === 200;
    expect([await alive(third), await alive(first), await alive(second), await alive(fourth)]).toEqual([
      false,
      true,
      true,
      true,
    ]);
    for (const id of [second, fourth])
      work.push(post(id, call(1, "wait", { ms: 60_000 }), leave.signal).catch(() => undefined));
    await until(async () => (await figures()).includes("obsidian_mcp_tool_calls_open 3"));
    const full = await http.rpc("initialize", {});
    expect([full.status, full.headers["retry-after"]]).toEqual([503, "5"]);
    leave.abort();
    await Promise.all(work);
  });

  it("keeps two sessions' answers apart when they use the same ids", async () => {
    await open({ tools: fixtureTools });
    const ids = await Promise.all(Array.from({ length: 5 }, () => http.initialize()));
    const answers = ids.flatMap((id, at) =>
      [1, 2, 3].map(async (n) => (await post(id, call(n, "echo", { text: `${at}-${n}` }))).text()),
    );
    const texts = await Promise.all(answers);
    for (const [at, text] of texts.entries()) expect(text).toContain(`${Math.floor(at / 3)}-${(at % 3) + 1}`);
  });
});

const figures = async () => (await http.send("/metrics")).text;

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await holds()) return;
    await sleep(10);
  }
  throw new Error("it did not come about");
}
