/** Finds text in files. */
import { ANSWER_WEIGHT } from "../../text/answer-weight.js";
import { counted, withoutControls } from "../../text/wording.js";
import type { OtherReading, TextHits } from "../../files/text-search.js";
import { array, boolean, count, integer, object, optional, string, unlisted, type Infer, objects } from "../schema.js";
import { defineTool } from "../tool.js";

const SKIPPED_NAMED = 5;
/** A slower search is not repeated for other readings. */
const MAX_FOR_OTHERS_MS = 1_500;

const output = object({
  query: string("What was searched for"),
  matches: count("How many lines match in all"),
  fileCount: count("How many files they are in"),
  files: objects("The first files by path, as many as fit", "A file with matching lines", {
    path: string("The file's path in the vault"),
    matches: integer("How many of its lines match", { minimum: 1 }),
    shown: count("How many of them the excerpt shows"),
    excerpt: string("Matching lines as `>    3: line`, those around as `     4: line`, --- where lines are omitted"),
  }),
  nextFile: optional(string("The first file that did not fit; absent when all did")),
  skipped: optional(count("How many files could not be searched; absent when none")),
  skippedFiles: optional(array(string(), "Why, for the first of them")),
  remarks: optional(
    array(
      string(),
      "What other accents, templates and excluded notes, or where nothing matches ignoring case or regex, would find",
    ),
  ),
});

type Found = Infer<typeof output>;

export const search = defineTool({
  name: "search",
  title: "Search in files",
  toolset: "files",
  effect: "reads",
  limit: "search",
  description:
    "Finds lines in all text files, like grep: exact text, case counts. " +
    "With regex the query is RE2 ((?i) ignores case).",
  input: object({
    query: string("Text to find", { role: "query", minLength: 1, maxLength: 1000 }),
    path: optional(string("Only this folder or file", { role: "place" })),
    regex: boolean("The query is a regular expression", { default: false }),
    context_lines: unlisted(integer("Lines to show around each match", { minimum: 0, maximum: 20 })),
  }),
  output,
  failure: "",
  async run({ query, path, regex, context_lines: context = 2 }, { workspace, signal, onProgress }) {
    const { vault } = await workspace.current();
    const { hiddenTexts, otherReadings, searchTexts } = await import("../../files/text-search.js");
    const wanted = { query, path, regex, context, most: ANSWER_WEIGHT, signal, onProgress };
    const began = performance.now();
    const found = await searchTexts(vault, wanted);
    const isSlow = performance.now() - began > MAX_FOR_OTHERS_MS;
    const others = isSlow ? [] : await otherReadings(vault, wanted, { isFound: found.matches > 0 });
    const hidden = isSlow ? undefined : await hiddenTexts(vault, { ...wanted, context: 0 });
    const { matches, fileCount, files, next, skipped } = found;
    const remarks = [...others.map(otherWords), ...(hidden === undefined ? [] : hiddenWords(hidden))];
    return {
      query: printable(query),
      matches,
      fileCount,
      files,
      nextFile: next,
      skipped: skipped.length || undefined,
      skippedFiles: skipped.length === 0 ? undefined : skipped.slice(0, SKIPPED_NAMED).map(({ message }) => message),
      remarks: remarks.length === 0 ? undefined : remarks,
    };
  },
  text: shown,
  details: ({ remarks }) => remarks?.join("\n"),
});

function shown(found: Found): string {
  const blocks = found.files.map(block);
  const lines = found.matches === 0 ? [`No matches found for '${withoutControls(found.query)}'`] : blocks;
  return [...lines, ...notShown(found), ...notSearched(found)].join("\n");
}

/** Notes that are searched only if the path names them. */
function hiddenWords({ matches, fileCount, files }: TextHits): string[] {
  const [first] = files;
  if (first === undefined) return [];
  const lines = `${counted(matches, "line")} in ${counted(fileCount, "file")}`;
  return [`Templates and excluded notes have ${lines}: search with path ${JSON.stringify(first.path)}.`];
}

const DIFFERS: Readonly<Record<OtherReading["differs"], string>> = {
  accents: "With accents or blanks written as other code points:",
  case: "Case decides: ignoring it finds",
  expression: "As a regular expression:",
  signs: "With Markdown signs, other quotes or dashes between or around the words:",
  slashes: "Without the slashes, as a regular expression:",
};

function otherWords({ query, differs, matches, fileCount }: OtherReading): string {
  const found = `${counted(matches, "line")} in ${counted(fileCount, "file")}`;
  const call = `regex true, query ${JSON.stringify(printable(query))}`;
  return `${DIFFERS[differs]} ${found} (${call}).`;
}

function block({ path, matches, shown, excerpt }: Found["files"][number]): string {
  const rest = `\n[… ${matches - shown} more matching lines in this file: search with path "${path}", or view it]`;
  return `=== ${path} ===\n${excerpt}${matches === shown ? "" : rest}`;
}

function notShown({ files, fileCount, matches, nextFile }: Found): string[] {
  if (nextFile === undefined) return [];
  const rest = matches - files.reduce((sum, file) => sum + file.matches, 0);
  return [
    `[… ${rest} more of ${matches} matching lines in ${fileCount - files.length} more of ${fileCount} files, from '${nextFile}' on, are not shown:` +
      " narrow the search with path, or make the query more specific]",
  ];
}

function notSearched({ skipped = 0, skippedFiles = [] }: Found): string[] {
  if (skipped === 0) return [];
  const rest = skipped > skippedFiles.length ? ` And ${skipped - skippedFiles.length} more.` : "";
  return [`[${skipped} ${skipped === 1 ? "file was" : "files were"} not searched: ${skippedFiles.join(" ")}${rest}]`];
}

function printable(query: string): string {
  return query.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ");
}
