/** A note's text in pages. */
import { sectionText } from "../../notes/insertion.js";
import { ALL_FILE_FIELDS } from "../file-view.js";
import { textPageAt } from "../paging.js";
import { boolean, count, integer, object, optional, string, type Infer } from "../schema.js";
import { quoted } from "../safe-text.js";
import { defineTool } from "../tool.js";
import { NOTE, NOTE_PROPERTIES, noteView, readShown, shownLink } from "./note-view.js";
import { withViews } from "./run_view.js";

const output = object({
  ...NOTE_PROPERTIES,
  modified: optional(string("When it was last changed, ISO 8601 UTC")),
  text: string("The raw Markdown from offset, frontmatter included; a page when it is long"),
  length: optional(count("Of a page: length of the whole text, or section, in UTF-16 units")),
  offset: optional(count("Where the page begins; absent at the beginning")),
  next_offset: optional(count("The offset to ask for next; absent at the end")),
});

export const readNoteByName = defineTool({
  name: "obsidian_read_note",
  title: "Read note",
  toolset: "notes",
  effect: "reads",
  description: "A note's text with frontmatter; an image, a PDF's text, a canvas.",
  input: object({
    note: NOTE,
    heading: optional(string("Only this section", { role: "heading", minLength: 1 })),
    render: optional(boolean("With rows of views")),
    offset: integer("Where to go on", { minimum: 0, default: 0 }),
    allFields: ALL_FILE_FIELDS,
  }),
  output,
  failure: "❌ Error reading note:",
  async run({ note: reference, heading, render, offset: from, allFields }, context) {
    const vault = await context.workspace.current();
    const note = await readShown(reference, vault, context);
    const text = render ? await withViews(note, vault, context) : note.text;
    const asked = heading === undefined ? text : sectionText(text, heading);
    const { description: page, descriptionLength: length, offset, nextOffset } = textPageAt(asked, from);
    return {
      ...noteView(note, vault, allFields),
      ...(allFields && { modified: new Date(note.modified).toISOString() }),
      text: page,
      length: page.length === length ? undefined : length,
      offset: offset || undefined,
      next_offset: nextOffset,
    };
  },
  text: report,
});

function report({
  path,
  hash,
  text,
  length = text.length,
  offset = 0,
  next_offset: next,
}: Infer<typeof output>): string {
  const head = `📄 ${shownLink(path)}\nHash: ${hash}`;
  if (length === 0) return `${head}\n\nThe note is empty.`;
  if (offset === length) return `${head}\n\nThat offset is past the end; the note has ${length} characters.`;
  const range = offset === 0 && next === undefined ? "" : ` (from ${offset} of ${length} characters)`;
  const more =
    next === undefined ? "" : `\n[… ${length - next} more characters: make the same call with offset ${next}]`;
  return `${head}\n\nText${range}:\n${quoted(text)}${more}`;
}
