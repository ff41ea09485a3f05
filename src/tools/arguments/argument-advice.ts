/** What to use in place of arguments and words that other programs have (docs: tools, "Arguments"). */
import type { ObjectSchema } from "../schema.js";
import { priorityOf, statusOf } from "../../tasks/fields/vocabulary.js";

interface AdviceRow {
  /** In any spelling without `_`, `-` and case. */
  readonly also: readonly string[];
  /** The first of these that the tool has, with how to use it. */
  readonly use: readonly (readonly [argument: string, how: string])[];
}

const ADVICE: readonly AdviceRow[] = [
  {
    also: ["folder", "path", "directory", "dir"],
    use: [["project", "tasks are filtered by project, area or note, not by folder"]],
  },
  {
    also: ["assignee", "assignedto", "owner", "person", "who"],
    use: [
      ["context", "tasks have no assignee: use context, tags or words in query"],
      ["contexts", "tasks have no assignee: use contexts or tags"],
      ["tags", "tasks have no assignee: use tags"],
    ],
  },
  {
    also: ["dryrun", "preview", "simulate", "confirm", "dry"],
    use: [
      ["plan", 'plan "show" only says what would change'],
      ["taskId", "one change has no preview: undo_edit takes it back"],
    ],
  },
  { also: ["overdue", "late", "pastdue"], use: [["due", 'use due "overdue"']] },
  { also: ["today", "duetoday"], use: [["due", 'use due "today"']] },
  { also: ["blocked", "ready", "recurring", "stale", "duplicates"], use: [["is", "use is, a list of states"]] },
  { also: ["open", "completed", "done", "finished"], use: [["status", 'use status ["Done"], or is ["outstanding"]']] },
];

const folded = (word: string): string => word.toLowerCase().replace(/[\s_-]/g, "");

/** Undefined where the tool has nothing for it, or an argument of nearly that name. */
export function adviceFor(argument: string, { properties }: ObjectSchema): string | undefined {
  const row = ADVICE.find(({ also }) => also.includes(folded(argument)));
  return row?.use.find(([name]) => Object.hasOwn(properties, name))?.[1];
}

/** @param argument whose words do not have this one */
export function adviceForWord(argument: string, word: string): string | undefined {
  if (argument !== "is") return undefined;
  const plain = folded(word);
  if (plain === "overdue" || plain === "today" || plain === "tomorrow") return `use due "${plain}"`;
  const status = statusOf(word);
  if (status !== undefined) return `use status ["${status}"]`;
  const priority = priorityOf(word);
  return priority === undefined ? undefined : `use priority ["${priority}"]`;
}
