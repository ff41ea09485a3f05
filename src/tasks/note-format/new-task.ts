/** The text of a new task note (docs: tasks, "create_task"). */
import type { Clock, Ids, LocalDate } from "../../clock.js";
import { type VaultError, invalidArgument } from "../../errors.js";
import { argument, said } from "../../text/wording.js";
import { readFrontmatter } from "../../markdown/frontmatter/frontmatter.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import { textsOf } from "../fields/property-values.js";
import {
  type NewValue,
  removeProperty,
  type SetOptions,
  setProperty,
  writeFrontmatter,
} from "../../markdown/frontmatter/edit.js";
import { resolvePlain } from "../../markdown/frontmatter/scalar.js";
import { headingWords } from "../../markdown/outline.js";
import type { VaultSettings } from "../../obsidian/settings.js";
import { type Dialect, keyFor } from "../fields/dialect.js";
import { type Conventions, hasMarkerProperty, namesType, propertyType } from "./note-settings.js";
import { storedReminders } from "./derivation.js";
import { setProperties, timestampNow } from "./properties.js";
import type { TaskNotesType } from "../../obsidian/tasknotes-type.js";
import { ownDefaults, setReferences, writeReminders } from "./write-field.js";
import { factsOf, type TaskFacts } from "./facts.js";
import { ruleEdit } from "./note-instances.js";
import { FIELD_NAMES, FIELDS, type FieldName, fieldNamed, isNothing, type Values } from "../fields/field-table.js";
import type { CleanDraft } from "../format.js";

const SLUG_LENGTH = 60;
const MARKER_TAG = "task";

/** `task-<slug>-<suffix>`; the slug may be missing. */
export function taskId(title: string, suffix: string): string {
  const words = title
    .normalize("NFC")
    .toLowerCase()
    .replace(/\ufe0f/g, "");
  // The pattern for all scripts compiles slowly.
  const isPlain = /^[\x20-\x7e]*$/.test(words);
  const parts = words.match(isPlain ? /[a-z0-9]+/g : /(?:\p{L}\p{M}*|\p{N})+/gu) ?? [];
  const slug = Array.from(parts.join("-")).slice(0, SLUG_LENGTH).join("").replace(/-+$/, "");
  return slug === "" ? `task-${suffix}` : `task-${slug}-${suffix}`;
}

type Marker = NonNullable<Conventions["property"]>;

interface NewNoteContext {
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly conventions: Conventions;
  readonly settings: VaultSettings;
  readonly template?: string | undefined;
  /** Undefined while unknown. */
  readonly fileName?: string | undefined;
  readonly ids: Ids;
}

