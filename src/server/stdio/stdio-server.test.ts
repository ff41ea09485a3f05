/** The JSON-RPC and stdio cases of test/hostile-inputs.md, without a handshake and after one; more in connection.test.ts. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { StdioSession } from "../../../test/kit/stdio-session.js";

const ping = (id: unknown) => ({ jsonrpc: "2.0", id, method: "ping" });
const pong = (id: unknown) => ({ jsonrpc: "2.0", id, result: {} });

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "stdio-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** The same must hold before any handshake, where nothing knows the SDK, and after one. */
const PATHS = [
  ["one-shot", async () => new StdioSession()],
  [
    "initialized",
    async () => {
      const session = new StdioSession();
      await session.initialize();
      return session;
    },
  ],
] as const;

describe.each(PATHS)("stdio, %s", (path, open) => {
  const unknownId = path === "one-shot" ? { id: null } : {};
  const exchange = async (...messages: unknown[]) => {
    const session = await open();
    const before = session.received.length;
    session.send(...messages);
    return (await session.end()).slice(before);
  };

  // test/hostile-inputs.md, J01
  it("answers malformed JSON and goes on", async () => {
    const session = await open();
    session.stdin.write('{bad json\n{"jsonrpc":"2.0","id":1,\n');
    const received = await session.send(ping(2)).end();
    expect(received.slice(-3)).toEqual([
      { jsonrpc: "2.0", ...unknownId, error: { code: -32700, message: "Parse error: the line is not JSON." } },
      { jsonrpc: "2.0", ...unknownId, error: { code: -32700, message: "Parse error: the line is not JSON." } },
      pong(2),
    ]);
  });

  // test/hostile-inputs.md, J01
  it("answers a line that is not UTF-8 and goes on", async () => {
    const session = await open();
    session.stdin.write(Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]));
    const received = await session.send(ping(2)).end();
    expect(received.slice(-2)).toMatchObject([{ error: { code: -32700 } }, pong(2)]);
  });

  // test/hostile-inputs.md, J02
  it("takes blank lines and CRLF", async () => {
    const session = await open();
    session.stdin.write(`\n\r\n  \n${JSON.stringify(ping(1))}\r\n\r\n`);
    expect((await session.end()).at(-1)).toEqual(pong(1));
  });

  // test/hostile-inputs.md, J03
  it("answers a batch with one array, and none for notifications alone", async () => {
    const note = { jsonrpc: "2.0", method: "notifications/anything" };
    expect(await exchange([ping(1), ping(2)])).toEqual([[pong(1), pong(2)]]);
    expect(await exchange([ping(1), note])).toEqual([[pong(1)]]);
    expect(await exchange([note, note])).toEqual([]);
    expect(await exchange([])).toMatchObject([{ ...unknownId, error: { code: -32600 } }]);
    expect(await exchange([1, ping(3), { jsonrpc: "2.0", id: 4, method: "nope" }])).toMatchObject([
      [{ ...unknownId, error: { code: -32600 } }, pong(3), { id: 4, error: { code: -32601 } }],
    ]);
  });

  // test/hostile-inputs.md, J04
  it.each([[null], [1.5], [{}], [[]], [true]])("refuses the id %j", async (id) => {
    const [answer] = await exchange(ping(id));
    expect(answer).toMatchObject({ error: { code: -32600 } });
    expect(answer).toEqual({ jsonrpc: "2.0", ...unknownId, error: expect.anything() });
  });

  // test/hostile-inputs.md, J04
  it("is silent to notifications, also to a tool call sent as one (J17), which does not run", async () => {
    const file = join(folder(), "note.md");
    const call = { jsonrpc: "2.0", method: "tools/call", params: { name: "write", arguments: { ms: 0, file } } };
    expect(await exchange({ jsonrpc: "2.0", method: "ping" }, call)).toEqual([]);
    expect(existsSync(file)).toBe(false);
  });

  // test/hostile-inputs.md, J05
  it("refuses other versions, echoing the id", async () => {
    expect(await exchange({ id: 1, method: "ping" }, { jsonrpc: "1.0", id: "x", method: "ping" })).toMatchObject([
      { id: 1, error: { code: -32600 } },
      { id: "x", error: { code: -32600 } },
    ]);
  });

  it.each([[7], ["text"], [null], [true], [{}], [{ jsonrpc: "2.0", method: 5 }]])(
    "refuses %j, which is no request",
    async (value) => {
      expect(await exchange(value)).toMatchObject([{ ...unknownId, error: { code: -32600 } }]);
    },
  );

  // test/hostile-inputs.md, J06
  it("names unknown methods and tools", async () => {
    const session = await open();
    session.send({ jsonrpc: "2.0", id: 1, method: "tools/delete" }).call(2, "ecko");
    await session.end();
    expect((await session.answer(1)).error).toMatchObject({ code: -32601 });
    expect((await session.answer(2)).error).toEqual({
      code: -32602,
      message: 'Unknown tool: "ecko". Did you mean "echo"?',
    });
  });

  // test/hostile-inputs.md, J07
  it("refuses params and arguments of the wrong form", async () => {
    const session = await open();
    for (const [index, params] of ["text", [1], null, {}, { name: 5 }].entries()) {
      session.send({ jsonrpc: "2.0", id: index, method: "tools/call", params });
    }
    for (const [index, args] of [[1], "text", null, 5].entries()) session.call(10 + index, "echo", args);
    session.send({ jsonrpc: "2.0", id: 20, method: "tools/call" });
    session.send({ jsonrpc: "2.0", id: 21, method: "initialize", params: { protocolVersion: 5 } });
    await session.end();
    for (const id of [0, 1, 2, 3, 4, 10, 11, 12, 13, 20, 21]) {
      const { error } = await session.answer(id);
      expect(error).toMatchObject({ code: -32602 });
      expect(error?.message).not.toMatch(/[[{]/);
    }
  });

  // test/hostile-inputs.md, J08
  it("lets the tool say what is wrong with its arguments", async () => {
    const session = await open();
    session.call(1, "echo", {}).call(2, "echo", { text: "a", txt: "b" }).call(3, "echo", { text: {} });
    await session.end();
    for (const id of [1, 2, 3]) expect((await session.answer(id)).result).toMatchObject({ isError: true });
  });

  // test/hostile-inputs.md, J09
  it("takes __proto__ for a name like any other", async () => {
    const session = await open();
    const call =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"__proto__":{"x":1},"text":"a"}}}';
    await session.end(call);
    expect((await session.answer(1)).result).toMatchObject({ isError: true });
    expect(Reflect.get({}, "x")).toBeUndefined();
  });

  it.each(["exit", "notifications/exit"])("finishes what is in flight at %s, and reads no further", async (method) => {
    const file = join(folder(), "note.md");
    const session = await open();
    session.call(1, "write", { ms: 100, file }).send({ jsonrpc: "2.0", method }, ping(2));
    expect(await session.code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe("written");
    expect(session.messages.at(-1)).toMatchObject({ id: 1, result: { structuredContent: { text: "written" } } });
    expect(session.messages.some(({ id }) => id === 2)).toBe(false);
    expect(session.stdin.destroyed).toBe(true);
  });

  // test/hostile-inputs.md, J11
  it("finishes what is in flight at the end of input", async () => {
    const file = join(folder(), "note.md");
    const session = await open();
    for (let id = 1; id <= 10; id++) session.call(id, "write", { ms: 300, file });
    await session.end();
    expect(await session.code).toBe(0);
    for (let id = 1; id <= 10; id++)
      expect((await session.answer(id)).result).toMatchObject({ content: [{ text: "written" }] });
  });

  // test/hostile-inputs.md, J12
  it("answers a last line without a newline", async () => {
    const session = await open();
    await session.end(JSON.stringify(ping("last")));
    expect(session.messages.at(-1)).toEqual(pong("last"));
  });

  // test/hostile-inputs.md, J13
  it("ends quietly when nobody reads any more, with writes in flight completed", async () => {
    const file = join(folder(), "note.md");
    const session = await open();
    session.call(1, "write", { ms: 200, file }).call(2, "big", { letters: 5_000_000 });
    setTimeout(() => session.stdout.destroy(Object.assign(new Error("write EPIPE"), { code: "EPIPE" })), 50);
    expect(await session.code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe("written");
    expect(session.errors).toBe("");
  });

  // test/hostile-inputs.md, J14
  it("answers 11 MiB on its merits, refuses 40 MiB, and goes on", async () => {
    const session = await open();
    session.call(1, "echo", { text: "x".repeat(11 * 1024 * 1024) });
    expect((await session.answer(1)).result).toMatchObject({ content: [{ type: "text" }] });
    session.call(2, "echo", { text: "x".repeat(40 * 1024 * 1024) }).send(ping(3));
    await session.answer(3);
    const refusal = session.messages.at(-2);
    expect(refusal).toEqual({
      jsonrpc: "2.0",
      ...unknownId,
      error: { code: -32600, message: "Invalid Request: a line may have at most 32 MiB." },
    });
    await session.end();
  });

  it("refuses a line of very many small values without parsing it, and goes on", async () => {
    const session = await open();
    for (const filling of ["[],".repeat(5_000_000), "[".repeat(8_000_000)]) session.stdin.write(`[${filling}1]\n`);
    session.send(ping(1));
    await session.answer(1);
    for (const refusal of session.messages.slice(-3, -1))
      expect(refusal).toEqual({
        jsonrpc: "2.0",
        ...unknownId,
        error: {
          code: -32600,
          message:
            "Invalid Request: a line may hold at most 200,000 values and names of fields, nested at most 1,000 deep.",
        },
      });
    await session.end();
  });

  it("answers a call of very many values by its id, so that its sender does not wait for ever", async () => {
    const session = await open();
    const values = "1,".repeat(200_000);
    const call = { jsonrpc: "2.0", id: "mine", method: "tools/call" };
    session.stdin.write(`${JSON.stringify(call).slice(0, -1)},"params":{"name":"x","arguments":[${values}1]}}\n`);
    expect(await session.answer("mine")).toMatchObject({ id: "mine", error: { code: -32600 } });
    await session.end();
  });

  // test/hostile-inputs.md, J18
  it("tells nothing of a failure nobody foresaw", async () => {
    const session = await open();
    session.call(1, "crash").call(2, "thrower");
    await session.end();
    for (const id of [1, 2]) {
      const { result } = await session.answer(id);
      expect(result).toMatchObject({ isError: true });
      expect(JSON.stringify(result)).not.toMatch(/secret|home|\bat\b .*\.ts/);
    }
  });

  it("answers with an error when JSON cannot hold the answer", async () => {
    const session = await open();
    session.call(1, "unspeakable");
    await session.end(JSON.stringify(ping(2)));
    expect((await session.answer(1)).error).toEqual({ code: -32603, message: "Internal error" });
    expect(await session.answer(2)).toEqual(pong(2));
  });

  it("cancels a call, which is then not answered", async () => {
    const session = await open();
    session.call(1, "wait", { ms: 60_000 });
    await new Promise((resolve) => setTimeout(resolve, 30));
    session.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: "enough" } });
    await session.end(JSON.stringify(ping(2)));
    expect(session.messages.some(({ id }) => id === 1)).toBe(false);
    expect(session.messages.at(-1)).toEqual(pong(2));
  });

  it("waits for a change that was cancelled before it closes", async () => {
    const file = join(folder(), "note.md");
    const session = await open();
    session.call(1, "write", { ms: 500, file });
    await new Promise((resolve) => setTimeout(resolve, 200));
    session.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    await session.end();
    expect(existsSync(file)).toBe(true);
  });

  it("reports the progress of long work to those who ask", async () => {
    const session = new StdioSession({ progress: { afterMs: 250, everyMs: 40 } });
    if (path === "initialized") await session.initialize();
    session.call(1, "wait", { ms: 600 }, { _meta: { progressToken: "t" } }).call(2, "wait", { ms: 600 });
    session.call(3, "wait", { ms: 20 }, { _meta: { progressToken: "short" } });
    await session.end();
    const reports = session.messages.filter(({ method }) => method === "notifications/progress");
    expect(reports.length).toBeGreaterThan(2);
    const values = reports.map(({ params }) => Number(params?.["progress"]));
    expect(values).toEqual([...values].sort((a, b) => a - b));
    expect(new Set(values).size).toBe(values.length);
    for (const { params } of reports) expect(params).toMatchObject({ progressToken: "t", total: 600 });
    expect(values[0]).toBeGreaterThanOrEqual(20);
    const answer = session.messages.findIndex(({ id }) => id === 1);
    expect(session.messages.slice(answer).some(({ method }) => method !== undefined)).toBe(false);
  });

  it("keeps prints off stdout", async () => {
    const session = await open();
    session.stdin.write("\n");
    session.stdout.write("STRAY\n");
    await session.send(ping(1)).end();
    expect(session.raw).not.toContain("STRAY");
    expect(session.errors).toBe("STRAY\n");
    session.stdout.write("mine again");
    expect(session.raw).not.toContain("STRAY");
  });

  it.each(["SIGINT", "SIGTERM"])("ends at %s as at the end of input", async (signal) => {
    const file = join(folder(), "note.md");
    const session = await open();
    session.call(1, "write", { ms: 400, file });
    await new Promise((resolve) => setTimeout(resolve, 200));
    session.signals.emit(signal);
    session.send(ping(2));
    expect(await session.code).toBe(0);
    expect(session.messages.at(-1)).toMatchObject({ id: 1, result: { structuredContent: { text: "written" } } });
    expect(session.signals.listenerCount(signal)).toBe(0);
  });

  it("closes after the last answer", async () => {
    const seen: number[] = [];
    const session: StdioSession = new StdioSession({
      close: async () => {
        seen.push(session.messages.filter(({ id }) => typeof id === "number").length);
      },
    });
    if (path === "initialized") await session.initialize();
    session.call(1, "wait", { ms: 100 }).call(2, "wait", { ms: 150 });
    await session.end();
    expect(seen).toEqual([2]);
  });

  it("ends with 0 also when closing fails", async () => {
    const session = new StdioSession({ close: () => Promise.reject(new Error("disk full")) });
    if (path === "initialized") await session.initialize();
    await session.end();
    expect(await session.code).toBe(0);
  });

  it("tells tool errors as JSON-RPC errors when asked to, under their own numbers", async () => {
    const session = new StdioSession({ toolErrors: "jsonrpc" });
    if (path === "initialized") await session.initialize();
    session.call(1, "refuse").call(2, "crash").call(3, "echo", {});
    await session.end();
    expect((await session.answer(1)).error).toMatchObject({ code: -32002, data: { errorCode: "VAULT_NOT_FOUND" } });
    expect((await session.answer(2)).error).toMatchObject({ code: -32000, data: { errorCode: "SERVER_ERROR" } });
    expect((await session.answer(3)).error).toMatchObject({ code: -32602, data: { errorCode: "INVALID_ARGUMENT" } });
  });

  it("answers requests that share an id, each", async () => {
    expect(await exchange(ping(1), ping(1), ping(1))).toEqual([pong(1), pong(1), pong(1)]);
  });

  it("drops answers to questions it never asked", async () => {
    expect(await exchange({ jsonrpc: "2.0", id: 1, result: {} }, ping(2))).toEqual([pong(2)]);
  });
});
