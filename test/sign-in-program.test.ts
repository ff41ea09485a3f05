/** Sign-in against the built program: the official clients of both lines and `oauth4webapi` connect, the commands list and end connections. */
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from "@modelcontextprotocol/client";
import { Client as V1Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as V1Http } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import * as oauth from "oauth4webapi";
import type { Browser, Page } from "playwright-core";
import axe from "axe-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtProgram } from "./kit/built-program.js";
import { Child } from "./kit/child.js";
import { inChromium, sharedBrowser } from "./kit/chromium.js";
import { startedHttp } from "./kit/client-front-ends.js";
import { HostileVault } from "./kit/hostile-vault.js";
import { agreed, freePort, Memory, REDIRECT } from "./kit/sign-in-client.js";

const TOKEN = "the-owner-of-this-vault";
const VERIFIER = "v".repeat(43);

let vault: HostileVault;
let program: string;
let server: Child;
let base = "";
const environment = () => ({ AUTH_TOKEN: TOKEN, XDG_STATE_HOME: join(vault.cache, "state"), LOG_LEVEL: "info" });
beforeAll(async () => {
  vault = new HostileVault({ "Chosen/Note.md": "# Note\n" });
  program = await builtProgram();
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  const options = ["--vault", vault.folder, "--cache-folder", vault.cache, "--sign-in", "--public-url", base];
  server = (await startedHttp([program, ...options, "--rate-limit", "off"], environment(), String(port))).child;
});
afterAll(async () => {
  server.process.kill("SIGTERM");
  expect((await server.ended).code).toBe(0);
  vault.remove();
});

const agree = (address: URL, proof: object = { token: TOKEN }): Promise<URL> => agreed(base, address, proof);

describe("an official client", () => {
  it.each(["/mcp", "/mcp/", "/"])("of the line of today connects at %s", async (path) => {
    const memory = new Memory();
    const client = () => new ModernClient({ name: "modern", version: "1" });
    const first = new ModernHttp(new URL(base + path), { authProvider: memory });
    await expect(client().connect(first)).rejects.toThrow();
    if (!memory.address) throw new Error("it asked nobody");
    await first.finishAuth((await agree(memory.address)).searchParams);
    const connected = client();
    await connected.connect(new ModernHttp(new URL(base + path), { authProvider: memory }));
    const { tools } = await connected.listTools();
    expect(tools.map(({ name }) => name)).toContain("get_agenda");
    await connected.close();
  });

  it("of the line before it connects", async () => {
    const memory = new Memory();
    const client = () => new V1Client({ name: "older", version: "1" });
    const first = new V1Http(new URL(`${base}/mcp`), { authProvider: memory });
    await expect(client().connect(first)).rejects.toThrow();
    if (!memory.address) throw new Error("it asked nobody");
    await first.finishAuth((await agree(memory.address)).searchParams.get("code") ?? "");
    const connected = client();
    await connected.connect(new V1Http(new URL(`${base}/mcp`), { authProvider: memory }));
    expect((await connected.listTools()).tools.length).toBeGreaterThan(10);
    await connected.close();
  });
});

/** From discovery to tokens by a library that checks every answer against its standard. */
async function connected() {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(base);
  const resource = new URL(`${base}/mcp`);
  const described = await oauth.resourceDiscoveryRequest(resource, insecure);
  const { authorization_servers: servers } = await oauth.processResourceDiscoveryResponse(resource, described);
  expect(servers).toEqual([base]);
  const discovery = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
  const as = await oauth.processDiscoveryResponse(issuer, discovery);
  const metadata = {
    redirect_uris: [REDIRECT],
    client_name: "oauth4webapi",
    token_endpoint_auth_method: "client_secret_basic",
  };
  const registration = await oauth.dynamicClientRegistrationRequest(as, metadata, insecure);
  const client = await oauth.processDynamicClientRegistrationResponse(registration);
  const authentication = oauth.ClientSecretBasic(client.client_secret as string);
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const address = new URL(String(as.authorization_endpoint));
  address.search = new URLSearchParams({
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: REDIRECT,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    resource: resource.href,
    scope: "read write",
    state,
  }).toString();
  const callback = oauth.validateAuthResponse(as, client, await agree(address), state);
  const granted = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    authentication,
    callback,
    REDIRECT,
    verifier,
    insecure,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, granted);
  return { as, client, authentication, tokens, insecure, verifier, code: callback.get("code") };
}

const statusOf = async (token: string) => {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  return (await fetch(`${base}/mcp`, { method: "POST", headers, body })).status;
};
const run = async (...words: string[]) => {
  const options = words[0] === "sign-in" ? ["--public-url", base, "--json"] : ["--json"];
  const { stdout, code } = await new Child([program, ...words, ...options], environment()).end("");
  return { code, data: JSON.parse(stdout) as Record<string, unknown> };
};

