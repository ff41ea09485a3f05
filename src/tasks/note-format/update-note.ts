/** Updates a task's note value by value (docs: tasks, "update_task"). */
import type { LocalDate } from "../../clock.js";
import { type Wording, counted } from "../../text/wording.js";
import { VaultError, NOTHING_CHANGED, invalidArgument } from "../../errors.js";
import {
  type SeriesOutcome,
  completedOfSeries,
  noLane,
  noSeries,
  type CleanUpdates,
  type TextEdit,
  type UpdateContext,
} from "../format.js";
import { readFrontmatter, splitNote } from "../../markdown/frontmatter/frontmatter.js";
import type { Named } from "../../markdown/nothing-dropped.js";
import { lineCount } from "../../markdown/line-edit.js";
import {
  descriptionRemarks,
  headings,
  headingNames,
  replaceDescription,
  sectionsOf,
  setHeadingText,
  titleAndDescription,
} from "../../markdown/outline.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import type { VaultSettings } from "../../obsidian/settings.js";
import { fileTitle } from "../../storage/path.js";
import { isClosed, type Task } from "../task.js";
import { blockersIn, setReferences, withLocation, writeField, writeFirst, writeReminders } from "./write-field.js";
import { keyFor, ownMeaning } from "../fields/dialect.js";
import { isEmpty, withTime } from "../fields/kinds.js";
import { removeProperty } from "../../markdown/frontmatter/edit.js";
import { allowedKeys, isListType } from "./new-task.js";
import { conventionsOf, withOwnWords } from "./note-settings.js";
import { markerTags } from "./facts.js";
import { readEntry, reminderDays } from "../fields/reminders.js";
import { seriesOf, storedReminders } from "./derivation.js";
import { withModifiedNow, setProperties } from "./properties.js";
import { instanceEdit, ruleEdit } from "./note-instances.js";
import { FIELD_NAMES, type FieldName, fieldNamed, isNothing, type Values } from "../fields/field-table.js";
import { isSameKey, type Spelling } from "../fields/spelling.js";
import { readReference } from "../relations.js";
import { onOneLine } from "../fields/property-values.js";
import { looksLikeRRule } from "../recurrence/recurrence-rule.js";

interface UpdatedNote {
  readonly text: string;
  readonly series?: SeriesOutcome | undefined;
  readonly notLeftOut?: readonly Wording[];
  readonly remarks: readonly Wording[];
}

export function editTaskNote(original: string): TextEdit {
  let now = original;
  return {
    get text() {
      return now;
    },
    update(updates, given) {
      const context = { ...given, dialect: withOwnWords(given.dialect, given.settings) };
      const before = now;
      const { text, series, notLeftOut, remarks: own } = updateNote(before, updates, context);
      now = text;
      const linesAdded = lineCount(text) - lineCount(before);
      const lost = updates.description === undefined ? [] : descriptionRemarks(updates.description, before, text);
      const { title = fileTitle(given.task.path) } = updates.values;
      const isRenamed = given.settings.taskNotes.type?.titleIsFileName && title !== fileTitle(given.task.path);
      const remarks = [...lost, ...own, ...(isRenamed ? [RENAME_TOO] : [])];
      const named = namedBy(before, updates, context);
      return { changed: text !== before, place: context.task, linesAdded, remarks, notLeftOut, series, named };
    },
  };
}

const RENAME_TOO = "TaskNotes keeps titles in file names here; rename the note too.";

/** Items that are not text may be lost only from given properties and blockers. */
function namedBy(text: string, { values, properties = {}, description }: CleanUpdates, context: UpdateContext): Named {
  const keys = Object.keys(properties);
  const blockers = values.blockedBy && placesIn(text, context).get("blockedBy")?.key;
  if (blockers !== undefined) keys.push(blockers);
  const reminders = values.reminders && placesIn(text, context).get("reminders")?.key;
  if (reminders !== undefined) keys.push(reminders);
  const given = new Set(keys.map((key) => key.trim().toLowerCase()));
  return {
    item: (key, { isText }) => isText || given.has(key.toLowerCase()),
    lines: description === undefined ? 0 : Infinity,
  };
}

