/** Formats and parses dates by moment.js, loaded on first use. */
import type { Moment } from "moment";
import { parseLocalDate, type LocalDate, type EpochMilliseconds } from "../clock.js";
import { VaultError } from "../errors.js";

/** `weekStart` replaces the locale's; 0 is Sunday. */
export interface MomentLocale {
  readonly locale: string;
  readonly weekStart?: number | undefined;
}

const ENGLISH_LOCALE: MomentLocale = { locale: "en" };

/** @throws INVALID_ARGUMENT for an unknown locale */
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
    // The locale's `doy` still decides the first week of the year.
    moment.defineLocale(name, { parentLocale: known, week: { dow: weekStart, doy: week.firstDayOfYear() } });
    // Defining a locale makes it the global one.
    moment.locale("en");
  }
  return { moment, name };
}

export async function formatMoment(
  instant: EpochMilliseconds,
  format: string,
  timeZone: string,
  locale = ENGLISH_LOCALE,
): Promise<string> {
  // moment would use its default format.
  if (format === "") return "";
  return (await momentAt(instant, timeZone, locale)).format(format);
}

async function momentAt(instant: EpochMilliseconds, timeZone: string, locale: MomentLocale): Promise<Moment> {
  const { moment, name } = await momentIn(locale);
  return moment(instant).utcOffset(offsetIn(instant, timeZone)).locale(name);
}

/** A format without a whole day reads nothing. */
export async function dayFromMoment(
  format: string,
  locale = ENGLISH_LOCALE,
): Promise<(text: string) => LocalDate | undefined> {
  const namesDay = /Y/.test(format) && /[DEwWgG]/i.test(format);
  if (!namesDay) return () => undefined;
  if (format === "YYYY-MM-DD") return (text) => parseLocalDate(text);
  const { moment, name } = await momentIn(locale);
  return (text) => {
    const read = moment.utc(text, format, name, true);
    return read.isValid() ? parseLocalDate(read.locale("en").format("YYYY-MM-DD")) : undefined;
  };
}

/** Minutes. Ignores seconds of zones before 1900, as moment does. */
function offsetIn(instant: EpochMilliseconds, timeZone: string): number {
  if (timeZone === "UTC") return 0;
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  const name = format.formatToParts(instant).find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign, hours = "0", minutes = "0"] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