export function newTaskNote(
  draft: CleanDraft,
  id: string,
  { clock, dialect, conventions, settings, template, fileName, ids }: NewNoteContext,
): string {
  const today = clock.today();
  const { enabled, type, recognition } = settings.taskNotes;
  const isNamed = type?.explicitKeys.length && !conventions.property && "tag" in recognition && recognition.tag === "";
  const named = isNamed ? type : undefined;
  const ownTag = (enabled || dialect.marker === "tag") && !conventions.property && !named ? MARKER_TAG : undefined;
  const marker = conventions.tag ?? ownTag;
  // Other programs may know the vault's tasks by their type.
  const isMixed = enabled && !type && dialect.marker === "type" && dialect.tasks > 0 && dialect.types.words.length > 0;
  const hasType = !type && ((marker === undefined && !conventions.property) || (marker !== undefined && isMixed));
  const tags = marker === undefined ? draft.values.tags : [marker, ...(draft.values.tags ?? [])];
  const values: Values = {
    ...draft.values,
    ...ruleOf(draft.values, dialect),
    id,
    ...(hasType && { type: "task" }),
    ...(tags !== undefined && { tags: [...new Set(tags)] }),
    ...(!draft.keepsDays && { created: draft.values.created ?? today }),
    ...(!draft.keepsDays && isDoneOnce(draft.values) && dialect.datesDone && { completed: today }),
  };
  if (type) adaptToType(values, draft.values, fileName, type, today);
  const own = template === undefined ? [] : readFrontmatter(template).properties;
  const present = conventions.spelling.fieldProperties(own);
  const inList = (key: string, value: NewValue): NewValue =>
    typeof value === "string" && isListType(key, settings) ? [value] : value;
  const properties: [string, NewValue, SetOptions?][] = [];
  const markerProperty = conventions.property ?? explicitType(named);
  const hasMarker = named ? namesType(own, conventions) : hasMarkerProperty(own, conventions);
  if (markerProperty && !hasMarker && !writesAnyway(markerProperty, values, dialect, type)) {
    requireNoField(markerProperty, conventions);
    properties.push(
      markerOf(markerProperty, own, propertyType(markerProperty.name, settings.propertyTypes), inList, type),
    );
  }
  let references: { readonly key: string; readonly value: readonly string[] } | undefined;
  for (const name of FIELD_NAMES) {
    const value = values[name];
    if (value === undefined || isNothing(value) || name === "reminders") continue;
    const field = fieldNamed(name);
    const old = present.get(name);
    const says = old !== undefined && field.read(old).value !== undefined;
    // The template overrides defaults.
    if (says && name !== "id" && name !== "tags" && draft.given?.has(name) !== true) continue;
    const usual = old?.key ?? keyFor(name, field.key, dialect);
    const taken = properties.find(([one]) => one === usual);
    // A marker may be a list item; a field that has one value takes the first item.
    if (taken && (Array.isArray(value) || Array.isArray(taken[1]))) {
      taken[1] = [...new Set(Array.isArray(value) ? [taken[1], value].flat() : [String(value), taken[1]].flat())];
      continue;
    }
    if (taken?.[1] === value) continue;
    const key = taken ? field.key : usual;
    if (taken?.[0] === key) throw heldByMarker(key, name);
    if (name === "blockedBy") {
      references = { key, value: value as readonly string[] };
      continue;
    }
    const wanted =
      name === "tags" && says
        ? [...new Set([...((old && FIELDS.tags.read(old).value) || []), ...(value as readonly string[])])]
        : value;
    const written = field.write(wanted, { old, field: name, dialect, clock });
    if (written.value === "") continue;
    const listed = inList(key, written.value);
    properties.push(written.options ? [key, listed, written.options] : [key, listed]);
  }
  // The template's lists stay.
  const withProperties = (text: string): string =>
    properties.reduce((now, [key, value, options]) => setProperty(now, key, value, { ...options, whole: true }), text);
  for (const key of stampedKeys(type, dialect)) {
    const isGiven = own.some((one) => one.key === key && one.text !== "");
    if (!isGiven) properties.push([key, createdStamp(key, draft, dialect, clock), { plain: true }]);
  }
  const made = template === undefined ? plainNote(draft, properties) : withProperties(template);
  const text = draft.properties === undefined ? made : setProperties(made, draft, { settings, today, dialect });
  const linked = references && setReferences(text, references.value, { old: undefined, key: references.key, dialect });
  return withReminders(linked ?? text, values, { clock, dialect, conventions, settings, ids });
}

/** The given ones, else the template's, else TaskNotes'. */
function withReminders(
  text: string,
  values: Values,
  { clock, dialect, conventions, settings, ids }: Omit<NewNoteContext, "template" | "fileName">,
): string {
  const { reminders, due, scheduled } = values;
  const old = conventions.spelling.fieldProperties(readFrontmatter(text).properties).get("reminders");
  const { defaultReminders, enabled } = settings.taskNotes;
  if (reminders === undefined && (old !== undefined || !enabled || defaultReminders.length === 0)) return text;
  return writeReminders(text, reminders === undefined ? ownDefaults(defaultReminders) : storedReminders(reminders), {
    old,
    dialect,
    days: reminders && { ...(due !== undefined && { due }), ...(scheduled !== undefined && { scheduled }) },
    ids,
    clock,
    settings,
  });
}

/** Days with a clock time are written separately. */
function adaptToType(
  values: Values,
  given: Values,
  fileName: string | undefined,
  type: TaskNotesType,
  today: LocalDate,
): void {
  if (type.titleIsFileName && fileName === given.title) delete values.title;
  if (isDoneOnce(given)) values.completed = given.completed ?? today;
  delete values.created;
  delete values.modified;
}

const isDoneOnce = ({ status, recurrence = "" }: Values): boolean => status === "Done" && recurrence === "";

const explicitType = (type: TaskNotesType | undefined) => {
  const [name] = type?.explicitKeys ?? [];
  return type && name !== undefined ? { name, value: type.name } : undefined;
};

/** And the type accepts any value. */
const writesAnyway = (
  { name, value }: Marker,
  values: Values,
  dialect: Dialect,
  type: TaskNotesType | undefined,
): boolean =>
  value === "" &&
  (stampedKeys(type, dialect).has(name) ||
    FIELD_NAMES.some((field) => values[field] !== undefined && keyFor(field, fieldNamed(field).key, dialect) === name));

function heldByMarker(key: string, name: FieldName): VaultError {
  const { argument: own } = fieldNamed(name);
  return invalidArgument(
    `TaskNotes knows tasks of this vault by the value of their "${key}".`,
    own === undefined ? "Make the note in Obsidian." : said`Leave ${argument(own)} out.`,
  );
}

