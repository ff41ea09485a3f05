/** Parses and formats lengths of time. */
import type { EstimateStyle } from "./dialect.js";

export const estimateStyle = (text: string): EstimateStyle => (/[a-z]/i.test(text) ? "units" : "minutes");

/** `2h`, `1h30m`, `45m`. */
export function inUnits(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return (hours > 0 ? `${hours}h` : "") + (rest > 0 || hours === 0 ? `${rest}m` : "");
}

export const LENGTH = /^(?:pt)?(?:(\d+(?:[.,]\d+)?)\s*(?:h|hours?|hrs?))?\s*(?:(\d+)\s*(?:m|min|minutes?)?)?$/i;

export function minutesIn(text: string): number | undefined {
  const [whole = "", hours, minutes] = LENGTH.exec(text) ?? [];
  if (whole === "" || (hours === undefined && minutes === undefined)) return undefined;
  const sum = Number((hours ?? "0").replace(",", ".")) * 60 + Number(minutes ?? 0);
  return sum <= 1_000_000 ? Math.round(sum) : undefined;
}

/** `5 h 15 min`, `45 min`. */
export function formatMinutes(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 ? `${hours} h` : "", rest > 0 || hours === 0 ? `${rest} min` : ""].filter(Boolean).join(" ");
}
