/** What the structured answers of task tools that write say beyond the task itself. */
import { DURABLE } from "../durability.js";
import type { Schema } from "../schema.js";
import { UNDOABLE } from "../undoable.js";

export const WRITE_PROPERTIES = {
  adjustments: {
    type: "array",
    items: { type: "string" },
    description: "What was written otherwise than given, in words",
  },
  undoable: UNDOABLE,
  durable: DURABLE,
} as const satisfies Record<string, Schema>;
