/** How many notes have each tag of a vault. */
import type { VaultPath } from "../storage/path.js";
import type { RefreshOptions } from "../catalog/catalog.js";
import type { Vault } from "../vault/vault.js";
import { noteReader, tagsIn } from "./reader.js";

export interface TagCount {
  /** Without `#`, as most notes spell it. */
  readonly tag: string;
  /** Notes with this tag or one nested below it, each once. */
  readonly count: number;
}

/**
 * The tags of the notes that `accept` lets pass, those of most notes first, then by name. A nested tag (`home/repairs`) counts for the
 * tags above it too; case does not count.
 * @param vault its readers must include `noteReader`
 */
export async function countTags(
  vault: Vault,
  accept: (path: VaultPath) => boolean,
  options: Pick<RefreshOptions, "signal" | "onProgress"> = {},
): Promise<TagCount[]> {
  const view = await vault.catalog.refresh({ ...options, facts: [noteReader] });
  const counts = new Map<string, Spellings>();
  for (const { facts, stat } of view.records(noteReader))
    if (accept(stat.path))
      for (const [key, tag] of withOuter(tagsIn(facts))) {
        let spellings = counts.get(key);
        if (!spellings) counts.set(key, (spellings = new Spellings()));
        spellings.add(tag);
      }
  const tags = [...counts.values()].map(({ count, commonest }) => ({ tag: commonest, count }));
  return tags.sort((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1));
}

/** A note's tags and those above them by their folded form, each once. */
function withOuter(tags: readonly string[]): Map<string, string> {
  const all = new Map<string, string>();
  for (const tag of tags)
    for (let outer = tag; outer !== ""; outer = outer.slice(0, Math.max(0, outer.lastIndexOf("/")))) {
      const key = outer.toLowerCase();
      if (!all.has(key)) all.set(key, outer);
    }
  return all;
}

class Spellings {
  count = 0;
  readonly #notes = new Map<string, number>();

  add(tag: string): void {
    this.count += 1;
    this.#notes.set(tag, (this.#notes.get(tag) ?? 0) + 1);
  }

  get commonest(): string {
    const [first] = [...this.#notes].sort(([a, few], [b, many]) => many - few || (a < b ? -1 : 1));
    return first?.[0] ?? "";
  }
}
