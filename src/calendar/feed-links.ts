/** Secret addresses of calendars: a caller who knows one may read that calendar, and nothing else (docs: calendar, "The feed"). */
import { randomBytes } from "node:crypto";
import { sha256 } from "../storage/sha256.js";
import type { CalendarFilters } from "./filters.js";

/** A calendar that somebody may read. */
export interface FeedLink {
  /** What its owner and calendar programs call it. */
  readonly name: string;
  readonly filters: CalendarFilters;
}

/** Where links are stored: never the secret, only its digest. */
export interface FeedLinks {
  /** @param digest of the secret that was shown */
  find(digest: string): FeedLink | undefined;
}

/** 32 bytes in letters that every address may hold: 43 characters. */
export function newFeedSecret(): string {
  return randomBytes(32).toString("base64url");
}

export function isFeedSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

export function feedDigest(secret: string): string {
  return sha256(secret);
}
