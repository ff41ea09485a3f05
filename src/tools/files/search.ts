/** search: the lines of the vault's text files that hold a text or match a regular expression, like grep (spec: file-tools). */
import { ANSWER_WEIGHT } from "../../text/answer-weight.js";
import type { Infer, Schema } from "../schema.js";
import { defineTool } from "../tool.js";

/** Files that could not be searched are named up to this number, and counted beyond. */
const SKIPPED_NAMED = 5;

const output = {
  type: "object",
  properties: {
    query: { type: "string", description: "What was searched for" },
    matches: { type: "integer", minimum: 0, description: "How many lines match in all" },
    fileCount: { type: "integer", minimum: 0, description: "How many files they are in" },
    files: {
      type: "array",
      items: {
        type: "object",
        description: "A file with matching lines",
        properties: {
          path: { type: "string", description: "The file's path in the vault" },
          matches: { type: "integer", minimum: 1, description: "How many of its lines match" },
          shown: { type: "integer", minimum: 0, description: "How many of them the excerpt shows" },
          excerpt: {
            type: "string",
            description:
              "Matching lines as `>    3: line`, those around as `     4: line`, --- where lines are left out",
          },
        },
        required: ["path", "matches", "shown", "excerpt"],
        additionalProperties: false,
      },
      description: "The first files by path, as many as fit",
    },
    nextFile: { type: "string", description: "The first file that did not fit; absent when all did" },
    skipped: { type: "integer", minimum: 0, description: "How many files could not be searched; absent when none" },
    skippedFiles: { type: "array", items: { type: "string" }, description: "Why, for the first of them" },
  },
  required: ["query", "matches", "fileCount", "files"],
  additionalProperties: false,
} as const satisfies Schema;

type Found = Infer<typeof output>;

export const search = defineTool({
  name: "search",
  title: "Search in files",
  toolset: "files",
  effect: "reads",
  limit: "search",
  description:
    "Finds lines in all text files, like grep: exact text, case counts. " +
    "With regex the query is RE2 ((?i) ignores case). For notes about something use find_notes.",
  input: {
    type: "object",
    properties: {
      query: { type: "string", minLength: 1, maxLength: 1000, description: "Text to find" },
      path: { type: "string", description: "Only this folder or file" },
      regex: { type: "boolean", default: false, description: "The query is a regular expression" },
      context_lines: {
        type: "integer",
        minimum: 0,
        maximum: 20,
        default: 2,
        description: "Lines to show around each match",
      },
    },
    required: ["query"],
    additionalProperties: false,
  },
  output,
  failure: "",
  async run({ query, path, regex, context_lines: context }, { workspace, signal, onProgress }) {
    const { vault } = await workspace.current();
    const { searchTexts } = await import("../../files/text-search.js");
    const found = await searchTexts(vault, { query, path, regex, context, most: ANSWER_WEIGHT, signal, onProgress });
    const { matches, fileCount, files, next, skipped } = found;
    return {
      query: printable(query),
      matches,
      fileCount,
      files,
      ...(next === undefined ? {} : { nextFile: next }),
      ...(skipped.length === 0
        ? {}
        : { skipped: skipped.length, skippedFiles: skipped.slice(0, SKIPPED_NAMED).map(({ message }) => message) }),
    };
  },
  text: shown,
});

function shown(found: Found): string {
  const blocks = found.files.map(block);
  const lines = found.matches === 0 ? [`No matches found for '${found.query}'`] : blocks;
  return [...lines, ...notShown(found), ...notSearched(found)].join("\n");
}

function block({ path, matches, shown, excerpt }: Found["files"][number]): string {
  const rest = `\n[… ${matches - shown} more matching lines in this file: search with path "${path}", or view it]`;
  return `=== ${path} ===\n${excerpt}${matches === shown ? "" : rest}`;
}

function notShown({ files, fileCount, matches, nextFile }: Found): string[] {
  if (nextFile === undefined) return [];
  const rest = matches - files.reduce((sum, file) => sum + file.matches, 0);
  return [
    `[… ${rest} more matching lines in ${fileCount - files.length} more files, from '${nextFile}' on, are not shown:` +
      " narrow the search with path, or make the query more specific]",
  ];
}

function notSearched({ skipped = 0, skippedFiles = [] }: Found): string[] {
  if (skipped === 0) return [];
  const rest = skipped > skippedFiles.length ? ` And ${skipped - skippedFiles.length} more.` : "";
  return [`[${skipped} ${skipped === 1 ? "file was" : "files were"} not searched: ${skippedFiles.join(" ")}${rest}]`];
}

/** On one line, whatever was sent. */
function printable(query: string): string {
  return query.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ");
}
