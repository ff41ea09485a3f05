/** Writes a field over its property: unchanged list items keep their bytes (docs: tasks). */
import { invalidArgument, NOTHING_CHANGED, VaultError } from "../../errors.js";
import { argument, call, said } from "../../text/wording.js";
import {
  arrangeList,
  type Arrangement,
  listItems,
  removeProperty,
  setProperty,
} from "../../markdown/frontmatter/edit.js";
import { readFrontmatter } from "../../markdown/frontmatter/frontmatter.js";
import type { ListItem, Property } from "../../markdown/frontmatter/property.js";
import type { VaultPath } from "../../storage/path.js";
import { isEmpty } from "../fields/kinds.js";
import type { Stored, ValuePlace } from "../fields/field.js";
import { type FieldName, fieldNamed, FIELDS } from "../fields/field-table.js";
import { type Dialect, keyFor } from "../fields/dialect.js";
import { isMapping } from "../fields/property-values.js";
import type { Clock, Ids } from "../../clock.js";
import type { VaultSettings } from "../../obsidian/settings.js";
import type { DefaultReminder } from "../../obsidian/plugin-settings.js";
import {
  MAX_REMINDERS,
  meaningOf,
  readEntry,
  type Reminder,
  type ReminderDays,
  whyNot,
  withOffset,
} from "../fields/reminders.js";

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
function byMeaning(name: FieldName, items: readonly ListItem[], wanted: readonly string[]): Arrangement {
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

interface ReminderPlace {
  /** Undefined: add the property. */
  readonly old: Property | undefined;
  readonly dialect: Dialect;
  /** Undefined for TaskNotes' defaults, which may wait for a day. */
  readonly days: ReminderDays | undefined;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly settings: Pick<VaultSettings, "taskNotes">;
}

const refused = (message: string, hint = NOTHING_CHANGED): VaultError => invalidArgument(message, hint);

export function writeReminders(
  text: string,
  wanted: readonly Reminder[],
  { old, dialect, days, ids, clock, settings }: ReminderPlace,
): string {
  const { enabled, type } = settings.taskNotes;
  const key = old?.key ?? keyFor("reminders", FIELDS.reminders.key, dialect);
  const isUsed = dialect.keys["reminders"] !== undefined;
  if (!enabled && !isUsed && !old && wanted.length > 0)
    throw refused("TaskNotes keeps reminders, and is not on in this vault.", "Leave reminders out; due gives the day.");
  const items = old === undefined || isEmpty(old) ? [] : listItems(text, old.key);
  if (items === undefined) throw refused(`"${key}" is written in a way that cannot be changed safely here.`);
  const entries = items.map(({ value }) => readEntry(value));
  const meanings = new Map(wanted.map((reminder) => [meaningOf(reminder, clock), reminder]));
  const kept = [...entries.keys()].filter((place) => {
    const entry = entries[place];
    return typeof entry === "string" || entry === undefined || meanings.has(meaningOf(entry, clock));
  });
  for (const entry of entries) if (typeof entry === "object") meanings.delete(meaningOf(entry, clock));
  const fresh = [...meanings.values()];
  const problem = days && fresh.map((reminder) => whyNot(reminder, days)).find((one) => one !== undefined);
  if (problem !== undefined) throw refused(problem);
  if (kept.length + fresh.length > MAX_REMINDERS) throw refused(`A task has at most ${MAX_REMINDERS} reminders.`);
  if (kept.length === items.length && fresh.length === 0) {
    const isKey = old !== undefined && items.length === 0;
    return isKey ? removeProperty(text, old.key) : text;
  }
  if (kept.length + fresh.length === 0) return removeProperty(text, key);
  const known = new Set(items.map(({ value }) => JSON.stringify(value)));
  const made = (isFlow: boolean): ListItem[] =>
    fresh.map((reminder) => newItem(reminder, newId(ids, known), { isFlow, hasOffset: type !== undefined, clock }));
  if (items.length > 0) {
    const isFlow = items.some(({ source }) => !source.startsWith("-"));
    return arrangeList(text, key, [...kept, ...made(isFlow)]);
  }
  const empty = old === undefined || old.text === "" ? text : setProperty(text, key, "");
  return arrangeList(setProperty(empty, key, ["-"]), key, made(false));
}

/** The plugin splits ids at hyphens. */
function newId(ids: Ids, known: Set<string>): string {
  for (;;) {
    const id = `rem_${ids.next()}`;
    if ([...known].some((entry) => entry.includes(id))) continue;
    known.add(id);
    return id;
  }
}

function newItem(
  { relatedTo, offset, absoluteTime, description }: Reminder,
  id: string,
  { isFlow, hasOffset, clock }: { readonly isFlow: boolean; readonly hasOffset: boolean; readonly clock: Clock },
): ListItem {
  const value: Record<string, string> =
    absoluteTime === undefined
      ? { id, type: "relative", relatedTo: relatedTo ?? "due", offset: offset ?? "PT0M" }
      : { id, type: "absolute", absoluteTime: hasOffset ? withOffset(absoluteTime, clock) : absoluteTime };
  if (description !== undefined) value["description"] = description;
  const pairs = Object.entries(value).map(
    ([key, text]) => `${key}: ${key === "description" || isFlow ? JSON.stringify(text) : text}`,
  );
  const source = isFlow ? `{ ${pairs.join(", ")} }` : `- ${pairs.join("\n  ")}`;
  return { text: undefined, value, source };
}

export const ownDefaults = (defaults: readonly DefaultReminder[]): readonly Reminder[] =>
  defaults.slice(0, MAX_REMINDERS);
