/** Time, calendar days and random names; only this file uses Date.now and randomness. */
import { customAlphabet } from "nanoid/non-secure";
import { VaultError } from "./errors.js";

/** `YYYY-MM-DD` of a day that exists. */
export type LocalDate = string & { readonly __brand: "LocalDate" };

/** Since 1970 (UTC). */
export type EpochMilliseconds = number;

export interface Clock {
  now(): EpochMilliseconds;
  today(): LocalDate;
  dayOf(instant: EpochMilliseconds): LocalDate;
  /** IANA name. The machine's own is slow to learn (16 ms). */
  readonly timeZone: string;
  /** Distinguishes zones without Intl: a name, or the offsets; zones that change within the same half month share it. */
  readonly zoneKey: string;
}

export interface Ids {
  /** Six lower-case letters or digits. */
  next(): string;
  /** Version 4, lower-case. */
  uuid(): string;
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Undefined for a day that does not exist (`2025-02-30`). */
export function parseLocalDate(text: string): LocalDate | undefined {
  const match = DATE.exec(text);
  if (!match) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 && leap ? 29 : DAYS_IN_MONTH[month - 1];
  if (year < 1 || days === undefined || day < 1 || day > days) return undefined;
  return text as LocalDate;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** @throws INVALID_ARGUMENT when the zone is unknown */
export function localDateOf(instant: EpochMilliseconds, timeZone: string): LocalDate {
  let format = formats.get(timeZone);
  if (!format) {
    try {
      format = new Intl.DateTimeFormat("en-US", {
        timeZone,
        calendar: "gregory",
        numberingSystem: "latn",
        year: "numeric",
        month: "2-digit",
        day: "2-digit",
      });
    } catch (cause) {
      throw new VaultError("INVALID_ARGUMENT", `Unknown time zone "${timeZone}".`, {
        hint: "Use an IANA name such as Europe/Berlin or UTC.",
        cause,
      });
    }
    formats.set(timeZone, format);
  }
  const parts = new Map(format.formatToParts(instant).map((part) => [part.type, part.value]));
  return `${parts.get("year")?.padStart(4, "0")}-${parts.get("month")}-${parts.get("day")}` as LocalDate;
}

const timeFormats = new Map<string, Intl.DateTimeFormat>();

/** ISO 8601 without a suffix, and the offset from UTC in minutes. */
export function localTimeOf({ now, timeZone }: Pick<Clock, "now" | "timeZone">): { text: string; offset: number } {
  const instant = now();
  let format = timeFormats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    timeFormats.set(timeZone, format);
  }
  const part = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  const day = `${part.get("year")?.padStart(4, "0")}-${part.get("month")}-${part.get("day")}`;
  const seconds = `${day}T${part.get("hour")}:${part.get("minute")}:${part.get("second")}`;
  const milliseconds = ((instant % 1000) + 1000) % 1000;
  const offset = Math.round((Date.parse(`${seconds}Z`) - (instant - milliseconds)) / 60_000);
  return { text: `${seconds}.${String(milliseconds).padStart(3, "0")}`, offset };
}

/** Of `2026-12-01T09:00:00` in the zone; a skipped hour counts as the next. */
export function instantOf(local: string, timeZone: string): EpochMilliseconds {
  const digits = Date.parse(`${local}Z`);
  const offsetAt = (instant: number): number => localTimeOf({ now: () => instant, timeZone }).offset * 60_000;
  const first = digits - offsetAt(digits - offsetAt(digits));
  return first + offsetAt(first) === digits ? first : digits - offsetAt(digits - 24 * 3_600_000);
}

function systemTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * @param timeZone IANA name; default the machine's
 * @throws INVALID_ARGUMENT when the zone is unknown
 */
export function systemClock(timeZone?: string): Clock {
  if (timeZone === undefined) return localClock();
  const dayOf = (instant: number): LocalDate => localDateOf(instant, timeZone);
  dayOf(0);
  return { timeZone, zoneKey: timeZone, now: () => Date.now(), today: () => dayOf(Date.now()), dayOf };
}

/** Uses no Intl, which is slow to load. */
function localClock(): Clock {
  let timeZone: string | undefined;
  let zoneKey: string | undefined;
  return {
    get timeZone() {
      return (timeZone ??= systemTimeZone());
    },
    get zoneKey() {
      return (zoneKey ??= localOffsets());
    },
    now: () => Date.now(),
    today: () => localDay(Date.now()),
    dayOf: localDay,
  };
}

const HALF_MONTH_MS = 1_314_900_000;
/** From 1970 to 2040. */
const HALF_MONTHS = 1_680;

/** Each offset from UTC, and the half month from which it holds. */
function localOffsets(): string {
  const changes: string[] = [];
  let last: number | undefined;
  for (let at = 0; at < HALF_MONTHS; at++) {
    const offset = new Date(at * HALF_MONTH_MS).getTimezoneOffset();
    if (offset !== last) changes.push(`${at} ${offset}`);
    last = offset;
  }
  return changes.join();
}

function localDay(instant: number): LocalDate {
  const date = new Date(instant);
  const [year, month, day] = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return `${String(year).padStart(4, "0")}-${pad(month)}-${pad(day)}` as LocalDate;
}

const pad = (part: number): string => String(part).padStart(2, "0");

/** Milliseconds. Unlike `performance.now`, loads no module. */
export function stopwatch(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Of synchronous work, without what other programs take of the processor. */
export class WorkTime {
  #since = [stopwatch(), processorTime()] as const;
  #before = 0;

  /** @param limit in milliseconds */
  exceeds(limit: number): boolean {
    return this.#before + stopwatch() - this.#since[0] > limit && this.#before + this.#worked() > limit;
  }

  pause(): void {
    this.#before += this.#worked();
  }

  resume(): void {
    this.#since = [stopwatch(), processorTime()];
  }

  #worked(): number {
    const [elapsed, processor] = this.#since;
    // Other threads of this process use the processor too.
    return Math.min(stopwatch() - elapsed, processorTime() - processor);
  }
}

function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** For tests. @param instant ISO 8601, such as `2025-08-30T12:00:00Z` */
export function fixedClock(instant: string, timeZone = "UTC"): Clock {
  const now = Date.parse(instant);
  const dayOf = (moment: number): LocalDate => localDateOf(moment, timeZone);
  return { timeZone, zoneKey: timeZone, now: () => now, today: () => dayOf(now), dayOf };
}

/** By nanoid's non-secure source: `node:crypto` is slow to load. */
export function randomIds(): Ids {
  const next = customAlphabet("0123456789abcdefghijklmnopqrstuvwxyz", 6);
  return { next: () => next(), uuid: () => globalThis.crypto.randomUUID() };
}

/** `000001`, `000002`, ... for tests. */
export function sequentialIds(): Ids {
  let last = 0;
  const next = (): string => String(++last).padStart(6, "0");
  return { next, uuid: () => `00000000-0000-4000-8000-000000${next()}` };
}

/** Milliseconds of the clock that stamps files, whatever clock the program has. */
export const machineTime = (): number => Date.now();
