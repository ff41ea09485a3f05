/** Explains an invalid regular expression: the fault, its position, and what to write instead. */
import { VaultError } from "../errors.js";

export interface PatternProblem {
  readonly message: string;
  /** The faulty part of the expression; undefined: its end. */
  readonly fragment: string | undefined;
}

/** Features that a linear-time engine cannot support, by the fragment at which it stops. */
const UNSUPPORTED: readonly (readonly [fragment: RegExp, name: string])[] = [
  [/^\(\?=|^\(\?!/, "Look-ahead"],
  [/^\(\?<[=!]/, "Look-behind"],
  [/^\\[1-9]|^\\k/, "A backreference"],
  [/^\(\?>/, "An atomic group"],
  [/^[*+?}]\+/, "A possessive repetition"],
];

const HINT = "Correct it (RE2 syntax). A backslash before a special character takes it as it is, such as \\(";

/** @returns VaultError INVALID_ARGUMENT */
export function refusedPattern(pattern: string, problem: PatternProblem): VaultError {
  const { message, fragment = "" } = problem;
  const place = `at character ${placeOf(pattern, problem) + 1}`;
  const feature = UNSUPPORTED.find(([beginning]) => beginning.test(fragment))?.[1];
  if (feature !== undefined)
    return new VaultError("INVALID_ARGUMENT", `${feature} is not supported in a regular expression (${place}).`, {
      hint: "Only what matches in linear time is: no look-around, no backreferences (RE2 syntax).",
    });
  return new VaultError("INVALID_ARGUMENT", `Invalid regular expression ${place}: ${message}.`, { hint: HINT });
}

/** The position of the fault, counted from 0 in UTF-16 units. */
function placeOf(pattern: string, { message, fragment }: PatternProblem): number {
  // For unpaired brackets the engine names the whole expression.
  if (message.startsWith("unexpected )")) return firstUnpaired(pattern);
  if (fragment === undefined || message.startsWith("missing closing )")) return pattern.length;
  const isTail = pattern.endsWith(fragment);
  return Math.max(0, isTail ? pattern.length - fragment.length : pattern.indexOf(fragment));
}

/** The first `)` that closes nothing. */
function firstUnpaired(pattern: string): number {
  let open = 0;
  for (const { 0: part, index } of pattern.matchAll(/\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()]/gsu)) {
    if (part === "(") open++;
    if (part === ")" && --open < 0) return index;
  }
  return pattern.length;
}
