/** The authorization server (docs: sign-in). No address comes from a request. */
import { isRecord } from "../../../text/decoded.js";
import type { EpochMilliseconds } from "../../../clock.js";
import type { IncomingMessage } from "node:http";
import type { Handler, Hono } from "hono";
import type { Log } from "../../../log.js";
import { traceOf } from "../../../tools/outcome.js";
import { parseBody, readBody } from "../body.js";
import { addRoute, rawQuery, type HttpContext, type HttpEnv } from "../context.js";
import { addressOf, type AccessRules, type AccessTokens, type Caller, RateLimit } from "../guards.js";
import { Refusal, tooManyRequests } from "../refusal.js";
import { askedScopes, isOwner, type Limits, rightsOf, rulesOf, type Scopes, SCOPES } from "../tokens.js";
import {
  answerAuthorization,
  type AuthorizationContext,
  checkAuthorization,
  isOurs,
  readParameters,
} from "./authorization.js";
import { ClientDocuments, type DocumentNetwork } from "./client-documents.js";
import { AUTH_METHODS, clientRegistry, type Clients, type FixedClient } from "./clients.js";
import { ACCESS_LIFE_MS, connectionOf, grantBook, type Grants, hasTokenForm, type Grant } from "./grants.js";
import {
  OAuthError,
  SERVER_METADATA,
  RESOURCE_METADATA,
  addRoutesForAnyPage,
  answersOAuth,
  bearerChallenge,
  resourceMetadata,
  type ConsentPage,
  type SignInRoutes,
} from "./paths.js";
import type { SignInKeyAndStore } from "./store.js";

export interface SignInOptions extends SignInKeyAndStore {
  readonly issuer: string;
  readonly fixedClients: readonly FixedClient[];
  readonly schemes: readonly string[];
  /** Default true. */
  readonly fetchesDocuments?: boolean;
  readonly network?: DocumentNetwork;
  /** @param name who calls by which program */
  readonly onCall?: ((name: string) => void) | undefined;
  readonly now: () => EpochMilliseconds;
}

interface SignInContext extends SignInOptions {
  readonly access: AccessRules;
  readonly folders: (person: Caller) => Promise<readonly string[]>;
  readonly log: Log;
}

/** Per address. */
const REGISTER_RATE = { perMinute: 30, burst: 30 };
const TOKEN_RATE = { perMinute: 60, burst: 60 };
const MAX_BODY = 16 * 1024;
const LINK_LIFE_MS = 10 * 60_000;

export class SignIn implements AccessTokens, SignInRoutes {
  readonly #context: SignInContext;
  readonly #clients: Clients;
  readonly #grants: Grants;
  readonly #authorization: AuthorizationContext;
  readonly #requests = new RateLimit(REGISTER_RATE);
  readonly #exchanges = new RateLimit(TOKEN_RATE);

  constructor(context: SignInContext) {
    this.#context = context;
    const { key, store, now, log, issuer, fixedClients: fixed, schemes, fetchesDocuments = true, network } = context;
    const { folders } = context;
    const documents = fetchesDocuments ? new ClientDocuments(now, network) : undefined;
    this.#clients = clientRegistry({ key, fixed, documents, schemes });
    this.#grants = grantBook({ key, store, now, log });
    this.#authorization = { issuer, clients: this.#clients, grants: this.#grants, folders, log };
  }

