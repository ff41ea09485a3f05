/** Stored facts of a possible task note: JSON that depends on the note only. */
import type { NoteSource } from "../../index/subject.js";
import { isForeignTaskType } from "../fields/vocabulary.js";
import { readFrontmatter, splitNote } from "../../markdown/frontmatter/frontmatter.js";
import type { Heading } from "../../markdown/blocks.js";
import { textExcerpt, titleAndDescription } from "../../markdown/outline.js";
import type { Property, PropertyValue } from "../../markdown/frontmatter/property.js";
import { type Conventions, hasMarkerProperty, isMarkerTag, namesType, NO_CONVENTIONS } from "./note-settings.js";
import { type FieldName, fieldNamed, type Values, FIELD_NAMES } from "../fields/field-table.js";
import { type ReminderDays, reminderDays } from "../fields/reminders.js";
import { hashText } from "../../text/hash.js";
import { onOneLine, textsOf } from "../fields/property-values.js";
import type { NoteRule } from "../task.js";
import type { Field, SignOf, Stored } from "../fields/field.js";
import { isContested, type Spelling } from "../fields/spelling.js";
import { ownCopy, remembered } from "../../text/fold.js";

interface FactProblem {
  readonly field: FieldName;
  readonly message: string;
  /** From 1. */
  readonly line: number;
}

export interface TaskFacts {
  /** `status-in-para` also depends on folder and status. */
  readonly rule: NoteRule;
  readonly values: Values;
  /** Only without a frontmatter title. */
  readonly heading?: string;
  readonly excerpt: string;
  /** As spelled, one per line; for shared spellings also a tab and the field. */
  readonly keys: string;
  /** One per line, such as `due:plain`. */
  readonly habits: string;
  readonly properties?: Readonly<Record<string, PropertyValue>>;
  readonly problems?: readonly FactProblem[];
  readonly reminderDays?: ReminderDays;
  /** Undefined if the note was not read whole. */
  readonly revision?: string;
}

type ReadNote = Pick<NoteSource, "text" | "start" | "truncated" | "parts" | "frontmatter">;

const EXCERPT_LENGTH = 500;
const TASK_KIND = /^(?:\[\[)?task(?:\]\])?$/i;
export const isTaskType = (kind: string): boolean => kind === "task" || TASK_KIND.test(kind) || isForeignTaskType(kind);
const MENTION = /task/i;

/** @param otherwise the rule if no other fits */
export function factsOf(
  text: string,
  conventions: Conventions = NO_CONVENTIONS,
  otherwise?: NoteRule,
): TaskFacts | undefined {
  const parts = splitNote(text);
  const note = { text, start: text, truncated: false, parts, frontmatter: readFrontmatter(text, parts) };
  return readFacts(note, conventions, otherwise);
}

/** Undefined if the note is a task in no folder. */
export function readFacts(
  note: ReadNote,
  conventions: Conventions = NO_CONVENTIONS,
  otherwise?: NoteRule,
): TaskFacts | undefined {
  const { start, parts, frontmatter } = note;
  if (parts.frontmatter === undefined && otherwise === undefined) return undefined;
  const { properties } = frontmatter;
  const layout = layoutOf(properties, conventions.spelling);
  const rule = ruleOf(properties, layout, conventions) ?? otherwise;
  if (rule === undefined) return undefined;
  const signOf = signsOf(start, parts.frontmatter ?? { start: 0, end: 0 });
  const values: Partial<Record<FieldName, unknown>> = {};
  let habits = "";
  let hasTimes = false;
  let problems: FactProblem[] | undefined;
  for (const { name, field, place, key, habitsNamed } of layout.fields) {
    const property = properties[place];
    if (property === undefined) continue;
    const { value, problem, habits: own } = field.read(property, signOf);
    if ((name === "due" || name === "scheduled") && property.text?.includes(":") === true) hasTimes = true;
    if (value !== undefined) values[name] = value;
    if (problem !== undefined)
      (problems ??= []).push({ field: name, message: `${key} ${problem}.`, line: property.line });
    if (own !== undefined) habits += habits === "" ? habitsNamed(own) : `\n${habitsNamed(own)}`;
  }
  const others = otherProperties(properties, layout);
  const { heading, excerpt, revision } = bodyFacts(note);
  return {
    rule,
    values: values as Values,
    ...(values.title === undefined && heading !== undefined && { heading }),
    excerpt,
    keys: layout.keys,
    habits,
    ...(others && { properties: others }),
    ...(problems && { problems }),
    ...((hasTimes || values.reminders !== undefined) && {
      reminderDays: reminderDays(conventions.spelling.fieldProperties(properties)),
    }),
    ...(revision !== undefined && { revision }),
  };
}

