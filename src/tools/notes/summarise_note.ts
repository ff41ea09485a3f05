/** summarise_note: the headings and the most representative sentences of a note (spec: notes, "summarise_note"). */
import { noteUri } from "../../links/uri.js";
import type { Schema } from "../schema.js";
import { defineTool } from "../tool.js";
import { lookOptions, NOTE } from "./file-reference.js";

const output = {
  type: "object",
  properties: {
    uri: { type: "string", description: "The note's URI" },
    summary: {
      type: "string",
      description: "Plain text taken from the note, in its order; empty when it holds no prose",
    },
    word_count: { type: "integer", minimum: 0, description: "Words of the summary" },
  },
  required: ["uri", "summary", "word_count"],
  additionalProperties: false,
} as const satisfies Schema;

export const summariseNote = defineTool({
  name: "summarise_note",
  title: "Summarise note",
  toolset: "notes",
  effect: "reads",
  description: "A note's headings and most representative sentences. Short notes come whole.",
  input: {
    type: "object",
    properties: {
      uri: { ...NOTE, description: "mcp-obsidian:// URI, path, [[link]] or name" },
      max_words: { type: "integer", minimum: 50, maximum: 1000, default: 300, description: "Most words" },
    },
    required: ["uri"],
    additionalProperties: false,
  },
  output,
  failure: "❌ Error summarising note:",
  async run({ uri, max_words: maxWords }, context) {
    const { notes, vault } = await context.workspace.current();
    const { path, text, words } = await notes.summarise(uri, maxWords, lookOptions(context));
    return { uri: noteUri(vault.id, path), summary: text, word_count: words };
  },
  text: (data) => JSON.stringify(data),
});
