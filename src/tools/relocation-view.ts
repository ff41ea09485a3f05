/** How tools tell what a rename did: the schema pieces, the structured form and the words they share. */
import type { Relocation } from "../links/links.js";
import { DURABLE, durabilityNote } from "./durability.js";
import type { Infer, Schema } from "./schema.js";
import { excerpt } from "./text.js";
import { UNDOABLE } from "./undoable.js";

/** Notes are listed up to this many, and named in words up to that many. */
const MOST_LISTED = 100;
const MOST_NAMED = 10;

export const RELOCATION_PROPERTIES = {
  links: { type: "integer", minimum: 0, description: "How many links were rewritten" },
  rewritten: {
    type: "array",
    items: { type: "string" },
    maxItems: MOST_LISTED,
    description: "The notes and canvases whose links were rewritten",
  },
  rewrittenCount: { type: "integer", minimum: 0, description: "How many those are" },
  skipped: {
    type: "array",
    maxItems: MOST_LISTED,
    description: "Notes with links that could not be rewritten and now lead nowhere",
    items: {
      type: "object",
      description: "A note",
      properties: {
        path: { type: "string", description: "Path in the vault" },
        reason: { type: "string", description: "Why" },
      },
      required: ["path", "reason"],
      additionalProperties: false,
    },
  },
  skippedCount: { type: "integer", minimum: 0, description: "How many those are" },
  undoable: UNDOABLE,
  durable: DURABLE,
} as const satisfies Record<string, Schema>;

export const RELOCATION_REQUIRED = [
  "links",
  "rewritten",
  "rewrittenCount",
  "skipped",
  "skippedCount",
  "undoable",
  "durable",
] as const;

type RelocationFacts = Infer<{
  readonly type: "object";
  readonly properties: typeof RELOCATION_PROPERTIES;
  readonly required: typeof RELOCATION_REQUIRED;
  readonly additionalProperties: false;
}>;

export function relocationFacts({ links, rewritten, skipped, undoable, durable }: Relocation): RelocationFacts {
  return {
    links,
    rewritten: rewritten.slice(0, MOST_LISTED),
    rewrittenCount: rewritten.length,
    skipped: skipped.slice(0, MOST_LISTED).map(({ path, reason }) => ({ path, reason: excerpt(reason, 300) })),
    skippedCount: skipped.length,
    undoable,
    durable,
  };
}

/** The lines below the first: what became of the links. */
export function relocationLines({ links, rewrittenCount, skipped, skippedCount, durable }: RelocationFacts): string[] {
  const lines: string[] = [];
  if (links > 0) lines.push(`Rewrote ${counted(links, "link")} in ${counted(rewrittenCount, "note")}.`);
  for (const note of skipped.slice(0, MOST_NAMED))
    lines.push(`[Links in '${note.path}' are as they were: ${note.reason}]`);
  if (skippedCount > MOST_NAMED) lines.push(`[… and in ${counted(skippedCount - MOST_NAMED, "more note")}]`);
  return durable ? lines : [...lines, durabilityNote(durable, "It has moved").trimStart()];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
