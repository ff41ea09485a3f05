/** What browsers are told they may send: the bridge document's headers. What is obeyed is decided in `guards.ts`, not in the browser. */
import type { ServerResponse } from "node:http";

const ON_MCP = ["Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Last-Event-ID"];

/** @param wantsToken whether callers must show a token, which a page can only do when its headers are allowed */
export function allowBrowsers(response: ServerResponse, path: string, wantsToken: boolean): void {
  const onMcp = path === "/mcp";
  const headers = [
    "Content-Type",
    ...(onMcp || wantsToken ? ["Authorization"] : []),
    ...(wantsToken ? ["X-ObsiScripta-Api-Key"] : []),
    ...(onMcp ? ON_MCP : []),
  ];
  response.setHeader("Access-Control-Allow-Origin", "*");
  response.setHeader("Access-Control-Allow-Methods", onMcp ? "GET, POST, DELETE, OPTIONS" : "GET, POST, OPTIONS");
  response.setHeader("Access-Control-Allow-Headers", headers.join(", "));
  if (onMcp) response.setHeader("Access-Control-Expose-Headers", "Mcp-Session-Id");
}
