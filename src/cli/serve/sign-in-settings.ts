/** Sign-in by the settings, and the commands `sign-in` and `tokens` (docs/sign-in.md). */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "../../clock.js";
import type { Log } from "../../log.js";
import { issuedTokens, type Issuer } from "../../server/http/sign-in/issuer.js";
import { type SignInOptions, linkFor } from "../../server/http/sign-in/sign-in.js";
import { couchStore, openFolderStore, type SignInKeyAndStore } from "../../server/http/sign-in/store.js";
import { OPTIONS, sourceOf, type Settings } from "../options/options.js";
import { stateFolder, thisPlatform } from "../places.js";
import { isLoopback, type AccessRules } from "../../server/http/guards.js";
import { isOwner } from "../../server/http/tokens.js";
import { misused } from "../options/option-kinds.js";
import { listed, publicUrl, accessRules } from "./http-access.js";
import { readTokensFile } from "./tokens-file.js";
import { randomBytes } from "node:crypto";
import { VaultError } from "../../errors.js";
import { sha256 } from "../../text/hash.js";
import { connectionOf, grantBook, type Grant } from "../../server/http/sign-in/grants.js";
import { failedOutcome, type ToolOutcome } from "../../tools/outcome.js";
import { counted } from "../../text/wording.js";

export async function signInOptions(settings: Settings, access: AccessRules): Promise<SignInOptions | undefined> {
  if (!settings.signIn) return undefined;
  const source = sourceOf("signIn", settings);
  const url = publicUrl(settings);
  if (!url) throw misused(source, "needs the address that programs elsewhere use", "Give it with --public-url.");
  if (url.protocol !== "https:" && !isLoopback(url.hostname))
    throw misused(sourceOf("publicUrl", settings), "is no https address, which sign-in needs");
  if (settings.noWeb) throw misused(source, "needs the page, which --no-web leaves out");
  if (settings.issuer !== undefined) throw misused(source, "and --issuer are both given", "Give one of them.");
  const isOwned = access.tokens.some(({ scopes }) => isOwner(scopes));
  if (!isOwned && (access.people ?? []).length === 0)
    throw misused(
      source,
      "needs a secret by which a person is known",
      "Set AUTH_TOKEN_FILE, or give a token of the tokens file the scope sign-in.",
    );
  const clock = systemClock();
  return {
    ...(await openSignInStore(settings)),
    issuer: url.origin,
    fixedClients: readTokensFile(settings).clients,
    schemes: listed(settings.redirectScheme),
    fetchesDocuments: !settings.noClientDocuments,
    now: () => clock.now(),
  };
}

export async function openSignInStore(settings: Settings): Promise<SignInKeyAndStore> {
  const { signInDatabase: database, signInKeyFile: keyFile } = settings;
  if (database !== undefined) return openDatabase(database, keyFile, settings);
  if (keyFile !== undefined)
    throw misused(
      sourceOf("signInKeyFile", settings),
      "counts only with --sign-in-database",
      "Leave it out: a key of its own is made.",
    );
  const folder = resolve(settings.stateFolder ?? stateFolder(thisPlatform(process.env)));
  try {
    return await openFolderStore(join(folder, "sign-in"));
  } catch {
    throw misused(
      sourceOf("signIn", settings),
      "needs a state folder that can be written",
      `Name one with ${OPTIONS.stateFolder.flag}.`,
    );
  }
}

async function openDatabase(
  address: string,
  keyFile: string | undefined,
  settings: Settings,
): Promise<SignInKeyAndStore> {
  const source = sourceOf("signInDatabase", settings);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname.length < 2)
    throw misused(source, "is no address of a database, such as https://user:password@couch.example/sign-in");
  if (keyFile === undefined)
    throw misused(
      source,
      "needs a key that the servers share",
      "Name its file with SIGN_IN_KEY_FILE; `openssl rand -hex 32` makes one.",
    );
  const store = couchStore(url);
  const key = readKey(keyFile, settings);
  await store.prepare().catch(() => {
    throw misused(source, "names a database that cannot be used at the moment");
  });
  return { key, store };
}

