/** Finds notes by words and filters (docs: notes-and-files, "find_notes"). */
import type { FoundAttachments } from "../../notes/find-attachments.js";
import type { FoundNote, FoundNotes, NoteSearch } from "../../notes/find.js";
import { DATE_SOURCES } from "../../notes/note-date.js";
import { fileTitle } from "../../storage/path.js";
import { anyValue, array, boolean, count, integer, object, optional, string, unlisted, type Infer } from "../schema.js";
import { CONFLICTS } from "../file-view.js";
import { weightOf } from "../../text/answer-weight.js";
import type { Clock } from "../../clock.js";
import { oneLine } from "../safe-text.js";
import { pageNote } from "../paging.js";
import { defineTool } from "../tool.js";
import type { OpenVault } from "../workspace.js";
import { counted } from "../../text/wording.js";

const MAX_LISTED = 50;

const NOTE = object(
  {
    path: string("Path in the vault; give it to obsidian_read_note or summarise_note"),
    title: optional(string("Its title property, where its file has another name")),
    mtime: optional(string("Day of its last change, YYYY-MM-DD")),
    ctime: optional(string("With sort_by ctime: day of its creation")),
    tags: optional(array(string(), "Tags without #")),
    aliases: optional(array(string(), "Other names")),
    properties: optional({
      type: "object",
      properties: {},
      additionalProperties: string(),
      description: "Of those asked for by show, the ones that it has",
    }),
    date: optional(string("With date_from or date_to: the day it was judged by, YYYY-MM-DD")),
    dated_by: optional(
      string("Where that day was found: in its name, in a property, or when it was changed", { enum: DATE_SOURCES }),
    ),
    snippet: optional(string("Text around words of the query")),
    content: optional(string("The note's text, or its beginning")),
    truncated: optional(boolean("True when the content is only the beginning")),
    conflicts: optional(CONFLICTS),
    task: optional(anyValue("For the page")),
  },
  "A note; without content, what about 30 tokens hold",
);

const ATTACHMENT = object(
  {
    path: string("Path in the vault; view shows it"),
    type: string("Media type, by the extension"),
    size: count("Bytes"),
    width: optional(count("Of an image, in pixels")),
    height: optional(count("Of an image, in pixels")),
    mtime: string("Day of its last change, YYYY-MM-DD"),
    linked_from: array(string(), "The first notes that link to it"),
    link_count: count("How many notes link to it"),
  },
  "A file that is no note",
);

const output = object({
  match_count: count("How many notes match in all"),
  attachments: optional(array(ATTACHMENT, "With kind attachment: those asked for")),
  notes: optional(array(NOTE, "Those asked for; absent with exists_only and count_only")),
  exists: optional(boolean("With exists_only: whether any note matches")),
  next_offset: optional(integer("The offset to go on with; absent at the end")),
  omitted: optional(array(string(), "Fields that the notes have and that are not shown; show names them")),
  remarks: optional(
    array(string(), "Notes that cannot be read, how words and days were read, and why nothing is found"),
  ),
});

export type FindNotesAnswer = Infer<typeof output>;

const input = object({
  query: optional(string("Words; empty: all notes", { role: "query", maxLength: 1000 })),
  folder: optional(string("Below this folder", { role: "folder" })),
  tags: optional(array(string(), "Any of these; a finds a/b", { role: "tags" })),
  properties: optional({
    type: "object",
    properties: {},
    additionalProperties: string(undefined, { role: "condition" }),
    description: '{"status": "draft", "rating": ">=4"}; none, any',
  }),
  since_days: optional(integer("Changed in the last n days", { minimum: 1 })),
  modified_after: optional(string("Changed this day or later")),
  modified_before: unlisted(string("Changed before this day")),
  date_from: optional(string("Its day or later: by name, property or change")),
  date_to: optional(string("Its day or before")),
  has_attachments: unlisted(boolean("Links to other files")),
  orphan: optional(boolean("Nothing links to it")),
  links_to: optional(string("Links to this file; none", { minLength: 1 })),
  kind: optional(string("attachment: other files", { enum: ["note", "attachment"] })),
  sort_by: optional(
    string("Default relevance", {
      enum: ["mtime", "ctime", "path", "relevance"],
      unlistedWords: ["ctime"],
    }),
  ),
  sort_order: unlisted(string("Default desc, by path asc", { enum: ["desc", "asc"] })),
  limit: integer("Maximum", { minimum: 1, maximum: 50, default: 10 }),
  offset: integer("To skip", { minimum: 0, default: 0 }),
  show: optional(array(string(), "Properties of each to name", { maxItems: 20 })),
  include_content: optional(boolean("Texts always or never")),
  exists_only: optional(boolean("Whether any match")),
  count_only: unlisted(boolean("How many")),
  allFields: unlisted(boolean("Which notes are tasks, for the page")),
});

