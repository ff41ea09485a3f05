/** Kinds of options, and how to read them. */
import { VaultError } from "../../errors.js";
import type { CommandName } from "../command-names.js";

/** `read` translates other programs' values; undefined: not for us. */
type EnvironmentName =
  | string
  | { readonly name: string; readonly note: string; readonly read: (text: string) => string | undefined };

interface RowDetails {
  readonly short?: `-${string}`;
  readonly environment?: readonly EnvironmentName[];
  /** Default: the server and every command. */
  readonly usedBy?: readonly (CommandName | "server")[];
}

type OptionRow = RowDetails & { readonly help: string } & (
    | { readonly kind: "switch" | "secret" | "address" }
    | { readonly kind: "text" | "texts"; readonly placeholder: string }
    | { readonly kind: "choice"; readonly values: readonly string[]; readonly fallback?: string }
    | { readonly kind: "choices"; readonly values: readonly string[]; readonly isOpen?: boolean }
    | { readonly kind: "size"; readonly fallback: number }
    | { readonly kind: "count"; readonly most: number }
  );

export const toggle = (help: string, details?: RowDetails) => ({ kind: "switch", help, ...details }) as const;

/** A variable that does not end in `_FILE` is the secret itself. */
export const secret = (help: string, details?: RowDetails) => ({ kind: "secret", help, ...details }) as const;

/** `[host:]port`; empty without a value. */
export const address = (help: string, details?: RowDetails) => ({ kind: "address", help, ...details }) as const;

export const text = (placeholder: string, help: string, details?: RowDetails) =>
  ({ kind: "text", placeholder, help, ...details }) as const;

export const texts = (placeholder: string, help: string, details?: RowDetails) =>
  ({ kind: "texts", placeholder, help, ...details }) as const;

export const choice = <const Value extends string, Details extends RowDetails & { readonly fallback?: string }>(
  values: readonly Value[],
  help: string,
  details: Details,
) => ({ kind: "choice", values, help, ...details }) as const;

/** `isOpen` takes other words too. */
export const choices = <const Value extends string, Details extends RowDetails & { readonly isOpen?: boolean }>(
  values: readonly Value[],
  help: string,
  details: Details,
) => ({ kind: "choices", values, help, ...details }) as const;

/** With `k`, `M` and `G` (1024-based, also `B` or `iB`). */
export const size = (fallback: number, help: string, details?: RowDetails) =>
  ({ kind: "size", fallback, help, ...details }) as const;

/** From 1. */
export const upTo = (most: number, help: string, details?: RowDetails) =>
  ({ kind: "count", most, help, ...details }) as const;

export type Option = OptionRow & { readonly flag: `--${string}` };

/** A secret's flag ends in `-file`. */
export function optionTable<const Rows extends Readonly<Record<string, OptionRow>>>(rows: Rows) {
  const options = Object.entries(rows).map(([name, row]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return [name, { ...row, flag: row.kind === "secret" ? `${flag}-file` : flag }];
  });
  return Object.fromEntries(options) as { readonly [Name in keyof Rows]: Rows[Name] & Pick<Option, "flag"> };
}

export function isUsedBy({ usedBy }: Option, user: CommandName | "server"): boolean {
  return usedBy?.includes(user) ?? true;
}

export type SecretSetting = { readonly text: string } | { readonly file: string };

type ValueOf<O> = O extends { readonly isOpen: boolean }
  ? string
  : O extends { readonly values: readonly (infer Value)[] }
    ? Value
    : never;

interface Settings<O> {
  readonly switch: boolean;
  readonly text: string | undefined;
  readonly texts: readonly string[];
  readonly choice: ValueOf<O> | (O extends { readonly fallback: string } ? never : undefined);
  readonly choices: readonly ValueOf<O>[] | undefined;
  readonly size: number;
  readonly count: number | undefined;
  readonly secret: SecretSetting | undefined;
  readonly address: string | undefined;
}

export type SettingOf<O extends { readonly kind: OptionRow["kind"] }> = Settings<O>[O["kind"]];

export function defaultOf(option: Option): unknown {
  if (option.kind === "switch") return false;
  if (option.kind === "texts") return [];
  return "fallback" in option ? option.fallback : undefined;
}

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
      return readChoice(source, text, option);
    case "choices":
      return [...new Set(texts.flatMap((one) => one.split(",")).map((one) => readChoice(source, one, option)))];
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

/** Ignores case, spaces, `-` and `_`. */
function readChoice(
  source: string,
  text: string,
  { values, isOpen = false }: { readonly values: readonly string[]; readonly isOpen?: boolean },
): string {
  const fold = (word: string) => word.toLowerCase().replace(/[\s_-]/g, "");
  const found = values.find((value) => fold(value) === fold(text));
  if (found !== undefined) return found;
  if (isOpen && text.trim() !== "") return text.trim();
  throw misused(source, `is "${text}", which is none of ${values.join(", ")}`);
}

const SIZE_UNITS: Readonly<Record<string, number>> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

function readSize(source: string, text: string): number {
  const match = /^(\d{1,12})\s*([kmg]?)i?b?$/i.exec(text.trim());
  const size = Number(match?.[1]) * (SIZE_UNITS[match?.[2]?.toLowerCase() ?? ""] ?? 1);
  if (match && size > 0 && Number.isSafeInteger(size)) return size;
  throw misused(source, `is "${text}", which is no size such as 10485760, 512k or 10M`);
}

export function misused(source: string, what: string, hint = "See --help for all options and commands."): VaultError {
  return new VaultError("INVALID_ARGUMENT", `${source} ${what}.`, { hint });
}
