/** The command `board` as a process: where it listens, what it prints, who gets in, and what it opens on a terminal. */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { builtProgram } from "./kit/built-program.js";
import { Child } from "./kit/child.js";
import { TemporaryVault } from "./kit/temporary-vault.js";

let program: string;
beforeAll(async () => {
  program = await builtProgram();
});

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

function newVault(): TemporaryVault {
  const vault = new TemporaryVault({ "Paint.md": "---\ntype: task\n---\n# Paint\n" });
  ending.push(() => vault.remove());
  return vault;
}

function board(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Child {
  const child = new Child([program, "board", "--no-cache", ...args], { PORT: "", ...environment });
  ending.push(async () => {
    child.process.kill("SIGKILL");
    await child.ended;
  });
  return child;
}

/** The address and the code of the link that a board prints. */
async function linkOf(child: Child): Promise<{ url: string; code: string; port: number }> {
  await Promise.race([child.until("\n"), child.ended]);
  const [, url, port, code] = /^(http:\/\/127\.0\.0\.1:(\d+))\/#login=([\w-]{22})\n$/.exec(child.stdout) ?? [];
  if (url === undefined || code === undefined) throw new Error(`${child.stdout} ${child.stderr}`);
  return { url, code, port: Number(port) };
}

const json = { "Content-Type": "application/json" };
const login = (url: string, body: object) =>
  fetch(`${url}/web/session`, { method: "POST", headers: json, body: JSON.stringify(body) });
const list = (url: string, headers: Readonly<Record<string, string>> = {}) => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  return fetch(`${url}/mcp`, { method: "POST", headers: { ...json, ...headers }, body });
};

describe("board", () => {
  it("prints a link and nothing else; the link logs in once, and nobody gets in without", async () => {
    const child = board([newVault().folder]);
    const { url, code } = await linkOf(child);
    expect((await list(url)).status).toBe(401);
    const answer = await login(url, { code });
    const { key } = (await answer.json()) as { key: string };
    const [cookie = ""] = answer.headers.getSetCookie().map((one) => one.split(";")[0]);
    expect((await list(url, { Cookie: cookie, "X-Session-Key": key })).status).toBe(200);
    expect((await login(url, { code })).status).toBe(401);
    expect(child.stderr).not.toContain(code);
    child.process.kill("SIGTERM");
    expect(await child.ended).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^\S+ WARN {2}A login link was not valid address="127\.0\.0\.1"\n$/),
    });
  });

  it("takes the next port that is free of 3000 to 3019, and a token that is set", async () => {
    const { folder } = newVault();
    const token = "correct-horse-battery";
    const boards = [board([folder], { AUTH_TOKEN: token }), board([folder])];
    const links = await Promise.all(boards.map(linkOf));
    const ports = links.map(({ port }) => port);
    expect(new Set(ports).size).toBe(2);
    for (const port of ports) expect(port >= 3000 && port < 3020, `${port}`).toBe(true);
    const [one, other] = links;
    expect((await login(one?.url ?? "", { token })).status).toBe(200);
    expect((await login(other?.url ?? "", { token })).status).toBe(401);
  });

  it("has all rights, whoever is first in a file of tokens", async () => {
    const { folder, base } = newVault();
    const file = join(base, "tokens.json");
    const row = { name: "reader", token: "reader-reader-reader", scopes: ["read", "tasks"] };
    writeFileSync(file, JSON.stringify({ tokens: [row] }));
    const { url, code } = await linkOf(board([folder], { AUTH_TOKENS_FILE: file }));
    const answer = await login(url, { code });
    const { key } = (await answer.json()) as { key: string };
    const [cookie = ""] = answer.headers.getSetCookie().map((one) => one.split(";")[0]);
    expect(await (await list(url, { Cookie: cookie, "X-Session-Key": key })).text()).toContain("update_task");
  });

  it("uses the port that is named, or says that it is taken", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as { port: number };
    const { folder } = newVault();
    const refused = await board([folder, "--port", `${port}`]).ended;
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([
      1,
      "",
      `127.0.0.1:${port} is in use by another program: stop it, or name another port with --port.\n`,
    ]);
    await new Promise((resolve) => taken.close(resolve));
    expect((await linkOf(board([folder, "--port", `${port}`]))).port).toBe(port);
  });

  it("wants a vault", async () => {
    const { code, stderr } = await board([], { OBSIDIAN_VAULT_PATH: "", VAULT_PATH: "" }).ended;
    expect([code, stderr]).toEqual([3, expect.stringContaining("No vault was named.")]);
  });
});

describe.runIf(spawnSync("script", ["--version"]).status === 0)("board in a terminal", () => {
  /** Runs it under a terminal, with a browser that writes down what it is asked to open. @returns that, and what was shown */
  async function inTerminal(...args: string[]): Promise<{ opened: string | undefined; shown: string }> {
    const vault = newVault();
    const [browser, opened] = [join(vault.base, "my browser"), join(vault.base, "opened")];
    writeFileSync(browser, `#!/bin/sh\nprintf '%s|' "$#" "$@" > ${opened}.part; mv ${opened}.part ${opened}\n`);
    chmodSync(browser, 0o755);
    const command = [process.execPath, program, "board", "--no-cache", "--no-undo", vault.folder, ...args].join(" ");
    const child = spawn("script", ["-qec", command, "/dev/null"], {
      env: { ...process.env, BROWSER: browser, PORT: "" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    let shown = "";
    child.stdout.on("data", (text: Buffer) => (shown += text.toString()));
    ending.push(() => child.kill("SIGKILL"));
    await expect.poll(() => shown).toContain("Ctrl-C ends the board.");
    if (!args.includes("--no-open")) await expect.poll(() => existsSync(opened)).toBe(true);
    else await sleep(500);
    child.kill("SIGTERM");
    return { opened: existsSync(opened) ? readFileSync(opened, "utf8") : undefined, shown };
  }

  it("opens the link with $BROWSER, as its one argument", async () => {
    const { opened, shown } = await inTerminal();
    const [link] = /http:\/\/127\.0\.0\.1:\d+\/#login=[\w-]{22}/.exec(shown) ?? [];
    expect(opened).toBe(`1|${link}|`);
  });

  it("opens nothing with --no-open", async () => {
    expect((await inTerminal("--no-open")).opened).toBeUndefined();
  });
});
