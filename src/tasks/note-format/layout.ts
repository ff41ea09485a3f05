/** Which of a note's properties hold task fields, worked out once for all notes that have the same keys in the same order. */
import type { Property } from "../../markdown/frontmatter/property.js";
import type { Field, Stored } from "../fields/field.js";
import { FIELD_NAMES, fieldNamed, type FieldName } from "../fields/fields.js";
import { isContested, type Spelling } from "../fields/spelling.js";
import { onOneLine } from "../fields/property-values.js";
import { apart, remembered } from "../../text/memo.js";

export interface FieldLayout {
  /** In the order of the note. */
  readonly fields: readonly PlacedField[];
  /** Places among the note's properties; -1: the note has none. */
  readonly type: number;
  readonly tags: number;
  readonly status: number;
  /** Places of the properties that hold no task field. */
  readonly others: readonly number[];
  /** The keys as spelled, one a line; behind a tab the field, where several fields share the spelling. */
  readonly keys: string;
}

export interface PlacedField {
  readonly name: FieldName;
  readonly field: Field<Stored, Stored, unknown>;
  readonly place: number;
  /** The key on one line. */
  readonly key: string;
  /** Habits, one a line, as the facts name them: with the field before each. */
  readonly habitsNamed: (habits: string) => string;
}

/** A way through keys, one after the other; most vaults have a few dozen. */
interface Step {
  /** Fields share the spelling of the last key: the next step is the one that takes the property. */
  readonly isShared: boolean;
  readonly next: Map<string, Step>;
  layout?: FieldLayout;
}

const MAX_STEPS = 2_000;
/** The ways of each spelling from their beginning. */
let firsts = new WeakMap<Spelling, Step>();
let steps = 0;

/** The layout of a note with these properties. */
export function layoutOf(properties: readonly Property[], spelling: Spelling): FieldLayout {
  let step = firsts.get(spelling);
  if (step === undefined) firsts.set(spelling, (step = { isShared: false, next: new Map() }));
  for (const property of properties) {
    const { key } = property;
    step = step.next.get(key) ?? stepAfter(step, key, isContested(spelling.fieldsSpelled(key)));
    if (!step.isShared) continue;
    const name = spelling.fieldOf(property)?.name ?? "";
    step = step.next.get(name) ?? stepAfter(step, name, false);
  }
  return (step.layout ??= newLayout(properties, spelling));
}

function stepAfter(step: Step, word: string, isShared: boolean): Step {
  const next: Step = { isShared, next: new Map() };
  step.next.set(apart(word), next);
  // The way that was begun is still gone to its end.
  if (++steps > MAX_STEPS) [firsts, steps] = [new WeakMap(), 0];
  return next;
}

function newLayout(properties: readonly Property[], spelling: Spelling): FieldLayout {
  const found = spelling.fieldProperties(properties);
  const place = (name: FieldName): number => {
    const property = found.get(name);
    return property === undefined ? -1 : properties.indexOf(property);
  };
  const fields = [...found].map(([name, { key }]) => {
    const line = apart(onOneLine(key));
    return { name, field: fieldNamed(name), place: place(name), key: line, habitsNamed: HABITS_NAMED[name] };
  });
  const keys = fields.map(({ name, key }) => (spelling.fieldsSpelled(key).length > 1 ? `${key}\t${name}` : key));
  const taken = new Set(found.values());
  const others = properties.flatMap((property, at) => (taken.has(property) ? [] : [at]));
  return { fields, others, type: place("type"), tags: place("tags"), status: place("status"), keys: keys.join("\n") };
}

const HABITS_NAMED = Object.fromEntries(
  FIELD_NAMES.map((name) => [name, remembered((habits) => `${name}:${habits.replaceAll("\n", `\n${name}:`)}`)]),
) as Record<FieldName, (habits: string) => string>;
