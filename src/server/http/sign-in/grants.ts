/**
 * Grants, each a person's consent to one client, and their tokens (docs: sign-in, "Tokens"). Stores digests, by
 * compare-and-swap.
 */
import { isRecord } from "../../../text/decoded.js";
import type { EpochMilliseconds } from "../../../clock.js";
import { createHmac, randomBytes } from "node:crypto";
import type { Log } from "../../../log.js";
import { sha256 } from "../../../text/hash.js";
import { describeLimits, readLimits, type Limits, knownScopes, type Scope } from "../tokens.js";
import { OAuthError } from "./paths.js";
import type { SignInStore } from "./store.js";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const CODE_LIFE_MS = 2 * MINUTE_MS;
export const ACCESS_LIFE_MS = 60 * MINUTE_MS;
const MAX_ACCESS_TOKENS = 4;
/** A grant without a refresh ends after this. */
const REFRESH_IDLE_MS = 30 * DAY_MS;
export const MAX_GRANT_DAYS = 365;
/** For clients that race or lost an answer. */
const REPEAT_MS = 120_000;
const MAX_GENERATIONS = 100;
const LAST_USED_STEP_MS = 5 * MINUTE_MS;
const MAX_ATTEMPTS = 20;

interface Dated {
  readonly digest: string;
  readonly until: number;
}

export interface Grant {
  readonly id: string;
  /** The person's token. */
  readonly person: string;
  readonly client: { readonly id: string; readonly name: string; readonly host: string };
  readonly scopes: readonly Scope[];
  /** Undefined: all of the person's. */
  readonly limits: Limits | undefined;
  /** Its issuer. Servers that share a store share no grants. */
  readonly resource: string;
  /** Those that were withheld included. */
  readonly asked: readonly Scope[];
  readonly created: number;
  readonly until: number;
  readonly lastUsed: number;
  /** Undefined once redeemed. */
  readonly code: (Dated & { readonly challenge: string; readonly redirectUri: string }) | undefined;
  /** A digest. */
  readonly spentCode: string | undefined;
  readonly access: readonly Dated[];
  readonly refresh: (Dated & { readonly rotatedAt: number }) | undefined;
}

export function connectionOf({ id, person, client: { name: client, host }, scopes, limits }: Grant) {
  return { id, person, client, host, scopes, limits: limits && describeLimits(limits) };
}

export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly scopes: readonly Scope[];
}

interface GrantOptions {
  readonly key: Buffer;
  readonly store: SignInStore;
  readonly now: () => EpochMilliseconds;
  readonly log: Log;
}

interface NewGrant extends Pick<Grant, "person" | "client" | "resource" | "scopes" | "limits" | "asked"> {
  readonly days: number;
  readonly challenge: string;
  readonly redirectUri: string;
}

interface Change<T> {
  readonly grant: Grant | undefined;
  readonly answer: T | OAuthError;
}

const TOKEN = /^ov([acr])_([\w-]{16})_([\w-]{43})$/;
type TokenKind = "a" | "c" | "r";

export const hasTokenForm = (token: string): boolean => TOKEN.test(token);

