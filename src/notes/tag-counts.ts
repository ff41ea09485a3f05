/** Counts how many notes have each tag. */
import type { IndexView } from "../index/view.js";
import type { ProgressOptions } from "../links/api.js";
import type { Vault } from "../vault/vault.js";
import { allOf, type Condition } from "../index/subject.js";
import { conditionsOf, folderMeant } from "./find-filter.js";
import { FILE_OF_ROW } from "./note-rows.js";

export interface TagCount {
  /** Without `#`, in its most frequent spelling. */
  readonly tag: string;
  /** Includes nested tags. */
  readonly count: number;
}

/**
 * Most frequent first, then by name. A nested tag (`home/repairs`) counts for its parents; case is ignored.
 * @param folder as for `folderMeant`
 */
export async function tagCounts(
  vault: Vault,
  folder: string | undefined,
  options: ProgressOptions,
): Promise<TagCount[]> {
  const place = await folderMeant(vault, folder);
  return await vault.index.ask({ ...options, rows: ["notes"] }, (view) =>
    countedIn(view, conditionsOf({ folder: place }, view, vault.clock).conditions),
  );
}

function countedIn(view: IndexView, among: readonly Condition[]): TagCount[] {
  const { sql, values } = allOf(among);
  const rows = view.list<readonly [key: string, shown: string, count: number]>(
    "json_array(key, shown, count)",
    `(SELECT key, shown, count(*) AS count FROM note_name WHERE kind IN ('tag', 'outer')
      ${among.length === 0 ? "" : `AND ${FILE_OF_ROW} IN (SELECT file.id FROM file WHERE ${sql})`}
      GROUP BY kind, key, shown)`,
    ...values,
  );
  const spellings = new Map<string, Map<string, number>>();
  for (const [key, tag, count] of rows) {
    let known = spellings.get(key);
    if (!known) spellings.set(key, (known = new Map()));
    known.set(tag, (known.get(tag) ?? 0) + count);
  }
  return [...spellings.values()]
    .map((known) => {
      const [tag = ""] = [...known].sort(mostFirst)[0] ?? [];
      return { tag, count: [...known.values()].reduce((sum, count) => sum + count, 0) };
    })
    .sort((a, b) => mostFirst([a.tag, a.count], [b.tag, b.count]));
}

const mostFirst = ([a, few]: readonly [string, number], [b, many]: readonly [string, number]): number =>
  many - few || (a < b ? -1 : 1);
