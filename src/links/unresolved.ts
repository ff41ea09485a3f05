/** The links of visible files that lead to no file, by the file that they name. */
import { TimeSlice } from "../async/yield-to-loop.js";
import { storedText, type IndexView } from "../index/view.js";
import { type SqlValue, ROWS_PER_FILE } from "../index/subject.js";
import { linkKey, ROOT } from "../storage/path.js";
import type { Link, MissingFile, MissingFiles, UnresolvedOptions } from "./api.js";
import { FILE_OF_LINK, LINK_COLUMNS, LINKS_BETWEEN, linkOf, type LinkRow, parts, valuesBetween } from "./link-rows.js";
import { type FileNames, filesAt } from "./resolver.js";

const FROM_ROOT = "CASE substr(place, 1, 1) WHEN '/' THEN substr(place, 2) ELSE place END";
const MAX_PLACES = 5;

/** Named by places with a folder or an extension. */
interface NamedByPath {
  readonly key: string;
  readonly places: string[];
  count: number;
}

export class UnresolvedLinks {
  readonly #view: IndexView;
  readonly #names: FileNames;
  readonly #options: UnresolvedOptions;
  readonly #which: string;
  readonly #values: readonly SqlValue[];
  /** How many links by name alone, by their key. */
  readonly #byName = new Map<string, number>();
  readonly #byPath = new Map<string, NamedByPath>();

  constructor(view: IndexView, names: FileNames, options: UnresolvedOptions) {
    this.#view = view;
    this.#names = names;
    this.#options = options;
    const { folder = ROOT } = options;
    this.#values = folder === ROOT ? [] : [`${folder}/`, `${folder}0`];
    const isBelow = `EXISTS (SELECT 1 FROM file AS f WHERE f.id = link.id / ${ROWS_PER_FILE} AND f.path > ? AND f.path < ?)`;
    this.#which = folder === ROOT ? "link.hidden = 0" : `link.hidden = 0 AND ${isBelow}`;
  }

  async find(): Promise<MissingFiles> {
    const { offset = 0, limit = Infinity, signal } = this.#options;
    const slice = new TimeSlice(signal);
    for (const between of valuesBetween(this.#view, "link", "key")) {
      this.#addNames(between);
      for (const [key, place, count] of this.#paths(between)) {
        this.#addPath(storedText(key), storedText(place), count);
        if (slice.isOver) await slice.yield();
      }
      if (slice.isOver) await slice.yield();
    }
    const counts = new Map(this.#byName);
    for (const [name, { count }] of this.#byPath) counts.set(name, (counts.get(name) ?? 0) + count);
    const sorted = [...counts].sort(([a, few], [b, many]) => many - few || (a < b ? -1 : 1));
    const targets: MissingFile[] = [];
    for (const [name, count] of sorted.slice(offset, offset + limit)) {
      targets.push({ count, places: this.#linksTo(name) });
      if (slice.isOver) await slice.yield();
    }
    return { total: sorted.length, links: sorted.reduce((sum, [, count]) => sum + count, 0), targets };
  }

  /** A link by name alone leads nowhere if no file has the name. */
  #addNames(between: readonly SqlValue[]): void {
    const found = this.#view.get<[Uint8Array]>(
      `SELECT CAST(group_concat(key || char(10) || links, char(10)) AS BLOB) FROM (
         SELECT key, count(*) AS links FROM link
         WHERE ${LINKS_BETWEEN} AND judged = 0 AND ${this.#which} GROUP BY key
         HAVING key <> '' AND NOT EXISTS (SELECT 1 FROM file WHERE present = 1 AND stem = key))`,
      ...between,
      ...this.#values,
    );
    const texts = parts(found?.[0], "\n");
    for (let at = 0; at < texts.length; at += 2) this.#byName.set(texts[at] ?? "", Number(texts[at + 1]));
  }

  #paths(between: readonly SqlValue[]): [key: Uint8Array, place: Uint8Array, count: number][] {
    return this.#view.all(
      `SELECT CAST(key AS BLOB), CAST(place AS BLOB), count(*) FROM link
       WHERE ${LINKS_BETWEEN} AND judged = 1 AND ${this.#which} GROUP BY key, place
       HAVING NOT EXISTS (SELECT 1 FROM file WHERE file.path IN (${FROM_ROOT}, ${FROM_ROOT} || '.md') AND present = 1)`,
      ...between,
      ...this.#values,
    );
  }

  #addPath(key: string, place: string, count: number): void {
    if (filesAt(place, this.#names).length > 0) return;
    const name = linkKey(place.replace(/^\//, "").replace(/\.md$/i, ""));
    let file = this.#byPath.get(name);
    if (!file) this.#byPath.set(name, (file = { key, places: [], count: 0 }));
    file.places.push(place);
    file.count += count;
  }

  #linksTo(name: string): readonly Link[] {
    const { key = name, places = [] } = this.#byPath.get(name) ?? {};
    const rows = this.#view.all<LinkRow>(
      `SELECT ${LINK_COLUMNS} FROM link JOIN ${FILE_OF_LINK}
       WHERE key = ? AND (judged = 0 AND ? OR judged = 1 AND place IN (SELECT value FROM json_each(?)))
         AND ${this.#which} ORDER BY path, link.id LIMIT ${MAX_PLACES}`,
      key,
      Number(this.#byName.has(name)),
      JSON.stringify(places),
      ...this.#values,
    );
    // Of each the first: with all of them a page would cost five times as much.
    this.#view.verify(rows.slice(0, 1).map(([id]) => id));
    return rows.map((row) => linkOf(row));
  }
}
