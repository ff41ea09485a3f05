/** Whether a request comes from a page of ours that is logged in: of the right origin, with the cookie and with the key (spec: web, section 2). */
import { singleHeader, type HttpExchange } from "../exchange.js";
import { Refusal } from "../refusal.js";

const KEY_HEADER = "x-session-key";
/** Of one name: what pages of other ports may have planted is looked at too, but not without end. */
const MOST_COOKIES = 8;

export interface ShownSecrets {
  readonly cookies: readonly string[];
  readonly key: string;
}

/**
 * Browsers send the cookie to every port of the host, so an origin of this machine is not enough: it must be this very server.
 * @param publicUrl as an `Origin` header has it
 * @throws Refusal 403 for pages of other ports and sites
 */
export function checkSameOrigin({ request }: HttpExchange, publicUrl: string | undefined): void {
  const origin = singleHeader(request, "origin");
  const site = singleHeader(request, "sec-fetch-site");
  const own = [`http://${request.headers.host ?? ""}`.toLowerCase(), publicUrl];
  const isOwn = origin === undefined || (origin !== false && own.includes(origin.toLowerCase()));
  if (isOwn && (site === undefined || site === "same-origin")) return;
  const hint = "behind a proxy the server needs --public-url.";
  throw new Refusal(403, "Forbidden", `Only this server's own page may do that; ${hint}`, { closes: true });
}

/** What of a session the request shows; undefined: neither a cookie nor a key. A token that is shown beside them counts alone. */
export function shownSecrets({ request }: HttpExchange, cookieName: string): ShownSecrets | undefined {
  if (request.headers.authorization !== undefined || request.headers["x-obsiscripta-api-key"] !== undefined)
    return undefined;
  const cookies = cookiesOf(request.headers.cookie ?? "", cookieName);
  const key = singleHeader(request, KEY_HEADER);
  if (cookies.length === 0 && key === undefined) return undefined;
  return { cookies, key: typeof key === "string" ? key : "" };
}

function cookiesOf(header: string, name: string): string[] {
  const pairs = header.split(";").map((pair) => pair.trim());
  return pairs
    .filter((pair) => pair.startsWith(`${name}=`))
    .slice(0, MOST_COOKIES)
    .map((pair) => pair.slice(name.length + 1));
}