describe("by the standards", () => {
  it("a program discovers, registers, is granted, refreshes and revokes", async () => {
    const { as, client, authentication, tokens, insecure } = await connected();
    expect(await statusOf(tokens.access_token)).toBe(200);
    const refreshed = await oauth.refreshTokenGrantRequest(
      as,
      client,
      authentication,
      tokens.refresh_token ?? "",
      insecure,
    );
    const next = await oauth.processRefreshTokenResponse(as, client, refreshed);
    expect(await statusOf(next.access_token)).toBe(200);
    const revoked = await oauth.revocationRequest(as, client, authentication, next.refresh_token ?? "", insecure);
    await oauth.processRevocationResponse(revoked);
    expect([await statusOf(tokens.access_token), await statusOf(next.access_token)]).toEqual([401, 401]);
  });

  it("no code, token or secret is left in the log, the journal or any other file", async () => {
    const { tokens, client, verifier, code } = await connected();
    const headers = { Authorization: `Bearer ${tokens.access_token}`, "Content-Type": "application/json" };
    const body = JSON.stringify({ arguments: { path: "Chosen/By a program.md", file_text: "x" } });
    const made = await fetch(`${base}/bridge/v1/tools/create/call`, { method: "POST", headers, body });
    expect(await made.json()).toMatchObject({ success: true });
    const secrets = [
      TOKEN,
      tokens.access_token,
      tokens.refresh_token,
      client.client_secret,
      verifier,
      code,
    ] as string[];
    const files = readdirSync(vault.cache, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.some(({ parentPath }) => parentPath.endsWith("grants"))).toBe(true);
    const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"));
    expect(texts.some((text) => text.includes("By a program"))).toBe(true);
    for (const secret of secrets) for (const text of [...texts, server.stderr]) expect(text).not.toContain(secret);
  });

  it("the commands list connections and end them", async () => {
    const { tokens } = await connected();
    const { data } = await run("tokens");
    const connections = data["connections"] as { id: string; client: string }[];
    const mine = connections.find(({ client }) => client === "oauth4webapi");
    expect(mine).toMatchObject({ host: "127.0.0.1:9", person: "token" });
    expect((await run("tokens", "revoke", mine?.id ?? "")).code).toBe(0);
    expect(await statusOf(tokens.access_token)).toBe(401);
    expect((await run("tokens", "revoke", "AAAAAAAAAAAAAAAA")).code).not.toBe(0);
    expect((await run("tokens", "revoke", "--all")).code).toBe(0);
    expect((await run("tokens")).data["connections"]).toEqual([]);
  });

  it("the command sign-in prints a link that logs one browser in", async () => {
    const { data } = await run("sign-in");
    const code = String(data["link"]).split("#login=")[1];
    const login = async () =>
      (
        await fetch(`${base}/web/session`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ code }),
        })
      ).status;
    expect([await login(), await login()]).toEqual([200, 401]);
    const tokenless = { ...environment(), AUTH_TOKEN: "", AUTH_TOKEN_FILE: "" };
    const { stderr } = await new Child([program, "sign-in", "--public-url", base], tokenless).end("");
    expect(stderr).toContain("sign-in needs the server's token.");
  });
});

