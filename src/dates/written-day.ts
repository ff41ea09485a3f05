/** Reads days in figures with a year, whose meaning does not depend on today. */
import { parseLocalDate, type LocalDate } from "../clock.js";

export interface ReadDay {
  readonly day: LocalDate;
  /** As written: `T18:00:00Z`. */
  readonly time?: string;
  readonly inWords: boolean;
}

const ISO_DATE = /^(\d{4})([-/])(\d{2})\2(\d{2})$/;
const ISO_DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[t ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?:z|[+-]\d{2}(?::?\d{2})?)?)$/;

export function parseWrittenDay(text: string): ReadDay | undefined {
  const plain = plainDay(text);
  const date = ISO_DATE.exec(plain);
  const dateTime = date ? undefined : ISO_DATE_TIME.exec(plain);
  const day = parseLocalDate(date ? `${date[1]}-${date[3]}-${date[4]}` : (dateTime?.[1] ?? ""));
  if (day === undefined) return undefined;
  return { day, inWords: false, ...(dateTime?.[2] === undefined ? {} : { time: `T${dateTime[2].toUpperCase()}` }) };
}

/** Keeps line breaks: a text of several lines is no day. */
export const plainDay = (text: string): string =>
  text
    .replace(/^[ \t]+|[ \t]+$/g, "")
    .toLowerCase()
    .replace(/[ \t]+/g, " ")
    .replace(/ ?, ?/g, ", ");
