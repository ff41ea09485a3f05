/** Derived from the field table: task properties, answer fields, arguments with schemas and cleaning. */
import { parseJson } from "../../text/decoded.js";
import type { Clock } from "../../clock.js";
import { type Wording } from "../../text/wording.js";
import {
  FIELD_NAMES,
  fieldNamed,
  type FilteredField,
  type SignedField,
  type FieldProperties,
  type Values,
  type FieldName,
  type FIELDS,
} from "./field-table.js";
import type { GivenTime } from "./cleaning.js";
import type { Shape, Shown, ArgumentSchema, CleanContext, Stored } from "./field.js";
import type { Task } from "../task.js";
import { fold } from "../../text/fold.js";
import { ownMeaning, type OwnWords } from "./dialect.js";
import { COMMON_SPELLING, type Spelling } from "./spelling.js";
import { priorityOf, statusOf } from "./vocabulary.js";

const TASK_FIELDS = FIELD_NAMES.flatMap((name) => {
  const field = fieldNamed(name);
  return field.property === undefined ? [] : [{ name, property: field.property as keyof FieldProperties, field }];
});

export interface ShownField extends Shown {
  readonly property: keyof FieldProperties;
  readonly form: Shape;
  readonly settable: boolean;
}

export const SHOWN_FIELDS: readonly ShownField[] = TASK_FIELDS.flatMap(({ property, field }) => {
  const { shown, shape = "text", update, open } = field;
  return shown === undefined
    ? []
    : [{ ...shown, property, form: shape, settable: update !== undefined || open === true }];
});

export const SETTABLE_FIELDS: readonly ShownField[] = SHOWN_FIELDS.filter(({ settable }) => settable);

export function setTaskFields(task: object, values: Values, clock: Pick<Clock, "dayOf">): void {
  const row = task as Record<keyof FieldProperties, unknown>;
  for (const { name, property, field } of TASK_FIELDS) row[property] = field.taskValue(values[name], clock);
}

export const SIGN_FIELDS = TASK_FIELDS.flatMap(({ name, property, field }) =>
  field.sign === undefined ? [] : [[name as SignedField, property, field] as const],
);

export function setSignFields(task: object, values: Readonly<Partial<Record<SignedField, string>>>): void {
  const row = task as Record<keyof FieldProperties, unknown>;
  for (const [name, property, field] of SIGN_FIELDS) {
    const text = values[name];
    if (text !== undefined) row[property] = field.fromLine === undefined ? text : field.fromLine(text);
  }
}

export const DAY_FILTERS = TASK_FIELDS.flatMap(({ name, property, field: { filter, looks } }) =>
  filter === undefined ? [] : [{ name: name as FilteredField, property, filter, looks }],
);

/** For empty values, which have no day. */
const NO_CLOCK: Pick<Clock, "dayOf"> = {
  dayOf() {
    throw new Error("There is no instant.");
  },
};

const EMPTY_FIELDS = Object.fromEntries(
  TASK_FIELDS.map(({ property, field }) => [property, field.taskValue(undefined, NO_CLOCK)]),
) as unknown as FieldProperties;

type TaskRecord = { -readonly [Property in keyof Task]: Task[Property] };
type OwnProperties = Omit<Task, keyof FieldProperties | "reminders"> & Partial<Pick<Task, "reminders">>;

const NOTHING: readonly never[] = [];
const BLANK: Task = {
  ...EMPTY_FIELDS,
  id: "",
  path: "" as Task["path"],
  source: "note",
  line: undefined,
  parent: undefined,
  board: undefined,
  lane: undefined,
  statuses: undefined,
  linksTo: undefined,
  card: undefined,
  otherCards: undefined,
  sign: undefined,
  rule: "checkbox",
  title: "",
  status: "To Do",
  priority: "Medium",
  area: undefined,
  parentProjects: NOTHING,
  series: undefined,
  occurrence: undefined,
  archived: false,
  times: undefined,
  reminders: NOTHING,
  excerpt: "",
  properties: {},
  revision: "",
  modified: 0,
};

/** `BLANK` has every property: adding properties by a spread takes twenty times as long. */
export const taskRecord = (own: OwnProperties): TaskRecord => ({ ...BLANK, ...own });

/**
 * As JSON, without what `taskRecord` adds.
 * @param held stored apart
 * @param own further values to leave out
 */
export function otherProperties(task: Task, held: ReadonlySet<string>, own: Partial<Task>): string | null {
  let found: Record<string, unknown> | undefined;
  for (const name of PROPERTIES)
    if (!held.has(name) && !isBlank(task[name], own[name] ?? BLANK[name])) (found ??= {})[name] = task[name];
  return found === undefined ? null : JSON.stringify(found);
}

const PROPERTIES = Object.keys(BLANK) as readonly (keyof Task)[];

/** Objects and lists are blank without parts. */
const isBlank = (value: unknown, blank: unknown): boolean =>
  value === blank ||
  (typeof blank === "object" && typeof value === "object" && value !== null && Object.keys(value).length === 0);

export type ArgumentUse = "create" | "update";
type ArgumentOf<F, By extends ArgumentUse> = F extends { readonly argument: infer A extends string } & Readonly<
  Record<By, ArgumentSchema>
>
  ? A
  : never;
type GivenOf<F> = F extends { clean(given: infer G, context: CleanContext): unknown } ? G : never;
export type ArgumentValues<By extends ArgumentUse> = {
  readonly [Name in FieldName as ArgumentOf<(typeof FIELDS)[Name], By>]?: GivenOf<(typeof FIELDS)[Name]> | undefined;
};

