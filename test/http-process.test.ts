/**
 * The program over HTTP as a process: where it listens (H16, H19), how it starts and ends, its health check, and writers of three
 * kinds on one vault (reliability, promise 3).
 */
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { builtProgram } from "./kit/built-program.js";
import { Child, jsonLines } from "./kit/child.js";
import { listening } from "./kit/program-front-ends.js";
import { TemporaryVault } from "./kit/temporary-vault.js";

let program: string;
beforeAll(async () => {
  program = await builtProgram();
});

const children: Child[] = [];
const vaults: TemporaryVault[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.process.kill("SIGKILL");
    await child.ended;
  }
  for (const vault of vaults.splice(0)) vault.remove();
});

function vaultWith(files: Readonly<Record<string, string>> = { "Note.md": "# Note\n" }): TemporaryVault {
  const vault = new TemporaryVault(files);
  vaults.push(vault);
  return vault;
}

function start(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Child {
  const child = new Child([program, "--no-cache", ...args], environment);
  children.push(child);
  return child;
}

const TOKEN = "correct-horse-battery";
const call = (url: string, tool: string, args: object) =>
  fetch(`${url}/bridge/v1/tools/${tool}/call`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ arguments: args }),
  });
const LAN = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === "IPv4" && !one.internal)?.address;

function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    const tell = (open: boolean) => () => {
      socket.destroy();
      resolve(open);
    };
    socket.on("connect", tell(true)).on("error", tell(false)).setTimeout(2000, tell(false));
  });
}