inChromium("test/sign-in-program.test.ts", (chromium) => {
  let browser: Browser;
  let address = "";
  let client = "";
  beforeAll(async () => {
    browser = await sharedBrowser(chromium);
    const registration = await fetch(`${base}/register`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        redirect_uris: [REDIRECT],
        client_name: "Claude <b>verified</b>",
        token_endpoint_auth_method: "none",
      }),
    });
    client = ((await registration.json()) as { client_id: string }).client_id;
    const challenge = createHash("sha256").update(VERIFIER).digest("base64url");
    const query = {
      response_type: "code",
      client_id: client,
      redirect_uri: REDIRECT,
      code_challenge_method: "S256",
      state: "s",
    };
    address = `${base}/authorize?${new URLSearchParams({ ...query, code_challenge: challenge }).toString()}`;
  });

  /** Logs in on the page of consent. */
  async function shown(page: Page): Promise<void> {
    await page.goto(address);
    await page.getByLabel("Your secret").fill(TOKEN);
    // On a fast machine the tests before this one have used up the rate of logins; it allows one more every six seconds.
    for (let tries = 1; ; tries++) {
      await page.getByLabel("Your secret").press("Enter");
      const isIn = page.getByText("This receives access:").waitFor(tries < 3 ? { timeout: 7_000 } : {});
      if (tries === 3) return isIn;
      if (
        await isIn.then(
          () => true,
          () => false,
        )
      )
        return;
    }
  }

  it("a person agrees by keyboard alone, after seeing who receives access", async () => {
    const page = await browser.newPage({ viewport: { width: 320, height: 640 } });
    await shown(page);
    expect(await page.locator(".host").textContent()).toBe("127.0.0.1:9");
    const sizes = await page.evaluate(
      `[".host", "main p:nth-of-type(3)"].map((one) => parseFloat(getComputedStyle(document.querySelector(one)).fontSize))`,
    );
    expect((sizes as number[])[0]).toBeGreaterThan((sizes as number[])[1] ?? Infinity);
    expect(await page.getByText("Claude <b>verified</b>").count()).toBe(1);
    await page.getByLabel("Only in these:").check();
    const allow = page.getByRole("button", { name: "Allow" });
    expect(await allow.isDisabled()).toBe(true);
    await page.getByLabel("Chosen").selectOption({ label: "Read" });
    await page.getByLabel("Hide notes with these tags").fill("private, health");
    expect(await page.evaluate('document.activeElement?.textContent === "Allow"')).toBe(false);
    await allow.scrollIntoViewIfNeeded();
    await page.locator("button.primary:enabled").waitFor();
    // Who may only read changes no folder either: nothing is left of it to allow.
    await page.getByLabel("Chosen").selectOption({ label: "Read and change" });
    await page.getByRole("radio", { name: "Read", exact: true }).check();
    await page.locator("button.primary:disabled").waitFor();
    await page.getByLabel("Chosen").selectOption({ label: "Read" });
    await page.locator("button.primary:enabled").waitFor();
    const width = await page.evaluate("document.documentElement.scrollWidth");
    expect(width).toBeLessThanOrEqual(320);
    const found = (await page.evaluate(
      `${axe.source}; axe.run(document).then(({ violations }) => violations.map(({ id }) => id))`,
    )) as string[];
    expect(found).toEqual([]);
    await allow.focus();
    const sent = page.waitForRequest((request) => request.url().startsWith(REDIRECT));
    await page.keyboard.press("Enter");
    const answer = new URL((await sent).url());
    expect(answer.searchParams.get("code")).toMatch(/^ovc_/);
    expect([answer.searchParams.get("state"), answer.searchParams.get("iss")]).toEqual(["s", base]);
    const fields = { grant_type: "authorization_code", client_id: client, redirect_uri: REDIRECT };
    const body = { ...fields, code: answer.searchParams.get("code") ?? "", code_verifier: VERIFIER };
    const redeemed = await fetch(`${base}/token`, { method: "POST", body: new URLSearchParams(body) });
    expect(redeemed.status).toBe(200);
    await page.close();
  });

  it("the page names the program with its limits, and ends its connection", async () => {
    const page = await browser.newPage();
    await page.goto(`${base}/`);
    await page.getByLabel("Token").fill(TOKEN);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    const list = page.getByRole("region", { name: "Connected programs" });
    await list.getByText("127.0.0.1:9").waitFor();
    const words = await list.textContent();
    expect(words).toContain("calls itself “Claude <b>verified</b>”");
    expect(words).toContain("only Chosen (read only); not #private; not #health");
    const found = (await page.evaluate(
      `${axe.source}; axe.run(document).then(({ violations }) => violations.map(({ id }) => id))`,
    )) as string[];
    expect(found).toEqual([]);
    await list.getByRole("button", { name: /^End the connection of/ }).click();
    await list.getByText("No program is connected.").waitFor();
    expect((await run("tokens")).data["connections"]).toEqual([]);
    await page.close();
  });

  it("refusing sends the program away", async () => {
    const page = await browser.newPage();
    await shown(page);
    const sent = page.waitForRequest((request) => request.url().startsWith(REDIRECT));
    await page.getByRole("button", { name: "Refuse" }).click();
    expect(new URL((await sent).url()).searchParams.get("error")).toBe("access_denied");
    await page.close();
  });

  it("a program's window keeps its opener, and no frame shows the page", async () => {
    const page = await browser.newPage();
    await page.route("http://client.example/", (route) =>
      route.fulfill({ contentType: "text/html", body: `<iframe src="${address}"></iframe>` }),
    );
    await page.goto("http://client.example/");
    const popup = page.waitForEvent("popup");
    await page.evaluate(`void window.open(${JSON.stringify(address)})`);
    const opened = await popup;
    await opened.getByText("Who are you?").waitFor();
    expect(await opened.evaluate("window.opener !== null")).toBe(true);
    const framed = () => page.frames().find((frame) => frame !== page.mainFrame());
    expect(await framed()?.locator("main").count()).toBe(0);
    // Nor does one of the server's own origin.
    await page.route(`${base}/web/framing`, (route) =>
      route.fulfill({ contentType: "text/html", body: `<iframe src="${address}"></iframe>` }),
    );
    await page.goto(`${base}/web/framing`);
    expect(await framed()?.locator("main").count()).toBe(0);
    await page.close();
  });
});
