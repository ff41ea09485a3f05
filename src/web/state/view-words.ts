/** The words of the saved views alone, which the first load does without. */
import { WORDS } from "../words.js";

export const VIEW_WORDS = {
  help: "Bases and Tasks queries of your notes",
  kinds: { base: "Base", tasks: "Tasks query", embed: "Embedded base" },
  block: (kind: string, number: string) => `${kind}, block ${number}`,
  viewsOf: (source: string) => `Views of ${source}`,
  rows: (count: number) => `${WORDS.number(count)} ${count === 1 ? "row" : "rows"}`,
  noRows: "No row fits this view.",
  emptyLabel: "(empty)",
  file: "File",
  columns: { ctime: "Created", mtime: "Modified" },
  refused: "This view cannot be answered as it is written. Nothing was evaluated.",
  fault: (place: string, reason: string) => `${place}: ${reason}.`,
  nearest: (name: string) => `Did you mean ${name}?`,
  correctIt: "Correct it in its file: the page asks again when the file changes.",
  none: "No view is saved yet",
  firstStep:
    "A view is a question that you save once: a .base file, or a block in any note. It appears here as soon as it is in the vault, with or without Obsidian.",
  samples: [
    ["Tasks that are due", "```tasks\nnot done\ndue before in 7 days\ngroup by filename\n```\n"],
    [
      "Notes of a folder",
      '```base\nfilters: file.inFolder("Projects")\nviews:\n  - type: table\n    name: Projects\n    order: [file.name, file.mtime]\n```\n',
    ],
  ],
  copySample: (name: string) => `Copy “${name}”`,
  copied: "Copied: paste it into a note.",
} as const;