export const findNotes = defineTool({
  name: "find_notes",
  title: "Find notes",
  toolset: "notes",
  effect: "reads",
  limit: "search",
  description:
    "Finds notes by words in titles, aliases, tags, headings, properties and text; " +
    "every word must match. Without a query: those changed last. Three or fewer come with their text.",
  input,
  output,
  failure: "❌ Error finding notes:",
  async run(input, { workspace, log, say, signal, onProgress }) {
    if (input.query) log.debug(`Searching for: ${oneLine(input.query)}`);
    const { notes: service, vault, tasks } = await workspace.current();
    const { exists_only: existsOnly = false, count_only: countOnly = false } = input;
    const search = {
      ...searchOf(input),
      countOnly: existsOnly || countOnly,
      show: input.show,
      snippetLength: SNIPPET,
      signal,
      onProgress,
    };
    const found = input.kind === "attachment" ? await service.findAttachments(search) : await service.find(search);
    const { total, nextOffset } = found;
    const remarks = remarksOf("unread" in found ? found.unread : [], say(found.remarks));
    if (existsOnly) return { match_count: total, exists: total > 0, ...remarks };
    if (countOnly) return { match_count: total, ...remarks };
    if ("attachments" in found)
      return { match_count: total, attachments: fileRows(found, vault.clock), next_offset: nextOffset, ...remarks };
    const { notes } = found;
    const conflicts = await vault.conflicts();
    const { rows, omitted } = rowsOf(notes, input, { conflicts, clock: vault.clock });
    const fitting = fittingRows(rows);
    const next = fitting.length < rows.length ? input.offset + fitting.length : nextOffset;
    const paths = input.allFields === true ? fitting.map(({ path }) => path) : [];
    const named = paths.length > 0 ? (await tasks.named?.(paths, { signal }))?.tasks : undefined;
    for (const row of fitting) if (named?.has(row.path)) Object.assign(row, { task: true });
    return {
      match_count: total,
      notes: fitting,
      next_offset: next,
      ...remarks,
      ...(omitted.length > 0 && { omitted }),
    };
  },
  text: document,
  details,
});

function fileRows({ attachments }: FoundAttachments, clock: Pick<Clock, "dayOf">) {
  return attachments.map(({ dimensions, modified, linkedFrom, linkCount, ...file }) => {
    const known = { mtime: clock.dayOf(modified), linked_from: [...linkedFrom], link_count: linkCount };
    return Object.assign(file, dimensions, known);
  });
}

const MAX_NAMED = 3;

function remarksOf(unread: FoundNotes["unread"], found: readonly string[]): Pick<FindNotesAnswer, "remarks"> {
  const remarks = found.map(oneLine);
  if (unread.length > 0) {
    const named = unread.slice(0, MAX_NAMED).map(({ path, message }) => `${path}: ${message}`);
    const rest = unread.length > named.length ? ` And ${unread.length - named.length} more.` : "";
    remarks.push(`${counted(unread.length, "note")} left out. ${named.join(" ")}${rest}`);
  }
  return remarks.length === 0 ? {} : { remarks };
}

/** Leaves room for the rest of an answer. */
const MAX_CHARACTERS = 24_000;

function fittingRows<Row>(rows: readonly Row[]): readonly Row[] {
  let room = MAX_CHARACTERS;
  const end = rows.findIndex((row, at) => (room -= JSON.stringify(row).length) < 0 && at > 0);
  return end < 0 ? rows : rows.slice(0, end);
}

/** An object when no notes were requested. */
function document({ match_count, notes, attachments, exists }: FindNotesAnswer): string {
  if (attachments) return JSON.stringify(attachments);
  if (notes) return JSON.stringify(notes);
  return JSON.stringify(exists === undefined ? { match_count } : { exists, match_count });
}

function details({
  match_count: total,
  notes,
  attachments,
  next_offset: next,
  omitted = [],
  remarks = [],
}: FindNotesAnswer) {
  if (attachments) {
    const matching = `${counted(total, "attachment")} ${total === 1 ? "matches" : "match"}.`;
    return [matching, pageNote(total, attachments.length, next), ...remarks].filter((part) => part !== "").join(" ");
  }
  if (!notes) return remarks.length === 0 ? undefined : remarks.join(" ");
  const matching = `${counted(total, "note")} ${total === 1 ? "matches" : "match"}.`;
  const dated = DATE_SOURCES.flatMap((source) => {
    const count = notes.filter(({ dated_by: by }) => by === source).length;
    return count === 0 ? [] : [`${SOURCE_WORDS[source]} ${count}`];
  });
  const parts = [
    matching,
    pageNote(total, notes.length, next),
    dated.length > 0 ? `${notes.length < total ? "Those listed are dated" : "Dated"} by ${dated.join(", ")}.` : "",
    omitted.length > 0 ? `Not shown: ${omitted.join(", ")} (show ${JSON.stringify(omitted)}).` : "",
    ...remarks,
  ];
  return parts.filter((part) => part !== "").join(" ");
}

