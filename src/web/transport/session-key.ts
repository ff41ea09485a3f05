/** The session's key in localStorage, obtained with a token or a one-time code (docs: web, "Who may"). */
import { WORDS } from "../words.js";
import { PAGE_WORDS } from "../page-words.js";
import { CallFailure, type PageSession } from "./transport.js";

const KEY_NAME = "session-key";

/** Removes the code of `#login=<code>` from the address, and so from the history. */
export function takeLoginCode(): string | undefined {
  const code = /^#login=(.+)$/.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, "", location.pathname);
  return code;
}

export function onSessionElsewhere(report: () => void): void {
  addEventListener("storage", ({ key, newValue }) => {
    if (key === KEY_NAME && newValue !== null) report();
  });
}

/** Without storage the key ends with the document. */
let unstored: string | undefined;

function sessionKey(): string | undefined {
  try {
    return localStorage.getItem(KEY_NAME) ?? unstored;
  } catch {
    return unstored;
  }
}

function keepKey(key: string | undefined): void {
  unstored = key;
  try {
    if (key === undefined) localStorage.removeItem(KEY_NAME);
    else localStorage.setItem(KEY_NAME, key);
  } catch {
    // Stored in memory.
  }
}

export function keyHeaders(): Record<string, string> {
  const key = sessionKey();
  return key === undefined ? {} : { "X-Session-Key": key };
}

export async function openSession(proof: { readonly code: string } | { readonly token: string }): Promise<void> {
  const response = await fetch("/web/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(proof),
  }).catch(() => {
    throw new CallFailure("unreachable", PAGE_WORDS.offline);
  });
  if (response.status === 401)
    throw new CallFailure("login", "code" in proof ? PAGE_WORDS.codeUnknown : PAGE_WORDS.tokenUnknown);
  if (response.status === 429) throw new CallFailure("login", PAGE_WORDS.tooMany);
  if (response.status === 403) throw new CallFailure("login", PAGE_WORDS.noTokens);
  // Such as a proxy's answer while the server is down.
  if (!response.ok) throw new CallFailure("unreachable", PAGE_WORDS.offline);
  const { key } = (await response.json()) as { readonly key?: string };
  // No key: no login is needed.
  if (key === undefined) return;
  keepKey(key);
  if (!navigator.cookieEnabled) throw new CallFailure("login", PAGE_WORDS.noCookies);
}

export const storedSession: PageSession = {
  isOpen: () => sessionKey() !== undefined,
  async makeLink() {
    const response = await ask("/web/codes", "POST");
    if (!response.ok) throw new CallFailure("refused", WORDS.refused);
    return ((await response.json()) as { readonly link: string }).link;
  },
  async end() {
    // An unknown session has ended already.
    await ask("/web/session", "DELETE");
    keepKey(undefined);
  },
};

async function ask(path: string, method: string): Promise<Response> {
  return await fetch(path, { method, headers: keyHeaders() }).catch(() => {
    throw new CallFailure("unreachable", PAGE_WORDS.offline);
  });
}
