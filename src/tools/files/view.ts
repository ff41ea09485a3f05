/** The lines of a file or the names in a folder. */
import { array, count, integer, object, optional, string, type Infer } from "../schema.js";
import { defineTool } from "../tool.js";
import { ALL_FILE_FIELDS, deepLink, HASH, hashLine, LINE_COUNT, LINK, numbered, PATH_SHOWN } from "../file-view.js";
import { shownHash } from "../../text/hash.js";
import { type LineRange, lineRange, type LineWindow, lineWindow, windowNotice } from "../paging.js";

const output = object({
  path: { ...PATH_SHOWN, description: "Path in the vault; / is the vault itself" },
  kind: string("What it is", { enum: ["file", "folder", "image", "pdf", "canvas", "drawing"] }),
  content: string(
    "A file's lines as `N: text`, or the sorted names in a folder, folders with / at the end; one a line. " +
      "Pages of a PDF, a canvas or drawing in words, an image's format and size",
  ),
  firstLine: optional(integer("The first line (of a folder: name) shown, from 1; absent when all are", { minimum: 1 })),
  lastLine: optional(count("The last one shown")),
  nextLine: optional(integer("Where view_range should go on; absent when all that was asked for is shown")),
  lastAsked: optional(count("The last one asked for")),
  cutCharacters: optional(integer("Characters omitted from the last line, when it is too long")),
  lineCount: { ...LINE_COUNT, description: "How many lines the file, or names the folder, has" },
  hash: optional({ ...HASH, description: `${HASH.description}; absent for folders` }),
  link: optional(LINK),
});

export const view = defineTool({
  name: "view",
  title: "View file or folder",
  toolset: "files",
  effect: "reads",
  description:
    "Shows a text file with line numbers, an image, a PDF's text, a canvas, or what is in a folder. Long files come in parts: go on with view_range.",
  input: object({
    path: string("File or folder; / is the root", { role: "place" }),
    view_range: optional(
      array(integer(), "First and last line, of a PDF page, from 1; -1 as last: to the end", {
        minItems: 2,
        maxItems: 2,
      }),
    ),
    allFields: ALL_FILE_FIELDS,
  }),
  output,
  failure: "",
  async run({ path, view_range: asked, allFields }, { workspace, signal, attach }) {
    const vault = await workspace.current();
    const linkOf = (file: string) => (allFields ? { link: deepLink(file, vault.linkName) } : {});
    const attachment = await vault.attachments.show(path, signal);
    // Lines of a canvas or drawing are those of its JSON.
    const isRaw = asked !== undefined && attachment !== undefined && /^(?:canvas|drawing)$/.test(attachment.kind);
    if (attachment !== undefined && !isRaw) {
      const { kind, parts, revision, image } = attachment;
      if (image !== undefined) attach(image);
      const range = lineRange(
        asked,
        parts.length,
        `'${attachment.path}' has ${parts.length} ${kind === "pdf" ? "pages" : "lines"}`,
      );
      const window = lineWindow(parts, range, (part) => part);
      const known = { lineCount: parts.length, hash: shownHash(revision), ...linkOf(attachment.path) };
      return { path: attachment.path, kind, ...shownPart(window, range, parts.length, allFields), ...known };
    }
    const seen = await vault.files.view(path);
    const shownPath = seen.path === "" ? "/" : seen.path;
    const isFile = seen.kind === "file";
    const lines = isFile ? seen.lines : seen.names;
    const range = lineRange(asked, lines.length, `'${shownPath}' has ${lines.length} ${isFile ? "lines" : "entries"}`);
    const window = lineWindow(lines, range, isFile ? numbered : (name) => name);
    return {
      path: shownPath,
      kind: seen.kind,
      ...shownPart(window, range, lines.length, allFields),
      lineCount: lines.length,
      ...(isFile && { hash: shownHash(seen.revision), ...linkOf(seen.path) }),
    };
  },
  text: shown,
  details: ({ kind, hash, lineCount }) => {
    if (hash !== undefined) return hashLine(hash);
    return kind === "folder" && lineCount === 0 ? "The folder is empty; hidden entries are not shown." : undefined;
  },
});

/** If everything is shown, the count of lines suffices. */
function shownPart(window: LineWindow, { last }: LineRange, count: number, allFields = false) {
  const isWhole = window.firstLine === 1 && window.lastLine === count && window.cutCharacters === undefined;
  return isWhole && !allFields ? { content: window.content } : { ...window, lastAsked: last };
}

function shown({ content, lineCount, lastLine = lineCount, lastAsked = lastLine, ...window }: Infer<typeof output>) {
  return content + windowNotice({ lastLine, ...window }, lastAsked);
}
