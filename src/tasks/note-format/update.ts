/** Applies a caller's updates to a task's note, one value after the other, touching nothing else (spec: tasks, section 5). */
import { VaultError } from "../../errors.js";
import { readFrontmatter, splitNote } from "../../markdown/frontmatter/frontmatter.js";
import { setProperty } from "../../markdown/frontmatter/edit.js";
import { replaceDescription, setHeadingText, titleAndDescription } from "../../markdown/outline.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import type { VaultPath } from "../../storage/path.js";
import { isTemplated } from "../../catalog/ignore.js";
import { isClosed } from "../agenda.js";
import type { CleanUpdates } from "../arguments.js";
import { keyFor } from "../fields/dialect.js";
import { isEmpty } from "../fields/kinds.js";
import type { UpdateContext } from "../format.js";
import { markerTags } from "./facts.js";
import { assertNoSeries } from "./series.js";
import {
  FIELD_NAMES,
  type FieldName,
  fieldNamed,
  fieldProperties,
  hasKey,
  isNothing,
  type Values,
} from "../fields/fields.js";
import { oneLine } from "../fields/property-values.js";
import type { Task } from "../task.js";

/**
 * The note's text with the updates applied; the same text when it says all that already.
 * @throws VaultError INVALID_ARGUMENT with path, line and column when the frontmatter cannot be edited safely
 */
export function updateNote(text: string, updates: CleanUpdates, context: UpdateContext): string {
  try {
    let updated = text;
    for (const name of FIELD_NAMES) {
      const value = updates.values[name];
      if (value === undefined) continue;
      if (name === "title") updated = setTitle(updated, String(value), context);
      else if (name === "status") updated = setStatus(updated, String(value), context);
      else if (name === "tags")
        updated = setField(updated, name, withMarker(updated, value as string[], context), context);
      else updated = setField(updated, name, value, context);
    }
    if (updates.description !== undefined) updated = setDescription(updated, updates.description);
    assertNoTemplate(updated);
    return updated;
  } catch (error) {
    throw error instanceof VaultError ? located(error, context.task.path) : error;
  }
}

function propertiesOf(text: string): readonly Property[] {
  return readFrontmatter(text).properties;
}

/** Sets one field, in the note's own spelling of the key or, when it has none, in the vault's. */
function setField(text: string, name: FieldName, value: Values[FieldName] & {}, context: UpdateContext): string {
  const properties = propertiesOf(text);
  const field = fieldNamed(name);
  const old = fieldProperties(properties).get(name);
  if (saysAlready(name, value, old, context)) return text;
  const key = old?.key ?? freeKey(properties, keyFor(name, field.key, context.dialect), field.key);
  if (key === undefined) return text;
  const written = field.write(value, { old, field: name, dialect: context.dialect });
  return setProperty(text, key, written.value, written.options);
}

/** Whether the note says a value already, without the key by its folder or by default. */
function saysAlready(
  name: FieldName,
  value: Values[FieldName] & {},
  old: Property | undefined,
  context: UpdateContext,
): boolean {
  if (isNothing(value)) return old === undefined || isEmpty(old);
  const field = fieldNamed(name);
  if (old !== undefined) return field.same(field.read(old).value, value, context.clock);
  const { area, parentProjects, priority } = context.task;
  const implied: Values = { priority, projects: parentProjects, ...(area !== undefined && { area }) };
  return field.same(implied[name], value, context.clock);
}

/** A key for a field the note lacks; undefined when both candidates already mean something else there. */
function freeKey(properties: readonly Property[], ...keys: string[]): string | undefined {
  return keys.find((key) => !hasKey(properties, key));
}

/**
 * Writes the title where the note has it: frontmatter, first heading, or both when the heading says the same. A note that takes
 * its title from its file name gets a property; the file is not renamed, links to it would break.
 */
function setTitle(text: string, title: string, context: UpdateContext): string {
  const old = context.task.title;
  if (title === old) return text;
  const { bodyStart } = splitNote(text);
  const heading = titleAndDescription(text, bodyStart).title;
  const inFrontmatter = fieldProperties(propertiesOf(text)).get("title");
  let updated = text;
  const headed = heading !== undefined && oneLine(heading.text) === old;
  // The body first: it stands behind the frontmatter, whose edit would move it.
  if (headed) updated = setHeadingText(text, heading, title);
  const headingSuffices = headed && (inFrontmatter === undefined || inFrontmatter.text?.trim() === "");
  return headingSuffices ? updated : setField(updated, "title", title, context);
}

/** Sets the status, and with it what else in the note says whether the task is done: its done flag and its completed date. */
function setStatus(text: string, status: string, context: UpdateContext): string {
  const { task, today, dialect } = context;
  if (task.status === status) return text;
  const done = status === "Done";
  if (done) assertNoSeries(propertiesOf(text));
  const before = fieldProperties(propertiesOf(text));
  let updated = text;
  const flagSuffices = !before.has("status") && before.has("done") && (done || status === "To Do");
  if (!flagSuffices) updated = setField(updated, "status", status, context);
  if (before.has("done")) updated = setField(updated, "done", done, context);
  const dated = before.has("completed") || dialect.keys.completed !== undefined;
  if (done && dated) updated = setField(updated, "completed", today, context);
  if (!done && isClosed(task.status)) updated = setField(updated, "completed", "", context);
  return updated;
}

/** Whether tags would take from a task the one that makes it a task. */
export function dropsMarker(tags: readonly string[], { rule }: Task): boolean {
  return rule === "task-tag" && markerTags(tags).length === 0;
}

/** A task that is one by its tag keeps that tag. */
function withMarker(text: string, tags: readonly string[], { task }: UpdateContext): readonly string[] {
  if (!dropsMarker(tags, task)) return tags;
  const old = fieldProperties(propertiesOf(text)).get("tags");
  const stored = old === undefined ? [] : fieldNamed("tags").read(old).value;
  return [...markerTags(stored), ...tags];
}

function setDescription(text: string, description: string): string {
  const { bodyStart } = splitNote(text);
  const range = titleAndDescription(text, bodyStart).description;
  const same = sameLines(text.slice(range.start, range.end), description);
  return same ? text : replaceDescription(text, bodyStart, description);
}

function sameLines(a: string, b: string): boolean {
  const plain = (text: string): string => text.replace(/\r\n?/g, "\n").replace(/^\n+|\s+$/g, "");
  return plain(a) === plain(b);
}

/** @throws VaultError INVALID_ARGUMENT when the frontmatter holds a placeholder, which would hide the note as a template */
export function assertNoTemplate(text: string): void {
  const { frontmatter } = splitNote(text);
  if (frontmatter === undefined || !isTemplated(text.slice(frontmatter.start, frontmatter.end))) return;
  throw new VaultError("INVALID_ARGUMENT", "A value holds a template placeholder ({{...}} or <%...%>).", {
    hint: "Notes with placeholders in their properties count as templates. Leave the placeholder out.",
  });
}

/** The same refusal with the note's path, and the position in words, for texts that must suffice on their own. */
export function located(error: VaultError, path: VaultPath): VaultError {
  if (error.path !== undefined || error.line === undefined) return error;
  const position = `line ${error.line}, column ${error.column ?? 1}`;
  // Some messages say where themselves.
  const message = error.message.replace(`${position}: `, "");
  return new VaultError(error.code, `${path}, ${position}: ${message}`, {
    path,
    line: error.line,
    ...(error.column !== undefined && { column: error.column }),
    ...(error.hint !== undefined && { hint: error.hint }),
    cause: error,
  });
}
