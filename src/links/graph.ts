/** A vault's links, asked of the index. */
import { TimeSlice } from "../async/timers.js";
import { storedText, type IndexView } from "../index/view.js";
import { type SqlValue, ROWS_PER_FILE } from "../index/subject.js";
import { baseName, linkKey, ROOT, stemOf, type VaultPath } from "../storage/path.js";
import type { Link, LinkGraph, LinkPage, LinkRange, MissingFile, MissingFiles, UnresolvedOptions } from "./api.js";
import {
  FILE_OF_LINK,
  LINK_COLUMNS,
  LINKS_BETWEEN,
  linkOf,
  type LinkRow,
  parts,
  rowsOfFile,
  valuesBetween,
} from "./link-rows.js";
import {
  type FileNames,
  filesAt,
  filesMeant,
  linkText,
  mayLead,
  targetPlace,
  askedOnce,
  resolveLink,
  resolverOf,
  stemsOf,
} from "./resolver.js";

const ALL: LinkRange = { offset: 0, limit: -1 };

/** `present = 1` lets SQLite use the index. */
const NAMED = "SELECT CAST(path AS BLOB) FROM file WHERE present = 1 AND stem = ?";
const HAS_FILE = "EXISTS (SELECT 1 FROM file WHERE present = 1 AND stem = key)";
const WITH_KEY = "key IN (SELECT value FROM json_each(?))";
const WITH_PLACE = `${WITH_KEY} AND place IN (SELECT value FROM json_each(?))`;
const FROM_OTHERS = `link.id NOT BETWEEN named.id * ${ROWS_PER_FILE} AND (named.id + 1) * ${ROWS_PER_FILE} - 1`;
const PATH = "substr(path, 1, length(path) - 3)";
/** Of a range of names: those whose links must be judged, and visible notes that no link names. `judged` 0: a link leads to the only file of its name. */
const LITTLE_LINKED = `
  WITH named AS (
    SELECT stem, min(id) AS id, count(*) > 1 OR stem LIKE '%.md' AS doubled
    FROM file WHERE present = 1 AND stem >= ? AND stem < ? GROUP BY stem
  ), linked AS MATERIALIZED (
    SELECT stem, id, doubled,
      (SELECT judged FROM link WHERE key = stem AND ${FROM_OTHERS} ORDER BY judged LIMIT 1) AS judged
    FROM named
  )
  SELECT CAST(group_concat(CASE WHEN doubled OR judged THEN named.stem END, char(0)) AS BLOB),
    CAST(group_concat(CASE WHEN NOT doubled AND judged IS NULL AND note AND NOT hidden THEN path END, char(0)) AS BLOB)
  FROM linked AS named JOIN file ON file.id = named.id
  WHERE doubled OR judged IS NULL OR judged = 1 AND NOT EXISTS (
    SELECT 1 FROM link
    WHERE key = named.stem AND judged = 1 AND place IN (path, '/' || path, ${PATH}, '/' || ${PATH}) AND ${FROM_OTHERS}
  )`;

/** Each call sees the index as it is then. */
export class IndexedLinks implements LinkGraph, FileNames {
  readonly #current: () => IndexView;

  /** @param current another view once the index is rebuilt */
  constructor(current: () => IndexView) {
    this.#current = current;
  }

