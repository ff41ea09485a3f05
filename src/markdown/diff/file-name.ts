/** Reads the file name in a header line of a unified diff: removes its time stamp and git's quotes. */

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** @param rest the text after `---` or `+++` */
export function readFileName(rest: string): string {
  const name = rest.replace(/^ /, "").split("\t", 1)[0]?.trimEnd() ?? "";
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(name)?.[1];
  return quoted === undefined ? name : unquoted(quoted);
}

/** Git writes bytes beyond ASCII as three octal digits (`"caf\303\251.md"`). */
function unquoted(quoted: string): string {
  const bytes: Buffer[] = [];
  for (const [part] of quoted.matchAll(/[^\\]+|\\[0-3][0-7]{2}|\\./gu)) {
    if (!part.startsWith("\\")) bytes.push(Buffer.from(part));
    else if (part.length === 4) bytes.push(Buffer.of(Number.parseInt(part.slice(1), 8)));
    else bytes.push(Buffer.from(String.fromCodePoint(ESCAPES[part.charAt(1)] ?? part.codePointAt(1) ?? 0)));
  }
  return Buffer.concat(bytes).toString("utf8");
}