function readKey(file: string, settings: Settings): Buffer {
  const source = sourceOf("signInKeyFile", settings);
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
  } catch {
    throw misused(source, "names a file that cannot be read");
  }
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, "hex");
  throw misused(source, "names a file without 64 hexadecimal digits");
}

export function issuerOf(settings: Settings, log: Log): Issuer | undefined {
  const { issuer } = settings;
  if (issuer === undefined) return undefined;
  const source = sourceOf("issuer", settings);
  const url = publicUrl(settings);
  if (!URL.canParse(issuer) || !/^https?:$/.test(new URL(issuer).protocol)) throw misused(source, "is no address");
  if (!url) throw misused(source, "needs the address that programs elsewhere use", "Give it with --public-url.");
  const rows = readTokensFile(settings).admit;
  if (rows.length === 0)
    throw misused(
      source,
      "admits nobody by itself",
      'Say in the tokens file who may do what, under "admit"; docs/organisations.md shows how.',
    );
  const hasAliases = settings.issuerAliases;
  return issuedTokens({ issuer, publicUrl: url.origin, audiences: listed(settings.audience), rows, hasAliases, log });
}

export async function printLink(settings: Settings): Promise<ToolOutcome> {
  const url = publicUrl(settings);
  if (!url) throw misused("sign-in", "needs the address of the server", "Give it with --public-url (PUBLIC_URL).");
  const { tokens, people = [] } = accessRules(settings, true);
  const may = [...tokens.filter(({ scopes }) => isOwner(scopes)), ...people];
  const { person: wanted = may[0]?.name } = settings;
  const person = may.find(({ name }) => name === wanted);
  if (!person)
    throw misused(
      "sign-in",
      settings.person === undefined ? "needs the server's token" : "knows nobody of this name who may sign in",
      "Use the server's own settings: AUTH_TOKEN_FILE, AUTH_TOKENS_FILE.",
    );
  const { store } = await openSignInStore(settings);
  const link = await loginLink(store, url.origin, person.name);
  return {
    ok: true,
    text: `${link}\n\nIt logs one browser in as ${person.name}, once and within ten minutes.`,
    data: { link, person: person.name },
  };
}

export async function loginLink(store: SignInKeyAndStore["store"], origin: string, person: string): Promise<string> {
  const code = randomBytes(16).toString("base64url");
  await store.write("links", sha256(code), linkFor(person, systemClock().now()), undefined);
  return `${origin}/#login=${code}`;
}

export async function runTokens(words: string, settings: Settings, log: Log): Promise<ToolOutcome> {
  const [action = "", id, ...rest] = words.trim().split(/\s+/);
  const { key, store } = await openSignInStore(settings);
  const clock = systemClock();
  const grants = grantBook({ key, store, now: () => clock.now(), log });
  const { client, all } = settings;
  const meantBy = [id !== undefined, client.length > 0, all].filter(Boolean).length;
  if (action === "list" && meantBy === 0) return connectionList(await grants.list());
  if (action !== "revoke" || meantBy !== 1 || rest.length > 0)
    throw misused("tokens", "takes list, revoke <id>, revoke --client <host> or revoke --all");
  const meant = (await grants.live()).filter((grant) => all || grant.id === id || client.includes(grant.client.host));
  if (meant.length === 0)
    return failedOutcome(
      new VaultError("FILE_NOT_FOUND", "There is no such connection.", { hint: "tokens list shows those there are." }),
      "",
    );
  for (const grant of meant) await grants.revoke(grant.id);
  const count = counted(meant.length, "connection");
  return { ok: true, text: `${count} ended.`, data: { revoked: meant.map((grant) => grant.id) } };
}

function connectionList(grants: readonly Grant[]): ToolOutcome {
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  const connections = grants.map((grant) => {
    const { created, lastUsed } = grant;
    return { ...connectionOf(grant), created, lastUsed };
  });
  const lines = connections.map(
    ({ id, person, client, host, scopes, limits, created, lastUsed }) =>
      `${id}  ${host} ("${client}"), ${person}: ${scopes.join(" ")}${limits ? ` (${limits})` : ""}; since ${day(created)}, last used ${day(lastUsed)}`,
  );
  return {
    ok: true,
    text: lines.length === 0 ? "No program is connected." : lines.join("\n"),
    data: { connections },
  };
}
