/** Finds notes by words and filters, ranked or sorted (docs: notes-and-files). */
import type { EpochMilliseconds } from "../clock.js";
import { VaultError } from "../errors.js";
import type { Links } from "../links/service.js";
import { noteUri } from "../links/uri.js";
import { folderPath, type VaultPath } from "../storage/path.js";
import { ANSWER_WEIGHT, weightOf, endWithin, wholeCharacter } from "../text/answer-weight.js";
import type { Progress } from "../index/refresh.js";
import type { NoteProblem } from "../index/facts.js";
import type { IndexView } from "../index/view.js";
import { BestHits } from "../search/best-hits.js";
import { decodeText } from "../storage/note-text.js";
import type { Vault } from "../vault/vault.js";
import { noteTest, throughAliases, type FoundRecord, type NoteFilter } from "./find-filter.js";
import { findWords, type RankedNote } from "./find-words.js";
import { noteDates, type DayOfNote, type NoteDates } from "./note-date.js";
import { factsOfKind, noteReader, tagsIn, titleOf } from "./note-facts.js";
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { fold } from "../text/fold.js";
import { parseQuery } from "../search/query.js";
import { hasTerm } from "../search/score.js";

export type NoteOrder = "mtime" | "ctime" | "path" | "relevance";

export interface NoteSearch extends Omit<NoteFilter, "folder" | "isLinkedAsWanted"> {
  /** Blank: all notes that pass the filters. */
  readonly query?: string | undefined;
  /** As `folderPath` reads it. */
  readonly folder?: string | undefined;
  /** No other file links to the note. */
  readonly orphan?: boolean | undefined;
  /** A path, link or name. */
  readonly linksTo?: string | undefined;
  /** Default 10. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** Default: relevance with a query, else mtime. */
  readonly sortBy?: NoteOrder | undefined;
  /** Default: ascending by path, else descending. */
  readonly sortOrder?: "asc" | "desc" | undefined;
  /** Default: for at most three notes. */
  readonly includeContent?: boolean | undefined;
  readonly countOnly?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface FoundNote {
  readonly uri: string;
  readonly title: string;
  readonly path: VaultPath;
  /** Set for a filter by date. */
  readonly date: DayOfNote | undefined;
  readonly modified: EpochMilliseconds;
  readonly created: number;
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  /** More is better. */
  readonly score: number | undefined;
  readonly snippet: string | undefined;
  readonly content: string | undefined;
  /** `content` is only the beginning. */
  readonly truncated: boolean;
}

export interface FoundNotes {
  /** The number on all pages. */
  readonly total: number;
  readonly notes: readonly FoundNote[];
  /** Undefined on the last page. */
  readonly nextOffset: number | undefined;
  /** Notes of the folder that cannot be read. */
  readonly unread: readonly NoteProblem[];
}

const USUAL_LIMIT = 10;
const MAX_WITH_TEXT = 3;
/** Weight of a note's data, without text, snippet and path. The path counts twice, because the URI repeats it. */
const HEAD_WEIGHT = 250;

/**
 * @throws VaultError INVALID_ARGUMENT (a day, the folder), FILE_NOT_FOUND (the folder, the file linked to),
 * AMBIGUOUS_NAME, PERMISSION_DENIED; the signal's reason
 */
export async function searchNotes(
  vault: Vault,
  links: Pick<Links, "find" | "graph">,
  search: NoteSearch,
): Promise<FoundNotes> {
  const { query = "", limit = USUAL_LIMIT, offset = 0, signal, onProgress } = search;
  const folder = await folderMeant(vault, search.folder);
  const { clock } = vault;
  const isDated = search.dateFrom !== undefined || search.dateTo !== undefined;
  const dateOf = isDated ? await noteDates((await vault.settings()).periodicNotes, clock) : undefined;
  const isLinkedAsWanted = await linkTest(links, search);
  let unread: readonly NoteProblem[] = [];
  const testIn = (view: IndexView) => {
    const records = view.records(noteReader);
    const isAsked = ({ path }: NoteProblem) => !folder || path.startsWith(`${folder}/`);
    unread = view.problems().filter((problem) => isAsked(problem) && !view.get(noteReader, problem.path));
    const properties = search.properties && throughAliases(search.properties, records);
    return { records, accepts: noteTest({ ...search, folder, properties, isLinkedAsWanted }, clock, dateOf) };
  };
  const progress = { signal, onProgress };
  const isBrowsing = query.trim() === "";
  const { index, texts } = vault;
  const options = { ...progress, facts: [noteReader] };
  const found = isBrowsing
    ? unranked(testIn(await index.refresh(options)))
    : await index.search(options, (view) => findWords(view, query, testIn(view).accepts, texts, progress));
  const best = new BestHits<RankedNote>(offset + limit, orderOf(search, isBrowsing));
  for (const note of found) best.add(note, 0);
  const { total } = best;
  if (search.countOnly) return { total, notes: [], nextOffset: undefined, unread };
  const shown = best.documents().slice(offset);
  const end = offset + shown.length;
  return {
    total,
    notes: await show(vault, shown, search, { isBrowsing, dateOf }),
    nextOffset: shown.length > 0 && end < total ? end : undefined,
    unread,
  };
}

async function linkTest(links: Pick<Links, "find" | "graph">, { orphan, linksTo, signal, onProgress }: NoteSearch) {
  if (orphan === undefined && linksTo === undefined) return undefined;
  const progress = { signal, onProgress };
  const file = linksTo === undefined ? undefined : await links.find(linksTo, progress);
  const graph = await links.graph(progress);
  const orphans = orphan === undefined ? undefined : new Set(graph.orphans());
  const linking = file && new Set(graph.backlinks(file).map(({ from }) => from));
  return (path: VaultPath): boolean => orphans?.has(path) === orphan && linking?.has(path) !== false;
}

async function show(
  vault: Vault,
  found: readonly RankedNote[],
  search: NoteSearch,
  { isBrowsing, dateOf }: { readonly isBrowsing: boolean; readonly dateOf: NoteDates | undefined },
): Promise<FoundNote[]> {
  const withContent = search.includeContent ?? found.length <= MAX_WITH_TEXT;
  const texts = withContent || !isBrowsing ? await textsOf(vault, found, search.signal) : new Map<string, string>();
  const heads = found.reduce((sum, { record }) => sum + HEAD_WEIGHT + 2 * weightOf(record.stat.path), 0);
  // Even many notes leave room for some text.
  let room = Math.max(ANSWER_WEIGHT - heads, ANSWER_WEIGHT / 2);
  return found.map(({ record, score }) => {
    const { stat, facts } = record;
    const text = texts.get(stat.path);
    const uri = noteUri(vault.id, stat.path);
    const shown = withContent && text !== undefined ? shownContent(text, room, uri) : undefined;
    room -= shown === undefined ? 0 : weightOf(shown.content);
    const isWhole = shown?.truncated === false;
    return {
      uri,
      title: titleOf(stat.path, facts),
      path: stat.path,
      date: dateOf?.(record),
      modified: stat.modified,
      created: stat.created,
      tags: tagsIn(facts),
      aliases: factsOfKind(facts, "alias"),
      score: isBrowsing ? undefined : score,
      snippet:
        isBrowsing || isWhole || text === undefined
          ? undefined
          : snippetOf(text, search.query ?? "", titleOf(stat.path, facts)),
      content: shown?.content,
      truncated: shown?.truncated ?? false,
    };
  });
}

async function textsOf(
  vault: Vault,
  found: readonly RankedNote[],
  signal: AbortSignal | undefined,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const stats = found.map(({ record }) => record.stat);
  for await (const batch of vault.texts.read(stats, { signal }))
    for (const { stat, bytes } of batch) texts.set(stat.path, decodeText(bytes) ?? "");
  return texts;
}

function* unranked(wanted: {
  readonly records: readonly FoundRecord[];
  readonly accepts: (record: FoundRecord) => boolean;
}): Generator<RankedNote> {
  for (const record of wanted.records) if (wanted.accepts(record)) yield { record, score: 0 };
}

/** A missing folder is a mistake, not an empty answer. */
export async function folderMeant(vault: Vault, text: string | undefined): Promise<VaultPath | undefined> {
  if (text === undefined) return undefined;
  const folder = folderPath(text, vault.pathRules);
  if ((await vault.children(folder)) === undefined) throw await missingFolder(vault, folder);
  return folder;
}

async function missingFolder(vault: Vault, folder: VaultPath): Promise<VaultError> {
  const isFile = await vault.stat(folder).then(
    () => true,
    () => false,
  );
  if (isFile)
    return new VaultError("INVALID_ARGUMENT", `'${folder}' is a file, not a folder.`, {
      hint: "Name the folder it is in.",
    });
  return new VaultError("FILE_NOT_FOUND", `There is no folder '${folder}'.`, {
    path: folder,
    hint: "Check the spelling, or leave folder out to see the whole vault.",
  });
}

type Order = (a: RankedNote, b: RankedNote) => number;

const BY: Readonly<Record<NoteOrder, Order>> = {
  mtime: (a, b) => a.record.stat.modified - b.record.stat.modified,
  ctime: (a, b) => a.record.stat.created - b.record.stat.created,
  path: (a, b) => byPath(a.record, b.record),
  relevance: (a, b) => a.score - b.score,
};

function orderOf({ sortBy, sortOrder }: NoteSearch, isBrowsing: boolean): Order {
  const asked = sortBy ?? (isBrowsing ? "mtime" : "relevance");
  const by = isBrowsing && asked === "relevance" ? "mtime" : asked;
  const direction = (sortOrder ?? (by === "path" ? "asc" : "desc")) === "asc" ? 1 : -1;
  // Then newest first, then by path: answers are reproducible.
  return (a, b) => direction * BY[by](a, b) || BY.mtime(b, a) || byPath(a.record, b.record);
}

function byPath({ stat: a }: FoundRecord, { stat: b }: FoundRecord): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

/** UTF-16 units; docs: notes-and-files, "find_notes". */
const MAX_CONTENT_LENGTH = 3_000;
/** UTF-16 units, in all and before the word. */
const SNIPPET = 240;
const BEFORE = 80;
/** UTF-16 units. */
const MAX_SEARCHED = 1_000_000;

interface Content {
  readonly content: string;
  readonly truncated: boolean;
}

/**
 * Cut between characters, with a marker that says how to read the rest.
 * @param room the weight left (text/answer-weight), possibly none
 * @param uri for `resources/read`
 */
function shownContent(text: string, room: number, uri: string): Content {
  const end = wholeCharacter(text, Math.min(endWithin(text, 0, room), MAX_CONTENT_LENGTH));
  if (end === text.length) return { content: text, truncated: false };
  const shown = text.slice(0, end);
  const marker = `[… ${shown.length} of ${text.length} characters; resources/read ${uri} gives all of them]`;
  return { content: `${shown}\n\n${marker}`, truncated: true };
}

/** The body's first line with the most words of the query; skips a heading that repeats the title. */
function snippetOf(text: string, query: string, title = ""): string | undefined {
  const { terms } = parseQuery(query);
  const body = text.slice(splitNote(text).bodyStart, MAX_SEARCHED);
  let best: { readonly line: string; readonly at: number; readonly found: number } | undefined;
  for (const line of body.split("\n")) {
    const folded = fold(line);
    if (isTitle(folded, title)) continue;
    const present = terms.filter((term) => hasTerm(folded, term));
    const [first] = present;
    if (first === undefined || present.length <= (best?.found ?? 0)) continue;
    best = { line, at: folded.indexOf(first.text), found: present.length };
    if (present.length === terms.length) break;
  }
  return best && around(best.line, best.at);
}

function isTitle(line: string, title: string): boolean {
  return line.startsWith("#") && line.replace(/^#+\s*|\s+$/g, "") === fold(title);
}

/** Folding shifts positions by a few characters. */
function around(line: string, at: number): string {
  const start = Math.max(0, Math.min(at - BEFORE, line.length - SNIPPET));
  const end = Math.min(line.length, start + SNIPPET);
  const shown = line
    .slice(start, end)
    .replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "")
    .trim();
  return `${start > 0 ? "…" : ""}${shown}${end < line.length ? "…" : ""}`;
}
