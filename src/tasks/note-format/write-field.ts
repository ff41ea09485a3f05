/** Writes a field. Unreplaced list items keep their bytes. */
import { VaultError, NOTHING_CHANGED } from "../../errors.js";
import { argument, call, said } from "../../text/said.js";
import { type Arrangement, arrangeList, listItems, setProperty } from "../../markdown/frontmatter/edit.js";
import { readFrontmatter } from "../../markdown/frontmatter/frontmatter.js";
import type { ListItem } from "../../markdown/frontmatter/property.js";
import type { VaultPath } from "../../storage/path.js";
import { isEmpty } from "../fields/kinds.js";
import type { Stored, ValuePlace } from "../fields/field.js";
import { type FieldName, fieldNamed } from "../fields/fields.js";

type Entry = Arrangement[number];

/** @throws INVALID_ARGUMENT when the property cannot hold the value */
export function writeField(
  text: string,
  name: FieldName,
  value: Stored,
  key: string,
  place: Omit<ValuePlace, "field"> & { readonly inList: boolean },
): string {
  const field = fieldNamed(name);
  const { value: one, options } = field.write(value, { ...place, field: name });
  const isNew = place.old === undefined || isEmpty(place.old);
  const written = place.inList && isNew && typeof one === "string" && one !== "" ? [one] : one;
  const items = place.old && listItems(text, key);
  if (items === undefined || items.length === 0) return setProperty(text, key, written, options);
  if (field.shape === "list") return arrangeList(text, key, byMeaning(name, items, [written].flat()), options);
  const [word = ""] = [written].flat();
  return writeFirst(text, name, word, key, options?.plain);
}

/**
 * Writes a one-text field; in a list, as its first text.
 * @throws INVALID_ARGUMENT when the field would then read otherwise
 */
export function writeFirst(text: string, name: FieldName, word: string, key: string, plain = false): string {
  const items = listItems(text, key) ?? [];
  if (items.length === 0 || (word === "" && items.length === 1)) return setProperty(text, key, word, { plain });
  const first = items.findIndex((item) => (item.text ?? "").trim() !== "");
  const places = [...items.keys()];
  const entries =
    first === -1 ? [word, ...places] : places.map((at) => (at === first ? { place: at, text: word } : at));
  const result = word === "" ? text : arrangeList(text, key, entries, { plain });
  const now = readFrontmatter(result).properties.find((property) => property.key === key);
  const field = fieldNamed(name);
  const wanted = field.read({ key, line: 1, value: word, text: word }).value;
  if (word !== "" && now !== undefined && field.read(now).value === wanted) return result;
  const line = now?.line ?? 1;
  const unplaced = said`"${key}" is a list of ${items.length} items, and ${argument(field.argument ?? name)} is one value.`;
  throw new VaultError("INVALID_ARGUMENT", said`line ${line}, column 1: ${unplaced}`, {
    unplaced,
    hint: [said`Change the list with ${call("set_properties")}, {"remove": [...]}, or by hand.`, NOTHING_CHANGED],
    line,
    column: 1,
  });
}

/** Keeps items that are not read, or that mean a wanted value. */
export function byMeaning(name: FieldName, items: readonly ListItem[], wanted: readonly string[]): Arrangement {
  const field = fieldNamed(name);
  const meaningsIn = ({ text, value }: Pick<ListItem, "text" | "value">): readonly string[] => {
    if (text === undefined) return [];
    const read = field.read({ key: field.key, line: 1, value: [value], text: undefined }).value;
    return read === undefined ? [] : [read].flat().map(String);
  };
  const meanings = items.map(meaningsIn);
  const asked = wanted.map((text) => ({ text, meaning: meaningsIn({ text, value: text })[0] ?? text }));
  const all = new Set(asked.map(({ meaning }) => meaning));
  const written = new Set<string>();
  const used = new Set<number>();
  const entries: Entry[] = [];
  for (const { text, meaning } of asked) {
    if (written.has(meaning)) continue;
    const place = meanings.findIndex(
      (own) => own.includes(meaning) && own.every((one) => all.has(one) && !written.has(one)),
    );
    // A moved item keeps its bytes.
    entries.push(place > Math.max(-1, ...used) ? place : (items[place] ?? text));
    if (place !== -1) used.add(place);
    for (const one of meanings[place] ?? [meaning]) written.add(one);
  }
  const kept = new Set([...used].flatMap((place) => meanings[place] ?? []));
  const others = [...items.keys()].filter((place) => !used.has(place));
  return withPlaces(
    entries,
    others.filter((place) => meanings[place]?.every((one) => kept.has(one))),
  );
}

function withPlaces(entries: readonly Entry[], places: readonly number[]): Arrangement {
  const result = [...entries];
  for (const place of places) {
    const later = result.findIndex((entry) => typeof entry === "number" && entry > place);
    const last = result.findLastIndex((entry) => typeof entry === "number");
    result.splice(later === -1 ? last + 1 : later, 0, place);
  }
  return result;
}

export function withLocation(error: VaultError, path: VaultPath): VaultError {
  if (error.path !== undefined || error.line === undefined) return error;
  const position = `line ${error.line}, column ${error.column ?? 1}`;
  return error.with({ path, cause: error }, said`${path}, ${position}: ${error.unplaced}`);
}
