/** Finds notes by words and filters, ranked or sorted (docs: notes-and-files). */
import { TimeSlice } from "../async/timers.js";
import { argument, said, type Wording } from "../text/wording.js";
import type { EpochMilliseconds, LocalDate } from "../clock.js";
import type { Links } from "../links/service.js";
import { noteUri } from "../links/uri.js";
import type { VaultPath } from "../storage/path.js";
import { ANSWER_WEIGHT, weightOf } from "../text/answer-weight.js";
import type { ProgressOptions } from "../index/refresh.js";
import { allOf, type Condition, ROWS_PER_FILE } from "../index/subject.js";
import { leftOut, placeOf, unreadRemark } from "../obsidian/unlisted.js";
import type { IndexView } from "../index/view.js";
import { decodeText } from "../storage/note-text.js";
import type { FileStat } from "../storage/storage.js";
import type { Vault } from "../vault/vault.js";
import {
  conditionsOf,
  datedCondition,
  folderMeant,
  filtersNamed,
  unknownProperties,
  unknownProperty,
  type DateRange,
  isOneOf,
  noteIds,
  type NamedCondition,
  type NoteFilter,
} from "./find-filter.js";
import { type RankedNotes, findWords, inlineField, partialMatches, shownContent, snippetOf } from "./find-words.js";
import {
  folderRemark,
  misspeltRemark,
  operatorsRemark,
  partialRemarks,
  smallWordsRemark,
  THE_QUERY,
  whatExcludes,
} from "../search/nothing-found.js";
import { type DayNames, dayNames, type DayOfNote, dayOfNote } from "./note-date.js";
import {
  type DATE_PROPERTIES,
  IS_SHOWN,
  IS_SHOWN_IN_ORDER,
  type NoteNames,
  namesOf,
  NOTES,
  valuesNamed,
} from "./note-rows.js";
import { meansAll } from "../search/words.js";
import { locateNote, type VaultAndLinks } from "./locate.js";

export type NoteOrder = "mtime" | "ctime" | "path" | "relevance";

export interface NoteSearch extends Omit<NoteFilter, "folder">, DateRange, ProgressOptions {
  /** Blank: all notes that pass the filters. */
  readonly query?: string | undefined;
  /** As `folderPath` reads it. */
  readonly folder?: string | undefined;
  /** No other file links to it. */
  readonly orphan?: boolean | undefined;
  /** A path, link or name. */
  readonly linksTo?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** Default: relevance with a query, else mtime. */
  readonly sortBy?: NoteOrder | undefined;
  /** Default: ascending by path, else descending. */
  readonly sortOrder?: "asc" | "desc" | undefined;
  /** Default: for at most three notes. */
  readonly includeContent?: boolean | undefined;
  readonly countOnly?: boolean | undefined;
  readonly show?: readonly string[] | undefined;
  /** In UTF-16 units. */
  readonly snippetLength?: number | undefined;
}

export interface FoundNote {
  readonly uri: string;
  readonly title: string;
  readonly path: VaultPath;
  /** Of a filter by date. */
  readonly date: DayOfNote | undefined;
  readonly modified: EpochMilliseconds;
  readonly created: number;
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  /** Higher is better. */
  readonly score: number | undefined;
  /** The requested ones. */
  readonly properties: Readonly<Record<string, string>> | undefined;
  readonly snippet: string | undefined;
  readonly content: string | undefined;
  readonly truncated: boolean;
}

export interface FoundNotes {
  readonly total: number;
  readonly notes: readonly FoundNote[];
  readonly nextOffset: number | undefined;
  /** Unreadable notes and folders inside `folder`. */
  readonly unread: readonly { readonly path: string; readonly message: string }[];
  /** How words and days were read; why nothing was found. */
  readonly remarks: readonly Wording[];
}

const USUAL_LIMIT = 10;
const MAX_WITH_TEXT = 3;
const MAX_NAMED = 3;
/** Weight of a note's data, without text, snippet and path. Paths count twice: the URI repeats them. */
const HEAD_WEIGHT = 250;

/**
 * @throws VaultError INVALID_ARGUMENT (a day, the folder), FILE_NOT_FOUND (the folder, the linked file),
 *   AMBIGUOUS_NAME, PERMISSION_DENIED; the signal's reason
 */
