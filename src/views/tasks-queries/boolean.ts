/** Filters joined by AND, OR, XOR and NOT, each in one kind of brackets. */
import { type Filter, negated, withOperator } from "./filter-sql.js";
import { Misread, MISREAD } from "../answer.js";

const BRACKETS = ["()", "[]", "{}", '""'];
const LOOSEST_FIRST = ["OR", "AND", "XOR"] as const;
const MAX_DEPTH = 64;

export const looksCombined = (text: string): boolean =>
  /(?:AND|OR|XOR|NOT)\s*[([{"]/.test(text) || /[([{"].+[)\]}"]/.test(text);

type ReadPart = (text: string, depth: number) => Filter;

/** @throws Misread */
export function combined(text: string, depth: number, readPart: ReadPart): Filter {
  const bare = text.replace(/^[A-Z ]*\s*/, "");
  const [open = "", close = ""] =
    BRACKETS.find(([open = "", close = ""]) => bare.startsWith(open) && text.endsWith(close)) ?? "";
  if (close === "")
    throw new Misread('each filter that is joined by AND, OR, XOR or NOT stands in one kind of ( ), [ ], { } or " "');
  let rest = text;
  const next = `(?:(?:AND|OR)(?: +NOT)?|XOR)\\s*\\${open}`;
  const operatorAhead = new RegExp(`^\\s*(?=${next})(AND|OR|XOR)`);
  const notInside = new RegExp(`NOT\\s*\\${open}`);
  /** What may follow the bracket that closes a filter. */
  const endAhead = new RegExp(`^[\\s\\${close}]*(?:$|${next})`);

  function joined(level: number, depth: number): Filter {
    if (level === LOOSEST_FIRST.length) return single(depth);
    let filter = joined(level + 1, depth);
    for (;;) {
      const [read = "", operator] = operatorAhead.exec(rest) ?? [];
      const wanted = LOOSEST_FIRST[level];
      if (operator === undefined || operator !== wanted) return filter;
      rest = rest.slice(read.length);
      filter = withOperator(wanted, filter, joined(level + 1, depth));
    }
  }

  function single(depth: number): Filter {
    if (depth >= MAX_DEPTH) throw new Misread(`brackets are nested deeper than ${MAX_DEPTH} levels`);
    rest = rest.trimStart();
    if (startsWithNot()) {
      rest = rest.slice(3);
      return negated(single(depth));
    }
    take(open);
    rest = rest.trimStart();
    if (open === close || !(rest.startsWith(open) || startsWithNot())) return readPart(part(), depth + 1);
    const filter = joined(0, depth + 1);
    rest = rest.trimStart();
    take(close);
    return filter;
  }

  function take(bracket: string): void {
    if (!rest.startsWith(bracket)) throw malformed();
    rest = rest.slice(1);
  }

  function startsWithNot(): boolean {
    return rest.startsWith("NOT") && rest.slice(3).trimStart().startsWith(open);
  }

  /** May contain the bracket itself, such as in a regular expression. */
  function part(): string {
    for (let end = rest.indexOf(close); end >= 0; end = rest.indexOf(close, end + 1)) {
      const behind = rest.slice(end + 1);
      if (!endAhead.test(behind)) continue;
      const own = rest.slice(0, end).trim();
      // The plugin reads NOT inside a filter as an operator, and then refuses the line.
      if (notInside.test(own)) throw new Misread(MISREAD.between);
      rest = behind;
      return own;
    }
    throw malformed();
  }

  function malformed(): Misread {
    const near = rest.trim() === "" ? "its end" : `"${rest.trim().slice(0, 40)}"`;
    return new Misread(`the combination of filters is not understood at ${near}`);
  }

  const filter = joined(0, depth);
  if (rest.trim() !== "") throw malformed();
  return filter;
}
