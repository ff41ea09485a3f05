/** The server as a whole: slow senders, probes, figures, what is logged, bounds on memory, and its end. */
import { rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { HttpTest, eventsOf, json, type Received } from "../../../test/kit/http-front.js";
import { fixtureTools, noVault } from "../../../test/kit/fixture-tools.js";
import type { HttpOptions } from "./http-server.js";

let http: HttpTest;
afterEach(() => http.close());
const open = async (options: Partial<HttpOptions> = {}) => (http = await HttpTest.open(options));

const CALL = "/bridge/v1/tools/echo/call";

/** A connection that says this and then one byte at a time; resolves with what came back when it was closed. */
async function slowly(begin: string): Promise<string> {
  const socket: Socket = connect(http.server.port, "127.0.0.1");
  let answer = "";
  socket.setEncoding("utf8").on("data", (text: string) => (answer += text));
  socket.on("error", () => {});
  socket.write(begin);
  const dripping = setInterval(() => socket.write("x"), 50);
  // `once` of node:events would fail when the connection is reset.
  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(dripping);
  return answer;
}

describe("slow and greedy callers", () => {
  const SLOW_HEADERS = "GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ";
  const SLOW_BODY = `POST ${CALL} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`;
  const slowCallers = () =>
    Array.from({ length: 200 }, (_, index) => slowly(index % 2 === 0 ? SLOW_HEADERS : SLOW_BODY));

  // test/hostile-inputs.md, H15
  it("drops slow headers and slow bodies", async () => {
    await open({ tools: fixtureTools, limits: { headersMs: 300, requestMs: 600, checkMs: 50 } });
    for (const answer of await Promise.all(slowCallers())) expect(answer).toMatch(/^$|^HTTP\/1\.1 40[08] /);
    // On a busy machine a quick caller may be too slow, too.
    await until(async () => (await http.call("echo", { text: "x" })).status === 200);
  });

  // test/hostile-inputs.md, H15
  it("answers others while slow callers keep connections open", async () => {
    await open({ tools: fixtureTools, limits: { headersMs: 60_000, requestMs: 60_000, stopMs: 100 } });
    const callers = slowCallers();
    await until(async () => (await figures()).includes("http_requests_open 101"));
    expect((await http.call("echo", { text: "x" })).status).toBe(200);
    await http.server.stop();
    await Promise.all(callers);
  });

  it("lets go of a caller who does not take his answer", async () => {
    await open({ tools: fixtureTools, limits: { idleMs: 1000 } });
    const socket = connect(http.server.port, "127.0.0.1");
    const body = JSON.stringify({ arguments: { letters: 30_000_000 } });
    socket.on("error", () => {});
    socket.pause();
    socket.write(
      `POST /bridge/v1/tools/big/call HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await until(
      async () =>
        /http_requests_open 1/.test(await quietFigures()) &&
        /\/call",method="POST",status="200"} 1/.test(await quietFigures()),
    );
    socket.destroy();
  });

  it("holds only so many bytes of bodies, over all callers", async () => {
    await open({ tools: fixtureTools, limits: { heldBytes: 1_000_000 } });
    const head = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n`;
    const first = connect(http.server.port, "127.0.0.1");
    first.write(head("/mcp") + "x".repeat(800_000));
    const ask = () =>
      http.send("/mcp", {
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { x: "y".repeat(300_000) } }),
      });
    await until(async () => (await ask()).status === 503);
    expect((await http.rpc("ping")).status).toBe(200);
    first.destroy();
    await until(async () => (await ask()).status === 200);
  });

  it("begins nothing while unread answers fill the memory", async () => {
    await open({ tools: fixtureTools, limits: { heldBytes: 20_000_000 }, calls: { atOnce: 1 } });
    const first = http.call("wait", { ms: 500 });
    const sockets = Array.from({ length: 6 }, () => {
      const socket = connect(http.server.port, "127.0.0.1").pause();
      const body = JSON.stringify({ arguments: { letters: 10_000_000 } });
      const head = "Host: localhost\r\nContent-Type: application/json";
      socket.write(
        `POST /bridge/v1/tools/big/call HTTP/1.1\r\n${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      return socket;
    });
    await until(async () => (await figures()).includes("tool_calls_open 7"));
    await first;
    await until(async () => (await figures()).includes("tool_calls_open 0"));
    expect((await http.call("echo", { text: "x" })).status).toBe(503);
    expect(await figures()).toMatch(/tool="big",outcome="UNAVAILABLE"} [1-4]\n/);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await http.call("echo", { text: "x" })).status === 200);
  });

  it("queues calls past the number at once, refuses them past the number that may wait, and stops those nobody waits for", async () => {
    await open({ tools: fixtureTools, calls: { atOnce: 2, waiting: 2 } });
    const leave = new AbortController();
    const long = () =>
      fetch(`${http.url}/bridge/v1/tools/wait/call`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: '{"arguments":{"ms":60000}}',
        signal: leave.signal,
      }).catch(() => undefined);
    const waiting = Array.from({ length: 4 }, long);
    await until(async () => (await figures()).includes("tool_calls_open 4"));
    expect(json(await http.call("echo", { text: "x" }))).toMatchObject({
      success: false,
      content: [{ text: expect.stringContaining("Too many calls") as string }],
    });
    leave.abort();
    await Promise.all(waiting);
    await until(async () => (await figures()).includes("tool_calls_open 0"));
    expect(json(await http.call("echo", { text: "x" }))).toMatchObject({ success: true });
  });

  it("survives malformed HTTP", async () => {
    await open({ limits: { headersMs: 300, checkMs: 50 } });
    for (const text of [
      "\r\n\r\n\r\n",
      "GARBAGE\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      "GET /health HTTP/1.1\r\n\r\n",
      `GET /health HTTP/1.1\r\nHost: localhost\r\nX: ${"y".repeat(20_000)}\r\n\r\n`,
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ])
      expect(await http.raw(text), text.slice(0, 30)).toMatch(/^$|^HTTP\/1\.1 4/);
    const upgrade = await http.raw(
      "GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n",
    );
    expect(upgrade).toMatch(/^HTTP\/1\.1 405 /);
    expect((await http.send("/health")).status).toBe(200);
  });
});

describe("operations", () => {
  it("is ready when the vault is, and says why not otherwise", async () => {
    await open();
    expect([(await http.send("/ready")).status, json(await http.send("/ready"))]).toEqual([
      200,
      { status: "ready", journal: "kept" },
    ]);
    rmSync(http.vault.folder, { recursive: true });
    await sleep(1100);
    const gone = await http.send("/ready");
    expect([gone.status, json(gone)]).toMatchObject([503, { status: "not ready" }]);
    expect(gone.text).not.toContain(http.vault.base);
    expect((await http.send("/health")).status).toBe(200);
    await http.close();
    await open({ workspace: noVault(), keepsJournal: false });
    expect(json(await http.send("/ready"))).toEqual({ status: "not ready", reason: "No vault is configured." });
  });

  it("counts requests and calls by names of its own only", async () => {
    await open();
    await http.call("read_note", { path: "Notes/Example.md" });
    await http.call("read_note", { path: "Notes/Missing.md" });
    await http.call("SECRET_TOOL", {});
    await http.send("/SECRET_PATH?SECRET=1");
    await http.send("/health", { method: "PROPFIND" });
    const answer = await http.send("/metrics");
    expect(answer.headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const line of [
      'obsidian_mcp_tool_calls_total{tool="read_note",outcome="ok"} 1',
      'obsidian_mcp_tool_calls_total{tool="read_note",outcome="FILE_NOT_FOUND"} 1',
      'obsidian_mcp_http_requests_total{route="/bridge/v1/tools/{name}/call",method="POST",status="404"} 1',
      'obsidian_mcp_http_requests_total{route="other",method="GET",status="404"} 1',
      'obsidian_mcp_http_requests_total{route="/health",method="other",status="405"} 1',
      "obsidian_mcp_index_notes 1",
      "obsidian_mcp_sessions 0",
      "process_resident_memory_bytes ",
    ])
      expect(answer.text).toContain(line);
    expect(answer.text).not.toContain("SECRET");
  });

  // test/hostile-inputs.md, X06
  it("logs neither texts nor arguments nor paths of this machine", async () => {
    await open();
    await http.call("create", { path: "Diary.md", file_text: "SECRET-BODY" });
    await http.rpc(
      "tools/call",
      { name: "read_note", arguments: { path: "SECRET-PATH.md" } },
      { "Mcp-Session-Id": "SECRET-SESSION" },
    );
    await http.send("/mcp?SECRET-QUERY", { body: "{SECRET-JSON" });
    const logged = http.logged.join("");
    expect(logged).toContain('"message":"Request"');
    expect(logged).not.toContain("SECRET");
    expect(logged).not.toContain(http.vault.base);
  });
});

describe("the end", () => {
  it("lets calls in flight end, ends streams, refuses what comes after, and closes every connection", async () => {
    await open({ tools: fixtureTools });
    const session = await http.initialize();
    const stream = await fetch(`${http.url}/mcp`, {
      headers: { "Mcp-Session-Id": session, Accept: "text/event-stream" },
    });
    const ended = eventsOf(stream, () => false);
    const idle = connect(http.server.port, "127.0.0.1");
    const call = http.call("wait", { ms: 300 });
    await until(async () => (await figures()).includes("tool_calls_open 1"));
    const stopped = http.server.stop();
    await expect(http.send("/health")).rejects.toThrow(/ECONNREFUSED/);
    expect(json(await call)).toMatchObject({ success: true, content: [{ type: "text", text: "waited 300 ms" }] });
    expect(await ended).toEqual([]);
    await stopped;
    await until(async () => idle.destroyed || idle.readableEnded || idle.closed);
    idle.destroy();
  });

  it("does not wait longer than its patience", async () => {
    await open({ tools: fixtureTools, limits: { stopMs: 100 } });
    const calls: Promise<Received>[] = [http.call("wait", { ms: 60_000 }), http.call("search_deaf", { ms: 1500 })];
    await until(async () => (await figures()).includes("tool_calls_open 2"));
    const begun = performance.now();
    await http.server.stop();
    expect(performance.now() - begun).toBeLessThan(10_000);
    const [first] = await Promise.allSettled(calls);
    expect(first).toMatchObject({ status: "fulfilled", value: { status: 200 } });
  });
});

const figures = async () => (await http.send("/metrics")).text;
/** Of a server that lets go of slow callers: on a busy machine this one may be slow too. */
const quietFigures = () => figures().catch(() => "");

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await holds()) return;
    await sleep(10);
  }
  throw new Error("it did not come about");
}
