/** How tools report renames: schema, structured form and text. */
import type { Relocation } from "../links/api.js";
import { type Wording, counted } from "../text/said.js";
import { DURABLE, durabilityNote, OPERATION, UNDOABLE, undoAllLines, undoNote } from "./file-view.js";
import { array, boolean, count, object, optional, string, type Infer, optionalObjects } from "./schema.js";
import { excerpt, oneLine, unlessEmpty } from "./text.js";

const MAX_LISTED = 100;
const MAX_NAMED = 10;

export const RELOCATION_PROPERTIES = {
  links: optional(count("How many links were rewritten; absent: none")),
  rewritten: optional(array(string(), "The first of the files whose links were rewritten", { maxItems: MAX_NAMED })),
  rewrittenCount: optional(count("How many those are")),
  skipped: optionalObjects(
    "Notes with links that could not be rewritten and now lead nowhere",
    "A note",
    {
      path: string("Path in the vault"),
      reason: string("Why"),
      inPart: optional(boolean("Other links of it were rewritten")),
    },
    { maxItems: MAX_LISTED },
  ),
  skippedCount: optional(count("How many those are")),
  operation: optional(OPERATION),
  folder: optional(string("The project's folder, renamed with its note")),
  namedCount: optional(count("How many tasks had the old name in plain text and have the new one")),
  oldNames: optional(array(string(), "What keeps the project's old name, in words")),
  undoable: UNDOABLE,
  durable: optional(DURABLE),
};

const RELOCATION = object(RELOCATION_PROPERTIES);
type RelocationFacts = Infer<typeof RELOCATION>;

export function relocationFacts({
  links,
  rewritten,
  skipped,
  operation,
  folder,
  named = [],
  oldNames = [],
  undoable,
  durable,
}: Omit<Relocation, "from" | "to" | "kind" | "moved">): RelocationFacts {
  return {
    links: links || undefined,
    rewritten: unlessEmpty(rewritten.slice(0, MAX_NAMED)),
    rewrittenCount: rewritten.length || undefined,
    skipped: unlessEmpty(
      skipped.slice(0, MAX_LISTED).map(({ path, reason }) => ({
        path,
        reason: excerpt(reason, 300),
        inPart: rewritten.some((one) => one === path) || undefined,
      })),
    ),
    skippedCount: skipped.length || undefined,
    operation: undoable ? operation : undefined,
    folder,
    namedCount: named.length || undefined,
    oldNames: unlessEmpty(oldNames.map(oneLine)),
    undoable,
    durable: durable ? undefined : false,
  };
}

export function relocationLines(facts: RelocationFacts): string[] {
  const { links = 0, rewrittenCount = 0, skipped = [], skippedCount = 0 } = facts;
  const { folder, namedCount = 0, oldNames = [], durable = true } = facts;
  const lines: string[] = [];
  if (links > 0) lines.push(`Rewrote ${counted(links, "link")} in ${counted(rewrittenCount, "note")}.`);
  if (folder !== undefined) lines.push(`The project's folder is '${folder}' now.`);
  if (namedCount > 0) lines.push(`Changed the name in ${counted(namedCount, "task")} that had it in plain text.`);
  for (const sentence of oldNames) lines.push(`[${sentence}]`);
  for (const note of skipped.slice(0, MAX_NAMED))
    lines.push(`[${note.inPart ? "Some links" : "Links"} in '${note.path}' are as they were: ${note.reason}]`);
  if (skippedCount > MAX_NAMED) lines.push(`[… and in ${counted(skippedCount - MAX_NAMED, "more note")}]`);
  return durable ? lines : [...lines, durabilityNote(durable, "It has moved").trimStart()];
}

/** @param hasOneFile the operation is not named: undo by the path does the same */
export function relocationUndo({ operation, undoable }: RelocationFacts, hasOneFile: boolean): Wording | undefined {
  return (hasOneFile ? undefined : undoAllLines(operation)[0]) ?? undoNote(undoable);
}
