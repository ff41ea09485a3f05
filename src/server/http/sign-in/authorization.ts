/**
 * Authorization requests and the answer, with nothing stored in between (docs: sign-in, "The authorization
 * server").
 */
import { isRecord } from "../../../text/decoded.js";
import type { Log } from "../../../log.js";
import { sha256 } from "../../../text/hash.js";
import type { Caller } from "../guards.js";
import { Refusal } from "../refusal.js";
import { usableAddress } from "./client-documents.js";
import { type Client, type Clients, isRegistered, redirectKind, shownHost } from "./clients.js";
import { MAX_GRANT_DAYS, type Grants } from "./grants.js";
import { readLimits, askedScopes, grantable, knownScopes, type Scope } from "../tokens.js";
import { OAuthError } from "./paths.js";

/** Bytes. */
const MAX_PARAMETER = 4096;

/** Each once (RFC 6749, section 3.1). */
export function readParameters(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (found.has(name)) throw invalid("A parameter is given twice.");
    if (Buffer.byteLength(value) > MAX_PARAMETER) throw invalid(`A parameter may have at most ${MAX_PARAMETER} bytes.`);
    found.set(name, value);
  }
  return found;
}

export function isOurs(resource: string | undefined, issuer: string): boolean {
  return resource === undefined || [issuer, `${issuer}/`, `${issuer}/mcp`, `${issuer}/mcp/`].includes(resource);
}

type AuthorizationRequest = Readonly<ReturnType<typeof readRequest>>;

function readRequest(query: string, issuer: string) {
  const given = readParameters(query);
  const [clientId, redirectUri, challenge] = ["client_id", "redirect_uri", "code_challenge"].map((name) =>
    given.get(name),
  );
  const state = given.get("state");
  if (clientId === undefined || redirectUri === undefined) throw invalid("client_id and redirect_uri are needed.");
  if (given.get("response_type") !== "code")
    throw new OAuthError("unsupported_response_type", "response_type must be code.");
  if ((given.get("response_mode") ?? "query") !== "query") throw invalid("response_mode must be query.");
  if (challenge === undefined || !/^[\w-]{43}$/.test(challenge) || given.get("code_challenge_method") !== "S256")
    throw invalid("PKCE is needed: code_challenge with code_challenge_method=S256.");
  if (state !== undefined && !/^[\x20-\x7e]*$/.test(state))
    throw invalid("state holds other than printable ASCII characters.");
  if (!isOurs(given.get("resource"), issuer)) throw new OAuthError("invalid_target", "The resource is another server.");
  return { clientId, redirectUri, asked: askedScopes(given.get("scope")), state, challenge };
}

function invalid(message: string): OAuthError {
  return new OAuthError("invalid_request", message);
}

export interface AuthorizationContext {
  readonly issuer: string;
  readonly clients: Clients;
  readonly grants: Grants;
  /** The empty name: files outside of folders. */
  readonly folders: (person: Caller) => Promise<readonly string[]>;
  readonly log: Log;
}

/** Before login, so it fetches nothing. */
export function checkAuthorization(query: string, { issuer, clients }: AuthorizationContext): AuthorizationRequest {
  const request = readRequest(query, issuer);
  if (clients.isDocument(request.clientId)) usableAddress(request.clientId);
  else assertRegistered(request, clients.known(request.clientId));
  return request;
}

/**
 * @param body `{query, fetch?}`; for a decision also `{digest, allow, scopes, limits?, days?}`
 * @throws OAuthError; Refusal 403 for what the person may not grant, 409 when something else was shown
 */
export async function answerAuthorization(
  body: unknown,
  person: Caller,
  context: AuthorizationContext,
): Promise<Readonly<Record<string, unknown>>> {
  if (!isRecord(body) || typeof body["query"] !== "string") throw invalid("The body must hold the query.");
  const request = checkAuthorization(body["query"], context);
  let client: Client;
  try {
    client = await context.clients.find(request.clientId, body["fetch"] === true);
  } catch (error) {
    if (!(error instanceof OAuthError) || error.code !== "consent_to_fetch") throw error;
    return { fetchFrom: new URL(request.clientId).host };
  }
  assertRegistered(request, client);
  const choices = grantable(request.asked, person.scopes);
  const shown = {
    host: shownHost(request.redirectUri),
    isOnDevice: redirectKind(request.redirectUri) !== "https",
    name: client.name,
    person: person.name,
    choices,
    maxDays: MAX_GRANT_DAYS,
  };
  const digest = sha256(JSON.stringify([shown, request, client.id]));
  if (body["allow"] === undefined) return { ...shown, folders: await context.folders(person), digest };
  if (body["digest"] !== digest)
    throw new Refusal(409, "Conflict", "The request has changed since it was shown. Look at it again.");
  return { redirect: await decide(request, client, person, choices, body, context) };
}

async function decide(
  request: AuthorizationRequest,
  client: Client,
  person: Caller,
  choices: readonly Scope[],
  { allow, scopes: given, limits: limited, days }: Readonly<Record<string, unknown>>,
  { issuer, grants, log }: AuthorizationContext,
): Promise<string> {
  const host = shownHost(request.redirectUri);
  if (allow !== true) {
    log.info("Sign-in: consent refused", { person: person.name, client: client.name, host });
    return redirectTo(request, issuer, { error: "access_denied" });
  }
  const wanted: readonly unknown[] = Array.isArray(given) ? given : [];
  const scopes = knownScopes(wanted);
  const isWithin = scopes.length === wanted.length && scopes.every((scope) => choices.includes(scope));
  if (!isWithin || !scopes.includes("read"))
    throw new Refusal(403, "Forbidden", "That is more than the client asked for, or than you may grant.");
  // They only narrow.
  const limits = readLimits(limited);
  if (limited !== undefined && !limits) throw invalid("The limits cannot be read.");
  const code = await grants.begin({
    person: person.name,
    client: { id: client.id, name: client.name, host },
    resource: issuer,
    scopes,
    limits,
    asked: request.asked,
    days: typeof days === "number" && days > 0 ? days : MAX_GRANT_DAYS,
    challenge: request.challenge,
    redirectUri: request.redirectUri,
  });
  return redirectTo(request, issuer, { code });
}

/** With `iss` (RFC 9207). */
function redirectTo(
  { redirectUri, state }: AuthorizationRequest,
  issuer: string,
  answer: Readonly<Record<string, string>>,
): string {
  const more = new URLSearchParams({
    ...answer,
    ...(state === undefined ? {} : { state }),
    iss: issuer,
  });
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${more.toString()}`;
}

function assertRegistered({ redirectUri }: AuthorizationRequest, client: Client): void {
  if (!isRegistered(redirectUri, client.redirectUris))
    throw invalid("This redirect_uri is not one that the client has registered.");
}
