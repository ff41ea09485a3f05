/** The links of visible files that lead to no file, by the file that they name. */
import { TimeSlice } from "../async/yield-to-loop.js";
import { storedText, type IndexView } from "../index/view.js";
import { ROWS_PER_FILE } from "../index/subject.js";
import { linkKey, ROOT } from "../storage/path.js";
import type { MissingFile, MissingFiles, UnresolvedOptions } from "./api.js";
import { FILE_OF_LINK, LINK_COLUMNS, LINKS_BETWEEN, linkOf, type LinkRow, parts, valuesBetween } from "./link-rows.js";
import { type FileNames, filesAt } from "./resolver.js";

const FROM_ROOT = "CASE substr(place, 1, 1) WHEN '/' THEN substr(place, 2) ELSE place END";
const MAX_PLACES = 5;

/** By places with a folder or an extension. */
interface NamedByPath {
  /** Of its links' rows. */
  readonly key: string;
  readonly places: string[];
  count: number;
}

export async function unresolvedLinks(
  view: IndexView,
  names: FileNames,
  { folder = ROOT, offset = 0, limit = Infinity, signal }: UnresolvedOptions,
): Promise<MissingFiles> {
  const slice = new TimeSlice(signal);
  const isBelow = `EXISTS (SELECT 1 FROM file AS f WHERE f.id = link.id / ${ROWS_PER_FILE} AND f.path > ? AND f.path < ?)`;
  const condition = folder === ROOT ? "link.hidden = 0" : `link.hidden = 0 AND ${isBelow}`;
  // The character after "/" is "0".
  const values = folder === ROOT ? [] : [`${folder}/`, `${folder}0`];
  const byName = new Map<string, number>();
  const byPath = new Map<string, NamedByPath>();
  for (const between of valuesBetween(view, "link", "key")) {
    const counted = parts(view.get<[Uint8Array]>(byNameAlone(condition), ...between, ...values)?.[0], "\n");
    for (let at = 0; at < counted.length; at += 2) byName.set(counted[at] ?? "", Number(counted[at + 1]));
    for (const [key, place, count] of view.all<[Uint8Array, Uint8Array, number]>(
      byPlace(condition),
      ...between,
      ...values,
    )) {
      addPlace(byPath, storedText(key), storedText(place), count, names);
      if (slice.isOver) await slice.yield();
    }
    if (slice.isOver) await slice.yield();
  }
  const counts = new Map(byName);
  for (const [name, { count }] of byPath) counts.set(name, (counts.get(name) ?? 0) + count);
  const sorted = [...counts].sort(([a, few], [b, many]) => many - few || (a < b ? -1 : 1));
  const targets: MissingFile[] = [];
  for (const [name, count] of sorted.slice(offset, offset + limit)) {
    const { key = name, places = [] } = byPath.get(name) ?? {};
    const asked = [key, Number(byName.has(name)), JSON.stringify(places), ...values];
    const rows = view.all<LinkRow>(linksNaming(condition), ...asked);
    // Of each the first: with all of them a page would cost five times as much.
    view.verify(rows.slice(0, 1).map(([id]) => id));
    targets.push({ count, places: rows.map((row) => linkOf(row)) });
    if (slice.isOver) await slice.yield();
  }
  return { total: sorted.length, links: sorted.reduce((sum, [, count]) => sum + count, 0), targets };
}

/**
 * Links by name alone whose name no file has, as one text: lines of a key, each followed by a line of its number of
 * links.
 */
const byNameAlone = (condition: string): string => `
  SELECT CAST(group_concat(key || char(10) || links, char(10)) AS BLOB) FROM (
    SELECT key, count(*) AS links FROM link
    WHERE ${LINKS_BETWEEN} AND judged = 0 AND ${condition} GROUP BY key
    HAVING key <> '' AND NOT EXISTS (SELECT 1 FROM file WHERE present = 1 AND stem = key))`;

/** Links by path, without those whose place is a file's path. */
const byPlace = (condition: string): string => `
  SELECT CAST(key AS BLOB), CAST(place AS BLOB), count(*) FROM link
  WHERE ${LINKS_BETWEEN} AND judged = 1 AND ${condition} GROUP BY key, place
  HAVING NOT EXISTS (SELECT 1 FROM file WHERE file.path IN (${FROM_ROOT}, ${FROM_ROOT} || '.md') AND present = 1)`;

const linksNaming = (condition: string): string => `
  SELECT ${LINK_COLUMNS} FROM link JOIN ${FILE_OF_LINK}
  WHERE key = ? AND (judged = 0 AND ? OR judged = 1 AND place IN (SELECT value FROM json_each(?)))
    AND ${condition} ORDER BY path, link.id LIMIT ${MAX_PLACES}`;

function addPlace(byPath: Map<string, NamedByPath>, key: string, place: string, count: number, names: FileNames): void {
  if (filesAt(place, names).length > 0) return;
  const name = linkKey(place.replace(/^\//, "").replace(/\.md$/i, ""));
  let file = byPath.get(name);
  if (!file) byPath.set(name, (file = { key, places: [], count: 0 }));
  file.places.push(place);
  file.count += count;
}
