/** Sets properties other than task fields, with Obsidian's types (docs: tasks, "Further fields"). */
import { NOTHING_CHANGED, type VaultError, invalidArgument } from "../../errors.js";
import { argument as argumentOf, call, said, type Wording } from "../../text/wording.js";
import { type NewValue, removeProperty, setProperty, type SetOptions } from "../../markdown/frontmatter/edit.js";
import { readFrontmatter } from "../../markdown/frontmatter/frontmatter.js";
import { isPropertyName, type Property } from "../../markdown/frontmatter/property.js";
import { keepsDigits, withoutLinkQuotes } from "../../markdown/frontmatter/scalar.js";
import { cleanDay } from "../fields/cleaning.js";
import { fieldNamed } from "../fields/field-table.js";
import { updateOfProperty } from "../fields/task-fields.js";
import { normaliseWord } from "../fields/vocabulary.js";
import type { CleanUpdates, UpdateContext } from "../format.js";
import { conventionsOf, propertyType } from "./note-settings.js";
import { type Clock, localTimeOf } from "../../clock.js";
import { offsetText } from "../fields/property-values.js";

type PropertyContext = Pick<UpdateContext, "settings" | "today" | "dialect">;

/** Plugins store these in their own formats. */
const PLUGINS_OWN = new Set(["timeentries", "reminders", "reminder", "remindme", "remind", "attachments", "files"]);

/** @throws INVALID_ARGUMENT for a task field, an invalid key, or a value of the wrong type */
export function setProperties(
  text: string,
  { properties = {}, lists }: Pick<CleanUpdates, "properties" | "lists">,
  context: PropertyContext,
): string {
  let updated = text;
  for (const [name, given] of Object.entries(properties)) {
    const value = withoutLinkQuotes(given);
    const key = checkedKey(name, context.settings, context.dialect.isStrict);
    const old = readFrontmatter(updated).properties.find((property) => sameKey(property.key, key));
    if (value === "" && old === undefined) continue;
    if (value === "" && context.dialect.isStrict) {
      updated = removeProperty(updated, old?.key ?? key);
      continue;
    }
    const { value: written, options } = valueOf(key, value, old, { ...context, lists });
    updated = setProperty(updated, old?.key ?? key, written, { ...options, whole: true });
  }
  return updated;
}

/** Obsidian ignores case. */
const sameKey = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Whose items may be added and removed. */
const ITEMS: ReadonlySet<string | undefined> = new Set(["tags", "contexts", "parentProjects"]);

