/** Finds notes by words and filters (docs: notes-and-files, "find_notes"). */
import type { FoundAttachments } from "../../notes/find-attachments.js";
import type { FoundNote, FoundNotes, NoteSearch } from "../../notes/find.js";
import { DATE_SOURCES } from "../../notes/note-date.js";
import { array, boolean, count, integer, object, optional, string, type Infer } from "../schema.js";
import { CONFLICTS } from "../file-view.js";
import { oneLine } from "../text.js";
import { pageNote } from "../paging.js";
import { defineTool } from "../tool.js";
import { counted } from "../../text/plural.js";

const MAX_TAGS = 50;

const NOTE = object(
  {
    uri: string("Give it to resources/read or summarise_note"),
    title: string("Its title property, else its file name"),
    path: string("Path in the vault"),
    mtime: string("Last change, ISO 8601 UTC"),
    ctime: string("Creation, ISO 8601 UTC"),
    tags: optional(array(string(), "Tags without #; absent when there are none")),
    aliases: optional(array(string(), "Other names; absent when there are none")),
    date: optional(string("With date_from or date_to: the day it was judged by, YYYY-MM-DD")),
    dated_by: optional(
      string("Where that day was found: in its name, in a property, or when it was changed", { enum: DATE_SOURCES }),
    ),
    score: optional(integer("How well it answers the query; more is better")),
    snippet: optional(string("Text around words of the query")),
    content: optional(string("The note's text, or its beginning")),
    truncated: optional(boolean("True when the content is only the beginning")),
    conflicts: optional(CONFLICTS),
  },
  "A note",
);

const ATTACHMENT = object(
  {
    path: string("Path in the vault; view shows it"),
    type: string("Media type, by the extension"),
    size: count("Bytes"),
    width: optional(count("Of an image, in pixels")),
    height: optional(count("Of an image, in pixels")),
    mtime: string("Last change, ISO 8601 UTC"),
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
  remarks: optional(
    array(string(), "Notes that cannot be read, how words and days were read, and why nothing is found"),
  ),
});

export type FindNotesAnswer = Infer<typeof output>;

const input = object({
  query: optional(string("Words; empty: all notes", { role: "query", maxLength: 1000 })),
  folder: optional(string("Below this folder", { role: "folder" })),
  tags: optional(array(string(), "With any of these tags; a finds a/b", { role: "tags" })),
  properties: optional({
    type: "object",
    properties: {},
    additionalProperties: string(undefined, { role: "condition" }),
    description: 'With these properties: {"status": "draft", "rating": ">=4"}; * any value',
  }),
  since_days: optional(integer("Changed in the last n days", { minimum: 1 })),
  modified_after: optional(string("Changed this day or later")),
  modified_before: optional(string("Changed before this day")),
  date_from: optional(string("Dated this day or later: by name, property or last change")),
  date_to: optional(string("Dated this day or before")),
  has_attachments: optional(boolean("Links to other files")),
  orphan: optional(boolean("Nothing links to it")),
  links_to: optional(string("Links to this file", { minLength: 1 })),
  kind: optional(string("attachment: other files", { enum: ["note", "attachment"] })),
  sort_by: optional(
    string("Default relevance with a query, else mtime", { enum: ["mtime", "ctime", "path", "relevance"] }),
  ),
  sort_order: optional(string("Default desc, by path asc", { enum: ["desc", "asc"] })),
  limit: integer("Maximum notes", { minimum: 1, maximum: 50, default: 10 }),
  offset: integer("Notes to skip", { minimum: 0, default: 0 }),
  include_content: optional(boolean("Texts always or never")),
  exists_only: optional(boolean("Whether any match")),
  count_only: optional(boolean("How many")),
});

