/** Exit codes by error code, and the data of `--json`. */
import { ERROR_CODES, type ErrorCode, type VaultError } from "../errors.js";

export const EXIT_CODES = {
  ok: { number: 0, meaning: "done; of `doctor`: nothing to fix" },
  failed: { number: 1, meaning: "failed for another reason; of `doctor`: something to fix was found" },
  usage: { number: 2, meaning: "an unknown option, or a setting or an argument that is wrong" },
  noVault: { number: 3, meaning: "no vault given, or it is missing, no folder, or not allowed" },
  notFound: { number: 4, meaning: "no such task or file" },
  ambiguous: { number: 5, meaning: "several tasks or files match; the error lists them" },
  refused: { number: 6, meaning: "permission denied, or the vault is opened read-only" },
  tryAgain: { number: 7, meaning: "the storage cannot be reached, took too long or was changed meanwhile: try again" },
  interrupted: { number: 130, meaning: "interrupted (Ctrl-C)" },
} as const;

type Exit = keyof typeof EXIT_CODES;

const EXIT_OF: Readonly<Record<ErrorCode, Exit>> = {
  SERVER_ERROR: "failed",
  OBSIDIAN_NOT_RUNNING: "tryAgain",
  VAULT_NOT_FOUND: "noVault",
  VAULT_NOT_INITIALIZED: "noVault",
  FILE_NOT_FOUND: "notFound",
  AMBIGUOUS_NAME: "ambiguous",
  PERMISSION_DENIED: "refused",
  TIMEOUT: "tryAgain",
  INVALID_ARGUMENT: "usage",
  ALREADY_EXISTS: "failed",
  CONFLICT: "tryAgain",
  TOO_LARGE: "failed",
  NOT_TEXT: "failed",
  UNAVAILABLE: "tryAgain",
};

export function exitCodeOf({ code, isOfSetup }: VaultError): number {
  return EXIT_CODES[isOfSetup ? "usage" : EXIT_OF[code]].number;
}

export function errorData({ code, message, hint, candidates }: VaultError) {
  return { code, number: ERROR_CODES[code].number, message, hint, candidates };
}
