/** Property values as people write them: words, links, lists, flags, days, durations (docs: tasks, "Fields"). */
import { bareLink, linkTexts, wikilink } from "../../markdown/links/property-links.js";
import { withoutLinkQuotes } from "../../markdown/frontmatter/scalar.js";
import type { Property, PropertyValue } from "../../markdown/frontmatter/property.js";
import { type Clock, parseLocalDate, type LocalDate } from "../../clock.js";
import { LAST_DAY, toDayNumber, toLocalDate } from "../../dates/days.js";
import { remembered } from "../../text/fold.js";
import type { EstimateStyle } from "./dialect.js";

const LINE_BREAK = /[\r\n\u000b\u000c\u0085\u2028\u2029]/;
const LINK = /^!?\[\[([^[\]]+)\]\]$/;
const LINKS = /^(?:[,\s]*!?\[\[[^[\]]+\]\])+[,\s]*$/;

/** A line break in a title could fake lines of an answer. */
export function onOneLine(text: string): string {
  if (!LINE_BREAK.test(text)) return text.trim();
  return text.replace(/\s*[\r\n\u000b\u000c\u0085\u2028\u2029]+\s*/g, " ").trim();
}

/** One line each; none for empty values and mappings. */
export function textsOf(property: Property): string[] {
  const { text, value } = property;
  if (value === null) return [];
  if (text !== undefined) {
    const line = onOneLine(text);
    return line === "" ? [] : [line];
  }
  const texts: string[] = [];
  for (const item of linkTexts(property.value)) {
    const line = onOneLine(item);
    if (line !== "") texts.push(line);
  }
  return texts;
}

export function firstText(property: Property): string | undefined {
  if (property.text === undefined || property.value === null) return textsOf(property)[0];
  return onOneLine(property.text) || undefined;
}

export const isLink = (text: string): boolean => text.includes("[[") && LINK.test(text.trim());

/** Splits a text made of links only: `[[A]], [[B]]`. */
export function splitLinks(text: string): string[] {
  if (!text.includes("[[") || (LINK.test(text) && !text.startsWith("!"))) return [text];
  return LINKS.test(text) ? (text.match(/\[\[[^[\]]+\]\]/g) ?? []) : [text];
}

/** `[[_areas/Work.md#Now|my work]]` gives `Work`; plain text stays. */
export const bareName = (text: string): string =>
  text.includes("[") ? bareLink(withoutLinkQuotes(text)) || text.trim() : text.trim();

/** The name itself if a wikilink cannot hold it. */
export function asLink(name: string): string {
  const link = wikilink(name);
  return /[\\/:[\]|#^]/.test(name) || bareLink(link) !== name ? name : link;
}

/** A date means true. */
export function readFlag(property: Property): boolean | undefined {
  const text = (property.text ?? "").trim().toLowerCase();
  if (/^(?:true|yes|y|on|x|1|\u2705|done)$/.test(text) || /^\d{4}-\d{2}-\d{2}/.test(text)) return true;
  return /^(?:false|no|n|off|0)$/.test(text) ? false : undefined;
}

/** A day; with an offset, the ISO 8601 instant, whose day depends on the zone. */
type NoteDate = string;

const DATE = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/;
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt]|[ \t]+)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?[ \t]*([Zz]|[+-]\d{2}(?::?\d{2})?)?$/;

/** Undefined also for a day that does not exist. */
export const readNoteDate: (text: string) => NoteDate | undefined = remembered(readDate);

function readDate(text: string): NoteDate | undefined {
  const plain = text.trim();
  const day = parseLocalDate(plain);
  if (day !== undefined) return day;
  const date = DATE.exec(plain);
  if (date) return parseLocalDate(`${date[1]}-${date[2]?.padStart(2, "0")}-${date[3]?.padStart(2, "0")}`);
  const time = DATE_TIME.exec(plain);
  return time ? readDateTime(time) : undefined;
}

