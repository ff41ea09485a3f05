/** The properties of tasks and of answers that follow from the field table. */
import type { Clock } from "../../clock.js";
import {
  FIELD_NAMES,
  fieldNamed,
  type FilteredField,
  type SignedField,
  type ToldFields,
  type Values,
} from "./fields.js";
import type { Shape, Shown } from "./field.js";

const TOLD = FIELD_NAMES.flatMap((name) => {
  const field = fieldNamed(name);
  return field.property === undefined ? [] : [{ name, property: field.property as keyof ToldFields, field }];
});

export interface ShownField extends Shown {
  readonly property: keyof ToldFields;
  readonly form: Shape;
  readonly settable: boolean;
}

/** Fields that answers about one task show. */
export const SHOWN_FIELDS: readonly ShownField[] = TOLD.flatMap(({ property, field }) => {
  const { shown, shape = "text", update, open } = field;
  return shown === undefined
    ? []
    : [{ ...shown, property, form: shape, settable: update !== undefined || open === true }];
});

/** Those of them that callers may set. */
export const SETTABLE_FIELDS: readonly ShownField[] = SHOWN_FIELDS.filter(({ settable }) => settable);

/** Sets a task's properties from its note's fields. */
export function tellFields(task: object, values: Values, clock: Pick<Clock, "dayOf">): void {
  const told = task as Record<keyof ToldFields, unknown>;
  for (const { name, property, field } of TOLD) told[property] = field.tell(values[name], clock);
}

/** Fields that checkbox lines can have. */
export const TOLD_BY_SIGNS = TOLD.flatMap(({ name, property, field }) =>
  field.sign === undefined ? [] : [[name as SignedField, property, field] as const],
);

/** Sets a task's properties from the signs of a line; others stay. */
export function tellSigns(task: object, values: Readonly<Partial<Record<SignedField, string>>>): void {
  const told = task as Record<keyof ToldFields, unknown>;
  for (const [name, property, field] of TOLD_BY_SIGNS) {
    const text = values[name];
    if (text !== undefined) told[property] = field.fromLine === undefined ? text : field.fromLine(text);
  }
}

/** Fields with a filter by day. */
export const DAY_FILTERS = TOLD.flatMap(({ name, property, field: { filter } }) =>
  filter === undefined ? [] : [{ name: name as FilteredField, property, filter }],
);

/** No value, no day. */
const NO_CLOCK: Pick<Clock, "dayOf"> = {
  dayOf() {
    throw new Error("There is no instant.");
  },
};

/** The properties of a task without field values. */
export const NOTHING_TOLD = Object.fromEntries(
  TOLD.map(({ property, field }) => [property, field.tell(undefined, NO_CLOCK)]),
) as unknown as ToldFields;
