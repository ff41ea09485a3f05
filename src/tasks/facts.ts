/** What is remembered of a note that may be a task: plain JSON that depends on the note alone, not on the day, the zone or the folders. */
import { type Frontmatter, type NoteParts, readFrontmatter, splitNote } from "../markdown/frontmatter.js";
import { excerpt, titleAndDescription } from "../markdown/outline.js";
import type { Property } from "../markdown/property.js";
import { type FieldName, fieldNamed, fieldProperties, fieldsSpelled, hasAnyField, type Values } from "./fields.js";
import { oneLine, textsOf } from "./property-values.js";
import type { TaskRule } from "./task.js";
import { statusOf } from "./vocabulary.js";

export interface FactProblem {
  readonly message: string;
  /** Counted from 1. */
  readonly line: number;
}

export interface TaskFacts {
  /** `status-in-para` still asks where the note lies. */
  readonly rule: TaskRule;
  readonly values: Values;
  /** The title heading, kept only where the frontmatter has no title. */
  readonly heading?: string;
  /** The description's first 500 characters. */
  readonly excerpt: string;
  /** The note's keys of task fields as spelled, one a line; behind a tab the field, where several fields share the spelling. */
  readonly keys: string;
  /** How it is written, one habit a line, such as `due:plain` or `area:linked`. */
  readonly habits: string;
  readonly problems?: readonly FactProblem[];
}

/** A note's text with what was read of it. */
export interface ReadNote {
  readonly text: string;
  readonly parts: NoteParts;
  readonly frontmatter: Frontmatter;
}

export const EXCERPT_LENGTH = 500;
/** Only notes with one of these fields can be tasks. */
const TELLING: ReadonlySet<FieldName> = new Set(["type", "tags", "status"]);
const TASK_TAG = /^task(?:\/|$)/i;

/** The facts of a note by its text alone. */
export function factsOf(text: string): TaskFacts | undefined {
  const parts = splitNote(text);
  return readFacts({ text, parts, frontmatter: readFrontmatter(text, parts) });
}

/** The facts of a note; undefined when it cannot be a task wherever it lies. */
export function readFacts({ text, parts, frontmatter }: ReadNote): TaskFacts | undefined {
  if (parts.frontmatter === undefined || !hasAnyField(frontmatter.properties, TELLING)) return undefined;
  const properties = fieldProperties(frontmatter.properties);
  const rule = ruleOf(properties);
  if (rule === undefined) return undefined;
  const lines = text.slice(parts.frontmatter.start, parts.frontmatter.end).split("\n");
  const values: Partial<Record<FieldName, unknown>> = {};
  const keys: string[] = [];
  const habits: string[] = [];
  const problems: FactProblem[] = [];
  for (const [name, property] of properties) {
    const { value, problem, habits: own = [] } = fieldNamed(name).read(property, sourceOf(property, lines));
    const key = oneLine(property.key);
    if (value !== undefined) values[name] = value;
    if (problem !== undefined) problems.push({ message: `${key} ${problem}.`, line: property.line });
    keys.push(fieldsSpelled(key).length > 1 ? `${key}\t${name}` : key);
    for (const habit of own) habits.push(`${name}:${habit}`);
  }
  const { title, description } = titleAndDescription(text, parts.bodyStart);
  const heading = values.title === undefined && title !== undefined ? oneLine(title.text) : "";
  return {
    rule,
    values: values as Values,
    ...(heading !== "" && { heading }),
    excerpt: excerpt(text, description, EXCERPT_LENGTH),
    keys: keys.join("\n"),
    habits: habits.join("\n"),
    ...(problems.length > 0 && { problems }),
  };
}

/** The first of the three rules that holds (spec: tasks, section 1), as far as the note itself can tell. */
function ruleOf(properties: ReadonlyMap<FieldName, Property>): TaskRule | undefined {
  const type = properties.get("type");
  const kinds = type === undefined ? [] : textsOf(type);
  if (kinds.some((kind) => /^(?:\[\[)?task(?:\]\])?$/i.test(kind))) return "type-key";
  const tags = properties.get("tags");
  if (tags !== undefined && mentionsTask(tags) && markerTags(fieldNamed("tags").read(tags, "").value).length > 0)
    return "task-tag";
  const status = properties.get("status");
  if (kinds.length > 0 || status === undefined) return undefined;
  const word = fieldNamed("status").read(status, "").value;
  return typeof word === "string" && statusOf(word) !== undefined ? "status-in-para" : undefined;
}

/** A quick look that spares most notes the reading of their tags. */
function mentionsTask({ text, value }: Property): boolean {
  if (text !== undefined) return /task/i.test(text);
  return Array.isArray(value) && value.some((item) => typeof item === "string" && /task/i.test(item));
}

/** Those of a note's tags that make it a task. */
export function markerTags(tags: unknown): string[] {
  return Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === "string" && TASK_TAG.test(tag)) : [];
}

/** What stands behind a property's colon on its line. */
function sourceOf(property: Property, lines: readonly string[]): string {
  // Line 1 of the file is the opening fence.
  const line = lines[property.line - 2] ?? "";
  const at = line.indexOf(property.key);
  return at < 0 ? "" : line.slice(at + property.key.length).replace(/^["']?\s*:/, "");
}
