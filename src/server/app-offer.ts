/**
 * Which peers are offered the tasks app: those that support it, except known failing ones (docs: mcp-app, "The App").
 */
import type { Peer } from "./feature.js";

export interface AppOffer {
  /** `on`: every peer that introduces itself. */
  readonly mode: "auto" | "on";
  readonly carrier: "stdio" | "streamable-http";
  readonly read: () => Promise<string | undefined>;
}

export const APP_EXTENSION = "io.modelcontextprotocol/ui";
export const APP_MEDIA_TYPE = "text/html;profile=mcp-app";

interface EmptyFrame {
  readonly client: string;
  readonly carrier: AppOffer["carrier"];
  readonly evidence: string;
  readonly seen: string;
}

/** Hosts that declare the extension but show an empty frame. */
export const EMPTY_FRAMES: readonly EmptyFrame[] = [
  {
    client: "claude-ai",
    carrier: "stdio",
    evidence: "Claude Desktop with local servers: https://github.com/anthropics/claude-ai-mcp/issues/165 and /729",
    seen: "2026-08",
  },
];

export function isAppOfferedTo({ mode, carrier }: AppOffer, peer: Peer | undefined): boolean {
  if (peer === undefined) return false;
  if (mode === "on") return true;
  const isEmpty = EMPTY_FRAMES.some((row) => row.client === peer.name && row.carrier === carrier);
  return declaresApps(peer) && !isEmpty;
}

function declaresApps({ extensions }: Peer): boolean {
  const declared = extensions[APP_EXTENSION];
  if (typeof declared !== "object" || declared === null) return false;
  const types: unknown = "mimeTypes" in declared ? declared.mimeTypes : undefined;
  return Array.isArray(types) && types.includes(APP_MEDIA_TYPE);
}
