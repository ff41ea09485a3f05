/** A server that people sign in to, with a clock that tests turn, and the steps of a program and of a person that connects it. */
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { BlockList } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AccessRules } from "../../src/server/http/guards.js";
import type { HttpOptions } from "../../src/server/http/http-server.js";
import type { SignInOptions } from "../../src/server/http/sign-in/sign-in.js";
import { openFolderStore } from "../../src/server/http/sign-in/store.js";
import { digestOf, type NamedToken } from "../../src/server/http/tokens.js";
import { OPEN_ACCESS, type HttpTest, type Received } from "./http-front.js";
import { OWNER, PAGE_FILES, TOKEN, WebTest, type LoggedIn } from "./web-front.js";

export const ISSUER = "https://notes.example";
export const PERSON_TOKEN = "anna-anna-anna-anna";
/** May grant reading of tasks, and nothing else. */
export const PERSON: NamedToken = {
  name: "anna",
  digest: digestOf(PERSON_TOKEN),
  scopes: { write: false, toolsets: ["tasks"] },
};
export const REDIRECT = "https://app.example/cb";
export const FOREIGN_RESOURCE = "https://other.example/mcp";

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

/** A program: its registration, its secret half of PKCE, and the code it has got. */
export interface Connected {
  readonly clientId: string;
  readonly verifier: string;
  readonly code: string;
}

export class SignInTest {
  readonly web: WebTest;
  readonly store: string;
  /** Codes, tokens, secrets and verifiers that programs have got so far. */
  readonly secrets = new Set<string>([TOKEN]);
  readonly #base: string;
  #session: LoggedIn | undefined;

  private constructor(web: WebTest, base: string) {
    this.web = web;
    this.#base = base;
    this.store = join(base, "sign-in");
  }

  static async open(
    signIn: Partial<SignInOptions> = {},
    options: Partial<HttpOptions> = {},
    base = mkdtempSync(join(tmpdir(), "sign-in-")),
  ): Promise<SignInTest> {
    let now = () => 0;
    const keyAndStore = await openFolderStore(join(base, "sign-in"));
    const files = {
      ...PAGE_FILES,
      "consent.html": '<!doctype html><script src="/web/consent-0a1b2c3d.js"></script>\n',
    };
    const web = await WebTest.open({
      files,
      publicUrl: ISSUER,
      vault: { "Notes/Example.md": "# Example\n" },
      access: { ...OPEN_ACCESS, hosts: ["notes.example"], origins: [ISSUER], tokens: [OWNER], people: [PERSON] },
      signIn: { ...keyAndStore, issuer: ISSUER, fixedClients: [], schemes: [], now: () => now(), ...signIn },
      ...options,
    });
    now = () => web.now();
    return new SignInTest(web, base);
  }

  get http(): HttpTest {
    return this.web.http;
  }

  send(path: string, about?: Parameters<HttpTest["send"]>[1]): Promise<Received> {
    return this.http.send(path, about);
  }

  post(path: string, fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) {
    const body = new URLSearchParams(fields).toString();
    const type = { "Content-Type": "application/x-www-form-urlencoded" };
    return this.#noted(this.send(path, { body, headers: { ...type, ...headers } }));
  }

