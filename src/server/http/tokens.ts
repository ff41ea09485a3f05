/** Tokens, their scopes, and comparison in constant time. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { VaultRules } from "../../access/rules.js";
import type { Toolset } from "../../tools/toolset.js";

export interface Scopes {
  readonly write: boolean;
  /** Undefined: all that the server offers. */
  readonly toolsets: readonly Toolset[] | undefined;
  /** Undefined: all of the toolsets. */
  readonly tools?: readonly string[] | undefined;
  /** Besides the server's rules (docs: sign-in, "Access rules"). */
  readonly rules?: readonly VaultRules[] | undefined;
}

export function isOwner({ write, toolsets, tools, rules }: Scopes): boolean {
  return write && [toolsets, tools, rules].every((limit) => limit === undefined);
}

export const ALL_SCOPES: Scopes = { write: true, toolsets: undefined };

export interface NamedToken {
  /** Unique; for logs and rate limits. */
  readonly name: string;
  /** SHA-256. */
  readonly digest: Buffer;
  readonly scopes: Scopes;
}

/** Never shown: the owner logs in by a link. @param name one that no row of a tokens file can have */
export function ownersToken(name: `${string} ${string}`): NamedToken {
  return { name, digest: digestOf(randomBytes(32).toString("base64url")), scopes: ALL_SCOPES };
}

export function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

export function matchesDigest(digest: Buffer, secret: string): boolean {
  return timingSafeEqual(digest, digestOf(secret));
}

/** Compares all: timing reveals no near misses. */
export function findToken(tokens: readonly NamedToken[], shown: string): NamedToken | undefined {
  let found: NamedToken | undefined;
  for (const token of tokens) if (matchesDigest(token.digest, shown)) found = token;
  return found;
}
