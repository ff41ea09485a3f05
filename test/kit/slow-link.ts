/** A link of so many bytes a second between a storage and its CouchDB: answers come through it bit by bit, all requests sharing it. */
import { once } from "node:events";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface SlowLink {
  readonly url: string;
  /** Bytes of answers that came through so far. */
  readonly carried: () => number;
  close(): Promise<void>;
}

/** Milliseconds between two portions. */
const BEAT = 20;

export async function slowLink(target: string, bytesPerSecond: number): Promise<SlowLink> {
  let carried = 0;
  /** When the link is free again. */
  let free = performance.now();
  const portion = Math.max(1, Math.round((bytesPerSecond * BEAT) / 1000));
  const carry = async (bytes: Buffer, outgoing: ServerResponse): Promise<void> => {
    for (let start = 0; start < bytes.length && !outgoing.destroyed; start += portion) {
      const part = bytes.subarray(start, start + portion);
      free = Math.max(free, performance.now()) + (part.length / bytesPerSecond) * 1000;
      const wait = free - performance.now();
      if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
      carried += part.length;
      outgoing.write(part);
    }
  };
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { "accept-encoding": _, ...headers } = incoming.headers;
    const forwarded = request(new URL(incoming.url ?? "/", target), { method: incoming.method ?? "GET", headers });
    incoming.pipe(forwarded);
    const [answer] = (await once(forwarded, "response")) as [IncomingMessage];
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    for await (const bytes of answer) await carry(bytes as Buffer, outgoing);
    outgoing.end();
  };
  const server = createServer((incoming, outgoing) => {
    void pass(incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    carried: () => carried,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