function bodyFacts(note: ReadNote): Pick<TaskFacts, "heading" | "excerpt" | "revision"> {
  const { title, excerpt } = titleAndExcerpt(note);
  const heading = title === undefined ? "" : onOneLine(title.text);
  return {
    ...(heading !== "" && { heading }),
    excerpt,
    ...(!note.truncated && { revision: hashText(note.text) }),
  };
}

const MAX_PROPERTIES = 50;
const MAX_TEXT_LENGTH = 200;

function otherProperties(properties: readonly Property[], layout: FieldLayout): TaskFacts["properties"] {
  if (layout.others.length === 0) return undefined;
  const found: Record<string, PropertyValue> = {};
  for (const place of layout.others.slice(0, MAX_PROPERTIES)) {
    const property = properties[place];
    const value = property && typedValue(property);
    if (property !== undefined && value !== undefined) found[property.key] = value;
  }
  return found;
}

function typedValue({ value, text }: Property): PropertyValue | undefined {
  if (Array.isArray(value)) {
    const items = value
      .slice(0, MAX_PROPERTIES)
      .filter((item) => typeof item !== "string" || item.length <= MAX_TEXT_LENGTH);
    return items.filter((item) => typeof item !== "object" || Array.isArray(item));
  }
  if (typeof value === "number" || typeof value === "boolean") return value;
  return text === undefined || text.length > MAX_TEXT_LENGTH ? undefined : text;
}

function titleAndExcerpt(note: ReadNote): { readonly title: Heading | undefined; readonly excerpt: string } {
  const { start, parts } = note;
  const near = titleAndDescription(start, parts.bodyStart);
  const isCertain = near.title !== undefined && near.description.end > near.description.start + EXCERPT_LENGTH;
  const text = isCertain ? start : note.text;
  const { title, description } = text === start ? near : titleAndDescription(text, parts.bodyStart);
  return { title, excerpt: textExcerpt(text, description, EXCERPT_LENGTH) };
}

/** As far as the note alone decides (docs: tasks). */
function ruleOf(properties: readonly Property[], layout: FieldLayout, conventions: Conventions): NoteRule | undefined {
  const type = properties[layout.type];
  const kinds = type === undefined ? NO_TEXTS : textsOf(type);
  for (const kind of kinds) if (isTaskType(kind)) return "type-key";
  const tags = properties[layout.tags];
  const mayBeMarked = tags !== undefined && (conventions.tag !== undefined || mentionsTask(tags));
  if (mayBeMarked && markerTags(fieldNamed("tags").read(tags).value, conventions).length > 0) return "task-tag";
  if (hasMarkerProperty(properties, conventions)) return "task-property";
  if (namesType(properties, conventions)) return "mdbase-type";
  const status = properties[layout.status];
  if (kinds.length > 0 || status === undefined) return undefined;
  if (tags !== undefined && namesOtherKind(fieldNamed("tags").read(tags).value)) return undefined;
  const word = fieldNamed("status").read(status).value;
  return typeof word === "string" && word !== "" ? "status-in-para" : undefined;
}

const OTHER_KIND =
  /^(?:areas?|articles?|books?|compan(?:y|ies)|contacts?|courses?|epics?|films?|meetings?|mocs?|movies?|notes?|people|persons?|podcasts?|projects?|recipes?|resources?|series|teams?)(?:\/|$)/i;

function namesOtherKind(tags: unknown): boolean {
  return Array.isArray(tags) && tags.some((tag) => typeof tag === "string" && OTHER_KIND.test(tag));
}

const NO_TEXTS: readonly string[] = [];

/** Quick test: most tags need no parsing. */
function mentionsTask({ text, value }: Property): boolean {
  if (text !== undefined) return MENTION.test(text);
  if (!Array.isArray(value)) return false;
  for (const item of value) if (typeof item === "string" && MENTION.test(item)) return true;
  return false;
}

export function markerTags(tags: unknown, conventions: Conventions): string[] {
  if (!Array.isArray(tags)) return [];
  return tags.filter((tag): tag is string => typeof tag === "string" && isMarkerTag(tag, conventions));
}

/** Computed once for each sequence of keys. */
interface FieldLayout {
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
const layouts = new WeakMap<Spelling, Map<string, FieldLayout>>();

function layoutOf(properties: readonly Property[], spelling: Spelling): FieldLayout {
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
const AFTER_KEY = /["']?[^\S\n]*:?[^\S\n]*(\S?)/y;

/** Fastest in order of position. */
function signsOf(text: string, { start, end }: { readonly start: number; readonly end: number }): SignOf {
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