export function grantBook(options: GrantOptions) {
  /** @returns the authorization code */
  async function begin({ days, challenge, redirectUri, ...about }: NewGrant): Promise<string> {
    const { store, now, log } = options;
    const id = randomBytes(12).toString("base64url");
    const code = newToken("c", id);
    const created = now();
    const grant: Grant = {
      ...about,
      id,
      created,
      until: created + Math.min(days, MAX_GRANT_DAYS) * DAY_MS,
      lastUsed: created,
      code: { digest: sha256(code), until: created + CODE_LIFE_MS, challenge, redirectUri },
      spentCode: undefined,
      access: [],
      refresh: undefined,
    };
    if (!(await store.write("grants", id, grant, undefined))) throw new Error("a grant of this id exists");
    log.info("Sign-in: consent given", describe(grant));
    return code;
  }

  /** A repeated code ends the grant. */
  async function redeem(
    code: string,
    about: { clientId: string; redirectUri: string; verifier: string },
  ): Promise<IssuedTokens> {
    const wrong = new OAuthError("invalid_grant", "The code is not valid, or was used already.");
    return change(code, "c", wrong, (grant, now) => {
      const digest = sha256(code);
      if (grant.spentCode === digest) return end(grant, "its code was presented twice", wrong);
      if (grant.code?.digest !== digest) return { grant, answer: wrong };
      // The code is spent, whatever is wrong.
      const { until, redirectUri, challenge } = grant.code;
      const isRight =
        now < until &&
        about.clientId === grant.client.id &&
        about.redirectUri === redirectUri &&
        about.verifier !== "" &&
        sha256Base64url(about.verifier) === challenge;
      if (!isRight) return end(grant, "its code was presented wrongly", wrong);
      const refreshToken = newToken("r", grant.id);
      const { accessToken, access } = newAccess(grant, now);
      const refresh = { digest: sha256(refreshToken), until: now + REFRESH_IDLE_MS, rotatedAt: now };
      options.log.info("Sign-in: code redeemed", describe(grant));
      return {
        grant: { ...grant, code: undefined, spentCode: digest, access, refresh, lastUsed: now },
        answer: { accessToken, refreshToken, scopes: grant.scopes },
      };
    });
  }

  /**
   * Docs: sign-in, "Rotation".
   * @param scopes undefined: as before
   */
  async function refresh(token: string, clientId: string, scopes: readonly Scope[] | undefined): Promise<IssuedTokens> {
    const wrong = new OAuthError("invalid_grant", "The refresh token is not valid.");
    return change(token, "r", wrong, (grant, now) => {
      const { refresh } = grant;
      if (!refresh || clientId !== grant.client.id) return { grant, answer: wrong };
      const age = ageOf(token, refresh.digest, grant.id);
      if (age === undefined) return { grant, answer: wrong };
      if (age > 1 || (age === 1 && now - refresh.rotatedAt > REPEAT_MS))
        return end(grant, "an old refresh token was presented again", wrong);
      if (now >= refresh.until || now >= grant.until) return end(grant, "it has expired", wrong);
      if (scopes?.some((scope) => !grant.scopes.includes(scope)) === true)
        return { grant, answer: new OAuthError("invalid_scope", "A refresh cannot widen the scope.") };
      const { accessToken, access } = newAccess(grant, now);
      const successor = successorOf(token, grant.id);
      const next = age === 0 ? { digest: sha256(successor), until: now + REFRESH_IDLE_MS, rotatedAt: now } : refresh;
      return {
        grant: { ...grant, scopes: scopes ?? grant.scopes, access, refresh: next, lastUsed: now },
        answer: { accessToken, refreshToken: successor, scopes: scopes ?? grant.scopes },
      };
    });
  }

  /** @throws when the store is unreachable */
  async function find(token: string): Promise<Grant | undefined> {
    const id = idIn(token, "a");
    const stored = id === undefined ? undefined : await read(id);
    const now = options.now();
    const digest = sha256(token);
    const isLive = stored?.grant.access.some((one) => one.digest === digest && now < one.until) === true;
    if (!stored || !isLive || now >= stored.grant.until) return undefined;
    if (now - stored.grant.lastUsed >= LAST_USED_STEP_MS)
      // A lost write does no harm.
      await options.store.write("grants", stored.grant.id, { ...stored.grant, lastUsed: now }, stored.revision);
    return stored.grant;
  }

  /** RFC 7009. Earlier refresh tokens count. */
  async function revokeToken(token: string, clientId: string): Promise<void> {
    const id = idIn(token, "a") ?? idIn(token, "r");
    const grant = id === undefined ? undefined : (await read(id))?.grant;
    if (grant?.client.id !== clientId) return;
    const digest = sha256(token);
    const isAccess = grant.access.some((one) => one.digest === digest);
    const isRefresh = grant.refresh && ageOf(token, grant.refresh.digest, grant.id) !== undefined;
    if (isAccess || isRefresh) await revoke(grant.id);
  }

  async function revoke(id: string): Promise<boolean> {
    const { store, log } = options;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const stored = /^[\w-]{16}$/.test(id) ? await read(id) : undefined;
      if (!stored) return false;
      if (!(await store.remove("grants", id, stored.revision))) continue;
      log.info("Sign-in: revoked", describe(stored.grant));
      return true;
    }
    throw new Error("the grant changes all the time");
  }

  async function list(): Promise<readonly Grant[]> {
    return (await live()).filter(({ refresh }) => refresh !== undefined);
  }

  /** Also unredeemed ones. */
  async function live(): Promise<readonly Grant[]> {
    const { store, now } = options;
    const found: Grant[] = [];
    for (const name of await store.names("grants")) {
      const stored = await read(name);
      if (!stored) continue;
      const { until, code, refresh } = stored.grant;
      if (now() < until && now() < (refresh ?? code ?? { until: 0 }).until) found.push(stored.grant);
      else await store.remove("grants", name, stored.revision);
    }
    return found.toSorted((a, b) => b.created - a.created);
  }

  async function read(id: string): Promise<{ readonly grant: Grant; readonly revision: string } | undefined> {
    const stored = await options.store.read("grants", id);
    const grant = stored && readGrant(stored.value, id);
    return stored && grant && { grant, revision: stored.revision };
  }

  async function change<T>(
    token: string,
    kind: TokenKind,
    wrong: OAuthError,
    changed: (grant: Grant, now: number) => Change<T>,
  ): Promise<T> {
    const { store, now } = options;
    const id = idIn(token, kind);
    if (id === undefined) throw wrong;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const stored = await read(id);
      if (!stored) break;
      const { grant, answer } = changed(stored.grant, now());
      const isDone =
        grant === stored.grant ||
        (grant
          ? await store.write("grants", id, grant, stored.revision)
          : await store.remove("grants", id, stored.revision));
      if (!isDone) continue;
      if (answer instanceof OAuthError) throw answer;
      return answer;
    }
    throw wrong;
  }

  function end(grant: Grant, why: string, answer: OAuthError): Change<never> {
    options.log.warn(`Sign-in: a grant was ended, because ${why}`, describe(grant));
    return { grant: undefined, answer };
  }

  function newAccess(grant: Grant, now: number): { readonly accessToken: string; readonly access: readonly Dated[] } {
    const accessToken = newToken("a", grant.id);
    const live = grant.access.filter(({ until }) => now < until).slice(-(MAX_ACCESS_TOKENS - 1));
    return { accessToken, access: [...live, { digest: sha256(accessToken), until: now + ACCESS_LIFE_MS }] };
  }

  /** Racing clients get the same token. */
  function successorOf(token: string, id: string): string {
    const secret = createHmac("sha256", options.key).update(`refresh\0${token}`).digest("base64url");
    return `ovr_${id}_${secret}`;
  }

  /** Undefined for another grant's token. @param current a digest */
  function ageOf(token: string, current: string, id: string): number | undefined {
    let successor = token;
    for (let age = 0; age <= MAX_GENERATIONS; age++) {
      if (sha256(successor) === current) return age;
      successor = successorOf(successor, id);
    }
    return undefined;
  }

  return { begin, redeem, refresh, find, revokeToken, revoke, list, live };
}

