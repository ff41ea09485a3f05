/** What a row of the option table may be, and the value each kind has after parsing. */
import type { CommandName } from "../commands.js";

/** An environment variable that sets an option. `read` translates values of other programs; undefined: the value is not meant for us. */
export type EnvironmentName =
  | string
  | { readonly name: string; readonly note: string; readonly read: (text: string) => string | undefined };

interface Row {
  readonly flag: `--${string}`;
  readonly short?: `-${string}`;
  /** The first variable that is set and not empty counts; a flag on the command line overrides all of them. */
  readonly environment?: readonly EnvironmentName[];
  readonly help: string;
  /** `all`: the server and every command; otherwise the server, or the commands named. */
  readonly usedBy: "all" | readonly (CommandName | "server")[];
}
interface Switch extends Row {
  readonly kind: "switch";
}
interface Text extends Row {
  readonly kind: "text";
  readonly placeholder: string;
}
interface Texts extends Row {
  /** Repeatable. */
  readonly kind: "texts";
  readonly placeholder: string;
}
interface Choice extends Row {
  readonly kind: "choice";
  readonly values: readonly string[];
  readonly fallback?: string;
}
interface Choices extends Row {
  /** Comma-separated. */
  readonly kind: "choices";
  readonly values: readonly string[];
}
interface Size extends Row {
  /** Bytes; `k`, `M` and `G` (1024-based, also with `B` or `iB`) are understood. */
  readonly kind: "size";
  readonly fallback: number;
}
interface Count extends Row {
  readonly kind: "count";
  readonly most: number;
}
interface Secret extends Row {
  /** The flag and a variable that ends in `_FILE` name a file that holds it, any other variable is the secret itself. */
  readonly kind: "secret";
}
interface Address extends Row {
  /** `[host:]port`; the flag may stand alone, which gives an empty text. */
  readonly kind: "address";
}
export type Option = Switch | Text | Texts | Choice | Choices | Size | Count | Secret | Address;

/** A value that must not appear in command lines, logs and answers. */
export type SecretSetting = { readonly text: string } | { readonly file: string };

/** The value an option has after parsing. */
export type SettingOf<O extends Option> = O extends { readonly kind: "switch" }
  ? boolean
  : O extends { readonly kind: "texts" }
    ? readonly string[]
    : O extends { readonly kind: "choice"; readonly values: readonly (infer V)[]; readonly fallback: string }
      ? V
      : O extends { readonly kind: "choice"; readonly values: readonly (infer V)[] }
        ? V | undefined
        : O extends { readonly kind: "choices"; readonly values: readonly (infer V)[] }
          ? readonly V[] | undefined
          : O extends { readonly kind: "size" }
            ? number
            : O extends { readonly kind: "count" }
              ? number | undefined
              : O extends { readonly kind: "secret" }
                ? SecretSetting | undefined
                : string | undefined;
