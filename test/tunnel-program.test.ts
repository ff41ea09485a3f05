/** `--tunnel` with the built program, a tunnel that is a process of its own, and the official client: from one command to the first call. */
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtProgram } from "./kit/built-program.js";
import { Child } from "./kit/child.js";
import { HostileVault } from "./kit/hostile-vault.js";
import { agreed, freePort, Memory } from "./kit/sign-in-client.js";

const ORIGIN = "https://phone.tunnel.example";
const MOST_SECONDS = 300;

/** Carries connections to the server, says what it sees of its environment, and prints what the test wants. */
const TUNNEL = `
const { connect, createServer } = require("node:net");
const { writeFileSync } = require("node:fs");
const [from, to, seen, ...lines] = process.argv.slice(2);
writeFileSync(seen, JSON.stringify({ pid: process.pid, environment: process.env }));
createServer((socket) => {
  const server = connect(Number(to), "127.0.0.1");
  socket.pipe(server).pipe(socket);
  for (const one of [socket, server]) one.on("error", () => { socket.destroy(); server.destroy(); });
}).listen(Number(from), "127.0.0.1", () => console.log(lines.join("\\n")));
`;

let vault: HostileVault;
let program: string;
let script: string;
beforeAll(async () => {
  vault = new HostileVault({ "Plumber.md": "---\ntype: task\nstatus: To Do\ndue: 2020-01-01\n---\n# Plumber\n" });
  script = join(vault.cache, "the tunnel.cjs");
  writeFileSync(script, TUNNEL);
  program = await builtProgram();
});
afterAll(() => vault.remove());

async function started(lines = `see https://tunnel.example/terms '${ORIGIN}'`, more: readonly string[] = []) {
  const [from, to] = [await freePort(), await freePort()];
  const seen = join(vault.cache, `seen-${from}.json`);
  const command = `"${process.execPath}" '${script}' ${from} ${to} '${seen}' ${lines}`;
  const options = [
    "--vault",
    vault.folder,
    "--cache-folder",
    vault.cache,
    "--state-folder",
    join(vault.cache, "state"),
  ];
  const serve = ["--http", String(to), "--sign-in", "--tunnel", command];
  const secrets = { COUCHDB_PASSWORD: "hunter2", AUTH_TOKEN_FILE: "" };
  return { from, to, seen, child: new Child([program, ...options, ...serve, ...more], secrets) };
}

/** What comes out at the other end of the tunnel. */
function through(port: number, host = "phone.tunnel.example"): typeof fetch {
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const { pathname, search } = new URL(input instanceof Request ? input.url : input);
      const headers = { ...Object.fromEntries(new Headers(init.headers)), Host: host, "X-Forwarded-For": "127.0.0.1" };
      const sent = request({ port, path: pathname + search, method: init.method ?? "GET", headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (part: Buffer) => parts.push(part));
        answer.on("end", () => {
          const status = answer.statusCode ?? 0;
          const body = [202, 204, 304].includes(status) ? null : Buffer.concat(parts);
          resolve(new Response(body, { status, headers: answer.headers as Record<string, string> }));
        });
      });
      sent.on("error", reject).end(init.body instanceof URLSearchParams ? init.body.toString() : init.body);
    });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("a phone", () => {
  it(`is connected by one command and no edited file, in less than ${MOST_SECONDS} seconds`, async () => {
    const begun = performance.now();
    const { from, seen, child } = await started();
    await child.until("Waiting for the first signed-in call");
    const said = child.stdout;
    expect(said).toContain(`${ORIGIN}/mcp`);
    expect(said).toMatch(/[▀▄█]{10}/);
    const code = /#login=(\S+)/.exec(said)?.[1];
    const send = through(from);

    // Nothing without a token; another name is not served, loopback or not.
    const refused = await send(`${ORIGIN}/mcp`, { method: "POST", body: "{}" });
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, expect.stringContaining(ORIGIN)]);
    expect((await through(from, "other.example")(`${ORIGIN}/mcp`, { method: "POST", body: "{}" })).status).toBe(403);
    const metadata = await send(`${ORIGIN}/.well-known/oauth-authorization-server`);
    expect(await metadata.json()).toMatchObject({ issuer: ORIGIN, token_endpoint: `${ORIGIN}/token` });

    const memory = new Memory();
    const transport = () =>
      new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), { authProvider: memory, fetch: send });
    const first = transport();
    await expect(new Client({ name: "phone", version: "1" }).connect(first)).rejects.toThrow();
    if (!memory.address) throw new Error("it asked nobody");
    await first.finishAuth((await agreed(ORIGIN, memory.address, { code }, send)).searchParams);
    expect(child.stdout).not.toContain("Connected");
    const client = new Client({ name: "phone", version: "1" });
    await client.connect(transport());
    const { content } = await client.callTool({ name: "get_agenda", arguments: {} });
    expect(JSON.stringify(content)).toContain("Plumber");
    await child.until("Connected: the owner via A client.");
    const seconds = (performance.now() - begun) / 1000;
    expect(seconds).toBeLessThan(MOST_SECONDS);
    process.stdout.write(`From the command to the first call: ${seconds.toFixed(1)} s\n`);

    const { pid, environment } = JSON.parse(readFileSync(seen, "utf8")) as { pid: number; environment: object };
    expect(JSON.stringify(environment)).not.toContain("hunter2");
    expect(isRunning(pid)).toBe(true);
    child.process.kill("SIGTERM");
    expect((await child.ended).code).toBe(0);
    expect(isRunning(pid)).toBe(false);
    expect(child.stdout.match(/Connected/g)).toHaveLength(1);
  });

  it("that has lost its tunnel finds no server either", async () => {
    const { seen, child } = await started();
    await child.until("Waiting for the first");
    process.kill((JSON.parse(readFileSync(seen, "utf8")) as { pid: number }).pid, "SIGKILL");
    const { code, stderr } = await child.ended;
    expect(code).toBe(1);
    expect(stderr).toContain("The tunnel's program ended (SIGKILL).");
  });
});

describe("it does not serve", () => {
  it.each<[string, readonly string[], string]>([
    ["without sign-in", ["--http", "--tunnel", "x"], "needs --sign-in"],
    ["without HTTP", ["--sign-in", "--tunnel", "x"], "needs --http"],
    ["others on the network too", ["--http", "0.0.0.0:3000", "--sign-in", "--tunnel", "x"], "listens for others too"],
  ])("%s", async (_, options, words) => {
    const { code, stderr } = await new Child([program, ...options, "--vault", vault.folder]).end();
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  it("at one of two addresses, and ends the tunnel", async () => {
    const { seen, child } = await started("https://a.example https://b.example");
    const { code, stderr } = await child.ended;
    expect(stderr).toContain("Waiting for the tunnel's address");
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("two addresses, https://a.example and https://b.example"),
    ]);
    expect(isRunning((JSON.parse(readFileSync(seen, "utf8")) as { pid: number }).pid)).toBe(false);
  });

  it("where another program has the port: the tunnel does not even begin", async () => {
    const first = await started();
    await first.child.until("Waiting for the first");
    const command = `"${process.execPath}" -e 'console.log("never")'`;
    const options = ["--vault", vault.folder, "--http", String(first.to), "--sign-in", "--tunnel", command];
    const { code, stderr } = await new Child([program, ...options]).end();
    expect([code, stderr]).toEqual([1, expect.stringContaining("another program may use it")]);
    expect(stderr).not.toContain("never");
    first.child.process.kill("SIGINT");
    expect((await first.child.ended).code).toBe(0);
  });
});
