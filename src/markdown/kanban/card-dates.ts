/** Days and times on cards, `@{2026-11-30}` and `@@{14:30}`. */
import { type LocalDate, parseLocalDate } from "../../clock.js";
import { dayReader, formatDay, readTime } from "../../dates/day-format.js";
import { literalPattern } from "../../text/fold.js";

/** Of the board, else of plugins. */
export interface BoardStyle {
  readonly dateTrigger: string;
  readonly timeTrigger: string;
  readonly dateFormat: string;
  readonly timeFormat: string;
  /** `[[...]]`, or a Markdown link into this folder. */
  readonly dayLink: "none" | "wiki" | { readonly folder: string };
  readonly prepends: boolean;
  readonly archiveDate: ArchiveDate | undefined;
  /** Of a new card's second and later lines. */
  readonly indent: string;
}

interface ArchiveDate {
  readonly format: string;
  readonly separator: string;
  readonly isBehind: boolean;
}

export interface BoardDefaults {
  readonly plugin: Readonly<Record<string, unknown>>;
  readonly dateFormat: string;
  readonly timeFormat: string;
  readonly usesMarkdownLinks: boolean;
  readonly dailyFolder: string;
  readonly indent: string;
}

export const BOARD_DEFAULTS: BoardDefaults = {
  plugin: {},
  dateFormat: "YYYY-MM-DD",
  timeFormat: "HH:mm",
  usesMarkdownLinks: false,
  dailyFolder: "",
  indent: "\t",
};

export function boardStyle(own: Readonly<Record<string, unknown>>, defaults: BoardDefaults): BoardStyle {
  const raw = (key: string): unknown => own[key] ?? defaults.plugin[key];
  const text = (key: string, otherwise: string): string => {
    const value = raw(key);
    return typeof value === "string" && value !== "" ? value : otherwise;
  };
  const flag = (key: string): boolean => raw(key) === true || raw(key) === "true";
  const [dateFormat, timeFormat] = [text("date-format", defaults.dateFormat), text("time-format", defaults.timeFormat)];
  return {
    dateTrigger: text("date-trigger", "@"),
    timeTrigger: text("time-trigger", "@@"),
    dateFormat,
    timeFormat,
    dayLink: !flag("link-date-to-daily-note")
      ? "none"
      : defaults.usesMarkdownLinks
        ? { folder: defaults.dailyFolder }
        : "wiki",
    prepends: text("new-card-insertion-method", "append").startsWith("prepend"),
    archiveDate: flag("archive-with-date")
      ? {
          format: text("archive-date-format", `${dateFormat} ${timeFormat}`),
          separator: text("archive-date-separator", ""),
          isBehind: flag("append-archive-date"),
        }
      : undefined,
    indent: defaults.indent,
  };
}

interface DateSign {
  readonly start: number;
  readonly end: number;
  /** Once, also of a link. */
  readonly value: string;
  readonly places: readonly number[];
  /** The plugin displays but does not read it. */
  readonly isShown: boolean;
}

interface CardDates {
  readonly dates: readonly DateSign[];
  readonly times: readonly { readonly start: number; readonly end: number; readonly value: string }[];
}

const CODE = /(`+)(?!`)[^`]*\1(?!`)/g;

export function cardDates(text: string, { dateTrigger, timeTrigger, dateFormat }: BoardStyle): CardDates {
  if (!text.includes(dateTrigger) && !text.includes(timeTrigger)) return { dates: [], times: [] };
  const [date, time] = [dateTrigger, timeTrigger].map(literalPattern);
  const signs = new RegExp(
    `${time}\\{(?<time>[^}\\n]+)\\}|${date}(?:\\{(?<date>[^}\\n]+)\\}|\\[\\[(?<link>[^\\]|\\n]+)(?:\\|[^\\]\\n]*)?\\]\\]|\\[(?<shown>[^\\]\\n]*)\\]\\((?<target>[^)\\n]*)\\))`,
    "gu",
  );
  const dates: DateSign[] = [];
  const times: { start: number; end: number; value: string }[] = [];
  const readable = text.replace(CODE, (code) => " ".repeat(code.length));
  for (const { index: start, 0: sign, groups = {} } of readable.matchAll(signs)) {
    const end = start + sign.length;
    if (groups.time !== undefined) times.push({ start, end, value: groups.time.trim() });
    else {
      const link = groups.link?.replace(/\.md$/i, "") ?? "";
      const linked = dateFormat.includes("/") && dayReader(dateFormat)(link) ? link : link.replace(/^.*\//, "");
      const value = (groups.date ?? groups.shown ?? linked).trim();
      if (value === "") continue;
      const places: number[] = [];
      for (let at = sign.indexOf(value); at >= 0; at = sign.indexOf(value, at + 1)) places.push(start + at);
      dates.push({ start, end, value, places, isShown: groups.shown !== undefined });
    }
  }
  return { dates, times };
}

export function dayOfSign({ value }: Pick<DateSign, "value">, { dateFormat }: BoardStyle): LocalDate | undefined {
  return dayReader(dateFormat)(value) ?? parseLocalDate(value);
}

/** `HH:mm`. */
export const timeOfSign = (value: string, { timeFormat }: BoardStyle): string | undefined =>
  readTime(value, timeFormat) ?? readTime(value, "HH:mm");

export function dateSign(day: LocalDate, { dateTrigger, dateFormat, dayLink }: BoardStyle): string {
  const text = formatDay(day, dateFormat);
  if (dayLink === "none") return `${dateTrigger}{${text}}`;
  if (dayLink === "wiki") return `${dateTrigger}[[${text}]]`;
  const folder = dayLink.folder === "" ? "" : `${dayLink.folder}/`;
  return `${dateTrigger}[${text}](${encodeURI(`${folder}${text}.md`)})`;
}

/** @param time `HH:mm` */
export const timeSign = (time: string, { timeTrigger, timeFormat }: BoardStyle): string =>
  `${timeTrigger}{${formatDay("1970-01-01" as LocalDate, timeFormat, time)}}`;

/** @param day undefined: removes the signs, with the blank before */
export function withDay(text: string, old: LocalDate, day: LocalDate | undefined, style: BoardStyle): string {
  const { dates } = cardDates(text, style);
  return dates.toReversed().reduce((now, sign) => {
    if (dayOfSign(sign, style) !== old) return now;
    if (day === undefined) return now.slice(0, sign.start).trimEnd() + now.slice(sign.end);
    const isInFormat = dayReader(style.dateFormat)(sign.value) !== undefined;
    const value = isInFormat ? formatDay(day, style.dateFormat) : day;
    return sign.places
      .toReversed()
      .reduce((part, at) => part.slice(0, at) + value + part.slice(at + sign.value.length), now);
  }, text);
}
