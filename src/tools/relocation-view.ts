/** How tools report a rename: schema, structured form and text. */
import type { Relocation } from "../links/api.js";
import { type Wording } from "../text/said.js";
import { DURABLE, durabilityNote, OPERATION, UNDOABLE, undoAllLines, undoNote } from "./file-view.js";
import { array, count, object, optional, string, type Infer, objects } from "./schema.js";
import { excerpt, oneLine } from "./text.js";
import { counted } from "../text/plural.js";

const MAX_LISTED = 100;
const MAX_NAMED = 10;

export const RELOCATION_PROPERTIES = {
  links: count("How many links were rewritten"),
  rewritten: array(string(), "The notes and canvases whose links were rewritten", { maxItems: MAX_LISTED }),
  rewrittenCount: count("How many those are"),
  skipped: objects(
    "Notes with links that could not be rewritten and now lead nowhere",
    "A note",
    {
      path: string("Path in the vault"),
      reason: string("Why"),
    },
    { maxItems: MAX_LISTED },
  ),
  skippedCount: count("How many those are"),
  operation: optional(OPERATION),
  folder: optional(string("The project's folder, renamed with its note")),
  namedCount: optional(count("How many tasks had the old name in plain text and have the new one")),
  oldNames: optional(array(string(), "What keeps the project's old name, in words")),
  undoable: UNDOABLE,
  durable: DURABLE,
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
    links,
    rewritten: rewritten.slice(0, MAX_LISTED),
    rewrittenCount: rewritten.length,
    skipped: skipped.slice(0, MAX_LISTED).map(({ path, reason }) => ({ path, reason: excerpt(reason, 300) })),
    skippedCount: skipped.length,
    operation: undoable ? operation : undefined,
    folder,
    namedCount: named.length || undefined,
    oldNames: oldNames.length === 0 ? undefined : oldNames.map(oneLine),
    undoable,
    durable,
  };
}

export function relocationLines(facts: RelocationFacts): string[] {
  const { links, rewrittenCount, skipped, skippedCount, folder, namedCount = 0, oldNames = [], durable } = facts;
  const lines: string[] = [];
  if (links > 0) lines.push(`Rewrote ${counted(links, "link")} in ${counted(rewrittenCount, "note")}.`);
  if (folder !== undefined) lines.push(`The project's folder is '${folder}' now.`);
  if (namedCount > 0) lines.push(`Changed the name in ${counted(namedCount, "task")} that had it in plain text.`);
  for (const sentence of oldNames) lines.push(`[${sentence}]`);
  for (const note of skipped.slice(0, MAX_NAMED))
    lines.push(`[Links in '${note.path}' are as they were: ${note.reason}]`);
  if (skippedCount > MAX_NAMED) lines.push(`[… and in ${counted(skippedCount - MAX_NAMED, "more note")}]`);
  return durable ? lines : [...lines, durabilityNote(durable, "It has moved").trimStart()];
}

/** @param hasOneFile the operation is not named: undo by the path does the same */
export function relocationUndo({ operation, undoable }: RelocationFacts, hasOneFile: boolean): Wording | undefined {
  return (hasOneFile ? undefined : undoAllLines(operation)[0]) ?? undoNote(undoable);
}