/** @throws INVALID_ARGUMENT with path, line and column when the frontmatter cannot be edited safely */
function updateNote(text: string, updates: CleanUpdates, context: UpdateContext): UpdatedNote {
  try {
    if (updates.lane !== undefined) throw noLane(context.task);
    if (updates.values.completed !== undefined && context.task.series) throw completedOfSeries();
    // The rule first: it decides what a status means.
    const { recurrence } = updates.values;
    const ruled = recurrence === undefined ? text : setRule(text, recurrence, updates.values, context);
    const { text: stepped, series } = setStatusOrInstance(ruled, updates, context);
    let updated = stepped;
    const notLeftOut: Wording[] = [];
    for (const name of FIELD_NAMES) {
      const value = updates.values[name];
      if (value === undefined || name === "status" || name === "recurrence") continue;
      updated = setNamed(updated, name, value, context);
      const time = updates.times?.get(name);
      const place = time && placesIn(updated, context).get(name);
      if (!time || !place) continue;
      const timed = withTime(String(value), time.digits, place, context.clock);
      if (timed === undefined) continue;
      updated = writeFirst(updated, name, timed, place.key, true);
      notLeftOut.push(time.leftOut);
    }
    if (updates.properties) updated = setProperties(updated, updates, context);
    if (updates.description !== undefined) updated = setDescription(updated, updates.description, updates.isRead);
    const { clock, settings } = context;
    const allowed = (now: string) => allowedKeys(now, settings.taskNotes, propertiesOf(text));
    const { text: changed, leftOut } = allowed(updated);
    const stamped = changed === text ? text : allowed(withModifiedNow(changed, clock, settings)).text;
    const remarks = [...leftOut, ...otherKeys(text, stamped, updates.values, context)];
    if (updates.values.reminders !== undefined) remarks.push(...notUnderstood(stamped, context));
    return { text: stamped, notLeftOut, remarks, ...(series && { series }) };
  } catch (error) {
    throw error instanceof VaultError ? withLocation(error, context.task.path) : error;
  }
}

/** TaskNotes' key overrides existing ones. */
function otherKeys(before: string, after: string, values: Values, context: UpdateContext): Wording[] {
  const [old, now] = [placesIn(before, context), placesIn(after, context)];
  return FIELD_NAMES.flatMap((name) => {
    const [was, is] = [old.get(name), now.get(name)];
    if (name === "completed" && values[name] && !is)
      return `The day is not written: "${now.get("done")?.key ?? name}" of this note is true or false.`;
    if (values[name] === undefined || !was || !is || isEmpty(was) || was.key === is.key) return [];
    return `"${was.key}" is as it was: TaskNotes reads "${is.key}", which has the new value.`;
  });
}

function setNamed(text: string, name: FieldName, value: Values[FieldName] & {}, context: UpdateContext): string {
  if (name === "title") return setTitle(text, String(value), context);
  if (name === "tags") return setField(text, name, withMarker(text, value as string[], context), context);
  if (name === "reminders") return setReminders(text, value as readonly string[], context);
  if (name === "blockedBy") return setBlockers(text, value as readonly string[], context);
  return setField(text, name, value, context);
}

const spellingIn = ({ settings }: UpdateContext): Spelling => conventionsOf(settings).spelling;

function placesIn(text: string, context: UpdateContext): ReadonlyMap<FieldName, Property> {
  return spellingIn(context).fieldProperties(propertiesOf(text));
}

const hasKey = (text: string, key: string): boolean => propertiesOf(text).some((one) => isSameKey(one.key, key));

const propertiesOf = (text: string): readonly Property[] => readFrontmatter(text).properties;

/** Prefers TaskNotes' key, then the note's spelling, then the vault's. */
function setField(text: string, name: FieldName, value: Values[FieldName] & {}, context: UpdateContext): string {
  const field = fieldNamed(name);
  const found = propertyOf(name, text, context);
  if (saysAlready(name, value, found, context)) return text;
  const { dialect, clock } = context;
  const isCleared = isNothing(value) || field.write(value, { old: found, field: name, dialect, clock }).value === "";
  // Then no other spelling may count instead.
  const rest = (cleared: string) => (cleared === text ? text : setField(cleared, name, value, context));
  if (isCleared && dialect.isStrict) return found === undefined ? text : rest(removeProperty(text, found.key));
  const old = targetOf(name, text, value, context);
  const key = old?.key ?? [keyFor(name, field.key, dialect), field.key].find((one) => !hasKey(text, one));
  if (key === undefined) return text;
  const written = writeField(text, name, value, key, {
    old,
    inList: isListType(key, context.settings),
    dialect,
    clock,
  });
  return isNothing(value) ? rest(written) : written;
}

/** Includes values from the folder and defaults. */
function saysAlready(
  name: FieldName,
  value: Values[FieldName] & {},
  old: Property | undefined,
  context: UpdateContext,
): boolean {
  const field = fieldNamed(name);
  if (isNothing(value)) {
    const isUnset = old === undefined || (field.claims !== undefined && field.read(old).value === undefined);
    return isUnset || (isEmpty(old) && !context.dialect.isStrict);
  }
  const { own } = context.dialect;
  const meaning = old && own && ownMeaning(name, String(field.read(old).value), own);
  if (meaning !== undefined) return meaning === value;
  if (old !== undefined) return field.same(field.read(old).value, value, context.clock);
  const { area, parentProjects, priority } = context.task;
  const implied: Values = { priority, projects: parentProjects, ...(area !== undefined && { area }) };
  return field.same(implied[name], value, context.clock);
}

