/** Which declared argument a caller means by another name (docs: tools, "Arguments"). */
import { roleRow } from "./argument-roles.js";
import { roleOf, type ObjectSchema, type Schema } from "../schema.js";

/** So many unknown names are compared; any others are only refused. */
const MAX_CHECKED = 100;

/** How argument names and the words of a choice are compared: without case, spaces, `_` and `-`. */
export function foldedName(word: string): string {
  return word
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s_-]/g, "");
}

/**
 * From names that the schema does not have to those it has, each at most once. A declared name that was given is never the meaning of
 * another.
 * @param given the names with a value
 */
export function namesMeant(given: readonly string[], { properties }: ObjectSchema): ReadonlyMap<string, string> {
  const unknown = given.filter((key) => !Object.hasOwn(properties, key)).slice(0, MAX_CHECKED);
  const meant = new Map<string, string>();
  if (unknown.length === 0) return meant;
  const byName = new Map(unknown.toReversed().map((key) => [foldedName(key), key]));
  for (const spellings of [sameName, sameRole])
    for (const [name, schema] of Object.entries(properties)) {
      if (given.includes(name) || [...meant.values()].includes(name)) continue;
      const key = spellings(name, schema)
        .map((spelling) => byName.get(foldedName(spelling)))
        .find((found) => found !== undefined && !meant.has(found));
      if (key !== undefined) meant.set(key, name);
    }
  return meant;
}

/** The declared argument that means the same as a name; undefined when there is none. */
export function sayingTheSame(key: string, { properties }: ObjectSchema): string | undefined {
  const wanted = foldedName(key);
  const says = (spellings: readonly string[]) => spellings.some((spelling) => foldedName(spelling) === wanted);
  const names = Object.keys(properties);
  return names.find((name) => says([name])) ?? names.find((name) => says(sameRole(name, properties[name])));
}

const sameName = (name: string): readonly string[] => [name];

function sameRole(_name: string, schema: Schema | undefined): readonly string[] {
  const role = roleOf(schema);
  return role === undefined ? [] : roleRow(role).also;
}
