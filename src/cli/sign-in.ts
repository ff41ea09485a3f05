/** The commands `sign-in`, which prints a login link, and `tokens`, which lists and ends connections. */
import { randomBytes } from "node:crypto";
import { systemClock } from "../clock.js";
import { VaultError } from "../errors.js";
import type { Log } from "../log.js";
import { sha256 } from "../text/hash.js";
import { connectionOf, grantBook, type Grant } from "../server/http/sign-in/grants.js";
import { isOwner } from "../server/http/tokens.js";
import { linkFor } from "../server/http/sign-in/sign-in.js";
import type { SignInKeyAndStore } from "../server/http/sign-in/store.js";
import { failedOutcome, type ToolOutcome } from "../tools/outcome.js";
import type { Settings } from "./options/options.js";
import { misused } from "./options/option-kinds.js";
import { accessRules, publicUrl } from "./serve/http-access.js";
import { openSignInStore } from "./serve/sign-in-settings.js";
import { counted } from "../text/plural.js";

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
      "knows nobody of this name who may sign in",
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
  if (action === "list" && meantBy === 0) return listed(await grants.list());
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

function listed(grants: readonly Grant[]): ToolOutcome {
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
