/** What every tool gets from `defineTool`: hints, checks, and errors that tell the caller enough and no more. */
import { describe, expect, it } from "vitest";
import { contextOf, KnownTasks, workspaceOf } from "../../test/kit/known-tasks.js";
import { VaultError } from "../errors.js";
import type { Log } from "../log.js";
import { callResult, ERROR_META_KEY, rpcErrorOf, wordsOf } from "./outcome.js";
import { defineTool, type Effect, type Tool } from "./tool.js";

function toolThat(run: () => Promise<{ said: string }>, effect: Effect = "reads"): Tool {
  return defineTool({
    name: "say",
    title: "Say",
    toolset: "tasks",
    effect,
    description: "Says something.",
    input: { type: "object", properties: {}, additionalProperties: false },
    output: {
      type: "object",
      properties: { said: { type: "string", description: "What was said" } },
      required: ["said"],
      additionalProperties: false,
    },
    failure: "❌ Error saying:",
    run,
    text: ({ said }) => said,
  });
}

const failing = (error: unknown) =>
  toolThat(async () => {
    throw error;
  });

class Lines implements Log {
  readonly lines: string[] = [];
  error = (message: string, fields?: unknown) => void this.lines.push(`error ${message} ${JSON.stringify(fields)}`);
  warn = (message: string, fields?: unknown) => void this.lines.push(`warn ${message} ${JSON.stringify(fields)}`);
  info = (message: string, fields?: unknown) => void this.lines.push(`info ${message} ${JSON.stringify(fields)}`);
  debug = (message: string, fields?: unknown) => void this.lines.push(`debug ${message} ${JSON.stringify(fields)}`);
}

function circular(): Error {
  const error = new Error("/home/me");
  error.cause = error;
  return error;
}

const context = (log?: Log) => contextOf(workspaceOf(new KnownTasks([])), log);

describe("what is not found", () => {
  const tries = async (mayLag: boolean) => {
    let count = 0;
    const tool = toolThat(async () => {
      if (++count === 1) throw new VaultError("FILE_NOT_FOUND", "There is no such task.");
      return { said: "found" };
    });
    const open = {
      ...(await workspaceOf(new KnownTasks([])).current()),
      vault: { mayLag, takeNewConflicts: () => [] },
    };
    const workspace = { hasDefault: true, current: async () => open as never, open: async () => open as never };
    return { outcome: await tool.call({}, contextOf(workspace)), count: () => count };
  };

  it("is looked for once more over a cluster, whose nodes may not have told each other yet", async () => {
    const { outcome, count } = await tries(true);
    expect(outcome).toMatchObject({ ok: true, text: "found" });
    expect(count()).toBe(2);
  });

  it("is looked for once elsewhere", async () => {
    const { outcome, count } = await tries(false);
    expect(outcome).toMatchObject({ ok: false });
    expect(count()).toBe(1);
  });
});

it("a tool that answers from the journal of all callers is refused under access rules", async () => {
  const tool = defineTool({
    name: "get_history",
    title: "History",
    toolset: "files",
    effect: "reads",
    description: "Lists changes.",
    input: { type: "object", properties: {}, additionalProperties: false },
    output: { type: "object", properties: {}, additionalProperties: false },
    failure: "",
    showsFormerTexts: true,
    run: async () => ({}),
    text: () => "everything",
  });
  const answer = async (isRestricted: boolean) => {
    const open = { vault: { isRestricted, takeNewConflicts: () => [] } } as never;
    const workspace = { hasDefault: true, current: async () => open, open: async () => open };
    return (await tool.call({}, contextOf(workspace))).text;
  };
  expect(await answer(false)).toBe("everything");
  expect(await answer(true)).toContain("is not available under access rules");
});

describe("a second text block", () => {
  const tool = (details: (data: { readonly said: string }) => string | undefined): Tool =>
    defineTool({
      name: "say",
      title: "Say",
      toolset: "tasks",
      effect: "reads",
      description: "Says something.",
      input: { type: "object", properties: {}, additionalProperties: false },
      output: {
        type: "object",
        properties: { said: { type: "string", description: "What was said" } },
        required: ["said"],
        additionalProperties: false,
      },
      failure: "❌ Error saying:",
      run: async () => ({ said: "hello" }),
      text: ({ said }) => said,
      details,
    });

  it("is meant for the model", async () => {
    const outcome = await tool(({ said }) => `${said} again`).call({}, context());
    expect(callResult(outcome).content).toEqual([
      { type: "text", text: "hello" },
      { type: "text", text: "hello again", annotations: { audience: ["assistant"] } },
    ]);
    expect(wordsOf(outcome)).toBe("hello\n\nhello again");
  });

  it("is left out where there is nothing to add", async () => {
    const outcome = await tool(() => undefined).call({}, context());
    expect(callResult(outcome).content).toEqual([{ type: "text", text: "hello" }]);
  });
});

