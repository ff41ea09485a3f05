/** What the index stores of notes for saved views. */
import type { NoteSource, Subject } from "../../index/subject.js";
import { noteTags } from "../../markdown/links/property-links.js";
import { visitNote } from "../../markdown/visit-note.js";
import { foldName, isMarkdown } from "../../storage/path.js";

/** What may begin a block or an embed of a view. */
const HOLDS_VIEW = /(?:```|~~~)[ \t]*(?:base|tasks)\b|!\[\[[^\]\n]*\.base\b/i;

export const viewSubject: Subject = {
  name: "views",
  // Increase it when rows change in form or meaning.
  version: 1,
  tables: [
    {
      // `properties` and `tags` are JSON. `tag_keys`: folded, each between line ends. `views` 1: it may hold one.
      name: "view_note",
      columns: ["properties TEXT NOT NULL", "tags TEXT NOT NULL", "tag_keys TEXT NOT NULL", "views INTEGER NOT NULL"],
      indexes: ["view_note_views ON view_note (id) WHERE views = 1"],
    },
  ],
  isRare: true,
  read: (note) => (isMarkdown(note.path) ? { view_note: [[0, ...columnsOf(note)]] } : undefined),
};

function columnsOf({ text, parts, frontmatter: { properties } }: NoteSource) {
  const inline: string[] = [];
  visitNote(text, parts, { tag: (tag) => void inline.push(tag) });
  const tags = noteTags(properties, inline);
  // A property may be called `__proto__`.
  const values = properties.map(({ key, value }) => `${stored(key)}:${stored(value)}`).join();
  const keys = tags.length === 0 ? "" : `\n${tags.map(foldName).join("\n")}\n`;
  return [`{${values}}`, stored(tags), keys.replace(/\p{Cs}/gu, "\ufffd"), Number(HOLDS_VIEW.test(text))] as const;
}

/** JSON escapes lone surrogates, which are no text for SQLite. */
const stored = (value: unknown): string => JSON.stringify(value);
