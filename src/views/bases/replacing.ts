/** Replaces and splits texts, by texts and by regular expressions. */
import type { Evaluation } from "./evaluation.js";
import type { Pattern } from "./values.js";

export function replaceText(env: Evaluation, text: string, part: string, by: string): string {
  env.claim(text.length);
  return text.replaceAll(part, () => env.made(by));
}

interface Match {
  readonly start: number;
  readonly end: number;
  /** Null for a group without a part in the match. */
  readonly groups: readonly (string | null)[];
}

/** Visits matches; an empty match moves on by one character. */
function visitMatches(env: Evaluation, text: string, { compiled }: Pattern, visit: (match: Match) => boolean): void {
  env.step(text.length >> 4);
  const matcher = compiled.expression.matcher(text);
  while (matcher.find()) {
    env.step();
    const groups = Array.from({ length: matcher.groupCount() }, (_, at) => matcher.group(at + 1));
    if (!visit({ start: matcher.start(), end: matcher.end(), groups })) return;
  }
}

/** Parts of a replacement, as in JavaScript. */
const PIECES = /\$(?:([$&`'])|(\d\d?)|<([^>]*)>)|[^$]+|\$/g;

function markedPart(mark: string, text: string, { start, end }: Match): string {
  if (mark === "$") return mark;
  return mark === "&" ? text.slice(start, end) : mark === "`" ? text.slice(0, start) : text.slice(end);
}

/** In `$12` with fewer groups the first digit counts alone. Undefined if there is no such group. */
function numberedPart(digits: string, { groups }: Match): string | undefined {
  const read = Number(digits) > groups.length ? digits.slice(0, 1) : digits;
  const group = groups[Number(read) - 1];
  return group === undefined ? undefined : (group ?? "") + digits.slice(read.length);
}

export function replacePattern(env: Evaluation, given: string, pattern: Pattern, by: string): string {
  const { expression, inside, outside } = pattern.compiled;
  const [text, pieces] = [inside(given), inside(by)];
  let [result, done] = ["", 0];
  const add = (piece: string): void => {
    env.claim(piece.length);
    result += piece;
  };
  const names = Object.entries(expression.namedGroups());
  visitMatches(env, text, pattern, (match) => {
    add(text.slice(done, match.start));
    for (const [piece, mark, digits = "", name] of pieces.matchAll(PIECES)) {
      env.step();
      if (mark !== undefined) add(markedPart(mark, text, match));
      else if (name !== undefined && names.length > 0)
        add(match.groups[(names.find(([own]) => own === name)?.[1] ?? 0) - 1] ?? "");
      else add(numberedPart(digits, match) ?? piece);
    }
    done = match.end;
    return pattern.text.includes("g", pattern.text.lastIndexOf("/"));
  });
  add(text.slice(done));
  return outside(result);
}

export function splitPattern(env: Evaluation, given: string, pattern: Pattern): string[] {
  const { expression, inside, outside } = pattern.compiled;
  const text = inside(given);
  if (text === "") return expression.test(text) ? [] : [text];
  const parts: string[] = [];
  let done = 0;
  visitMatches(env, text, pattern, ({ start, end, groups }) => {
    if (end > start || (start > done && start < text.length)) {
      parts.push(text.slice(done, start), ...groups.map((group) => group ?? ""));
      done = end;
    }
    return true;
  });
  return [...parts, text.slice(done)].map(outside);
}
