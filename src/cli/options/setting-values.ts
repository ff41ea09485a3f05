/** Reads the text of one setting by its kind, from a flag or an environment variable. */
import { VaultError } from "../../errors.js";
import type { Option } from "./option-kinds.js";

/** The value of a setting that is not given. */
export function defaultOf(option: Option): unknown {
  switch (option.kind) {
    case "switch":
      return false;
    case "texts":
      return [];
    case "choice":
    case "size":
      return option.fallback;
    case "text":
    case "choices":
    case "count":
    case "secret":
    case "address":
    default:
      return undefined;
  }
}

/**
 * @param source the flag or variable, for the error text
 * @param texts all its values, in order
 * @throws VaultError INVALID_ARGUMENT saying what is wrong and what is right
 */
export function readValue(option: Option, source: string, texts: readonly string[]): unknown {
  const text = texts.at(-1) ?? "";
  switch (option.kind) {
    case "switch":
      return readSwitch(source, text);
    case "text":
      if (text.trim() === "") throw misused(source, "is empty");
      return text;
    case "address":
      return text.trim();
    case "secret":
      if (text.trim() === "") throw misused(source, "is empty");
      return source.startsWith("--") || source.endsWith("_FILE") ? { file: text } : { text };
    case "texts":
      if (texts.some((one) => one.trim() === "")) throw misused(source, "is empty");
      return texts;
    case "choice":
      return readChoice(source, text, option.values);
    case "choices":
      return [...new Set(text.split(",").map((one) => readChoice(source, one, option.values)))];
    case "size":
      return readSize(source, text);
    case "count":
    default:
      return readCount(source, text, option.most);
  }
}

function readSwitch(source: string, text: string): boolean {
  if (/^(true|1|yes|on)$/i.test(text)) return true;
  if (/^(false|0|no|off)$/i.test(text)) return false;
  throw misused(source, `is "${text}", which is neither true nor false`);
}

function readCount(source: string, text: string, most: number): number {
  if (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= most) return Number(text);
  throw misused(source, `is "${text}", which is no whole number from 1 to ${most}`);
}

/** Case, spaces, `-` and `_` do not matter. */
function readChoice(source: string, text: string, values: readonly string[]): string {
  const fold = (word: string) => word.toLowerCase().replace(/[\s_-]/g, "");
  const found = values.find((value) => fold(value) === fold(text));
  if (found !== undefined) return found;
  throw misused(source, `is "${text}", which is none of ${values.join(", ")}`);
}

const SIZE_UNITS: Readonly<Record<string, number>> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

function readSize(source: string, text: string): number {
  const match = /^(\d{1,12})\s*([kmg]?)i?b?$/i.exec(text.trim());
  const size = Number(match?.[1]) * (SIZE_UNITS[match?.[2]?.toLowerCase() ?? ""] ?? 1);
  if (match && size > 0 && Number.isSafeInteger(size)) return size;
  throw misused(source, `is "${text}", which is no size such as 10485760, 512k or 10M`);
}

/** The refusal of a setting: `source` names it, `what` says why. */
export function misused(source: string, what: string, hint = "See --help for all options and commands."): VaultError {
  return new VaultError("INVALID_ARGUMENT", `${source} ${what}.`, { hint });
}
