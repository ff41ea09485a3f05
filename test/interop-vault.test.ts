/** Resources, prompts, completions and subscriptions through the official clients: v1, and v2 in both eras, over the stdio and the sockets of a real process. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { Client as V1Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT, builtProgram } from "./kit/built-program.js";
import { CLIENT_FRONT_ENDS, type ClientFrontEnd } from "./kit/client-front-ends.js";
import { LONG } from "./kit/fuzz.js";

type Loose = Readonly<Record<string, unknown>>;

/** What every line of the SDK can do, under one name each. */
interface Peer {
  capabilities(): Loose | undefined;
  list(): Promise<Loose>;
  templates(): Promise<Loose>;
  read(uri: string): Promise<Loose>;
  prompts(): Promise<Loose>;
  prompt(name: string, args: Record<string, string>): Promise<Loose>;
  complete(
    ref: { type: "ref/prompt"; name: string } | { type: "ref/resource"; uri: string },
    argument: { name: string; value: string },
  ): Promise<Loose>;
  /** Follows a resource; the function answered ends that. */
  follow(uri: string, changed: (uri: string) => void): Promise<() => Promise<unknown>>;
  close(): Promise<void>;
}

/** A busy machine may miss the second. */
const SOON = { timeout: LONG ? 1000 : 60_000, interval: 20 };
const CLIENT = { name: "interop", version: "1.0.0" };
let vault: string;
let program: string;
const serve = (frontEnd: ClientFrontEnd) => frontEnd.serve([program, vault, "--no-cache", "--no-undo"]);

async function v1(frontEnd: ClientFrontEnd): Promise<Peer> {
  const client = new V1Client(CLIENT);
  const served = await serve(frontEnd);
  await client.connect(served.v1());
  return {
    capabilities: () => client.getServerCapabilities(),
    list: () => client.listResources(),
    templates: () => client.listResourceTemplates(),
    read: (uri) => client.readResource({ uri }),
    prompts: () => client.listPrompts(),
    prompt: (name, args) => client.getPrompt({ name, arguments: args }),
    complete: (ref, argument) => client.complete({ ref, argument }),
    async follow(uri, changed) {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => changed(params.uri));
      await client.subscribeResource({ uri });
      return () => client.unsubscribeResource({ uri });
    },
    async close() {
      await client.close();
      await served.end();
    },
  };
}

async function v2(frontEnd: ClientFrontEnd, mode: "legacy" | { pin: string }): Promise<Peer> {
  const client = new ModernClient(CLIENT, { versionNegotiation: { mode } });
  const served = await serve(frontEnd);
  await client.connect(served.modern());
  return {
    capabilities: () => client.getServerCapabilities(),
    list: () => client.listResources(),
    templates: () => client.listResourceTemplates(),
    read: (uri) => client.readResource({ uri }),
    prompts: () => client.listPrompts(),
    prompt: (name, args) => client.getPrompt({ name, arguments: args }),
    complete: (ref, argument) => client.complete({ ref, argument }),
    async follow(uri, changed) {
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => changed(params.uri));
      if (mode === "legacy") {
        await client.subscribeResource({ uri });
        return () => client.unsubscribeResource({ uri });
      }
      const subscription = await client.listen({ resourceSubscriptions: [uri] });
      return () => subscription.close();
    },
    async close() {
      await client.close();
      await served.end();
    },
  };
}

beforeAll(async () => {
  program = await builtProgram();
});

const CLIENTS: readonly (readonly [
  name: string,
  notFound: number,
  connect: (frontEnd: ClientFrontEnd) => Promise<Peer>,
])[] = [
  ["v1 client", -32002, v1],
  // This client makes an error of its own of -32002, with the number of the next revision.
  ["v2 client, 2025 era", -32602, (frontEnd) => v2(frontEnd, "legacy")],
  ["v2 client, 2026-07-28", -32602, (frontEnd) => v2(frontEnd, { pin: "2026-07-28" })],
];
const CASES = CLIENT_FRONT_ENDS.flatMap((frontEnd) =>
  CLIENTS.map(([client, notFound, connect]) => [client, frontEnd.name, frontEnd, notFound, connect] as const),
);

