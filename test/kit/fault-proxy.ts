/** Stands between a storage and its CouchDB and spoils requests, as networks and proxies do: cut, delayed, refused, before or after they were carried out. */
import { once } from "node:events";
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Fault =
  /** The connection breaks before the request is carried out. */
  | "cut"
  /** The connection breaks after the request was carried out, in the middle of the answer. */
  | "cut-answer"
  | "delay"
  | "error"
  /** 500 after the request was carried out. */
  | "error-answer"
  /** 409 though nothing stands in the way; of writes only. */
  | "conflict";

export interface FaultProxy {
  /** Of the proxy. */
  readonly url: string;
  readonly done: ReadonlyMap<Fault | "none", number>;
  close(): Promise<void>;
}

/** @param choose what happens to a request; undefined: it passes */
export async function faultProxy(
  target: string,
  choose: (method: string, path: string) => Fault | undefined,
): Promise<FaultProxy> {
  const done = new Map<Fault | "none", number>();
  const server = createServer((incoming, outgoing) => {
    const fault = choose(incoming.method ?? "", incoming.url ?? "");
    done.set(fault ?? "none", (done.get(fault ?? "none") ?? 0) + 1);
    void pass(target, incoming, outgoing, fault).catch(() => incoming.socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, done, close: () => closed(server) };
}

const FAULTS: readonly Fault[] = ["cut", "cut-answer", "delay", "error", "error-answer", "conflict"];

/** One of five requests is spoilt, by a sequence that a seed gives; each fault comes before any comes again, but a conflict waits for a write. */
export function everyFifth(seed: number): (method: string, path: string) => Fault | undefined {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  let owed: Fault[] = [];
  return (method, path) => {
    const [isSpoilt, which] = [next() < 0.2, next()];
    if (!isSpoilt) return undefined;
    const isWrite = method === "PUT" || path.includes("_bulk_docs");
    const fits = (fault: Fault): boolean => fault !== "conflict" || isWrite;
    if (!owed.some(fits)) owed = [...owed, ...FAULTS.filter((fault) => !owed.includes(fault))];
    const fitting = owed.filter(fits);
    const fault = fitting[Math.floor(which * fitting.length)];
    owed = owed.filter((one) => one !== fault);
    return fault;
  };
}

async function pass(
  target: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fault: Fault | undefined,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  if (fault === "cut") return void incoming.socket.destroy();
  if (fault === "error") return answer(outgoing, 500, { error: "internal_server_error", reason: "spoilt" });
  if (fault === "conflict") return answer(outgoing, 409, { error: "conflict", reason: "spoilt" });
  if (fault === "delay") await new Promise((resolve) => setTimeout(resolve, 20));
  const { status, headers, body } = await forwarded(target, incoming, Buffer.concat(chunks));
  if (fault === "error-answer") return answer(outgoing, 500, { error: "internal_server_error", reason: "spoilt" });
  outgoing.writeHead(status, {
    "content-type": headers["content-type"] ?? "text/plain",
    "content-length": body.length,
  });
  if (fault !== "cut-answer") return void outgoing.end(body);
  outgoing.write(body.subarray(0, Math.floor(body.length / 2)), () => incoming.socket.destroy());
}

function answer(outgoing: ServerResponse, status: number, body: object): void {
  outgoing.writeHead(status, { "content-type": "application/json" });
  outgoing.end(JSON.stringify(body));
}

async function forwarded(target: string, incoming: IncomingMessage, body: Buffer) {
  const headers = { ...incoming.headers, host: new URL(target).host, "accept-encoding": "identity" };
  const sent = request(`${target}${incoming.url ?? ""}`, { method: incoming.method, headers });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 500, headers: response.headers, body: Buffer.concat(chunks) };
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}
