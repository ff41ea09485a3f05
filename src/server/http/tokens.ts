/** Tokens, compared in constant time, and what they allow (docs: http). */
import { isRecord } from "../../text/decoded.js";
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { VaultRules } from "../../access/rules.js";
import { type Toolset, TOOLSETS } from "../../tools/toolset.js";

export interface Scopes {
  readonly write: boolean;
  /** Undefined: all. */
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
  /** Unique. */
  readonly name: string;
  /** SHA-256. */
  readonly digest: Buffer;
  readonly scopes: Scopes;
}

/** The owner logs in by a link. @param name impossible in a tokens file */
export function ownersToken(name: `${string} ${string}`): NamedToken {
  return { name, digest: digestOf(randomBytes(32).toString("base64url")), scopes: ALL_SCOPES };
}

export function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

export function matchesDigest(digest: Buffer, secret: string): boolean {
  return timingSafeEqual(digest, digestOf(secret));
}

/** Timing reveals no near misses. */
export function findToken(tokens: readonly NamedToken[], shown: string): NamedToken | undefined {
  let found: NamedToken | undefined;
  for (const token of tokens) if (matchesDigest(token.digest, shown)) found = token;
  return found;
}

export const SCOPES = ["read", "write", ...TOOLSETS] as const;
export type Scope = (typeof SCOPES)[number];

const DEFAULT_SCOPES: readonly Scope[] = ["read", "write"];

export function knownScopes(words: readonly unknown[]): readonly Scope[] {
  return SCOPES.filter((scope) => words.includes(scope));
}

export function askedScopes(text: string | undefined): readonly Scope[] {
  const known = knownScopes((text ?? "").split(" "));
  if (known.length === 0) return DEFAULT_SCOPES;
  return known.includes("read") || known.includes("write") ? known : ["read", ...known];
}

export function rightsOf(scopes: readonly Scope[]): Scopes | undefined {
  if (!scopes.includes("read") && !scopes.includes("write")) return undefined;
  const toolsets = TOOLSETS.filter((toolset) => scopes.includes(toolset));
  return { write: scopes.includes("write"), toolsets: toolsets.length === 0 ? undefined : toolsets };
}

export function grantable(asked: readonly Scope[], { write, toolsets }: Scopes): readonly Scope[] {
  const level: readonly Scope[] = asked.includes("write") && write ? ["read", "write"] : ["read"];
  const wanted = TOOLSETS.filter((toolset) => asked.includes(toolset));
  const offered = (wanted.length === 0 ? TOOLSETS : wanted).filter((toolset) => toolsets?.includes(toolset) ?? true);
  return [...level, ...offered];
}

export interface Limits {
  /** The empty name: files outside of folders. */
  readonly folders?: Readonly<Record<string, "read" | "write">>;
  readonly denyTags?: readonly string[];
}

const MAX_FOLDERS = 500;
const MAX_TAGS = 50;
const MAX_NAME = 255;

export function readLimits(value: unknown): Limits | undefined {
  if (!isRecord(value)) return undefined;
  const { folders, denyTags, ...others } = value;
  const isWhole =
    Object.keys(others).length === 0 &&
    (folders === undefined || isFolderList(folders)) &&
    (denyTags === undefined || isTagList(denyTags));
  return isWhole ? value : undefined;
}

function isFolderList(value: unknown): boolean {
  if (!isRecord(value) || Object.keys(value).length > MAX_FOLDERS) return false;
  const isRow = ([name, may]: readonly [string, unknown]) => isName(name) && (may === "read" || may === "write");
  return Object.entries(value).every(isRow);
}

function isName(name: string): boolean {
  return name.length <= MAX_NAME && !/[/\p{Cc}]/u.test(name);
}

function isTagList(value: unknown): boolean {
  const isTag = (tag: unknown) => typeof tag === "string" && /^#?[^\s#,]+$/.test(tag) && tag.length <= MAX_NAME;
  return Array.isArray(value) && value.length <= MAX_TAGS && value.every(isTag);
}

export function rulesOf({ folders, denyTags }: Limits): VaultRules {
  // First, as their exception would undo earlier patterns.
  const rows = Object.entries(folders ?? {}).toSorted(([a], [b]) => Number(a !== "") - Number(b !== ""));
  const writable = rows.filter(([, may]) => may === "write");
  const patterns = (some: typeof rows) => some.map(([name]) => patternOf(name));
  return {
    ...(folders && { only: patterns(rows) }),
    ...(folders && writable.length < rows.length && { allowWrite: patterns(writable) }),
    ...(denyTags && { denyTags }),
  };
}

/** As in `.gitignore`. */
function patternOf(name: string): string {
  return name === "" ? "/*\n!/*/" : `/${name.replaceAll(/[\\*?[\]!# ]/g, String.raw`\$&`)}/`;
}

export function describeLimits({ folders, denyTags = [] }: Limits): string {
  const rows = Object.entries(folders ?? {}).map(
    ([name, may]) => `${name === "" ? "files outside of folders" : name}${may === "read" ? " (read only)" : ""}`,
  );
  const only = folders && `only ${rows.length === 0 ? "nothing" : rows.join(", ")}`;
  const tags = denyTags.map((tag) => `not #${tag.replace(/^#/, "")}`);
  return [only, ...tags].filter((part) => part !== undefined).join("; ");
}
