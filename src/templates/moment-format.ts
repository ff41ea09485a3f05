/** Writes dates in the formats of moment.js, which Obsidian's templates use, through date-fns, whose letters mean other things. */
import { UTCDateMini } from "@date-fns/utc/date/mini";
import { format as formatDate } from "date-fns/format";

interface Moment {
  /** Its UTC fields are the local ones. */
  readonly local: Date;
  /** Milliseconds since the epoch. */
  readonly instant: number;
  /** Minutes east of UTC. */
  readonly offset: number;
}

/** Tokens that date-fns writes under another name, or the same. */
const SAME: Readonly<Record<string, string>> = {
  YYYYYY: "yyyyyy",
  YYYY: "yyyy",
  YY: "yy",
  Y: "y",
  Qo: "Qo",
  Q: "Q",
  MMMM: "MMMM",
  MMM: "MMM",
  MM: "MM",
  Mo: "Mo",
  M: "M",
  DDDD: "DDD",
  DDDo: "Do",
  DDD: "D",
  DD: "dd",
  Do: "do",
  D: "d",
  dddd: "EEEE",
  ddd: "EEE",
  dd: "EEEEEE",
  E: "i",
  ww: "ww",
  wo: "wo",
  w: "w",
  WW: "II",
  Wo: "Io",
  W: "I",
  gggg: "YYYY",
  GGGG: "RRRR",
  HH: "HH",
  H: "H",
  hh: "hh",
  h: "h",
  kk: "kk",
  k: "k",
  mm: "mm",
  m: "m",
  ss: "ss",
  s: "s",
  A: "aa",
  a: "aaa",
};

/** Moment's names for whole forms, in English as everything here. */
const FORMS: Readonly<Record<string, string>> = {
  LTS: "h:mm:ss A",
  LT: "h:mm A",
  LLLL: "dddd, MMMM D, YYYY h:mm A",
  LLL: "MMMM D, YYYY h:mm A",
  LL: "MMMM D, YYYY",
  L: "MM/DD/YYYY",
  llll: "ddd, MMM D, YYYY h:mm A",
  lll: "MMM D, YYYY h:mm A",
  ll: "MMM D, YYYY",
  l: "M/D/YYYY",
};

/** Tokens that are numbers of ours. */
const OWN: Readonly<Record<string, (moment: Moment, token: string) => string>> = {
  d: ({ local }) => String(local.getUTCDay()),
  e: ({ local }) => String(local.getUTCDay()),
  do: ({ local }) => ordinal(local.getUTCDay()),
  gg: ({ local }) => write(local, "YYYY").slice(-2),
  GG: ({ local }) => write(local, "RRRR").slice(-2),
  X: ({ instant }) => String(Math.floor(instant / 1000)),
  x: ({ instant }) => String(instant),
  Z: ({ offset }) => zone(offset, ":"),
  ZZ: ({ offset }) => zone(offset, ""),
};

/** Literals in brackets, a backslash before one character, then the longest token first. */
const TOKENS = new RegExp(
  String.raw`\[([^\[\]]*)\]|\\(.)|S{1,9}|${[...Object.keys(SAME), ...Object.keys(FORMS), ...Object.keys(OWN)]
    .sort((one, other) => other.length - one.length)
    .join("|")}`,
  "gsu",
);

/**
 * An instant (milliseconds since the epoch) in a time zone (an IANA name) by a moment.js format: `dddd, D. MMMM YYYY [at] HH:mm`.
 * Letters that mean nothing to moment stand for themselves.
 */
export function formatMoment(instant: number, format: string, timeZone: string): string {
  const local = localTime(instant, timeZone);
  const offset = Math.round((local.getTime() - Math.floor(instant / 1000) * 1000) / 60_000);
  return fill({ local, instant, offset }, format);
}

function fill(moment: Moment, format: string): string {
  return format.replace(TOKENS, (token: string, literal: string | undefined, escaped: string | undefined) => {
    if (literal !== undefined) return literal;
    if (escaped !== undefined) return escaped;
    const form = FORMS[token];
    if (form !== undefined) return fill(moment, form);
    const same = SAME[token];
    if (same !== undefined) return write(moment.local, same);
    if (token.startsWith("S")) return fraction(moment.instant, token.length);
    return OWN[token]?.(moment, token) ?? token;
  });
}

function write(local: Date, token: string): string {
  return formatDate(local, token, { useAdditionalDayOfYearTokens: true, useAdditionalWeekYearTokens: true });
}

function fraction(instant: number, digits: number): string {
  return String(((instant % 1000) + 1000) % 1000)
    .padStart(3, "0")
    .padEnd(9, "0")
    .slice(0, digits);
}

function ordinal(number: number): string {
  return `${number}${["th", "st", "nd", "rd"][number] ?? "th"}`;
}

function zone(offset: number, colon: string): string {
  const minutes = Math.abs(offset);
  const pad = (part: number): string => String(Math.floor(part)).padStart(2, "0");
  return `${offset < 0 ? "-" : "+"}${pad(minutes / 60)}${colon}${pad(minutes % 60)}`;
}

/** A date whose UTC fields are those a clock on the wall in that zone shows. */
function localTime(instant: number, timeZone: string): Date {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  const date = new UTCDateMini(0);
  date.setFullYear(part("year"), part("month") - 1, part("day"));
  date.setHours(part("hour"), part("minute"), part("second"), 0);
  return date;
}