function readDateTime([, day = "", hour = "", minute = "", second = "00", zone]: RegExpExecArray):
  | NoteDate
  | undefined {
  const written = parseLocalDate(day);
  if (written === undefined || Number(hour) > 24 || Number(minute) > 59 || Number(second) > 60) return undefined;
  if (zone === undefined) return written;
  const digits = zone.replace(/\D/g, "").padEnd(4, "0");
  const offset = digits === "0000" ? "Z" : `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
  const instant = `${day}T${hour.padStart(2, "0")}:${minute}:00${offset}`;
  return Number.isNaN(Date.parse(instant)) ? written : instant;
}

export function dayOf(date: NoteDate, clock: Pick<Clock, "dayOf">): LocalDate {
  return date.length === 10 ? (date as LocalDate) : clock.dayOf(Date.parse(date));
}

export function addDays(day: LocalDate, days: number): LocalDate {
  return toLocalDate(Math.min(toDayNumber(day) + days, LAST_DAY));
}

export const estimateStyle = (text: string): EstimateStyle => (/[a-z]/i.test(text) ? "units" : "minutes");

/** `2h`, `1h30m`, `45m`. */
export const minutesInUnits = (minutes: number): string => inUnits(minutes, "h", "m").join("");

function inUnits(minutes: number, hour: string, minute: string): string[] {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [...(hours > 0 ? [hours + hour] : []), ...(rest > 0 || hours === 0 ? [rest + minute] : [])];
}

/** Clears an estimate. */
export const NO_MINUTES = -1;

export const LENGTH = /^(?:pt)?(?:(\d+(?:[.,]\d+)?)\s*(?:h|hours?|hrs?))?\s*(?:(\d+)\s*(?:m|min|minutes?)?)?$/i;

export function minutesIn(text: string): number | undefined {
  const [whole = "", hours, minutes] = LENGTH.exec(text) ?? [];
  if (whole === "" || (hours === undefined && minutes === undefined)) return undefined;
  const sum = Number((hours ?? "0").replace(",", ".")) * 60 + Number(minutes ?? 0);
  return sum <= 1_000_000 ? Math.round(sum) : undefined;
}

/** `5 h 15 min`, `45 min`. */
export const formatMinutes = (minutes: number): string => inUnits(minutes, " h", " min").join(" ");

const RELATIONS: ReadonlySet<unknown> = new Set(["FINISHTOSTART", "FINISHTOFINISH", "STARTTOSTART", "STARTTOFINISH"]);
/** ISO 8601; may be negative. */
const GAP = /^-?P(?=[\dT])(?:\d+W|(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/;
const BROKEN_LINK = /^\[(?!\[[^\]]+\]\]$|[^\]]*\]\([^)]+\)$)/;

/** Why TaskNotes ignores an entry. */
export function entryProblem(items: readonly PropertyValue[], property: Property): string | undefined {
  const named = new Set<string>();
  for (const item of items) {
    if (!isMapping(item)) continue;
    const [uid] = referenceIn(item, property);
    if (uid === undefined || BROKEN_LINK.test(uid)) return "has an invalid entry: its uid names no task";
    const { reltype, gap } = item;
    if (reltype !== undefined && !RELATIONS.has(reltype)) return "has an invalid entry: its reltype is none";
    if (gap !== undefined && gap !== null && !(typeof gap === "string" && GAP.test(gap)))
      return "has an invalid entry: its gap is no duration";
    if (named.has(bareName(uid))) return "has a duplicate entry: two name the same task";
    named.add(bareName(uid));
  }
  return undefined;
}

export function isMapping(value: PropertyValue): value is { [key: string]: PropertyValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function referenceIn(item: PropertyValue, property: Property): string[] {
  const named = isMapping(item) ? item["uid"] : item;
  if (named === undefined || named === null) return [];
  return textsOf({ ...property, value: [named], text: undefined });
}

/** `+01:00` */
export function offsetText(minutes: number, hasColon = true): string {
  const two = (part: number): string => String(part).padStart(2, "0");
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}${hasColon ? ":" : ""}${two(size % 60)}`;
}
