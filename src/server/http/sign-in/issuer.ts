/**
 * Access tokens of another issuer (docs: sign-in, "External issuer"). Only rows of the tokens file admit
 * callers.
 */
import { isRecord } from "../../../text/decoded.js";
import type { JWTPayload } from "jose";
import type { Hono } from "hono";
import type { Log } from "../../../log.js";
import { addRoute, rawQuery, type HttpContext, type HttpEnv } from "../context.js";
import type { AccessTokens, Caller } from "../guards.js";
import { Refusal, notFound } from "../refusal.js";
import type { Scopes } from "../tokens.js";
import {
  OAuthError,
  RESOURCE_METADATA,
  addRoutesForAnyPage,
  bearerChallenge,
  resourceMetadata,
  type SignInRoutes,
} from "./paths.js";

export interface IssuedRow {
  readonly name: string;
  readonly claim: string;
  readonly value: string;
  readonly scopes: Scopes;
}

interface IssuerOptions {
  /** Exactly as in its tokens. */
  readonly issuer: string;
  /** Without final slash. */
  readonly publicUrl: string;
  /** Besides this server's address. */
  readonly audiences: readonly string[];
  readonly rows: readonly IssuedRow[];
  /** For `/authorize`, `/token` and `/register`. */
  readonly hasAliases: boolean;
  readonly log: Log;
}

const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const LEEWAY_SECONDS = 60;
const FETCH_TIMEOUT_MS = 5_000;
/** For an unknown key. */
const REFETCH_MS = 60_000;

type Verify = (token: string) => Promise<JWTPayload>;

export type Issuer = AccessTokens & SignInRoutes;

export function issuedTokens(options: IssuerOptions): Issuer {
  let verify: Promise<Verify> | undefined;

  function challenge(path: string, error?: string): string {
    return bearerChallenge(options.publicUrl, path, error);
  }

  function addRoutes(app: Hono<HttpEnv>): void {
    const { publicUrl, issuer, hasAliases } = options;
    addRoutesForAnyPage(app, {
      [RESOURCE_METADATA]: { GET: (c) => c.json(resourceMetadata(publicUrl, "", issuer)) },
      [`${RESOURCE_METADATA}/mcp`]: { GET: (c) => c.json(resourceMetadata(publicUrl, "/mcp", issuer)) },
    });
    if (!hasAliases) return;
    addRoute(app, "/authorize", { GET: async (c) => redirect(c, "authorization_endpoint", 302) });
    addRoute(app, "/token", { POST: async (c) => redirect(c, "token_endpoint", 307) });
    addRoute(app, "/register", { POST: async (c) => redirect(c, "registration_endpoint", 307) });
  }

  /** For clients that guess these paths (claude-ai-mcp#82). */
  async function redirect(c: HttpContext, endpoint: string, status: 302 | 307): Promise<Response> {
    const address = (await metadata())[endpoint];
    if (typeof address !== "string") throw notFound();
    return c.redirect(address + rawQuery(c.env.incoming), status);
  }

  /** @throws Refusal 403 without a row, 503 without the issuer's keys */
  async function callerOf(token: string): Promise<Caller | undefined> {
    verify ??= prepare().catch((error: unknown) => {
      verify = undefined;
      throw error;
    });
    const { log, rows } = options;
    let claims: JWTPayload;
    try {
      claims = await (await verify)(token);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      log.info("A token of the issuer was refused", { code });
      if (code.startsWith("ERR_J") && code !== "ERR_JWKS_TIMEOUT" && code !== "ERR_JOSE_GENERIC") return undefined;
      throw new OAuthError("temporarily_unavailable", "The issuer's keys cannot be had at the moment.", {
        "Retry-After": "5",
      });
    }
    const row = rows.find(({ claim, value }) => holds(claims[claim], value));
    if (!row) throw new Refusal(403, "Forbidden", "Nobody with this token has been admitted here.");
    const id = `issued ${row.name} ${claims.sub ?? ""}`;
    const isStillValid = async () => (await callerOf(token))?.id === id;
    return { id, name: row.name, scopes: row.scopes, isStillValid };
  }

  async function prepare(): Promise<Verify> {
    const { createRemoteJWKSet, jwtVerify } = await import("jose");
    const { issuer, publicUrl, audiences } = options;
    const { jwks_uri: address } = await metadata();
    if (typeof address !== "string") throw new Error("the issuer publishes no keys");
    const keys = createRemoteJWKSet(new URL(address), {
      cooldownDuration: REFETCH_MS,
      timeoutDuration: FETCH_TIMEOUT_MS,
      cacheMaxAge: Infinity,
    });
    const audience = [publicUrl, `${publicUrl}/`, `${publicUrl}/mcp`, ...audiences];
    return async (token) => {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: LEEWAY_SECONDS,
        requiredClaims: ["exp", "sub"],
      });
      if (isIdToken(payload, protectedHeader.typ))
        throw Object.assign(new Error("an ID token"), { code: "ERR_JWT_ID_TOKEN" });
      return payload;
    };
  }

  async function metadata(): Promise<Readonly<Record<string, unknown>>> {
    const { issuer } = options;
    const { origin, pathname } = new URL(issuer);
    const path = pathname.replace(/\/$/, "");
    for (const place of [
      `${origin}${path}/.well-known/openid-configuration`,
      `${origin}/.well-known/oauth-authorization-server${path}`,
    ]) {
      const response = await fetch(place, { redirect: "error", signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
      const metadata: unknown = response.ok ? await response.json() : undefined;
      if (isRecord(metadata) && metadata["issuer"] === issuer) return metadata;
    }
    throw new Error("the issuer publishes no metadata of this name");
  }

  return { challenge, addRoutes, callerOf };
}

function isIdToken({ nonce, at_hash: hash, typ }: JWTPayload, type: string | undefined): boolean {
  return nonce !== undefined || hash !== undefined || typ === "ID" || type?.toLowerCase() === "id+jwt";
}

function holds(claim: unknown, value: string): boolean {
  return Array.isArray(claim) ? claim.includes(value) : claim === value;
}
