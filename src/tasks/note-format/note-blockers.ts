/** Writes a task's blockers: only changed entries, in the note's form (docs: tasks, "Dependencies and subtasks"). */
import { VaultError } from "../../errors.js";
import { type Arrangement, arrangeList, listItems, setProperty } from "../../markdown/frontmatter/edit.js";
import type { ListItem, Property } from "../../markdown/frontmatter/property.js";
import type { Dialect } from "../fields/dialect.js";
import { FIELDS } from "../fields/fields.js";
import { isMapping } from "../fields/property-values.js";
import { byMeaning } from "./write-field.js";

/** TaskNotes: "must end before this begins". */
const RELATION = "FINISHTOSTART";

interface ReferencePlace {
  readonly old: Property | undefined;
  readonly key: string;
  readonly dialect: Pick<Dialect, "mapped" | "isStrict">;
}

/**
 * @param place.dialect whether a new list holds mappings, as do all new items of a type
 * @throws INVALID_ARGUMENT for a list that cannot be changed safely
 */
export function setReferences(
  text: string,
  references: readonly string[],
  { old, key: usual, dialect }: ReferencePlace,
): string {
  const key = old?.key ?? usual;
  const entries = old !== undefined && Array.isArray(old.value) ? old.value : [];
  if (old !== undefined && [old.value, ...entries].some(isMapping)) return setMappings(text, references, old);
  const items = entries.length > 0 ? listItems(text, key) : undefined;
  if (items) {
    const isFlow = items.some(({ source }) => !source.startsWith("-"));
    const entries = byMeaning("blockedBy", items, references).flatMap<Arrangement[number]>((entry) =>
      dialect.isStrict && typeof entry === "string" ? mappings([entry], isFlow) : [entry],
    );
    return arrangeList(text, key, entries);
  }
  if (references.length === 0) return setProperty(text, key, entries.length > 0 ? [] : "");
  if (entries.length > 0 || !dialect.mapped.includes("blockedBy")) return setProperty(text, key, references);
  const listed = setProperty(text, key, ["-"]);
  const isFlow = listItems(listed, key)?.[0]?.source.startsWith("-") !== true;
  return arrangeList(listed, key, mappings(references, isFlow));
}

/** Known references keep their bytes. */
function setMappings(text: string, references: readonly string[], property: Property): string {
  const { key, line } = property;
  const items = listItems(text, key) ?? [];
  const stored = items.map(({ value }) => blockersIn({ ...property, value: [value], text: undefined }));
  if (items.length === 0 || stored.some((found) => found.length !== 1))
    throw new VaultError("INVALID_ARGUMENT", "blockedBy is written in a way that cannot be changed safely here.", {
      line,
      column: 1,
      hint: "Change it in Obsidian; nothing was changed.",
    });
  const known = stored.flat();
  const kept = [...items.keys()].filter((place) => references.includes(known[place] ?? ""));
  const fresh = references.filter((reference) => !known.includes(reference));
  if (kept.length + fresh.length === 0) return setProperty(text, key, "", { whole: true });
  const isFlow = items.some(({ source }) => !source.startsWith("-"));
  return arrangeList(text, key, [...kept, ...mappings(fresh, isFlow)]);
}

export const blockersIn = (property: Property | undefined): readonly string[] =>
  (property && FIELDS.blockedBy.read(property).value) ?? [];

const mappings = (references: readonly string[], isFlow: boolean): readonly ListItem[] =>
  references.map((reference) => {
    const uid = JSON.stringify(reference);
    const source = isFlow ? `{ uid: ${uid}, reltype: ${RELATION} }` : `- uid: ${uid}\n  reltype: ${RELATION}`;
    return { text: undefined, value: { uid: reference, reltype: RELATION }, source };
  });