  addRoutes(app: Hono<HttpEnv>, page: ConsentPage | undefined): void {
    if (!page) return;
    const metadata: Handler<HttpEnv> = (c) => c.json(this.#metadata());
    addRoutesForAnyPage(app, {
      [SERVER_METADATA]: { GET: metadata },
      [`${SERVER_METADATA}/mcp`]: { GET: metadata },
      [RESOURCE_METADATA]: { GET: (c) => c.json(this.#resource("")) },
      [`${RESOURCE_METADATA}/mcp`]: { GET: (c) => c.json(this.#resource("/mcp")) },
      "/register": { POST: answersOAuth("invalid_client_metadata", (c) => this.#register(c)) },
      "/token": { POST: answersOAuth("invalid_request", (c) => this.#token(c)) },
      "/revoke": { POST: answersOAuth("invalid_request", (c) => this.#revoke(c)) },
    });
    for (const path of ["/authorize", "/authorize/"]) addRoute(app, path, { GET: (c) => this.#authorize(c, page) });
    addRoute(app, "/web/authorizations", { POST: (c) => this.#consent(c, page) });
    addRoute(app, "/web/connections", { GET: (c) => this.#connections(c, page) });
    addRoute(app, "/web/connections/:id", { DELETE: (c) => this.#disconnect(c, page) });
  }

  challenge(path: string, error?: string, scope = "read write"): string {
    return `${bearerChallenge(this.#context.issuer, path, error)}, scope="${scope}"`;
  }

  /** @throws Refusal 503 */
  async callerOf(token: string): Promise<Caller | undefined> {
    const grant = await this.#available(() => this.#grants.find(token));
    const person = grant && this.#people().find(({ name }) => name === grant.person);
    // Their current rights count.
    const rights = grant && rightsOf(grant.scopes);
    if (!person || !rights || grant.resource !== this.#context.issuer) return undefined;
    const id = `grant ${grant.id} ${grant.scopes.join(" ")}`;
    const scopes = intersection(rights, person.scopes, grant.limits);
    const name = `${grant.person} via ${grant.client.name}`;
    this.#context.onCall?.(name);
    return {
      id,
      name,
      scopes,
      isStillValid: async () => (await this.callerOf(token))?.id === id,
      stepUp: (scope) => this.#stepUp(grant, scope),
    };
  }

  isIssuedForm(token: string): boolean {
    return hasTokenForm(token);
  }

  #stepUp({ asked, scopes }: Grant, needed: string): string | undefined {
    if (asked.some((scope) => scope === needed)) return undefined;
    return this.challenge("/mcp", "insufficient_scope", [...scopes, needed].join(" "));
  }

  /** Uses up the link. @throws Refusal 503 */
  async redeemLink(name: string): Promise<Caller | undefined> {
    const { store, now } = this.#context;
    const link = await this.#available(() => store.read("links", name));
    if (!link || !isRecord(link.value) || !(await this.#available(() => store.remove("links", name, link.revision))))
      return undefined;
    const { person, until } = link.value;
    const token = this.#people().find((one) => one.name === person);
    return typeof until === "number" && now() < until ? token : undefined;
  }

  #people() {
    const { tokens, people = [] } = this.#context.access;
    return [...tokens.filter(({ scopes }) => isOwner(scopes)), ...people];
  }

  #metadata(): object {
    const { issuer, fetchesDocuments = true } = this.#context;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      revocation_endpoint: `${issuer}/revoke`,
      scopes_supported: SCOPES,
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      token_endpoint_auth_methods_supported: AUTH_METHODS,
      revocation_endpoint_auth_methods_supported: AUTH_METHODS,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      ...(fetchesDocuments ? { client_id_metadata_document_supported: true } : {}),
    };
  }

  #resource(path: string): object {
    const { issuer } = this.#context;
    return { ...resourceMetadata(issuer, path, issuer), scopes_supported: SCOPES };
  }

  async #register(c: HttpContext): Promise<Response> {
    this.#take(this.#requests, c, "register");
    return c.json(this.#clients.register(parseBody(await readBody(c, MAX_BODY))), 201);
  }

  /** Faulty requests are never redirected. */
  async #authorize(c: HttpContext, page: ConsentPage): Promise<Response> {
    this.#take(this.#requests, c, "authorize");
    try {
      checkAuthorization(rawQuery(c.env.incoming).slice(1), this.#authorization);
    } catch (error) {
      if (error instanceof OAuthError) return c.html(faultPage(error), 400);
      throw error;
    }
    return page.serveConsent(c);
  }

  async #consent(c: HttpContext, page: ConsentPage): Promise<Response> {
    const person = this.#grantor(c, page);
    const body = parseBody(await readBody(c, MAX_BODY));
    try {
      return c.json(await this.#available(() => answerAuthorization(body, person, this.#authorization)));
    } catch (error) {
      // 401 would mean a missing login.
      if (error instanceof OAuthError && error.code === "invalid_client") return c.json(error.body(), 400);
      throw error;
    }
  }

  #grantor(c: HttpContext, page: ConsentPage): Caller {
    const caller = page.personOf(c.env.incoming);
    if (this.#people().some(({ name }) => name === caller.name)) return caller;
    throw new Refusal(403, "Forbidden", "This token may not connect other programs: it needs the scope sign-in.");
  }

  async #connections(c: HttpContext, page: ConsentPage): Promise<Response> {
    const caller = this.#grantor(c, page);
    const grants = await this.#available(() => this.#grants.list());
    const connections = grants.filter(({ person }) => person === caller.name || isOwner(caller.scopes)).map(withDates);
    return c.json({ connections });
  }

  async #disconnect(c: HttpContext, page: ConsentPage): Promise<Response> {
    const caller = this.#grantor(c, page);
    const id = c.req.param("id") ?? "";
    const grant = (await this.#available(() => this.#grants.list())).find((one) => one.id === id);
    const isTheirs = grant && (grant.person === caller.name || isOwner(caller.scopes));
    if (!isTheirs || !(await this.#available(() => this.#grants.revoke(id))))
      throw new Refusal(404, "Not found", "There is no such connection.");
    return c.body(null, 204);
  }

  async #token(c: HttpContext): Promise<Response> {
    const given = readParameters((await readBody(c, MAX_BODY, assertForm)).toString("utf8"));
    const type = given.get("grant_type");
    this.#take(this.#exchanges, c, type === "refresh_token" ? "refresh" : "code");
    const clientId = this.#authenticate(c, given);
    if (!isOurs(given.get("resource"), this.#context.issuer))
      throw new OAuthError("invalid_target", "The resource is another server.");
    const issued = await this.#available(() => this.#exchange(type, given, clientId));
    return c.json(
      {
        access_token: issued.accessToken,
        token_type: "Bearer",
        expires_in: ACCESS_LIFE_MS / 1000,
        refresh_token: issued.refreshToken,
        scope: issued.scopes.join(" "),
      },
      200,
      { Pragma: "no-cache" },
    );
  }

  #exchange(type: string | undefined, given: ReadonlyMap<string, string>, clientId: string) {
    if (type === undefined) throw new OAuthError("invalid_request", "grant_type is needed.");
    if (type === "authorization_code") return this.#redeem(given, clientId);
    const token = given.get("refresh_token");
    if (type !== "refresh_token")
      throw new OAuthError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.");
    if (token === undefined) throw new OAuthError("invalid_request", "refresh_token is needed.");
    const scope = given.get("scope");
    return this.#grants.refresh(token, clientId, scope === undefined ? undefined : askedScopes(scope));
  }

  async #redeem(given: ReadonlyMap<string, string>, clientId: string) {
    const [code, verifier, redirectUri = ""] = ["code", "code_verifier", "redirect_uri"].map((name) => given.get(name));
    // Without its verifier a code is stolen.
    if (code !== undefined && verifier === undefined)
      await this.#grants.redeem(code, { clientId, verifier: "", redirectUri }).catch(refusalOnly);
    if (code === undefined || verifier === undefined)
      throw new OAuthError("invalid_request", "code and code_verifier are needed.");
    return this.#grants.redeem(code, { clientId, verifier, redirectUri });
  }

  /** RFC 7009: the same answer for any token. */
  async #revoke(c: HttpContext): Promise<Response> {
    const given = readParameters((await readBody(c, MAX_BODY, assertForm)).toString("utf8"));
    this.#take(this.#exchanges, c, "revoke");
    const clientId = this.#authenticate(c, given);
    await this.#available(() => this.#grants.revokeToken(given.get("token") ?? "", clientId));
    return c.body(null, 200);
  }

  #authenticate(c: HttpContext, given: ReadonlyMap<string, string>): string {
    const basic = /^Basic +([\w+/=-]+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
    const [user, ...secret] = basic === undefined ? [] : Buffer.from(basic, "base64").toString("utf8").split(":");
    const id = given.get("client_id") ?? (user === undefined ? undefined : decoded(user));
    if (id === undefined) throw new OAuthError("invalid_request", "client_id is needed.");
    const isTwice = user !== undefined && ((given.get("client_secret") ?? "") !== "" || decoded(user) !== id);
    if (isTwice) throw new OAuthError("invalid_request", "The client authenticates in two ways; use one of them.");
    // Those have no secret.
    if (this.#clients.isDocument(id)) return id;
    const shown = user === undefined ? given.get("client_secret") : decoded(secret.join(":"));
    if (this.#clients.isAuthentic(this.#clients.known(id), shown)) return id;
    throw new OAuthError("invalid_client", "The client's secret is missing or wrong.");
  }

  #take(limit: RateLimit, c: HttpContext, what: string): void {
    const wait = limit.take(`${what} ${addressOf(c.env.incoming, this.#context.access.proxies)}`);
    if (wait > 0) throw tooManyRequests(wait);
  }

  /** An unreachable store lets nobody in. */
  async #available<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Refusal) throw error;
      this.#context.log.error("Sign-in: its store cannot be used", traceOf(error));
      throw new OAuthError("temporarily_unavailable", "Sign-in cannot be used at the moment.", { "Retry-After": "5" });
    }
  }
}

function withDates(grant: Grant) {
  const [created, lastUsed, until] = [grant.created, grant.lastUsed, grant.until].map((at) =>
    new Date(at).toISOString(),
  );
  return { ...connectionOf(grant), created, lastUsed, until };
}

/** A grant names no tools. */
function intersection(one: Scopes, other: Scopes, limits: Limits | undefined): Scopes {
  const { toolsets = other.toolsets } = one;
  return {
    write: one.write && other.write,
    toolsets: toolsets?.filter((toolset) => other.toolsets?.includes(toolset) ?? true),
    tools: other.tools,
    rules: limits ? [...(other.rules ?? []), rulesOf(limits)] : other.rules,
  };
}

export function linkFor(person: string, now: number): { readonly person: string; readonly until: number } {
  return { person, until: now + LINK_LIFE_MS };
}

function refusalOnly(error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
}

function assertForm({ headers }: IncomingMessage): void {
  if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers["content-type"] ?? "")) return;
  throw new OAuthError("invalid_request", "The body must be application/x-www-form-urlencoded.");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

function faultPage({ code, message }: OAuthError): string {
  const safe = message.replaceAll(/[&<>"]/g, (letter) => `&#${letter.codePointAt(0)};`);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign-in failed</title><h1>Sign-in failed</h1><p>${safe}</p><p><code>${code}</code></p></html>`;
}
