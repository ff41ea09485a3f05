/** What a task and the answers about it tell of its fields, by the field table. */
import type { Clock } from "../../clock.js";
import type { Task } from "../task.js";
import { FIELD_NAMES, fieldNamed, type Values } from "./fields.js";
import type { Shape, Shown } from "./kinds.js";

/** The fields that answers about one task show, by the task's property. */
export const SHOWN_FIELDS: readonly (Shown & { readonly property: keyof Task; readonly form: Shape })[] =
  FIELD_NAMES.flatMap((name) => {
    const { property, shown, shape = "text" } = fieldNamed(name);
    return property === undefined || shown === undefined ? [] : [{ ...shown, property, form: shape }];
  });

/** The properties of a task that tell a field as it was read. */
export function taskProperties(
  values: Values,
  clock: Pick<Clock, "dayOf">,
): Readonly<Partial<Record<keyof Task, unknown>>> {
  const properties: Partial<Record<keyof Task, unknown>> = {};
  for (const { name, property, field } of TOLD) {
    const value = values[name];
    properties[property] = value === undefined || field.show === undefined ? value : field.show(value, clock);
  }
  return properties;
}

const TOLD = FIELD_NAMES.flatMap((name) => {
  const field = fieldNamed(name);
  return field.property === undefined ? [] : [{ name, property: field.property, field }];
});