function requireNoField({ name, value }: Marker, { spelling }: Conventions): void {
  const [spelled] = value === "" ? spelling.fieldsSpelled(name) : [];
  if (spelled === undefined) return;
  const { argument: own } = fieldNamed(spelled.name);
  throw invalidArgument(
    `TaskNotes knows tasks of this vault by their "${name}".`,
    own === undefined ? "Make the note in Obsidian." : said`Give ${argument(own)}.`,
  );
}

function stampedKeys(type: TaskNotesType | undefined, { keys }: Dialect): ReadonlySet<string> {
  if (type === undefined) return new Set();
  return new Set([keys["created"], keys["modified"], ...type.stampedNew].filter((key) => key !== undefined));
}

function createdStamp(key: string, { values }: CleanDraft, { keys }: Dialect, clock: Clock): string {
  const day = key === keys["created"] ? values.created : undefined;
  const now = timestampNow(clock);
  return day === undefined || day === clock.today() ? now : `${day}T00:00:00.000${now.slice(23)}`;
}

/**
 * While a type file is unreadable, no key is added.
 * @throws INVALID_ARGUMENT
 */
export function allowedKeys(
  text: string,
  { unsure, type }: VaultSettings["taskNotes"],
  before: readonly Property[],
): { readonly text: string; readonly leftOut: readonly string[] } {
  const allowed = type?.allowedKeys;
  if (unsure === undefined && allowed === undefined) return { text, leftOut: [] };
  const known = new Set(before.map(({ key }) => key));
  const added = readFrontmatter(text).properties.flatMap(({ key }) => (known.has(key) ? [] : [key]));
  if (unsure !== undefined && added.length > 0) throw notWritten(unsure);
  const wrong = added.filter((key) => allowed?.has(key) === false);
  if (wrong.length === 0) return { text, leftOut: [] };
  const names = wrong.map((key) => `"${key}"`).join(", ");
  return {
    text: wrong.reduce(removeProperty, text),
    leftOut: [`Left out, as the type has no such property: ${names}.`],
  };
}

export const notWritten = (unsure: string): VaultError =>
  invalidArgument(
    unsure,
    "Correct that file in TaskNotes or an editor; values that a note has can be changed all the same.",
  );

const LIST_TYPES: ReadonlySet<string | undefined> = new Set(["multitext", "tags", "aliases"]);

export const isListType = (
  key: string,
  { propertyTypes, taskNotes: { type, userFields } }: Pick<VaultSettings, "propertyTypes" | "taskNotes">,
): boolean =>
  key.toLowerCase() === "tags" || LIST_TYPES.has((type && userFields.get(key)) ?? propertyType(key, propertyTypes));

const MARKS: Readonly<Record<string, string>> = { number: "1" };

function markerOf(
  { name, value }: Marker,
  template: readonly Property[],
  type: string | undefined,
  inList: (key: string, value: NewValue) => NewValue,
  noteType: TaskNotesType | undefined,
): [string, NewValue, SetOptions] {
  const old = template.find(({ key }) => key.toLowerCase() === name.toLowerCase());
  const word = value || (MARKS[type ?? ""] ?? "true");
  if (old !== undefined && Array.isArray(old.value)) return [old.key, [...textsOf(old), word], {}];
  // Without a type file TaskNotes compares texts.
  const plain = value === "" || noteType !== undefined || typeof resolvePlain(word) !== "number";
  return [old?.key ?? name, inList(name, word), { plain }];
}

function plainNote(draft: CleanDraft, properties: readonly [string, NewValue, SetOptions?][]): string {
  const description = draft.description.replace(/\r\n?/g, "\n").replace(/^(?:[ \t]*\n)+|\s+$/g, "");
  return `${writeFrontmatter(properties)}# ${headingWords(draft.title)}\n${description === "" ? "" : `\n${description}\n`}`;
}

function ruleOf({ recurrence, scheduled, due }: Values, { rules }: Dialect): Values {
  if (recurrence === undefined || recurrence === "") return {};
  const start = [scheduled, due].find((day) => day !== undefined && day !== "") as LocalDate | undefined;
  const edit = ruleEdit(recurrence, rules, start);
  return { recurrence: edit.recurrence, ...(edit.anchor === "completion" && { recurrenceAnchor: edit.anchor }) };
}

export function readBack(text: string, conventions: Conventions): TaskFacts {
  const facts = factsOf(text, conventions);
  if (facts !== undefined) return facts;
  const reason = readFrontmatter(text).problem?.message ?? "They make no task.";
  throw invalidArgument(
    `These values could not be read back: ${reason}`,
    "Give fewer or shorter tags and projects. Nothing was written.",
  );
}
