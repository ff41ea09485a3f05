/** Checks a path before something new is put there: names that every system and every link can hold, and nothing alike in the way. */
import { VaultError } from "../errors.js";
import { foldName, joinPath, ROOT, type VaultPath } from "../storage/path.js";
import type { FolderEntry } from "../storage/storage.js";
import type { Vault } from "./vault.js";

/** What no file name can hold in Obsidian; the last five would end a link (docs: obsidian, "Links"). */
const FORBIDDEN = /[\\:*?"<>|#^[\]]/;

/** Zero widths, soft hyphens, direction marks, tags and the like. A joiner between two pictures makes another picture of them. */
const INVISIBLE = /(?<!\p{Extended_Pictographic}\ufe0f?)\u200d|(?!\u200d)\p{Default_Ignorable_Code_Point}/gu;

/** What a reader sees of a name: two of one look are one to a person, and some also to a system. */
export function lookOf(name: string): string {
  return foldName(/^[\x20-\x7e]*$/.test(name) ? name : name.replace(INVISIBLE, ""));
}

/**
 * What stands at a path already, in whatever case or Unicode form, since some systems take such names for one, and with whatever
 * invisible characters, since no reader can tell such names apart; undefined when the place is free. Only the parts of the path that are new are looked at closely: an oddly named folder that is there may be used.
 * @param from what is to be moved there; it is not in its own way, and its names may be kept
 * @throws VaultError INVALID_ARGUMENT for a name that cannot be, ALREADY_EXISTS when a folder of the path differs from an existing
 *   one in case, Unicode form or invisible characters alone
 */
export async function occupantOf(
  vault: Pick<Vault, "children">,
  path: VaultPath,
  from?: VaultPath,
): Promise<FolderEntry | undefined> {
  const kept = new Set(from?.split("/"));
  const names = path.split("/");
  let folder = ROOT;
  let entries = await vault.children(folder);
  for (const [index, name] of names.entries()) {
    const look = lookOf(name);
    const place = joinPath(folder, name);
    const same = entries?.find((entry) => entry.name === name);
    if (!same && !kept.has(name)) assertName(name, path);
    const alike = same ?? entries?.find((entry) => entry.path !== from && lookOf(entry.name) === look);
    if (index === names.length - 1) return alike?.path === from ? undefined : alike;
    if (alike && !same) throw differsInCase(alike, place);
    folder = place;
    entries = same && (await vault.children(folder));
  }
  return undefined;
}

function assertName(name: string, path: VaultPath): void {
  if (FORBIDDEN.test(name))
    throw new VaultError("INVALID_ARGUMENT", `A name in '${path}' holds a character that names in Obsidian cannot.`, {
      path,
      hint: 'Leave out \\ : * ? " < > | # ^ [ and ].',
    });
  if (/[. ]$|^ /.test(name))
    throw new VaultError("INVALID_ARGUMENT", `A name in '${path}' is one that not every system can hold.`, {
      path,
      hint: "A name begins with no blank and ends with no dot or blank.",
    });
}

/** Of an entry that some systems would take for the one that is wanted. */
export function differsInCase(entry: FolderEntry, wanted: VaultPath): VaultError {
  return new VaultError(
    "ALREADY_EXISTS",
    `There is a ${entry.kind} '${entry.path}' already, which differs from '${wanted}' only in case, Unicode form or invisible characters.`,
    { path: entry.path, hint: "Spell it as it is spelled there, or choose another name." },
  );
}