  get #view(): IndexView {
    return this.#current();
  }

  named(stem: string): readonly VaultPath[] {
    return this.#view.texts(NAMED, stem);
  }

  resolve(target: string, from: VaultPath): VaultPath | undefined {
    return resolveLink(target, from, this);
  }

  leadsTo(path: VaultPath): (target: string, from: VaultPath) => boolean {
    const names = askedOnce(this);
    for (const key of keysFor(path)) [key, `${key}.md`].forEach((stem) => names.named(stem));
    const [stem, resolve] = [stemOf(baseName(path)), resolverOf(names)];
    return (target, from) => {
      const place = targetPlace(target, from);
      const isNamed = place === "" || (stemsOf(place).includes(stem) && mayLead(place, path));
      return isNamed && resolve(place, from) === path;
    };
  }

  candidates(name: string): readonly VaultPath[] {
    return filesMeant(name, this);
  }

  has(path: VaultPath): boolean {
    return this.#idOf(path) !== undefined;
  }

  isShown(path: VaultPath): boolean {
    return this.#view.get("SELECT 1 FROM file WHERE path = ? AND present = 1 AND hidden = 0", path) !== undefined;
  }

  shown(): readonly VaultPath[] {
    return this.#view.paths("hidden = 0 ORDER BY id");
  }

  /** Hidden files included. */
  filesBelow(folder: VaultPath): readonly VaultPath[] {
    return this.#view.paths("path > ? AND path < ?", `${folder}/`, `${folder}0`);
  }

  linkText(to: VaultPath, from: VaultPath): string {
    return linkText(to, from, this);
  }

  backlinks(path: VaultPath): readonly Link[] {
    return this.#view.inTransaction(() => this.#linksTo(path, ALL, "")).links;
  }

  shownBacklinks(path: VaultPath, page: LinkRange): LinkPage {
    return this.#view.inTransaction(() => this.#linksTo(path, page, "AND link.hidden = 0"));
  }

  outgoing(path: VaultPath): readonly Link[] {
    return this.#view.inTransaction(() => this.#linksOf(path, ALL));
  }

  listOutgoing(path: VaultPath, page: LinkRange): LinkPage & { readonly unresolved: number } {
    return this.#view.inTransaction(() => {
      const id = this.#idOf(path);
      if (id === undefined) return { total: 0, unresolved: 0, links: [] };
      const [total = 0, missing = 0] =
        this.#view.get<[number, number]>(
          `SELECT count(*), count(CASE WHEN judged = 0 AND key <> '' AND NOT ${HAS_FILE} THEN 1 END)
           FROM link WHERE id BETWEEN ? AND ?`,
          ...rowsOfFile(id),
        ) ?? [];
      const resolve = resolverOf(this);
      const judged = this.#places("id BETWEEN ? AND ? AND judged = 1", ...rowsOfFile(id));
      const lost = judged.filter(([place]) => resolve(place, path) === undefined);
      const unresolved = lost.reduce((sum, [, count]) => sum + count, missing);
      return { total, unresolved, links: this.#linksOf(path, page) };
    });
  }

  linkedFiles(path: VaultPath): readonly VaultPath[] {
    return this.#view.inTransaction(() => {
      const id = this.#idOf(path);
      if (id === undefined) return [];
      const resolve = resolverOf(this);
      const places = this.#places("id BETWEEN ? AND ?", ...rowsOfFile(id));
      const files = new Set(places.map(([place]) => resolve(place, path)));
      return [...files].filter((to) => to !== undefined && to !== path) as VaultPath[];
    });
  }

  unresolved(options: UnresolvedOptions = {}): Promise<MissingFiles> {
    return unresolvedLinks(this.#view, this, options);
  }

  async orphans(signal?: AbortSignal): Promise<readonly VaultPath[]> {
    const slice = new TimeSlice(signal);
    const orphans: VaultPath[] = [];
    for (const between of valuesBetween(this.#view, "file", "stem")) {
      const [names, paths] = this.#view.get<[Uint8Array, Uint8Array]>(LITTLE_LINKED, ...between) ?? [];
      for (const path of parts(paths, "\0")) orphans.push(path as VaultPath);
      for (const name of parts(names, "\0")) {
        orphans.push(...this.#unlinked(name));
        if (slice.isOver) await slice.yield();
      }
      if (slice.isOver) await slice.yield();
    }
    return orphans.sort();
  }

  linkless(): readonly VaultPath[] {
    return this.#view.paths(`note = 1 AND hidden = 0 AND id NOT IN (SELECT link.id / ${ROWS_PER_FILE} FROM link)`);
  }

  #unlinked(stem: string): readonly VaultPath[] {
    const unlinked = new Set<VaultPath>(this.#view.texts(`${NAMED} AND note = 1 AND hidden = 0`, stem));
    const resolve = resolverOf(askedOnce(this));
    // Of files with other names, the folder is enough.
    const links = this.#view.all<[Uint8Array, Uint8Array]>(
      `SELECT DISTINCT CAST(place AS BLOB),
         CAST(CASE WHEN stem = ? THEN path ELSE rtrim(path, replace(path, '/', '')) END AS BLOB)
       FROM link JOIN ${FILE_OF_LINK} WHERE ${WITH_KEY}`,
      stem,
      JSON.stringify(keysOf(stem)),
    );
    for (const [place, source] of links) {
      const from = storedText(source) as VaultPath;
      const to = resolve(storedText(place), from);
      if (to !== undefined && to !== from) unlinked.delete(to);
    }
    return [...unlinked];
  }

  #linksTo(path: VaultPath, page: LinkRange, which: "" | "AND link.hidden = 0"): LinkPage {
    const keys = JSON.stringify(keysFor(path));
    const names = askedOnce(this);
    const places: string[] = [];
    let [total, depends] = [0, false];
    for (const [place, count] of this.#places(`${WITH_KEY} ${which}`, keys)) {
      if (!mayLead(place, path)) continue;
      const files = filesAt(place, names);
      if (!files.includes(path)) continue;
      places.push(place);
      total += count;
      depends ||= files.length > 1;
    }
    const links = `FROM link JOIN ${FILE_OF_LINK} WHERE ${WITH_PLACE} ${which} ORDER BY path, link.id`;
    const values = [keys, JSON.stringify(places)];
    if (!depends) {
      const { limit, offset } = page;
      const ids = this.#view.all<[number]>(`SELECT link.id ${links} LIMIT ? OFFSET ?`, ...values, limit, offset);
      return { total, links: this.#read(ids.flat(), path, page) };
    }
    const resolve = resolverOf(names);
    const ids = this.#view
      .all<[number, Uint8Array, Uint8Array]>(
        `SELECT link.id, CAST(place AS BLOB), CAST(path AS BLOB) ${links}`,
        ...values,
      )
      .flatMap(([id, place, from]) => (resolve(storedText(place), storedText(from) as VaultPath) === path ? [id] : []));
    const end = page.limit < 0 ? ids.length : page.offset + page.limit;
    return { total: ids.length, links: this.#read(ids.slice(page.offset, end), path, page) };
  }

  #read(ids: readonly number[], to: VaultPath, page: LinkRange): readonly Link[] {
    if (page !== ALL) this.#view.verify(ids);
    return this.#view
      .all<LinkRow>(
        `SELECT ${LINK_COLUMNS} FROM link JOIN ${FILE_OF_LINK}
         WHERE link.id IN (SELECT value FROM json_each(?)) ORDER BY path, link.id`,
        JSON.stringify(ids),
      )
      .map((row) => linkOf(row, () => to));
  }

  #linksOf(path: VaultPath, page: LinkRange): readonly Link[] {
    const id = this.#idOf(path);
    if (id === undefined) return [];
    const resolve = resolverOf(this);
    const rows = this.#view.all<LinkRow>(
      `SELECT ${LINK_COLUMNS} FROM link JOIN ${FILE_OF_LINK}
       WHERE link.id BETWEEN ? AND ? ORDER BY link.id LIMIT ? OFFSET ?`,
      ...rowsOfFile(id),
      page.limit,
      page.offset,
    );
    if (page !== ALL) this.#view.verify(rows.map(([row]) => row));
    return rows.map((row) => linkOf(row, resolve));
  }

  /** With each place's number of links, by first link. */
  #places(where: string, ...values: SqlValue[]): [place: string, count: number][] {
    return this.#view
      .all<[Uint8Array, number]>(
        `SELECT CAST(place AS BLOB), count(*) FROM link WHERE ${where} GROUP BY place ORDER BY min(id)`,
        ...values,
      )
      .map(([place, count]) => [storedText(place), count]);
  }

  #idOf(path: VaultPath): number | undefined {
    return this.#view.get<[number]>("SELECT id FROM file WHERE path = ? AND present = 1", path)?.[0];
  }
}

