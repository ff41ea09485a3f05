/** Fills in the templates of periodic notes as the plugin Periodic Notes does, which knows other placeholders for each period. */
import type { Moment, unitOfTime } from "moment";
import type { Period } from "../dates/calendar-terms.js";
import { type FilledTemplate, unfilledIn } from "./templates.js";

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

const PLACEHOLDER = new RegExp(
  String.raw`\{\{\s*(title|date|time|yesterday|tomorrow|month|quarter|year|${WEEKDAYS.join("|")})` +
    String.raw`\s*(?:([+-]\d{1,6})([yqmwdhs]))?\s*(?::([^{}\n]*))?\}\}`,
  "gi",
);

export interface NewPeriodicNote {
  readonly period: Period;
  /** A day in the period, at the present time of day. */
  readonly at: Moment;
  /** The format of the notes' names, in which days are written that have none of their own. */
  readonly format: string;
  readonly name: string;
  /** What a bare `{{date}}` and `{{time}}` become. */
  readonly date: string;
  readonly time: string;
}

export function fillPeriodicTemplate(template: string, note: NewPeriodicNote): FilledTemplate {
  const text = template.replace(
    PLACEHOLDER,
    (placeholder, kind: string, count?: string, unit?: string, format?: string) =>
      valueOf(note, kind.toLowerCase(), count, unit, format?.trim()) ?? placeholder,
  );
  return { text, unfilled: unfilledIn(template, text) };
}

/** @param unit of Moment: `m` is minutes, `M` months */
function valueOf(note: NewPeriodicNote, kind: string, count?: string, unit?: string, format?: string) {
  const { period, at } = note;
  if (format === "") return undefined;
  if (count === undefined && format === undefined) {
    if (kind === "title") return note.name;
    if (kind === "date" || kind === "time") return note[kind];
    if (period === "day" && kind === "yesterday") return at.clone().subtract(1, "day").format(note.format);
    if (period === "day" && kind === "tomorrow") return at.clone().add(1, "day").format(note.format);
  }
  const weekday = WEEKDAYS.indexOf(kind);
  if (weekday >= 0) {
    if (period !== "week" || count !== undefined || format === undefined) return undefined;
    return at
      .clone()
      .weekday((weekday - at.localeData().firstDayOfWeek() + 7) % 7)
      .format(format);
  }
  const isDay = period === "day" && (kind === "date" || kind === "time");
  if (!isDay && (kind !== period || period === "day" || period === "week")) return undefined;
  const start = isDay ? at.clone() : startOf(at, period);
  if (count !== undefined) start.add(Number(count), unit as unitOfTime.DurationConstructor);
  return start.isValid() ? start.format(format ?? note.format) : undefined;
}

/** The first day of the period, at the same time of day. */
function startOf(at: Moment, period: Period): Moment {
  const [hour, minute, second] = [at.hour(), at.minute(), at.second()];
  return at.clone().startOf(period).set({ hour, minute, second });
}
