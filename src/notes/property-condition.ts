/** Conditions on the values of a property (docs: notes-and-files, "Dates of notes"). */
import { parseJson } from "../text/decoded.js";
import type { LocalDate } from "../clock.js";
import { joined, type Wording } from "../text/wording.js";
import {
  type DayRange,
  echoDay,
  echoDayRange,
  isInRange,
  parseDay,
  parseDayRange,
  requireDayRange,
} from "../dates/read-day.js";
import { parseWrittenDay } from "../dates/days.js";
import { VaultError } from "../errors.js";
import { bareLink } from "../markdown/links/property-links.js";
import { fold } from "../text/fold.js";

export type Accepts = (value: string) => boolean;

interface PropertyCondition {
  readonly accepts: Accepts;
  /** `none`: notes without a value match, too. `not`: those match whose values `accepts` rejects. */
  readonly kind: "value" | "none" | "not";
  /** How days were read. */
  readonly echo?: Wording | undefined;
  /** For a list or a negation, its plain values. */
  readonly values?: readonly { readonly text: string; readonly accepts: Accepts }[];
  /** A sign without a number or day: matches only this text. */
  readonly unread?: boolean;
}

const COMPARISON = /^\s*(>=|<=|>|<|=)\s*([^<>=,]+?)\s*(?:,|(?=[<>])|$)/;
const SPAN = /^\s*(?:(\S.*?)\s*\.\.\s*(\S.*?)|(\S.*?) to (\S.*?))\s*$/;
const NEGATION = /^\s*(?:!=?|≠|<>|not\s)\s*(?=\S)/i;
/** Signs that no ordinary value begins with. */
const SIGN = /^\s*[<>=!≤≥]/;
const EQUALS = /^\s*=\s*(?=[^\s<>=])/;

const HOLDS: Readonly<Record<string, (order: number) => boolean>> = {
  ">=": (order) => order >= 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  "<": (order) => order < 0,
  "=": (order) => order === 0,
};

/**
 * `draft`, `*` or `any`, `none`, `!draft`, `["a", "b"]`, `>=4`, `4+`, `>=2 <5`, `2..5`, `> 2025-01-01`, `next 30 days`.
 * A value with this very text also matches.
 * @param name the property, for messages
 * @param written its values; of these in a list it is not said how they were read
 * @throws VaultError INVALID_ARGUMENT for a range that ends before it begins
 */
export function propertyCondition(
  name: string,
  text: string,
  today: LocalDate,
  written: readonly string[] = [],
): PropertyCondition {
  const isText = equality(text);
  const list = listIn(text);
  if (list !== undefined) {
    const tests = list.map((one) => {
      const condition = propertyCondition(name, one, today);
      return Object.assign(condition, { text: one, echo: written.some(equality(one)) ? undefined : condition.echo });
    });
    const values = tests.filter(({ kind, echo }) => kind === "value" && echo === undefined);
    return { ...anyOf(tests), values };
  }
  const word = fold(text.trim());
  if (word === "*") return { kind: "value", accepts: () => true };
  if (word === "any") return { kind: "value", accepts: (value) => value !== "" };
  if (word === "none") return { kind: "none", accepts: isText };
  const negation = NEGATION.exec(text);
  if (negation) return not(text.slice(negation[0].length), name, today, written);
  const plain = plainSigns(text);
  const range = compared(name, plain, today);
  if (range) return { kind: "value", accepts: (value) => isText(value) || range.accepts(value), echo: range.echo };
  const [equals] = EQUALS.exec(plain) ?? [];
  if (equals !== undefined) return { kind: "value", accepts: equality(plain.slice(equals.length)) };
  return { kind: "value", accepts: isText, unread: SIGN.test(text) };
}

/** Ignores case and accents; a link equals its target. */
export function equality(text: string): Accepts {
  const wanted = folded(text);
  return (value) => folded(value) === wanted || folded(bareLink(value)) === wanted;
}

function not(text: string, name: string, today: LocalDate, written: readonly string[]): PropertyCondition {
  const condition = propertyCondition(name, text, today, written);
  if (condition.kind === "none") return { kind: "value", accepts: (value) => value !== "" };
  const { echo, accepts, values = echo === undefined ? [{ text, accepts }] : [] } = condition;
  return { ...condition, kind: "not", values };
}

function echoesOf(tests: readonly Pick<PropertyCondition, "echo">[]): Wording | undefined {
  const echoes = tests.flatMap(({ echo }) => echo ?? []);
  return echoes.length === 0 ? undefined : joined(echoes, " ");
}

