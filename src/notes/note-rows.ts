/** The index's rows for notes: names, properties, and searchable text besides the body. */
import { type NoteSource, ROWS_PER_FILE, type Rows, type Subject } from "../index/subject.js";
import type { IndexView } from "../index/view.js";
import { mediaTypeOf } from "../links/uri.js";
import type { Property } from "../markdown/frontmatter/frontmatter.js";
import { bareLink, linkTexts, noteTags, valueTexts } from "../markdown/links/property-links.js";
import { visitNote } from "../markdown/visit-note.js";
import { fileTitle, foldName, type VaultPath } from "../storage/path.js";
import { fold } from "../text/fold.js";
import { parseWrittenDay } from "../dates/days.js";

/** UTF-16 units of a text, of a property with its name, and of all aliases and headings. */
const MAX_LENGTH = 200;
const MAX_PROPERTY_LENGTH = 500;
const MAX_OF_A_KIND = 8_000;

const UNKNOWN = "application/octet-stream";

/** Stored as names. */
const NAMED = /^(?:title|alias|aliases|tag|tags)$/i;

/** `outer`: a parent of a nested tag. */
export type NoteNameKind = "title" | "alias" | "tag" | "outer";

export const FILE_OF_ROW = `id / ${ROWS_PER_FILE}`;
/** SQL. Hidden and unreadable notes have no rows. */
export const NOTES = `file CROSS JOIN note ON note.id = file.id * ${ROWS_PER_FILE}`;
/** For a row of `file`. The index over `modified` slows any other order. */
export const IS_SHOWN = "+file.present = 1 AND file.note = 1 AND file.hidden = 0";
export const IS_SHOWN_IN_ORDER = IS_SHOWN.slice(1);

export const noteSubject: Subject = {
  name: "notes",
  // Increase it when rows change in form or meaning.
  version: 8,
  tables: [
    {
      // `day`: of the property `dated`. `searched`: the folded `SEARCHED_TEXTS`, one per line.
      name: "note",
      columns: ["attachments INTEGER NOT NULL", "day TEXT", "dated TEXT", "searched TEXT NOT NULL"],
      indexes: ["note_attachments ON note (attachments)"],
    },
    {
      // `key`: from `nameKey`.
      name: "note_name",
      columns: ["kind TEXT NOT NULL", "key TEXT NOT NULL", "shown TEXT NOT NULL"],
      indexes: ["note_name_key ON note_name (kind, key, shown)"],
    },
    {
      // `property`: folded. A row per list item; an empty text for no value.
      name: "value",
      columns: ["property TEXT NOT NULL", "text TEXT NOT NULL", "listed INTEGER NOT NULL"],
      indexes: ["value_property ON value (property, text)"],
    },
  ],
  read: (note, { hidden }) => (hidden ? undefined : rowsOf(note)),
  searched: (note) => contentOf(note).searched.join("\n"),
};

/** Searchable text besides the body, heaviest first. The body weighs 1. */
export const SEARCHED_TEXTS = [
  { name: "title", weight: 28 },
  { name: "file name", weight: 28 },
  { name: "aliases", weight: 12 },
  { name: "tags", weight: 5 },
  { name: "headings", weight: 4 },
  { name: "properties", weight: 2 },
] as const;

interface NoteContent {
  readonly title: readonly string[];
  readonly aliases: readonly string[];
  readonly tags: readonly string[];
  readonly values: readonly (readonly [property: string, text: string, listed: number])[];
  /** As `SEARCHED_TEXTS`. */
  readonly searched: readonly string[];
  /** The file need not exist. */
  readonly hasAttachments: boolean;
}

/** Rows and words are requested separately. */
const known = new WeakMap<NoteSource, NoteContent>();

function contentOf(note: NoteSource): NoteContent {
  let content = known.get(note);
  if (!content) known.set(note, (content = readContent(note)));
  return content;
}

function readContent({ path, text, parts, frontmatter: { properties } }: NoteSource): NoteContent {
  const [headings, inline]: string[][] = [[], []];
  let hasAttachments = false;
  visitNote(text, parts, {
    heading: (heading) => void headings?.push(heading.text),
    tag: (tag) => void inline?.push(tag),
    link: ({ target }) => (hasAttachments ||= isAttachment(target)),
  });
  const named = (name: RegExp): string[] =>
    properties.filter(({ key }) => name.test(key)).flatMap(({ value, text: scalar }) => linkTexts(value, scalar));
  const title = within(named(/^title$/i).slice(0, 1));
  const aliases = within(named(/^alias(?:es)?$/i));
  const tags = shortened(noteTags(properties, inline ?? []));
  const values = valuesOf(properties);
  const searched = [title, [fileTitle(path)], aliases, tags, within(headings ?? []), values.map(([, value]) => value)];
  return { title, aliases, tags, values, searched: searched.map((texts) => texts.join(" ")), hasAttachments };
}

