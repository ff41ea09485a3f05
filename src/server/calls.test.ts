import { describe, expect, it } from "vitest";
import { fixtureTools, noVault } from "../../test/kit/fixture-tools.js";
import { Coalesced } from "../async/coalesce.js";
import type { Progress } from "../index/refresh.js";
import { silentLog } from "../log.js";
import type { Tool } from "../tools/tool.js";
import { CALL_LIMITS, type CallLimits, Calls, CallTurns } from "./calls.js";

/** Which calls have begun, by name. */
function taking(turns: CallTurns, kinds: readonly ("call" | "search")[]): string[] {
  const begun: string[] = [];
  for (const [at, kind] of kinds.entries()) void turns.take(kind).then(() => begun.push(`${kind} ${at}`));
  return begun;
}

const settled = () => new Promise((resolve) => void setImmediate(resolve));

describe("turns of calls", () => {
  it("leave places that searches cannot take", async () => {
    const turns = new CallTurns(3, 2);
    const begun = taking(turns, ["search", "search", "search", "search", "call", "call"]);
    await settled();
    expect(begun).toEqual(["search 0", "search 1", "call 4"]);
    expect([turns.taken, turns.waiting]).toEqual([3, 3]);
    turns.release("call");
    await settled();
    expect(begun.slice(3)).toEqual(["call 5"]);
  });

  it("go to whoever came first among those that may have one", async () => {
    const turns = new CallTurns(2, 1);
    const begun = taking(turns, ["search", "call", "search", "call", "call"]);
    for (const ended of ["search", "call", "search"] as const) {
      await settled();
      turns.release(ended);
    }
    await settled();
    expect(begun).toEqual(["search 0", "call 1", "search 2", "call 3", "call 4"]);
    turns.release("call");
    turns.release("call");
    expect([turns.taken, turns.waiting]).toEqual([0, 0]);
  });
});

function setUp(limits: Partial<CallLimits> = {}) {
  const calls = new Calls({ ...CALL_LIMITS, ...limits });
  const run = (name: string, args: unknown, signal = new AbortController().signal) =>
    calls.run(tool(name), args, { workspace: noVault(), log: silentLog, signal });
  return { calls, run };
}

function tool(name: string, change: Partial<Tool> = {}): Tool {
  const found = fixtureTools.find(name);
  if (!found) throw new Error(`no fixture tool ${name}`);
  return { ...found, ...change };
}

