/** Rotation of refresh tokens, as a property: clients race over two servers with delays and restarts, and there is only ever one line of tokens. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHash } from "node:crypto";
import { array, assert, asyncProperty, boolean, nat, tuple } from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emptyDatabase } from "../../../../test/kit/couch-server.js";
import { silentLog } from "../../../log.js";
import { couchStore, openFolderStore, type SignInKeyAndStore, type SignInStore } from "./store.js";
import { grantBook, type Grants, type IssuedTokens } from "./grants.js";
import { OAuthError } from "./paths.js";
import { FUZZ_FACTOR } from "../../../../test/kit/fuzz.js";

const CLIENT = "client";
const REDIRECT = "https://app.example/cb";
const NEW_GRANT = {
  person: "owner",
  client: { id: CLIENT, name: "App", host: "app.example" },
  resource: "https://notes.example",
  scopes: ["read"],
  asked: ["read"],
  limits: undefined,
  days: 365,
  redirectUri: REDIRECT,
} as const;

const folder = mkdtempSync(join(tmpdir(), "rotation-"));
afterAll(() => rmSync(folder, { recursive: true }));

let now = Date.parse("2026-01-01");
const serverOver = ({ key, store }: SignInKeyAndStore) => grantBook({ key, store, now: () => now, log: silentLog });

/** A grant whose code has been redeemed. */
async function begun(grants: Grants): Promise<IssuedTokens> {
  const verifier = "v".repeat(43);
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const code = await grants.begin({ ...NEW_GRANT, challenge });
  return grants.redeem(code, { clientId: CLIENT, redirectUri: REDIRECT, verifier });
}

const pick = ([one, other]: readonly [Grants, Grants], at: number) => (at % 2 === 0 ? one : other);

const refused = (error: unknown) => {
  if (error instanceof OAuthError) return undefined;
  throw error;
};

describe("refreshing", () => {
  it("gives clients that race within 120 s the same successor, whichever of two servers they ask", async () => {
    const shared = await openFolderStore(join(folder, "race"));
    await assert(
      asyncProperty(array(tuple(boolean(), nat(14_000)), { minLength: 8, maxLength: 8 }), async (clients) => {
        let servers = [serverOver(shared), serverOver(shared)] as const;
        let { refreshToken } = await begun(pick(servers, 0));
        for (let round = 0; round < 3; round++) {
          const presented = refreshToken;
          const successors = new Set<string>();
          const together = clients.filter(([isTogether]) => isTogether);
          for (const issued of await Promise.all(
            together.map((_, at) => pick(servers, at).refresh(presented, CLIENT, undefined)),
          ))
            successors.add(issued.refreshToken);
          for (const [isTogether, delay] of clients) {
            if (isTogether) continue;
            now += delay;
            servers = [serverOver(shared), serverOver(shared)];
            const issued = await pick(servers, delay).refresh(presented, CLIENT, undefined);
            successors.add(issued.refreshToken);
          }
          expect(successors.size).toBe(1);
          refreshToken = [...successors][0] ?? "";
          now += 3_600_000;
        }
      }),
      { numRuns: 8 * FUZZ_FACTOR },
    );
  });

  it("ends the family when a token of any of 100 generations back comes again, and nothing for forged ones", async () => {
    const shared = await openFolderStore(join(folder, "older"));
    const grants = serverOver(shared);
    for (const back of [2, 50, 100]) {
      const tokens = [(await begun(grants)).refreshToken];
      for (let generation = 0; generation < back; generation++)
        tokens.push((await grants.refresh(tokens.at(-1) ?? "", CLIENT, undefined)).refreshToken);
      const current = tokens.at(-1) ?? "";
      const forged = current.slice(0, -10) + "AAAAAAAAAA";
      await expect(grants.refresh(forged, CLIENT, undefined)).rejects.toMatchObject({ code: "invalid_grant" });
      expect(await grants.list()).toHaveLength(1);
      await expect(grants.refresh(tokens[0] ?? "", CLIENT, undefined)).rejects.toMatchObject({ code: "invalid_grant" });
      expect(await grants.list()).toEqual([]);
    }
  });

  it("ends after 30 days without use, and after the time that was agreed", async () => {
    const grants = serverOver(await openFolderStore(join(folder, "time")));
    const { refreshToken } = await begun(grants);
    now += 30 * 24 * 3_600_000;
    expect(await grants.refresh(refreshToken, CLIENT, undefined).catch(refused)).toBeUndefined();
    expect(await grants.list()).toEqual([]);
  });
});

