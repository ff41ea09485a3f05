/** Stores sign-in's documents in CouchDB, for several servers. */
import type { StoredKind, SignInStore } from "./store.js";

const TIMEOUT_MS = 5_000;

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** @param address may hold user and password */
export function couchStore(address: URL): SignInStore & {
  /** Creates a missing database. @throws Error when it is unusable */
  prepare(): Promise<void>;
} {
  const { username, password } = address;
  const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
  const authorization = username === "" ? {} : { Authorization: `Basic ${basic}` };
  const url = address.origin + address.pathname.replace(/\/+$/, "");

  const send = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(url + path, {
      method,
      headers: { ...authorization, Accept: "application/json", "Content-Type": "application/json" },
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer["body"] };
  };

  return {
    async prepare() {
      const { status } = await send("PUT", "");
      if (status !== 201 && status !== 202 && status !== 412) throw unusable(status);
    },

    async read(kind, name) {
      const { status, body } = await send("GET", `/${idOf(kind, name)}`);
      if (status === 404) return undefined;
      if (status !== 200) throw unusable(status);
      return { value: body["value"], revision: String(body["_rev"]) };
    },

    async write(kind, name, value, expected) {
      const document = { value, ...(expected === undefined ? {} : { _rev: expected }) };
      return isChanged(await send("PUT", `/${idOf(kind, name)}`, document));
    },

    async remove(kind, name, expected) {
      return isChanged(await send("DELETE", `/${idOf(kind, name)}?rev=${encodeURIComponent(expected)}`));
    },

    async names(kind) {
      const range = `startkey=${encodeURIComponent(`"${kind}:"`)}&endkey=${encodeURIComponent(`"${kind}:\ufff0"`)}`;
      const { status, body } = await send("GET", `/_all_docs?${range}`);
      if (status !== 200 || !Array.isArray(body["rows"])) throw unusable(status);
      return (body["rows"] as { id: string }[]).map(({ id }) => id.slice(kind.length + 1));
    },
  };
}

/** 202: too few nodes have written it. */
function isChanged({ status }: Answer): boolean {
  if (status === 200 || status === 201) return true;
  if (status === 409 || status === 404) return false;
  throw unusable(status);
}

function idOf(kind: StoredKind, name: string): string {
  return encodeURIComponent(`${kind}:${name}`);
}

function unusable(status: number): Error {
  return new Error(`the database of sign-in answered ${status}`);
}
