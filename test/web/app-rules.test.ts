/**
 * The 18 rules that the SDK's validator of MCP Apps asks of a server and its app, by their names there
 * (https://github.com/modelcontextprotocol/ext-apps/pull/722; npm has no release of it).
 */
import schema from "@modelcontextprotocol/ext-apps/schema.json" with { type: "json" };
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { APP_EXTENSION, APP_MEDIA_TYPE } from "../../src/server/tasks-app.js";
import { AppHost, appDocument } from "../kit/app-host.js";
import { builtProgram } from "../kit/built-program.js";
import { inChromium, sharedBrowser } from "../kit/chromium.js";
import { ENVELOPE, HttpTest, json } from "../kit/http-front.js";

const FILES = { "a.md": "---\ntype: task\ntitle: Call Anna\ndue: 2025-08-29\n---\n" };
const ARGUMENTS = { scan_vault: {}, search_tasks: { query: "*" }, get_agenda: {} };

interface Tool {
  readonly name: string;
  readonly _meta?: { readonly ui?: { readonly resourceUri?: string; readonly visibility?: readonly string[] } };
}
interface Content {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly _meta?: { readonly ui?: object };
}
interface Message {
  readonly jsonrpc: string;
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

interface Asked {
  readonly name?: string;
  readonly uri?: string;
  readonly arguments?: unknown;
}

/** What the validator looks at. */
interface Seen {
  readonly tools: readonly Tool[];
  readonly resources: readonly Content[];
  readonly contents: readonly Content[];
  readonly results: readonly { readonly content: readonly { readonly text?: string }[] }[];
  /** What the App sent to a host that gives it the whole window, and to one that does not. */
  readonly full: readonly Message[];
  readonly inline: readonly Message[];
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, schemas: [schema] });
function fits(name: string, value: unknown): boolean {
  return ajv.validate({ $ref: `${schema.$id}#/$defs/${name}` }, value);
}

/** The messages an app may send to its host, and the shape of each. */
const KNOWN: Readonly<Record<string, string | undefined>> = {
  "ui/initialize": "McpUiInitializeRequest",
  "ui/notifications/initialized": "McpUiInitializedNotification",
  "ui/notifications/size-changed": "McpUiSizeChangedNotification",
  "ui/request-display-mode": "McpUiRequestDisplayModeRequest",
  "ui/update-model-context": "McpUiUpdateModelContextRequest",
  "ui/open-link": "McpUiOpenLinkRequest",
  "tools/call": undefined,
  // Of the base protocol: a question that a later one replaces.
  "notifications/cancelled": undefined,
};

/** A message without what JSON-RPC puts around it, which the schemas leave out. */
const bare = ({ method, params }: Message) => ({ method, params });
const sent = (messages: readonly Message[], method: string) => messages.filter((message) => message.method === method);
const first = (messages: readonly Message[], method: string) => messages.findIndex((one) => one.method === method);
const uisOf = ({ tools }: Seen) => tools.flatMap(({ _meta }) => _meta?.ui ?? []);

const RULES: readonly (readonly [id: string, title: string, holds: (seen: Seen) => boolean])[] = [
  [
    "APP-001",
    "UI resource URIs use the ui:// scheme",
    ({ resources }) => resources.every(({ uri }) => uri.startsWith("ui://")),
  ],
  [
    "APP-002",
    "content has the type of an app",
    ({ contents }) => contents.every(({ mimeType }) => mimeType === APP_MEDIA_TYPE),
  ],
  [
    "APP-003",
    "content is given as text or blob",
    ({ contents }) => contents.every(({ text }) => typeof text === "string"),
  ],
  [
    "APP-004",
    "content is an HTML5 document",
    ({ contents }) =>
      contents.every(({ text = "" }) =>
        /^<!doctype html>\s*<html[^>]*>.*<title>.*<\/body>\s*<\/html>\s*$/is.test(text),
      ),
  ],
  [
    "APP-005",
    "what tools refer to is there",
    (seen) => uisOf(seen).every(({ resourceUri }) => seen.resources.some(({ uri }) => uri === resourceUri)),
  ],
  [
    "APP-006",
    "the flat key of earlier hosts says nothing else than the nested one",
    ({ tools }) =>
      tools.every(
        ({ _meta }) => (_meta as Record<string, unknown> | undefined)?.["ui/resourceUri"] === _meta?.ui?.resourceUri,
      ),
  ],
  ["APP-007", "a tool's mark has its shape", (seen) => uisOf(seen).every((ui) => fits("McpUiToolMeta", ui))],
  [
    "APP-008",
    "a resource's settings have their shape",
    ({ resources, contents }) =>
      [...resources, ...contents].every(({ _meta }) => fits("McpUiResourceMeta", _meta?.ui ?? {})),
  ],
  [
    "APP-009",
    "origins that are asked for are origins: none is",
    ({ resources, contents }) =>
      [...resources, ...contents].every(({ _meta }) => !Object.hasOwn(_meta?.ui ?? {}, "csp")),
  ],
  [
    "APP-010",
    "results tell the same in words",
    ({ results }) => results.every(({ content }) => (content[0]?.text ?? "").includes("Call Anna")),
  ],
  [
    "APP-011",
    "tools are seen by models and apps",
    (seen) => uisOf(seen).every(({ visibility = [] }) => visibility.every((one) => one === "model" || one === "app")),
  ],
  ["APP-100", "the App introduces itself on load", ({ full }) => first(full, "ui/initialize") === 0],
  [
    "APP-101",
    "and says what it can do",
    ({ full }) =>
      sent(full, "ui/initialize").every(
        (hello) =>
          fits("McpUiAppCapabilities", hello.params?.["appCapabilities"]) &&
          fits("McpUiInitializeRequest", bare(hello)),
      ),
  ],
  [
    "APP-102",
    "it says that it is ready, once, and nothing between introducing itself and that",
    ({ full }) =>
      first(full, "ui/notifications/initialized") === 1 && sent(full, "ui/notifications/initialized").length === 1,
  ],
  [
    "APP-103",
    "it sends well-formed messages of known methods only",
    ({ full, inline }) =>
      [...full, ...inline].every((message) => {
        if (message.jsonrpc !== "2.0") return false;
        if (message.method === undefined) return message.id !== undefined;
        const shape = KNOWN[message.method];
        return message.method in KNOWN && (shape === undefined || fits(shape, bare(message)));
      }),
  ],
  [
    "APP-104",
    "it tells its size when that changes",
    ({ full }) => new Set(sent(full, "ui/notifications/size-changed").map(({ params }) => params?.["height"])).size > 1,
  ],
  [
    "APP-105",
    "it declares no tools of its own, so it need not list any",
    ({ full }) =>
      sent(full, "ui/initialize").every(({ params }) => !Object.hasOwn(params?.["appCapabilities"] as object, "tools")),
  ],
  [
    "APP-106",
    "it asks for those display modes only that the host has",
    ({ full, inline }) => {
      const modes = sent(full, "ui/request-display-mode").map(({ params }) => params?.["mode"]);
      return modes.join() === "fullscreen" && sent(inline, "ui/request-display-mode").length === 0;
    },
  ],
];

