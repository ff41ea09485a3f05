/** Writes and reads dates in moment.js formats with the library that Obsidian uses. It is loaded at first use. */
import { parseLocalDate, type LocalDate } from "../clock.js";

/** Formats an instant (milliseconds since the epoch) in a time zone (an IANA name): `dddd, D. MMMM YYYY [at] HH:mm`. */
export async function formatMoment(instant: number, format: string, timeZone: string): Promise<string> {
  // For an empty format moment would use its default.
  if (format === "") return "";
  const { default: moment } = await import("moment");
  return moment(instant).utcOffset(offsetIn(instant, timeZone)).locale("en").format(format);
}

/**
 * Makes a reader for texts that are exactly a day in a moment.js format. Formats that name no whole day read nothing.
 * @returns a function that gives the day, or undefined
 */
export async function dayFromMoment(format: string): Promise<(text: string) => LocalDate | undefined> {
  const namesDay = /Y/.test(format) && /[DEwWgG]/i.test(format);
  if (!namesDay) return () => undefined;
  // The default format needs no library.
  if (format === "YYYY-MM-DD") return (text) => parseLocalDate(text);
  const { default: moment } = await import("moment");
  return (text) => {
    const read = moment.utc(text, format, "en", true);
    return read.isValid() ? parseLocalDate(read.format("YYYY-MM-DD")) : undefined;
  };
}

/**
 * Minutes east of UTC, from `GMT+05:30`. The seconds that zones had before 1900 are ignored, as moment ignores them.
 */
function offsetIn(instant: number, timeZone: string): number {
  if (timeZone === "UTC") return 0;
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  const name = format.formatToParts(instant).find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign, hours = "0", minutes = "0"] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
