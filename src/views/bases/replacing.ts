/** Replaces and splits texts, by texts and by regular expressions. */
import type { Evaluation } from "./evaluation.js";
import type { Pattern } from "./values.js";

export function replaceText(env: Evaluation, text: string, part: string, by: string): string {
  const pieces = part === "" ? [text] : text.split(part);
  env.claim(text.length + Math.max(0, pieces.length - 1) * by.length);
  return pieces.join(by);
}

/** Visits matches; an empty match moves on by one character. */
function visitMatches(
  env: Evaluation,
  text: string,
  { expression }: Pattern,
  visit: (start: number, end: number, group: (at: number) => string) => boolean,
): void {
  env.step(text.length >> 4);
  const matcher = expression.matcher(text);
  while (matcher.find()) {
    env.step();
    if (
      !visit(matcher.start(), matcher.end(), (at) => (at > matcher.groupCount() ? `$${at}` : (matcher.group(at) ?? "")))
    )
      return;
  }
}

export function replacePattern(env: Evaluation, text: string, pattern: Pattern, by: string): string {
  let [result, done] = ["", 0];
  const add = (piece: string): void => {
    env.claim(piece.length);
    result += piece;
  };
  visitMatches(env, text, pattern, (start, end, group) => {
    add(text.slice(done, start));
    add(
      by.replace(
        /\$(?:(\$)|(&)|(\d{1,2}))/g,
        (_, dollar: string | undefined, whole: string | undefined, at: string | undefined) =>
          dollar ?? (whole === undefined ? group(Number(at)) : text.slice(start, end)),
      ),
    );
    done = end;
    return pattern.isGlobal;
  });
  add(text.slice(done));
  return result;
}

export function splitPattern(env: Evaluation, text: string, pattern: Pattern): string[] {
  const parts: string[] = [];
  let done = 0;
  visitMatches(env, text, pattern, (start, end) => {
    if (end > start || (start > done && start < text.length)) {
      parts.push(text.slice(done, start));
      done = end;
    }
    return true;
  });
  return [...parts, text.slice(done)];
}
