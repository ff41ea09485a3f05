/** The field table: one row for each task field, from which reading, writing, updates, new notes and the dialect derive. */
import type { Property } from "../../markdown/frontmatter/property.js";
import { priorityWord, statusWord } from "./dialect.js";
import {
  dateField,
  type Field,
  flagField,
  nameField,
  namesField,
  type Stored,
  tagsField,
  textField,
  wordField,
} from "./kinds.js";
import { readNoteDate } from "./dates.js";
import { readFlag } from "./property-values.js";
import { apart } from "../../text/memo.js";
import { KEY_SPELLINGS, normaliseWord, priorityOf, statusOf } from "./vocabulary.js";

/** The rows stand in the order in which a new note lists them. */
export const FIELDS = {
  id: textField({ spellings: KEY_SPELLINGS.id, key: "id" }),
  type: wordField(
    { spellings: KEY_SPELLINGS.type, key: "type" },
    {
      meaningOf: (raw) => (raw.trim().toLowerCase() === "task" ? "task" : undefined),
      wordFor: (_meaning, _old, dialect) => dialect.typeWord,
    },
  ),
  title: textField({ spellings: KEY_SPELLINGS.title, key: "title", argument: "title" }),
  status: wordField(
    { spellings: KEY_SPELLINGS.status, key: "status", argument: "status" },
    { meaningOf: statusOf, wordFor: statusWord },
  ),
  done: flagField({
    spellings: KEY_SPELLINGS.done,
    key: "done",
    // `completed: true` is a done flag, `completed: 2025-08-30` and an empty `completed:` are the completed date's.
    claims: (property) => readFlag(property) !== undefined && readNoteDate(property.text ?? "") === undefined,
  }),
  priority: wordField(
    { spellings: KEY_SPELLINGS.priority, key: "priority", argument: "priority" },
    {
      meaningOf: priorityOf,
      wordFor: priorityWord,
      unknown: (raw) => `"${raw.slice(0, 40)}" is no known priority and counts as Medium`,
    },
  ),
  due: dateField({ spellings: KEY_SPELLINGS.due, key: "due", argument: "dueDate" }),
  scheduled: dateField({ spellings: KEY_SPELLINGS.scheduled, key: "scheduled" }),
  completed: dateField({ spellings: KEY_SPELLINGS.completed, key: "completed" }),
  area: nameField({ spellings: KEY_SPELLINGS.area, key: "area", argument: "area" }),
  projects: namesField({ spellings: KEY_SPELLINGS.projects, key: "projects", argument: "parentProjects" }),
  tags: tagsField({ spellings: KEY_SPELLINGS.tags, key: "tags", argument: "tags" }),
  created: dateField({ spellings: KEY_SPELLINGS.created, key: "created" }),
  archived: flagField({ spellings: KEY_SPELLINGS.archived, key: "archived" }),
} as const satisfies Record<string, Field<Stored>>;

export type FieldName = keyof typeof FIELDS;
export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

type StoredOf<F> = F extends Field<infer T extends Stored> ? T : never;
/** What a note's properties say, by field; a field that says nothing is missing. */
export type Values = { -readonly [Name in FieldName]?: StoredOf<(typeof FIELDS)[Name]> };

/** What callers name the fields they may set, in the order of the rows. */
export const ARGUMENTS: readonly string[] = FIELD_NAMES.flatMap((name) => fieldNamed(name).argument ?? []);

/** A row by name, for code that treats all fields alike. */
export function fieldNamed(name: FieldName): Field<Stored> {
  return FIELDS[name];
}

/** A caller's values by field, fit to be written. */
export interface CleanValues {
  readonly values: Values;
  /** In words, what had to be changed. */
  readonly adjustments: readonly string[];
}

/**
 * The fields that a caller's arguments name, made clean; arguments that are no field of the table are left to others.
 * @throws VaultError INVALID_ARGUMENT when one cannot be written
 */
export function cleanValues(given: object): CleanValues {
  const values: Partial<Record<FieldName, Stored>> = {};
  const adjustments: string[] = [];
  for (const name of FIELD_NAMES) {
    const field = fieldNamed(name);
    const value: unknown = field.argument === undefined ? undefined : Reflect.get(given, field.argument);
    if (value === undefined) continue;
    const cleaned = field.clean(value as Stored);
    values[name] = cleaned.value;
    adjustments.push(...cleaned.adjustments);
  }
  return { values: values as Values, adjustments };
}

/** Whether a value says nothing: an empty text or list, which clears. */
export function isNothing(value: Stored): boolean {
  return typeof value !== "boolean" && value.length === 0;
}

interface Spelled {
  readonly name: FieldName;
  /** Place in the row's spellings: of two keys for one field the lower wins. */
  readonly rank: number;
}

const BY_SPELLING = new Map<string, Spelled[]>();
for (const name of FIELD_NAMES) {
  for (const [rank, spelling] of FIELDS[name].spellings.entries()) {
    BY_SPELLING.set(spelling, [...(BY_SPELLING.get(spelling) ?? []), { name, rank }]);
  }
}

/** Keys as spelled in notes, remembered because a vault spells few keys very often. Emptied when it grows beyond reason. */
const byKey = new Map<string, readonly Spelled[]>();
const MOST_KEYS = 2_000;
const NONE: readonly Spelled[] = [];

/** The fields a key may stand for; two for a spelling that rows share. */
export function fieldsSpelled(key: string): readonly Spelled[] {
  let fields = byKey.get(key);
  if (fields === undefined) {
    fields = BY_SPELLING.get(normaliseWord(key)) ?? NONE;
    if (byKey.size >= MOST_KEYS) byKey.clear();
    byKey.set(apart(key), fields);
  }
  return fields;
}

/** The field a property holds, if it holds any. */
export function fieldOf(property: Property): Spelled | undefined {
  const spelled = fieldsSpelled(property.key);
  return spelled.length < 2 ? spelled[0] : spelled.find(({ name }) => FIELDS[name].claims?.(property) ?? true);
}

/** The properties that hold a note's task fields: of two spellings of one field the canonical one. */
export function fieldProperties(properties: readonly Property[]): ReadonlyMap<FieldName, Property> {
  const found = new Map<FieldName, Property>();
  for (const property of properties) {
    const field = fieldOf(property);
    if (field === undefined) continue;
    const before = found.get(field.name);
    if (before === undefined || field.rank < (fieldOf(before)?.rank ?? 0)) found.set(field.name, property);
  }
  return found;
}

/** Whether a note has a key that is the same to Obsidian as `key`. */
export function hasKey(properties: readonly Property[], key: string): boolean {
  return properties.some((property) => normaliseWord(property.key) === normaliseWord(key));
}
