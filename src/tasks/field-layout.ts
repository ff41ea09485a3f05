/** Which of a note's properties hold task fields, worked out once for all notes that have the same keys in the same order. */
import type { Property } from "../markdown/property.js";
import type { Field, Stored } from "./field-kinds.js";
import { fieldNamed, type FieldName, fieldProperties, fieldsSpelled } from "./fields.js";
import { oneLine } from "./property-values.js";

export interface FieldLayout {
  /** In the order of the note. */
  readonly fields: readonly PlacedField[];
  /** Places among the note's properties; -1: the note has none. */
  readonly type: number;
  readonly tags: number;
  readonly status: number;
  /** The keys as spelled, one a line; behind a tab the field, where several fields share the spelling. */
  readonly keys: string;
}

export interface PlacedField {
  readonly name: FieldName;
  readonly field: Field<Stored>;
  readonly place: number;
  /** The key on one line. */
  readonly key: string;
}

/** A way through keys, one after the other; most vaults have a few dozen. */
interface Step {
  readonly next: Map<string, Step>;
  layout?: FieldLayout;
}

const MOST_STEPS = 2_000;
let first: Step = { next: new Map() };
let steps = 0;

/** The layout of a note with these properties. */
export function layoutOf(properties: readonly Property[]): FieldLayout {
  let step = first;
  for (let place = 0; place < properties.length; place++) {
    const key = properties[place]?.key ?? "";
    step = step.next.get(key) ?? stepAfter(step, key);
  }
  return step.layout ?? newLayout(properties, step);
}

function stepAfter(step: Step, key: string): Step {
  const next: Step = { next: new Map() };
  if (++steps > MOST_STEPS) {
    [first, steps] = [{ next: new Map() }, 0];
    return next;
  }
  step.next.set(key, next);
  return next;
}

/** Kept unless it hangs on more than the keys: fields that share a spelling are told apart by what the property says. */
function newLayout(properties: readonly Property[], step: Step): FieldLayout {
  const found = fieldProperties(properties);
  const place = (name: FieldName): number => {
    const property = found.get(name);
    return property === undefined ? -1 : properties.indexOf(property);
  };
  const fields = [...found].map(([name, property]) => {
    return { name, field: fieldNamed(name), place: properties.indexOf(property), key: oneLine(property.key) };
  });
  const keys = fields.map(({ name, key }) => (fieldsSpelled(key).length > 1 ? `${key}\t${name}` : key));
  const layout = { fields, type: place("type"), tags: place("tags"), status: place("status"), keys: keys.join("\n") };
  if (properties.every(({ key }) => fieldsSpelled(key).length < 2)) step.layout = layout;
  return layout;
}
