/** Properties of tasks and answers, derived from the field table. */
import type { Clock } from "../../clock.js";
import {
  FIELD_NAMES,
  fieldNamed,
  type FilteredField,
  type SignedField,
  type FieldProperties,
  type Values,
} from "./fields.js";
import type { Shape, Shown } from "./field.js";

const TASK_FIELDS = FIELD_NAMES.flatMap((name) => {
  const field = fieldNamed(name);
  return field.property === undefined ? [] : [{ name, property: field.property as keyof FieldProperties, field }];
});

export interface ShownField extends Shown {
  readonly property: keyof FieldProperties;
  readonly form: Shape;
  readonly settable: boolean;
}

export const SHOWN_FIELDS: readonly ShownField[] = TASK_FIELDS.flatMap(({ property, field }) => {
  const { shown, shape = "text", update, open } = field;
  return shown === undefined
    ? []
    : [{ ...shown, property, form: shape, settable: update !== undefined || open === true }];
});

export const SETTABLE_FIELDS: readonly ShownField[] = SHOWN_FIELDS.filter(({ settable }) => settable);

export function setTaskFields(task: object, values: Values, clock: Pick<Clock, "dayOf">): void {
  const row = task as Record<keyof FieldProperties, unknown>;
  for (const { name, property, field } of TASK_FIELDS) row[property] = field.taskValue(values[name], clock);
}

export const SIGN_FIELDS = TASK_FIELDS.flatMap(({ name, property, field }) =>
  field.sign === undefined ? [] : [[name as SignedField, property, field] as const],
);

export function setSignFields(task: object, values: Readonly<Partial<Record<SignedField, string>>>): void {
  const row = task as Record<keyof FieldProperties, unknown>;
  for (const [name, property, field] of SIGN_FIELDS) {
    const text = values[name];
    if (text !== undefined) row[property] = field.fromLine === undefined ? text : field.fromLine(text);
  }
}

export const DAY_FILTERS = TASK_FIELDS.flatMap(({ name, property, field: { filter } }) =>
  filter === undefined ? [] : [{ name: name as FilteredField, property, filter }],
);

/** Empty values have no day. */
const NO_CLOCK: Pick<Clock, "dayOf"> = {
  dayOf() {
    throw new Error("There is no instant.");
  },
};

export const EMPTY_FIELDS = Object.fromEntries(
  TASK_FIELDS.map(({ property, field }) => [property, field.taskValue(undefined, NO_CLOCK)]),
) as unknown as FieldProperties;
