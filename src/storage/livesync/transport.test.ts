/** Answers over HTTP: unpacked, and never taken for whole when they were cut. */
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, expect, it } from "vitest";
import { httpTransport, type HttpRequest } from "./transport.js";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function served(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/notes`;
}

async function asked(url: string, request: Partial<HttpRequest> = {}) {
  const whole = { method: "GET", headers: {}, signal: new AbortController().signal, ...request };
  const { status, headers, body } = await httpTransport(url, whole);
  const parts: Uint8Array[] = [];
  for await (const bytes of body ?? []) parts.push(bytes);
  return { status, type: headers.get("content-type"), text: String(Buffer.concat(parts)) };
}

const TEXT = JSON.stringify(Array.from({ length: 5000 }, (_, number) => `note ${number} für dich`));

it("sends method, headers and body, and gives status, headers and body", async () => {
  const url = await served((incoming, outgoing) => {
    const { method = "", url: path = "", headers } = incoming;
    incoming.setEncoding("utf8").on("data", (body: string) => {
      outgoing.writeHead(201, { "content-type": "text/x" }).end([method, path, headers["x-own"], body].join());
    });
  });
  const answer = await asked(url, { method: "PUT", headers: { "x-own": "ours" }, body: "grün" });
  expect(answer).toEqual({ status: 201, type: "text/x", text: "PUT,/notes,ours,grün" });
});

it("takes packed answers, and unpacks them", async () => {
  const url = await served((incoming, outgoing) => {
    expect(incoming.headers["accept-encoding"]).toBe("gzip");
    outgoing.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(TEXT));
  });
  expect((await asked(url)).text).toBe(TEXT);
});

it("follows no redirection", async () => {
  const url = await served((_, outgoing) => void outgoing.writeHead(302, { location: "http://127.0.0.1:9/" }).end());
  expect((await asked(url)).status).toBe(302);
});

it.each([
  ["plain", {}, Buffer.from(TEXT)],
  ["packed", { "content-encoding": "gzip" }, gzipSync(TEXT)],
])("fails for a %s answer that is cut", async (_, headers, content) => {
  const url = await served((__, outgoing) => {
    outgoing.writeHead(200, { "content-length": content.length, ...headers });
    outgoing.write(content.subarray(0, content.length / 2), () => outgoing.destroy());
  });
  await expect(asked(url)).rejects.toThrow();
});

it("ends with its signal, before an answer and within one", async () => {
  const silent = await served(() => undefined);
  const begun = await served((_, outgoing) => void outgoing.writeHead(200).write("["));
  for (const url of [silent, begun]) {
    await expect(asked(url, { signal: AbortSignal.timeout(100) })).rejects.toThrow();
  }
});
