/** The vault's files as a base sees them, read from the index as far as a view asks. */
import { type Condition, ROWS_PER_FILE, type SqlValue } from "../../index/subject.js";
import { type IndexView, storedText } from "../../index/view.js";
import { IndexedLinks } from "../../links/graph.js";
import { type Resolve, resolverOf, targetPlace } from "../../links/resolver.js";
import type { PropertyValue } from "../../markdown/frontmatter/property.js";
import { baseName, extensionOf, folderOf, foldName, stemOf, type VaultPath } from "../../storage/path.js";
import { grouped } from "../../tasks/task.js";
import { DateValue, FileValue, LinkValue, propertyValue, TagValue, tagKey, type Value, type Zone } from "./values.js";

interface FileRow {
  readonly id: number;
  readonly path: VaultPath;
  readonly size: number;
  readonly created: number;
  readonly modified: number;
  readonly properties: () => Readonly<Record<string, PropertyValue>> | null;
  readonly tags: () => readonly string[] | null;
}
/** Those of a file lie side by side. */
type LinkColumns = readonly [ids: number[], embeds: number[], places: string[], targets: string[], displays: string[]];
interface StoredLinks {
  readonly columns: LinkColumns;
  readonly start: number;
  end: number;
}
const NO_LINKS: StoredLinks = { columns: [[], [], [], [], []], start: 0, end: 0 };
/** An array for each column is parsed faster than one for each row. */
const LINK_COLUMNS = ["id", "embed", "place", "target", "display"]
  .map((column) => `CAST(json_group_array(${column}) AS BLOB)`)
  .join();

const FILES = `
  SELECT file.id AS id, path, size, CAST(created AS INTEGER) AS created, CAST(modified AS INTEGER) AS modified,
    properties, tags
  FROM file LEFT JOIN view_note ON view_note.id = file.id * ${ROWS_PER_FILE}`;
/** Joins columns that already are JSON: one text is read faster than many. */
const LISTED = `
  SELECT CAST(json_group_array(json_array(id, path, size, created, modified)) AS BLOB),
    CAST(group_concat(coalesce(properties, 'null')) AS BLOB), CAST(group_concat(coalesce(tags, 'null')) AS BLOB)`;
const FILES_AT_ONCE = 5_000;
/** Above it, the links of all files are read at once. */
const MANY_FILES = 200;
/** Above it, the names of all files are sorted once. */
const MANY_NAMES = 300;

export class BaseFile extends FileValue {
  readonly id: number;
  override readonly path: VaultPath;
  readonly size: number;
  readonly #row: FileRow;
  readonly #files: BaseFiles;
  #values: Map<string, Value> | undefined;

  constructor(row: FileRow, files: BaseFiles) {
    super();
    this.id = row.id;
    this.path = row.path;
    this.size = row.size;
    this.#row = row;
    this.#files = files;
  }

  /** A note's name has no `.md`. */
  static nameIn(path: VaultPath): string {
    return baseName(path).replace(/\.md$/i, "");
  }

  get name(): string {
    return BaseFile.nameIn(this.path);
  }

  get fullName(): string {
    return baseName(this.path);
  }

  get basename(): string {
    return baseName(this.path).replace(/(?<=.)\.[^.]*$/, "");
  }

  get extension(): string {
    return extensionOf(this.path).slice(1);
  }

  get folder(): string {
    return folderOf(this.path) || "/";
  }

