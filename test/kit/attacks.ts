/** What a web page of another site can send to a server on this machine, as raw requests: each would make a task if it ran. */
import { createServer, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  /** One line each, `Host` included. */
  readonly headers: readonly string[];
  readonly body?: string;
}

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

export const TITLE = "Owned by a page";
export const EVIL = "https://evil.example";
const TASK = { title: TITLE, area: "Work" };
export const BRIDGE_CALL = "/bridge/v1/tools/create_task/call";

export const WRITES: readonly (readonly [path: string, body: string])[] = [
  [BRIDGE_CALL, JSON.stringify({ arguments: TASK })],
  [
    "/mcp",
    JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "create_task", arguments: TASK },
    }),
  ],
];

const json = "Content-Type: application/json";

/** Ways to claim or to hide where a request comes from; with each the body itself is announced as JSON. */
const ORIGINS = (port: number): readonly (readonly [name: string, ...headers: string[]])[] => {
  const host = `Host: 127.0.0.1:${port}`;
  return [
    ["H01 another site", host, `Origin: ${EVIL}`],
    ["H03 a sandboxed frame or a file", host, "Origin: null"],
    ["an empty origin", host, "Origin:"],
    ["a name that begins like ours", host, `Origin: http://localhost.evil.example:${port}`],
    ["a name that ends like ours", host, `Origin: http://evil-localhost:${port}`],
    ["an address in a name", host, "Origin: http://127.0.0.1.evil.example"],
    ["an address that begins like ours", host, "Origin: http://1127.0.0.1"],
    ["our name as a user's", host, "Origin: http://localhost@evil.example"],
    ["our name behind a mark", host, "Origin: http://evil.example#http://localhost"],
    ["a site that calls itself Obsidian", host, "Origin: https://obsidian.md"],
    ["another app's pages", host, "Origin: app://evil.md"],
    ["an extension", host, "Origin: chrome-extension://abcdefghijklmnop"],
    ["a good origin after a bad one", host, `Origin: ${EVIL}`, "Origin: http://localhost"],
    ["a bad origin after a good one", host, "Origin: http://localhost", `Origin: ${EVIL}`],
    ["several origins in one", host, `Origin: http://localhost ${EVIL}`],
    ["H04 a name that was made to lead here", `Host: evil.example:${port}`, `Origin: http://evil.example:${port}`],
    ["H04 the same without an origin", `Host: evil.example:${port}`],
    ["a name that was made to lead here, with our origin", `Host: evil.example:${port}`, "Origin: http://localhost"],
    ["an address of the network", `Host: 192.168.1.5:${port}`],
    ["no address", `Host: 0.0.0.0:${port}`],
    ["our name as a user's in Host", `Host: localhost@evil.example:${port}`],
    ["two hosts", host, `Host: evil.example:${port}`],
  ];
};

/** What a page can send without asking first, as the browser announces it. */
const TYPES: readonly (readonly [name: string, type: string | undefined])[] = [
  ["H02 text/plain", "text/plain"],
  ["H02 text/plain with a charset", "text/plain;charset=UTF-8"],
  ["H03 a form", "application/x-www-form-urlencoded"],
  ["H03 a form with files", "multipart/form-data; boundary=x"],
  ["no type", undefined],
  ["JSON as a parameter", "text/plain; application/json"],
  ["JSON as a second type", "text/plain, application/json"],
  ["a type that begins like JSON", "application/jsonp"],
];

export function writingAttacks(port: number): (RawRequest & { readonly name: string })[] {
  const here = `Host: 127.0.0.1:${port}`;
  return WRITES.flatMap(([path, body]) => {
    const post = (name: string, ...headers: string[]) => ({ name, method: "POST", path, headers, body });
    const byOrigin = ORIGINS(port).map(([name, ...headers]) => post(name, ...headers, json));
    const byType = TYPES.flatMap(([name, type]) => {
      const about = type === undefined ? [] : [`Content-Type: ${type}`];
      return [
        post(name, here, `Origin: ${EVIL}`, ...about),
        // Some old browsers leave the origin out; the type alone must do.
        post(`${name}, without an origin`, here, ...about),
      ];
    });
    return byOrigin.concat(byType, [
      { ...post("a preflight with a body", here, `Origin: ${EVIL}`, json), method: "OPTIONS" },
      {
        ...post("a method in a header", here, `Origin: ${EVIL}`, "X-HTTP-Method-Override: POST", json),
        method: "GET",
      },
      {
        ...post("the arguments in the address", here, `Origin: ${EVIL}`),
        method: "GET",
        path: `${path}?body=${encodeURIComponent(body)}`,
      },
    ]);
  });
}

/** Sends a request as it is written and reads until the server closes. */
export function sendRaw(port: number, { method, path, headers, body = "" }: RawRequest): Promise<RawAnswer> {
  const lines = [`${method} ${path} HTTP/1.1`, ...headers, `Content-Length: ${Buffer.byteLength(body)}`];
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const parts: Buffer[] = [];
    socket.on("data", (part) => parts.push(part)).on("error", reject);
    socket.on("close", () => {
      const [head = "", ...rest] = Buffer.concat(parts).toString("utf8").split("\r\n\r\n");
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), head, body: rest.join("\r\n\r\n") });
    });
    socket.write(`${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n${body}`);
  });
}

/** A server that reads the bridge document to the letter: any origin, any type. What runs at it shows that an attack is one. */
export class RecklessServer {
  readonly ran: string[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const body = Buffer.concat(parts).toString("utf8");
        if (request.method === "POST" && body.includes(TITLE) && isJson(body)) this.ran.push(body);
        const stream = request.headers.accept === "text/event-stream";
        response.writeHead(200, {
          "Content-Type": stream ? "text/event-stream" : "application/json",
          "Access-Control-Allow-Origin": "*",
          "Access-Control-Allow-Headers": "*",
        });
        response.end(stream ? ": hello\n\n" : "{}");
      });
    });
  }

  static open(): Promise<RecklessServer> {
    const reckless = new RecklessServer();
    return new Promise((resolve) => reckless.#server.listen(0, "127.0.0.1", () => resolve(reckless)));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
