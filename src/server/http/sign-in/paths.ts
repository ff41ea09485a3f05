/** Common to both kinds of authorization server. */
import type { IncomingMessage } from "node:http";
import type { Hono } from "hono";
import { addRoute, type Handlers, type HttpContext, type HttpEnv } from "../context.js";
import type { Caller } from "../guards.js";
import { Refusal } from "../refusal.js";

const STATUS = { invalid_client: 401, temporarily_unavailable: 503 } as const;

/** RFC 6749, section 5.2; RFC 7591; RFC 8707. */
export class OAuthError extends Refusal {
  readonly code: string;

  constructor(
    code: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    status: Refusal["status"] = STATUS[code as keyof typeof STATUS] ?? 400,
  ) {
    // RFC 9110.
    const challenge = code === "invalid_client" ? { "WWW-Authenticate": 'Basic realm="token"' } : {};
    super(status, code, message, { headers: { ...challenge, ...headers } });
    this.code = code;
  }

  override body(): object {
    return { error: this.code, error_description: this.message };
  }
}

/** @param code for an unreadable request */
export function answersOAuth(code: string, handler: (c: HttpContext) => Promise<Response>) {
  return async (c: HttpContext): Promise<Response> => {
    try {
      return await handler(c);
    } catch (error) {
      if (!(error instanceof Refusal) || error instanceof OAuthError) throw error;
      const { status, message, headers } = error;
      const isLater = status === 429 || status === 503;
      throw new OAuthError(isLater ? "temporarily_unavailable" : code, message, headers, status === 415 ? 400 : status);
    }
  };
}

export const SERVER_METADATA = "/.well-known/oauth-authorization-server";
export const RESOURCE_METADATA = "/.well-known/oauth-protected-resource";

/** With and without a final slash. */
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

export interface ConsentPage {
  /** @throws Refusal 401 without a session, 403 from another origin */
  personOf(request: IncomingMessage): Caller;
  serveConsent(c: HttpContext): Promise<Response>;
}

export interface SignInRoutes {
  addRoutes(app: Hono<HttpEnv>, page: ConsentPage | undefined): void;
}

/** Safe for any origin: no cookie counts here. */
export function addRoutesForAnyPage(app: Hono<HttpEnv>, routes: Readonly<Record<string, Handlers>>): void {
  for (const [route, handlers] of Object.entries(routes))
    for (const path of [route, `${route}/`]) {
      app.use(path, async (c, next) => {
        c.env.outgoing.setHeader("Access-Control-Allow-Origin", "*");
        c.env.outgoing.setHeader("Access-Control-Allow-Methods", "GET, POST, OPTIONS");
        c.env.outgoing.setHeader("Access-Control-Allow-Headers", "Content-Type, Authorization, Mcp-Protocol-Version");
        if (c.req.method === "OPTIONS") return c.body(null, 204);
        await next();
        return undefined;
      });
      addRoute(app, path, handlers);
    }
}

export function bearerChallenge(publicUrl: string, path: string, error: string | undefined): string {
  const metadata = `${publicUrl}${RESOURCE_METADATA}${/^\/mcp\/?$/.test(path) ? "/mcp" : ""}`;
  return `Bearer ${error === undefined ? "" : `error="${error}", `}resource_metadata="${metadata}"`;
}

/** RFC 9728. @param path `/mcp` or empty */
export function resourceMetadata(publicUrl: string, path: string, issuer: string): object {
  return {
    resource: `${publicUrl}${path}`,
    authorization_servers: [issuer],
    bearer_methods_supported: ["header"],
    resource_name: "obsidian-vault-mcp-server",
  };
}
