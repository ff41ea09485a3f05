/** A sentence for each error in arguments, and what replaces arguments and words of other programs (docs: tools, "Arguments"). */
import type { Schema, ObjectSchema } from "../schema.js";
import { argument, joined, quotedArgument, said, type Wording, call } from "../../text/wording.js";
import { excerpt } from "../safe-text.js";
import type { SchemaError } from "../validator.js";
import { priorityOf, statusOf } from "../../tasks/fields/vocabulary.js";

/** `updates.status`, `tags[0]`. */
export function argumentPlace(keys: readonly (string | number)[]): string {
  return keys.reduce<string>((place, key) => {
    if (typeof key === "number") return `${place}[${key}]`;
    return place === "" ? key : `${place}.${key}`;
  }, "");
}

export function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return `"${excerpt(value)}"`;
  if (typeof value === "object") return "an object";
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "nothing";
}

/** One of ajv's errors as a sentence without a full stop. */
export function sentenceFor(error: SchemaError, root: Schema, value: unknown): Wording {
  const keys = keysOf(error.instancePath, value);
  const schema = schemaAt(root, keys);
  const got = valueAt(value, keys);
  const place = quotedArgument(excerpt(argumentPlace(keys), 80));
  switch (error.keyword) {
    case "required":
      return said`${quotedArgument(argumentPlace([...keys, String(error.params["missingProperty"])]))} is required`;
    case "minProperties":
      return said`${place} must name at least one field${schema ? fieldsOf(schema) : ""}`;
    case "pattern":
      return said`${place} does not have the expected form, got ${describeValue(got)}${schema?.description ? ` (${schema.description.replace(/\.$/, "")})` : ""}`;
    case "minLength":
      return said`${place} must not be empty`;
    case "maxLength":
      return said`${place} must have at most ${String(error.params["limit"])} characters`;
    case "minItems":
      return said`${place} must have at least ${String(error.params["limit"])} entries`;
    case "maxItems":
      return said`${place} must have at most ${String(error.params["limit"])} entries`;
    case "enum": {
      const advice = wordAdvice(keys, got);
      return said`${place} must be ${schema ? expectation(schema) : "left out"}, got ${describeValue(got)}${advice}`;
    }
    default:
      return said`${place} must be ${schema ? expectation(schema) : "left out"}, got ${describeValue(got)}`;
  }
}

/** ` (due "overdue" is such a filter)`, or empty. */
function wordAdvice(keys: readonly (string | number)[], word: unknown): Wording {
  if (typeof word !== "string") return "";
  // Only filters take lists.
  const isFilter = typeof keys.at(-1) === "number";
  const advice = adviceForWord({ name: String(keys[0]), word, isFilter });
  return advice === undefined ? "" : said` (${advice})`;
}

/** `: title, status`, or empty. */
function fieldsOf(schema: Schema): Wording {
  const names = schema.type === "object" ? Object.keys(schema.properties) : [];
  return names.length === 0
    ? ""
    : said`: ${joined(
        names.map((name) => said`${argument(name)}`),
        ", ",
      )}`;
}

const WORDS_FOR_ANY = { any: "any value", object: "an object", function: "a function" } as const;

export function expectation(schema: Schema): string {
  if (schema.type === "string") {
    return schema.enum ? `one of ${schema.enum.map((word) => `"${word}"`).join(", ")}` : "a string";
  }
  if (schema.type === "boolean") return "true or false";
  if (schema.type === "array") return `a list of ${schema.items.type}s`;
  if (schema.type === "object") return "an object";
  if (schema.type === undefined) {
    const { is = "any", methods = [] } = schema;
    return WORDS_FOR_ANY[is] + (methods.length > 0 ? ` with ${methods.map((name) => `${name}()`).join(", ")}` : "");
  }
  const number = schema.type === "integer" ? "a whole number" : "a number";
  return `${number}${rangeOf(schema.minimum, schema.maximum)}`;
}

function rangeOf(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` not below ${minimum}`;
  return maximum === undefined ? "" : ` not above ${maximum}`;
}

function keysOf(pointer: string, value: unknown): (string | number)[] {
  let inside = value;
  return pointer
    .split("/")
    .slice(1)
    .map((part) => {
      const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
      const key = Array.isArray(inside) ? Number(name) : name;
      inside = valueAt(inside, [key]);
      return key;
    });
}

function valueAt(value: unknown, keys: readonly (string | number)[]): unknown {
  return keys.reduce<unknown>((inside, key) => {
    if (typeof inside !== "object" || inside === null || !Object.hasOwn(inside, key)) return undefined;
    return Reflect.get(inside, key);
  }, value);
}

function schemaAt(root: Schema, keys: readonly (string | number)[]): Schema | undefined {
  return keys.reduce<Schema | undefined>((schema, key) => {
    if (schema?.type === "array") return schema.items;
    return schema?.type === "object" && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
  }, root);
}

interface AdviceRow {
  /** In any spelling without `_`, `-` and case. */
  readonly also: readonly string[];
  /** Also inside an argument, such as `updates`. */
  readonly isNested?: true;
  /** The first that the tool has counts. */
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

/** `!done`, `-done` and `not done`; but `!1` and `!!!` are words, and `not started` is a status. */
export const isNegation = (word: string): boolean =>
  SIGN.test(word) || (NOT.test(word) && statusOf(word) === undefined && priorityOf(word) === undefined);

const withoutNegation = (word: string): string => word.replace(SIGN, "").replace(NOT, "");

const UNFINISHED: ReadonlySet<string> = new Set(
  "open unfinished incomplete undone remaining offen unerledigt ouvert ouverte abierto abierta".split(" "),
);

/** `open` is also the status of tasks that are not begun. */
export const meansUnfinished = (word: string): boolean => UNFINISHED.has(folded(word));

const folded = (word: string): string => word.toLowerCase().replace(/[\s_-]/g, "");

/** Undefined if the tool has nothing for it. */
export function adviceFor(name: string, { properties }: ObjectSchema, isNested: boolean): Wording | undefined {
  const rows = ADVICE.filter((one) => one.also.includes(folded(name)) && (!isNested || one.isNested === true));
  return rows.flatMap(({ use }) => use).find(([has]) => Object.hasOwn(properties, has))?.[1];
}

interface UnknownWord {
  readonly name: string;
  readonly word: string;
  /** Otherwise it is written. */
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
