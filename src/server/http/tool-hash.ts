/** The fingerprint of a list of tools, as the bridge document defines it (spec: http, section 2). */
import { createHash } from "node:crypto";

export interface BridgeTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
}

/** SHA-256 in hex; the order of the tools and of object keys does not matter, that of arrays does. */
export function toolHash(tools: readonly BridgeTool[]): string {
  const sorted = tools
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map(({ name, description, inputSchema }) => deepSorted({ name, description, inputSchema }));
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex");
}

function deepSorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deepSorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, deepSorted(inner)]));
}
