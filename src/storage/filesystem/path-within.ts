/** Where in a vault's folder an absolute path of this machine lies. */
import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";

/**
 * The path from the vault's root, with forward slashes; undefined for what does not lie in the vault. A network path is not even looked at:
 * looking would call the machine it names.
 * @param folder the vault, links followed
 * @param name the vault as it was named
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
  // What climbs is refused, also where it would come back.
  return isBelow && !/(^|[\\/])\.\.([\\/]|$)/.test(path) ? rest.replaceAll(sep, "/") : undefined;
}