it("a consent whose code is not redeemed yet is ended with all others, and not listed", async () => {
  const grants = serverOver(await openFolderStore(join(folder, "pending")));
  const code = await grants.begin({ ...NEW_GRANT, challenge: "x" });
  expect(await grants.list()).toEqual([]);
  for (const { id } of await grants.live()) expect(await grants.revoke(id)).toBe(true);
  const redeemed = grants.redeem(code, { clientId: CLIENT, redirectUri: REDIRECT, verifier: "v".repeat(43) });
  await expect(redeemed).rejects.toMatchObject({ code: "invalid_grant" });
  now += 120_000;
  await grants.begin({ ...NEW_GRANT, challenge: "x" });
  now += 120_000;
  expect(await grants.live()).toEqual([]);
});

describe("two servers over one database", () => {
  let store: ReturnType<typeof couchStore>;
  let remove: () => Promise<void>;
  const away: SignInStore = couchStore(new URL("http://127.0.0.1:9/sign-in"));
  beforeAll(async () => {
    const database = await emptyDatabase();
    remove = () => database.remove();
    const address = new URL(`${database.url}/${database.name}`);
    address.username = database.user ?? "";
    address.password = database.password ?? "";
    store = couchStore(address);
    await store.prepare();
  });
  afterAll(() => remove());

  it("share grants: what one ends counts at the other, and races have one outcome", async () => {
    const key = Buffer.alloc(32, 3);
    const [one, other] = [serverOver({ key, store }), serverOver({ key, store })];
    const { refreshToken, accessToken } = await begun(one);
    expect((await other.find(accessToken))?.person).toBe("owner");
    const all = await Promise.all(
      [one, other, one, other].map((grants) => grants.refresh(refreshToken, CLIENT, undefined)),
    );
    expect(new Set(all.map((issued) => issued.refreshToken)).size).toBe(1);
    const [grant] = await other.list();
    expect(await other.revoke(grant?.id ?? "")).toBe(true);
    expect(await one.find(accessToken)).toBeUndefined();
    expect(await one.list()).toEqual([]);
  });

  it("let nobody in while it is away", async () => {
    const grants = serverOver({ key: Buffer.alloc(32, 3), store: away });
    await expect(grants.find(`ova_${"a".repeat(16)}_${"b".repeat(43)}`)).rejects.toThrow();
  });

  it("do not count a change that too few copies of the database have taken", async () => {
    const few = createServer((_, response) =>
      response.writeHead(202, { "Content-Type": "application/json" }).end('{"ok":true}'),
    );
    await new Promise<void>((resolve) => few.listen(0, "127.0.0.1", resolve));
    const { port } = few.address() as AddressInfo;
    const couch = couchStore(new URL(`http://127.0.0.1:${port}/sign-in`));
    await expect(couch.write("grants", "a", {}, undefined)).rejects.toThrow();
    await expect(couch.remove("grants", "a", "1-a")).rejects.toThrow();
    few.closeAllConnections();
    few.close();
  });

  it("take a document only while it is what was read", async () => {
    expect(await store.write("links", "a", { person: "x" }, undefined)).toBe(true);
    expect(await store.write("links", "a", { person: "y" }, undefined)).toBe(false);
    const stored = await store.read("links", "a");
    expect(stored?.value).toEqual({ person: "x" });
    expect(await store.remove("links", "a", stored?.revision ?? "")).toBe(true);
    expect(await store.remove("links", "a", stored?.revision ?? "")).toBe(false);
    expect(await store.names("links")).toEqual([]);
  });
});
