/**
 * What a web page of another site can do to a server on this machine, as raw requests: nothing.
 * attacks-browser.test.ts does the same with pages in a real browser, where there is one.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BRIDGE_CALL, EVIL, RecklessServer, WRITES, sendRaw, writingAttacks } from "./kit/attacks.js";
import { builtProgram } from "./kit/built-program.js";
import { startedHttp } from "./kit/client-front-ends.js";
import { HostileVault, SECRETS, expectDiscreet } from "./kit/hostile-vault.js";

let vault: HostileVault;
let port = 0;
let stop: () => Promise<void>;
beforeAll(async () => {
  vault = new HostileVault();
  const options = ["--vault", vault.folder, "--cache-folder", vault.cache, "--legacy-sse"];
  const { url, child } = await startedHttp([await builtProgram(), ...options]);
  port = Number(new URL(url).port);
  stop = async () => {
    child.process.kill("SIGTERM");
    expect((await child.ended).code).toBe(0);
    vault.remove();
  };
});
afterAll(() => stop());

const names = writingAttacks(0).map(({ name, path, method }, index) => [name, `${method} ${path}`, index] as const);

describe("attacks that would write", () => {
  it.each(names)("%s: %s does not run", async (...[, , index]) => {
    const before = vault.tree();
    const attack = writingAttacks(port)[index];
    if (!attack) throw new Error("no such attack");
    const answer = await sendRaw(port, attack);
    if (attack.method === "OPTIONS") expect(answer.status).toBe(204);
    else expect([400, 403, 405, 415]).toContain(answer.status);
    expect(answer.head).not.toMatch(/Access-Control-Allow-(Private|Local)-Network|Access-Control-Allow-Credentials/i);
    expectDiscreet(vault, answer.body);
    expect(vault.tree()).toEqual(before);
  });

  it("would run at a server that reads the bridge document to the letter", async () => {
    const reckless = await RecklessServer.open();
    try {
      const posts = writingAttacks(reckless.port).filter(({ method }) => method === "POST");
      const statuses = await Promise.all(posts.map(async (attack) => (await sendRaw(reckless.port, attack)).status));
      // Node itself refuses a second Host header.
      expect(reckless.ran).toHaveLength(statuses.filter((status) => status === 200).length);
      expect(reckless.ran.length).toBeGreaterThanOrEqual(posts.length - WRITES.length);
    } finally {
      await reckless.close();
    }
  });
});

describe("attacks that would read", () => {
  const streams = ["/mcp", "/sse"].flatMap((path) => [
    [path, `Origin: ${EVIL}`],
    [path, "Origin: null"],
  ]);

  it.each(streams)("an EventSource on %s with %s is not opened", async (path = "", origin = "") => {
    const headers = [`Host: 127.0.0.1:${port}`, origin, "Accept: text/event-stream"];
    expect((await sendRaw(port, { method: "GET", path, headers })).status).toBe(403);
  });

  it.each(["/mcp", "/sse", "/messages", "/bridge/v1/tools", BRIDGE_CALL])(
    "a WebSocket on %s is not opened",
    async (path) => {
      const headers = [
        `Host: 127.0.0.1:${port}`,
        `Origin: ${EVIL}`,
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      ];
      const { status } = await sendRaw(port, { method: "GET", path, headers });
      expect([400, 403, 404, 405]).toContain(status);
    },
  );

  it.each(["/mcp", "/bridge/v1/tools", "/bridge/v1/health", "/metrics", "/sse", "/nothing", "/"])(
    "%s tells another site and a foreign host nothing",
    async (path) => {
      for (const headers of [
        [`Host: 127.0.0.1:${port}`, `Origin: ${EVIL}`],
        [`Host: evil.example:${port}`],
        [`Host: evil.example:${port}`, `Origin: http://evil.example:${port}`],
      ]) {
        const { status, body } = await sendRaw(port, { method: "GET", path, headers });
        expect(status).toBe(403);
        for (const canary of [...SECRETS, "create_task", vault.folder]) expect(body).not.toContain(canary);
      }
    },
  );
});

describe("those who may", () => {
  const callers: readonly (readonly [string, ...string[]])[] = [
    ["H05 curl, the stdio bridge, a script"],
    ["H06 a page on localhost", "Origin: http://localhost:5173"],
    ["H06 Obsidian on a desktop", "Origin: app://obsidian.md"],
    ["H06 Obsidian on a phone", "Origin: capacitor://localhost"],
  ];
  it.each(callers)("%s", async (_, ...origin) => {
    for (const [path, body] of WRITES) {
      const before = vault.tree();
      const headers = [`Host: localhost:${port}`, ...origin, "Content-Type: application/json"];
      const answer = await sendRaw(port, { method: "POST", path, headers, body });
      expect(answer.status, answer.body).toBe(200);
      expect(vault.news(before)).toEqual([expect.stringMatching(/^vault\/.*owned.by.a.page.*\.md$/i)]);
      expect(answer.head).toMatch(/^Access-Control-Allow-Origin: \*$/im);
    }
  });
});
