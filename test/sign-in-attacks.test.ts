/** Attacks on sign-in: each row of `corpus/tables/sign-in-attacks.json` has its test here, over real sockets and by a clock of the test's own. */
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it } from "vitest";
import type { SignInOptions } from "../src/server/http/sign-in/sign-in.js";
import { isRoutedWorldwide } from "../src/server/http/sign-in/client-documents.js";
import { openFolderStore, type SignInStore } from "../src/server/http/sign-in/store.js";
import { OPEN_ACCESS } from "./kit/http-front.js";
import {
  FOREIGN_RESOURCE,
  ISSUER,
  PERSON_TOKEN,
  REDIRECT,
  SignInTest,
  behindProxy,
  errorOf,
  type Tokens,
} from "./kit/sign-in-front.js";
import { LONG } from "./kit/fuzz.js";
import { OWNER, TOKEN, WebTest } from "./kit/web-front.js";

const TABLE = JSON.parse(
  readFileSync(join(import.meta.dirname, "corpus", "tables", "sign-in-attacks.json"), "utf8"),
) as {
  cases: { id: string; does: string; expect: { status: number; error?: string } }[];
};

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});
async function open(signIn: Partial<SignInOptions> = {}, options: Parameters<typeof SignInTest.open>[1] = {}) {
  const test = await SignInTest.open(signIn, options);
  opened.push(test);
  return test;
}

type Attack = (test: SignInTest) => Promise<void>;
const MINUTE = 60_000;
const WELL_KNOWN = ["oauth-protected-resource", "oauth-protected-resource/mcp", "oauth-authorization-server"];

async function expectRefused(test: SignInTest, query: string, error?: string): Promise<void> {
  const answer = await test.send(`/authorize?${query}`);
  expect(answer.status, query).toBe(400);
  expect(answer.headers).not.toHaveProperty("location");
  expect(answer.text).not.toContain("href");
  if (error !== undefined) expect(answer.text).toContain(`<code>${error}</code>`);
}

async function registrationError(test: SignInTest, redirectUris: readonly string[]): Promise<unknown> {
  const answer = await test.send("/register", { body: { redirect_uris: redirectUris } });
  expect(answer.status).toBe(400);
  return errorOf(answer);
}

/** A request as the person sees it, with the decision to allow it. */
async function shownRequest(test: SignInTest): Promise<{ readonly text: string; readonly decision: object }> {
  const { text } = test.query(await test.register());
  const { body } = await test.consent(text);
  return { text, decision: { digest: body["digest"], allow: true, scopes: ["read", "tasks"] } };
}

const grantFiles = ({ store }: SignInTest): readonly string[] => readdirSync(join(store, "grants"));

async function nextToken(test: SignInTest, clientId: string, token: string): Promise<string> {
  // Each from an address of its own, since refreshes of one address are limited.
  const headers = { "X-Forwarded-For": `10.0.${test.secrets.size >> 8}.${test.secrets.size & 255}` };
  const fields = { grant_type: "refresh_token", client_id: clientId, refresh_token: token };
  const answer = await test.post("/token", fields, headers);
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return (JSON.parse(answer.text) as Tokens).refresh_token;
}

/** A store in a folder, with something done before each of its writes. */
async function storeThat(folder: string, before: () => void): Promise<SignInStore> {
  const { store } = await openFolderStore(folder);
  return {
    read: (kind, name) => store.read(kind, name),
    remove: (kind, name, expected) => store.remove(kind, name, expected),
    names: (kind) => store.names(kind),
    write: async (kind, name, value, expected) => {
      before();
      return store.write(kind, name, value, expected);
    },
  };
}

