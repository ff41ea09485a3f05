/** What the index stores of the links of notes and canvases. */
import { storedText, type IndexView } from "../index/view.js";
import { type SqlValue, type NoteSource, type SubjectRow, ROWS_PER_FILE, type Subject } from "../index/subject.js";
import { canvasLinks } from "../markdown/links/canvas.js";
import { visitLinks } from "../markdown/visit-note.js";
import { extensionOf, isMarkdown, type VaultPath } from "../storage/path.js";
import type { Link } from "./api.js";
import { targetPlace, type Resolve, stemsOf } from "./resolver.js";

const MAX_TARGET = 4100;
const MAX_WORDS = 120;

/** `place`: of `targetPlace`. `target`: empty if equal to `place`. `key`: the name in `place`, as `file.stem`; `x` for `[[x.md]]`, although that may mean `x.md.md`. `judged` 0: a bare name, which leads to any file with it. `hidden`: of the note. */
export const linkSubject: Subject = {
  name: "links",
  // Increase it when links are found or stored differently.
  version: 3,
  tables: [
    {
      name: "link",
      columns: [
        "key TEXT NOT NULL",
        "judged INTEGER NOT NULL",
        "place TEXT NOT NULL",
        "hidden INTEGER NOT NULL",
        "line INTEGER NOT NULL",
        "embed INTEGER NOT NULL",
        "target TEXT NOT NULL",
        "subpath TEXT NOT NULL",
        "display TEXT NOT NULL",
        "property TEXT NOT NULL",
      ],
      indexes: ["link_key ON link (key, judged, place, hidden)"],
    },
  ],
  wants: (path) => path.endsWith(".md") || isMarkdown(path) || isCanvas(path),
  read(note, { hidden }) {
    const links = isCanvas(note.path) ? linksOfCanvas(note.text) : linksOfNote(note);
    return { link: links.map((link, number) => rowOf(link, number, note.path, hidden)) };
  },
};

export function isCanvas(path: VaultPath): boolean {
  return extensionOf(path) === ".canvas";
}

interface FoundLink extends Pick<Link, "target" | "subpath" | "embed"> {
  readonly display?: string | undefined;
  readonly property?: string | undefined;
  /** 0 in a canvas. */
  readonly line: number;
}

function linksOfNote({ text, parts }: NoteSource): FoundLink[] {
  const links: FoundLink[] = [];
  visitLinks(text, parts, ({ target, subpath, embed, display, property }, line) => {
    links.push({ target, subpath, embed, display, property, line });
  });
  return links;
}

/** A leading slash marks a path from the root. */
function linksOfCanvas(text: string): FoundLink[] {
  return canvasLinks(text).map(({ kind, target, subpath, embed, display }) => {
    return { target: kind === "text" ? target : `/${target}`, subpath, embed, display, line: 0 };
  });
}

function rowOf(link: FoundLink, number: number, from: VaultPath, hidden: boolean): SubjectRow {
  const target = stored(link.target, MAX_TARGET);
  const place = targetPlace(target, from);
  const [key = "", another] = stemsOf(place);
  return [
    number,
    key,
    Number(another !== undefined || place.includes("/")),
    place,
    Number(hidden),
    link.line,
    Number(link.embed),
    target === place ? "" : target,
    stored(link.subpath),
    stored(link.display),
    stored(link.property),
  ];
}

/** SQLite cannot store lone surrogates as text. */
function stored(text = "", length = MAX_WORDS): string {
  const short = text.length > length ? text.slice(0, length) : text;
  return /^[ -~]*$/.test(short) ? short : short.replace(/[\t\r\n]+/g, " ").replace(/\p{Cs}/gu, "\ufffd");
}

/** For `linkOf`. */
export const LINK_COLUMNS = `link.id, line, embed, ${["path", "place", "target", "subpath", "display", "property"]
  .map((name) => `CAST(${name} AS BLOB)`)
  .join()}`;
export const FILE_OF_LINK = `file ON file.id = link.id / ${ROWS_PER_FILE}`;

export type LinkRow = readonly [id: number, line: number, embed: number, ...texts: Uint8Array[]];

export function linkOf([, line, embed, ...texts]: LinkRow, resolve?: Resolve): Link {
  const [from = "", place = "", target = "", subpath = "", display = "", property = ""] = texts.map(storedText);
  return {
    from: from as VaultPath,
    ...(line > 0 && { line }),
    target: target || place,
    subpath,
    ...(display !== "" && { display }),
    embed: embed === 1,
    ...(property !== "" && { property }),
    to: resolve?.(place, from as VaultPath),
  };
}

export const rowsOfFile = (file: number): readonly [SqlValue, SqlValue] => [
  file * ROWS_PER_FILE,
  (file + 1) * ROWS_PER_FILE - 1,
];

/** Keeps a statement to a few milliseconds. */
const ROWS_A_SLICE = 5_000;
/** For the values of `valuesBetween`. */
export const LINKS_BETWEEN = "key >= ? AND key < ?";
/** Greater than any text: a BLOB. */
const AFTER_ALL = new Uint8Array();

/** Yields each range's first value and the next one's. */
export function* valuesBetween(
  view: IndexView,
  table: "link" | "file",
  column: "key" | "stem",
): Generator<[from: string, to: SqlValue]> {
  const where = table === "file" ? "present = 1 AND stem > ?" : `${column} > ?`;
  const sql = `SELECT CAST(${column} AS BLOB) FROM ${table} WHERE ${where} ORDER BY ${column} LIMIT 1 OFFSET ${ROWS_A_SLICE}`;
  for (let from: string | undefined = ""; from !== undefined;) {
    const row: readonly [Uint8Array] | undefined = view.get(sql, from);
    const to: string | undefined = row && storedText(row[0]);
    yield [from, to ?? AFTER_ALL];
    from = to;
  }
}

/** Of `group_concat`, which reads faster than many rows. */
export function parts(joined: Uint8Array | null | undefined, separator: string): readonly string[] {
  return joined ? storedText(joined).split(separator) : [];
}
