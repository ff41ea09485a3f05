/** What to use in place of arguments and words that other programs have (docs: tools, "Arguments"). */
import type { ObjectSchema } from "../schema.js";
import { argument, call, said, type Wording } from "../../text/said.js";
import { priorityOf, statusOf } from "../../tasks/fields/vocabulary.js";

interface AdviceRow {
  /** In any spelling without `_`, `-` and case. */
  readonly also: readonly string[];
  /** The first of these that the tool has, with how to use it. */
  readonly use: readonly (readonly [argument: string, how: Wording])[];
}

const ADVICE: readonly AdviceRow[] = [
  {
    also: ["folder", "path", "directory", "dir"],
    use: [
      [
        "project",
        said`tasks are filtered by ${argument("project")}, ${argument("area")} or ${argument("note")}, not by folder`,
      ],
    ],
  },
  {
    also: ["assignee", "assignedto", "owner", "person", "who"],
    use: [
      ["context", said`tasks have no assignee: use ${argument("context")}, ${argument("tags")} or words in query`],
      ["contexts", said`tasks have no assignee: use ${argument("contexts")} or ${argument("tags")}`],
      ["tags", said`tasks have no assignee: use ${argument("tags")}`],
    ],
  },
  {
    also: ["dryrun", "preview", "simulate", "confirm", "dry"],
    use: [
      ["plan", said`${argument("plan")} "show" only says what would change`],
      ["taskId", said`one change has no preview: ${call("undo_edit")} takes it back`.or("one change has no preview")],
    ],
  },
  {
    also: ["before", "until", "to", "end", "enddate", "duebefore", "dueuntil", "dueto", "duedatebefore", "duedateto"],
    use: [["due", said`use ${argument("due")} "before 2026-12-05"`]],
  },
  {
    also: [
      "after",
      "since",
      "from",
      "start",
      "startdate",
      "dueafter",
      "duesince",
      "duefrom",
      "duedateafter",
      "duedatefrom",
    ],
    use: [["due", said`use ${argument("due")} "after 2026-12-05" or "2026-12-05..2026-12-31"`]],
  },
  {
    also: ["scheduledbefore", "scheduledafter", "scheduledfrom", "scheduledto"],
    use: [["scheduled", said`use ${argument("scheduled")} "before 2026-12-05" or "after 2026-12-05"`]],
  },
  {
    also: ["completedbefore", "completedafter", "completedsince", "donebefore", "doneafter", "donesince"],
    use: [["completed", said`use ${argument("completed")} "before 2026-12-05" or "after 2026-12-05"`]],
  },
  { also: ["overdue", "late", "pastdue"], use: [["due", said`use ${argument("due")} "overdue"`]] },
  { also: ["today", "duetoday"], use: [["due", said`use ${argument("due")} "today"`]] },
  {
    also: ["blocked", "ready", "recurring", "stale", "duplicates"],
    use: [["is", said`use ${argument("is")}, a list of states`]],
  },
  {
    also: ["open", "completed", "done", "finished"],
    use: [["status", said`use ${argument("status")} ["Done"], or ${argument("is")} ["outstanding"]`]],
  },
];

const folded = (word: string): string => word.toLowerCase().replace(/[\s_-]/g, "");

/** Undefined where the tool has nothing for it, or an argument of nearly that name. */
export function adviceFor(name: string, { properties }: ObjectSchema): Wording | undefined {
  const row = ADVICE.find(({ also }) => also.includes(folded(name)));
  return row?.use.find(([has]) => Object.hasOwn(properties, has))?.[1];
}

/** @param name of the argument whose words do not have this one */
export function adviceForWord(name: string, word: string): Wording | undefined {
  if (name !== "is") return undefined;
  const plain = folded(word);
  if (plain === "overdue" || plain === "today" || plain === "tomorrow") return said`use ${argument("due")} "${plain}"`;
  const status = statusOf(word);
  if (status !== undefined) return said`use ${argument("status")} ["${status}"]`;
  const priority = priorityOf(word);
  return priority === undefined ? undefined : said`use ${argument("priority")} ["${priority}"]`;
}
