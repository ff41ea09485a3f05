/** Converts an absolute path of this machine to a path in the vault. */
import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";

/**
 * The path from the vault's root, with forward slashes; undefined for a path outside the vault. Network paths are not
 * opened, because that would contact the machine they name. @param folder the vault, links resolved @param name the
 * vault as the user named it
 */
export async function pathWithin(folder: string, name: string, absolute: string): Promise<string | undefined> {
  if (!isAbsolute(absolute) || /^[\\/]{2}/.test(absolute)) return undefined;
  const plain = below(folder, absolute) ?? below(resolve(name), absolute);
  if (plain !== undefined) return plain;
  try {
    return below(folder, await realpath(absolute));
  } catch {
    return undefined;
  }
}

function below(folder: string, path: string): string | undefined {
  const rest = relative(folder, path);
  const isBelow = rest !== "" && rest !== ".." && !rest.startsWith(`..${sep}`) && !isAbsolute(rest);
  // `..` is refused, also where the path would return into the vault.
  return isBelow && !/(^|[\\/])\.\.([\\/]|$)/.test(path) ? rest.replaceAll(sep, "/") : undefined;
}
