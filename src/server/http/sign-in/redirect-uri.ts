/** Which redirect URIs clients may register and use (docs: sign-in, "Redirect URIs"). */

const MAX_LENGTH = 2048;
/** Of well-known programs; other app schemes need a dot. */
const KNOWN_SCHEMES = new Set(["cursor", "vscode", "vscode-insiders", "windsurf", "claude"]);
const LOOPBACK = new Set(["127.0.0.1", "[::1]", "localhost"]);

export type RedirectKind = "https" | "loopback" | "app";

/** Undefined for an invalid one. @param schemes additional app schemes */
export function redirectKind(text: string, schemes: readonly string[] = []): RedirectKind | undefined {
  if (text.length > MAX_LENGTH || !/^[\x21-\x7e]+$/.test(text) || text.includes("\\") || !URL.canParse(text))
    return undefined;
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (username !== "" || password !== "" || hash !== "" || text.includes("#")) return undefined;
  if (protocol === "https:") return /^https:\/\/[^/]/i.test(text) && hostname !== "" ? "https" : undefined;
  if (protocol === "http:") return /^http:\/\/[^/]/i.test(text) && LOOPBACK.has(hostname) ? "loopback" : undefined;
  const scheme = protocol.slice(0, -1);
  const isApp =
    KNOWN_SCHEMES.has(scheme) || schemes.includes(scheme) || /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+$/.test(scheme);
  return isApp ? "app" : undefined;
}

/** Compares exactly, except for the port on this device, which programs choose at each start (RFC 8252). */
export function isRegistered(asked: string, registered: readonly string[]): boolean {
  if (registered.includes(asked)) return true;
  if (redirectKind(asked) !== "loopback") return false;
  return registered.some((one) => redirectKind(one) === "loopback" && withoutPort(one) === withoutPort(asked));
}

function withoutPort(uri: string): string {
  return uri.replace(/^(http:\/\/(?:\[::1\]|[^/:?]+)):\d{1,5}(?=[/?]|$)/i, "$1");
}

/** The host in ASCII, so that no letter passes for another. */
export function shownHost(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  return /^https?:$/.test(protocol) ? host : protocol;
}