/** Bytes in use after a collection. */
function usedMemory(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A request by a program whose id is the address of a document, and what became of connections. */
async function documentAttack(
  addresses: readonly (readonly string[])[],
  id = "https://canary.example/c.json",
): Promise<{ readonly status: number; readonly error: unknown }> {
  let asked = 0;
  const resolve = async () => addresses[Math.min(asked++, addresses.length - 1)] ?? [];
  const test = await open({ network: { resolve } });
  const { text } = test.query(id);
  const shown = await test.consent(text, { fetch: true });
  return { status: shown.status, error: shown.body["error_description"] };
}

/** The answer where the addresses alone decide, so that no connection is tried. */
const NOT_ASKED = {
  status: 400,
  error: "The client's document is at an address that is not reachable from everywhere.",
};

const ATTACKS: Readonly<Record<string, Attack>> = {
  "discovery.foreign-host": async (test) => {
    for (const name of WELL_KNOWN) {
      const answer = await test.send(`/.well-known/${name}`, { headers: { Host: "evil.example" } });
      expect(answer.status).toBe(403);
      expect(answer.text).not.toContain("authorization");
    }
  },
  "discovery.forwarded-host": async (test) => {
    const headers = { "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "http", Forwarded: "host=evil.example" };
    for (const name of WELL_KNOWN) {
      const { status, text } = await test.send(`/.well-known/${name}`, { headers });
      expect(status).toBe(200);
      expect(text).not.toContain("evil.example");
      for (const [url] of text.matchAll(/https?:\/\/[^"]*/g)) expect(url.startsWith(ISSUER), url).toBe(true);
    }
  },
  "discovery.off": async () => {
    const web = await WebTest.open({ access: { ...OPEN_ACCESS, tokens: [OWNER] } });
    opened.push(web);
    for (const name of WELL_KNOWN) expect((await web.send(`/.well-known/${name}`)).status).toBe(404);
    expect((await web.send("/authorize?client_id=x")).status).toBe(404);
    for (const path of ["/token", "/register", "/revoke"])
      expect((await web.send(path, { body: {} })).status, path).toBe(404);
    const unknown = await web.http.rpc("ping");
    expect([unknown.status, unknown.headers["www-authenticate"]]).toEqual([
      401,
      expect.not.stringContaining("resource_metadata"),
    ]);
  },
  "register.javascript": async (test) => {
    expect(await registrationError(test, ["javascript:alert(1)"])).toBe("invalid_redirect_uri");
  },
  "register.http-remote": async (test) => {
    expect(await registrationError(test, ["http://evil.example/cb"])).toBe("invalid_redirect_uri");
  },
  "register.unknown-scheme": async (test) => {
    expect(await registrationError(test, ["ms-msdt:/id"])).toBe("invalid_redirect_uri");
  },
  "register.mixed": async (test) => {
    const both = ["javascript:alert(1)", REDIRECT];
    const answer = await test.send("/register", { body: { redirect_uris: both, token_endpoint_auth_method: "none" } });
    expect(answer.status).toBe(201);
    const { client_id: id, redirect_uris: uris } = JSON.parse(answer.text) as {
      client_id: string;
      redirect_uris: string[];
    };
    expect(uris).toEqual([REDIRECT]);
    await expectRefused(test, test.query(id, { redirect_uri: "javascript:alert(1)" }).text);
  },
  "register.flood": async () => {
    const WARM = LONG ? 2000 : 1008;
    const test = await open({}, { access: behindProxy() });
    const before = readdirSync(test.store, { recursive: true }).length;
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    const one = (at: number) => {
      const headers = {
        "Content-Type": "application/json",
        // 200 addresses, and one that asks far more often than it may, however slow the machine is.
        "X-Forwarded-For": at % 4 === 0 ? "10.0.1.0" : `10.${at % 40}.0.${at % 50}`,
      };
      const body = JSON.stringify({ redirect_uris: [REDIRECT], client_name: `App ${at}` });
      return new Promise<number>((resolve, reject) => {
        const about = { host: "127.0.0.1", port: test.http.server.port, path: "/register", method: "POST", agent };
        request({ ...about, headers }, (response) => {
          response.resume().once("end", () => resolve(response.statusCode ?? 0));
        })
          .once("error", reject)
          .end(body);
      });
    };
    const statuses = new Set<number>();
    const flood = async (from: number, to: number) => {
      for (let at = from; at < to; at += 16)
        for (const status of await Promise.all(Array.from({ length: 16 }, (_, more) => one(at + more))))
          statuses.add(status);
      test.http.logged.length = 0;
      return usedMemory();
    };
    const [warm, after] = [await flood(0, WARM), await flood(WARM, 4 * WARM)];
    agent.destroy();
    expect(statuses).toEqual(new Set([201, 429]));
    expect(after - warm).toBeLessThan(6 * 1024 * 1024);
    expect(readdirSync(test.store, { recursive: true })).toHaveLength(before);
  },
  "register.huge": async (test) => {
    const large = await test.send("/register", {
      body: { redirect_uris: [REDIRECT], client_name: "x".repeat(1024 * 1024) },
    });
    expect(large.status).toBe(413);
    const many = await test.send("/register", { body: { redirect_uris: Array.from({ length: 2000 }, () => "a:b") } });
    expect([many.status, errorOf(many)]).toEqual([400, "invalid_client_metadata"]);
  },
  "register.forged-id": async (test) => {
    const id = await test.register();
    const at = id.indexOf(".") - 4;
    const forged = id.slice(0, at) + (id[at] === "A" ? "B" : "A") + id.slice(at + 1);
    await expectRefused(test, test.query(forged).text);
    expect((await test.redeem({ clientId: forged, verifier: "x", code: "x" })).status).toBe(401);
  },
  "authorize.unregistered-redirect": async (test) =>
    expectRefused(test, test.query(await test.register(), { redirect_uri: "https://app.example/other" }).text),
  "authorize.redirect-prefix": async (test) => {
    const id = await test.register();
    for (const uri of [
      `${REDIRECT}/../x`,
      `${REDIRECT}?a=b`,
      `${REDIRECT}%2f`,
      "https://app.example.evil.example/cb",
      "https://app.example/CB",
    ])
      await expectRefused(test, test.query(id, { redirect_uri: uri }).text);
  },
  "authorize.loopback-name": async (test) => {
    const id = await test.register(["http://127.0.0.1:1000/cb"]);
    for (const uri of [
      "http://localhost:1000/cb",
      "http://127.0.0.1.evil.example:1000/cb",
      "http://127.0.0.1:99999/cb",
    ])
      await expectRefused(test, test.query(id, { redirect_uri: uri }).text);
  },
  "authorize.loopback-port": async (test) => {
    const clientId = await test.register(["http://127.0.0.1:1000/cb"]);
    const { text } = test.query(clientId, { redirect_uri: "http://127.0.0.1:2000/cb" });
    expect((await test.send(`/authorize?${text}`)).status).toBe(200);
    const { body: shown } = await test.consent(text);
    const { body } = await test.consent(text, { digest: shown["digest"], allow: true, scopes: ["read"] });
    expect(body["redirect"]).toMatch(/^http:\/\/127\.0\.0\.1:2000\/cb\?code=/);
  },
  "authorize.open-redirect": async (test) => {
    const id = await test.register(["https://evil.example/cb"]);
    const more = { redirect_uri: "https://evil.example/cb" };
    await expectRefused(test, test.query(id, { ...more, response_type: "token" }).text);
    await expectRefused(test, test.query(id, { ...more, resource: FOREIGN_RESOURCE }).text);
  },
  "authorize.no-pkce": async (test) => {
    const query = new URLSearchParams(test.query(await test.register()).text);
    query.delete("code_challenge");
    await expectRefused(test, query.toString(), "invalid_request");
    query.set("code_challenge", "too-short-to-be-a-digest");
    await expectRefused(test, query.toString(), "invalid_request");
  },
  "authorize.plain": async (test) => {
    const id = await test.register();
    await expectRefused(test, test.query(id, { code_challenge_method: "plain" }).text, "invalid_request");
    const query = new URLSearchParams(test.query(id).text);
    query.delete("code_challenge_method");
    await expectRefused(test, query.toString(), "invalid_request");
  },
  "authorize.other-resource": async (test) =>
    expectRefused(test, test.query(await test.register(), { resource: FOREIGN_RESOURCE }).text, "invalid_target"),
  "authorize.duplicate": async (test) => {
    const { text } = test.query(await test.register(), { scope: "read", resource: ISSUER });
    for (const more of [
      "redirect_uri=https://evil.example/cb",
      "client_id=x",
      "scope=write",
      `resource=${FOREIGN_RESOURCE}`,
    ])
      await expectRefused(test, `${text}&${more}`, "invalid_request");
  },
  "authorize.response-mode": async (test) => {
    const id = await test.register();
    for (const mode of ["fragment", "form_post", "web_message"])
      await expectRefused(test, test.query(id, { response_mode: mode }).text);
  },
  "authorize.header-injection": async (test) => {
    const clientId = await test.register();
    const evil = "x\r\nSet-Cookie:x=1";
    await expectRefused(test, test.query(clientId, { state: evil }).text);
    await expectRefused(test, test.query(clientId, { redirect_uri: REDIRECT + evil }).text);
    await expectRefused(test, test.query(clientId, { state: "s".repeat(4097) }).text);
    const state = "~!@ %&=+".repeat(512);
    const { text } = test.query(clientId, { state });
    const { body: shown } = await test.consent(text);
    const { body } = await test.consent(text, { digest: shown["digest"], allow: false });
    expect(new URL(String(body["redirect"])).searchParams.get("state")).toBe(state);
  },
  "consent.csrf": async (test) => {
    const { text, decision } = await shownRequest(test);
    const { Cookie = "" } = await test.person();
    const foreign = { Cookie, Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
    expect((await test.consent(text, decision, foreign)).status).toBe(403);
    expect((await test.consent(text, decision, { Cookie, Origin: ISSUER })).status).toBe(401);
    expect(grantFiles(test)).toEqual([]);
  },
  "consent.other-port": async (test) => {
    const { text, decision } = await shownRequest(test);
    for (const foreign of [{ Origin: "http://127.0.0.1:1" }, { "Sec-Fetch-Site": "same-site" }]) {
      const headers = { ...(await test.person()), ...foreign };
      expect((await test.consent(text, decision, headers)).status).toBe(403);
    }
    expect(grantFiles(test)).toEqual([]);
  },
  "consent.frame": async (test) => {
    const answer = await test.send(`/authorize?${test.query(await test.register()).text}`);
    expect(answer.status).toBe(200);
    expect(answer.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(answer.headers["cross-origin-opener-policy"]).toBe("unsafe-none");
  },
  "consent.no-session": async (test) => {
    const { text, decision } = await shownRequest(test);
    const headers = await test.person();
    await test.send("/web/session", { method: "DELETE", headers });
    expect((await test.consent(text, decision, headers)).status).toBe(401);
    expect(grantFiles(test)).toEqual([]);
  },
  "consent.swap": async (test) => {
    const clientId = await test.register([REDIRECT, "https://app.example/two"]);
    const [one, other] = [test.query(clientId), test.query(clientId, { redirect_uri: "https://app.example/two" })];
    const { body } = await test.consent(one.text);
    const decision = { digest: body["digest"], allow: true, scopes: ["read"] };
    expect((await test.consent(other.text, decision)).status).toBe(409);
    expect(grantFiles(test)).toEqual([]);
  },
  "consent.more-scopes": async (test) => {
    const { text } = test.query(await test.register(), { scope: "read" });
    const { body } = await test.consent(text);
    for (const scopes of [["read", "write"], ["write"], ["read", "everything"], ["tasks"], []]) {
      const decision = { digest: body["digest"], allow: true, scopes };
      expect((await test.consent(text, decision)).status).toBe(403);
    }
    expect(grantFiles(test)).toEqual([]);
  },
  "consent.person-limit": async (test) => {
    const { text } = test.query(await test.register());
    const headers = await test.person(PERSON_TOKEN);
    const { body } = await test.consent(text, {}, headers);
    expect(body["choices"]).toEqual(["read", "tasks"]);
    for (const scopes of [
      ["read", "write"],
      ["read", "notes"],
    ])
      expect((await test.consent(text, { digest: body["digest"], allow: true, scopes }, headers)).status).toBe(403);
    expect((await test.http.rpc("ping", {}, { Authorization: `Bearer ${PERSON_TOKEN}` })).status).toBe(401);
  },
  "consent.brute-force": async (test) => {
    const headers = await test.person();
    const link = JSON.parse((await test.send("/web/codes", { body: {}, headers })).text) as { link: string };
    const statuses: number[] = [];
    const begun = performance.now();
    for (let at = 0; at < 1000; at++)
      statuses.push((await test.web.login({ token: `wrong-wrong-wrong-${at}` })).status);
    const counted = statuses.filter((status) => status === 401).length;
    // Ten at once, then one more every six seconds.
    expect(counted).toBeLessThanOrEqual(10 + (performance.now() - begun) / 6000);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1000 - counted);
    expect((await test.web.login({ code: link.link.split("#login=")[1] })).status).toBe(200);
    expect((await test.web.list(headers)).status).toBe(200);
    const lines = test.http.logged.filter((line) => line.includes("A login secret was wrong"));
    expect(lines).toHaveLength(counted);
    expect(lines.join("")).not.toContain("wrong-wrong");
  },
  "consent.link-reuse": async (test) => {
    const { linkFor } = await import("../src/server/http/sign-in/sign-in.js");
    const { sha256 } = await import("../src/text/hash.js");
    const { store } = await openFolderStore(test.store);
    for (const code of ["first-code-first-code", "late-code-late-code"])
      await store.write("links", sha256(code), linkFor("owner", test.web.now()), undefined);
    const statusOf = async (code: string) => (await test.web.login({ code })).status;
    expect([await statusOf("first-code-first-code"), await statusOf("first-code-first-code")]).toEqual([200, 401]);
    test.web.wait(10 * MINUTE + 1);
    expect(await statusOf("late-code-late-code")).toBe(401);
    expect(test.http.logged.filter((line) => line.includes("A login link was not valid"))).toHaveLength(2);
  },
  "consent.name": async (test) => {
    const names = [
      "x".repeat(10_000),
      "<script>x</script>",
      "a\u202Eb",
      "a\r\nb",
      "Сlaude",
      "Claude (verified by the server)",
    ];
    for (const name of names) {
      const answer = await test.send("/register", { body: { redirect_uris: [REDIRECT], client_name: name } });
      const { client_id: id } = JSON.parse(answer.text) as { client_id: string };
      const { body } = await test.consent(test.query(id).text);
      expect(String(body["name"]).length).toBeLessThanOrEqual(60);
      expect(String(body["name"])).not.toMatch(/[\u0000-\u001f\u202e]/);
      expect(body["host"]).toBe("app.example");
    }
  },
  "consent.repeat": async (test) => {
    const { clientId } = await test.tokens(["read", "tasks"]);
    for (const scope of ["read", "read tasks", "read write"]) {
      const { status, body } = await test.consent(test.query(clientId, { scope }).text);
      expect([status, body["redirect"]]).toEqual([200, undefined]);
    }
  },
  "document.before-login": async () => {
    let asked = 0;
    const resolve = async () => {
      asked++;
      return ["127.0.0.1"];
    };
    const test = await open({ network: { resolve } });
    const { text } = test.query("https://canary.example/c.json");
    expect((await test.send(`/authorize?${text}`)).status).toBe(200);
    expect((await test.consent(text, { fetch: true }, {})).status).toBe(401);
    await expectRefused(test, test.query("https://user@canary.example/c.json").text, "invalid_client");
    expect((await test.consent(text)).body).toEqual({ fetchFrom: "canary.example" });
    expect(asked).toBe(0);
  },
  "document.private": async () => {
    for (const address of [
      "127.0.0.1",
      "10.0.0.1",
      "169.254.169.254",
      "100.64.0.1",
      "::1",
      "fc00::1",
      "::ffff:10.0.0.1",
      "64:ff9b::a00:1",
      "2002:0a00:0001::",
    ]) {
      expect(await documentAttack([[address]])).toEqual(NOT_ASKED);
    }
    expect(await documentAttack([], "https://10.0.0.1/c.json")).toEqual(NOT_ASKED);
    const others =
      "0.0.0.0 172.16.0.1 192.0.2.1 192.168.0.1 198.18.0.1 224.0.0.1 240.0.0.1 fe80::1 ff02::1 2001::1 2001:db8::1 3fff::1";
    for (const address of others.split(" ")) expect(isRoutedWorldwide(address), address).toBe(false);
    for (const address of ["93.184.216.34", "2606:4700::1111"]) expect(isRoutedWorldwide(address)).toBe(true);
  },
  "document.mixed-answer": async () => {
    expect(await documentAttack([["93.184.216.34", "10.0.0.1"]])).toEqual(NOT_ASKED);
  },
  "code.replay": async (test) => {
    const connected = await test.connect();
    const first = JSON.parse((await test.redeem(connected)).text) as Tokens;
    expect(await test.statusOf(first.access_token)).toBe(200);
    const again = await test.redeem(connected);
    expect([again.status, errorOf(again)]).toEqual([400, "invalid_grant"]);
    expect(await test.statusOf(first.access_token)).toBe(401);
  },
  "code.other-redirect": async (test) => {
    const one = await test.connect();
    expect(errorOf(await test.redeem(one, { redirect_uri: "https://app.example/other" }))).toBe("invalid_grant");
    const { clientId, code, verifier } = await test.connect();
    const fields = { grant_type: "authorization_code", client_id: clientId, code, code_verifier: verifier };
    expect(errorOf(await test.post("/token", fields))).toBe("invalid_grant");
  },
  "code.wrong-verifier": async (test) => {
    const challengeOf = (verifier: string) => createHash("sha256").update(verifier).digest("base64url");
    for (const wrong of [() => "wrong".repeat(10), () => "", challengeOf]) {
      const connected = await test.connect();
      expect(errorOf(await test.redeem(connected, { code_verifier: wrong(connected.verifier) }))).toBe("invalid_grant");
      expect(errorOf(await test.redeem(connected))).toBe("invalid_grant");
    }
    const connected = await test.connect();
    const { clientId, code } = connected;
    const fields = { grant_type: "authorization_code", client_id: clientId, code, redirect_uri: REDIRECT };
    expect(errorOf(await test.post("/token", fields))).toBe("invalid_request");
    expect(errorOf(await test.redeem(connected))).toBe("invalid_grant");
  },
  "code.other-client": async (test) => {
    const connected = await test.connect();
    const other = await test.register(["https://b.example/cb"]);
    expect(errorOf(await test.redeem({ ...connected, clientId: other }))).toBe("invalid_grant");
    expect(errorOf(await test.redeem(connected))).toBe("invalid_grant");
  },
  "code.other-resource": async (test) => {
    const answer = await test.redeem(await test.connect(), { resource: FOREIGN_RESOURCE });
    expect([answer.status, errorOf(answer)]).toEqual([400, "invalid_target"]);
  },
  "token.query": async (test) => {
    const { access_token: token } = await test.tokens();
    for (const name of ["access_token", "token", "api_key"])
      expect(
        (await test.send(`/mcp?${name}=${token}`, { body: { jsonrpc: "2.0", id: 1, method: "ping" } })).status,
      ).toBe(401);
    expect(test.http.logged.join("")).not.toContain(token);
  },
  "token.body": async (test) => {
    const { access_token: token } = await test.tokens();
    expect((await test.post("/mcp", { access_token: token })).status).toBe(401);
    const call = { jsonrpc: "2.0", id: 1, method: "ping", access_token: token };
    expect((await test.send("/mcp", { body: call })).status).toBe(401);
  },
  "token.refresh-as-access": async (test) => {
    const connected = await test.connect();
    await test.register([REDIRECT], { token_endpoint_auth_method: "client_secret_post" });
    const secret = [...test.secrets].at(-1) ?? "";
    const expectInvalid = async (token: string) => {
      const refused = await test.http.rpc("ping", {}, { Authorization: `Bearer ${token}` });
      expect([refused.status, refused.headers["www-authenticate"]]).toEqual([
        401,
        expect.stringContaining('error="invalid_token"'),
      ]);
    };
    await expectInvalid(connected.code);
    const { refresh_token: token } = JSON.parse((await test.redeem(connected)).text) as Tokens;
    await expectInvalid(token);
    await expectInvalid(secret);
  },
  "token.expired": async (test) => {
    const { access_token: token } = await test.tokens();
    test.web.wait(59 * MINUTE);
    expect(await test.statusOf(token)).toBe(200);
    test.web.wait(MINUTE);
    const late = await test.http.rpc("ping", {}, { Authorization: `Bearer ${token}` });
    expect(late.status).toBe(401);
    expect(late.headers["www-authenticate"]).toMatch(
      /error="invalid_token", resource_metadata="https:\/\/notes\.example\//,
    );
  },
  "token.bridge": async (test) => {
    const { access_token: token } = await test.tokens(["read", "tasks", "notes", "files"], { scope: "read" });
    const headers = { Authorization: `Bearer ${token}` };
    const refused = await test.http.call("create", { path: "New.md", file_text: "x" }, headers);
    expect([refused.status, refused.headers["www-authenticate"]]).toEqual([
      403,
      expect.stringContaining('error="insufficient_scope"'),
    ]);
    const call = { name: "create", arguments: { path: "New.md", file_text: "x" } };
    expect((await test.http.rpc("tools/call", call, headers)).status).toBe(403);
    expect((await test.web.login({ token })).status).toBe(401);
    expect((await test.send("/web/connections", { headers })).status).toBe(401);
    expect((await test.send(`/calendar/${token}.ics`, { headers })).status).toBe(404);
  },
  "token.other-server": async (test) => {
    const { access_token: token } = await test.tokens();
    const other = await open();
    expect(await other.statusOf(token)).toBe(401);
  },
  "refresh.reuse": async (test) => {
    const { clientId, refresh_token: first } = await test.tokens();
    const next = JSON.parse((await test.refresh(clientId, first)).text) as Tokens;
    test.web.wait(121_000);
    expect(errorOf(await test.refresh(clientId, first))).toBe("invalid_grant");
    expect(await test.statusOf(next.access_token)).toBe(401);
    expect(errorOf(await test.refresh(clientId, next.refresh_token))).toBe("invalid_grant");
    expect(test.http.logged.join("")).toContain("an old refresh token was presented again");
  },
  "refresh.repeat": async (test) => {
    const { clientId, refresh_token: first } = await test.tokens();
    const answers = await Promise.all(Array.from({ length: 8 }, () => test.refresh(clientId, first)));
    const all = answers.map(({ text }) => JSON.parse(text) as Tokens);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    expect(new Set(all.map(({ refresh_token: token }) => token)).size).toBe(1);
    const live = await Promise.all(all.map(({ access_token: token }) => test.statusOf(token)));
    expect(live.filter((status) => status === 200)).toHaveLength(4);
  },
  "refresh.older": async (test) => {
    const { clientId, refresh_token: first } = await test.tokens();
    let current = first;
    for (let generation = 0; generation < 3; generation++) {
      current = await nextToken(test, clientId, current);
      test.web.wait(MINUTE);
    }
    expect(errorOf(await test.refresh(clientId, first))).toBe("invalid_grant");
    expect(errorOf(await test.refresh(clientId, current))).toBe("invalid_grant");

    const busy = await open({}, { access: behindProxy() });
    const other = await busy.tokens();
    let latest = other.refresh_token;
    for (let generation = 0; generation < 200; generation++) latest = await nextToken(busy, other.clientId, latest);
    expect(errorOf(await busy.refresh(other.clientId, other.refresh_token))).toBe("invalid_grant");
    expect((await busy.refresh(other.clientId, latest)).status).toBe(200);
  },
  "refresh.more-scopes": async (test) => {
    const { clientId, refresh_token: token } = await test.tokens(["read", "tasks"]);
    expect(errorOf(await test.refresh(clientId, token, { scope: "read write" }))).toBe("invalid_scope");
  },
  "refresh.other-client": async (test) => {
    const { clientId, refresh_token: token, access_token: access } = await test.tokens();
    const other = await test.register(["https://b.example/cb"]);
    expect(errorOf(await test.refresh(other, token))).toBe("invalid_grant");
    expect(errorOf(await test.post("/token", { grant_type: "refresh_token", refresh_token: token }))).toBe(
      "invalid_request",
    );
    expect(await test.statusOf(access)).toBe(200);
    expect((await test.refresh(clientId, token)).status).toBe(200);
  },
  "refresh.revoked": async (test) => {
    const { clientId, refresh_token: token, access_token: access } = await test.tokens();
    const headers = await test.person();
    const { connections } = JSON.parse((await test.send("/web/connections", { headers })).text) as {
      connections: { id: string }[];
    };
    expect(connections).toHaveLength(1);
    const gone = await test.send(`/web/connections/${connections[0]?.id ?? ""}`, { method: "DELETE", headers });
    expect(gone.status).toBe(204);
    expect(await test.statusOf(access)).toBe(401);
    expect(errorOf(await test.refresh(clientId, token))).toBe("invalid_grant");
  },
  "revoke.foreign": async (test) => {
    const { access_token: access } = await test.tokens();
    const other = await test.register(["https://b.example/cb"]);
    const answers = [];
    for (const token of [access, "ova_AAAAAAAAAAAAAAAA_unknown", "garbage", TOKEN]) {
      const { status, text } = await test.post("/revoke", { client_id: other, token });
      answers.push([status, text]);
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(new Set(['[200,""]']));
    expect([await test.statusOf(access), await test.statusOf(TOKEN)]).toEqual([200, 200]);
  },
  "store.modes": async (test) => {
    const connected = await test.connect();
    const tokens = JSON.parse((await test.redeem(connected)).text) as Tokens;
    const next = JSON.parse((await test.refresh(connected.clientId, tokens.refresh_token)).text) as Tokens;
    expect([...test.secrets]).toEqual(
      expect.arrayContaining([connected.code, connected.verifier, tokens.access_token, next.refresh_token, TOKEN]),
    );
    expect((statSync(test.store).mode & 0o777).toString(8)).toBe("700");
    for (const entry of readdirSync(test.store, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      expect((statSync(path).mode & 0o777).toString(8), path).toBe(entry.isDirectory() ? "700" : "600");
    }
  },
  "store.broken": async (test) => {
    const [one, other] = [await test.tokens(), await test.tokens()];
    const [, id = ""] = /^ova_(.{16})_/.exec(one.access_token) ?? [];
    const file = join(test.store, "grants", `${id}.json`);
    writeFileSync(file, readFileSync(file, "utf8").slice(0, 100));
    expect([await test.statusOf(one.access_token), await test.statusOf(other.access_token)]).toEqual([401, 200]);
    const folder = join(test.store, "grants");
    renameSync(folder, `${folder}.away`);
    writeFileSync(folder, "no folder, so that nothing in it can be read");
    expect(await test.statusOf(other.access_token)).toBe(503);
    expect((await test.refresh(other.clientId, other.refresh_token)).status).toBe(503);
    expect((await test.send("/.well-known/oauth-authorization-server")).status).toBe(200);
    expect(await test.statusOf(TOKEN)).toBe(200);

    let isFull = false;
    const full = await open({
      store: await storeThat(join(test.store, "another"), () => {
        if (isFull) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
      }),
    });
    const tokens = await full.tokens();
    isFull = true;
    expect((await full.refresh(tokens.clientId, tokens.refresh_token)).status).toBe(503);
    expect(await full.statusOf(tokens.access_token)).toBe(200);
    isFull = false;
    expect((await full.refresh(tokens.clientId, tokens.refresh_token)).status).toBe(200);
  },
  "store.unknown-scope": async (test) => {
    const { access_token: token } = await test.tokens(["read", "tasks"]);
    const [, id = ""] = /^ova_(.{16})_/.exec(token) ?? [];
    const file = join(test.store, "grants", `${id}.json`);
    const grant = JSON.parse(readFileSync(file, "utf8")) as { scopes: string[] };
    writeFileSync(file, JSON.stringify({ ...grant, scopes: [...grant.scopes, "everything"] }));
    expect(await test.statusOf(token)).toBe(200);
    writeFileSync(file, JSON.stringify({ ...grant, scopes: ["everything"] }));
    expect(await test.statusOf(token)).toBe(401);
  },
};

/** Rows with tests in `server/http/sign-in/client-documents.test.ts` and `issuer.test.ts`. */
const ELSEWHERE = /^(issuer\.|document\.(rebinding|redirect|huge|other-id)$)/;

describe("an attack on sign-in", () => {
  it.each(TABLE.cases.filter(({ id }) => !ELSEWHERE.test(id)))(
    "$id: $does",
    async ({ id }) => {
      const attack = ATTACKS[id];
      if (!attack) throw new Error(`no test of ${id}`);
      const test = await open();
      await attack(test);
      // Whatever the row: no secret is left anywhere, the server lives, and other callers are served.
      expect((await test.send("/health")).status).toBe(200);
      expect(await test.statusOf(TOKEN)).toBe(200);
      const traces = id === "store.broken" ? test.http.logged : await test.traces();
      for (const secret of test.secrets) for (const trace of traces) expect(trace).not.toContain(secret);
    },
    // One row registers 8,000 programs.
    120_000,
  );
});
