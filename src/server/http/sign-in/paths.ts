/** The paths of sign-in, and what an authorization server here and one elsewhere have in common. Loaded whether either is on or not. */
import type { IncomingMessage } from "node:http";
import type { Hono } from "hono";
import type { HttpContext, HttpEnv } from "../context.js";
import type { Caller } from "../guards.js";

export const SERVER_METADATA = "/.well-known/oauth-authorization-server";
export const RESOURCE_METADATA = "/.well-known/oauth-protected-resource";

/** Each answers with or without a final slash. */
export const SIGN_IN_PATHS: readonly string[] = [
  SERVER_METADATA,
  `${SERVER_METADATA}/mcp`,
  RESOURCE_METADATA,
  `${RESOURCE_METADATA}/mcp`,
  "/.well-known/openid-configuration",
  "/authorize",
  "/token",
  "/register",
  "/revoke",
].flatMap((path) => [path, `${path}/`]);

/** What the page's login does here: who is logged in, and the file that asks for consent. */
export interface ConsentPage {
  /** @throws Refusal 401 without a session, 403 from another origin */
  personOf(request: IncomingMessage): Caller;
  serveConsent(c: HttpContext): Promise<Response>;
}

export interface SignInRoutes {
  /** @param page undefined: it is not served */
  addRoutes(app: Hono<HttpEnv>, page: ConsentPage | undefined): void;
}

/** Lets pages of any origin ask: no cookie counts at these paths. */
export function allowAnyPage(app: Hono<HttpEnv>, paths: readonly string[]): void {
  for (const path of paths.flatMap((one) => [one, `${one}/`]))
    app.use(path, async (c, next) => {
      c.env.outgoing.setHeader("Access-Control-Allow-Origin", "*");
      c.env.outgoing.setHeader("Access-Control-Allow-Methods", "GET, POST, OPTIONS");
      c.env.outgoing.setHeader("Access-Control-Allow-Headers", "Content-Type, Authorization, Mcp-Protocol-Version");
      if (c.req.method === "OPTIONS") return c.body(null, 204);
      await next();
      return undefined;
    });
}

/** A `WWW-Authenticate` header that leads to the metadata of the path that was asked for. */
export function bearerChallenge(publicUrl: string, path: string, error: string | undefined): string {
  const metadata = `${publicUrl}${RESOURCE_METADATA}${/^\/mcp\/?$/.test(path) ? "/mcp" : ""}`;
  return `Bearer ${error === undefined ? "" : `error="${error}", `}resource_metadata="${metadata}"`;
}

/** RFC 9728. @param path of the resource: `/mcp`, or nothing */
export function resourceMetadata(publicUrl: string, path: string, issuer: string): object {
  return {
    resource: `${publicUrl}${path}`,
    authorization_servers: [issuer],
    bearer_methods_supported: ["header"],
    resource_name: "obsidian-vault-mcp-server",
  };
}
