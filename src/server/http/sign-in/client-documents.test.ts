/** Client documents over a real https server, trusted by its own certificate (docs: sign-in). */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { sleep } from "../../../async/timers.js";
import { ClientDocuments, usableAddress } from "./client-documents.js";

const ID = "https://app.example/client.json";
const DOCUMENT = { client_id: ID, client_name: "App", redirect_uris: ["https://app.example/cb"] };
const HOUR = 3_600_000;

const hasOpenssl = (() => {
  try {
    execFileSync("openssl", ["version"]);
    return true;
  } catch {
    return false;
  }
})();

let folder: string;
let key: string;
let ca: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "documents-"));
  if (!hasOpenssl) return;
  const [keyFile, certificate] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=app.example", "-addext", "subjectAltName=DNS:app.example"];
  const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  execFileSync("openssl", [...made, ...subject, "-keyout", keyFile, "-out", certificate], { stdio: "ignore" });
  key = readFileSync(keyFile, "utf8");
  ca = readFileSync(certificate, "utf8");
});
afterAll(() => rmSync(folder, { recursive: true }));

let server: Server | undefined;
afterEach(() => {
  vi.useRealTimers();
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

type Serve = (request: IncomingMessage, response: ServerResponse) => void;
let now = 0;
let requests = 0;
/** Documents of a server that answers so. @param addresses what its name resolves to, at each query, after `nameMs` */
async function served(
  serve: Serve,
  addresses: readonly string[] = ["127.0.0.1"],
  nameMs = 0,
): Promise<ClientDocuments> {
  now = Date.parse("2026-01-01");
  requests = 0;
  const running = createServer({ key, cert: ca }, (request, response) => {
    requests++;
    serve(request, response);
  });
  server = running;
  await new Promise<void>((resolve) => running.listen(0, "127.0.0.1", resolve));
  const { port } = running.address() as AddressInfo;
  let queries = 0;
  const resolve = async () => {
    if (nameMs > 0) await sleep(nameMs);
    return [addresses[Math.min(queries++, addresses.length - 1)] ?? ""];
  };
  return new ClientDocuments(() => now, { resolve, ca, port, allowsPrivate: true });
}
const sending =
  (body: unknown, headers: Readonly<Record<string, string>> = {}): Serve =>
  (_, response) =>
    response.writeHead(200, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
const refused = { code: "invalid_client" };

describe.runIf(hasOpenssl)("a client's document", () => {
  it("is fetched without cookies, for the host that was named, once the person agrees", async () => {
    let headers: IncomingMessage["headers"] = {};
    const documents = await served((request, response) => {
      headers = request.headers;
      sending(DOCUMENT)(request, response);
    });
    await expect(documents.fetch(ID, false)).rejects.toMatchObject({ code: "consent_to_fetch" });
    expect(requests).toBe(0);
    expect(await documents.fetch(ID, true)).toEqual(DOCUMENT);
    expect(headers).toMatchObject({ host: "app.example", accept: "application/json" });
    expect(headers).not.toHaveProperty("cookie");
  });

  it("is remembered for five minutes to a day, and for seven days while its server is away", async () => {
    let isAway = false;
    const documents = await served((request, response) => {
      if (isAway) response.writeHead(503).end();
      else sending(DOCUMENT, { "Cache-Control": "max-age=7200" })(request, response);
    });
    await documents.fetch(ID, true);
    now += 2 * HOUR - 1;
    await documents.fetch(ID, false);
    expect(requests).toBe(1);
    isAway = true;
    now += 24 * HOUR;
    await expect(documents.fetch("https://app.example/other.json", true)).rejects.toMatchObject(refused);
    requests = 1;
    expect(await documents.fetch(ID, true)).toEqual(DOCUMENT);
    expect(requests).toBe(2);
    now += 7 * 24 * HOUR;
    await expect(documents.fetch(ID, true)).rejects.toMatchObject(refused);
  });

  it("is asked for again after a day, whatever its server says, and after a hundred others", async () => {
    const documents = await served((request, response) => {
      const id = `https://app.example${request.url ?? ""}`;
      sending({ ...DOCUMENT, client_id: id }, { "Cache-Control": "max-age=604800" })(request, response);
    });
    await documents.fetch(ID, true);
    now += 24 * HOUR;
    await documents.fetch(ID, true);
    expect(requests).toBe(2);
    await documents.fetch(ID, true);
    expect(requests).toBe(2);
    for (let other = 0; other < 100; other++) await documents.fetch(`https://app.example/${other}.json`, true);
    await documents.fetch(ID, true);
    expect(requests).toBe(103);
  });

  it("comes from the address that was checked, whatever the name means at the next query (document.rebinding)", async () => {
    const documents = await served(sending(DOCUMENT), ["127.0.0.1", "127.0.0.2"]);
    expect(await documents.fetch(ID, true)).toEqual(DOCUMENT);
    const closed = new ClientDocuments(() => now, { resolve: async () => ["127.0.0.1"], ca });
    await expect(closed.fetch(ID, true)).rejects.toMatchObject(refused);
  });

  it("is not looked for elsewhere (document.redirect)", async () => {
    const documents = await served((_, response) =>
      response.writeHead(302, { Location: "http://169.254.169.254/latest/meta-data/" }).end(JSON.stringify(DOCUMENT)),
    );
    await expect(documents.fetch(ID, true)).rejects.toMatchObject(refused);
    expect(requests).toBe(1);
  });

  const large: readonly (readonly [string, Serve])[] = [
    ["of ten megabytes", sending({ ...DOCUMENT, more: "x".repeat(10_000_000) })],
    ["that says it is compressed", sending(DOCUMENT, { "Content-Encoding": "gzip" })],
    [
      "that grows to a gigabyte",
      (_, response) => {
        response.writeHead(200, { "Content-Encoding": "gzip" });
        // Each is ten megabytes; a decompressor takes them one after another.
        const part = gzipSync(Buffer.alloc(10_000_000));
        for (let count = 0; count < 100; count++) response.write(part);
        response.end();
      },
    ],
    [
      "whose headers never end",
      ({ socket }) => {
        socket.write("HTTP/1.1 200 OK\r\n");
        const timer = setInterval(() => socket.write(`X-${"x".repeat(1000)}: y\r\n`), 5).unref();
        socket.once("close", () => clearInterval(timer)).on("error", () => {});
      },
    ],
    ["that is no JSON", (_, response) => response.writeHead(200).end("<html>")],
    ["that is a list", sending([])],
  ];
  it.each(large)("%s is given up (document.huge)", async (_, serve) => {
    const documents = await served(serve);
    await expect(documents.fetch(ID, true)).rejects.toMatchObject(refused);
  });
});

it.runIf(hasOpenssl).each([
  ["name is found in a minute", 60_000],
  ["name is found in three seconds, and its server never ends (document.huge)", 3000],
])("a document is given up after five seconds when its %s", async (_, nameMs) => {
  let ask = () => {};
  const asked = new Promise<void>((resolve) => (ask = resolve));
  const answer: Serve = (_request, response) => {
    ask();
    setInterval(() => response.write(" "), 100).unref();
  };
  const documents = await served(answer, ["127.0.0.1"], nameMs);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  let isOver = false;
  const fetched = documents.fetch(ID, true).finally(() => (isOver = true));
  const ended = expect(fetched).rejects.toMatchObject(refused);
  await vi.advanceTimersByTimeAsync(3000);
  await (nameMs === 3000 ? asked : undefined);
  await vi.advanceTimersByTimeAsync(1999);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await ended;
});

describe("an id that is an address", () => {
  it.each([
    "https://app.example",
    "https://app.example/",
    "http://app.example/c.json",
    "https://user@app.example/c.json",
    "https://app.example:8443/c.json",
    "https://app.example:443/c.json",
    "https://app.example/a/../c.json",
    "https://app.example/./c.json",
    "https://APP.example/c.json",
    "https://app.example/c.json#x",
    "https://app.example/c json",
    `https://app.example/${"x".repeat(1000)}`,
  ])("is refused when it is %s (document.other-id)", (id) =>
    expect(() => usableAddress(id)).toThrow("has an address that cannot be used"),
  );
});