export async function searchNotes(vault: Vault, links: Links, search: NoteSearch): Promise<FoundNotes> {
  const folder = await folderMeant(vault, search.folder);
  const isDated = search.dateFrom !== undefined || search.dateTo !== undefined;
  const days = isDated ? await dayNames((await vault.settings()).periodicNotes) : undefined;
  const linked = await linkConditions({ vault, links }, search);
  const { query = "", offset = 0, signal, onProgress } = search;
  const isBrowsing = meansAll(query);
  const answer = async (view: IndexView): Promise<FoundNotes> => {
    const slice = new TimeSlice(signal);
    const filters = conditionsOf({ ...search, folder }, view, vault.clock);
    const dated = days && (await datedCondition(view, search, days, { clock: vault.clock, slice }));
    const conditions = [...linked, ...filters.conditions, ...(dated ? [dated] : [])];
    const wanted = allOf(conditions);
    const options = { vault, signal, onProgress };
    const ranked = isBrowsing ? undefined : await findWords(view, query, noteIds(view, wanted), options);
    const total = ranked?.total ?? countOf(view, wanted);
    const why = total > 0 || folder === undefined ? [] : [folderRemark(folder, view.notesBelow(folder)) ?? []].flat();
    const elsewhere: (string | undefined)[] = [];
    if (filters.unknownTags.length > 0) {
      const { namedElsewhere } = await import("./tags.js");
      for (const tag of filters.unknownTags)
        elsewhere.push(await namedElsewhere(vault, view, tag.replace(/^#+/, ""), { signal }));
    }
    const lacking = new Set([...filters.unknownProperties, ...unknownProperties(search.show ?? [], view)]);
    for (const name of lacking) elsewhere.push((await inlineField(name, options)) ?? unknownProperty(name, view));
    const remarks = [
      ...(dated?.echoes ?? []),
      ...filters.remarks,
      ...linked.flatMap((one) => one.remarks ?? []),
      ...elsewhere.filter((one) => one !== undefined),
      ...operatorsRemark(query),
      ...filtersNamed(query, view),
      ...(ranked?.without === undefined ? [] : [smallWordsRemark("note", query, ranked.without)]),
      ...(ranked?.misspelt ?? []).map((one) => misspeltRemark("note", one)),
      ...why,
      ...[
        linkedElsewhere(
          view,
          linked.flatMap(({ sources = [] }) => sources),
        ) ?? [],
      ].flat(),
      ...(total > 0
        ? []
        : await nothingFound(view, isBrowsing ? undefined : query, conditions, {
            ...options,
            isExplained: why.length + filters.remarks.length + lacking.size > 0,
          })),
    ];
    const { unread, inPart } = unreadNotes(view, folder);
    const asksText = !isBrowsing || isDated || search.tags !== undefined || search.properties !== undefined;
    const mayLack =
      asksText || linked.length > 0 || search.hasAttachments !== undefined ? unreadRemark(inPart) : undefined;
    const all = { total, unread, remarks: [...remarks, ...[mayLack ?? []].flat()] };
    if (search.countOnly) return { ...all, notes: [], nextOffset: undefined };
    const found = { wanted, total, days, ranked };
    const shown = view.inTransaction(() => {
      const rows = rowsOfPage(view, search, found);
      view.verify(rows.map(({ id }) => id * ROWS_PER_FILE));
      return rows;
    });
    const end = offset + shown.length;
    const nextOffset = shown.length > 0 && end < total ? end : undefined;
    return { ...all, notes: await show(vault, shown, search, found), nextOffset };
  };
  return await vault.index.ask({ signal, onProgress, rows: ["notes"], words: !isBrowsing }, answer);
}

/** Notes without rows, which no search finds, and those read in part. */
function unreadNotes(view: IndexView, folder: VaultPath | undefined) {
  const isRead = ({ path }: { readonly path: VaultPath }): boolean =>
    view.get(`SELECT 1 FROM ${NOTES} WHERE file.path = ? AND file.present = 1`, path) !== undefined;
  const isInside = (path: string): boolean => !folder || path.startsWith(`${folder}/`);
  // A document without a name has no known folder.
  const unlisted = view.unlisted.filter((what) => what.reason === "unreadable" || isInside(placeOf(what)));
  const problems = view.problems().filter(({ path }) => isInside(path));
  return {
    unread: [
      ...problems.filter((one) => !isRead(one)),
      ...leftOut(unlisted).map(({ path, message }) => ({ path, message })),
    ],
    inPart: problems.filter(isRead).map(({ path }) => path),
  };
}

function countOf(view: IndexView, { sql, values }: Condition): number {
  const from = sql === "1" ? "note" : `${NOTES} WHERE ${IS_SHOWN} AND ${sql}`;
  return view.get<[number]>(`SELECT count(*) FROM ${from}`, ...values)?.[0] ?? 0;
}

async function linkConditions(
  notes: VaultAndLinks,
  { orphan, linksTo, signal, onProgress }: NoteSearch,
): Promise<(NamedCondition & { readonly sources?: readonly VaultPath[]; readonly remarks?: readonly Wording[] })[]> {
  if (orphan === undefined && linksTo === undefined) return [];
  const progress = { signal, onProgress };
  const isNone = linksTo !== undefined && /^\s*none\s*$/i.test(linksTo);
  const file = linksTo === undefined || isNone ? undefined : await locateNote(notes, linksTo, progress);
  const filter = `links_to ${JSON.stringify(linksTo)}`;
  const isPart = file !== undefined && linksTo?.includes("#") === true && !file.includes("#");
  const remarks = isPart
    ? [said`Read ${argument("links_to")} ${JSON.stringify(linksTo)} as '${file}', the whole file.`]
    : [];
  return await notes.links.ask(progress, async (graph) => {
    const sources = file && [...new Set(graph.backlinks(file).map(({ from }) => from))];
    const { sql, values } = isOneOf("file.path", orphan === undefined ? [] : await graph.orphans(signal));
    return [
      ...(orphan === undefined ? [] : [{ filter: `orphan ${orphan}`, sql: orphan ? sql : `NOT (${sql})`, values }]),
      ...(sources === undefined ? [] : [{ filter, ...isOneOf("file.path", sources), sources, remarks }]),
      ...(isNone ? [{ filter, ...isOneOf("file.path", graph.linkless()) }] : []),
    ];
  });
}

/** Linking files that no note search lists. */
function linkedElsewhere(view: IndexView, sources: readonly VaultPath[]): string | undefined {
  const others = sources.filter(
    (path) => view.get(`SELECT 1 FROM ${NOTES} WHERE ${IS_SHOWN} AND file.path = ?`, path) === undefined,
  );
  if (others.length === 0) return undefined;
  const more = others.length > MAX_NAMED ? ` and ${others.length - MAX_NAMED} more` : "";
  return `Also linked from ${others.slice(0, MAX_NAMED).join(", ")}${more}: canvases, templates and excluded notes are not listed.`;
}

async function nothingFound(
  view: IndexView,
  query: string | undefined,
  conditions: readonly NamedCondition[],
  options: Parameters<typeof findWords>[3] & { readonly isExplained: boolean },
): Promise<readonly string[]> {
  const count = async (some: readonly Condition[], words: string | undefined): Promise<number> => {
    const wanted = allOf(some);
    if (words === undefined) return countOf(view, wanted);
    return (await findWords(view, words, noteIds(view, wanted), options)).total;
  };
  const partial =
    query === undefined ? undefined : await partialMatches(view, query, noteIds(view, allOf(conditions)), options);
  const matches = (partial?.best ?? []).flatMap(({ file, lacks }) => {
    const path = view.get<[VaultPath]>("SELECT path FROM file WHERE id = ?", file)?.[0];
    return path === undefined ? [] : [{ name: `'${path}'`, lacks }];
  });
  return [
    ...(partial ? partialRemarks("note", { ...partial, matches }, conditions.length > 0) : []),
    ...(await whatExcludes({
      what: "note",
      isExplained: options.isExplained,
      parts: [...conditions.map(({ filter }) => filter), ...(query === undefined ? [] : [THE_QUERY])],
      count: (isIn) =>
        count(
          conditions.filter((_, at) => isIn(at)),
          isIn(conditions.length) ? query : undefined,
        ),
    })),
  ];
}

interface Found {
  readonly wanted: Condition;
  readonly total: number;
  readonly days: DayNames | undefined;
  readonly ranked: RankedNotes | undefined;
}

interface ShownNote extends NoteNames {
  readonly id: number;
  readonly stat: FileStat;
  readonly day: LocalDate | null;
  readonly dated: (typeof DATE_PROPERTIES)[number] | null;
  readonly score: number;
  readonly properties: Readonly<Record<string, string>> | undefined;
}

/** Ties are newest first, then by path, so that answers are reproducible. */
const ORDERS: Readonly<Record<NoteOrder, (direction: string) => string>> = {
  mtime: (direction) => `file.modified ${direction}, file.path`,
  ctime: (direction) => `file.created ${direction}, file.modified DESC, file.path`,
  path: (direction) => `file.path ${direction}`,
  relevance: () => "file.modified DESC, file.path",
};

function rowsOfPage(
  view: IndexView,
  { sortBy, sortOrder, limit = USUAL_LIMIT, offset = 0, show: properties = [] }: NoteSearch,
  { wanted, ranked, total }: Found,
): ShownNote[] {
  const asked = sortBy ?? (ranked ? "relevance" : "mtime");
  const by = !ranked && asked === "relevance" ? "mtime" : asked;
  const direction = sortOrder ?? (by === "path" ? "asc" : "desc");
  // For few notes the index is slower.
  const isInOrder = (by === "mtime" || by === "relevance") && total * 20 > view.noteCount;
  const shown: ShownNote[] = [];
  const add = ({ sql, values }: Condition, most: number, from: number, scoreOf: (id: number) => number): void => {
    const rows = view.list<readonly [number, VaultPath, ShownNote["day"], ShownNote["dated"]]>(
      "json_array(id, path, day, dated)",
      `(SELECT file.id AS id, path, day, dated FROM ${NOTES} WHERE ${isInOrder ? IS_SHOWN_IN_ORDER : IS_SHOWN} AND ${sql}
        ORDER BY ${ORDERS[by](direction)} LIMIT ? OFFSET ?)`,
      ...values,
      // SQLite has no infinity.
      Math.min(most, Number.MAX_SAFE_INTEGER),
      from,
    );
    for (const [id, path, day, dated] of rows) {
      const stat = view.statOf(path);
      if (!stat) continue;
      const values = properties.length === 0 ? undefined : valuesNamed(view, id, properties);
      shown.push({ id, stat, day, dated, score: scoreOf(id), properties: values, ...namesOf(view, id, path) });
    }
  };
  if (!ranked) add(wanted, limit, offset, () => 0);
  else if (by !== "relevance") {
    const scores = new Map([...ranked.byScore].flatMap(([score, ids]) => ids.map((id) => [id, score] as const)));
    add(isOneOf("file.id", [...scores.keys()]), limit, offset, (id) => scores.get(id) ?? 0);
  } else {
    let skipped = offset;
    const groups = [...ranked.byScore].sort(([a], [b]) => (direction === "asc" ? a - b : b - a));
    for (const [score, ids] of groups) {
      if (shown.length >= limit) break;
      if (skipped < ids.length) add(isOneOf("file.id", ids), limit - shown.length, skipped, () => score);
      skipped = Math.max(0, skipped - ids.length);
    }
  }
  return shown;
}

async function show(
  vault: Vault,
  notes: readonly ShownNote[],
  search: NoteSearch,
  { ranked, days }: Found,
): Promise<FoundNote[]> {
  const withContent = search.includeContent ?? notes.length <= MAX_WITH_TEXT;
  const texts = withContent || ranked ? await textsOf(vault, notes, search.signal) : new Map<string, string>();
  const heads = notes.reduce((sum, { stat }) => sum + HEAD_WEIGHT + 2 * weightOf(stat.path), 0);
  // Some text, even with many notes.
  let room = Math.max(ANSWER_WEIGHT - heads, ANSWER_WEIGHT / 2);
  return notes.map(({ stat, day, dated, score, title, tags, aliases, properties }) => {
    const { path, modified, created } = stat;
    const text = texts.get(path);
    const uri = noteUri(vault.id, path);
    const shown = withContent && text !== undefined ? shownContent(text, room, uri) : undefined;
    room -= shown === undefined ? 0 : weightOf(shown.content);
    const isWhole = shown?.truncated === false;
    return {
      uri,
      title,
      path,
      date: days && dayOfNote({ path, modified, day, dated }, days, vault.clock),
      modified,
      created,
      tags,
      aliases,
      score: ranked && score,
      properties,
      snippet:
        !ranked || isWhole || text === undefined
          ? undefined
          : snippetOf(text, ranked.terms, title, search.snippetLength),
      content: shown?.content,
      truncated: shown?.truncated ?? false,
    };
  });
}

async function textsOf(
  vault: Vault,
  notes: readonly ShownNote[],
  signal: AbortSignal | undefined,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const stats = notes.map(({ stat }) => stat);
  for await (const batch of vault.texts(stats, { signal }))
    for (const { stat, bytes } of batch) texts.set(stat.path, decodeText(bytes) ?? "");
  return texts;
}