inChromium("test/web/app-rules.test.ts", (chromium) => {
  let http: HttpTest;
  let browser: Browser;
  let seen: Seen;

  async function ask(method: string, params: Asked): Promise<Record<string, unknown>> {
    const draws = { extensions: { [APP_EXTENSION]: { mimeTypes: [APP_MEDIA_TYPE] } } };
    const meta = { ...ENVELOPE, "io.modelcontextprotocol/clientCapabilities": draws };
    const { name = params.uri } = params;
    const headers = {
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": method,
      ...(name !== undefined && { "Mcp-Name": name }),
    };
    return (json(await http.rpc(method, { ...params, _meta: meta }, headers)) as { result: Record<string, unknown> })
      .result;
  }

  /** What the App sends to a host with these display modes, when somebody does all there is to do. */
  async function messagesOf(modes: readonly string[], act: (page: Page) => Promise<unknown>): Promise<Message[]> {
    const host = await AppHost.open({
      document: appDocument(),
      capabilities: { serverTools: {}, updateModelContext: { text: {} }, openLinks: {} },
      context: { availableDisplayModes: modes },
      call: async (params) => ask("tools/call", params),
    });
    const page = await browser.newPage();
    try {
      await page.goto(host.address);
      await page.waitForFunction("window.log?.some((entry) => entry.initialized)");
      const result = await ask("tools/call", { name: "scan_vault", arguments: {} });
      await page.evaluate(
        `window.bridge.sendToolInput({ arguments: {} }).then(() => window.bridge.sendToolResult(${JSON.stringify(result)}))`,
      );
      await act(page);
      return await page.evaluate("window.messages");
    } finally {
      await page.close();
      await host.close();
    }
  }

  beforeAll(async () => {
    await builtProgram();
    http = await HttpTest.open(
      { app: { mode: "auto", transport: "streamable-http", read: async () => appDocument() } },
      FILES,
    );
    browser = await sharedBrowser(chromium);
    const { tools } = (await ask("tools/list", {})) as { tools: Tool[] };
    const { resources } = (await ask("resources/list", {})) as { resources: Content[] };
    const apps = resources.filter(({ mimeType }) => mimeType === APP_MEDIA_TYPE);
    const read = await Promise.all(apps.map(async ({ uri }) => ask("resources/read", { uri })));
    const calls = Object.entries(ARGUMENTS).map(async ([name, args]) => ask("tools/call", { name, arguments: args }));
    seen = {
      tools: tools.filter(({ _meta }) => _meta !== undefined),
      resources: apps,
      contents: read.flatMap(({ contents }) => contents as Content[]),
      results: (await Promise.all(calls)) as unknown as Seen["results"],
      inline: await messagesOf(["inline"], (page) =>
        page.frameLocator("iframe").frameLocator("iframe").getByText("Call Anna").first().waitFor(),
      ),
      full: await messagesOf(["inline", "fullscreen"], async (page) => {
        const app = page.frameLocator("iframe").frameLocator("iframe");
        await app.getByRole("button", { name: "Complete: Call Anna" }).first().click();
        await app.getByText("Call Anna: Done").waitFor();
        await app.getByRole("button", { name: "Open the board" }).click();
        await app.getByRole("heading", { name: "In Progress" }).waitFor();
      }),
    };
  }, 180_000);
  afterAll(async () => {
    await http.close();
  });

  it("looks at something of everything", () => {
    expect(seen.tools.map(({ name }) => name).toSorted()).toEqual(Object.keys(ARGUMENTS).toSorted());
    expect([seen.resources.length, seen.contents.length, seen.results.length]).toEqual([1, 1, 3]);
  });

  it.each(RULES)("%s: %s", (_id, _title, holds) => expect(holds(seen)).toBe(true));
});
