/** The arguments and fields of task tools, from the field table, and what answers about a changed task add. */
import { describeDay, weekdayName } from "../../dates/read-day.js";
import { type Wording, joined } from "../../text/wording.js";
import type { LocalDate } from "../../clock.js";
import type { SeriesOutcome, UpdatedTask } from "../../tasks/service.js";
import { DURABLE, OPERATION, UNDOABLE, undoAllLines } from "../file-view.js";
import {
  type Infer,
  type Optional,
  type PropertySchema,
  type Schema,
  array,
  boolean,
  count,
  object,
  optional,
  optionalObjects,
  string,
  unlisted,
} from "../schema.js";
import { oneLine } from "../safe-text.js";
import { type ArgumentUse, SETTABLE_FIELDS, SHOWN_FIELDS, argumentSchemas } from "../../tasks/fields/task-fields.js";
import { NAMED_TASK, type OneTaskView, detailsOf, firstShown, shownText } from "./task-view.js";
import { isSameKey } from "../../tasks/fields/spelling.js";
import type { Task } from "../../tasks/task.js";
import type { Role } from "../arguments/argument-roles.js";

export const WRITE_PROPERTIES = {
  adjustments: optional(array(string(), "What was written otherwise than given, in words")),
  undoable: UNDOABLE,
  durable: optional(DURABLE),
};

/** Effects of an update besides changed values. */
export const EFFECT_PROPERTIES = {
  series: optional(
    object(
      {
        kind: string("What was done", { enum: ["done", "skipped", "reopened", "unchanged", "closed"] }),
        day: optional(string("The instance, YYYY-MM-DD")),
        next: optional(string("The instance to come, YYYY-MM-DD")),
        nextId: optional(string("Id of the instance to come, where the task is a checkbox")),
        ended: boolean("True when it was the last one"),
        text: string("The same in words"),
      },
      "What became of an instance of a series",
    ),
  ),
  nowReady: optionalObjects("Tasks that waited for this one alone, at most five", "A task", NAMED_TASK),
  waitedFor: optional(array(string(), "What the finished task still waited for")),
  alsoChanged: optional(array(string(), "Other notes that this call changed, such as that of a series")),
  operation: optional(OPERATION),
  openSubtasks: optional(count("Subtasks of the finished task that are still open")),
};

const EFFECTS = object(EFFECT_PROPERTIES);
type Effects = Infer<typeof EFFECTS>;

export function effectsOf(
  {
    series,
    consequences,
    alsoChanged,
    operation,
  }: Pick<UpdatedTask, "series" | "consequences" | "alsoChanged" | "operation">,
  today: LocalDate,
): Effects {
  return {
    alsoChanged: alsoChanged.length === 0 ? undefined : alsoChanged,
    operation,
    series: series && seriesView(series, today),
    ...(consequences && {
      nowReady: firstShown(consequences.nowReady, ({ id, title }) => ({ id, title: shownText(title) })),
      waitedFor: firstShown(consequences.waitedFor, shownText),
      openSubtasks: consequences.openSubtasks || undefined,
    }),
  };
}

function seriesView(series: SeriesOutcome, today: LocalDate): NonNullable<Effects["series"]> {
  const { kind, day, next, nextId, ended } = series;
  return { kind, day, next, nextId, ended, text: seriesText(series, today) };
}

/** `Done for Sat 2026-11-21; next Sat 2026-11-28 (in 7 days).` */
function seriesText({ kind, action, day, next, nextId, ended, isOffRule }: SeriesOutcome, today: LocalDate): string {
  const named = day === undefined ? "" : `${weekdayName(day)} ${day}`;
  const place = nextId === undefined ? "" : `, id ${oneLine(nextId)}`;
  const then = next === undefined ? "" : `; next ${describeDay(next, today)}${place}`;
  const last = ended ? " That was the last one." : "";
  if (kind === "closed") return "No instance was left: the series is closed now.";
  if (kind === "unchanged") {
    const what = { done: "finished", skip: "skipped", reopen: "open" }[action ?? "done"];
    const which = named === "" ? "Nothing was there to change." : `${named} is ${what} already${then}.`;
    return `Nothing changed: ${which} Name another day with occurrence.`;
  }
  const verb = { done: "Done for", skipped: "Skipped", reopened: "Open again:" }[kind];
  const off = isOffRule ? ` ${named} is no day of its rule.` : "";
  return `${verb} ${named === "" ? "this instance" : named}${then}.${off}${last}`;
}

const SHOWN_AS_ROW: ReadonlySet<string> = new Set(["scheduled", "timeEstimate", "completed"]);
const SHOWN_HERE = SETTABLE_FIELDS.filter(({ property }) => !SHOWN_AS_ROW.has(property));

/** Without those that `detailsOf` shows. */
export function otherFields(
  view: object,
  { start = "", today }: { readonly start?: string | undefined; readonly today: string },
): string[] {
  const shown = { ...view, start: start > today || start === "" ? undefined : start };
  return fieldLines(shown, SHOWN_HERE).flatMap(([label, value]) =>
    value === undefined ? [] : `${label.toLowerCase()} ${value}`,
  );
}

