/** Which properties are task fields, computed once per sequence of keys. */
import type { Property } from "../../markdown/frontmatter/property.js";
import type { Field, SignOf, Stored } from "../fields/field.js";
import { FIELD_NAMES, fieldNamed, type FieldName } from "../fields/fields.js";
import { isContested, type Spelling } from "../fields/spelling.js";
import { onOneLine } from "../fields/property-values.js";
import { ownCopy, remembered } from "../../text/fold.js";

export interface FieldLayout {
  readonly fields: readonly PlacedField[];
  /** Index of the property, or -1. */
  readonly type: number;
  readonly tags: number;
  readonly status: number;
  readonly others: readonly number[];
  /** As in `TaskFacts.keys`. */
  readonly keys: string;
}

interface PlacedField {
  readonly name: FieldName;
  readonly field: Field<Stored, Stored, unknown>;
  readonly place: number;
  readonly key: string;
  readonly habitsNamed: (habits: string) => string;
}

const MAX_LAYOUTS = 2_000;
/** By the keys in order, and by the field if fields share a spelling. */
const layouts = new WeakMap<Spelling, Map<string, FieldLayout>>();

export function layoutOf(properties: readonly Property[], spelling: Spelling): FieldLayout {
  let known = layouts.get(spelling);
  if (known === undefined || known.size > MAX_LAYOUTS) layouts.set(spelling, (known = new Map()));
  let name = "";
  for (const property of properties) {
    name += `${property.key}\0`;
    if (isContested(spelling.fieldsSpelled(property.key))) name += `${spelling.fieldOf(property)?.name ?? ""}\0`;
  }
  let layout = known.get(name);
  if (layout === undefined) known.set(ownCopy(name), (layout = newLayout(properties, spelling)));
  return layout;
}

function newLayout(properties: readonly Property[], spelling: Spelling): FieldLayout {
  const found = spelling.fieldProperties(properties);
  const place = (name: FieldName): number => {
    const property = found.get(name);
    return property === undefined ? -1 : properties.indexOf(property);
  };
  const fields = [...found].map(([name, { key }]) => {
    const line = ownCopy(onOneLine(key));
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

/** Line 1 is the opening fence. */
const FIRST_LINE = 2;
/** Closing quote of the key, colon, and the value's first character. */
const AFTER_KEY = /["']?[^\S\n]*:?[^\S\n]*(\S?)/y;

/** Fastest in order of position. @param range of the frontmatter */
export function signsOf(text: string, { start, end }: { readonly start: number; readonly end: number }): SignOf {
  let [line, lineStart] = [FIRST_LINE, start];
  const goTo = (wanted: number): void => {
    if (wanted < line) [line, lineStart] = [FIRST_LINE, start];
    for (; line < wanted && lineStart < end; line++) {
      const feed = text.indexOf("\n", lineStart);
      lineStart = feed === -1 ? end : feed + 1;
    }
  };
  return (property) => {
    goTo(property.line);
    const at = text.indexOf(property.key, lineStart);
    const feed = text.indexOf("\n", lineStart);
    if (at === -1 || at + property.key.length > (feed === -1 ? end : feed)) return "";
    AFTER_KEY.lastIndex = at + property.key.length;
    return AFTER_KEY.exec(text)?.[1] ?? "";
  };
}
