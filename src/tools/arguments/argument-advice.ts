/** Replacements for arguments and words of other programs (docs: tools, "Arguments"). */
import type { ObjectSchema } from "../schema.js";
import { argument, call, said, type Wording } from "../../text/said.js";
import { priorityOf, statusOf } from "../../tasks/fields/vocabulary.js";

interface AdviceRow {
  /** In any spelling without `_`, `-` and case. */
  readonly also: readonly string[];
  /** Also inside an argument, such as `updates`. */
  readonly isNested?: true;
  /** The first of these that the tool has, and how to use it. */
  readonly use: readonly (readonly [argument: string, how: Wording])[];
}

const use = (name: string) => [name, said`use ${argument(name)}`] as const;
const OF_ALL_TASKS = "an agenda is of all tasks";
const SEARCH_INSTEAD = [
  "days",
  said`${OF_ALL_TASKS}: ${call("search_tasks", {}, "search_tasks with due, scheduled or completed")} takes filters`.or(
    OF_ALL_TASKS,
  ),
] as const;

const ADVICE: readonly AdviceRow[] = [
  {
    also: ["folder", "path", "directory", "dir"],
    use: [SEARCH_INSTEAD, use("folder")],
  },
  {
    also: ["limit", "maxresults", "max", "n", "topk", "numresults", "pagesize", "size"],
    use: [use("limit"), ["regex", said`narrow ${argument("query")} or ${argument("path")} for fewer lines`]],
  },
  {
    also: ["order", "orderby", "sortby", "sort"],
    use: [use("sort"), use("sort_by")],
  },
  {
    also: ["filter", "filters", "where"],
    use: [
      ["is", "each filter is an argument of its own"],
      ["since_days", "each filter is an argument of its own"],
    ],
  },
  { also: ["tag", "oldtag", "old", "oldname", "name"], use: [use("from")] },
  {
    also: ["newtag", "new", "newname", "newpath", "to", "target", "destination", "replacement"],
    use: [use("to"), ["new_name", said`use ${argument("folder")}, ${argument("new_name")} or both`]],
  },
  {
    also: ["tag", "tags", "title", "name"],
    use: [["regex", said`${call("find_notes")} looks for titles and tags`.or("this looks for text alone")]],
  },
  { also: ["title", "name"], use: [use("query")] },
  { also: ["date", "day"], use: [use("due"), use("since"), use("date_from")] },
  {
    also: ["assignee", "assignedto", "owner", "person", "who"],
    isNested: true,
    use: [
      [
        "context",
        said`tasks have no assignee: use ${argument("context")}, ${argument("tags")} or words in query; ${call("find_notes", { properties: { assignee: "Anna" } }, 'find_notes with properties {"assignee": "Anna"}')} finds notes that have one`.or(
          said`tasks have no assignee: use ${argument("context")}, ${argument("tags")} or words in query`,
        ),
      ],
      [
        "contexts",
        said`tasks have no assignee: use ${argument("contexts")}, ${argument("tags")} or ${argument("properties")} {"assignee": "Anna"}`,
      ],
      ["properties", said`use ${argument("properties")} {"assignee": "Anna"}`],
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
  {
    also: ["offset", "page", "skip"],
    use: [["cursor", said`use the ${argument("cursor")} of the last answer`], use("offset")],
  },
  {
    also: ["status", "state", "type", "rating", "author", "category", "priority", "due"],
    use: [["properties", said`use ${argument("properties")}, which names properties and values`], SEARCH_INSTEAD],
  },
  { also: ["area", "project", "projects", "tags", "tag", "context", "query", "note"], use: [SEARCH_INSTEAD] },
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

const SIGN = /^\s*(?:!=?|≠|-)\s*(?=\p{L}{2})/u;
const NOT = /^\s*(?:not|non|nicht|kein\w*|pas)\b\s*(?=\p{L}{2})/iu;

/** `!done`, `-done` and `not done`. Marks such as `!1` and `!!!` are words, and `not started` is a status. */
export const isNegation = (word: string): boolean =>
  SIGN.test(word) || (NOT.test(word) && statusOf(word) === undefined && priorityOf(word) === undefined);

const withoutNegation = (word: string): string => word.replace(SIGN, "").replace(NOT, "");

/** Folded by `folded`. */
const UNFINISHED: ReadonlySet<string> = new Set(
  "open unfinished incomplete undone remaining offen unerledigt ouvert ouverte abierto abierta".split(" "),
);

/** `open` is also the status of tasks that are not begun. */
export const meansUnfinished = (word: string): boolean => UNFINISHED.has(folded(word));

const folded = (word: string): string => word.toLowerCase().replace(/[\s_-]/g, "");

/** Undefined if the tool has nothing for it, or has an argument of nearly that name. */
export function adviceFor(name: string, { properties }: ObjectSchema, isNested: boolean): Wording | undefined {
  const rows = ADVICE.filter((one) => one.also.includes(folded(name)) && (!isNested || one.isNested === true));
  return rows.flatMap(({ use }) => use).find(([has]) => Object.hasOwn(properties, has))?.[1];
}

interface UnknownWord {
  readonly name: string;
  readonly word: string;
  /** Whether tasks are searched by it; otherwise it is written. */
  readonly isFilter: boolean;
}

export function adviceForWord({ name, word, isFilter }: UnknownWord): Wording | undefined {
  const plain = folded(word);
  if (isFilter && (name === "status" || name === "priority" || name === "is")) {
    const negates = isNegation(word);
    const isDone = negates && statusOf(withoutNegation(word)) === "Done";
    if (name !== "priority" && (isDone || meansUnfinished(word))) return said`use ${argument("is")} ["outstanding"]`;
    if (negates) return "nothing is excluded: name all that are wanted";
  }
  if (name !== "is") return undefined;
  if (plain === "overdue" || plain === "today" || plain === "tomorrow") return said`use ${argument("due")} "${plain}"`;
  const status = statusOf(word);
  if (status !== undefined) return said`use ${argument("status")} ["${status}"]`;
  const priority = priorityOf(word);
  return priority === undefined ? undefined : said`use ${argument("priority")} ["${priority}"]`;
}