describe("the program over HTTP", () => {
  // test/hostile-inputs.md, H16
  it("listens on loopback only, and elsewhere only with a token or an explicit word", async () => {
    const { folder } = vaultWith();
    const url = new URL(await listening(start(["--http", "0", folder])));
    expect(url.hostname).toBe("127.0.0.1");
    if (LAN !== undefined) expect(await canConnect(LAN, Number(url.port))).toBe(false);
    const refused = await start(["--http", folder], { BIND_ADDR: "0.0.0.0:0" }).ended;
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toMatch(/needs a token/);
    for (const [args, environment] of [
      [[], { AUTH_TOKEN: TOKEN }],
      [["--insecure-no-auth"], {}],
    ] as const) {
      const open = start(["--http", "0.0.0.0:0", ...args, folder], environment);
      const port = Number(new URL(await listening(open)).port);
      if (LAN !== undefined) expect((await fetch(`http://${LAN}:${port}/health`)).status).toBe(200);
      expect(open.stderr).not.toContain(TOKEN);
    }
  });

  // test/hostile-inputs.md, H19
  it("says in one line that the port is in use, and ends", async () => {
    const { folder } = vaultWith();
    const { host } = new URL(await listening(start(["--http", "0", folder])));
    const second = await start(["--http", host, folder]).ended;
    expect(second.code).toBe(1);
    expect(second.stderr).toBe(`${host} is in use by another program: stop it, or name another port with --http.\n`);
    const stdio = await start([folder]).end('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    expect([stdio.code, jsonLines(stdio.stdout)]).toEqual([0, [{ jsonrpc: "2.0", id: 1, result: {} }]]);
  });

  it("stays up when the vault is missing, and says so at the start and to probes", async () => {
    const { base } = vaultWith();
    const child = start(["--http", "0", join(base, "none")]);
    const url = await listening(child);
    await vi.waitFor(() => expect(child.stderr).toContain("The vault cannot be opened"));
    expect((await fetch(`${url}/health`)).status).toBe(200);
    const ready = await fetch(`${url}/ready`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: "not ready", reason: "VAULT_NOT_FOUND" }]);
    const answer = (await (await call(url, "search_tasks", { query: "x" })).json()) as object;
    expect(answer).toMatchObject({ success: false, isError: true });
    expect(JSON.stringify(answer) + child.stderr).not.toContain(base);
  });

  // test/hostile-inputs.md, K06
  it("finishes what is in flight at SIGTERM and ends with 0; a second signal ends it at once", async () => {
    const vault = vaultWith();
    const child = start(["--http", "0", vault.folder]);
    const url = await listening(child);
    const writes = Array.from({ length: 20 }, (_, at) => call(url, "create", { path: `n${at}.md`, file_text: "x" }));
    await Promise.race(writes);
    child.process.kill("SIGTERM");
    const outcomes = await Promise.allSettled(writes);
    const { code, signal } = await child.ended;
    expect([code, signal]).toEqual([0, null]);
    let acknowledged = 0;
    for (const [at, outcome] of outcomes.entries()) {
      if (outcome.status === "rejected" || !(await outcome.value.text()).includes('"success":true')) continue;
      acknowledged++;
      expect(readFileSync(vault.at(`n${at}.md`), "utf8")).toBe("x");
    }
    expect(acknowledged).toBeGreaterThan(0);
    const stubborn = start(["--http", "0", vault.folder]);
    const { host } = new URL(await listening(stubborn));
    const port = Number(host.split(":")[1]);
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n",
    );
    await once(socket, "data");
    stubborn.process.kill("SIGTERM");
    const isListening = () =>
      new Promise((resolve) => {
        const probe = connect(port, "127.0.0.1", () => resolve(true));
        probe.on("error", () => resolve(false));
      });
    await expect.poll(isListening).toBe(false);
    stubborn.process.kill("SIGTERM");
    expect((await stubborn.ended).signal).toBe("SIGTERM");
  });

  it("probes itself, at the address of its own settings", async () => {
    const { folder } = vaultWith();
    const { host, port } = new URL(await listening(start(["--http", "0", folder])));
    for (const environment of [
      { BIND_ADDR: host },
      { BIND_ADDR: `0.0.0.0:${port}` },
      { BIND_ADDR: "0.0.0.0:1", PORT: port },
    ])
      expect((await start(["--health-check"], environment).ended).code).toBe(0);
    const dead = await start(["--health-check", "--http", "127.0.0.1:1"]).ended;
    expect([dead.code, dead.stderr]).toEqual([1, "127.0.0.1:1/health: no answer\n"]);
  });

  it.runIf(process.platform === "linux")("serves while idle connections take all they can get", async () => {
    const vault = vaultWith();
    const limited = ["prlimit", "--nofile=240:240"];
    const child = new Child([program, "--no-cache", "--http", "127.0.0.1:0", vault.folder], {}, limited);
    children.push(child);
    const { port, hostname, host } = new URL(await listening(child));
    const open = () => connect(Number(port), hostname).on("error", () => {});
    const first = open();
    await sleep(50);
    const idle = Array.from({ length: 300 }, open);
    await sleep(300);
    const body = JSON.stringify({ arguments: { path: "Note.md", old_str: "Note", new_str: "Changed" } });
    const head = [`POST /bridge/v1/tools/str_replace/call HTTP/1.1`, `Host: ${host}`, "Content-Type: application/json"];
    first.write([...head, `Content-Length: ${body.length}`, "", body].join("\r\n"));
    const answer = await Promise.race([once(first, "data").then(String), child.ended.then(() => "ended")]);
    expect(answer).toContain("HTTP/1.1 200");
    for (const socket of [first, ...idle]) socket.destroy();
    expect(readFileSync(vault.at("Note.md"), "utf8")).toBe("# Changed\n");
  });

  it("warns of a token on the command line, and never shows one", async () => {
    const { folder, base } = vaultWith();
    const named = start(["--http", "0", "--token", TOKEN, "--log-level", "debug", folder]);
    await fetch(`${await listening(named)}/mcp?token=${TOKEN}`, { headers: { Authorization: `Bearer ${TOKEN}x` } });
    expect(named.stderr).toMatch(/can be seen by every user/);
    const file = join(base, "token");
    writeFileSync(file, `${TOKEN}\n`, { mode: 0o600 });
    const filed = start(["--http", "0", "--token-file", file, "--log-format", "json", folder]);
    const url = await listening(filed);
    expect((await fetch(`${url}/bridge/v1/tools`)).status).toBe(401);
    expect((await fetch(`${url}/bridge/v1/tools`, { headers: { Authorization: `Bearer ${TOKEN}` } })).status).toBe(200);
    expect(jsonLines(filed.stderr)).toEqual([expect.objectContaining({ level: "info", message: "Listening", url })]);
    for (const child of [named, filed]) expect(child.stderr).not.toContain(TOKEN);
    rmSync(file);
  });

  it("loses no edit of one note among two HTTP servers and a stdio session", async () => {
    const ROUNDS = 40;
    const vault = vaultWith({ "Log.md": "# Log\n" });
    const urls = await Promise.all(
      [start(["--http", "0", vault.folder]), start(["--http", "0", vault.folder])].map(listening),
    );
    const stdio = start([vault.folder]);
    const insert = (text: string) => ({ path: "Log.md", insert_line: 1, new_str: text });
    const overHttp = urls.flatMap((url, server) =>
      Array.from({ length: ROUNDS }, async (_, at) => {
        const answer = await call(url, "insert", insert(`http ${server} ${at}`));
        return ((await answer.json()) as { readonly success: boolean }).success;
      }),
    );
    for (let at = 0; at < ROUNDS; at++) {
      const params = { name: "insert", arguments: insert(`stdio ${at}`) };
      stdio.process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: at, method: "tools/call", params })}\n`);
    }
    expect(await Promise.all(overHttp)).toEqual(Array.from({ length: 2 * ROUNDS }, () => true));
    const answers = jsonLines((await stdio.end()).stdout);
    expect(answers.filter((answer) => JSON.stringify(answer).includes('"isError"'))).toEqual([]);
    const lines = readFileSync(vault.at("Log.md"), "utf8")
      .split("\n")
      .filter((line) => /^(http|stdio) /.test(line));
    expect(new Set(lines).size).toBe(3 * ROUNDS);
    expect(lines).toHaveLength(3 * ROUNDS);
  });
});
