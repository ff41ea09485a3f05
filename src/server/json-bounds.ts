/** Limits a JSON text before parsing: small values take a hundred times their bytes in memory. */

/** Values and field names; parsed within 0.1 s. */
const MAX_VALUES = 200_000;
const MAX_DEPTH = 1_000;

export const JSON_BOUNDS = "at most 200,000 values and names of fields, nested at most 1,000 deep";

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Invalid JSON may pass: the parser rejects it. */
export function isWithinBounds(bytes: Uint8Array): boolean {
  if (bytes.length <= MAX_DEPTH) return true;
  let values = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COMMA || byte === COLON) values++;
    else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
      values++;
      depth++;
    } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) depth--;
    if (values > MAX_VALUES || depth > MAX_DEPTH) return false;
  }
  return true;
}

/** Bytes. */
const MAX_ID = 256;
const ID = Buffer.from('"id"');

/** Of an unparsed message. */
export function idOf(bytes: Uint8Array): string | number | undefined {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = endOfString(bytes, at);
      const found = depth === 1 && ID.equals(bytes.subarray(at, end + 1)) ? scalarAfter(bytes, end + 1) : undefined;
      if (found !== undefined) return found;
      at = end;
    } else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) depth++;
    else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) depth--;
  }
  return undefined;
}

function scalarAfter(bytes: Uint8Array, start: number): string | number | undefined {
  const rest = Buffer.from(bytes.subarray(start, start + MAX_ID)).toString("utf8");
  const [, value] = /^\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?)\s*[,}]/.exec(rest) ?? [];
  try {
    const id: unknown = value === undefined ? undefined : JSON.parse(value);
    return typeof id === "string" || typeof id === "number" ? id : undefined;
  } catch {
    return undefined;
  }
}

function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