function anyOf(tests: readonly PropertyCondition[]): PropertyCondition {
  const isNone = tests.some(({ kind }) => kind === "none");
  return {
    kind: isNone ? "none" : "value",
    accepts: (value) =>
      tests.some(({ kind, accepts }) => (kind === "not" ? value !== "" && !accepts(value) : accepts(value))),
    echo: echoesOf(tests),
  };
}

function listIn(text: string): readonly string[] | undefined {
  const list = text.trim().startsWith("[") ? parseJson(text) : undefined;
  const isPlain = (one: unknown) => typeof one === "string" || typeof one === "number" || typeof one === "boolean";
  return Array.isArray(list) && list.length > 0 && list.every(isPlain) ? list.map(String) : undefined;
}

/** `≥4`, `=>4` and `4+` as `>=4`. */
const plainSigns = (text: string): string =>
  text
    .replace(/≥|=>/g, ">=")
    .replace(/≤|=</g, "<=")
    .replace(/==/g, "=")
    .replace(/^\s*(\d[\d.]*)\s*\+\s*$/, ">=$1");

interface Compared {
  readonly accepts: Accepts;
  readonly echo?: Wording | undefined;
}

function compared(name: string, text: string, today: LocalDate): Compared | undefined {
  const [from, to] = (SPAN.exec(text)?.slice(1).filter(Boolean) ?? []).map(numberIn);
  if (from !== undefined && to !== undefined) {
    if (from > to) throw reversed(name, text, `${to}..${from}`);
    return { accepts: (value) => isBetween(numberIn(value), from, to) };
  }
  return comparisons(name, text, today) ?? days(name, text, today);
}

function reversed(name: string, text: string, other: string): VaultError {
  return new VaultError("INVALID_ARGUMENT", `${name} "${text.trim()}" ends before it begins: no value is in it.`, {
    hint: `Write ${other}.`,
  });
}

const isBetween = (value: number | undefined, from: number, to: number): boolean =>
  value !== undefined && value >= from && value <= to;

function days(name: string, text: string, today: LocalDate): Compared | undefined {
  const range = parseDayRange(text, today) && requireDayRange(name, text, today);
  if (range === undefined || range.kind === "none" || range.kind === "any") return undefined;
  const isIn = (day: LocalDate): boolean => (range.kind === "days" ? isInRange(day, range) : day < today);
  return { accepts: ofDay(isIn), echo: echoOf(name, text, range, today) };
}

function echoOf(name: string, text: string, range: DayRange, today: LocalDate): Wording | undefined {
  if (range.kind === "overdue") return `Read ${name} "${text}" as days before ${today}.`;
  return echoDayRange(name, text, range, today);
}

const ofDay =
  (holds: (day: LocalDate) => boolean): Accepts =>
  (value) => {
    const day = parseWrittenDay(bareLink(value).slice(0, 40))?.day;
    return day !== undefined && holds(day);
  };

/** All must hold. */
function comparisons(name: string, text: string, today: LocalDate): Compared | undefined {
  const tests: Compared[] = [];
  for (let rest = text; rest.trim() !== "";) {
    const [all, sign = "", operand = ""] = COMPARISON.exec(rest) ?? [];
    const test = all === undefined ? undefined : comparison(name, HOLDS[sign], operand, today);
    if (all === undefined || test === undefined) return undefined;
    tests.push(test);
    rest = rest.slice(all.length);
  }
  if (tests.length === 0) return undefined;
  return {
    accepts: (value) => tests.every(({ accepts }) => accepts(value)),
    echo: echoesOf(tests),
  };
}

function comparison(
  name: string,
  holds: ((order: number) => boolean) | undefined,
  operand: string,
  today: LocalDate,
): Compared | undefined {
  const number = numberIn(operand);
  if (holds && number !== undefined)
    return {
      accepts: (value) => {
        const other = numberIn(value);
        return other !== undefined && holds(other - number);
      },
    };
  const read = parseDay(operand, today);
  if (!holds || read === undefined) return undefined;
  const { day } = read;
  return {
    accepts: ofDay((other) => holds(other < day ? -1 : other > day ? 1 : 0)),
    echo: echoDay(name, operand, read, today),
  };
}

function numberIn(text: string): number | undefined {
  const plain = text.trim();
  return /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)$/.test(plain) ? Number(plain) : undefined;
}

function folded(text: string): string {
  return fold(text.replace(/\s+/gu, " ").trim());
}
