/** Scopes of grants (meanings: docs/http.md). */
import { TOOLSETS } from "../../../tools/toolset.js";
import type { Scopes } from "../tokens.js";

export const SCOPES = ["read", "write", ...TOOLSETS] as const;
export type Scope = (typeof SCOPES)[number];

const DEFAULT_SCOPES: readonly Scope[] = ["read", "write"];

/** In fixed order, without unknown words. */
export function knownScopes(words: readonly unknown[]): readonly Scope[] {
  return SCOPES.filter((scope) => words.includes(scope));
}

/** Adds `read` to toolsets without `read` or `write`. */
export function askedScopes(text: string | undefined): readonly Scope[] {
  const known = knownScopes((text ?? "").split(" "));
  if (known.length === 0) return DEFAULT_SCOPES;
  return known.includes("read") || known.includes("write") ? known : ["read", ...known];
}

/** `write` includes reading. */
export function rightsOf(scopes: readonly Scope[]): Scopes | undefined {
  if (!scopes.includes("read") && !scopes.includes("write")) return undefined;
  const toolsets = TOOLSETS.filter((toolset) => scopes.includes(toolset));
  return { write: scopes.includes("write"), toolsets: toolsets.length === 0 ? undefined : toolsets };
}

/** What a person with these rights may grant at most. */
export function grantable(asked: readonly Scope[], { write, toolsets }: Scopes): readonly Scope[] {
  const level: readonly Scope[] = asked.includes("write") && write ? ["read", "write"] : ["read"];
  const wanted = TOOLSETS.filter((toolset) => asked.includes(toolset));
  const offered = (wanted.length === 0 ? TOOLSETS : wanted).filter((toolset) => toolsets?.includes(toolset) ?? true);
  return [...level, ...offered];
}
