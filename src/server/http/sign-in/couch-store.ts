/** Stores sign-in's documents in a CouchDB database, for several servers. */
import type { StoredKind, SignInStore } from "./store.js";

const TIMEOUT_MS = 5_000;

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export class CouchStore implements SignInStore {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** @param address may hold user and password */
  constructor(address: URL) {
    const { username, password } = address;
    const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
    this.#headers = username === "" ? {} : { Authorization: `Basic ${basic}` };
    this.#url = address.origin + address.pathname.replace(/\/+$/, "");
  }

  /** Creates a missing database. @throws Error when it is unusable */
  async prepare(): Promise<void> {
    const { status } = await this.#send("PUT", "");
    if (status !== 201 && status !== 202 && status !== 412) throw unusable(status);
  }

  async read(kind: StoredKind, name: string) {
    const { status, body } = await this.#send("GET", `/${idOf(kind, name)}`);
    if (status === 404) return undefined;
    if (status !== 200) throw unusable(status);
    return { value: body["value"], revision: String(body["_rev"]) };
  }

  async write(kind: StoredKind, name: string, value: unknown, expected: string | undefined): Promise<boolean> {
    const document = { value, ...(expected === undefined ? {} : { _rev: expected }) };
    return this.#changed(await this.#send("PUT", `/${idOf(kind, name)}`, document));
  }

  async remove(kind: StoredKind, name: string, expected: string): Promise<boolean> {
    return this.#changed(await this.#send("DELETE", `/${idOf(kind, name)}?rev=${encodeURIComponent(expected)}`));
  }

  async names(kind: StoredKind): Promise<readonly string[]> {
    const range = `startkey=${encodeURIComponent(`"${kind}:"`)}&endkey=${encodeURIComponent(`"${kind}:\ufff0"`)}`;
    const { status, body } = await this.#send("GET", `/_all_docs?${range}`);
    if (status !== 200 || !Array.isArray(body["rows"])) throw unusable(status);
    return (body["rows"] as { id: string }[]).map(({ id }) => id.slice(kind.length + 1));
  }

  /** 202: too few nodes have written it. */
  #changed({ status }: Answer): boolean {
    if (status === 200 || status === 201) return true;
    if (status === 409 || status === 404) return false;
    throw unusable(status);
  }

  async #send(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(this.#url + path, {
      method,
      headers: { ...this.#headers, Accept: "application/json", "Content-Type": "application/json" },
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer["body"] };
  }
}

function idOf(kind: StoredKind, name: string): string {
  return encodeURIComponent(`${kind}:${name}`);
}

function unusable(status: number): Error {
  return new Error(`the database of sign-in answered ${status}`);
}
