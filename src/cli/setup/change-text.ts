/** Shows the change of a configuration as lines with + and -, without the values of anything that is not ours. */

/** Lines shown before and after a change. */
const CONTEXT = 2;
const JSON_STRING = /"(?:[^"\\\n]|\\.)*"(\s*:)?/g;
const TOML_STRING = /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"(?=\s*[.\]=])|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g;

/**
 * @param own values that may be shown; other servers' may be keys and tokens
 * @returns one line of the text each, with its mark in front
 */
export function changeLines(before: string, after: string, format: "json" | "toml", own: readonly string[]): string[] {
  const [old, now] = [before, after].map((text) => linesOf(withoutValues(text, format, new Set(own))));
  if (!old || !now) return [];
  const begin = commonLength(old, now);
  const end = commonLength(old.slice(begin).reverse(), now.slice(begin).reverse());
  const mark = (sign: string, lines: readonly string[]): string[] => lines.map((line) => `${sign} ${line}`.trimEnd());
  return [
    ...mark(" ", old.slice(Math.max(0, begin - CONTEXT), begin)),
    ...mark("-", old.slice(begin, old.length - end)),
    ...mark("+", now.slice(begin, now.length - end)),
    ...mark(" ", old.slice(old.length - end, old.length - end + CONTEXT)),
  ];
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  const different = one.findIndex((line, index) => line !== other[index]);
  return different < 0 ? one.length : different;
}

function withoutValues(text: string, format: "json" | "toml", own: ReadonlySet<string>): string {
  const shown = (literal: string): boolean => own.has(literal.slice(1, -1)) || own.has(unquoted(literal));
  if (format === "json") {
    return text.replace(JSON_STRING, (literal, colon: string | undefined) =>
      colon !== undefined || shown(literal) ? literal : '"…"',
    );
  }
  return text.replace(TOML_STRING, (literal: string, offset: number) => {
    const isKey = !/^("""|''')/.test(literal) && /^\s*[.\]=]/.test(text.slice(offset + literal.length));
    return isKey || shown(literal) ? literal : '"…"';
  });
}

function unquoted(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
}