/** Else a property of this field without a value. */
function propertyOf(name: FieldName, text: string, context: UpdateContext): Property | undefined {
  const [spelling, properties] = [spellingIn(context), propertiesOf(text)];
  const isUnread = (property: Property): boolean => {
    const fields = spelling.fieldsSpelled(property.key);
    return fields.some((one) => one.name === name) && (isEmpty(property) || fields.length === 1);
  };
  return spelling.fieldProperties(properties).get(name) ?? properties.find(isUnread);
}

/** Undefined if TaskNotes reads another key. */
function targetOf(name: FieldName, text: string, value: Values[FieldName] & {}, context: UpdateContext) {
  const [found, own] = [propertyOf(name, text, context), spellingIn(context).own.get(name)];
  return found && own !== undefined && !isNothing(value) && !isSameKey(found.key, own) ? undefined : found;
}

/** As the note has it; a file name's title becomes a property: no link breaks. */
function setTitle(text: string, title: string, context: UpdateContext): string {
  const old = context.task.title;
  if (title === old) return text;
  const { bodyStart } = splitNote(text);
  const heading = titleAndDescription(text, bodyStart).title;
  const inFrontmatter = placesIn(text, context).get("title");
  let updated = text;
  const headed = heading !== undefined && onOneLine(heading.text) === old;
  // Frontmatter edits would move the body.
  if (headed) updated = setHeadingText(text, heading, title);
  const headingSuffices =
    headed && !context.dialect.isForTaskNotes && (inFrontmatter === undefined || isEmpty(inFrontmatter));
  return headingSuffices ? updated : setField(updated, "title", title, context);
}

/** For a series, Done finishes an instance and To Do reopens one. */
function setStatusOrInstance(
  text: string,
  updates: CleanUpdates,
  context: UpdateContext,
): Pick<UpdatedNote, "text" | "series"> {
  const { values, occurrence } = updates;
  const { settings, today, task, lastFinished } = context;
  const places = placesIn(text, context);
  const series = seriesOf(places);
  const action = occurrence?.skip === true ? "skip" : values.status === "Done" ? "done" : "reopen";
  const isInstance =
    occurrence !== undefined || values.status === "Done" || (values.status === "To Do" && reopens(task));
  if (series === undefined || !isInstance) {
    if (occurrence !== undefined) throw noSeries();
    return { text: values.status === undefined ? text : setStatus(text, values.status, context) };
  }
  const next = [values.scheduled, values.due].find((day) => day !== undefined && day !== "") as LocalDate | undefined;
  const { movesDueDates: movesDue } = settings.taskNotes;
  const edit = instanceEdit(series, places, { action, today, day: occurrence?.day, next, movesDue, lastFinished });
  let updated = text;
  for (const name of FIELD_NAMES) {
    const value = edit.values[name];
    if (value !== undefined) updated = setField(updated, name, value, context);
  }
  const status = edit.status ?? (action === "reopen" ? "To Do" : undefined);
  if (status !== undefined) updated = setStatus(updated, status, context, { isSeries: true });
  // Rules in words do not say which instances are done.
  return edit.outcome.kind === "reopened" && updated === text ? { text } : { text: updated, series: edit.outcome };
}

/** A cancelled series stays cancelled. */
const reopens = ({ status }: Task): boolean => status === "To Do" || status === "Done";

function setStatus(text: string, status: string, context: UpdateContext, { isSeries = false } = {}): string {
  const { task, today, dialect } = context;
  if (task.status === status) return text;
  const done = status === "Done";
  const before = placesIn(text, context);
  let updated = text;
  const flagSuffices = !before.has("status") && before.has("done") && (done || status === "To Do");
  if (!flagSuffices) updated = setField(updated, "status", status, context);
  if (before.has("done")) updated = setField(updated, "done", done, context);
  const dated = !isSeries && (before.has("completed") || dialect.datesDone || dialect.isStrict);
  if (done && dated) updated = setField(updated, "completed", today, context);
  if (!done && isClosed(task.status)) updated = setField(updated, "completed", "", context);
  return updated;
}