describe("Calls", () => {
  it("stops a call at its time limit", async () => {
    // The tool tells of progress every 20 ms.
    const { calls, run } = setUp({ callMs: 10 });
    const outcome = await run("wait", { ms: 60_000 });
    expect(outcome).toMatchObject({ ok: false, error: { code: "TIMEOUT" } });
    expect(outcome.text).toContain("0.01 seconds");
    await calls.atRest();
  });

  it("never stops a call that makes progress", async () => {
    const { calls } = setUp({ callMs: 1500 });
    const quick = tool("wait");
    const slow = tool("wait", {
      async call(_args, context) {
        for (let done = 0; done < 20; done++) {
          await new Promise((resolve) => setTimeout(resolve, 100));
          context.onProgress?.({ done, total: 20 });
        }
        return quick.call({ ms: 1 }, context);
      },
    });
    const context = { workspace: noVault(), log: silentLog, signal: new AbortController().signal };
    expect(await calls.run(slow, { ms: 1 }, context)).toMatchObject({ ok: true });
    await calls.atRest();
  });

  it("never stops a call whose refresh of the index makes progress, also where the tool does not pass it on", async () => {
    const { calls } = setUp({ callMs: 1500 });
    const refreshes = new Coalesced<string, Progress>(async (run) => {
      for (let done = 0; done < 20; done++) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        run.report({ done, total: 20 });
      }
      return "refreshed";
    });
    const slow = tool("wait", { call: async () => ({ ok: true, text: await refreshes.join(), data: {} }) });
    const context = { workspace: noVault(), log: silentLog, signal: new AbortController().signal };
    expect(await calls.run(slow, { ms: 1 }, context)).toMatchObject({ ok: true, text: "refreshed" });
  });

  it("lets the loop turn between calls that never wait, however many come at once", async () => {
    const { calls, run } = setUp({ atOnce: 16 });
    let turns = 0;
    let over = false;
    const turn = () => {
      turns++;
      if (!over) setImmediate(turn);
    };
    setImmediate(turn);
    await Promise.all(Array.from({ length: 20 }, (_, at) => run("echo", { text: String(at) })));
    over = true;
    expect(turns).toBeGreaterThanOrEqual(19);
    await calls.atRest();
  });

  it("answers for a search that makes no progress and does not listen", async () => {
    const { calls, run } = setUp({ callMs: 20 });
    const outcome = await run("search_deaf", { ms: 900 });
    expect(outcome).toMatchObject({ ok: false, error: { code: "TIMEOUT" } });
    expect(calls.size).toBe(1);
    await calls.atRest();
    expect(calls.size).toBe(0);
  });

  it("tells the truth about a change that succeeded late", async () => {
    const { calls } = setUp({ callMs: 20 });
    const late = tool("search_deaf", { limit: "call", effect: "changes" });
    const context = { workspace: noVault(), log: silentLog, signal: new AbortController().signal };
    expect(await calls.run(late, { ms: 400 }, context)).toMatchObject({ ok: true, text: "late" });
  });

  it("says that a change which never comes to rest may still happen", async () => {
    const { calls } = setUp({ callMs: 20, graceMs: 20 });
    const late = tool("search_deaf", { limit: "call", effect: "changes" });
    const context = { workspace: noVault(), log: silentLog, signal: new AbortController().signal };
    const outcome = await calls.run(late, { ms: 300 }, context);
    expect(outcome).toMatchObject({ ok: false, error: { code: "TIMEOUT" } });
    expect(outcome.text).toContain("look at the note");
    await calls.atRest();
  });

  it("lets so many run at once and the rest wait their turn", async () => {
    let running = 0;
    let most = 0;
    const { calls } = setUp({ atOnce: 3 });
    const counting = tool("echo", {
      async call() {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running--;
        return { ok: true, text: "", data: {} };
      },
    });
    const context = { workspace: noVault(), log: silentLog, signal: new AbortController().signal };
    const all = Array.from({ length: 10 }, () => calls.run(counting, {}, context));
    await Promise.resolve();
    expect(calls.size).toBe(10);
    await Promise.all(all);
    await calls.atRest();
    expect(most).toBe(3);
    expect(calls.size).toBe(0);
  });

  it("lets a call pass searches that came before it, however many there are", async () => {
    const { calls, run } = setUp();
    const ended: string[] = [];
    const searches = Array.from({ length: 50 }, () => run("search_deaf", { ms: 40 }).then(() => ended.push("search")));
    await run("echo", { text: "a" }).then(() => ended.push("echo"));
    expect(ended).toEqual(["echo"]);
    await Promise.all(searches);
    await calls.atRest();
  });

  it("begins nothing while there is no room for an answer", async () => {
    let admit: (hasRoom: boolean) => void = () => undefined;
    const hasRoom = () => new Promise<boolean>((resolve) => (admit = resolve));
    const calls = new Calls(CALL_LIMITS, hasRoom);
    const context = { workspace: noVault(), log: silentLog, signal: new AbortController().signal };
    let began = 0;
    const counting = tool("echo", { call: async () => ({ ok: true, text: String(++began), data: {} }) });
    const first = calls.run(counting, {}, context);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(began).toBe(0);
    admit(true);
    expect(await first).toMatchObject({ ok: true });
    const second = calls.run(counting, {}, context);
    await new Promise((resolve) => setTimeout(resolve, 20));
    admit(false);
    expect(await second).toMatchObject({ ok: false, error: { code: "UNAVAILABLE" } });
    expect(began).toBe(1);
    await calls.atRest();
  });

  it("refuses only an absurd number of waiting calls", async () => {
    const { calls, run } = setUp({ atOnce: 1, waiting: 1 });
    const first = run("wait", { ms: 40 });
    const second = run("echo", { text: "b" });
    expect(await run("echo", { text: "c" })).toMatchObject({ ok: false, error: { code: "UNAVAILABLE" } });
    expect(await first).toMatchObject({ ok: true });
    expect(await second).toMatchObject({ ok: true });
    await calls.atRest();
  });

  it("does not begin a call that was cancelled while it waited", async () => {
    const { calls, run } = setUp({ atOnce: 1 });
    const cancel = new AbortController();
    const first = run("wait", { ms: 40 });
    let began = false;
    const waiting = calls.run(
      tool("echo", {
        call: async () => {
          began = true;
          return { ok: true, text: "", data: {} };
        },
      }),
      {},
      { workspace: noVault(), log: silentLog, signal: cancel.signal },
    );
    cancel.abort();
    expect(await waiting).toMatchObject({ ok: false });
    await first;
    expect(began).toBe(false);
  });

  it("stops what runs and lets nothing begin when it is told to", async () => {
    const { calls, run } = setUp();
    const running = run("wait", { ms: 60_000 });
    calls.abort();
    expect(await running).toMatchObject({ ok: false });
    expect(await run("echo", { text: "a" })).toMatchObject({ ok: false, error: { code: "UNAVAILABLE" } });
    await calls.atRest();
  });

  it("survives a tool that breaks its promise and throws", async () => {
    const outcome = await setUp().run("thrower", {});
    expect(outcome).toMatchObject({ ok: false, error: { code: "SERVER_ERROR" } });
    expect(outcome.text).not.toContain("secret");
  });
});
