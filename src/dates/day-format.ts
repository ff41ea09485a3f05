/** Days in moment.js formats, without moment, which loads slowly. */
import { type LocalDate, parseLocalDate } from "../clock.js";
import { MONTH_NAMES, ordinal, WEEKDAY_NAMES } from "./calendar-terms.js";
import { literalPattern } from "../text/fold.js";
import { toDayNumber, weekdayOf } from "./days.js";

const TOKENS = /\[[^\]]*\]|YYYY|YY|MMMM|MMM|MM|M|Do|DD|D|dddd|ddd|HH|H|hh|h|mm|m|ss|s|A|a|[^]/g;

const PATTERNS: Readonly<Record<string, string>> = {
  YYYY: "(?<year>\\d{4})",
  YY: "(?<shortYear>\\d{2})",
  MMMM: `(?<monthName>${MONTH_NAMES.join("|")})`,
  MMM: `(?<monthName>${MONTH_NAMES.map((name) => name.slice(0, 3)).join("|")})`,
  MM: "(?<month>\\d{1,2})",
  M: "(?<month>\\d{1,2})",
  Do: "(?<day>\\d{1,2})(?:st|nd|rd|th)",
  DD: "(?<day>\\d{1,2})",
  D: "(?<day>\\d{1,2})",
  dddd: "\\p{L}+",
  ddd: "\\p{L}+\\.?",
  HH: "(?<hour>\\d{1,2})",
  H: "(?<hour>\\d{1,2})",
  hh: "(?<hour>\\d{1,2})",
  h: "(?<hour>\\d{1,2})",
  mm: "(?<minute>\\d{2})",
  m: "(?<minute>\\d{1,2})",
  ss: "\\d{2}",
  s: "\\d{1,2}",
  A: "(?<half>[AP]M)",
  a: "(?<half>[ap]m)",
};

/** A part twice, as in `YYYY/MM/YYYY-MM-DD`, must agree. */
function partsReader(format: string): (text: string) => Readonly<Record<string, string>> {
  const names: string[] = [];
  const unnamed = (part: string): string => part.replace(/\?<(\w+)>/, (_, name: string) => (names.push(name), ""));
  const source = (format.match(TOKENS) ?? []).map((token) =>
    token in PATTERNS ? unnamed(PATTERNS[token] ?? "") : literalPattern(literal(token)),
  );
  const pattern = new RegExp(`^${source.join("")}$`, "iu");
  return (text) => {
    const parts: Record<string, string> = {};
    const [, ...values] = pattern.exec(text.trim()) ?? [];
    for (const [at, value] of values.entries()) {
      const name = names[at] ?? "";
      const before = parts[name] ?? value;
      if (before !== value && Number(before) !== Number(value)) return {};
      parts[name] = value;
    }
    return parts;
  };
}

const literal = (token: string): string => (token.startsWith("[") && token.length > 1 ? token.slice(1, -1) : token);

/** The text must be exactly a day. */
export function dayReader(format: string): (text: string) => LocalDate | undefined {
  const read = partsReader(format);
  return (text) => {
    const { year, shortYear, month, monthName, day } = read(text);
    const whole = year ?? (shortYear && `${Number(shortYear) > 68 ? "19" : "20"}${shortYear}`);
    const number = month ?? (monthName && monthNumber(monthName));
    if (whole === undefined || number === undefined || day === undefined) return undefined;
    return parseLocalDate(`${whole}-${number.padStart(2, "0")}-${day.padStart(2, "0")}`);
  };
}

const monthNumber = (name: string): string =>
  String(MONTH_NAMES.findIndex((month) => month.slice(0, 3).toLowerCase() === name.slice(0, 3).toLowerCase()) + 1);

/** `HH:mm`, if the text is a time in the format. */
export function readTime(text: string, format: string): string | undefined {
  const { hour, minute = "00", half } = partsReader(format)(text);
  const inHalf = Number(hour);
  const whole = half === undefined ? inHalf : (inHalf % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
  if (hour === undefined || whole > 23 || Number(minute) > 59) return undefined;
  return `${String(whole).padStart(2, "0")}:${minute.padStart(2, "0")}`;
}

export function formatDay(day: LocalDate, format: string, time = "00:00"): string {
  const [year = "", month = "", date = ""] = day.split("-");
  const [hour = "", minute = ""] = time.split(":");
  const half = Number(hour) < 12 ? "am" : "pm";
  const inHalf = String(Number(hour) % 12 || 12);
  const weekday = WEEKDAY_NAMES[weekdayOf(toDayNumber(day))];
  const name = MONTH_NAMES[Number(month) - 1] ?? "";
  const parts: Readonly<Record<string, string>> = {
    YYYY: year,
    YY: year.slice(2),
    MMMM: name,
    MMM: name.slice(0, 3),
    MM: month,
    M: String(Number(month)),
    Do: ordinal(Number(date)),
    DD: date,
    D: String(Number(date)),
    dddd: weekday,
    ddd: weekday.slice(0, 3),
    HH: hour,
    H: String(Number(hour)),
    hh: inHalf.padStart(2, "0"),
    h: inHalf,
    mm: minute,
    m: String(Number(minute)),
    ss: "00",
    s: "0",
    A: half.toUpperCase(),
    a: half,
  };
  return (format.match(TOKENS) ?? []).map((token) => parts[token] ?? literal(token)).join("");
}