describe("hints", () => {
  it.each<[Effect, boolean, boolean, boolean]>([
    ["reads", true, false, true],
    ["adds", false, false, false],
    ["changes", false, true, false],
    ["deletes", false, true, false],
  ])("derive from the effect: %s", (effect, readOnlyHint, destructiveHint, idempotentHint) => {
    const { annotations } = toolThat(async () => ({ said: "" }), effect).listing;
    expect(annotations).toEqual({ title: "Say", readOnlyHint, destructiveHint, idempotentHint, openWorldHint: false });
  });
});

describe("an answer", () => {
  it("is words and data", async () => {
    const outcome = await toolThat(async () => ({ said: "hello" })).call({}, context());
    expect(outcome).toEqual({ ok: true, text: "hello", data: { said: "hello" } });
    expect(callResult(outcome)).toEqual({
      content: [{ type: "text", text: "hello" }],
      structuredContent: { said: "hello" },
    });
  });

  it("needs no arguments where none are wanted", async () => {
    expect((await toolThat(async () => ({ said: "" })).call(undefined, context())).ok).toBe(true);
  });
});

describe("a failure the domain foresaw", () => {
  const candidates = [
    { id: "a-1", title: "A\none", path: "A.md", status: "To Do" },
    { id: "a-2", title: "A two", path: "B.md" },
  ];
  const shown = candidates.map((one) => ({ ...one, title: one.title.replace("\n", " ") }));
  const error = new VaultError("AMBIGUOUS_NAME", 'Several tasks are called "A".', { candidates, hint: "Use an id." });
  const text = `❌ Error saying: Several tasks are called "A".\n- a-1: "A one" (To Do)\n- a-2: "A two"\nUse an id.`;

  it("says what failed, what was meant and what to do", async () => {
    expect(await failing(error).call({}, context())).toEqual({ ok: false, text, error });
  });

  it("becomes a result with isError, without structured content", async () => {
    const result = callResult(await failing(error).call({}, context()));
    expect(result).toEqual({
      content: [{ type: "text", text }],
      isError: true,
      _meta: {
        [ERROR_META_KEY]: {
          code: "AMBIGUOUS_NAME",
          number: -32004,
          message: error.message,
          hint: "Use an id.",
          candidates: shown,
        },
      },
    });
  });

  it("becomes a JSON-RPC error", async () => {
    const outcome = await failing(error).call({}, context());
    if (outcome.ok) throw new Error("succeeded");
    expect(rpcErrorOf(outcome)).toEqual({
      code: -32004,
      message: text,
      data: { errorCode: "AMBIGUOUS_NAME", details: error.message, hint: "Use an id.", candidates: shown },
    });
  });

  it("does not show what lies underneath", async () => {
    const inner = new VaultError("UNAVAILABLE", "Not now.", { cause: new Error("password=SECRET /home/me") });
    const log = new Lines();
    const outcome = await failing(inner).call({}, context(log));
    expect(JSON.stringify([outcome.text, log.lines])).not.toMatch(/SECRET|home/);
  });
});

describe("a failure nobody foresaw", () => {
  class Odd extends Error {
    readonly code = "EIO";
  }

  it("is a busy process when no further file can be opened: parts of the program are loaded when needed", async () => {
    const cause = Object.assign(new Error("EMFILE: too many open files, open '/opt/program/chunk.js'"), {
      code: "EMFILE",
    });
    const outcome = await failing(cause).call({}, context(new Lines()));
    expect(outcome).toMatchObject({ ok: false, error: { code: "UNAVAILABLE" } });
    expect(outcome.text).toBe("❌ Error saying: Too many files are open.\nTry again in a moment.");
  });

  it.each<[string, unknown]>([
    ["an error", new Odd("EIO: /home/me/vault/Secret note.md: text of the note")],
    ["a string", "/home/me/vault"],
    ["nothing", undefined],
    ["an error that causes itself", circular()],
    ["an object that throws when looked at", Object.create(null)],
  ])("is told without its particulars: %s", async (_, thrown) => {
    const log = new Lines();
    const outcome = await failing(thrown).call({}, context(log));
    expect(outcome).toMatchObject({ ok: false, error: { code: "SERVER_ERROR" } });
    expect(outcome.text).toBe(
      "❌ Error saying: Something unexpected went wrong in the server.\nTry again; if it happens again, the server's log (stderr) says where.",
    );
    expect(log.lines).toHaveLength(1);
    expect(log.lines[0]).toMatch(/^error /);
    expect(log.lines.join()).not.toMatch(/Secret note|text of the note|home\/me/);
  });

  it("leaves its place in the log", async () => {
    const log = new Lines();
    await failing(new Odd("x")).call({}, context(log));
    expect(log.lines[0]).toMatch(/"code":"EIO".*tool\.test\.ts/);
  });

  it("is no error of ours when the caller stopped the call", async () => {
    const controller = new AbortController();
    const log = new Lines();
    const tool = toolThat(async () => {
      controller.abort();
      throw controller.signal.reason;
    });
    const outcome = await tool.call({}, { ...context(log), signal: controller.signal });
    expect(outcome.text).toBe("❌ Error saying: The call was cancelled.");
    expect(log.lines.filter((line) => !line.startsWith("debug"))).toEqual([]);
  });
});
