/** find_notes: notes by words and filters, ranked or sorted, with their texts where they are few (spec: notes, "find_notes"). */
import type { FoundNote } from "../../notes/find.js";
import type { Infer, Schema } from "../schema.js";
import { CONFLICTS, conflictsOf } from "../conflicts.js";
import { oneLine } from "../text.js";
import { defineTool } from "../tool.js";

const MOST_TAGS = 50;

const NOTE = {
  type: "object",
  description: "A note",
  properties: {
    uri: { type: "string", description: "Give it to resources/read or summarise_note" },
    title: { type: "string", description: "Its title property, else its file name" },
    path: { type: "string", description: "Path in the vault" },
    mtime: { type: "string", description: "Last change, ISO 8601 UTC" },
    ctime: { type: "string", description: "Creation, ISO 8601 UTC" },
    tags: { type: "array", items: { type: "string" }, description: "Tags without #" },
    aliases: { type: "array", items: { type: "string" }, description: "Other names" },
    score: { type: "integer", description: "How well it answers the query; more is better" },
    snippet: { type: "string", description: "Where words of the query stand in the text" },
    content: { type: "string", description: "The note's text, or its beginning" },
    truncated: { type: "boolean", description: "True when the content is only the beginning" },
    conflicts: CONFLICTS,
  },
  required: ["uri", "title", "path", "mtime", "ctime", "tags", "aliases"],
  additionalProperties: false,
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    match_count: { type: "integer", minimum: 0, description: "How many notes match in all" },
    notes: { type: "array", items: NOTE, description: "Those asked for; absent with exists_only and count_only" },
    exists: { type: "boolean", description: "With exists_only: whether any note matches" },
    next_offset: { type: "integer", description: "The offset to go on with; absent at the end" },
  },
  required: ["match_count"],
  additionalProperties: false,
} as const satisfies Schema;

type Output = Infer<typeof output>;

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
  input: {
    type: "object",
    properties: {
      query: { type: "string", maxLength: 1000, description: "Words; empty: all notes that pass the filters" },
      folder: { type: "string", description: "Only below this folder" },
      tags: { type: "array", items: { type: "string" }, description: "Only notes with any of these tags; a finds a/b" },
      properties: {
        type: "object",
        properties: {},
        additionalProperties: { type: "string" },
        description: 'Only notes with these properties, such as {"status": "draft"}; * means any value',
      },
      since_days: { type: "integer", minimum: 1, description: "Only notes changed in the last days" },
      modified_after: { type: "string", description: "Only changed on this day (YYYY-MM-DD) or later" },
      modified_before: { type: "string", description: "Only changed before this day" },
      has_attachments: {
        type: "boolean",
        description: "Only notes that link to other files, or only others",
      },
      sort_by: {
        type: "string",
        enum: ["mtime", "ctime", "path", "relevance"],
        description: "Default relevance with a query, else mtime",
      },
      sort_order: { type: "string", enum: ["desc", "asc"], description: "Default desc, by path asc" },
      limit: { type: "integer", minimum: 1, maximum: 50, default: 10, description: "Most notes to return" },
      offset: { type: "integer", minimum: 0, default: 0, description: "Notes to pass over" },
      include_content: { type: "boolean", description: "Texts always or never; each cut at 3,000 characters" },
      exists_only: { type: "boolean", description: "Answer only whether there are any" },
      count_only: { type: "boolean", description: "Answer only how many" },
    },
    additionalProperties: false,
  },
  output,
  failure: "❌ Error finding notes:",
  async run(input, { workspace, log, signal, onProgress }) {
    if (input.query) log.debug(`Searching for: ${oneLine(input.query)}`);
    const { notes: service, vault } = await workspace.current();
    const { exists_only: existsOnly = false, count_only: countOnly = false } = input;
    const found = await service.find({
      query: input.query,
      folder: input.folder,
      tags: input.tags,
      properties: input.properties,
      sinceDays: input.since_days,
      modifiedAfter: input.modified_after,
      modifiedBefore: input.modified_before,
      hasAttachments: input.has_attachments,
      sortBy: input.sort_by,
      sortOrder: input.sort_order,
      limit: input.limit,
      offset: input.offset,
      includeContent: input.include_content,
      countOnly: existsOnly || countOnly,
      signal,
      onProgress,
    });
    const { total, notes, nextOffset } = found;
    if (existsOnly) return { match_count: total, exists: total > 0 };
    if (countOnly) return { match_count: total };
    const conflicts = await vault.conflicts();
    return {
      match_count: total,
      notes: notes.map((note) => Object.assign(shown(note), conflictsOf(note.path, conflicts))),
      ...(nextOffset === undefined ? {} : { next_offset: nextOffset }),
    };
  },
  text: document,
});

/** The document's JSON: an array of notes, or an object where no notes were asked for. */
function document({ match_count, notes, exists }: Output): string {
  if (notes) return JSON.stringify(notes);
  return JSON.stringify(exists === undefined ? { match_count } : { exists, match_count });
}

function shown(note: FoundNote): Infer<typeof NOTE> {
  const { score, snippet, content } = note;
  return {
    uri: note.uri,
    title: oneLine(note.title),
    path: note.path,
    mtime: new Date(note.modified).toISOString(),
    ctime: new Date(note.created).toISOString(),
    tags: note.tags.slice(0, MOST_TAGS).map(oneLine),
    aliases: note.aliases.slice(0, MOST_TAGS).map(oneLine),
    ...(score === undefined ? {} : { score }),
    ...(snippet === undefined ? {} : { snippet: oneLine(snippet) }),
    ...(content === undefined ? {} : { content }),
    ...(note.truncated ? { truncated: true } : {}),
  };
}
