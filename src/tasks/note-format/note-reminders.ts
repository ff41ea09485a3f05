/** Writes a task's reminders; unknown and equivalent entries keep their bytes. */
import type { Clock, Ids } from "../../clock.js";
import { NOTHING_CHANGED, type VaultError, invalidArgument } from "../../errors.js";
import { arrangeList, listItems, removeProperty, setProperty } from "../../markdown/frontmatter/edit.js";
import type { ListItem, Property } from "../../markdown/frontmatter/property.js";
import type { VaultSettings } from "../../obsidian/settings.js";
import type { DefaultReminder } from "../../obsidian/plugin-settings.js";
import { type Dialect, keyFor } from "../fields/dialect.js";
import { FIELDS } from "../fields/fields.js";
import { isEmpty } from "../fields/kinds.js";
import {
  MAX_REMINDERS,
  meaningOf,
  readEntry,
  type Reminder,
  type ReminderDays,
  whyNot,
  withOffset,
} from "../fields/reminders.js";

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
