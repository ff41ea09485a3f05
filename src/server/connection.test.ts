/** A whole stdio connection: with the SDK and without it, from one to the other, under load, and to its end. */
import { describe, expect, it } from "vitest";
import { LONG } from "../../test/kit/fuzz.js";
import { INITIALIZE_PARAMS, MODERN_META, StdioSession, type Message } from "../../test/kit/stdio-session.js";
import { VaultError } from "../errors.js";
import { toolsFor } from "../tools/registry.js";
import { createWorkspace } from "../tools/workspace.js";

const ping = (id: unknown) => ({ jsonrpc: "2.0", id, method: "ping" });
const pong = (id: unknown) => ({ jsonrpc: "2.0", id, result: {} });
const texts = (message: Message) => message.result?.["content"];

describe("a stdio connection", () => {
  it("gives the same bytes of an answer without the SDK and with it", async () => {
    const [direct, handed] = [new StdioSession(), new StdioSession()];
    await handed.initialize();
    for (const session of [direct, handed]) {
      session.send({ jsonrpc: "2.0", id: 1, method: "tools/list" });
      session.send({ jsonrpc: "2.0", id: 2, method: "tools/list", params: {} }, ping(3));
      session.call(4, "echo", { text: "é ✅ \u2028 \ud83d\ude00" }).call(5, "refuse").call(6, "crash");
      session.call(7, "nope").call(8, "echo", { __proto__: 1, n: 1 }).call(9, "echo", [1]);
      await session.end();
    }
    const lines = (session: StdioSession) =>
      session.raw
        .split("\n")
        .filter((line) => /"id":\d/.test(line))
        .sort();
    expect(lines(handed)).toHaveLength(9);
    expect(lines(handed)).toEqual(lines(direct));
  });

  it("does not look at the vault before a tool needs it", async () => {
    const looked: string[] = [];
    const look = (path: string) => {
      looked.push(path);
      return Promise.reject(new VaultError("VAULT_NOT_FOUND", "There is no vault here."));
    };
    const workspace = createWorkspace({ opener: { resolve: look, open: look }, default: "/vault", switches: true });
    const session = new StdioSession({ workspace, tools: toolsFor({ hasDefaultVault: true }) });
    session.send({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    await session.initialize();
    session.send({ jsonrpc: "2.0", id: 2, method: "tools/list" }, ping(3));
    await Promise.all([1, 2, 3].map((id) => session.answer(id)));
    expect(looked).toEqual([]);
    session.call(4, "scan_vault");
    await session.end();
    expect(looked).toEqual(["/vault"]);
  });

  // test/hostile-inputs.md, J02
  it("takes a byte order mark before the first message", async () => {
    const session = new StdioSession();
    expect(await session.end(`\uFEFF${JSON.stringify(ping(1))}\n`)).toEqual([pong(1)]);
  });

  // test/hostile-inputs.md, J16
  it("answers a call before initialize, and initialize after it", async () => {
    const session = new StdioSession();
    session.call(1, "echo", { text: "first" });
    expect(texts(await session.answer(1))).toEqual([{ type: "text", text: "first" }]);
    const { result } = await session.initialize();
    expect(result).toEqual({
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "obsidian-vault-mcp-server", version: "1.2.3" },
      instructions: "These tools are for tests.",
    });
    session.call(2, "echo", { text: "second" });
    expect(texts(await session.answer(2))).toEqual([{ type: "text", text: "second" }]);
    await session.end();
  });

  it("keeps the order of a connection that is handed over with calls behind it", async () => {
    const session = new StdioSession();
    session.call(1, "wait", { ms: 100 });
    session.send({ jsonrpc: "2.0", id: 2, method: "initialize", params: INITIALIZE_PARAMS });
    session.call(3, "echo", { text: "behind" });
    const received = await session.end();
    expect(received.map((message) => (Array.isArray(message) ? [] : message.id))).toEqual([2, 3, 1]);
  });

  it.each(["2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
    "speaks %s",
    async (protocolVersion) => {
      const session = new StdioSession();
      session.send({ jsonrpc: "2.0", id: 1, method: "initialize", params: { ...INITIALIZE_PARAMS, protocolVersion } });
      expect((await session.answer(1)).result).toMatchObject({ protocolVersion });
      await session.end();
    },
  );

  it("speaks 2026-07-28 from the first message on", async () => {
    const session = new StdioSession();
    session.send({ jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta: MODERN_META } });
    expect((await session.answer(1)).result).toMatchObject({
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
    });
    session.call(2, "echo", { text: "modern" }, { _meta: MODERN_META });
    expect((await session.answer(2)).result).toMatchObject({ content: [{ text: "modern" }], resultType: "complete" });
    session.call(3, "refuse", {}, { _meta: MODERN_META });
    expect((await session.answer(3)).result).toMatchObject({ isError: true });
    session.send({
      jsonrpc: "2.0",
      id: 4,
      method: "subscriptions/listen",
      params: { _meta: MODERN_META, notifications: {} },
    });
    session.call(5, "wait", { ms: 100 }, { _meta: MODERN_META });
    await session.end();
    expect(await session.answer(5)).toMatchObject({ result: { content: [{ text: "waited 100 ms" }] } });
    expect(await session.code).toBe(0);
  });

  it("says that it listens when no later change can be missed", async () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    let isAsked = () => {};
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const look = async (): Promise<never> => {
      isAsked();
      await opened;
      throw new VaultError("VAULT_NOT_FOUND", "There is no vault here.");
    };
    const workspace = createWorkspace({ opener: { resolve: look, open: look }, default: "/vault", switches: true });
    const session = new StdioSession({ workspace, tools: toolsFor({ hasDefaultVault: true }) });
    const notifications = { resourceSubscriptions: ["mcp-obsidian://vault/Note.md"] };
    session.send({
      jsonrpc: "2.0",
      id: 1,
      method: "subscriptions/listen",
      params: { _meta: MODERN_META, notifications },
    });
    await asked;
    session.send({ jsonrpc: "2.0", id: 2, method: "tools/list", params: { _meta: MODERN_META } });
    await session.answer(2);
    const acknowledged = () =>
      session.messages.filter(({ method }) => method === "notifications/subscriptions/acknowledged");
    expect(acknowledged()).toEqual([]);
    open();
    await expect.poll(acknowledged).toHaveLength(1);
    await session.end();
  });

  // test/hostile-inputs.md, J15
  it("writes nothing but JSON-RPC in many mixed calls", async () => {
    const calls = LONG ? 10_000 : 500;
    const session = new StdioSession();
    await session.initialize();
    const names = ["echo", "refuse", "crash", "nope", "big"];
    for (let id = 0; id < calls; id++) {
      const name = names[id % names.length] ?? "echo";
      session.call(id, name, name === "big" ? { letters: 1000 } : name === "echo" ? { text: "a" } : {});
      if (id % 20 === 0) session.stdout.write("STRAY\n");
      if (id % 50 === 0) session.stdin.write("{bad\n");
    }
    const received = await session.end();
    expect(received).toHaveLength(calls + calls / 50 + 1);
    expect(session.messages.filter(({ jsonrpc }) => jsonrpc !== "2.0")).toEqual([]);
    expect(new Set(session.messages.map(({ id }) => id)).size).toBe(calls + 2);
    expect(session.errors).toBe("STRAY\n".repeat(calls / 20));
  });

  it("stops reading while too much is unanswered, and answers all of it in the end", async () => {
    const session = new StdioSession({ limits: { atOnce: 1000 } });
    let paused = 0;
    session.stdin.on("pause", () => paused++);
    for (let id = 0; id < 2500; id++) session.call(id, "wait", { ms: 20 });
    const received = await session.end();
    expect(received).toHaveLength(2500);
    expect(paused).toBeGreaterThan(0);
  });

  it.each(["one-shot", "initialized"])("begins no call while unread answers fill the memory (%s)", async (path) => {
    const session = new StdioSession();
    if (path === "initialized") await session.initialize();
    session.stdout.pause();
    // All of these lines are read: they are few, and short.
    for (let id = 0; id < 120; id++) session.call(id, "big", { letters: 100_000 });
    // On a busy machine it takes its time to fill up to the bound; what has come to rest there stays.
    const held = () => session.stdout.readableLength + session.stdout.writableLength;
    for (let [before, rests] = [-1, 0]; held() < 16_000_000 || rests < 5; before = held()) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      rests = held() === before ? rests + 1 : 0;
    }
    // Each letter is told twice; sixteen calls had begun when the bound was reached.
    expect(held()).toBeLessThan(16 * 1024 * 1024 + 20 * 201_000);
    session.stdout.resume();
    await session.end();
    expect(new Set(session.messages.map(({ id }) => id)).size).toBe(path === "initialized" ? 121 : 120);
  });

  it("reads no further while the lines it has read hold too much", async () => {
    const session = new StdioSession({ limits: { atOnce: 1 } });
    let paused = 0;
    session.stdin.on("pause", () => paused++);
    session.call(0, "wait", { ms: 300 });
    for (let id = 1; id < 10; id++) session.call(id, "wait", { ms: 1 }, { _meta: { x: "x".repeat(9_000_000) } });
    await expect.poll(() => paused).toBeGreaterThan(0);
    await session.end();
    expect(session.messages).toHaveLength(10);
  });

  it("refuses a batch of too many messages", async () => {
    const session = new StdioSession();
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    session.send(Array.from({ length: 101 }, () => ping));
    const [answer] = await session.end();
    expect(answer).toMatchObject({
      error: { code: -32600, message: expect.stringContaining("100 messages") as string },
    });
  });

  it("ends on a signal although a call does not stop", async () => {
    const session = new StdioSession({ endTimeouts: { abortMs: 100, endMs: 200 } });
    session.call(1, "search_deaf", { ms: 10_000 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    const started = performance.now();
    session.signals.emit("SIGTERM");
    expect(await session.code).toBe(0);
    expect(performance.now() - started).toBeLessThan(8000);
    expect(session.exits).toEqual([0]);
  });

  it("hears a signal also while it finishes after the end of input", async () => {
    const session = new StdioSession({ endTimeouts: { abortMs: 50, endMs: 2000 } });
    session.call(1, "wait", { ms: 60_000 });
    session.stdin.end();
    await new Promise((resolve) => setTimeout(resolve, 50));
    session.signals.emit("SIGTERM");
    expect(await session.code).toBe(0);
    expect((await session.answer(1)).result).toMatchObject({ isError: true });
    expect(session.signals.listenerCount("SIGTERM")).toBe(0);
  });

  it("tells calls to stop when a signal's time runs out, and answers them", async () => {
    const session = new StdioSession({ endTimeouts: { abortMs: 50, endMs: 2000 } });
    session.call(1, "wait", { ms: 60_000 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    session.signals.emit("SIGTERM");
    expect(await session.code).toBe(0);
    expect((await session.answer(1)).result).toMatchObject({ isError: true });
    expect(session.exits).toEqual([]);
  });

  it("logs an exception that nobody caught, and lives", async () => {
    const lines: string[] = [];
    const log = { error: (message: string) => lines.push(message), warn() {}, info() {}, debug() {} };
    const session = new StdioSession({ log });
    session.signals.emit("uncaughtException", new Error("from a timer"));
    session.signals.emit("unhandledRejection", "no error at all");
    await session.send(ping(1)).end();
    expect(lines).toHaveLength(2);
    expect(session.messages).toEqual([pong(1)]);
  });
});
