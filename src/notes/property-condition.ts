/**
 * Conditions on a property: a value, any of several, or a range of numbers or days (docs: notes-and-files, "Dates of notes").
 */
import type { LocalDate } from "../clock.js";
import { parseDay } from "../dates/day-words.js";
import { bareLink } from "../markdown/links/property-links.js";
import { fold } from "../text/fold.js";

type Accepts = (value: string) => boolean;

const COMPARISON = /^\s*(>=|<=|>|<)\s*([^<>=,]+?)\s*(?:,|(?=[<>])|$)/;
const SPAN = /^\s*(\S.*?)\s*\.\.\s*(\S.*?)\s*$/;

const HOLDS: Readonly<Record<string, (order: number) => boolean>> = {
  ">=": (order) => order >= 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  "<": (order) => order < 0,
};

/**
 * Parses a condition: `draft`, `*` for any value, `["a", "b"]`, `>=4`, `>=2 <5`, `2..5`, `> 2025-01-01`. A text that begins
 * like a range but has neither a number nor a day is an ordinary value.
 */
export function propertyCondition(text: string, today: LocalDate): Accepts {
  const list = listIn(text);
  if (list !== undefined) {
    const tests = list.map((one) => propertyCondition(one, today));
    return (value) => tests.some((test) => test(value));
  }
  return rangeIn(text, today) ?? equality(text);
}

/** Compares values without case and accents; a link also equals its target. */
function equality(text: string): Accepts {
  const wanted = folded(text);
  return (value) => wanted === "*" || folded(value) === wanted || folded(bareLink(value)) === wanted;
}

function listIn(text: string): readonly string[] | undefined {
  if (!text.trim().startsWith("[")) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((one) => typeof one === "string") ? list : undefined;
  } catch {
    return undefined;
  }
}

function rangeIn(text: string, today: LocalDate): Accepts | undefined {
  const [, from, to] = SPAN.exec(text) ?? [];
  const comparisons = from === undefined || to === undefined ? comparisonsIn(text) : [">=", from, "<=", to];
  if (comparisons === undefined) return undefined;
  const tests: Accepts[] = [];
  for (let at = 0; at < comparisons.length; at += 2) {
    const test = comparison(HOLDS[comparisons[at] ?? ""], comparisons[at + 1] ?? "", today);
    if (test === undefined) return undefined;
    tests.push(test);
  }
  return (value) => tests.every((test) => test(value));
}

/** Alternating comparison signs and operands; undefined for any other text. */
function comparisonsIn(text: string): readonly string[] | undefined {
  const found: string[] = [];
  for (let rest = text; rest.trim() !== "";) {
    const [all, sign, operand] = COMPARISON.exec(rest) ?? [];
    if (all === undefined || sign === undefined || operand === undefined) return undefined;
    found.push(sign, operand);
    rest = rest.slice(all.length);
  }
  return found.length === 0 ? undefined : found;
}

function comparison(
  holds: ((order: number) => boolean) | undefined,
  operand: string,
  today: LocalDate,
): Accepts | undefined {
  const number = numberIn(operand);
  if (holds && number !== undefined)
    return (value) => {
      const other = numberIn(value);
      return other !== undefined && holds(other - number);
    };
  const day = parseDay(operand, today)?.day;
  if (!holds || day === undefined) return undefined;
  return (value) => {
    const other = parseDay(bareLink(value).slice(0, 40), today);
    return other !== undefined && !other.inWords && holds(other.day < day ? -1 : other.day > day ? 1 : 0);
  };
}

function numberIn(text: string): number | undefined {
  const plain = text.trim();
  return /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)$/.test(plain) ? Number(plain) : undefined;
}

function folded(text: string): string {
  return fold(text.replace(/\s+/gu, " ").trim());
}
