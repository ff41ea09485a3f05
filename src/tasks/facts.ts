/** What is remembered of a note that may be a task: plain JSON that depends on the note alone, not on the day, the zone or the folders. */
import { type Frontmatter, type NoteParts, readFrontmatter, splitNote } from "../markdown/frontmatter.js";
import { excerpt, type Heading, titleAndDescription } from "../markdown/outline.js";
import type { Property } from "../markdown/property.js";
import { type FieldLayout, layoutOf } from "./field-layout.js";
import { type FieldName, fieldNamed, type Values } from "./fields.js";
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
  /** The text's beginning, all of the frontmatter included. */
  readonly start: string;
  readonly parts: NoteParts;
  readonly frontmatter: Frontmatter;
}

export const EXCERPT_LENGTH = 500;
const TASK_KIND = /^(?:\[\[)?task(?:\]\])?$/i;
const MENTION = /task/i;
const TASK_TAG = /^task(?:\/|$)/i;

/** The facts of a note by its text alone. */
export function factsOf(text: string): TaskFacts | undefined {
  const parts = splitNote(text);
  return readFacts({ text, start: text, parts, frontmatter: readFrontmatter(text, parts) });
}

/** The facts of a note; undefined when it cannot be a task wherever it lies. */
export function readFacts(note: ReadNote): TaskFacts | undefined {
  const { parts, frontmatter } = note;
  if (parts.frontmatter === undefined) return undefined;
  const { properties } = frontmatter;
  const layout = layoutOf(properties);
  const rule = ruleOf(properties, layout);
  if (rule === undefined) return undefined;
  const signs = new Signs(note.start, parts.frontmatter);
  const signOf = (property: Property): string => signs.of(property);
  const values: Partial<Record<FieldName, unknown>> = {};
  let habits = "";
  let problems: FactProblem[] | undefined;
  for (const { name, field, place, key, habitsNamed } of layout.fields) {
    const property = properties[place];
    if (property === undefined) continue;
    const { value, problem, habits: own } = field.read(property, signOf);
    if (value !== undefined) values[name] = value;
    if (problem !== undefined) (problems ??= []).push({ message: `${key} ${problem}.`, line: property.line });
    if (own !== undefined) habits += habits === "" ? habitsNamed(own) : `\n${habitsNamed(own)}`;
  }
  const { title, excerpt } = titleAndExcerpt(note);
  const heading = values.title === undefined && title !== undefined ? oneLine(title.text) : "";
  return {
    rule,
    values: values as Values,
    ...(heading !== "" && { heading }),
    excerpt,
    keys: layout.keys,
    habits,
    ...(problems && { problems }),
  };
}

/** Looks no further than the note's start where that tells both: with more text behind the excerpt, nothing that follows matters. */
function titleAndExcerpt(note: ReadNote): { readonly title: Heading | undefined; readonly excerpt: string } {
  const { start, parts } = note;
  const near = titleAndDescription(start, parts.bodyStart);
  const isCertain = near.title !== undefined && near.description.end > near.description.start + EXCERPT_LENGTH;
  const text = isCertain ? start : note.text;
  const { title, description } = text === start ? near : titleAndDescription(text, parts.bodyStart);
  return { title, excerpt: excerpt(text, description, EXCERPT_LENGTH) };
}

/** The first of the three rules that holds (spec: tasks, section 1), as far as the note itself can tell. */
function ruleOf(properties: readonly Property[], layout: FieldLayout): TaskRule | undefined {
  const type = properties[layout.type];
  const kinds = type === undefined ? NO_TEXTS : textsOf(type);
  for (const kind of kinds) if (kind === "task" || TASK_KIND.test(kind)) return "type-key";
  const tags = properties[layout.tags];
  if (tags !== undefined && mentionsTask(tags) && markerTags(fieldNamed("tags").read(tags).value).length > 0)
    return "task-tag";
  const status = properties[layout.status];
  if (kinds.length > 0 || status === undefined) return undefined;
  const word = fieldNamed("status").read(status).value;
  return typeof word === "string" && statusOf(word) !== undefined ? "status-in-para" : undefined;
}

const NO_TEXTS: readonly string[] = [];

/** A quick look that spares most notes the reading of their tags. */
function mentionsTask({ text, value }: Property): boolean {
  if (text !== undefined) return MENTION.test(text);
  if (!Array.isArray(value)) return false;
  for (const item of value) if (typeof item === "string" && MENTION.test(item)) return true;
  return false;
}

/** Those of a note's tags that make it a task. */
export function markerTags(tags: unknown): string[] {
  return Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === "string" && TASK_TAG.test(tag)) : [];
}

/** The signs behind the colons of frontmatter; quickest when asked from top to bottom. */
class Signs {
  readonly #text: string;
  readonly #start: number;
  readonly #end: number;
  #line = FIRST_LINE;
  #lineStart: number;

  constructor(text: string, { start, end }: { readonly start: number; readonly end: number }) {
    this.#text = text;
    this.#start = start;
    this.#end = end;
    this.#lineStart = start;
  }

  /** The first sign that is seen behind a property's colon on its line; `""` when there is none. */
  of({ key, line }: Property): string {
    this.#goTo(line);
    const text = this.#text;
    // What nearly all lines look like: `key: value`, or `key:` above a list.
    const colon = this.#lineStart + key.length;
    if (text.charCodeAt(colon) === COLON && text.startsWith(key, this.#lineStart)) {
      const next = text.charCodeAt(colon + 1);
      if (next === NEWLINE) return "";
      const sign = text.charCodeAt(colon + 2);
      if (next === SPACE && sign > SPACE && sign < DELETE) return text.charAt(colon + 2);
    }
    return this.#ofOddLine(key);
  }

  #ofOddLine(key: string): string {
    const text = this.#text;
    let at = text.indexOf(key, this.#lineStart) + key.length;
    const feed = text.indexOf("\n", this.#lineStart);
    const end = feed === -1 || feed > this.#end ? this.#end : feed;
    if (at < key.length + this.#lineStart || at > end) return "";
    const quote = text.charCodeAt(at);
    const colon = this.#pastBlanks(quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE ? at + 1 : at, end);
    if (colon < end && text.charCodeAt(colon) === COLON) at = colon + 1;
    at = this.#pastBlanks(at, end);
    return at < end ? text.charAt(at) : "";
  }

  #goTo(line: number): void {
    if (line < this.#line) [this.#line, this.#lineStart] = [FIRST_LINE, this.#start];
    for (; this.#line < line && this.#lineStart < this.#end; this.#line++) {
      const feed = this.#text.indexOf("\n", this.#lineStart);
      this.#lineStart = feed === -1 ? this.#end : feed + 1;
    }
  }

  #pastBlanks(from: number, end: number): number {
    let at = from;
    while (at < end && isBlank(this.#text.charCodeAt(at))) at++;
    return at;
  }
}

function isBlank(code: number): boolean {
  return code === SPACE || (code >= 9 && code <= 13) || (code > 127 && /\s/.test(String.fromCharCode(code)));
}

/** Line 1 of the file is the opening fence. */
const FIRST_LINE = 2;
const NEWLINE = 10;
const SPACE = 32;
const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const COLON = 58;
const DELETE = 127;