function rowsOf(note: NoteSource): Rows {
  const { title, aliases, tags, values, searched, hasAttachments } = contentOf(note);
  const names: (readonly [NoteNameKind, string])[] = [
    ...title.map((shown) => ["title", shown] as const),
    ...aliases.map((shown) => ["alias", shown] as const),
    ...tags.map((shown) => ["tag", shown] as const),
    ...outerTags(tags).map((shown) => ["outer", shown] as const),
  ];
  return {
    note: [[0, Number(hasAttachments), ...dayIn(values), searched.map(fold).join("\n")]],
    note_name: names.map(([kind, shown], place) => [place, kind, nameKey(kind, shown), shown]),
    value: values.map(([property, text, listed], place) => [place, property, text, listed]),
  };
}

/** In order of preference. */
export const DATE_PROPERTIES = ["date", "created", "day"] as const;

/** Ignores words such as "today". */
export function dayIn(values: readonly (readonly [property: string, text: string, ...unknown[]])[]) {
  for (const name of DATE_PROPERTIES)
    for (const [property, text] of values) {
      const day = property === name ? parseWrittenDay(bareLink(text).slice(0, 40))?.day : undefined;
      if (day !== undefined) return [day, name] as const;
    }
  return [null, null] as const;
}

/** Different titles and aliases may share a key. */
export function nameKey(kind: NoteNameKind, name: string): string {
  return kind === "tag" || kind === "outer" ? foldName(name) : fold(name);
}

/** Each in its first spelling. */
function outerTags(tags: readonly string[]): string[] {
  if (!tags.some((tag) => tag.includes("/"))) return [];
  const own = new Set(tags.map(foldName));
  const outer = new Map<string, string>();
  for (const tag of tags)
    for (let end = tag.lastIndexOf("/"); end > 0; end = tag.lastIndexOf("/", end - 1)) {
      const above = tag.slice(0, end);
      const key = foldName(above);
      if (!own.has(key) && !outer.has(key)) outer.set(key, above);
    }
  return [...outer.values()];
}

function valuesOf(properties: readonly Property[]): [string, string, number][] {
  const values: [string, string, number][] = [];
  for (const { key, value, text } of properties) {
    if (NAMED.test(key)) continue;
    const property = fold(key.replace(/\s+/gu, " ").trim());
    const texts = valueTexts(value, text);
    for (const item of texts.length === 0 ? [""] : texts)
      values.push([
        property,
        oneLine(item, Math.max(0, MAX_PROPERTY_LENGTH - key.length)),
        Number(Array.isArray(value)),
      ]);
  }
  return values;
}

function within(texts: readonly string[]): string[] {
  const kept: string[] = [];
  let length = 0;
  for (const line of shortened(texts)) {
    length += line.length;
    if (length > MAX_OF_A_KIND) break;
    kept.push(line);
  }
  return kept;
}

const shortened = (texts: readonly string[]): string[] =>
  texts.map((text) => oneLine(text, MAX_LENGTH)).filter((line) => line !== "");

const oneLine = (text: string, longest: number): string => text.slice(0, longest).replace(/\s+/gu, " ").trim();

function isAttachment(target: string): boolean {
  const type = mediaTypeOf(target.trimEnd() as VaultPath);
  return type !== "text/markdown" && type !== UNKNOWN;
}

export interface NoteNames {
  /** The note's `title`, else its file name without `.md`. */
  readonly title: string;
  readonly aliases: readonly string[];
  /** Without `#`, each once (case ignored). */
  readonly tags: readonly string[];
}

/** @param id of the file */
export function namesOf(view: IndexView, id: number, path: VaultPath): NoteNames {
  const rows = view.list<readonly [NoteNameKind, string]>(
    "json_array(kind, shown)",
    "(SELECT kind, shown FROM note_name WHERE id >= ? AND id < ? ORDER BY id)",
    id * ROWS_PER_FILE,
    (id + 1) * ROWS_PER_FILE,
  );
  const ofKind = (wanted: NoteNameKind): string[] => rows.flatMap(([kind, shown]) => (kind === wanted ? [shown] : []));
  return { title: ofKind("title")[0] ?? fileTitle(path), aliases: ofKind("alias"), tags: ofKind("tag") };
}

/** The named properties that the note has; joins several values. */
export function valuesNamed(view: IndexView, id: number, names: readonly string[]): Readonly<Record<string, string>> {
  const rows = view.list<readonly [string, string]>(
    "json_array(property, text)",
    "(SELECT property, text FROM value WHERE id >= ? AND id < ? ORDER BY id)",
    id * ROWS_PER_FILE,
    (id + 1) * ROWS_PER_FILE,
  );
  return Object.fromEntries(
    names.flatMap((name) => {
      const wanted = fold(name.replace(/\s+/gu, " ").trim());
      const texts = rows.flatMap(([property, text]) => (property === wanted ? [text] : []));
      return texts.length === 0 ? [] : [[name, texts.join(", ")]];
    }),
  );
}
