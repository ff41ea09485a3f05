/** A note's headings and main sentences (docs: notes-and-files, "summarise_note"). */
import { noteUri } from "../../links/uri.js";
import { count, integer, object, string } from "../schema.js";
import { defineTool } from "../tool.js";
import { NOTE } from "./note-view.js";

const output = object({
  uri: string("The note's URI"),
  summary: string("Plain text taken from the note, in its order; empty when it holds no prose"),
  word_count: count("Words of the summary"),
});

export const summariseNote = defineTool({
  name: "summarise_note",
  title: "Summarise note",
  toolset: "notes",
  effect: "reads",
  description: "A note's headings and most representative sentences. Short notes come whole.",
  input: object({
    uri: { ...NOTE, description: "URI, path, [[link]] or name" },
    max_words: integer("Maximum words", { minimum: 50, maximum: 1000, default: 300 }),
  }),
  output,
  failure: "❌ Error summarising note:",
  async run({ uri, max_words: maxWords }, context) {
    const { notes, vault } = await context.workspace.current();
    const { path, text, words } = await notes.summarise(uri, maxWords, context);
    return { uri: noteUri(vault.id, path), summary: text, word_count: words };
  },
  text: (data) => JSON.stringify(data),
});
