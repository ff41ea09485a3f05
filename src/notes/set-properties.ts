/** Sets properties in the vault's types (docs: notes-and-files, "Surgery on notes"). */
import { parseJson } from "../text/decoded.js";
import type { LocalDate } from "../clock.js";
import { call, distinct, said, type Wording } from "../text/wording.js";
import { echoDay, parseDay } from "../dates/read-day.js";
import { NOTHING_CHANGED, orIfFailed, VaultError } from "../errors.js";
import type { IndexView } from "../index/view.js";
import { type Arrangement, arrangeList, listItems, removeProperty, setProperty } from "../markdown/frontmatter/edit.js";
import { readFrontmatter } from "../markdown/frontmatter/frontmatter.js";
import { keepsDigits, resolvePlain, withoutLinkQuotes } from "../markdown/frontmatter/scalar.js";
import { isPropertyName, type ListItem, type Property } from "../markdown/frontmatter/property.js";
import {
  linkTexts,
  normaliseTag,
  readTags,
  splitTags,
  valueTexts,
  isTagKey,
} from "../markdown/links/property-links.js";
import { fold } from "../text/fold.js";
import type { VaultPath } from "../storage/path.js";
import type { Vault } from "../vault/vault.js";
import { type ChangedNotes, editMany, MAX_WITHOUT_PLAN } from "./bulk-edit.js";
import type { PlanOptions, Properties, TaskFields } from "./api.js";
import { FILE_OF_ROW } from "./note-rows.js";

const TYPES = ["text", "multitext", "number", "checkbox", "date", "datetime", "tags", "aliases"] as const;
type PropertyType = (typeof TYPES)[number];

type PropertyChange =
  | { readonly kind: "remove" }
  | {
      readonly kind: "set";
      readonly value: string | readonly string[];
      readonly plain: boolean;
      readonly echoes?: readonly Wording[] | undefined;
    }
  | ListChange;

interface ListChange {
  readonly kind: "items";
  readonly add: readonly string[];
  readonly remove: readonly string[];
  readonly echoes: readonly Wording[];
}

interface PropertyTypes {
  /** Obsidian's types.json, by property name. */
  readonly known: ReadonlyMap<string, string>;
  readonly view: IndexView;
  readonly today: LocalDate;
}

interface SelectedNotes {
  readonly paths: readonly VaultPath[];
  readonly isSelection: boolean;
  /** How filters were read, and what they may miss. */
  readonly remarks?: readonly Wording[];
}

/** `taskFields` sets fields of a note's task. */
export async function changeProperties(
  vault: Vault,
  { paths, isSelection, remarks: found = [] }: SelectedNotes,
  properties: Properties,
  options: PlanOptions,
  taskFields: TaskFields | undefined,
): Promise<ChangedNotes> {
  const view = await vault.index.refresh({ rows: ["notes"] });
  const today = vault.clock.today();
  const types = { known: (await vault.settings()).propertyTypes, view, today };
  const changes = Object.entries(properties).map(([key, text]) => [key, propertyChange(key, text, types)] as const);
  const fields = new Map<VaultPath, readonly string[]>();
  const before = new Map<VaultPath, string>();
  const remarks: Wording[] = [...found];
  const report = await editMany(vault, {
    ...options,
    reason: `set properties: ${Object.keys(properties).join(", ")}`,
    asked: [today, properties],
    paths,
    needsPlan: isSelection || paths.length > MAX_WITHOUT_PLAN,
    named: { item: (list) => changes.some(([key]) => fold(key) === fold(list)), lines: 0 },
    change: (text, path) => {
      if (before.has(path) || before.size < MAX_SHOWN_NOTES) before.set(path, text);
      return changes.reduce((now, [key, change]) => {
        if (fields.get(path)?.includes(key)) return now;
        if (change.kind === "items") remarks.push(...notRemoved(now, key, change));
        return withProperty(now, key, change);
      }, text);
    },
    other: async (path) => {
      const task = await taskFields?.of(path, properties);
      if (task === undefined) return undefined;
      fields.set(path, task.keys);
      // A note that cannot be changed has none.
      const preview = async () => {
        remarks.push(...task.remarks);
        return await task.preview();
      };
      return { ...task, preview };
    },
  });
  const isOfTasks = (key: string) => paths.length > 0 && paths.every((path) => fields.get(path)?.includes(key));
  const echoes = changes.flatMap(([key, change]) =>
    change.kind === "remove" || isOfTasks(key) ? [] : (change.echoes ?? []),
  );
  const adjustments = report.changed.length + report.unchanged === 0 ? [] : echoes;
  const isDone = report.plan === undefined;
  const written = isDone ? await orIfFailed(writtenValues(vault, report.changed, properties, before), []) : [];
  return { ...report, adjustments: [...distinct([...adjustments, ...remarks]), ...written] };
}