export type Grants = ReturnType<typeof grantBook>;

function newToken(kind: TokenKind, id: string): string {
  return `ov${kind}_${id}_${randomBytes(32).toString("base64url")}`;
}

function idIn(token: string, kind: TokenKind): string | undefined {
  const [, found, id] = TOKEN.exec(token) ?? [];
  return found === kind ? id : undefined;
}

function sha256Base64url(text: string): string {
  return Buffer.from(sha256(text), "hex").toString("base64url");
}

function describe({ id, person, client, scopes }: Grant): Readonly<Record<string, unknown>> {
  return { grant: id, person, client: client.name, host: client.host, scopes: scopes.join(" ") };
}

/** Unknown scopes are dropped. */
function readGrant(value: unknown, id: string): Grant | undefined {
  if (!isRecord(value) || value["id"] !== id || !isRecord(value["client"]) || !Array.isArray(value["access"]))
    return undefined;
  const { person, created, until, lastUsed, scopes, asked } = value;
  const isWhole = typeof person === "string" && [created, until, lastUsed].every((time) => typeof time === "number");
  if (!isWhole || !Array.isArray(scopes) || !Array.isArray(asked)) return undefined;
  const limits = readLimits(value["limits"]);
  // Without limits a grant would give too much.
  if (value["limits"] !== undefined && !limits) return undefined;
  return { ...(value as unknown as Grant), limits, scopes: knownScopes(scopes), asked: knownScopes(asked) };
}
