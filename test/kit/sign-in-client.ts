/** What a person and a program do to connect: the page's steps without a browser, and what an official client keeps. */
import { createServer, type AddressInfo } from "node:net";
import { expect } from "vitest";

/** No web page listens there: what is sent to it is read from the address. */
export const REDIRECT = "http://127.0.0.1:9/callback";

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Logs in on the page, and agrees to what is shown. @returns where the program is sent */
export async function agreed(base: string, address: URL, proof: object, send: typeof fetch = fetch): Promise<URL> {
  expect((await send(address)).status).toBe(200);
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const sent = { "Content-Type": "application/json", Origin: base, ...headers };
    return send(base + path, { method: "POST", headers: sent, body: JSON.stringify(body) });
  };
  const login = await post("/web/session", proof);
  const { key } = (await login.json()) as { key: string };
  const session = { Cookie: (login.headers.get("set-cookie") ?? "").split(";")[0] ?? "", "X-Session-Key": key };
  const query = address.search.slice(1);
  const shown = (await (await post("/web/authorizations", { query }, session)).json()) as Record<string, unknown>;
  const decision = { query, digest: shown["digest"], allow: true, scopes: shown["choices"], days: 30 };
  const { redirect } = (await (await post("/web/authorizations", decision, session)).json()) as { redirect: string };
  return new URL(redirect);
}

/** Keeps in memory what a program stores, and what it was sent to. */
export class Memory {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = { client_name: "A client", redirect_uris: [REDIRECT], token_endpoint_auth_method: "none" };
  address: URL | undefined;
  #client: unknown;
  #tokens: unknown;
  #verifier = "";

  clientInformation = () => this.#client as never;
  saveClientInformation = (client: unknown) => void (this.#client = client);
  tokens = () => this.#tokens as never;
  saveTokens = (tokens: unknown) => void (this.#tokens = tokens);
  redirectToAuthorization = (address: URL) => void (this.address = address);
  codeVerifier = () => this.#verifier;
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier);
}