/** Read again to show the result. */
const MAX_SHOWN_NOTES = 20;
const MAX_SHOWN_VALUES = 3;
const MAX_VALUE_LENGTH = 200;

/** `Written: rating: 5; title removed.` and what the rules of tasks changed besides. */
async function writtenValues(
  vault: Vault,
  changed: readonly VaultPath[],
  given: Properties,
  before: ReadonlyMap<VaultPath, string>,
): Promise<readonly string[]> {
  const shown = changed.slice(0, MAX_SHOWN_NOTES);
  if (shown.length === 0) return [];
  const read = await Promise.all(shown.map(async (path) => readFrontmatter((await vault.read(path)).text).properties));
  const few = (values: readonly string[]) => {
    const all = [...new Set(values)];
    return [...all.slice(0, MAX_SHOWN_VALUES), ...(all.length > MAX_SHOWN_VALUES ? ["…"] : [])].join(", ");
  };
  const values = Object.entries(given).map(([key, text]) => {
    const gone = text === "" ? `${key} removed` : `${key} under the vault's own name for it`;
    return few(read.map((properties) => shownProperty(properties, key) ?? gone));
  });
  const others = new Map<string, string[]>();
  for (const [at, path] of shown.entries()) {
    const old = readFrontmatter(before.get(path) ?? "").properties;
    const keys = new Map([...old, ...(read[at] ?? [])].map(({ key }) => [fold(key), key]));
    for (const name of Object.keys(given)) keys.delete(fold(name));
    for (const key of keys.values()) {
      const now = shownProperty(read[at] ?? [], key);
      if (before.has(path) && now !== shownProperty(old, key))
        others.set(key, [...(others.get(key) ?? []), now ?? `${key} removed`]);
    }
  }
  const also = [...others.values()].map(few);
  return [
    `Written: ${values.join("; ")}.`,
    ...(also.length === 0 ? [] : [`By the rules of tasks also: ${also.join("; ")}.`]),
  ];
}

function shownProperty(properties: readonly Property[], name: string): string | undefined {
  const property = properties.find((one) => fold(one.key) === fold(name));
  if (property === undefined) return undefined;
  const { key, value, text } = property;
  if (text === "") return `${key} emptied`;
  const shown = text ?? (Array.isArray(value) ? `[${valueTexts(value, text).join(", ")}]` : JSON.stringify(value));
  return `${key}: ${shown.replace(/\s+/g, " ").slice(0, MAX_VALUE_LENGTH)}`;
}

/**
 * `""` removes, a JSON list sets a list, `{"add": ...}` and `{"remove": ...}` change one.
 * @throws VaultError INVALID_ARGUMENT for a value of another type
 */
