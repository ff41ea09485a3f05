/** Maps properties to fields: first by the vault's own keys, then by the table's spellings. */
import type { Property } from "../../markdown/frontmatter/property.js";
import { ownCopy } from "../../text/fold.js";
import { FIELD_NAMES, type FieldName, fieldNamed, FIELDS } from "./field-table.js";
import { foreignFieldOf, normaliseWord } from "./vocabulary.js";

interface Spelled {
  readonly name: FieldName;
  /** Of two keys for one field, the lower rank counts. */
  readonly rank: number;
}

const BY_SPELLING = new Map<string, Spelled[]>();
for (const name of FIELD_NAMES) {
  for (const [rank, spelling] of FIELDS[name].spellings.entries()) {
    BY_SPELLING.set(spelling, [...(BY_SPELLING.get(spelling) ?? []), { name, rank }]);
  }
}

const MAX_KEYS = 2_000;
const NONE: readonly Spelled[] = [];
/** Rank of other languages' keys. */
export const FOREIGN = 1000;

function foreignFields(key: string): readonly Spelled[] {
  const name = FIELD_NAMES.find((one) => one === foreignFieldOf(key));
  return name === undefined ? NONE : [{ name, rank: FOREIGN }];
}

/** Rank of `--field-names` keys. */
const NAMED = FOREIGN - 1;
/** Ranks of the vault's own keys, and of keys that differ from them in separators. */
const OWN = -1;
const NEAR = -0.5;

export interface Spelling {
  readonly own: ReadonlyMap<FieldName, string>;
  fieldsSpelled(key: string): readonly Spelled[];
  fieldOf(property: Property): Spelled | undefined;
  fieldProperties(properties: readonly Property[]): ReadonlyMap<FieldName, Property>;
}

/**
 * @param named further keys, only read
 * @param others keys that are no fields
 */
export function spellingWith(
  own: ReadonlyMap<FieldName, string>,
  named: ReadonlyMap<string, FieldName>,
  others: Iterable<string>,
): Spelling {
  const byGivenKey = new Map<string, readonly Spelled[]>([
    ...[...others].map((key) => [normaliseWord(key), NONE] as const),
    ...[...named].map(([key, name]) => [normaliseWord(key), [{ name, rank: NAMED }]] as const),
    ...[...own].map(([name, key]) => [normaliseWord(key), [{ name, rank: OWN }]] as const),
  ]);
  const byKey = new Map<string, readonly Spelled[]>();

  function fieldsSpelled(key: string): readonly Spelled[] {
    let fields = byKey.get(key);
    if (fields === undefined) {
      const word = normaliseWord(key);
      fields = byGivenKey.get(word) ?? BY_SPELLING.get(word) ?? foreignFields(key);
      const [first] = fields;
      if (first?.rank === OWN && !isSameKey(key, own.get(first.name) ?? key)) fields = [{ ...first, rank: NEAR }];
      if (byKey.size >= MAX_KEYS) byKey.clear();
      byKey.set(ownCopy(key), fields);
    }
    return fields;
  }

  function fieldOf(property: Property): Spelled | undefined {
    const spelled = fieldsSpelled(property.key);
    if (spelled.length === 1 && !isContested(spelled)) return spelled[0];
    return spelled.find(({ name }) => fieldNamed(name).claims?.(property) ?? true);
  }

  function fieldProperties(properties: readonly Property[]): ReadonlyMap<FieldName, Property> {
    const found = new Map<FieldName, Property>();
    for (const property of properties) {
      const field = fieldOf(property);
      if (field === undefined) continue;
      const before = found.get(field.name);
      if (before === undefined || field.rank < (fieldOf(before)?.rank ?? 0)) found.set(field.name, property);
    }
    return found;
  }

  return { own, fieldsSpelled, fieldOf, fieldProperties };
}

export const COMMON_SPELLING: Spelling = spellingWith(new Map(), new Map(), []);

/** Whether the value decides the field. */
export function isContested(spelled: readonly Spelled[]): boolean {
  return spelled.length > 1 || spelled.some(({ name }) => fieldNamed(name).claims !== undefined);
}

/** Ignores case, as Obsidian does. */
export const isSameKey = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
