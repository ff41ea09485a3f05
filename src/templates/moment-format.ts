/** Writes and reads dates in the formats of moment.js, by the library that Obsidian itself uses for them; loaded when a format is first met. */
import { parseLocalDate, type LocalDate } from "../clock.js";

/**
 * An instant (milliseconds since the epoch) in a time zone (an IANA name) by a moment.js format: `dddd, D. MMMM YYYY [at] HH:mm`.
 * Letters that mean nothing to moment stand for themselves.
 */
export async function formatMoment(instant: number, format: string, timeZone: string): Promise<string> {
  // Without a format moment writes its own.
  if (format === "") return "";
  const { default: moment } = await import("moment");
  return moment(instant).utcOffset(offsetIn(instant, timeZone)).locale("en").format(format);
}

/**
 * Reads texts that are a day in a moment.js format, and nothing besides. Formats that name no whole day read nothing.
 * @returns the day of a text; undefined when it is none
 */
export async function dayFromMoment(format: string): Promise<(text: string) => LocalDate | undefined> {
  const namesDay = /Y/.test(format) && /[DEwWgG]/i.test(format);
  if (!namesDay) return () => undefined;
  // Most vaults: no library is needed for it.
  if (format === "YYYY-MM-DD") return (text) => parseLocalDate(text);
  const { default: moment } = await import("moment");
  return (text) => {
    const read = moment.utc(text, format, "en", true);
    return read.isValid() ? parseLocalDate(read.format("YYYY-MM-DD")) : undefined;
  };
}

/** Minutes east of UTC, from `GMT+05:30`; the seconds that zones had before 1900 are left out, as moment has none. */
function offsetIn(instant: number, timeZone: string): number {
  if (timeZone === "UTC") return 0;
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  const name = format.formatToParts(instant).find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign, hours = "0", minutes = "0"] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