describe.each(CASES)("%s over %s", (...[, , frontEnd, notFound, connect]) => {
  let peer: Peer;
  let base: string;
  let parent: string;
  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), "interop-vault-"));
    vault = join(parent, "My Vault");
    cpSync(join(ROOT, "test-vault"), vault, { recursive: true });
    writeFileSync(join(vault, "pixel.png"), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]));
    base = "mcp-obsidian://My%20Vault/";
    peer = await connect(frontEnd);
  });
  afterAll(async () => {
    await peer.close();
    rmSync(parent, { recursive: true });
  });

  it("is told what there is", () =>
    expect(peer.capabilities()).toMatchObject({
      tools: {},
      resources: { subscribe: true },
      prompts: {},
      completions: {},
    }));

  it("lists the ten notes that changed last", async () => {
    const text = "---\ntitle: The newest\n---\n";
    writeFileSync(join(vault, "Newest.md"), text);
    const { resources } = (await peer.list()) as { resources: Loose[] };
    expect(resources).toHaveLength(10);
    expect(resources[0]).toMatchObject({
      uri: `${base}Newest.md`,
      name: "Newest.md",
      title: "The newest",
      description: "Path: Newest.md",
      mimeType: "text/markdown",
      size: text.length,
      annotations: { lastModified: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
    expect(resources.every(({ uri }) => String(uri).endsWith(".md"))).toBe(true);
  });

  it("reads a note as it stands, and an attachment as a blob", async () => {
    const path = "_projects/project-a.md";
    expect(await peer.read(base + path)).toMatchObject({
      contents: [{ uri: base + path, mimeType: "text/markdown", text: readFileSync(join(vault, path), "utf8") }],
    });
    expect(await peer.read(`${base}_projects%2Fproject-a.md`)).toMatchObject({
      contents: [{ mimeType: "text/markdown" }],
    });
    expect(await peer.read(`${base}pixel.png`)).toMatchObject({
      contents: [{ mimeType: "image/png", blob: "iVBOR/8=" }],
    });
  });

  it.each([
    ["a note that is not there", "nothing.md"],
    ["a path out of the vault", "..%2F..%2Fetc%2Fpasswd"],
    ["a hidden file", ".obsidian/app.json"],
  ])("is refused %s", async (_what, path) => {
    await expect(peer.read(base + path)).rejects.toMatchObject({ code: notFound });
  });

  it("is refused another vault and another scheme", async () => {
    await expect(peer.read("mcp-obsidian://OTHER/note.md")).rejects.toMatchObject({ code: notFound });
    await expect(peer.read("file:///etc/passwd")).rejects.toMatchObject({ code: notFound });
  });

  it("completes paths by the template", async () => {
    const { resourceTemplates } = (await peer.templates()) as { resourceTemplates: { uriTemplate: string }[] };
    const uri = resourceTemplates[0]?.uriTemplate ?? "";
    expect(uri).toBe(`${base}{+path}`);
    const { completion } = await peer.complete(
      { type: "ref/resource", uri },
      { name: "path", value: "_projects/proj" },
    );
    expect(completion).toMatchObject({ values: expect.arrayContaining(["_projects/project-a.md"]), hasMore: false });
  });

  it("has prompts with the vault's words in them", async () => {
    const { prompts } = (await peer.prompts()) as { prompts: { name: string }[] };
    expect(prompts.map(({ name }) => name)).toEqual([
      "plan-my-day",
      "weekly-review",
      "triage-inbox",
      "break-down-project",
      "tasks-base",
    ]);
    const { messages } = await peer.prompt("plan-my-day", {});
    expect(JSON.stringify(messages)).toContain("📅 Agenda for");
    const completed = await peer.complete({ type: "ref/prompt", name: "plan-my-day" }, { name: "area", value: "" });
    expect(completed).toMatchObject({ completion: { values: expect.arrayContaining(["Work"]) } });
    await expect(peer.prompt("plan-my-day", { nope: "1" })).rejects.toMatchObject({ code: -32602 });
  });

  it("hears within a second that a note changed, also by rename, and nothing after it stopped listening", async () => {
    const heard: string[] = [];
    const uri = `${base}Followed%20note.md`;
    writeFileSync(join(vault, "Followed note.md"), "one");
    const stop = await peer.follow(uri, (changed) => heard.push(changed));
    writeFileSync(join(vault, "Other.md"), "not followed");
    writeFileSync(join(vault, "Followed note.md"), "two words");
    await expect.poll(() => heard, SOON).toEqual([uri]);
    rmSync(join(vault, "Followed note.md"));
    await expect.poll(() => heard, SOON).toEqual([uri, uri]);
    await stop();
    writeFileSync(join(vault, "Followed note.md"), "three");
    await sleep(600);
    expect(heard).toHaveLength(2);
  });
});