const SOURCE_WORDS: Readonly<Record<(typeof DATE_SOURCES)[number], string>> = {
  name: "name",
  date: "property date",
  created: "property created",
  day: "property day",
  changed: "last change",
};

/** UTF-16 units. */
const SNIPPET = 48;
/** About 30 tokens (text/answer-weight). */
const ROW_WEIGHT = 130;
/** Most useful first; shown if there is room for all rows. */
const IF_ROOM = ["snippet", "mtime", "tags", "aliases"] as const;

type Row = Infer<typeof NOTE>;
type Search = Infer<typeof input>;

interface Rows {
  readonly rows: readonly Row[];
  /** What the notes have and the rows omit. */
  readonly omitted: readonly string[];
}

/** Notes with their text have everything. */
function rowsOf(notes: readonly FoundNote[], search: Search, { conflicts, clock }: RowContext): Rows {
  const all = notes.map((note) => ({ note, row: firstFields(note, search, conflicts.get(note.path)?.length, clock) }));
  const omitted: string[] = [];
  let room =
    notes.length * ROW_WEIGHT - weightOf(JSON.stringify(all.map(({ row }) => ({ ...row, content: undefined }))));
  for (const name of IF_ROOM) {
    const values = all.map(({ note, row }) => (row[name] === undefined ? furtherFields(note, clock)[name] : undefined));
    const weight = values.reduce(
      (sum, value) => sum + (value === undefined ? 0 : weightOf(JSON.stringify({ [name]: value }))),
      0,
    );
    const isShort = notes.every(({ content }) => content !== undefined);
    if (weight > room && !isShort) {
      if (name === "tags" || name === "aliases") omitted.push(name);
      continue;
    }
    room -= weight;
    for (const [at, value] of values.entries())
      if (value !== undefined) Object.assign(all[at]?.row ?? {}, { [name]: value });
  }
  return { rows: all.map(({ row }) => row), omitted };
}

interface RowContext {
  readonly conflicts: Awaited<ReturnType<OpenVault["vault"]["conflicts"]>>;
  readonly clock: Pick<Clock, "dayOf">;
}

const listed = (names: readonly string[]) => (names.length === 0 ? undefined : names.slice(0, MAX_LISTED).map(oneLine));

function firstFields(note: FoundNote, search: Search, conflicts: number | undefined, clock: RowContext["clock"]): Row {
  const { path, content, truncated, date, properties = {} } = note;
  const { show = [], sort_by: order } = search;
  const title = oneLine(note.title);
  const isAsked = (name: RegExp): boolean => show.some((one) => name.test(one));
  return {
    path,
    title: title === fileTitle(path) ? undefined : title,
    mtime: order === "mtime" && date === undefined ? clock.dayOf(note.modified) : undefined,
    ctime: order === "ctime" ? clock.dayOf(note.created) : undefined,
    tags: isAsked(/^tags?$/i) ? listed(note.tags) : undefined,
    aliases: isAsked(/^alias(?:es)?$/i) ? listed(note.aliases) : undefined,
    properties: Object.keys(properties).length === 0 ? undefined : properties,
    date: date?.day,
    dated_by: date?.source,
    content,
    truncated: truncated || undefined,
    conflicts,
  };
}

const furtherFields = ({ snippet, date, modified, tags, aliases }: FoundNote, clock: RowContext["clock"]) => ({
  snippet: snippet === undefined ? undefined : oneLine(snippet),
  mtime: date === undefined ? clock.dayOf(modified) : undefined,
  tags: listed(tags),
  aliases: listed(aliases),
});

export function searchOf(asked: Infer<typeof input>): NoteSearch {
  return {
    query: asked.query,
    folder: asked.folder,
    tags: asked.tags,
    properties: asked.properties,
    sinceDays: asked.since_days,
    modifiedAfter: asked.modified_after,
    modifiedBefore: asked.modified_before,
    dateFrom: asked.date_from,
    dateTo: asked.date_to,
    hasAttachments: asked.has_attachments,
    orphan: asked.orphan,
    linksTo: asked.links_to,
    sortBy: asked.sort_by,
    sortOrder: asked.sort_order,
    limit: asked.limit,
    offset: asked.offset,
    includeContent: asked.include_content,
  };
}
