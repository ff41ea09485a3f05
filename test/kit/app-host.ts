/** A host of MCP Apps for tests: its page on one port, the sandbox with the App on another, tools answered by the test. */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { build } from "esbuild";

/** What the specification lets a document do that asks for nothing. */
const DEFAULT_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";

/** Passes messages on between the host above and the App below. */
const PROXY = `<!doctype html><meta charset="utf-8"><title>Sandbox</title>
<style>html, body, iframe { margin: 0; border: 0; inline-size: 100%; block-size: 100%; display: block }</style>
<body><script>
  const inner = document.createElement("iframe");
  inner.title = "Tasks";
  inner.setAttribute("sandbox", "allow-scripts");
  addEventListener("message", ({ source, data }) => {
    if (source === inner.contentWindow) parent.postMessage(data, "*");
    else if (data.method === "ui/notifications/sandbox-resource-ready") { inner.src = "/app"; document.body.append(inner); }
    else inner.contentWindow.postMessage(data, "*");
  });
  parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, "*");
</script>`;

export interface AppHostOptions {
  readonly document: string;
  readonly capabilities?: object;
  readonly context?: object;
  readonly call: (params: { readonly name: string; readonly arguments?: unknown }) => Promise<unknown>;
}

export class AppHost {
  readonly #page: Server;
  readonly #sandbox: Server;
  readonly #calls: ReadonlySet<Promise<unknown>>;

  private constructor(page: Server, sandbox: Server, calls: ReadonlySet<Promise<unknown>>) {
    this.#page = page;
    this.#sandbox = sandbox;
    this.#calls = calls;
  }

  static async open(options: AppHostOptions): Promise<AppHost> {
    const sandbox = await listening((request) =>
      request.url === "/app"
        ? { type: "text/html", body: options.document, policy: DEFAULT_POLICY }
        : { type: "text/html", body: PROXY },
    );
    const script = await hostScript();
    const app = `${addressOf(sandbox)}/proxy`;
    const { capabilities = {}, context = {} } = options;
    const calls = new Set<Promise<unknown>>();
    const called = async (params: Parameters<AppHostOptions["call"]>[0]): Promise<unknown> => {
      const call = options.call(params);
      calls.add(call);
      return call.finally(() => calls.delete(call));
    };
    const page = await listening(async (request) => {
      const json = (value: unknown) => ({ type: "application/json", body: JSON.stringify(value) });
      if (request.url === "/settings") return json({ app, capabilities, context });
      if (request.url === "/call") return json(await called(JSON.parse(await text(request)) as never));
      if (request.url === "/host.js") return { type: "text/javascript", body: script };
      return { type: "text/html", body: HOST_PAGE };
    });
    return new AppHost(page, sandbox, calls);
  }

  get address(): string {
    return addressOf(this.#page);
  }

  async close(): Promise<void> {
    for (const server of [this.#page, this.#sandbox]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    // A call still under way uses what the test closes next.
    await Promise.allSettled(this.#calls);
  }
}

const HOST_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Host</title>
<style>
  body { margin: 0 } main { max-inline-size: 46rem; margin-inline: auto }
  iframe { border: 0; inline-size: 100%; block-size: 20rem; display: block }
  iframe.full { position: fixed; inset: 0; block-size: 100% !important }
</style><body><script src="/host.js"></script>`;

let script: Promise<string> | undefined;

/** Bundled once for all hosts of a test file. */
function hostScript(): Promise<string> {
  return (script ??= bundledScript());
}

async function bundledScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "app-host-page.js")],
    bundle: true,
    format: "iife",
    platform: "browser",
    write: false,
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

interface Page {
  readonly type: string;
  readonly body: string;
  readonly policy?: string;
}

async function listening(answer: (request: IncomingMessage) => Page | Promise<Page>): Promise<Server> {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { type, body, policy } = await answer(request);
    const headers = { "Content-Type": `${type}; charset=utf-8`, ...(policy && { "Content-Security-Policy": policy }) };
    response.writeHead(200, headers).end(body);
  };
  const server = createServer((request, response) => {
    // What fails ends the connection: the browser reports it, or has gone.
    respond(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

export function appDocument(): string {
  return readFileSync(join(import.meta.dirname, "..", "..", "dist", "web", "tasks-app.html"), "utf8");
}