/** @throws INVALID_ARGUMENT for what a type file does not allow */
export function fieldChanges(properties: Readonly<Record<string, string>>, settings: UpdateContext["settings"]) {
  const { spelling } = conventionsOf(settings);
  const remarks: Wording[] = [];
  const changes = Object.entries(properties).flatMap(([key, text]) => {
    const { change, unknown } = updateOfProperty(key, text, settings.taskNotes, spelling) ?? {};
    if (change !== undefined) return [[key, change] as const];
    const [field] = spelling.fieldsSpelled(key).map(({ name }) => fieldNamed(name));
    const changesItems = /^\s*\{/.test(text) && ITEMS.has(field?.argument);
    if (settings.taskNotes.type !== undefined && !changesItems) {
      if (field?.update !== undefined)
        throw refused(said`"${key}" is a task field, which ${call("update_task")} sets: this is no value of it.`);
      checkedKey(key, settings);
    }
    if (unknown !== undefined) remarks.push(unknown);
    return [];
  });
  return { changes, remarks };
}

function checkedKey(name: string, settings: UpdateContext["settings"], isStrict = false): string {
  const key = name.trim();
  if (!isPropertyName(name))
    throw refused(`properties: ${JSON.stringify(name.slice(0, 40))} cannot be the name of a property.`);
  for (const spelled of conventionsOf(settings).spelling.fieldsSpelled(key)) {
    const { argument, open } = fieldNamed(spelled.name);
    if (open && (argument === undefined || !isStrict)) continue;
    throw argument === undefined
      ? refused(`properties: "${key}" is kept by the task tools themselves and cannot be set.`)
      : refused(said`properties: "${key}" is a task field; give it as ${argumentOf(argument)}.`);
  }
  if (PLUGINS_OWN.has(normaliseWord(key))) throw refused(`properties: "${key}" is a list that a plugin keeps.`);
  if (isKeptByTaskNotes(key, settings)) throw refused(`properties: "${key}" is kept by TaskNotes.`);
  return key;
}

/** Where TaskNotes is on. */
const TASK_NOTES_OWN = /^(?:assignees|icseventid|googlecalendar.*|tasknotesmanualorder|pomodoros|occurrence.*)$/;

function isKeptByTaskNotes(key: string, settings: UpdateContext["settings"]): boolean {
  const word = normaliseWord(key);
  return settings.taskNotes.enabled && (conventionsOf(settings).kept.has(word) || TASK_NOTES_OWN.test(word));
}

function valueOf(
  key: string,
  text: string,
  old: Property | undefined,
  { settings, today, lists }: PropertyContext & Pick<CleanUpdates, "lists">,
): { readonly value: NewValue; readonly options?: SetOptions } {
  if (text === "") return { value: Array.isArray(old?.value) && old.value.length > 0 ? [] : "" };
  const isArchived = conventionsOf(settings)
    .spelling.fieldsSpelled(key)
    .some(({ name }) => name === "archived");
  const type = isArchived ? "checkbox" : typeOf(key, old, settings.propertyTypes, lists);
  const plain = { plain: true };
  if (type === "multitext" || type === "tags" || type === "aliases")
    return { value: text.split(",").flatMap((item) => item.trim() || []) };
  if (type === "number" && !/^[+-]?\d+(\.\d+)?$/.test(text.trim())) throw wrongType(key, text, "a number");
  if (type === "checkbox" && !/^(true|false)$/i.test(text.trim())) throw wrongType(key, text, "true or false");
  if (type === "number") return { value: text.trim(), options: plain };
  if (type === "checkbox") return { value: text.trim().toLowerCase(), options: plain };
  if (type === "date") return { value: cleanDay(`properties.${key}`, text, today).value, options: plain };
  const isNew = type === undefined && (old?.text ?? "") === "";
  const isTyped = isNew && (keepsDigits(text) || /^(?:true|false|\d{4}-\d\d-\d\d)$/.test(text));
  return { value: text, ...((isTyped || type === "datetime") && { options: plain }) };
}

function typeOf(
  key: string,
  old: Property | undefined,
  types: ReadonlyMap<string, string>,
  lists: CleanUpdates["lists"],
): string | undefined {
  const named = propertyType(key, types);
  if (named !== undefined) return named;
  if (Array.isArray(old?.value) || lists?.has(key)) return "multitext";
  if (typeof old?.value === "number") return "number";
  return typeof old?.value === "boolean" ? "checkbox" : undefined;
}

function wrongType(key: string, text: string, wanted: string): VaultError {
  return refused(`properties: "${key}" is ${wanted}, and ${JSON.stringify(text.slice(0, 40))} is none.`);
}

function refused(message: Wording): VaultError {
  return invalidArgument(message, NOTHING_CHANGED);
}

/** Other keys belong to other programs. */
const KEY = "dateModified";

const FORM = /^\d{4}-\d{2}-\d{2}(?:([T ])\d{2}:\d{2}(?:(:\d{2})(\.\d{3})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Keeps its form; a type file may require more. */
export function withModifiedNow(text: string, clock: Clock, settings: UpdateContext["settings"]): string {
  const keys = settings.taskNotes.type?.stampedAlways ?? [];
  const own = conventionsOf(settings).spelling.own.get("modified") ?? KEY;
  let updated = text;
  for (const key of new Set([own, ...keys])) {
    const property = readFrontmatter(updated).properties.find((one) => normaliseWord(one.key) === normaliseWord(key));
    const form = FORM.exec(property?.text ?? "");
    const isAsked = keys.includes(key);
    const keeps = form !== null && !(isAsked && form[1] === undefined);
    if (keeps || isAsked)
      updated = setProperty(updated, property?.key ?? key, keeps ? stampLike(form, clock) : timestampNow(clock), {
        plain: true,
      });
  }
  return updated;
}

/** `2026-11-28T10:00:00.000+01:00`. */
export function timestampNow(clock: Pick<Clock, "now" | "timeZone">): string {
  const { text, offset } = localTimeOf(clock);
  return text + offsetText(offset);
}

function stampLike([, separator, seconds, milliseconds, zone]: RegExpExecArray, clock: Clock): string {
  if (separator === undefined) return clock.today();
  const isUtc = zone === "Z";
  const now = isUtc ? { text: new Date(clock.now()).toISOString().slice(0, 23), offset: 0 } : localTimeOf(clock);
  const length = milliseconds !== undefined ? 23 : seconds !== undefined ? 19 : 16;
  const suffix = zone === undefined || isUtc ? (zone ?? "") : offsetText(now.offset, zone.includes(":"));
  return now.text.slice(0, length).replace("T", separator) + suffix;
}