function propertyChange(key: string, given: string, types: PropertyTypes): PropertyChange {
  const text = withoutLinkQuotes(given);
  if (!isPropertyName(key))
    throw new VaultError("INVALID_ARGUMENT", `${JSON.stringify(key.slice(0, 40))} cannot be the name of a property.`, {
      hint: "Nothing was changed.",
    });
  if (text === "") return { kind: "remove" };
  const json = /^\s*(?:\[(?!\[)|\{)/.test(text) ? parseJson(text) : undefined;
  const type = typeOf(key, types);
  if (Array.isArray(json)) {
    if (type !== undefined && !isList(type)) throw wrongType(key, text, type);
    if (json.some(isNested)) throw nestedItem(key, text);
    return { kind: "set", plain: false, ...itemsWritten(key, json.map(String), type) };
  }
  if (typeof json === "object" && json !== null) {
    const { add, remove, ...rest } = json as Record<string, unknown>;
    if (Object.keys(rest).length > 0 || (add === undefined && remove === undefined))
      throw wrong(key, text, 'no value that can be written; give a text, a list, or {"add": "x"} and {"remove": "y"}');
    if ([add].flat().some(isNested)) throw nestedItem(key, text);
    const items = (value: unknown): readonly string[] =>
      [value ?? []].flat().map((item) => (typeof item === "string" ? item : JSON.stringify(item)));
    const { value: added, echoes } = itemsWritten(key, items(add), type);
    return { kind: "items", add: added, remove: items(remove).map((item) => listItem(key, item, type)), echoes };
  }
  if (type !== undefined && isList(type)) return { kind: "set", plain: false, ...itemsWritten(key, [text], type) };
  return scalar(key, text, type, types.today);
}

function withProperty(text: string, key: string, change: PropertyChange): string {
  if (change.kind === "remove") return removeProperty(text, key);
  if (change.kind === "set") return setProperty(text, key, change.value, { plain: change.plain, whole: true });
  return withItems(text, key, change);
}

/** A non-text item is named by its JSON. Other items keep their bytes. */
export function withItems(text: string, name: string, change: Pick<ListChange, "add" | "remove">): string {
  const property = readFrontmatter(text).properties.find((one) => fold(one.key) === fold(name));
  const key = property?.key ?? name;
  const removed = new Set(change.remove.map(fold));
  // Throws for unreadable properties.
  const items = listItems(text, key);
  if (items === undefined) {
    const now = property === undefined ? [] : textsOf(key, property.value, property.text);
    const kept = now.filter((item) => !removed.has(fold(item)));
    const added = missing(change.add, kept);
    if (kept.length === now.length && added.length === 0) return text;
    // "3" in quotes stays text.
    const isText =
      property?.text !== undefined && property.value === property.text && resolvePlain(property.text) !== property.text;
    return setProperty(text, key, [...kept, ...added], { plain: !isText });
  }
  const said: string[] = [];
  const entries: Arrangement[number][] = [];
  for (const [place, item] of items.entries()) {
    const texts = textsOfItem(key, item);
    const kept = texts.filter((one) => !removed.has(fold(one)));
    said.push(...kept);
    if (kept.length === texts.length) entries.push(place);
    // One item may hold several tags.
    else entries.push(...kept);
  }
  const added = missing(change.add, said);
  if (entries.length === items.length && entries.every(Number.isInteger) && added.length === 0) return text;
  return arrangeList(text, key, [...entries, ...added], { plain: true });
}

/** `Bo` may mean `[[Bo|Borealis]]`. */
function notRemoved(text: string, name: string, { remove }: ListChange): string[] {
  const property = readFrontmatter(text).properties.find((one) => fold(one.key) === fold(name));
  const there = property === undefined ? [] : textsOf(property.key, property.value, property.text);
  return missing(remove, there).flatMap((item) => {
    const near = there.find((one) => fold(one).includes(fold(item)));
    return near === undefined ? [] : `${name} has no item "${item}"; it has "${near}".`;
  });
}

const missing = (wanted: readonly string[], there: readonly string[]): readonly string[] =>
  wanted.filter((item) => !there.some((other) => fold(other) === fold(item)));

function textsOf(key: string, ...[value, text]: Parameters<typeof linkTexts>): string[] {
  return isTagKey(key) ? readTags(value, text) : linkTexts(value, text);
}

function textsOfItem(key: string, { text, value }: ListItem): string[] {
  if (text === undefined) return [JSON.stringify(value)];
  return isTagKey(key) ? readTags([text]) : [text];
}

const isList = (type: PropertyType): boolean => type === "multitext" || type === "tags" || type === "aliases";

const WORDS: Readonly<Record<PropertyType, string>> = {
  text: "text",
  multitext: "list",
  number: "number",
  checkbox: "checkbox value (true or false)",
  date: "day",
  datetime: "day with a time",
  tags: "list of tags",
  aliases: "list of aliases",
};

function scalar(key: string, text: string, type: PropertyType | undefined, today: LocalDate): PropertyChange {
  const set = (value: string, plain = true): PropertyChange => ({ kind: "set", value, plain });
  if (type === "number") {
    if (!isNumber(text)) throw wrongType(key, text, type);
    return set(text.trim());
  }
  if (type === "checkbox") {
    const truth = /^(?:(true|yes|on|1)|(false|no|off|0))$/i.exec(text.trim());
    if (truth === null) throw wrongType(key, text, type);
    return set(truth[1] === undefined ? "false" : "true");
  }
  if (type === "date" || type === "datetime") {
    const read = parseDay(text, today);
    if (read === undefined) throw wrongType(key, text, type);
    const value = type === "date" ? read.day : `${read.day}${read.time ?? "T00:00:00"}`;
    return { kind: "set", value, plain: true, echoes: [echoDay(key, text, read, today) ?? []].flat() };
  }
  if (type !== undefined) return set(text, false);
  return set(text, keepsDigits(text) || /^(?:true|false)$/.test(text) || parseDay(text, today)?.inWords === false);
}

const isNumber = (text: string): boolean => /^\s*[+-]?(?:\d+(?:\.\d+)?|\.\d+)\s*$/.test(text);

/** A tag has no `#`. */
function listItem(key: string, text: string, type: PropertyType | undefined): string {
  return type === "tags" || isTagKey(key) ? text.trim().replace(/^#+/, "") : withoutLinkQuotes(text);
}

/** As Obsidian accepts tags: `my tag` becomes `my-tag`. @throws VaultError INVALID_ARGUMENT for an impossible tag */
function itemsWritten(key: string, texts: readonly string[], type: PropertyType | undefined) {
  if (type !== "tags" && !isTagKey(key)) return { value: texts.map(withoutLinkQuotes), echoes: [] };
  const echoes: string[] = [];
  const value = texts.flatMap((text) => {
    const tags = splitTags(text).flatMap((part) => normaliseTag(part) ?? []);
    if (tags.length === 0) throw wrong(key, text, "no tag: it needs a letter, and has no blanks");
    if (tags.join() !== listItem(key, text, type))
      echoes.push(`tag ${JSON.stringify(text)} was written as ${tags.map((tag) => JSON.stringify(tag)).join(" and ")}`);
    return tags;
  });
  return { value, echoes };
}

/** By Obsidian's settings, else the most common type; undefined for a new property. */
function typeOf(key: string, { known, view }: PropertyTypes): PropertyType | undefined {
  const wanted = fold(key);
  const named = [...known].find(([name]) => fold(name) === wanted)?.[1];
  const type = TYPES.find((one) => one === named);
  if (type !== undefined) return type;
  if (wanted === "tags" || wanted === "aliases") return wanted;
  const counts = new Map<PropertyType, number>();
  // Lists make one group, other values one each.
  const rows = view.list<readonly [listed: number, value: string, notes: number]>(
    "json_array(listed, value, notes)",
    `(SELECT listed, value, count(*) AS notes
      FROM (SELECT max(listed, count(*) > 1) AS listed, text AS value FROM value
        WHERE property = ? AND (text <> '' OR listed) GROUP BY ${FILE_OF_ROW})
      GROUP BY listed, iif(listed, '', value))`,
    wanted,
  );
  for (const [listed, value, notes] of rows) {
    const found = listed ? "multitext" : typeOfValue(value);
    counts.set(found, (counts.get(found) ?? 0) + notes);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** That most notes have as a list. */
export async function listsAmong(vault: Vault, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const view = await vault.index.refresh({ rows: ["notes"] });
  const types = { known: view.settings.propertyTypes, view, today: vault.clock.today() };
  return new Set(keys.filter((key) => typeOf(key, types) === "multitext"));
}

function typeOfValue(value: string): PropertyType {
  if (keepsDigits(value)) return "number";
  if (/^(?:true|false)$/i.test(value)) return "checkbox";
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return "date";
  return /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(value) ? "datetime" : "text";
}

const isNested = (item: unknown): boolean => typeof item === "object" && item !== null;

function nestedItem(key: string, text: string): VaultError {
  return wrong(key, text, "no list that can be written: an item is a list or mapping itself", [
    said`${call("str_replace")} writes it into a note.`,
  ]);
}

function wrongType(key: string, text: string, type: PropertyType): VaultError {
  return wrong(key, text, `no ${WORDS[type]}`, [
    `Give a ${WORDS[type]}: the type is the one set in Obsidian, else that of most values in the vault.`,
    said`${call("str_replace")} writes any other value into a note.`,
  ]);
}

function wrong(key: string, text: string, what: string, next: readonly Wording[] = []): VaultError {
  return new VaultError("INVALID_ARGUMENT", `"${text.slice(0, 100)}" is ${what} (property "${key}").`, {
    hint: [NOTHING_CHANGED, ...next],
  });
}
