/** An HTTP server of ours in this process, over a folder or over tools of the test's own, asked through real sockets. */
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { createLog } from "../../src/cli/log.js";
import { vaultOpener } from "../../src/open.js";
import type { AccessRules } from "../../src/server/http/guards.js";
import { startHttp, type HttpOptions, type RunningHttp } from "../../src/server/http/http-server.js";
import { instructionsFor } from "../../src/tools/instructions.js";
import { toolsFor } from "../../src/tools/registry.js";
import { createWorkspace } from "../../src/tools/workspace.js";
import { TemporaryVault } from "./temporary-vault.js";

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** A value is sent as JSON, a text or bytes as they are. */
  readonly body?: unknown;
  /** Announce no length. */
  readonly chunked?: boolean;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export const OPEN_ACCESS: AccessRules = { hosts: [], origins: [], tokens: [], rate: undefined };

export const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

export class HttpTest {
  readonly vault: TemporaryVault;
  readonly logged: string[] = [];
  #running: RunningHttp | undefined;
  #close: () => Promise<void> = async () => {};

  private constructor(files: Readonly<Record<string, string>>) {
    this.vault = new TemporaryVault(files);
  }

  static async open(
    options: Partial<HttpOptions> = {},
    files: Readonly<Record<string, string>> = { "Notes/Example.md": "# Example\n" },
  ): Promise<HttpTest> {
    const test = new HttpTest(files);
    const log = createLog({
      level: "debug",
      format: "json",
      write: (line) => void test.logged.push(line),
      now: () => 0,
    });
    const opener = vaultOpener({ log });
    test.#close = () => opener.close();
    test.#running = await startHttp({
      host: "127.0.0.1",
      port: 0,
      access: OPEN_ACCESS,
      tools: toolsFor({ hasDefaultVault: true }),
      workspace: createWorkspace({ opener, default: test.vault.folder, switches: false }),
      log,
      toolErrors: "result",
      version: "9.8.7",
      instructions: async (tools) => instructionsFor(tools, { hasDefaultVault: true }),
      ...options,
    });
    return test;
  }

  get server(): RunningHttp {
    if (!this.#running) throw new Error("the server does not run");
    return this.#running;
  }

  get url(): string {
    return this.server.url;
  }

  send(path: string, { method, headers = {}, body, chunked = false }: Sent = {}): Promise<Received> {
    const bytes = body === undefined ? undefined : bytesOf(body);
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        {
          host: "127.0.0.1",
          port: this.server.port,
          path,
          method: method ?? (bytes ? "POST" : "GET"),
          agent: false,
          headers: {
            ...(bytes ? { "Content-Type": "application/json" } : {}),
            ...(bytes && !chunked ? { "Content-Length": String(bytes.length) } : {}),
            ...headers,
          },
        },
        (response) => {
          const parts: Buffer[] = [];
          response.on("data", (part: Buffer) => parts.push(part));
          response.on("error", reject);
          response.on("end", () => {
            const text = Buffer.concat(parts).toString("utf8");
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
          });
        },
      );
      request.on("error", reject);
      if (bytes) for (let at = 0; at < bytes.length; at += 65_536) request.write(bytes.subarray(at, at + 65_536));
      request.end();
    });
  }

  rpc(method: string, params?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Received> {
    return this.send("/mcp", { body: { jsonrpc: "2.0", id: 1, method, params }, headers });
  }

  call(tool: string, args: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Received> {
    return this.send(`/bridge/v1/tools/${tool}/call`, { body: { arguments: args }, headers });
  }

  async initialize(headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const begun = await this.rpc("initialize", params, headers);
    const id = begun.headers["mcp-session-id"];
    if (typeof id !== "string") throw new Error(`no session: ${begun.text}`);
    await this.send("/mcp", {
      body: { jsonrpc: "2.0", method: "notifications/initialized" },
      headers: { ...headers, "Mcp-Session-Id": id },
    });
    return id;
  }

  /** Writes bytes to a connection and answers all that comes back until it is closed. */
  raw(...texts: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.server.port, "127.0.0.1");
      let answer = "";
      socket.setEncoding("utf8");
      socket.on("data", (text: string) => (answer += text)).on("error", reject);
      socket.on("close", () => resolve(answer));
      for (const text of texts) socket.write(text);
    });
  }

  async close(): Promise<void> {
    await this.server.stop();
    await this.#close();
    this.vault.remove();
  }
}

function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

export const json = ({ text }: Received): unknown => JSON.parse(text);

/** Reads server-sent events as they come, until `enough` or the end. */
export async function eventsOf(
  response: Response,
  enough: (messages: readonly Record<string, unknown>[]) => boolean,
): Promise<Record<string, unknown>[]> {
  const messages: Record<string, unknown>[] = [];
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    rest += decoder.decode(chunk as Uint8Array, { stream: true });
    const events = rest.split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (data !== undefined && data.startsWith("{")) messages.push(JSON.parse(data) as Record<string, unknown>);
    }
    if (enough(messages)) break;
  }
  return messages;
}
