/** Reads plain YAML scalars, and writes strings that read back equal. */

const NULL = /^(?:~|[Nn]ull|NULL)?$/;
const INTEGER = /^[-+]?[0-9]+$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)$/;
const EXPONENT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+$/;
const INFINITE = /^[-+]?\.(?:inf|Inf|INF)$/;
/** Most texts that begin with a digit are days, not numbers. */
const DAY = /^[0-9]{4}-[0-9]{2}/;
const NOT_A_NUMBER = /^\.(?:nan|NaN|NAN)$/;

/** As YAML 1.2 core; dates stay text. */
export function resolvePlain(text: string): string | number | boolean | null {
  const first = text.charCodeAt(0);
  if (first >= 48 && first <= 57) return resolveNumber(text);
  switch (text[0]) {
    case "+":
    case "-":
    case ".":
      return resolveNumber(text);
    case undefined:
    case "~":
    case "n":
    case "N":
      return NULL.test(text) ? null : text;
    case "t":
    case "T":
      return text === "true" || text === "True" || text === "TRUE" ? true : text;
    case "f":
    case "F":
      return text === "false" || text === "False" || text === "FALSE" ? false : text;
    default:
      return text;
  }
}

/** Not `007`, `+49`. */
export const keepsDigits = (text: string): boolean => /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,14})?$/.test(text.trim());

function resolveNumber(text: string): string | number {
  if (DAY.test(text)) return text;
  if (INTEGER.test(text)) return Number.parseInt(text, 10);
  if (FLOAT.test(text) || EXPONENT.test(text)) return Number.parseFloat(text);
  if (/^0o[0-7]+$/.test(text)) return Number.parseInt(text.slice(2), 8);
  if (/^0x[0-9a-fA-F]+$/.test(text)) return Number.parseInt(text.slice(2), 16);
  if (INFINITE.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  return NOT_A_NUMBER.test(text) ? Number.NaN : text;
}

export type ScalarStyle = "plain" | "single" | "double";

interface ScalarOptions {
  readonly style: ScalarStyle;
  /** Some readers may take it for a number, boolean or date. */
  readonly plain: boolean;
  /** Commas and brackets need quotes. */
  readonly inFlow: boolean;
}

/** Quoted only when necessary. */
export function writeScalar(text: string, { style, plain, inFlow }: ScalarOptions): string {
  const value = resolvePlain(text);
  if (plain && style === "plain" && typeof value === "number") return text;
  if (style === "plain" && isSafePlain(text, inFlow) && (plain ? value !== null : staysString(text))) return text;
  return style === "single" && !NEEDS_ESCAPE.test(text) ? `'${text.replaceAll("'", "''")}'` : doubleQuoted(text);
}

/** `"[[Roof]]"`. */
export const withoutLinkQuotes = (text: string): string => text.replace(/^(["'])(!?\[\[[^[\]]+\]\])\1$/, "$2");

/** In double quotes. */
const NEEDS_ESCAPE = /[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]/u;
const UNSAFE_START = /^[-?:,[\]{}#&*!|>'"%@`=\s]/;
const UNSAFE_INSIDE = /:\s|\s#|[\s:]$/;

function isSafePlain(text: string, inFlow: boolean): boolean {
  if (text === "" || UNSAFE_START.test(text) || UNSAFE_INSIDE.test(text) || NEEDS_ESCAPE.test(text)) return false;
  return !(inFlow && /[,[\]{}]/.test(text)) && !/^(?:\.\.\.|<<$)/.test(text);
}

/** Read as a boolean, number, time or date. */
const YAML_1_1 =
  /^(?:[yn]|yes|no|on|off)$|^[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-f_]+|[0-9][0-9_]*(?::[0-5]?[0-9])*(?:\.[0-9_]*)?(?:e[-+]?[0-9]+)?|\.[0-9_]+(?:e[-+]?[0-9]+)?)$|^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:$|[Tt\s])/i;

function staysString(text: string): boolean {
  return typeof resolvePlain(text) === "string" && !YAML_1_1.test(text);
}

const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function doubleQuoted(text: string): string {
  const escaped = text.replace(
    /["\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]/gu,
    (char) => ESCAPES[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `"${escaped}"`;
}

/** Quoted unless surely text. */
export function writeKey(key: string): string {
  return writeScalar(key, { style: "plain", plain: false, inFlow: true });
}