  async #noted(answer: Promise<Received>): Promise<Received> {
    const { text } = await answer;
    for (const [, secret = ""] of text.matchAll(/"(?:access_token|refresh_token|client_secret)":"([^"]+)"/g))
      this.secrets.add(secret);
    return answer;
  }

  /** What is logged, counted and stored, the key excepted: where no secret may be. */
  async traces(): Promise<readonly string[]> {
    const metrics = await this.send("/metrics", { headers: { Authorization: `Bearer ${TOKEN}` } });
    const files = readdirSync(this.store, { recursive: true, withFileTypes: true });
    const stored = files.filter((entry) => entry.isFile() && entry.name !== "key");
    const texts = stored.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
    return [metrics.text, ...this.http.logged, ...texts];
  }

  async register(redirectUris: readonly string[] = [REDIRECT], more: object = {}): Promise<string> {
    const metadata = { redirect_uris: redirectUris, token_endpoint_auth_method: "none", ...more };
    const answer = await this.#noted(this.send("/register", { body: metadata }));
    if (answer.status !== 201) throw new Error(answer.text);
    return (JSON.parse(answer.text) as { client_id: string }).client_id;
  }

  async person(token = TOKEN): Promise<Record<string, string>> {
    if (token === TOKEN) this.#session ??= await this.web.loggedIn();
    const session = token === TOKEN && this.#session ? this.#session : await this.web.loggedIn({ token });
    return { Cookie: session.cookie, "X-Session-Key": session.key, Origin: ISSUER, "Sec-Fetch-Site": "same-origin" };
  }

  query(
    clientId: string,
    more: Readonly<Record<string, string>> = {},
  ): { readonly text: string; readonly verifier: string } {
    const verifier = randomBytes(32).toString("base64url");
    this.secrets.add(verifier);
    const given = {
      response_type: "code",
      client_id: clientId,
      redirect_uri: REDIRECT,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      state: "a state",
      ...more,
    };
    return { text: new URLSearchParams(given).toString(), verifier };
  }

  async consent(query: string, decision: object = {}, headers?: Readonly<Record<string, string>>) {
    const answer = await this.send("/web/authorizations", {
      body: { query, ...decision },
      headers: headers ?? (await this.person()),
    });
    return { status: answer.status, body: JSON.parse(answer.text) as Record<string, unknown> };
  }

  async connect(
    scopes: readonly string[] = ["read", "write", "tasks", "notes", "files"],
    more: Readonly<Record<string, string>> = {},
    chosen: object = {},
  ): Promise<Connected> {
    const clientId = await this.register();
    const { text, verifier } = this.query(clientId, more);
    const { body: shown } = await this.consent(text);
    const decision = { digest: shown["digest"], allow: true, scopes, ...chosen };
    const { status, body } = await this.consent(text, decision);
    const code = new URL(String(body["redirect"])).searchParams.get("code");
    if (status !== 200 || code === null) throw new Error(JSON.stringify(body));
    this.secrets.add(code);
    return { clientId, verifier, code };
  }

  redeem({ clientId, verifier, code }: Connected, more: Readonly<Record<string, string>> = {}): Promise<Received> {
    const fields = { grant_type: "authorization_code", client_id: clientId, redirect_uri: REDIRECT, code };
    return this.post("/token", { ...fields, code_verifier: verifier, ...more });
  }

  refresh(clientId: string, token: string, more: Readonly<Record<string, string>> = {}): Promise<Received> {
    return this.post("/token", { grant_type: "refresh_token", client_id: clientId, refresh_token: token, ...more });
  }

  async tokens(
    scopes?: readonly string[],
    more?: Readonly<Record<string, string>>,
    chosen?: object,
  ): Promise<Tokens & { clientId: string }> {
    const connected = await this.connect(scopes, more, chosen);
    const answer = await this.redeem(connected);
    if (answer.status !== 200) throw new Error(answer.text);
    return { ...(JSON.parse(answer.text) as Tokens), clientId: connected.clientId };
  }

  /** From a person's consent to tokens with all that the person may grant. @param headers the person's */
  async tokensOf(headers: Readonly<Record<string, string>>): Promise<Tokens> {
    const { text, verifier } = this.query(await this.register());
    const { body: shown } = await this.consent(text, {}, headers);
    const decision = { digest: shown["digest"], allow: true, scopes: shown["choices"] };
    const { body } = await this.consent(text, decision, headers);
    const code = new URL(String(body["redirect"])).searchParams.get("code") ?? "";
    const clientId = new URLSearchParams(text).get("client_id") ?? "";
    return JSON.parse((await this.redeem({ clientId, verifier, code })).text) as Tokens;
  }

  async statusOf(token: string): Promise<number> {
    return (await this.http.rpc("ping", {}, { Authorization: `Bearer ${token}` })).status;
  }

  async close({ keepsStore = false } = {}): Promise<void> {
    await this.web.close();
    if (!keepsStore) rmSync(this.#base, { recursive: true, force: true });
  }
}

export const errorOf = ({ text }: Received): unknown => (JSON.parse(text) as { error?: unknown }).error;

/** Callers have the address that a trusted proxy names. */
export function behindProxy(): AccessRules {
  const proxies = new BlockList();
  proxies.addAddress("127.0.0.1");
  return { ...OPEN_ACCESS, tokens: [OWNER], people: [PERSON], hosts: ["notes.example"], origins: [ISSUER], proxies };
}
