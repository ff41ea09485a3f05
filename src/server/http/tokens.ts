/** The tokens callers show, what each of them allows, and their comparison in constant time. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { VaultRules } from "../../access/rules.js";
import type { Toolset } from "../../tools/toolset.js";

/** What a caller may do. */
export interface Scopes {
  /** Whether it may change the vault. */
  readonly write: boolean;
  /** The only toolsets it may use; undefined: all the server offers. */
  readonly toolsets: readonly Toolset[] | undefined;
  /** The only tools it may use; undefined: all of those toolsets. */
  readonly tools?: readonly string[] | undefined;
  /** What of the vault it may see and change: all of these and the rules of the server must allow it (docs: sign-in, "Access rules"). */
  readonly rules?: readonly VaultRules[] | undefined;
}

/** Somebody with all rights. */
export function isOwner({ write, toolsets, tools, rules }: Scopes): boolean {
  return write && [toolsets, tools, rules].every((limit) => limit === undefined);
}

export const ALL_SCOPES: Scopes = { write: true, toolsets: undefined };

export interface NamedToken {
  /** The name of its owner in logs and rate limits; names are unique. */
  readonly name: string;
  /** SHA-256 of the token, which itself is not stored. */
  readonly digest: Buffer;
  readonly scopes: Scopes;
}

export function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Whether a secret has this digest, in constant time. */
export function matches(digest: Buffer, secret: string): boolean {
  return timingSafeEqual(digest, digestOf(secret));
}

/** The valid token that was shown. Every token is compared, so that the time says nothing about near misses. */
export function findToken(tokens: readonly NamedToken[], shown: string): NamedToken | undefined {
  let found: NamedToken | undefined;
  for (const token of tokens) if (matches(token.digest, shown)) found = token;
  return found;
}
