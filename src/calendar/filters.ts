/** A calendar's filters: which tasks, which days, as events or to-dos (docs: calendar, "The feed"). */
import { VaultError } from "../errors.js";

const CALENDAR_DATES = ["due", "scheduled", "both"] as const;
type CalendarDates = (typeof CALENDAR_DATES)[number];

/** Not both: tasks would appear twice. */
const CALENDAR_COMPONENTS = ["event", "todo"] as const;
type CalendarComponent = (typeof CALENDAR_COMPONENTS)[number];

/** Default: outstanding tasks as events. */
export interface CalendarFilters {
  readonly area?: string | undefined;
  readonly project?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Adds done tasks and done days of series. */
  readonly done?: boolean | undefined;
  readonly dates?: CalendarDates | undefined;
  readonly component?: CalendarComponent | undefined;
  readonly alarm?: string | undefined;
}

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

export function minutesOf(clockTime: string): number | undefined {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(clockTime.trim()) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}

function noFilters(): VaultError {
  return new VaultError("INVALID_ARGUMENT", "What this calendar shows cannot be read.", {
    hint: "Revoke its link and make a new one.",
  });
}