export const findNotes = defineTool({
  name: "find_notes",
  title: "Find notes",
  toolset: "notes",
  effect: "reads",
  limit: "search",
  description:
    "Finds notes by words in titles, aliases, tags, headings, properties and text; " +
    "every word must match. Without a query lists the notes changed last. Three notes or fewer come with their text. " +
    "For exact text use search.",
  input,
  output,
  failure: "❌ Error finding notes:",
  async run(input, { workspace, log, signal, onProgress }) {
    if (input.query) log.debug(`Searching for: ${oneLine(input.query)}`);
    const { notes: service, vault } = await workspace.current();
    const { exists_only: existsOnly = false, count_only: countOnly = false } = input;
    const search = {
      ...searchOf(input),
      countOnly: existsOnly || countOnly,
      signal,
      onProgress,
    };
    if (input.kind === "attachment") return attachmentsAnswer(await service.findAttachments(search), input);
    const found = await service.find(search);
    const { total, notes, nextOffset } = found;
    const remarks = remarksOf(found);
    if (existsOnly) return { match_count: total, exists: total > 0, ...remarks };
    if (countOnly) return { match_count: total, ...remarks };
    const conflicts = await vault.conflicts();
    const rows = notes.map((note) => Object.assign(shown(note), { conflicts: conflicts.get(note.path)?.length }));
    const fitting = fittingRows(rows);
    const next = fitting.length < rows.length ? input.offset + fitting.length : nextOffset;
    return { match_count: total, notes: fitting, next_offset: next, ...remarks };
  },
  text: document,
  details,
});

function attachmentsAnswer(
  { total, attachments, nextOffset, remarks: found }: FoundAttachments,
  {
    exists_only: existsOnly,
    count_only: countOnly,
  }: { readonly exists_only?: boolean | undefined; readonly count_only?: boolean | undefined },
): FindNotesAnswer {
  const remarks = found.length === 0 ? {} : { remarks: [...found] };
  if (existsOnly) return { match_count: total, exists: total > 0, ...remarks };
  if (countOnly) return { match_count: total, ...remarks };
  const rows = attachments.map(({ dimensions, modified, linkedFrom, linkCount, ...file }) => {
    const known = { mtime: new Date(modified).toISOString(), linked_from: [...linkedFrom], link_count: linkCount };
    return Object.assign(file, dimensions, known);
  });
  return { match_count: total, attachments: rows, next_offset: nextOffset, ...remarks };
}

const MAX_NAMED = 3;

function remarksOf({ unread, remarks: found }: FoundNotes): Pick<FindNotesAnswer, "remarks"> {
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
  const end = rows.findIndex((row, at) => (room -= JSON.stringify(row).length + EMPTY_LISTS) < 0 && at > 0);
  return end < 0 ? rows : rows.slice(0, end);
}

/** The text writes them, the data omits them. */
const EMPTY_LISTS = ',"tags":[],"aliases":[]'.length;

/** An array of notes, or an object when no notes were requested. */
function document({ match_count, notes, attachments, exists }: FindNotesAnswer): string {
  if (attachments) return JSON.stringify(attachments);
  if (notes)
    return JSON.stringify(
      notes.map(({ uri, title, path, mtime, ctime, tags = [], aliases = [], ...more }) => ({
        uri,
        title,
        path,
        mtime,
        ctime,
        tags,
        aliases,
        ...more,
      })),
    );
  return JSON.stringify(exists === undefined ? { match_count } : { exists, match_count });
}

function details({ match_count: total, notes, attachments, next_offset: next, remarks = [] }: FindNotesAnswer) {
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
    dated.length > 0 ? `Dated by ${dated.join(", ")}.` : "",
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

function shown(note: FoundNote): Infer<typeof NOTE> {
  const { score, snippet, content } = note;
  return {
    uri: note.uri,
    title: oneLine(note.title),
    path: note.path,
    mtime: new Date(note.modified).toISOString(),
    ctime: new Date(note.created).toISOString(),
    tags: note.tags.length === 0 ? undefined : note.tags.slice(0, MAX_TAGS).map(oneLine),
    aliases: note.aliases.length === 0 ? undefined : note.aliases.slice(0, MAX_TAGS).map(oneLine),
    date: note.date?.day,
    dated_by: note.date?.source,
    score,
    snippet: snippet === undefined ? undefined : oneLine(snippet),
    content,
    truncated: note.truncated || undefined,
  };
}

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
