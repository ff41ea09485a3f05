/** Sign-in over real sockets, beyond the table of attacks: what people, clients and floods cannot do. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { json } from "../../../../test/kit/http-front.js";
import {
  PERSON,
  PERSON_TOKEN,
  REDIRECT,
  SignInTest,
  behindProxy,
  errorOf,
} from "../../../../test/kit/sign-in-front.js";
import { OWNER } from "../../../../test/kit/web-front.js";
import { RateLimit } from "../rate-limit.js";
import { digestOf, type NamedToken, type Scopes } from "../tokens.js";
import type { SignInOptions } from "./sign-in.js";
import { openFolderStore } from "./store.js";

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
    for (let address = 0; address < 1000; address++)
      statuses.push(...(await tries(`5.6.${address >> 8}.${address & 255}`, 1)));
    // With the 11 before; a minute gives one more.
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(60 - 11 + 2);
    expect(statuses.at(-1)).toBe(429);
  });
});