export function argumentSchemas(
  by: ArgumentUse,
  first: readonly string[] = [],
): Readonly<Record<string, ArgumentSchema>> {
  const rows = FIELD_NAMES.flatMap((name) => {
    const { argument, [by]: schema } = fieldNamed(name);
    return argument === undefined || schema === undefined ? [] : [[argument, schema] as const];
  });
  const schemas = new Map(rows);
  return Object.fromEntries(
    [...new Set([...first, ...schemas.keys()])].flatMap((name) => {
      const schema = schemas.get(name);
      return schema === undefined ? [] : [[name, schema]];
    }),
  );
}

export const ARGUMENTS: readonly string[] = Object.keys(argumentSchemas("update"));

interface GivenUpdates {
  readonly updates: Readonly<Record<string, unknown>>;
  readonly ignored: readonly string[];
}

/** Some clients send null for every unused field: null clears a field only if nothing else is given. */
export function withoutNulls(given: Readonly<Record<string, unknown>>): GivenUpdates {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  const ignored = entries.flatMap(([name, value]) => (value === null ? [name] : []));
  if (ignored.length === 0) return { updates: given, ignored };
  const [alone] = entries.length === 1 ? ignored : [];
  const empty = alone === undefined ? undefined : emptyValue(alone);
  if (alone !== undefined && empty !== undefined) return { updates: { [alone]: empty }, ignored: [] };
  return { updates: Object.fromEntries(entries.filter(([, value]) => value !== null)), ignored };
}

export const nullsIgnored = (names: readonly string[]): string =>
  `null of ${names.join(", ")} as not given ("" clears a field that can be empty)`;

function emptyValue(argument: string): "" | readonly never[] | undefined {
  const fields = COMMON_SPELLING.fieldsSpelled(argument).map(({ name }) => fieldNamed(name));
  const field = fields.find(({ update }) => update !== undefined);
  if (field?.clears !== true) return undefined;
  return field.update?.type === "array" ? [] : "";
}

/** Splits lists at commas outside links. */
export function givenInText(argument: string, text: string): string | readonly string[] {
  const field = COMMON_SPELLING.fieldsSpelled(argument).map(({ name }) => fieldNamed(name));
  if (!field.some(({ update }) => update?.type === "array")) return text;
  const parts = text.match(/(?:\[\[[^\]]*\]\]|[^,])+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** Undefined if the property is no field, or `text` edits list items. */
export function updateOfProperty(
  key: string,
  text: string,
  words: OwnWords,
  spelling: Spelling,
): PropertyUpdate | undefined {
  const [field] = spelling.fieldsSpelled(key).map(({ name }) => fieldNamed(name));
  const argument = field?.update === undefined ? undefined : field.argument;
  // The property alone does not mean that the task is done.
  if (argument === undefined || argument === "completed" || /^\s*\{/.test(text)) return undefined;
  if (argument === "status" || argument === "priority") {
    // Tasks have no empty word.
    if (text === "") return undefined;
    const meaning = ownMeaning(argument, text, words) ?? (argument === "status" ? statusOf : priorityOf)(text);
    if (meaning !== undefined) return { change: [argument, meaning] };
    return {
      unknown: `${key} ${JSON.stringify(text.slice(0, 40))} is no ${argument} that tasks know; it was written as it is.`,
    };
  }
  return { change: [argument, jsonList(text) ?? givenInText(argument, text)] };
}

export const isFieldKey = (key: string, spelling: Spelling): boolean =>
  spelling.fieldsSpelled(key).some(({ name }) => fieldNamed(name).update !== undefined);

/** Whether the note has several keys of this key's field. */
export function isOneOfSeveral(key: string, keys: readonly string[], spelling: Spelling): boolean {
  const fieldOf = (one: string) => spelling.fieldsSpelled(one)[0]?.name;
  const field = fieldOf(key);
  if (field === undefined || !keys.some((one) => fold(one) === fold(key))) return false;
  const own = spelling.own.get(field);
  // The vault's own key has precedence.
  const same = keys.filter((one) => (own === key ? fold(one) === fold(key) : fieldOf(one) === field));
  return same.length > 1;
}

interface PropertyUpdate {
  readonly change?: readonly [argument: string, value: unknown];
  /** The text is then stored as an ordinary value. */
  readonly unknown?: string;
}

function jsonList(text: string): readonly string[] | undefined {
  const list = /^\s*\[(?!\[)/.test(text) ? parseJson(text) : undefined;
  return Array.isArray(list) ? list.map(String) : undefined;
}

interface CleanValues {
  readonly values: Values;
  readonly adjustments: readonly Wording[];
  readonly times: ReadonlyMap<FieldName, GivenTime>;
}

/**
 * Ignores unknown arguments.
 * @throws INVALID_ARGUMENT when a value cannot be written
 */
export function cleanValues(given: object, context: CleanContext): CleanValues {
  const values: Partial<Record<FieldName, Stored>> = {};
  const adjustments: Wording[] = [];
  const times = new Map<FieldName, GivenTime>();
  for (const name of FIELD_NAMES) {
    const field = fieldNamed(name);
    const value: unknown = field.argument === undefined ? undefined : Reflect.get(given, field.argument);
    if (value === undefined) continue;
    const cleaned = field.clean(value as Stored, context);
    values[name] = cleaned.value;
    adjustments.push(...cleaned.adjustments);
    if (cleaned.time) times.set(name, cleaned.time);
  }
  return { values: values as Values, adjustments, times };
}
