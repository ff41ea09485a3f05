/** Writes and reads dates in moment.js formats with the library that Obsidian uses. It is loaded at first use. */
import type { Moment } from "moment";
import { parseLocalDate, type LocalDate } from "../clock.js";
import { VaultError } from "../errors.js";

/** The language of names of days and months, and the weekday that a week begins with (0 is Sunday), where that is not the locale's own. */
export interface MomentLocale {
  readonly locale: string;
  readonly weekStart?: number | undefined;
}

const ENGLISH_LOCALE: MomentLocale = { locale: "en" };

/**
 * Moment, and the name by which it knows a locale.
 * @throws VaultError INVALID_ARGUMENT for a locale that moment does not have
 */
export async function momentIn({ locale, weekStart }: MomentLocale) {
  const { default: moment } = await import("moment");
  // @ts-expect-error The package has no types for this file, which adds all locales to moment.
  if (locale !== "en") await import("moment/min/locales.js");
  const wanted = locale.toLowerCase().replaceAll("_", "-");
  const names = moment.locales();
  const parts = wanted.split("-");
  const known =
    parts.map((_, at) => parts.slice(0, parts.length - at).join("-")).find((name) => names.includes(name)) ??
    names.find((name) => name.startsWith(`${wanted}-`));
  if (known === undefined)
    throw new VaultError("INVALID_ARGUMENT", `The locale "${locale.slice(0, 40)}" is unknown.`, {
      hint: "Choose one that Moment has, such as en, en-gb, de, fr or pt-br, in Periodic Notes or Calendar, or by --locale.",
    });
  const week = moment.localeData(known);
  if (weekStart === undefined || weekStart === week.firstDayOfWeek()) return { moment, name: known };
  const name = `${known}-from-${weekStart}`;
  if (!names.includes(name)) {
    // The plugins change the first weekday alone: which week is a year's first is still decided by the locale's own number.
    moment.defineLocale(name, { parentLocale: known, week: { dow: weekStart, doy: week.firstDayOfYear() } });
    // A new locale becomes everybody's.
    moment.locale("en");
  }
  return { moment, name };
}

/** Formats an instant (milliseconds since the epoch) in a time zone (an IANA name): `dddd, D. MMMM YYYY [at] HH:mm`. */
export async function formatMoment(
  instant: number,
  format: string,
  timeZone: string,
  locale = ENGLISH_LOCALE,
): Promise<string> {
  // For an empty format moment would use its default.
  if (format === "") return "";
  return (await momentAt(instant, timeZone, locale)).format(format);
}

/** An instant as the clocks of a time zone show it. */
export async function momentAt(instant: number, timeZone: string, locale: MomentLocale): Promise<Moment> {
  const { moment, name } = await momentIn(locale);
  return moment(instant).utcOffset(offsetIn(instant, timeZone)).locale(name);
}

/**
 * Makes a reader for texts that are exactly a day in a moment.js format. Formats that name no whole day read nothing.
 * @returns a function that gives the day, or undefined
 */
export async function dayFromMoment(
  format: string,
  locale = ENGLISH_LOCALE,
): Promise<(text: string) => LocalDate | undefined> {
  const namesDay = /Y/.test(format) && /[DEwWgG]/i.test(format);
  if (!namesDay) return () => undefined;
  // The default format needs no library.
  if (format === "YYYY-MM-DD") return (text) => parseLocalDate(text);
  const { moment, name } = await momentIn(locale);
  return (text) => {
    const read = moment.utc(text, format, name, true);
    return read.isValid() ? parseLocalDate(read.locale("en").format("YYYY-MM-DD")) : undefined;
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