/** The second block of a tool that wrote a task. */
export function writeDetails(
  view: OneTaskView & Effects & { readonly adjustments?: readonly string[] | undefined; readonly changed?: boolean },
): Wording {
  const values = [
    ...(view.id.startsWith(view.path) ? [] : [`path ${oneLine(view.path)}`]),
    `status ${view.status}`,
    ...(view.priority === "Medium" ? ["priority Medium"] : []),
    `area ${view.area ?? "Unassigned"}${view.areaOf === undefined ? "" : ` (of its project ${view.areaOf})`}`,
    ...(view.parentProjects ? [`projects ${view.parentProjects.join(", ")}`] : []),
    ...(view.tags ? [`tags ${view.tags.join(", ")}`] : []),
    ...otherFields(view, view),
    `revision ${view.revision}`,
  ];
  const lines = [
    `${detailsOf(view, view.today)}; ${values.join("; ")}`,
    view.changed === false && view.series === undefined ? "Nothing was changed: everything was so already." : undefined,
    view.series?.text,
    ...(view.adjustments ?? []),
    (view.alsoChanged?.length ?? 0) > 0
      ? `Also changed: ${(view.alsoChanged ?? []).map(oneLine).join(", ")}`
      : undefined,
    ...undoAllLines(view.operation),
    (view.nowReady?.length ?? 0) > 0 ? `Now ready: ${named(view.nowReady ?? [])}` : undefined,
    (view.waitedFor?.length ?? 0) > 0 ? `It still waited for: ${(view.waitedFor ?? []).join(", ")}` : undefined,
    (view.openSubtasks ?? 0) > 0 ? `Subtasks still open: ${view.openSubtasks}` : undefined,
  ];
  return joined(lines);
}

function named(tasks: readonly { readonly id: string; readonly title: string }[]): string {
  return tasks.map(({ id, title }) => `${title} (${oneLine(id)})`).join(", ");
}

const DOCUMENTED: Readonly<Record<ArgumentUse, readonly string[]>> = {
  create: ["title", "area", "status", "dueDate", "priority", "parentProjects", "tags"],
  update: ["title", "status", "priority", "dueDate", "area", "parentProjects", "tags"],
};

const FIELD_ROLES: Readonly<Record<string, Role>> = {
  title: "title",
  tags: "tags",
  status: "status",
  priority: "priority",
  dueDate: "due",
  parentProjects: "projects",
};

/** Optional unless named in `required`. */
export function argumentsOf(
  by: ArgumentUse,
  required: readonly string[] = [],
): Readonly<Record<string, PropertySchema>> {
  const schemas = Object.entries(argumentSchemas(by, DOCUMENTED[by]) as unknown as Readonly<Record<string, Schema>>);
  return Object.fromEntries(
    schemas.map(([name, one]) => {
      const role = FIELD_ROLES[name];
      const { unlisted: isUnlisted, ...plain } = one as Schema & { readonly unlisted?: true };
      const schema = (role === undefined ? plain : { ...plain, role }) as Schema;
      if (isUnlisted) return [name, unlisted(schema)];
      return [name, required.includes(name) ? schema : optional(schema)];
    }),
  );
}

/** Properties that are not task fields. */
export const PROPERTIES = {
  type: "object",
  description: "Other properties by name",
  properties: {},
  additionalProperties: string(),
} as const;

export const FIELD_PROPERTIES: Readonly<Record<string, Optional<Schema>>> = Object.fromEntries(
  SHOWN_FIELDS.map(({ property, description, form }) => [property, optional({ ...schemaOf(form), description })]),
);

function schemaOf(form: "text" | "number" | "list"): Schema {
  if (form === "list") return { type: "array", items: { type: "string" } };
  return form === "number" ? { type: "integer", minimum: 0 } : { type: "string" };
}

export function fieldsOf(task: Task): Readonly<Record<string, string | number | readonly string[]>> {
  const fields: Record<string, string | number | readonly string[]> = {};
  for (const { property } of SHOWN_FIELDS) {
    const value = task[property];
    if (typeof value === "string") fields[property] = shownText(value);
    else if (typeof value === "number") fields[property] = value;
    else if (Array.isArray(value) && value.length > 0) fields[property] = value.map((item) => shownText(String(item)));
  }
  return fields;
}

export function fieldLines(
  view: object,
  fields = SHOWN_FIELDS,
): readonly (readonly [label: string, value: string | undefined])[] {
  return fields.map(({ property, label, words = String }) => [label, inWords(Reflect.get(view, property), words)]);
}

/** `Written: rating: 5; gone removed.`, as set_properties says. */
export function writtenProperties(given: Readonly<Record<string, string>> = {}, { properties }: Task): string[] {
  const written = Object.entries(given).map(([name, text]) => {
    const [key, value] = Object.entries(properties).find(([one]) => isSameKey(one, name.trim())) ?? [name];
    if (value === undefined) return text === "" ? `${key} removed` : `${key} as given`;
    return value === "" ? `${key} emptied` : `${key}: ${propertyText(value)}`;
  });
  return written.length === 0 ? [] : [`Written: ${written.join("; ")}.`];
}

export const propertyText = (value: Task["properties"][string] = ""): string =>
  shownText(Array.isArray(value) ? `[${value.map(plainText).join(", ")}]` : plainText(value));

const plainText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

function inWords(value: unknown, words: (value: number) => string): string | undefined {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.join(", ");
  if (typeof value === "number") return words(value);
  return typeof value === "string" ? value : undefined;
}
