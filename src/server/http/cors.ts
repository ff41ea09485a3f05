/** Tells browsers which headers they may send: those of the bridge document. What is enforced is in `guards.ts`, not in the browser. */
import type { ServerResponse } from "node:http";

const ON_MCP = ["Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Last-Event-ID"];

type Headers = readonly (readonly [name: string, value: string])[];

function headersFor(onMcp: boolean, wantsToken: boolean): Headers {
  const allowed = [
    "Content-Type",
    ...(onMcp || wantsToken ? ["Authorization"] : []),
    ...(wantsToken ? ["X-ObsiScripta-Api-Key"] : []),
    ...(onMcp ? ON_MCP : []),
  ];
  return [
    ["Access-Control-Allow-Origin", "*"],
    ["Access-Control-Allow-Methods", onMcp ? "GET, POST, DELETE, OPTIONS" : "GET, POST, OPTIONS"],
    ["Access-Control-Allow-Headers", allowed.join(", ")],
    ...(onMcp ? [["Access-Control-Expose-Headers", "Mcp-Session-Id"] as const] : []),
  ];
}

const HEADERS = {
  mcp: { open: headersFor(true, false), token: headersFor(true, true) },
  others: { open: headersFor(false, false), token: headersFor(false, true) },
};

/** @param wantsToken whether callers must show a token, which a page can only do when its headers are allowed */
export function allowBrowsers(response: ServerResponse, path: string, wantsToken: boolean): void {
  const { open, token } = path === "/mcp" ? HEADERS.mcp : HEADERS.others;
  for (const [name, value] of wantsToken ? token : open) response.setHeader(name, value);
}
