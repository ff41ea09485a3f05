/** Finds the note with a given title or alias, when no file has that name. */
import { VaultError, type Candidate } from "../errors.js";
import type { ProgressOptions } from "../links/links.js";
import { foldName, type VaultPath } from "../storage/path.js";
import type { Vault } from "../vault/vault.js";
import { factsOfKind, nameOf, noteReader } from "./reader.js";

const MAX_CANDIDATES = 10;

/**
 * Titles before aliases; case is ignored. Undefined when there is no such note. @param reference the title, or a link that
 * shows it @throws VaultError AMBIGUOUS_NAME with the candidates
 */
export async function noteTitled(
  vault: Vault,
  reference: string,
  { signal, onProgress }: ProgressOptions,
): Promise<VaultPath | undefined> {
  const wanted = titleIn(reference);
  if (wanted === "") return undefined;
  const look = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
  const view = await vault.index.refresh({ ...look, facts: [noteReader] });
  const records = view.records(noteReader);
  for (const kind of ["title", "alias"] as const) {
    const found = records.filter(({ facts }) => factsOfKind(facts, kind).some((name) => foldName(name) === wanted));
    const [note, ...others] = found.map(({ stat }) => stat.path);
    if (others.length > 0 && note !== undefined) throw ambiguous(kind, [note, ...others]);
    if (note !== undefined) return note;
  }
  return undefined;
}

function titleIn(reference: string): string {
  const text = reference.trim();
  const linked = /^!?\[\[([^\]|#^]+)[^\]]*\]\]$/.exec(text)?.[1];
  return foldName((linked ?? text).replace(/\s+/gu, " ").trim());
}

function ambiguous(kind: "title" | "alias", paths: readonly VaultPath[]): VaultError {
  const more = paths.length > MAX_CANDIDATES ? ` (${paths.length} in all)` : "";
  return new VaultError("AMBIGUOUS_NAME", `Several notes bear this ${kind}${more}:`, {
    candidates: paths.slice(0, MAX_CANDIDATES).map((path): Candidate => ({ id: path, title: nameOf(path), path })),
    hint: "Give the path of the one you mean.",
  });
}
