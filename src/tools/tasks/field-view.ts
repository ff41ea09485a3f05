/** What task tools take from the field table: arguments, and the fields of get_task. */
import { argumentSchemas, type ArgumentUse, SHOWN_FIELDS } from "../../tasks/fields/task-fields.js";
import type { Task } from "../../tasks/task.js";
import type { Role } from "../arguments/argument-roles.js";
import { optional, string, unlisted, type Optional, type PropertySchema, type Schema } from "../schema.js";
import { shownText } from "./task-view.js";

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

function inWords(value: unknown, words: (value: number) => string): string | undefined {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.join(", ");
  if (typeof value === "number") return words(value);
  return typeof value === "string" ? value : undefined;
}
