/** The tokens file: scopes, people, programs and subjects. */
import { isRecord } from "../../text/decoded.js";
import { readFileSync } from "node:fs";
import type { VaultRules } from "../../access/rules.js";
import { isFeedSecret } from "../../calendar/link-folder.js";
import type { FixedClient } from "../../server/http/sign-in/clients.js";
import type { IssuedRow } from "../../server/http/sign-in/issuer.js";
import { digestOf, knownScopes, type NamedToken, rightsOf, type Scopes, SCOPES } from "../../server/http/tokens.js";
import { sourceOf, type Settings } from "../options/options.js";
import { misused } from "../options/option-kinds.js";

const MIN_TOKEN = 16;

/** For a header, and hard to guess. */
export function usableToken(source: string, token: string): string {
  if (!/^[\x21-\x7e]+$/.test(token))
    throw misused(source, "holds a token with blanks or other than ASCII characters, or none");
  if (token.length < MIN_TOKEN) throw misused(source, `holds a token of fewer than ${MIN_TOKEN} characters`);
  return token;
}

export function readText(source: string, path: string): string {
  try {
    return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch {
    throw misused(source, "names a file that cannot be read");
  }
}

interface FileToken extends NamedToken {
  /** `calendar`: by its address. `sign-in`: the page, and consent. */
  readonly use: "calls" | "calendar" | "sign-in";
}

interface TokensFile {
  readonly tokens: readonly FileToken[];
  /** Registered by the owner. */
  readonly clients: readonly FixedClient[];
  /** By an issuer's tokens. */
  readonly admit: readonly IssuedRow[];
}

/**
 * `{"tokens": [{"name", "token" or "sha256", "scopes": ["read" | "write" | "sign-in" | toolset, ...] or
 * ["calendar"]}], "clients": [{"id", "name", "redirectUris", "secret" or "sha256"}], "admit": [{"name", "subject" or
 * "claim" with "value", "scopes"}]}`; each list is optional.
 */
export function readTokensFile(settings: Settings): TokensFile {
  const { tokensFile: path } = settings;
  if (path === undefined) return { tokens: [], clients: [], admit: [] };
  const source = sourceOf("tokensFile", settings);
  const wrong = (what: string) => misused(source, `names a file in which ${what}`, "docs/http.md shows its form.");
  let file: unknown;
  try {
    file = JSON.parse(readText(source, path));
  } catch (error) {
    throw error instanceof SyntaxError ? wrong("there is no JSON") : error;
  }
  const rowsOf = (name: string): readonly unknown[] => {
    const rows: unknown = isRecord(file) ? file[name] : undefined;
    if (rows === undefined && name !== "tokens") return [];
    const isMissing = rows === undefined && isRecord(file) && file["admit"] !== undefined;
    if (isMissing) return [];
    if (!Array.isArray(rows) || rows.length === 0) throw wrong(`"${name}" is no list, or empty`);
    return rows;
  };
  const read = <T>(name: string, what: string, one: (row: unknown, wrong: (what: string) => Error) => T) =>
    rowsOf(name).map((row, at) => one(row, (why) => wrong(`${what} ${at + 1} ${why}`)));
  const [stray] = isRecord(file) ? Object.keys(file).filter((name) => !LISTS.includes(name)) : [];
  if (stray !== undefined) throw wrong(`there is an unknown list ${JSON.stringify(stray)}`);
  const tokens = read("tokens", "token", (row, why) => namedToken(row, source, why));
  const admit = read("admit", "admitted row", issuedRow);
  // Names identify callers.
  for (const rows of [tokens, admit]) {
    const twice = rows.find(({ name }, at) => rows.findIndex((other) => other.name === name) !== at);
    if (twice) throw wrong(`two ${rows === tokens ? "tokens" : "admitted rows"} are called "${twice.name}"`);
  }
  return { tokens, clients: read("clients", "client", fixedClient), admit };
}

const LISTS: readonly string[] = ["tokens", "clients", "admit"] satisfies (keyof TokensFile)[];
const LIMITS = ["deny", "denyTags", "only", "allowWrite", "tools"] as const;

/** @throws for an unknown field, perhaps a misspelt limit */
function rowOf<Field extends string>(
  row: unknown,
  wrong: (what: string) => Error,
  fields: readonly Field[],
): Readonly<Partial<Record<Field, unknown>>> {
  if (!isRecord(row)) throw wrong("is no object");
  const stray = Object.keys(row).find((name) => !fields.includes(name as Field));
  if (stray === undefined) return row as Readonly<Partial<Record<Field, unknown>>>;
  throw wrong(`has an unknown field ${JSON.stringify(stray)}`);
}

const CLIENT_FIELDS = ["id", "name", "redirectUris", "secret", "sha256"] as const;

function fixedClient(row: unknown, wrong: (what: string) => Error): FixedClient {
  const { id, name = id, redirectUris, secret, sha256 } = rowOf(row, wrong, CLIENT_FIELDS);
  if (typeof id !== "string" || !/^[\w.-]{1,100}$/.test(id))
    throw wrong('needs an "id" of letters, digits, ., _ and -');
  if (typeof name !== "string" || name.length > 60) throw wrong('needs a "name" of at most 60 characters');
  const isList = Array.isArray(redirectUris) && redirectUris.length > 0;
  if (!isList || !redirectUris.every((uri) => typeof uri === "string" && URL.canParse(uri)))
    throw wrong('needs "redirectUris", a list of addresses');
  const isHash = typeof sha256 === "string" && /^[0-9a-f]{64}$/i.test(sha256);
  const secretDigest = typeof secret === "string" ? digestOf(secret) : isHash ? Buffer.from(sha256, "hex") : undefined;
  const method = secretDigest ? "client_secret_post" : "none";
  return { id, name, redirectUris: redirectUris as string[], method, secretDigest };
}

function issuedRow(row: unknown, wrong: (what: string) => Error): IssuedRow {
  const given = rowOf(row, wrong, ["name", "subject", "claim", "value", "scopes", ...LIMITS]);
  const { subject, claim = "sub", value = subject, scopes } = given;
  const name = rowName(given.name, wrong);
  if (typeof claim !== "string" || typeof value !== "string") throw wrong('needs "subject", or "claim" with "value"');
  if (Array.isArray(scopes) && scopes.includes(CALENDAR_SCOPE)) throw wrong("opens no calendar");
  return { name, claim, value, scopes: { ...scopesOf(scopes, wrong), ...limitsOf(given, wrong) } };
}

function rowName(name: unknown, wrong: (what: string) => Error): string {
  if (typeof name === "string" && /^[\w.-]{1,40}$/.test(name)) return name;
  throw wrong('needs a "name" of letters, digits, ., _ and -');
}

function namedToken(row: unknown, source: string, wrong: (what: string) => Error): FileToken {
  const given = rowOf(row, wrong, ["name", "token", "sha256", "scopes", ...LIMITS]);
  const { token, sha256, scopes } = given;
  const name = rowName(given.name, wrong);
  const isCalendar = Array.isArray(scopes) && scopes.includes(CALENDAR_SCOPE);
  if (isCalendar && typeof token === "string" && !isFeedSecret(token))
    throw wrong("opens a calendar, so it has 43 letters, digits, - and _, which an address can hold");
  const isPerson = Array.isArray(scopes) && scopes.includes(SIGN_IN_SCOPE);
  const use = isCalendar ? "calendar" : isPerson ? "sign-in" : "calls";
  const rights = isPerson ? scopes.filter((scope: unknown) => scope !== SIGN_IN_SCOPE) : scopes;
  const limits = limitsOf(given, wrong);
  if (isCalendar && Object.keys(limits).length > 0) throw wrong("opens a calendar, which takes no rules");
  const all = { ...scopesOf(rights, wrong), ...limits };
  return { name, digest: digest(token, sha256, source, wrong), scopes: all, use };
}

function limitsOf(
  { tools, ...row }: Readonly<Partial<Record<(typeof LIMITS)[number], unknown>>>,
  wrong: (what: string) => Error,
): Pick<Scopes, "rules" | "tools"> {
  const texts = (name: string, list: unknown): readonly string[] => {
    if (Array.isArray(list) && list.length > 0 && list.every((text) => typeof text === "string" && text !== ""))
      return list as string[];
    throw wrong(`has a "${name}" that is no list of texts`);
  };
  const given = (["deny", "denyTags", "only", "allowWrite"] as const).filter((name) => row[name] !== undefined);
  const rules: VaultRules = Object.fromEntries(given.map((name) => [name, texts(name, row[name])]));
  return {
    ...(given.length === 0 ? {} : { rules: [rules] }),
    ...(tools === undefined ? {} : { tools: texts("tools", tools) }),
  };
}

function digest(token: unknown, sha256: unknown, source: string, wrong: (what: string) => Error): Buffer {
  if (typeof token === "string" && sha256 === undefined) return digestOf(usableToken(source, token));
  if (token === undefined && typeof sha256 === "string" && /^[0-9a-f]{64}$/i.test(sha256))
    return Buffer.from(sha256, "hex");
  throw wrong('needs either "token" or "sha256" (64 hexadecimal digits)');
}

const CALENDAR_SCOPE = "calendar";
/** At most with the other scopes. */
const SIGN_IN_SCOPE = "sign-in";

function scopesOf(scopes: unknown, wrong: (what: string) => Error): Scopes {
  const known: readonly unknown[] = [...SCOPES, CALENDAR_SCOPE];
  if (!Array.isArray(scopes) || !scopes.every((scope) => known.includes(scope)))
    throw wrong(`needs "scopes", a list of ${known.join(", ")}`);
  if (scopes.includes(CALENDAR_SCOPE)) {
    if (scopes.length === 1) return { write: false, toolsets: [] };
    throw wrong(
      'has "calendar" next to other scopes: its secret is part of an address, so that it may open nothing else',
    );
  }
  const rights = rightsOf(knownScopes(scopes));
  if (!rights) throw wrong('needs "read" or "write" among its scopes');
  return rights;
}
