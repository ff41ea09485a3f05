/** Access tokens of an external issuer: what is accepted, and every way in which a token is not one (docs: sign-in). */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { SignJWT, exportJWK, exportSPKI, generateKeyPair, type JWTPayload } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { HttpTest, OPEN_ACCESS } from "../../../../test/kit/http-front.js";
import { WebTest } from "../../../../test/kit/web-front.js";
import { silentLog } from "../../../log.js";
import { ALL_SCOPES } from "../tokens.js";
import { issuedTokens, type Issuer, type IssuedRow } from "./issuer.js";

const PUBLIC_URL = "https://notes.example";
const ROWS: readonly IssuedRow[] = [
  { name: "anna", claim: "sub", value: "anna-id", scopes: ALL_SCOPES },
  { name: "readers", claim: "groups", value: "vault", scopes: { write: false, toolsets: ["tasks"] } },
];

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;
let keys: Keys;
let published: Keys;
let server: Server;
let address = "";
let isAway = false;
const asked: string[] = [];
beforeAll(async () => {
  keys = published = await generateKeyPair("RS256", { extractable: true });
  server = createServer((request, response) => {
    asked.push(request.url ?? "");
    if (isAway) {
      response.writeHead(503).end();
      return;
    }
    const answer = async () =>
      request.url === "/keys"
        ? { keys: [{ ...(await exportJWK(published.publicKey)), kid: "one", alg: "RS256" }] }
        : {
            issuer: address,
            jwks_uri: `${address}/keys`,
            token_endpoint: `${address}/token`,
            authorization_endpoint: `${address}/authorize`,
          };
    void answer().then((body) =>
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

let issuer: Issuer;
beforeEach(() => {
  isAway = false;
  asked.length = 0;
  const options = { issuer: address, publicUrl: PUBLIC_URL, audiences: ["vault"], rows: ROWS, log: silentLog };
  issuer = issuedTokens({ ...options, hasAliases: true });
});

const now = () => Math.floor(Number(vi.getMockedSystemTime() ?? performance.timeOrigin + performance.now()) / 1000);
const CLAIMS = { sub: "anna-id", aud: `${PUBLIC_URL}/mcp` };
async function token(
  claims: JWTPayload = {},
  { key = keys.privateKey, header = {} }: { key?: Keys["privateKey"]; header?: object } = {},
) {
  const all = { iss: address, exp: now() + 300, ...CLAIMS, ...claims };
  return new SignJWT(all).setProtectedHeader({ alg: "RS256", kid: "one", ...header }).sign(key);
}
const unsigned = (header: object, payload: object) =>
  [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");

describe("a token of the issuer", () => {
  it("stands for the first row that fits its claims", async () => {
    expect(await issuer.callerOf(await token())).toMatchObject({ name: "anna", scopes: ALL_SCOPES });
    const reader = await token({ sub: "other", groups: ["staff", "vault"], aud: ["x", "vault"] });
    expect(await issuer.callerOf(reader)).toMatchObject({ name: "readers", scopes: { write: false } });
  });

  it("holds for an open stream until it expires", async () => {
    const caller = await issuer.callerOf(await token());
    expect(await caller?.isStillValid?.()).toBe(true);
    vi.useFakeTimers({ toFake: ["Date"], now: (now() + 361) * 1000 });
    expect(await caller?.isStillValid?.()).toBe(false);
    vi.useRealTimers();
  });

  it("admits nobody without a row", async () => {
    await expect(issuer.callerOf(await token({ sub: "stranger" }))).rejects.toMatchObject({ status: 403 });
  });

  it("counts while the issuer is away, once its keys are known", async () => {
    const one = await token();
    await issuer.callerOf(one);
    isAway = true;
    expect(await issuer.callerOf(one)).toMatchObject({ name: "anna" });
  });

  it("is answered with 503 when the issuer's keys were never had", async () => {
    isAway = true;
    await expect(issuer.callerOf(await token())).rejects.toMatchObject({ status: 503 });
    isAway = false;
    expect(await issuer.callerOf(await token())).toMatchObject({ name: "anna" });
  });

  it("with an unknown key makes the keys be fetched at most once a minute", async () => {
    await issuer.callerOf(await token());
    for (let at = 0; at < 5; at++)
      expect(await issuer.callerOf(await token({}, { header: { kid: `unknown-${at}` } }))).toBeUndefined();
    expect(asked.filter((path) => path === "/keys").length).toBeLessThanOrEqual(2);
  });
});

describe("a token that is refused", () => {
  // Some are a second from being admitted.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());

  it("has no algorithm, or one whose key is public (issuer.algorithms)", async () => {
    const claims = { iss: address, exp: now() + 300, ...CLAIMS };
    expect(await issuer.callerOf(`${unsigned({ alg: "none" }, claims)}.`)).toBeUndefined();
    const spki = new TextEncoder().encode(await exportSPKI(keys.publicKey));
    const shared = await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "one" }).sign(spki);
    expect(await issuer.callerOf(shared)).toBeUndefined();
  });

  it("brings its own key, or names where one is (issuer.algorithms)", async () => {
    const own = await generateKeyPair("RS256", { extractable: true });
    const jwk = await exportJWK(own.publicKey);
    for (const header of [{ jwk }, { jku: `${address}/evil` }])
      expect(await issuer.callerOf(await token({}, { key: own.privateKey, header }))).toBeUndefined();
    expect(asked).not.toContain("/evil");
  });

  it.each([
    ["is for another audience", { aud: "https://other.example" }],
    ["is for nobody", { aud: undefined }],
    ["is an ID token", { nonce: "x" }],
    ["is an ID token with the hash of another", { at_hash: "x" }],
    ["says that it is an ID token", { typ: "ID" }],
    ["expired 61 s ago", { exp: -61 }],
    ["is not valid for another 61 s", { nbf: 61 }],
    ["never expires", { exp: undefined }],
    ["is of an issuer with a slash more", { iss: "/" }],
    ["is of nobody", { sub: undefined }],
  ] as const)("%s (issuer.audience, issuer.claims)", async (_, claims) => {
    const { exp, nbf, iss, ...others } = { exp: 300, nbf: -1, iss: "", ...claims } as Record<string, unknown>;
    const times = {
      ...(typeof exp === "number" ? { exp: now() + exp } : { exp: undefined }),
      nbf: now() + Number(nbf),
    };
    const given = { ...others, ...times, iss: `${address}${String(iss)}` } as JWTPayload;
    expect(await issuer.callerOf(await token(given))).toBeUndefined();
  });

  it("says in its header that it is an ID token (issuer.audience)", async () => {
    expect(await issuer.callerOf(await token({}, { header: { typ: "id+jwt" } }))).toBeUndefined();
  });

  it("is of an issuer whose metadata names another", async () => {
    const options = { publicUrl: PUBLIC_URL, audiences: ["vault"], rows: ROWS, log: silentLog, hasAliases: false };
    const other = issuedTokens({ ...options, issuer: `${address}/` });
    await expect(other.callerOf(await token({ iss: `${address}/` }))).rejects.toMatchObject({ status: 503 });
  });

  it("would count within the leeway of a minute", async () => {
    expect(await issuer.callerOf(await token({ exp: now() - 55 }))).toMatchObject({ name: "anna" });
  });
});

it("a server with an issuer and no token of its own shows no news of the vault to anybody", async () => {
  const web = await WebTest.open({ access: OPEN_ACCESS, issued: issuer });
  try {
    for (const headers of [{}, { Authorization: `Bearer ${await token()}` }])
      for (const [path, method] of [
        ["/web/events", "GET"],
        ["/web/codes", "POST"],
      ] as const)
        expect((await web.http.send(path, { method, headers })).status, path).toBe(401);
  } finally {
    await web.close();
  }
});

it("a server with an issuer and no token of its own says that its page has nothing to log in with", async () => {
  const web = await WebTest.open({ access: OPEN_ACCESS, issued: issuer });
  try {
    const refused = await web.login();
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("no token to log in with")]);
  } finally {
    await web.close();
  }
});

it("a server with an issuer leads clients there, and answers 401 with where", async () => {
  const http = await HttpTest.open({ access: { ...OPEN_ACCESS, hosts: ["notes.example"] }, issued: issuer });
  try {
    const metadata = JSON.parse((await http.send("/.well-known/oauth-protected-resource/mcp")).text) as object;
    expect(metadata).toMatchObject({ resource: `${PUBLIC_URL}/mcp`, authorization_servers: [address] });
    const refused = await http.rpc("ping");
    expect([refused.status, refused.headers["www-authenticate"]]).toEqual([
      401,
      `Bearer resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp"`,
    ]);
    expect((await http.rpc("ping", {}, { Authorization: `Bearer ${await token()}` })).status).toBe(200);
    const [authorize, exchange] = [await http.send("/authorize?x=1"), await http.send("/token", { body: {} })];
    expect([authorize.status, authorize.headers.location]).toEqual([302, `${address}/authorize?x=1`]);
    expect([exchange.status, exchange.headers.location]).toEqual([307, `${address}/token`]);
    expect((await http.send("/.well-known/oauth-authorization-server")).status).toBe(404);
  } finally {
    await http.close();
  }
});
