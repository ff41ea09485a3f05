/** The headers under which a browser shows the page (spec: web, section 1): it runs its own files only, and is neither framed nor read by others. */
import type { ServerResponse } from "node:http";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const HEADERS = [
  ["Content-Security-Policy", POLICY],
  ["Referrer-Policy", "no-referrer"],
  ["Cross-Origin-Opener-Policy", "same-origin"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
] as const;

/** For all that the page is made of and asks for, its refusals too. */
export function setPageHeaders(response: ServerResponse): void {
  for (const [name, value] of HEADERS) response.setHeader(name, value);
}