/** Keys of links that may lead to it: `[[x.md]]` may mean `x.md.md`. */
function keysFor(path: VaultPath): readonly string[] {
  return keysOf(stemOf(baseName(path)));
}

function keysOf(stem: string): readonly string[] {
  return stem.endsWith(".md") ? [stem, stem.slice(0, -3)] : [stem];
}

const FROM_ROOT = "CASE substr(place, 1, 1) WHEN '/' THEN substr(place, 2) ELSE place END";
const MAX_PLACES = 5;

interface NamedByPath {
  readonly key: string;
  readonly places: string[];
  count: number;
}

async function unresolvedLinks(
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
    // All would make a page five times slower.
    view.verify(rows.slice(0, 1).map(([id]) => id));
    targets.push({ count, places: rows.map((row) => linkOf(row)) });
    if (slice.isOver) await slice.yield();
  }
  return { total: sorted.length, links: sorted.reduce((sum, [, count]) => sum + count, 0), targets };
}

/** Links by name whose name no file has: one text of alternating lines, a key and its number of links. */
const byNameAlone = (condition: string): string => `
  SELECT CAST(group_concat(key || char(10) || links, char(10)) AS BLOB) FROM (
    SELECT key, count(*) AS links FROM link
    WHERE ${LINKS_BETWEEN} AND judged = 0 AND ${condition} GROUP BY key
    HAVING key <> '' AND NOT ${HAS_FILE})`;

/** Links by path, without those to an existing path. */
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
