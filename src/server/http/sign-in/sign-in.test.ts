/** Sign-in over real sockets, beyond the table of attacks: what people, clients and floods cannot do. */
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { ENVELOPE, json } from "../../../../test/kit/http-front.js";
import {
  ISSUER,
  PERSON,
  PERSON_TOKEN,
  REDIRECT,
  SignInTest,
  behindProxy,
  errorOf,
  type Tokens,
} from "../../../../test/kit/sign-in-front.js";
import { OWNER, TOKEN } from "../../../../test/kit/web-front.js";
import { silentLog } from "../../../log.js";
import { RateLimit } from "../guards.js";
import { digestOf, type NamedToken, type Scopes } from "../tokens.js";
import { answerAuthorization } from "./authorization.js";
import { ClientDocuments } from "./client-documents.js";
import { clientRegistry } from "./clients.js";
import { grantBook } from "./grants.js";
import type { SignInOptions } from "./sign-in.js";
import { openFolderStore, type SignInStore } from "./store.js";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const opened: SignInTest[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});
async function open(signIn: Partial<SignInOptions> = {}, options: Parameters<typeof SignInTest.open>[1] = {}) {
  const test = await SignInTest.open(signIn, options);
  opened.push(test);
  return test;
}

describe("nothing is gained", () => {
  it("by a token that is neither the owner's nor has the scope sign-in: it logs in, and connects nothing", async () => {
    const reader = {
      name: "reader",
      digest: digestOf("reader-reader-reader"),
      scopes: { write: true, toolsets: ["tasks"] },
    } as const;
    const test = await open({}, { access: { ...behindProxy(), tokens: [OWNER, reader] } });
    const headers = await test.person("reader-reader-reader");
    const { status, body } = await test.consent(test.query(await test.register()).text, {}, headers);
    expect([status, body["message"]]).toEqual([403, expect.stringContaining("needs the scope sign-in")]);
    expect((await test.send("/web/connections", { headers })).status).toBe(403);
  });

  it("by a person on another's connections: each lists and ends their own, the owner all", async () => {
    const test = await open();
    const { access_token: token } = await test.tokens();
    const anna = await test.person(PERSON_TOKEN);
    await test.tokensOf(anna);
    const connections = async (headers: Record<string, string>) =>
      (json(await test.send("/web/connections", { headers })) as { connections: { id: string; person: string }[] })
        .connections;
    const all = await connections(await test.person());
    expect(all.map(({ person }) => person).toSorted()).toEqual(["anna", "owner"]);
    expect((await connections(anna)).map(({ person }) => person)).toEqual(["anna"]);
    const owners = all.find(({ person }) => person === "owner")?.id ?? "";
    const end = (headers: Record<string, string>, id: string) =>
      test.send(`/web/connections/${id}`, { method: "DELETE", headers });
    expect((await end(anna, owners)).status).toBe(404);
    expect(await test.statusOf(token)).toBe(200);
    expect((await end(await test.person(), (await connections(anna))[0]?.id ?? "")).status).toBe(204);
  });

  it("by a token whose person may do less by now, or is gone: it does no more than the person", async () => {
    const wide = { ...PERSON, scopes: { write: true, toolsets: undefined } };
    const base = mkdtempSync(join(tmpdir(), "sign-in-"));
    const openFor = (...people: NamedToken[]) => SignInTest.open({}, { access: { ...behindProxy(), people } }, base);
    const before = await openFor(wide);
    const { access_token: token } = await before.tokensOf(await before.person(PERSON_TOKEN));
    const headers = { Authorization: `Bearer ${token}` };
    const offered = async (test: SignInTest) => {
      const { result } = json(await test.http.rpc("tools/list", {}, headers)) as {
        result: { tools: { name: string }[] };
      };
      const names = new Set(result.tools.map(({ name }) => name));
      return ["get_agenda", "update_task", "read_note", "create"].filter((name) => names.has(name));
    };
    expect(await offered(before)).toEqual(["get_agenda", "update_task", "read_note", "create"]);
    await before.close({ keepsStore: true });

    const narrow: readonly (readonly [Scopes, readonly string[]])[] = [
      [{ write: false, toolsets: undefined }, ["get_agenda", "read_note"]],
      [{ write: true, toolsets: ["tasks"] }, ["get_agenda", "update_task"]],
      [{ write: true, toolsets: undefined, tools: ["get_agenda"] }, ["get_agenda"]],
    ];
    for (const [scopes, tools] of narrow) {
      const test = await openFor({ ...PERSON, scopes });
      expect(await offered(test)).toEqual(tools);
      await test.close({ keepsStore: true });
    }
    const without = await openFor();
    expect(await without.statusOf(token)).toBe(401);
    await without.close();
  });

  it("by a token of a server that shares the store under another address", async () => {
    const test = await open();
    const { access_token: token } = await test.tokens();
    const { key, store } = await openFolderStore(test.store);
    const other = await open({ key, store, issuer: "https://other.example" });
    expect(await other.statusOf(token)).toBe(401);
    const same = await open({ key, store });
    expect(await same.statusOf(token)).toBe(200);
  });

  it("by flooding: each address is limited, for codes, refreshes and revocations apart", async () => {
    const test = await open();
    const clientId = await test.register();
    const until429 = async (send: () => Promise<{ status: number }>) => {
      for (let count = 0; count < 70; count++) if ((await send()).status === 429) return count;
      return undefined;
    };
    const exchange = (type: string) => () => test.post("/token", { grant_type: type, client_id: clientId });
    // A bucket fills again while it is emptied.
    const [about30, about60] = [expect.toSatisfy((n) => n >= 29 && n < 40), expect.toSatisfy((n) => n >= 60 && n < 70)];
    expect(await until429(() => test.send("/register", { body: { redirect_uris: [REDIRECT] } }))).toEqual(about30);
    expect(await until429(() => test.send("/authorize?x"))).toEqual(about30);
    expect(await until429(exchange("authorization_code"))).toEqual(about60);
    expect(await until429(exchange("refresh_token"))).toEqual(about60);
    expect(await until429(() => test.post("/revoke", { client_id: clientId, token: "x" }))).toEqual(about60);
    const late = await test.post("/revoke", { client_id: clientId, token: "x" });
    expect([late.status, errorOf(late), late.headers["retry-after"]]).toEqual([
      429,
      "temporarily_unavailable",
      expect.any(String),
    ]);
  });

  it("by a request that cannot be read: each answer is one of OAuth's errors", async () => {
    const test = await open();
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    const type = { "Content-Type": "application/json" };
    const big = "x".repeat(17 * 1024);
    const rows = [
      ["/register", "no JSON", type, 400, "invalid_client_metadata"],
      ["/register", "", type, 400, "invalid_client_metadata"],
      ["/register", '{"redirect_uris": []}', form, 400, "invalid_client_metadata"],
      ["/register", "{}", { "Content-Type": "application/json; charset=latin1" }, 400, "invalid_client_metadata"],
      ["/register", big, type, 413, "invalid_client_metadata"],
      ["/token", "{}", type, 400, "invalid_request"],
      ["/token", big, form, 413, "invalid_request"],
      ["/revoke", big, form, 413, "invalid_request"],
    ] as const;
    for (const [path, body, headers, status, error] of rows) {
      const answer = await test.send(path, { body: Buffer.from(body), headers });
      expect([path, body.slice(0, 9), answer.status, json(answer)]).toEqual([
        path,
        body.slice(0, 9),
        status,
        { error, error_description: expect.any(String) as unknown },
      ]);
    }
    expect(errorOf(await test.post("/token", { client_id: await test.register() }))).toBe("invalid_request");
    const unknown = await test.post("/token", { client_id: "nobody", grant_type: "refresh_token" });
    expect([unknown.status, unknown.headers["www-authenticate"]]).toEqual([401, 'Basic realm="token"']);
  });

  it("by a client without its secret, or with another's", async () => {
    const test = await open();
    for (const method of ["client_secret_post", "client_secret_basic"]) {
      const clientId = await test.register([REDIRECT], { token_endpoint_auth_method: method });
      const secret = [...test.secrets].at(-1) ?? "";
      await test.register([REDIRECT, "https://app.example/b"], { token_endpoint_auth_method: method });
      const others = [...test.secrets].at(-1) ?? "";
      const statusWith = async (shown: string) => {
        const fields = { grant_type: "refresh_token", refresh_token: "x" };
        const basic = `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${shown}`).toString("base64")}`;
        const isPosted = method === "client_secret_post";
        const answer = isPosted
          ? await test.post("/token", { ...fields, client_id: clientId, client_secret: shown })
          : await test.post("/token", fields, { Authorization: basic });
        return [answer.status, errorOf(answer)];
      };
      for (const wrong of ["", "x", others]) expect(await statusWith(wrong)).toEqual([401, "invalid_client"]);
      expect(await statusWith(secret)).toEqual([400, "invalid_grant"]);
    }
  });

  it("by a client that authenticates in two ways, or as two clients", async () => {
    const test = await open();
    const clientId = await test.register([REDIRECT], { token_endpoint_auth_method: "client_secret_basic" });
    const secret = [...test.secrets].at(-1) ?? "";
    const other = await test.register([REDIRECT, "https://app.example/b"]);
    const Authorization = `Basic ${Buffer.from(`${clientId}:${secret}`).toString("base64")}`;
    for (const path of ["/token", "/revoke"]) {
      const errorWith = async (fields: Record<string, string>) => {
        const all = { grant_type: "refresh_token", refresh_token: "x", token: "x", ...fields };
        const answer = await test.post(path, all, { Authorization });
        return answer.status === 200 ? undefined : [answer.status, errorOf(answer)];
      };
      const right = path === "/token" ? [400, "invalid_grant"] : undefined;
      for (const fields of [{}, { client_id: clientId }, { client_secret: "" }])
        expect(await errorWith(fields)).toEqual(right);
      for (const fields of [{ client_secret: secret }, { client_secret: "x" }, { client_id: other }])
        expect(await errorWith(fields)).toEqual([400, "invalid_request"]);
    }
  });

  it("by a form that a page of another site can send without asking", async () => {
    const test = await open();
    const { clientId, refresh_token: token } = await test.tokens();
    const body = new URLSearchParams({ grant_type: "refresh_token", client_id: clientId, refresh_token: token });
    const sent = { body: body.toString(), headers: { "Content-Type": "text/plain" } };
    expect(errorOf(await test.send("/token", sent))).toBe("invalid_request");
    expect((await test.refresh(clientId, token)).status).toBe(200);
  });

  it("is limited by address, as a trusted proxy names it", async () => {
    const access = behindProxy();
    const test = await open({}, { access: { ...access, rate: new RateLimit({ perMinute: 600, burst: 600 }) } });
    const tries = async (address: string, count: number) => {
      const statuses = [];
      for (let at = 0; at < count; at++)
        statuses.push(
          (await test.web.login({ token: "wrong-wrong-wrong" }, { "X-Forwarded-For": `9.9.9.9, ${address}` })).status,
        );
      return statuses;
    };
    expect((await tries("1.2.3.4", 11)).at(-1)).toBe(429);
    expect((await tries("1.2.3.5", 1)).at(-1)).toBe(401);
    const statuses: number[] = [];
    for (let address = 0; address < 200; address++)
      statuses.push(...(await tries(`5.6.${address >> 8}.${address & 255}`, 1)));
    // With the 11 before; a minute gives one more.
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(60 - 11 + 2);
    expect(statuses.at(-1)).toBe(429);
  });

  it("by a forged code or token of a connection that exists, which goes on", async () => {
    const test = await open();
    const connected = await test.connect();
    const forged = `${connected.code.slice(0, -10)}AAAAAAAAAA`;
    expect(errorOf(await test.redeem({ ...connected, code: forged }))).toBe("invalid_grant");
    const tokens = json(await test.redeem(connected)) as { access_token: string; refresh_token: string };
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      const other = `${token.slice(0, -10)}AAAAAAAAAA`;
      expect((await test.post("/revoke", { client_id: connected.clientId, token: other })).status).toBe(200);
    }
    expect(await test.statusOf(`${tokens.access_token.slice(0, -10)}AAAAAAAAAA`)).toBe(401);
    expect(await test.statusOf(tokens.access_token)).toBe(200);
  });

  it("by a code that is two minutes old, or whose challenge is that of an empty verifier", async () => {
    const test = await open();
    const late = await test.connect();
    test.web.wait(2 * MINUTE);
    expect(errorOf(await test.redeem(late))).toBe("invalid_grant");
    const challenge = createHash("sha256").update("").digest("base64url");
    const empty = await test.connect(undefined, { code_challenge: challenge });
    expect(errorOf(await test.redeem({ ...empty, verifier: "" }))).toBe("invalid_grant");
  });

  it("after the time that was agreed, and that is a year at most", async () => {
    const test = await open();
    const agreed = async (days: unknown) => {
      const { clientId, ...tokens } = await test.tokens(undefined, {}, { days });
      const { connections } = json(await test.send("/web/connections", { headers: await test.person() })) as {
        connections: { created: string; until: string }[];
      };
      const lasts = connections.map(({ created, until }) => (Date.parse(until) - Date.parse(created)) / DAY);
      test.web.wait(1);
      return { clientId, ...tokens, days: lasts[0] };
    };
    for (const days of [10_000, -1, 0, "x", undefined]) expect((await agreed(days)).days).toBe(365);
    const { clientId, refresh_token: first } = await agreed(1);
    test.web.wait(DAY - 30 * MINUTE);
    const next = json(await test.refresh(clientId, first)) as { access_token: string; refresh_token: string };
    expect(await test.statusOf(next.access_token)).toBe(200);
    test.web.wait(30 * MINUTE);
    expect(await test.statusOf(next.access_token)).toBe(401);
    expect(errorOf(await test.refresh(clientId, next.refresh_token))).toBe("invalid_grant");
  });

  it("by a decision that is not plainly yes", async () => {
    const test = await open();
    const { text } = test.query(await test.register());
    const { body: shown } = await test.consent(text);
    for (const allow of ["true", 1, {}, null]) {
      const { body } = await test.consent(text, { digest: shown["digest"], allow, scopes: ["read"] });
      expect(new URL(String(body["redirect"])).searchParams.get("error")).toBe("access_denied");
    }
  });

  it("by a client of the tokens file without its secret", async () => {
    const fixed = { id: "fixed", name: "Fixed", redirectUris: [REDIRECT], method: "client_secret_post" } as const;
    const test = await open({ fixedClients: [{ ...fixed, secretDigest: digestOf("its-own-secret") }] });
    const fields = { grant_type: "refresh_token", refresh_token: "x", client_id: "fixed" };
    for (const wrong of [{}, { client_secret: "" }, { client_secret: "wrong" }])
      expect(errorOf(await test.post("/token", { ...fields, ...wrong }))).toBe("invalid_client");
    expect(errorOf(await test.post("/token", { ...fields, client_secret: "its-own-secret" }))).toBe("invalid_grant");
  });

  it("by a document where documents are off, or by a redirect URI that its document does not name", async () => {
    let asked = 0;
    const network = { resolve: async () => (asked++, ["93.184.216.34"]) };
    const id = "https://app.example/c.json";
    const off = await open({ fetchesDocuments: false, network });
    expect(await off.consent(off.query(id).text, { fetch: true })).toMatchObject({
      status: 400,
      body: { error_description: "This server fetches no client documents." },
    });
    expect((await off.send("/.well-known/oauth-authorization-server")).text).not.toContain("metadata_document");
    expect(asked).toBe(0);

    class Described extends ClientDocuments {
      override fetch = async () => ({ client_id: id, redirect_uris: [REDIRECT] });
    }
    const clients = clientRegistry({
      key: Buffer.alloc(32),
      fixed: [],
      schemes: [],
      documents: new Described(() => 0, network),
    });
    const grants = grantBook({ key: Buffer.alloc(32), store: {} as SignInStore, now: () => 0, log: silentLog });
    const context = {
      issuer: ISSUER,
      clients,
      grants,
      folders: async () => [],
      log: silentLog,
    };
    const answer = (redirect: string) =>
      answerAuthorization({ query: off.query(id, { redirect_uri: redirect }).text }, OWNER, context);
    expect(await answer(REDIRECT)).toMatchObject({ host: "app.example" });
    await expect(answer("https://evil.example/cb")).rejects.toThrow("not one that the client has registered");
  });
});

describe("a dead token", () => {
  type Connection = Tokens & { readonly clientId: string };
  const another = `ova_${"x".repeat(16)}_${"y".repeat(43)}`;
  const disconnect = async (test: SignInTest) => {
    const headers = await test.person();
    const { connections } = json(await test.send("/web/connections", { headers })) as { connections: { id: string }[] };
    for (const { id } of connections) await test.send(`/web/connections/${id}`, { method: "DELETE", headers });
  };
  it.each<[string, (test: SignInTest, connection: Connection) => Promise<unknown> | string | void]>([
    ["has expired", (test) => test.web.wait(60 * MINUTE)],
    ["outlived what was agreed", (test) => test.web.wait(366 * DAY)],
    [
      "was revoked by its program",
      (test, { access_token: token, clientId: id }) => test.post("/revoke", { token, client_id: id }),
    ],
    ["is of a connection that a person ended", disconnect],
    ["is a refresh token", (_, { refresh_token: token }) => token],
    ["is another server's", () => another],
  ])("that %s is answered with 401 everywhere, whatever strangers at its address do", async (_, end) => {
    const rate = new RateLimit({ perMinute: 60, burst: 10 }, () => 0);
    const test = await open({}, { access: { ...behindProxy(), rate }, legacySse: true });
    const connection = await test.tokens();
    expect(await test.statusOf(connection.access_token)).toBe(200);
    const ended = await end(test, connection);
    const token = typeof ended === "string" ? ended : connection.access_token;
    for (let count = 0; count < 12; count++) await test.statusOf("a guess of somebody else");
    expect(await test.statusOf("a-guess-of-somebody-else")).toBe(429);
    const headers = { Authorization: `Bearer ${token}`, Accept: "application/json, text/event-stream" };
    for (const [method, path] of [
      ["POST", "/mcp"],
      ["GET", "/mcp"],
      ["DELETE", "/mcp"],
      ["POST", "/"],
      ["GET", "/sse"],
      ["GET", "/bridge/v1/tools"],
    ] as const) {
      const body = method === "POST" ? { body: { jsonrpc: "2.0", id: 1, method: "ping" } } : {};
      const answer = await test.send(path, { method, headers, ...body });
      expect([path, answer.status, answer.headers["www-authenticate"]]).toEqual([
        path,
        401,
        expect.stringContaining('error="invalid_token"'),
      ]);
    }
  });
});

describe("a lock of the store", () => {
  const lockOf = ({ store }: SignInTest) =>
    `${join(store, "grants", readdirSync(join(store, "grants"))[0] ?? "")}.lock`;

  it("that a killed process has left holds a refresh up for some seconds, and then no longer", async () => {
    const test = await open();
    const { clientId, refresh_token: token } = await test.tokens();
    const place = lockOf(test);
    writeFileSync(place, "");
    const answers = await Promise.all([test.refresh(clientId, token), test.refresh(clientId, token)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(existsSync(place)).toBe(false);
    expect(readdirSync(join(test.store, "grants"))).toHaveLength(1);
  });

  it("that its holder renews is waited for, whatever the clock says", async () => {
    const test = await open();
    const { clientId, refresh_token: token } = await test.tokens();
    const place = lockOf(test);
    writeFileSync(place, "");
    let isHeld = true;
    const answer = test.refresh(clientId, token).then(({ status }) => ({ status, isHeld }));
    for (let beat = 1; beat <= 7; beat++) {
      utimesSync(place, beat, beat);
      await sleep(500);
    }
    isHeld = false;
    rmSync(place);
    expect(await answer).toEqual({ status: 200, isHeld: false });
  });
});

describe("/revoke", () => {
  /** The tokens of a connection after some refreshes, oldest first. */
  async function refreshed(test: SignInTest, times: number) {
    const { clientId, ...first } = await test.tokens();
    const tokens: Tokens[] = [first];
    for (let count = 0; count < times; count++)
      tokens.push(json(await test.refresh(clientId, tokens.at(-1)?.refresh_token ?? "")) as Tokens);
    return { clientId, tokens };
  }

  it.each([
    ["the current refresh token", 2, "refresh_token"],
    ["the one before, which can still be refreshed", 1, "refresh_token"],
    ["an older one, as its refresh would", 0, "refresh_token"],
    ["an access token of an earlier refresh", 0, "access_token"],
  ] as const)("ends the connection by %s", async (_, at, kind) => {
    const test = await open();
    const { clientId, tokens } = await refreshed(test, 2);
    expect((await test.post("/revoke", { client_id: clientId, token: tokens[at]?.[kind] ?? "" })).status).toBe(200);
    for (const { access_token: token } of tokens) expect(await test.statusOf(token)).toBe(401);
    for (const { refresh_token: token } of tokens)
      expect(errorOf(await test.refresh(clientId, token))).toBe("invalid_grant");
  });

  it("ends nothing by a token of another client's connection, however old", async () => {
    const test = await open();
    const { tokens } = await refreshed(test, 1);
    const other = await test.register([REDIRECT, "https://app.example/other"]);
    for (const { access_token: access, refresh_token: refresh } of tokens)
      for (const token of [access, refresh])
        expect((await test.post("/revoke", { client_id: other, token })).status).toBe(200);
    expect(await test.statusOf(tokens[1]?.access_token ?? "")).toBe(200);
  });
});

describe("an open stream", () => {
  const URI = "mcp-obsidian://vault/Notes/Example.md";
  const UPDATED = "notifications/resources/updated";
  const EVENTS = { Accept: "application/json, text/event-stream", "Content-Type": "application/json" };
  const INITIALIZE = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  type Headers = Readonly<Record<string, string>>;

  interface Stream {
    text: string;
    readonly end: Promise<void>;
  }
  function readAll({ body }: Response): Stream {
    const decoder = new TextDecoder();
    const read = async () => {
      for await (const chunk of body ?? []) stream.text += decoder.decode(chunk as Uint8Array, { stream: true });
    };
    const stream: Stream = { text: "", end: Promise.resolve().then(read) };
    return stream;
  }
  const until = async (isSo: () => boolean) => await expect.poll(isSo, { interval: 10 }).toBe(true);

  /** Streams of a program that follows a note. */
  const STREAMS: Readonly<Record<string, (test: SignInTest, headers: Headers) => Promise<Stream>>> = {
    async "of a session"({ http }, headers) {
      const session = { ...headers, "Mcp-Session-Id": await http.initialize(headers) };
      await http.rpc("resources/subscribe", { uri: URI }, session);
      return readAll(await fetch(`${http.url}/mcp`, { headers: { ...session, Accept: "text/event-stream" } }));
    },
    async "of subscriptions/listen"({ http }, headers) {
      const version = { "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen" };
      const params = { notifications: { resourceSubscriptions: [URI] }, _meta: ENVELOPE };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "subscriptions/listen", params });
      const about = { method: "POST", headers: { ...headers, ...EVENTS, ...version }, body };
      const stream = readAll(await fetch(`${http.url}/mcp`, about));
      await until(() => stream.text.includes("acknowledged"));
      return stream;
    },
    async "of HTTP+SSE"({ http }, headers) {
      const stream = readAll(await fetch(`${http.url}/sse`, { headers }));
      await until(() => stream.text.includes("/messages"));
      const path = /data: (\S+)/.exec(stream.text)?.[1] ?? "";
      const send = (message: object) => http.send(path, { headers, body: { jsonrpc: "2.0", ...message } });
      await send({ id: 1, method: "initialize", params: INITIALIZE });
      await until(() => stream.text.includes('"id":1'));
      await send({ method: "notifications/initialized" });
      await send({ id: 2, method: "resources/subscribe", params: { uri: URI } });
      await until(() => stream.text.includes('"id":2'));
      return stream;
    },
  };
  type Connection = Tokens & { readonly clientId: string };
  const ENDS: readonly (readonly [string, (test: SignInTest, of: Connection) => Promise<unknown>])[] = [
    [
      "its program revokes",
      (test, { clientId, refresh_token: token }) => test.post("/revoke", { client_id: clientId, token }),
    ],
    [
      "the person ends it on the page",
      async (test) => {
        const headers = await test.person();
        const { connections } = json(await test.send("/web/connections", { headers })) as {
          connections: { id: string }[];
        };
        await test.send(`/web/connections/${connections.at(-1)?.id}`, { method: "DELETE", headers });
      },
    ],
    ["the access token expires", async (test) => test.web.wait(60 * MINUTE)],
    [
      "the scopes are narrowed",
      (test, { clientId, refresh_token: token }) => test.refresh(clientId, token, { scope: "read tasks" }),
    ],
  ];

  for (const [kind, follow] of Object.entries(STREAMS))
    it.each(ENDS)(`${kind} ends without another event when %s`, async (_, end) => {
      const test = await open({}, { legacySse: true });
      const connection = await test.tokens();
      const stream = await follow(test, { Authorization: `Bearer ${connection.access_token}` });
      // The same change reaches a stream that goes on.
      const other = await follow(test, { Authorization: `Bearer ${TOKEN}` });
      await sleep(50);
      await end(test, connection);
      appendFileSync(test.http.vault.at("Notes/Example.md"), "more\n");
      await until(() => other.text.includes(UPDATED));
      await stream.end;
      expect(stream.text).not.toContain(UPDATED);
    });

  it("of a page ends without another event when its session expires", async () => {
    const test = await open();
    const { Origin: _, ...headers } = await test.person();
    const listen = async () => readAll(await fetch(`${test.http.url}/web/events`, { headers }));
    const stream = await listen();
    await sleep(500);
    test.web.wait(7 * DAY);
    const before = stream.text;
    appendFileSync(test.http.vault.at("Notes/Example.md"), "more\n");
    await stream.end;
    expect(stream.text).toBe(before);
  });

  it("is followed by one of the connection's next token", async () => {
    const test = await open();
    const { clientId, refresh_token: token, access_token: first } = await test.tokens();
    await STREAMS["of a session"]?.(test, { Authorization: `Bearer ${first}` });
    test.web.wait(60 * MINUTE);
    const { access_token: next } = json(await test.refresh(clientId, token)) as Tokens;
    const stream = await STREAMS["of a session"]?.(test, { Authorization: `Bearer ${next}` });
    appendFileSync(test.http.vault.at("Notes/Example.md"), "more\n");
    await until(() => stream?.text.includes(UPDATED) === true);
  });
});
