/** Pages that try to write into a vault on this machine, and the sites they come from, for a real browser. */
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { TITLE, WRITES } from "./attacks.js";
import { REBOUND_ADDRESS } from "./chromium.js";

/** What a page tells of itself when its script has ended: which of its ways were open to it. */
export const DONE = "attack-done";

const writes = JSON.stringify(WRITES);

/** Every way of sending a body that scripts have; `base` is an expression. */
const requests = (base: string) => `
  const open = [];
  const note = (name) => (response) => { if (response.ok) open.push(name); };
  for (const [path, body] of ${writes}) {
    const url = ${base} + path;
    const types = ["application/json", "text/plain", "application/x-www-form-urlencoded", undefined];
    for (const type of types) {
      const headers = type === undefined ? {} : { "Content-Type": type };
      const data = type === undefined ? new Blob([body]) : body;
      await fetch(url, { method: "POST", headers, body: data }).then(note("fetch " + type + " " + path), () => {});
      if (type !== "application/json")
        await fetch(url, { method: "POST", mode: "no-cors", headers, body: data }).then(note("no-cors " + path), () => {});
    }
    await new Promise((resolve) => {
      const request = new XMLHttpRequest();
      request.open("POST", url);
      request.setRequestHeader("Content-Type", "application/json");
      request.onload = () => { note("XMLHttpRequest " + path)({ ok: request.status === 200 }); resolve(); };
      request.onerror = resolve;
      request.send(body);
    });
    navigator.sendBeacon(url, body);
    navigator.sendBeacon(url, new Blob([body], { type: "application/json" }));
    for (const tag of ["img", "script"]) {
      const element = document.createElement(tag);
      element.src = url + "?body=" + encodeURIComponent(body);
      document.body.append(element);
    }
  }
`;

const streams = (base: string) => `
  const opened = (name, make) => new Promise((resolve) => {
    const end = () => { clearTimeout(timer); resolve(); };
    const timer = setTimeout(end, 2000);
    try {
      const stream = make();
      stream.onopen = () => { open.push(name); stream.close(); end(); };
      stream.onerror = () => { stream.close(); end(); };
    } catch { end(); }
  });
  for (const path of ["/mcp", "/sse", "/bridge/v1/tools"]) {
    await opened("EventSource " + path, () => new EventSource(${base} + path));
    await opened("WebSocket " + path, () => new WebSocket((${base} + path).replace("http", "ws")));
  }
`;

const report = `parent.postMessage({ ${JSON.stringify(DONE)}: open }, "*"); window[${JSON.stringify(DONE)}] = open;`;
const page = (script: string) => `<!doctype html><meta charset="utf-8"><body><script type="module">${script}</script>`;

function foreignPages(target: string): ReadonlyMap<string, string> {
  const base = JSON.stringify(target);
  const forms = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"].flatMap((type) =>
    WRITES.map(([path, body]) => {
      // The "=" between name and value must fall into a text of the JSON.
      const [name = "", value = ""] = body.replace(TITLE, `${TITLE}\u0000`).split("\u0000");
      const quoted = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
      return `<form method="post" target="frame" enctype="${type}" action="${target}${path}">
        <input name="${quoted(name)}" value="${quoted(value)}"></form>`;
    }),
  );
  const inFrame = page(`${requests(base)} ${streams(base)} ${report}`)
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;");
  return new Map([
    ["/scripts", page(`${requests(base)} ${streams(base)} ${report}`)],
    [
      "/forms",
      `<!doctype html><meta charset="utf-8"><body><iframe name="frame"></iframe>${forms.join("")}<script type="module">
        const frame = document.querySelector("iframe");
        const open = [];
        for (const form of document.forms) {
          const loaded = new Promise((resolve) => { frame.onload = resolve; setTimeout(resolve, 2000); });
          form.submit();
          await loaded;
        }
        ${report}</script>`,
    ],
    [
      "/sandboxed",
      `<!doctype html><meta charset="utf-8"><body><script>
        addEventListener("message", ({ data }) => { window[${JSON.stringify(DONE)}] = data[${JSON.stringify(DONE)}]; });
      </script><iframe sandbox="allow-scripts" srcdoc="${inFrame}"></iframe>`,
    ],
  ]);
}

/** What a page of a client that may call does: one task through each front end, and a session whose id it can read. */
const friendlyPage = (target: string) =>
  page(`
    const open = [];
    for (const [path, body] of ${writes}) {
      const answer = await fetch(${JSON.stringify(target)} + path, {
        method: "POST", headers: { "Content-Type": "application/json" }, body,
      });
      if (answer.ok && !(await answer.text()).includes("isError")) open.push(path);
    }
    const answer = await fetch(${JSON.stringify(`${target}/mcp`)}, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", "Mcp-Protocol-Version": "2025-06-18" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: {
        protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "page", version: "1" } } }),
    });
    if (answer.headers.get("Mcp-Session-Id")) open.push("session");
    ${report}`);

/** A site of pages on a port of its own; which site it is depends on the name it is asked by. */
export class PageSite {
  readonly #server: HttpServer;

  private constructor(target: string) {
    const pages = new Map([...foreignPages(target), ["/friendly", friendlyPage(target)]]);
    this.#server = createHttpServer((request, response) => {
      const found = pages.get(request.url ?? "");
      response.writeHead(found === undefined ? 404 : 200, { "Content-Type": "text/html" }).end(found);
    });
  }

  static open(target: string): Promise<PageSite> {
    const site = new PageSite(target);
    return new Promise((resolve) => site.#server.listen(0, "127.0.0.1", () => resolve(site)));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

/** A name that first leads to its owner's page and then to this machine: the page, and all that is asked after it of the same origin. */
export class ReboundSite {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(port: number) {
    const body = page(`${requests("location.origin")} ${streams("location.origin")} ${report}`);
    const answer = ["HTTP/1.1 200 OK", "Content-Type: text/html", `Content-Length: ${Buffer.byteLength(body)}`];
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {}).on("close", () => this.#sockets.delete(socket));
      socket.once("data", (first) => {
        if (first.toString("latin1").startsWith("GET /page "))
          return void socket.end(`${[...answer, "Connection: close"].join("\r\n")}\r\n\r\n${body}`);
        const real = connect(port, "127.0.0.1");
        real.on("error", () => socket.destroy());
        real.write(first);
        return void socket.pipe(real).pipe(socket);
      });
    });
  }

  /** @param port of the server that is attacked; a page can only reach the port it came from */
  static open(port: number): Promise<ReboundSite> {
    const site = new ReboundSite(port);
    return new Promise((resolve, reject) => {
      site.#server.once("error", reject).listen(port, REBOUND_ADDRESS, () => resolve(site));
    });
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
