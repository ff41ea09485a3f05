/** Reads `obsidian://open?vault=...&file=...`, the links that Obsidian makes. */
import { VaultError } from "../errors.js";

const BEGINNING = "obsidian://";

export function isObsidianUri(text: string): boolean {
  return text.slice(0, BEGINNING.length).toLowerCase() === BEGINNING;
}

/**
 * The path or name that such a link opens, not validated. An absolute path begins with a slash or a drive. @param vaultNames
 * the names of this vault @throws VaultError INVALID_ARGUMENT when it opens nothing, or something of another vault
 */
export function obsidianTarget(text: string, vaultNames: readonly string[]): string {
  const { vault, target } = partsOf(text);
  if (target === undefined || target === "") throw opensNothing();
  if (vault !== undefined && !vaultNames.some((name) => sameName(name, vault)))
    throw new VaultError("INVALID_ARGUMENT", "The link opens another vault.", {
      hint: "Give the path of the note in this vault.",
    });
  return target;
}

interface LinkParts {
  readonly vault?: string | undefined;
  readonly target?: string | undefined;
}

function partsOf(text: string): LinkParts {
  const rest = text.slice(BEGINNING.length);
  const [, shortVault, shortFile] = /^vault\/([^/?#]+)\/([^?#]+)/i.exec(rest) ?? [];
  if (shortVault !== undefined) return { vault: decoded(shortVault), target: decoded(shortFile ?? "") };
  if (rest.startsWith("/")) return { target: decoded(rest.replace(/[?#].*$/s, "")) };
  const [, query] = /^open\/?\?(.*)$/is.exec(rest) ?? [];
  if (query === undefined) throw opensNothing();
  const given = new Map(
    query
      .replace(/#.*$/s, "")
      .split("&")
      .map((pair) => {
        const [name = "", ...value] = pair.split("=");
        return [name.toLowerCase(), decoded(value.join("="))] as const;
      }),
  );
  const path = given.get("path");
  // An absolute path determines the vault.
  return path === undefined ? { vault: given.get("vault"), target: given.get("file") } : { target: path };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw opensNothing();
  }
}

function sameName(a: string, b: string): boolean {
  return a.normalize("NFC").toLowerCase() === b.normalize("NFC").toLowerCase();
}

function opensNothing(): VaultError {
  return new VaultError("INVALID_ARGUMENT", "The link opens no file of a vault.", {
    hint: "Such links look like obsidian://open?vault=Name&file=folder%2Fnote.",
  });
}
