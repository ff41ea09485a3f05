/** The tokens callers show, what each of them allows, and their comparison in constant time. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Toolset } from "../../tools/toolset.js";

/** What a caller may do. */
export interface Scopes {
  /** Whether it may change the vault. */
  readonly write: boolean;
  /** The only toolsets it may use; undefined: all the server offers. */
  readonly toolsets: readonly Toolset[] | undefined;
}

export const ALL_SCOPES: Scopes = { write: true, toolsets: undefined };

export interface NamedToken {
  /** The name of its owner in logs and rate limits; names are unique. */
  readonly name: string;
  /** SHA-256 of the token: the token itself is not kept. */
  readonly digest: Buffer;
  readonly scopes: Scopes;
}

export function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The valid token that was shown. Every token is compared, so that the time says nothing about near misses. */
export function findToken(tokens: readonly NamedToken[], shown: string): NamedToken | undefined {
  const digest = digestOf(shown);
  let found: NamedToken | undefined;
  for (const token of tokens) if (timingSafeEqual(token.digest, digest)) found = token;
  return found;
}
