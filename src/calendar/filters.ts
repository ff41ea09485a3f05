/** What a calendar shows: which tasks, which of their days, and in what form (docs: calendar, "The feed"). */
import { VaultError } from "../errors.js";

const CALENDAR_DATES = ["due", "scheduled", "both"] as const;
export type CalendarDates = (typeof CALENDAR_DATES)[number];

/** Events, which every calendar shows, or to-dos, which some do; never both, because tasks would appear twice. */
const CALENDAR_COMPONENTS = ["event", "todo"] as const;
export type CalendarComponent = (typeof CALENDAR_COMPONENTS)[number];

/** Nothing given: every outstanding task, as an event on its due day, else on the day it is scheduled for. */
export interface CalendarFilters {
  readonly area?: string | undefined;
  readonly project?: string | undefined;
  /** Any of these. */
  readonly tags?: readonly string[] | undefined;
  /** Done tasks and done days of series too, with a check mark. */
  readonly done?: boolean | undefined;
  /** `both`: an event for each of the two days. */
  readonly dates?: CalendarDates | undefined;
  readonly component?: CalendarComponent | undefined;
  /** `HH:MM` on the day itself. */
  readonly alarm?: string | undefined;
}

/** Filters as they were stored. @throws VaultError INVALID_ARGUMENT for invalid ones */
export function readFilters(value: unknown): CalendarFilters {
  if (typeof value !== "object" || value === null) throw noFilters();
  const { area, project, tags, done, dates, component, alarm } = value as Readonly<Record<string, unknown>>;
  if (![area, project].every((text) => text === undefined || typeof text === "string")) throw noFilters();
  if (tags !== undefined && !(Array.isArray(tags) && tags.every((tag) => typeof tag === "string"))) throw noFilters();
  if (done !== undefined && typeof done !== "boolean") throw noFilters();
  if (dates !== undefined && !CALENDAR_DATES.includes(dates as CalendarDates)) throw noFilters();
  if (component !== undefined && !CALENDAR_COMPONENTS.includes(component as CalendarComponent)) throw noFilters();
  if (alarm !== undefined && (typeof alarm !== "string" || minutesOf(alarm) === undefined)) throw noFilters();
  return value;
}

/** The minutes since midnight of `HH:MM`. */
export function minutesOf(clockTime: string): number | undefined {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(clockTime.trim()) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}

function noFilters(): VaultError {
  return new VaultError("INVALID_ARGUMENT", "What this calendar shows cannot be read.", {
    hint: "Revoke its link and make a new one.",
  });
}
