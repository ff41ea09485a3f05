/** Creates a note where Obsidian would (docs: notes-and-files, "obsidian_create_note"). */
import { EXPECTED_HASH, hashLine, lostPropertiesNote, LINKS_TAKEN, OPERATION, undoAllLines } from "../file-view.js";
import { joined } from "../../text/wording.js";
import { array, boolean, object, optional, string, type Infer, unlisted } from "../schema.js";
import { excerpt, oneLine } from "../safe-text.js";
import { defineTool } from "../tool.js";
import { TEMPLATE_REMARKS, WRITTEN_PROPERTIES, writtenView } from "./note-view.js";

const output = object({
  ...WRITTEN_PROPERTIES,
  linksTaken: optional(LINKS_TAKEN),
  linksLost: optional(string("Links to the extracted section that stay as they are, footnotes apart from their text")),
  alsoChanged: optional(string("The note that has a link in the place of the extracted section")),
  operation: optional(OPERATION),
  created: boolean("False when a note was there and its text was replaced"),
  unchanged: optional(boolean("True when the note said the same already and nothing was written; otherwise absent")),
  remarks: TEMPLATE_REMARKS,
  unfilled: array(
    string(),
    "Placeholders of the template that are still in the note; scripts of Templater are never run",
  ),
});

export const createNote = defineTool({
  name: "obsidian_create_note",
  title: "Create note",
  toolset: "notes",
  effect: "changes",
  description: "Creates a note, from a template if wanted. Refuses when it exists, unless overwrite.",
  input: object({
    name: string("Name, .md optional, or exact path", { role: "newFile", minLength: 1, maxLength: 255 }),
    path: optional(string("Folder; default as set in Obsidian", { role: "newFolder" })),
    content: optional(string("Markdown", { role: "text" })),
    section: optional(string("Note#Heading: move that section into it", { minLength: 1 })),
    template: optional(string("Template's name; content goes below it", { minLength: 1 })),
    overwrite: boolean("Replace the text of an existing note", { default: false }),
    expected_hash: unlisted(EXPECTED_HASH),
  }),
  output,
  failure: "❌ Error creating note:",
  async run({ name, path: folder, content, section, template, overwrite, expected_hash: expected }, { workspace }) {
    const vault = await workspace.current();
    const note = await vault.notes.create({ name, folder, content, section, template, overwrite, expected });
    const unfilled = note.unfilled.map((placeholder) => excerpt(placeholder, 200));
    return {
      ...writtenView(note, vault),
      linksTaken: note.linksTaken,
      linksLost: note.linksLost,
      alsoChanged: note.alsoChanged,
      operation: note.operation,
      created: note.created,
      unchanged: note.unchanged || undefined,
      unfilled,
      remarks: note.remarks.length === 0 ? undefined : [...note.remarks],
    };
  },
  text: confirmation,
  details: ({ path, hash, undoable, remarks = [], ...note }) =>
    joined([
      hashLine(hash),
      lostPropertiesNote(path, note.lostProperties),
      note.leftOpen,
      ...remarks,
      note.linksTaken,
      note.alsoChanged && `'${oneLine(note.alsoChanged)}' has a link in the section's place.`,
      note.linksLost,
      ...undoAllLines(note.operation, undoable),
    ]),
});

function confirmation({ path, created, unchanged, durable, undoable, unfilled }: Infer<typeof output>): string {
  const data = {
    path,
    created,
    unchanged,
    durable: durable ? undefined : false,
    undoable: undoable || created ? undefined : false,
    unfilled: unfilled.length === 0 ? undefined : unfilled,
  };
  return JSON.stringify({ success: true, data });
}