  get created(): DateValue {
    return new DateValue(this.#row.created, true);
  }

  get modified(): DateValue {
    return new DateValue(this.#row.modified, true);
  }

  get #properties(): Readonly<Record<string, PropertyValue>> {
    return this.#row.properties() ?? {};
  }

  get properties(): ReadonlyMap<string, Value> {
    return new Map(Object.keys(this.#properties).map((name) => [name, this.property(name)]));
  }

  /** By its exact name, else without case. */
  property(name: string): Value {
    const values = (this.#values ??= new Map());
    let value = values.get(name);
    if (value === undefined) values.set(name, (value = this.#read(name)));
    return value;
  }

  #read(name: string): Value {
    const key = this.#keyOf(name);
    const raw = key === undefined ? undefined : this.#properties[key];
    return raw === undefined || raw === null ? null : this.#files.valueOf(raw, key ?? name, this.path);
  }

  hasProperty(name: string): boolean {
    return this.#keyOf(name) !== undefined;
  }

  #keyOf(name: string): string | undefined {
    if (Object.hasOwn(this.#properties, name)) return name;
    const folded = foldName(name);
    return Object.keys(this.#properties).find((key) => foldName(key) === folded);
  }

  get tags(): readonly TagValue[] {
    return (this.#row.tags() ?? []).map((name) => new TagValue(name));
  }

  /** Or one nested in it. */
  hasTag(names: readonly string[]): boolean {
    const wanted = names.map(tagKey);
    return this.tags
      .map(({ name }) => tagKey(name))
      .some((tag) => wanted.some((one) => tag === one || tag.startsWith(`${one}/`)));
  }

  get links(): readonly LinkValue[] {
    return this.#files.linksOf(this, false);
  }

  get embeds(): readonly LinkValue[] {
    return this.#files.linksOf(this, true);
  }

  get backlinks(): readonly BaseFile[] {
    return [...this.#files.linkersOf(this.path)].flatMap((path) => this.#files.at(path) ?? []);
  }
}

export class BaseFiles {
  readonly zone: Zone;
  readonly #view: IndexView;
  readonly #graph: IndexedLinks;
  readonly #types: ReadonlyMap<string, string>;
  readonly #known = new Map<VaultPath, BaseFile | undefined>();
  readonly #linked = new Map<number, StoredLinks>();
  readonly #linkers = new Map<VaultPath, ReadonlySet<VaultPath>>();
  #hasAllLinks = false;
  readonly #resolve: Resolve;
  readonly #names = new Map<string, readonly VaultPath[]>();
  #allNames: ReadonlyMap<string, readonly VaultPath[]> | undefined;

  constructor(view: IndexView, zone: Zone) {
    this.zone = zone;
    this.#view = view;
    this.#graph = new IndexedLinks(() => view);
    this.#types = view.settings.propertyTypes;
    this.#resolve = resolverOf({ named: (stem) => this.#named(stem) });
  }

  /** For which the condition may hold, in pieces, unordered. */
  *matching({ sql, values }: Condition): Generator<readonly BaseFile[]> {
    for (let after: number | undefined = 0; after !== undefined;) {
      const where = `present = 1 AND file.id > ? AND ${sql} ORDER BY file.id LIMIT ${FILES_AT_ONCE}`;
      const rows: FileRow[] = this.#rows(where, after, ...values);
      after = rows.length < FILES_AT_ONCE ? undefined : rows.at(-1)?.id;
      const files = rows.map((row) => new BaseFile(row, this));
      for (const file of files) this.#known.set(file.path, file);
      yield files;
    }
  }

  at(path: VaultPath): BaseFile | undefined {
    if (!this.#known.has(path)) {
      const [row] = this.#rows("path = ? AND present = 1", path);
      this.#known.set(path, row && new BaseFile(row, this));
    }
    return this.#known.get(path);
  }

  #rows(rest: string, ...values: SqlValue[]): FileRow[] {
    const found = this.#view.get<[Uint8Array, Uint8Array | null, Uint8Array | null]>(
      `${LISTED} FROM (${FILES} WHERE ${rest})`,
      ...values,
    );
    if (!found) return [];
    const [files, ...joined] = found;
    const [properties, tags] = joined.map(listOf);
    const rows = JSON.parse(storedText(files)) as (readonly [number, VaultPath, number, number, number])[];
    return rows.map(([id, path, size, created, modified], at) => ({
      id,
      path,
      size,
      created,
      modified,
      properties: () => properties?.()[at] as ReturnType<FileRow["properties"]>,
      tags: () => tags?.()[at] as ReturnType<FileRow["tags"]>,
    }));
  }

  verify(files: readonly BaseFile[]): void {
    this.#view.verify(files.map(({ id }) => id * ROWS_PER_FILE));
  }

  valueOf(raw: PropertyValue, name: string, from: VaultPath): Value {
    return propertyValue(raw, this.#types.get(name), this.zone, from);
  }

  resolve(target: string, from: VaultPath): VaultPath | undefined {
    return /^[a-z][a-z0-9+.-]+:/i.test(target) ? undefined : this.#resolve(targetPlace(target, from), from);
  }

  #named(stem: string): readonly VaultPath[] {
    const known = this.#names.get(stem);
    if (known) return known;
    if (this.#names.size > MANY_NAMES) {
      this.#allNames ??= grouped(this.#view.everyPath(), (path) => stemOf(baseName(path)));
      return this.#allNames.get(stem) ?? [];
    }
    const paths = this.#graph.named(stem);
    this.#names.set(stem, paths);
    return paths;
  }

  linksOf({ id, path }: BaseFile, embeds: boolean): readonly LinkValue[] {
    const { columns, start, end } = this.#storedLinks(id);
    const [, embed, places, targets, displays] = columns;
    const found: LinkValue[] = [];
    for (let at = start; at < end; at++) {
      const place = places[at] ?? "";
      if (place !== "" && (embed[at] === 1) === embeds)
        found.push(new LinkValue(targets[at] || place, displays[at] || undefined, path));
    }
    return found;
  }

  #storedLinks(id: number): StoredLinks {
    if (!this.#linked.has(id) && !this.#hasAllLinks) {
      this.#hasAllLinks = this.#linked.size >= MANY_FILES;
      if (this.#hasAllLinks) this.#readLinks("1");
      else this.#readLinks("id BETWEEN ? AND ?", id * ROWS_PER_FILE, (id + 1) * ROWS_PER_FILE - 1);
      if (!this.#linked.has(id)) this.#linked.set(id, NO_LINKS);
    }
    return this.#linked.get(id) ?? NO_LINKS;
  }

  #readLinks(where: string, ...values: SqlValue[]): void {
    const found = this.#view.get<Uint8Array[]>(
      `SELECT ${LINK_COLUMNS} FROM (SELECT * FROM link WHERE ${where} ORDER BY id)`,
      ...values,
    );
    const columns = (found ?? []).map((bytes) => JSON.parse(storedText(bytes)) as unknown) as unknown as LinkColumns;
    let open: StoredLinks | undefined;
    let file: number | undefined;
    for (const [at, link] of columns[0].entries()) {
      const of = Math.floor(link / ROWS_PER_FILE);
      if (of !== file || !open) this.#linked.set((file = of), (open = { columns, start: at, end: at }));
      open.end = at + 1;
    }
  }

  /** By link or embed. */
  linkersOf(path: VaultPath): ReadonlySet<VaultPath> {
    let linkers = this.#linkers.get(path);
    if (!linkers) this.#linkers.set(path, (linkers = new Set(this.#graph.backlinks(path).map(({ from }) => from))));
    return linkers;
  }

  leads(file: BaseFile, path: VaultPath): boolean {
    // A file's own links are fewer than the links to many others.
    if (this.#linkers.size > MANY_FILES && !this.#linkers.has(path))
      return [...file.links, ...file.embeds].some(({ target, from }) => this.resolve(target, from) === path);
    return this.linkersOf(path).has(file.path);
  }
}

/** Parsed on first use: many views need no property. */
function listOf(joined: Uint8Array | null | undefined): () => readonly unknown[] {
  let list: readonly unknown[] | undefined;
  return () => (list ??= JSON.parse(`[${joined ? storedText(joined) : ""}]`) as unknown[]);
}