/** An empty rule removes it; days stay. */
function setRule(text: string, given: string, values: Values, context: UpdateContext): string {
  const { task, dialect, today } = context;
  if (given === "") {
    const ended = setField(text, "recurrence", "", context);
    // Asked for every done task outside a series.
    const lacksDay = dialect.isStrict && task.status === "Done" && !placesIn(text, context).has("completed");
    return lacksDay ? setField(ended, "completed", task.series?.completed.at(-1) ?? today, context) : ended;
  }
  const old = seriesOf(placesIn(text, context));
  if (old?.rule === given) return text;
  const ofNote = old && (looksLikeRRule(old.rule) ? "rrule" : "words");
  const style = spellingIn(context).own.has("recurrence") ? dialect.rules : (ofNote ?? dialect.rules);
  const start = [values.scheduled ?? task.scheduled, values.due ?? task.due].find(
    (day) => day !== undefined && day !== "",
  );
  const { recurrence, anchor = "scheduled" } = ruleEdit(given, style, start as LocalDate | undefined);
  const updated = setField(text, "recurrence", recurrence, context);
  const isSaid = looksLikeRRule(given) || anchor === (old?.anchor ?? "scheduled");
  return isSaid || style === "words" ? updated : setField(updated, "recurrenceAnchor", anchor, context);
}

/** Entries with the same meaning stay as written. */
function setBlockers(text: string, wanted: readonly string[], context: UpdateContext): string {
  const { task, relations, dialect } = context;
  const old = propertyOf("blockedBy", text, context);
  const stored = blockersIn(old);
  const meaning = (reference: string): string => relations.resolve(task, reference)[0]?.id ?? reference;
  const meant = new Set(wanted.map(meaning));
  const kept = stored.filter((entry) => meant.has(meaning(entry)));
  const known = new Set(kept.map(meaning));
  const isLinked = (entry: string): boolean => /^(?:wikilink|markdown)$/.test(readReference(entry)?.form ?? "");
  // TaskNotes resolves blockers as links.
  const isNamed = stored.length > 0 && !stored.some(isLinked) && !spellingIn(context).own.has("blockedBy");
  const added = wanted.filter((reference) => !known.has(meaning(reference)));
  const written = added.map((reference) => {
    const [blocker] = relations.resolve(task, reference);
    return isNamed && blocker && blocker.id !== blocker.path ? blocker.id : reference;
  });
  if (written.length === 0 && kept.length === stored.length) return text;
  if (old && dialect.isStrict && kept.length + written.length === 0) return removeProperty(text, old.key);
  const key = keyFor("blockedBy", fieldNamed("blockedBy").key, dialect);
  const references = [...kept, ...written];
  return setReferences(text, references, { old: targetOf("blockedBy", text, references, context), key, dialect });
}

function notUnderstood(text: string, context: UpdateContext): string[] {
  const { value = null } = placesIn(text, context).get("reminders") ?? {};
  const items = Array.isArray(value) ? value : [value].filter((item) => item !== null);
  const count = items.filter((item) => typeof readEntry(item) === "string").length;
  return count === 0 ? [] : [`${counted(count, "reminder")} that cannot be read ${count === 1 ? "stays" : "stay"}.`];
}

/** Last, because their base may change in the same call. */
function setReminders(text: string, wanted: readonly string[], context: UpdateContext): string {
  const { dialect, ids, clock, settings } = context;
  return writeReminders(text, storedReminders(wanted), {
    old: targetOf("reminders", text, wanted, context),
    dialect,
    days: reminderDays(placesIn(text, context)),
    ids,
    clock,
    settings,
  });
}

export function dropsMarker(tags: readonly string[], { rule }: Task, settings: VaultSettings): boolean {
  return rule === "task-tag" && markerTags(tags, conventionsOf(settings)).length === 0;
}

function withMarker(text: string, tags: readonly string[], context: UpdateContext): readonly string[] {
  const { task, settings } = context;
  if (!dropsMarker(tags, task, settings)) return tags;
  const old = placesIn(text, context).get("tags");
  const stored = old === undefined ? [] : fieldNamed("tags").read(old).value;
  return [...markerTags(stored, conventionsOf(settings)), ...tags];
}

/** @param isRead the caller knows the current text */
function setDescription(text: string, description: string, isRead = false): string {
  const { bodyStart } = splitNote(text);
  const range = titleAndDescription(text, bodyStart).description;
  if (sameLines(text.slice(range.start, range.end), description)) return text;
  const sections = isRead ? [] : sectionsOf(text);
  const given = headings(description, 0);
  if (given.length === 0) return replaceDescription(text, bodyStart, description, sections[0]);
  const left = given.map((heading) => heading.text);
  const lost = sections.filter((heading) => {
    const at = left.indexOf(heading.text);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
  if (lost.length === 0) return replaceDescription(text, bodyStart, description);
  throw invalidArgument(`The new description leaves out sections: ${headingNames(lost)}.`, [
    "Give them with it; or give it without headings, then sections stay; or give expectedRevision, then it replaces all.",
    NOTHING_CHANGED,
  ]);
}

function sameLines(a: string, b: string): boolean {
  const plain = (text: string): string => text.replace(/\r\n?/g, "\n").replace(/^\n+|\s+$/g, "");
  return plain(a) === plain(b);
}
