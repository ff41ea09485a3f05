/** The official clients against a real process, over stdio and over HTTP: v1, and v2 in both eras; each must see the same server. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { Client as V1Client } from "@modelcontextprotocol/sdk/client/index.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT, builtProgram } from "./kit/built-program.js";
import { CLIENT_FRONT_ENDS, type ClientFrontEnd, type Served } from "./kit/client-front-ends.js";
import { fixtureTools } from "./kit/fixture-tools.js";
import { LONG } from "./kit/fuzz.js";

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number; total?: number | undefined }) => void;
}
type Call = { name: string; arguments: Record<string, unknown> };

/** What both lines of the SDK can do, under one name each. */
interface Peer {
  list(): Promise<readonly { name: string }[]>;
  call(call: Call, options?: CallOptions): Promise<Record<string, unknown>>;
  version(): { name: string; version: string } | undefined;
  instructions(): string | undefined;
  errors: Error[];
  close(): Promise<void>;
}

type Mode = "legacy" | "auto" | { readonly pin: string };

const CLIENT = { name: "interop", version: "1.0.0" };
type Connect = (served: Served) => Promise<Peer>;

const v1: Connect = async (served) => {
  const client = new V1Client(CLIENT);
  const errors: Error[] = [];
  Object.assign(client, { onerror: (error: Error) => errors.push(error) });
  await client.connect(served.v1());
  return {
    list: async () => (await client.listTools()).tools,
    call: (call, options) => client.callTool(call, undefined, options),
    version: () => client.getServerVersion(),
    instructions: () => client.getInstructions(),
    errors,
    close: () => client.close(),
  };
};

const v2 =
  (mode: Mode): Connect =>
  async (served) => {
    const client = new ModernClient(CLIENT, { versionNegotiation: { mode } });
    const errors: Error[] = [];
    Object.assign(client, { onerror: (error: Error) => errors.push(error) });
    await client.connect(served.modern());
    return {
      list: async () => (await client.listTools()).tools,
      call: (call, options) => client.callTool(call, options),
      version: () => client.getServerVersion(),
      instructions: () => client.getInstructions(),
      errors,
      close: () => client.close(),
    };
  };

const CLIENTS: readonly (readonly [name: string, connect: Connect])[] = [
  ["v1 client", v1],
  ["v2 client, 2025 era", v2("legacy")],
  ["v2 client, era by negotiation", v2("auto")],
  ["v2 client, 2026-07-28", v2({ pin: "2026-07-28" })],
];
/** The published program meets each client, over every second front end in turn: how answers travel is what the fixtures are for. */
const CASES = CLIENT_FRONT_ENDS.flatMap((frontEnd, at) =>
  CLIENTS.map(([client, connect], number) => {
    const meetsProgram = LONG || (at + number) % 2 === 0;
    return [client, frontEnd.name, frontEnd, connect, meetsProgram] as const;
  }),
);

/** The fixtures as each front end serves them to all clients. */
const fixtures = new Map<ClientFrontEnd, Promise<Served>>();
const servedFixtures = (frontEnd: ClientFrontEnd): Promise<Served> => {
  const served = fixtures.get(frontEnd) ?? frontEnd.fixtures().then((program) => frontEnd.serve([program]));
  fixtures.set(frontEnd, served);
  return served;
};
afterAll(async () => {
  for (const served of fixtures.values()) await (await served).end();
});

describe.each(CASES)("%s over %s", (...[, , frontEnd, connect, meetsProgram]) => {
  let peer: Peer;
  beforeAll(async () => {
    peer = await connect(await servedFixtures(frontEnd));
  });
  afterAll(() => peer.close());

  it("learns who the server is", () => {
    expect(peer.version()).toMatchObject({ name: "obsidian-vault-mcp-server", version: "1.2.3" });
    expect(peer.instructions()).toBe("These tools are for tests.");
  });

  it("lists the tools in their order", async () => {
    expect((await peer.list()).map((tool) => tool.name)).toEqual(fixtureTools.tools.map((tool) => tool.name));
  });

  it("calls a tool and accepts its structured content", async () => {
    expect(await peer.call({ name: "echo", arguments: { text: "naïve ✅" } })).toMatchObject({
      content: [{ type: "text", text: "naïve ✅" }],
      structuredContent: { text: "naïve ✅" },
    });
  });

  it("sees a failure's text, although the tool has an output schema", async () => {
    expect(await peer.call({ name: "refuse", arguments: {} })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("There is no such vault.") }],
      _meta: { "obsidian-vault-mcp-server/error": { code: "VAULT_NOT_FOUND", number: -32002 } },
    });
  });

  it("is told of an unknown tool by a protocol error", async () => {
    await expect(peer.call({ name: "ecko", arguments: {} })).rejects.toMatchObject({ code: -32602 });
  });

  it("hears of progress", async () => {
    const began = performance.now();
    const heard: { readonly after: number; readonly progress: number }[] = [];
    await peer.call(
      { name: "wait", arguments: { ms: 1500 } },
      { onprogress: ({ progress }) => heard.push({ after: performance.now() - began, progress }) },
    );
    expect(heard.length).toBeGreaterThan(0);
    // Work of less than a second is not reported.
    for (const { after } of heard) expect(after).toBeGreaterThan(990);
    for (const { progress } of heard) expect(progress).toBeGreaterThan(0);
  });

  it("cancels a call and goes on", async () => {
    const abort = new AbortController();
    const call = peer.call({ name: "wait", arguments: { ms: 60_000 } }, { signal: abort.signal });
    setTimeout(() => abort.abort("enough"), 50);
    await expect(call).rejects.toThrow();
    expect(await peer.call({ name: "echo", arguments: { text: "on" } })).toMatchObject({ content: [{ text: "on" }] });
  });

  it("makes 200 calls at once", async () => {
    const calls = Array.from({ length: 200 }, (_, index) =>
      peer.call({ name: "echo", arguments: { text: String(index) } }),
    );
    const answers = await Promise.all(calls);
    expect(answers.map((answer) => answer["structuredContent"])).toEqual(
      answers.map((_, index) => ({ text: String(index) })),
    );
  });

  it("had nothing to complain of", () => expect(peer.errors).toEqual([]));

  const itIfMeeting = meetsProgram ? it : () => undefined;
  itIfMeeting("accepts what the published program's tools answer, by their output schemas", async () => {
    const folder = mkdtempSync(join(tmpdir(), "interop-"));
    cpSync(join(ROOT, "test-vault"), folder, { recursive: true });
    const served = await frontEnd.serve([await builtProgram(), folder, "--no-cache", "--no-undo"]);
    const vault = await connect(served);
    try {
      await vault.list();
      const created = await vault.call({ name: "create_task", arguments: { title: "Meet the peers", area: "Work" } });
      expect(created).toMatchObject({ structuredContent: { title: "Meet the peers" } });
      const found = await vault.call({ name: "search_tasks", arguments: { query: "peers" } });
      expect(found).toMatchObject({ structuredContent: { total: 1 } });
      const task = { taskId: "Meet the peers" };
      for (const [name, args] of [
        ["get_task", task],
        ["update_task", { ...task, updates: { status: "Done" } }],
        ["scan_vault", {}],
      ] as const) {
        const answer = await vault.call({ name, arguments: args });
        expect(answer["isError"], JSON.stringify(answer)).toBeFalsy();
      }
      expect(vault.errors).toEqual([]);
    } finally {
      await vault.close();
      await served.end();
      rmSync(folder, { recursive: true });
    }
  });
});
