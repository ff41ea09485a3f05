/** Note filters as SQL conditions on `file`. */
import { allOf, anyOf, type Condition, condition, not, type SqlValue } from "../index/subject.js";
import { argument, said, type Wording } from "../text/wording.js";
import type { TimeSlice } from "../async/timers.js";
import type { Clock, LocalDate } from "../clock.js";
import { echoDay, isMonth, requireDayRange, requirePastDay } from "../dates/read-day.js";
import { parseWrittenDay, startOfDay, toDayNumber, toLocalDate } from "../dates/days.js";
import { VaultError } from "../errors.js";
import type { IndexView } from "../index/view.js";
import { fold } from "../text/fold.js";
import { nearest } from "../text/nearest.js";
import { bareLink, tagsMeant, withOuterTags } from "../markdown/links/property-links.js";
import { baseName, fileTitle, folderOf, folderPath, ROOT, type VaultPath } from "../storage/path.js";
import { folderThere } from "../vault/new-path.js";
import type { Vault } from "../vault/vault.js";
import type { DayNames } from "./note-date.js";
import { type Accepts, equality, propertyCondition } from "./property-condition.js";
import { FILE_OF_ROW, IS_SHOWN, nameKey, NOTES, type NoteNameKind } from "./note-rows.js";

export interface NoteFilter {
  /** Days of 24 hours. */
  readonly sinceDays?: number | undefined;
  /** Days, also in words; `modifiedAfter` is inclusive, `modifiedBefore` exclusive. */
  readonly modifiedAfter?: string | undefined;
  readonly modifiedBefore?: string | undefined;
  readonly folder?: VaultPath | undefined;
  /** Any of these; `a` also matches `a/b`. */
  readonly tags?: readonly string[] | undefined;
  /** All of these; see `propertyCondition`. */
  readonly properties?: Readonly<Record<string, string>> | undefined;
  readonly hasAttachments?: boolean | undefined;
}

export interface DateRange {
  /** Inclusive, also in words: of the note's own date, else its last change. */
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
}

/** For more, SQLite scans the files instead of looking up each. */
const MANY = 1_000;

export const isOneOf = (column: "file.id" | "file.path", values: readonly (string | number)[]): Condition =>
  condition(`${values.length > MANY ? "+" : ""}${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(values));

/** `name` is the filter as callers write it: `tags ["x"]`. */
export interface NamedCondition extends Condition {
  readonly filter: string;
}

interface NoteConditions {
  readonly conditions: readonly NamedCondition[];
  /** How days were read, and unknown names. */
  readonly remarks: readonly Wording[];
  readonly unknownTags: readonly string[];
  readonly unknownProperties: readonly string[];
}

interface FilterContext {
  readonly view: IndexView;
  readonly clock: Clock;
  readonly today: LocalDate;
  readonly modified: PastRange;
  readonly remarks: Wording[];
  readonly unknownTags: string[];
  readonly unknownProperties: string[];
}

type Filter<Wanted> = (wanted: Wanted, context: FilterContext) => Condition;

const FILTERS: { readonly [Name in Exclude<keyof NoteFilter, "properties">]-?: Filter<NonNullable<NoteFilter[Name]>> } =
  {
    folder: (folder) => condition("file.path > ? AND file.path < ?", `${folder}/`, `${folder}0`),
    sinceDays: (days, { clock }) => condition("file.modified >= ?", clock.now() - days * DAY_MS),
    modifiedAfter: (_, { clock, modified: { from = FIRST } }) =>
      condition("file.modified >= ?", startOfDay(from, clock)),
    modifiedBefore: (_, { clock, modified: { to = LAST } }) => condition("file.modified < ?", startOfDay(to, clock)),
    tags: (tags, context) => {
      const { view, remarks } = context;
      context.unknownTags.push(...tags.filter((tag) => isUnknown(tag, view)));
      remarks.push(...remarksOnTags(context.unknownTags, view));
      const named = tags.filter((tag) => !NONE_OR_ANY.test(tag));
      const sorts = tags
        .filter((tag) => NONE_OR_ANY.test(tag))
        .map((word) => (/any/i.test(word) ? IS_TAGGED : IS_UNTAGGED));
      return anyOf(named.length === 0 ? sorts : [...sorts, hasTag(named.flatMap(tagsMeant))]);
    },
    hasAttachments: (has) => withRow("note WHERE attachments = ?", Number(has)),
  };

/** As callers write it: `since_days`. */
const argumentOf = (filter: keyof NoteFilter | keyof DateRange): string =>
  filter.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);

const withRow = (rows: string, ...values: SqlValue[]): Condition =>
  condition(`file.id IN (SELECT ${FILE_OF_ROW} FROM ${rows})`, ...values);

const hasTag = (tags: readonly string[]): Condition =>
  withRow(
    "note_name WHERE kind IN ('tag', 'outer') AND key IN (SELECT value FROM json_each(?))",
    JSON.stringify(tags.map((tag) => nameKey("tag", tag))),
  );

/** `#none` is a tag. */
const NONE_OR_ANY = /^\s*(?:none|any)\s*$/i;
const IS_TAGGED = withRow("note_name WHERE kind = 'tag'");
const IS_UNTAGGED = not(IS_TAGGED);

/** @throws VaultError INVALID_ARGUMENT for a nonexistent day, an empty range, or a sign without a value */
export function conditionsOf(filter: NoteFilter, view: IndexView, clock: Clock): NoteConditions {
  if (filter.tags?.every((tag) => tagsMeant(tag).length === 0)) throw emptyTags();
  const modified = pastRange("modifiedAfter", "modifiedBefore", filter, clock);
  const remarks: Wording[] = [...modified.echoes];
  const unknown = { unknownTags: [], unknownProperties: [] };
  const context: FilterContext = { view, clock, today: clock.today(), modified, remarks, ...unknown };
  const conditions = (Object.keys(FILTERS) as (keyof typeof FILTERS)[]).flatMap((name) => {
    const wanted = filter[name];
    if (wanted === undefined || wanted === "") return [];
    const found = (FILTERS[name] as Filter<unknown>)(wanted, context);
    return [{ ...found, filter: `${argumentOf(name)} ${JSON.stringify(wanted)}` }];
  });
  for (const [key, text] of Object.entries(filter.properties ?? {}))
    conditions.push({ ...propertyFilter(key, text, context), filter: `${key} ${JSON.stringify(text)}` });
  return { conditions, remarks, ...unknown };
}

function emptyTags(): VaultError {
  return new VaultError("INVALID_ARGUMENT", said`The filter ${argument("tags")} is empty.`, {
    hint: said`Leave ${argument("tags")} out, or write "none" for notes without one and "any" for notes with one.`,
  });
}

function remarksOnTags(tags: readonly string[], view: IndexView): readonly string[] {
  const names = () => view.list<string>("shown", "(SELECT DISTINCT shown FROM note_name WHERE kind = 'tag')");
  return tags.map((tag) => unknownName("tag", tag.replace(/^#+/, ""), withOuterTags(names())));
}

function isUnknown(tag: string, view: IndexView): boolean {
  if (NONE_OR_ANY.test(tag)) return false;
  const meant = tagsMeant(tag);
  const { sql, values } = hasTag(meant);
  return meant.length > 0 && view.get(`SELECT 1 FROM file WHERE ${sql} LIMIT 1`, ...values) === undefined;
}

/** `No note has the tag "x". The nearest: "y".` */
function unknownName(kind: string, given: string, names: readonly string[]): string {
  return `No note has the ${kind} "${given.slice(0, MAX_SHOWN)}".${nearestNames(given, names)}`;
}

function nearestNames(given: string, names: readonly string[]): string {
  const near = nearest(given, names);
  return near.length === 0 ? "" : ` The nearest: ${near.map((name) => `"${name.slice(0, MAX_SHOWN)}"`).join(", ")}.`;
}

const MAX_SHOWN = 80;
const DAY_MS = 24 * 60 * 60 * 1000;

type PastArgument = "modifiedAfter" | "modifiedBefore" | keyof DateRange;
type PastTexts = { readonly [Name in PastArgument]?: string | undefined };

interface PastRange {
  readonly from?: LocalDate | undefined;
  readonly to?: LocalDate | undefined;
  readonly echoes: readonly Wording[];
}

/** @throws VaultError INVALID_ARGUMENT for text that is no day, and a range without days */
function pastRange(first: PastArgument, last: PastArgument, texts: PastTexts, clock: Clock): PastRange {
  const today = clock.today();
  const echoes: Wording[] = [];
  const read = (name: PastArgument, range: Parameters<typeof requirePastDay>[3]): LocalDate | undefined => {
    const text = texts[name];
    if (text === undefined) return undefined;
    const day = requirePastDay(argument(argumentOf(name)), text, today, range);
    echoes.push(...[echoDay(argument(argumentOf(name)), text, day, today) ?? []].flat());
    return day.day;
  };
  const isInclusive = last === "dateTo";
  const from = read(first, {});
  const to = read(last, { end: isInclusive ? "to" : "from", start: from });
  if (from === undefined || to === undefined || from < to || (isInclusive && from === to)) return { from, to, echoes };
  const [before, after] = [argument(argumentOf(first)), argument(argumentOf(last))];
  const order = isInclusive ? "is after" : "is not before";
  const hint =
    from === to
      ? said`${after} does not count the day itself: give a later one.`
      : said`Write ${before} ${to} and ${after} ${from}.`;
  throw new VaultError("INVALID_ARGUMENT", said`${before} (${from}) ${order} ${after} (${to}): no note can match.`, {
    hint,
  });
}

/**
 * SQL cannot read days in names.
 * @throws VaultError INVALID_ARGUMENT as `conditionsOf`
 */
export async function datedCondition(
  view: IndexView,
  range: DateRange,
  names: DayNames,
  { clock, slice }: { readonly clock: Clock; readonly slice: TimeSlice },
): Promise<NamedCondition & { readonly echoes: readonly Wording[] }> {
  const { from = FIRST, to = LAST, echoes } = pastRange("dateFrom", "dateTo", range, clock);
  const filter = (["dateFrom", "dateTo"] as const)
    .flatMap((name) => (range[name] === undefined ? [] : [`${argumentOf(name)} "${range[name]}"`]))
    .join(" and ");
  const [named, inRange]: [number[], number[]] = [[], []];
  for (const [id, path] of view.list<readonly [number, VaultPath]>(
    "json_array(id, path)",
    `file WHERE ${IS_SHOWN} AND ${names.condition}`,
  )) {
    const date = names.read(path);
    if (date === undefined) continue;
    named.push(id);
    if (date >= from && date <= to) inRange.push(id);
    if (slice.isOver) await slice.yield();
  }
  const [byName, others] = [isOneOf("file.id", inRange), isOneOf("file.id", named)];
  const dated = condition(
    `(${byName.sql} OR NOT (${others.sql}) AND (note.day BETWEEN ? AND ? OR
      note.day IS NULL AND file.modified >= ? AND file.modified < ?))`,
    ...byName.values,
    ...others.values,
    from,
    to,
    from === FIRST ? Number.MIN_SAFE_INTEGER : startOfDay(from, clock),
    to === LAST ? Number.MAX_SAFE_INTEGER : startOfDay(toLocalDate(toDayNumber(to) + 1), clock),
  );
  return { ...dated, filter, echoes };
}

const FIRST = "0001-01-01" as LocalDate;
const LAST = "9999-12-31" as LocalDate;

export function noteIds(view: IndexView, { sql, values }: Condition): number[] {
  if (sql === "1") return view.list<number>(FILE_OF_ROW, "note").sort((a, b) => a - b);
  return view.list<number>("file.id", `${NOTES} WHERE ${IS_SHOWN} AND ${sql}`, ...values).sort((a, b) => a - b);
}

/** Also accepts links to notes with the value as an alias. */
function propertyFilter(
  key: string,
  text: string,
  { view, today, remarks, unknownProperties }: FilterContext,
): Condition {
  const property = fold(key.trim());
  const kind = NAMED.get(property);
  const [column, rows, value] = kind
    ? (["shown", "note_name WHERE kind = ?", kind] as const)
    : (["text", "value WHERE property = ?", property] as const);
  const texts = view.list<string>(column, `(SELECT DISTINCT ${column} FROM ${rows})`, value);
  const hasText = (accepts: Accepts): Condition =>
    withRow(`${rows} AND ${column} IN (SELECT value FROM json_each(?))`, value, JSON.stringify(texts.filter(accepts)));
  const isText = equality(text);
  const isWritten = texts.some(isText);
  const meant = namesByAlias(view, bareLink(text).trim());
  const read = propertyCondition(key, meant.length === 0 ? text : JSON.stringify([text, ...meant]), today, texts);
  if (read.unread === true && !isWritten) throw unreadSign(key, text);
  // Refused without a year.
  if (isMonth(text) && !isWritten && texts.some((one) => parseWrittenDay(bareLink(one).slice(0, 40)) !== undefined))
    requireDayRange(key, text, today);
  if (texts.length === 0 && !kind) unknownProperties.push(key.trim());
  else if (read.echo !== undefined && !isWritten) remarks.push(read.echo);
  const filled = hasText((one) => one !== "");
  if (read.kind === "none") return anyOf([not(filled), hasText(read.accepts)]);
  // Other values could hide an unknown one.
  const values = texts.length === 0 || meant.length > 0 || isWritten ? [] : (read.values ?? []);
  const unknown = values.filter((one) => !texts.some(one.accepts)).map((one) => unknownValue(key, one.text, texts));
  if (read.kind === "not" && !isWritten) {
    remarks.push(
      ...unknown,
      `Notes without ${key.trim()} are not counted; [${JSON.stringify(text)}, "none"] counts them.`,
    );
    return allOf([filled, not(hasText(read.accepts))]);
  }
  const accepts = read.kind === "not" ? isText : read.accepts;
  if (texts.length > 0 && !texts.some(accepts) && read.echo === undefined) remarks.push(unknownValue(key, text, texts));
  else remarks.push(...unknown);
  return hasText(accepts);
}

function unknownValue(key: string, text: string, texts: readonly string[]): string {
  return `No note has ${key.trim()} "${text.slice(0, MAX_SHOWN)}".${nearestNames(text, texts)}`;
}

/** Filters that a query writes as words: `tag:x`, `status:draft`. */
export function filtersNamed(query: string, view: IndexView): readonly Wording[] {
  return [...query.matchAll(/(?<=^|\s)([\p{L}\p{N}_-]+):("[^"]+"|[^\s"]+)/gu)].flatMap(([, name = "", value = ""]) => {
    const text = value.replaceAll('"', "").slice(0, MAX_SHOWN);
    if (/^tags?$/i.test(name)) return [said`Tags are a filter: ${argument("tags")} ${JSON.stringify([text])}.`];
    if (/^(?:path|folder)$/i.test(name)) return [said`Folders are a filter: ${argument("folder")} "${text}".`];
    if (unknownProperties([name], view).length > 0) return [];
    return [said`Properties are a filter: ${argument("properties")} ${JSON.stringify({ [name]: text })}.`];
  });
}

/** Properties that no note has. */
export function unknownProperties(names: readonly string[], view: IndexView): readonly string[] {
  const known = (name: string): boolean =>
    NAMED.has(fold(name)) || view.get("SELECT 1 FROM value WHERE property = ? LIMIT 1", fold(name)) !== undefined;
  return names.map((name) => name.trim()).filter((name) => name !== "" && !known(name));
}

export const unknownProperty = (name: string, view: IndexView): string =>
  unknownName("property", name, propertyNames(view));

function unreadSign(key: string, text: string): VaultError {
  const shown = `${key.trim()} "${text.slice(0, MAX_SHOWN)}"`;
  return new VaultError("INVALID_ARGUMENT", `${shown} compares with neither a number nor a day.`, {
    hint: 'Write a value, ">=4", "2..5", "before friday", "next 30 days", "!draft", "none" or "any".',
  });
}

function propertyNames(view: IndexView): readonly string[] {
  return [...view.list<string>("property", "(SELECT DISTINCT property FROM value)"), ...NAMED.keys()];
}

function namesByAlias(view: IndexView, alias: string): string[] {
  const paths = view.list<VaultPath>(
    "path",
    `(SELECT DISTINCT path FROM file WHERE id IN (SELECT ${FILE_OF_ROW} FROM note_name WHERE kind = 'alias' AND key = ?))`,
    nameKey("alias", alias),
  );
  return [...new Set(paths.map(fileTitle))];
}

const NAMED: ReadonlyMap<string, NoteNameKind> = new Map([
  ["tags", "tag"],
  ["tag", "tag"],
  ["aliases", "alias"],
  ["alias", "alias"],
  ["title", "title"],
]);

/** @throws for a missing folder: an empty answer would hide the mistake */
export async function folderMeant(vault: Vault, text: string | undefined): Promise<VaultPath | undefined> {
  if (text === undefined) return undefined;
  const folder = folderPath(text, vault.pathRules);
  if ((await vault.children(folder)) !== undefined) return folder;
  const there = await folderThere(vault, folder);
  if (there === undefined) throw await missingFolder(vault, folder);
  return there;
}

async function missingFolder(vault: Vault, folder: VaultPath): Promise<VaultError> {
  const isFile = await vault.stat(folder).then(
    () => true,
    () => false,
  );
  if (isFile)
    return new VaultError("INVALID_ARGUMENT", `'${folder}' is a file, not a folder.`, {
      hint: "Name the folder it is in.",
    });
  const near = await foldersNear(vault, folder);
  const meant =
    near.length === 0
      ? "Check the spelling, or"
      : `Did you mean ${near.map((one) => `'${one}'`).join(" or ")}? If not,`;
  return new VaultError("FILE_NOT_FOUND", `There is no folder '${folder}'.`, {
    path: folder,
    hint: said`${meant} leave ${argument("folder")} out to see the whole vault.`,
  });
}

const MAX_NEAR = 3;

/** The most similar paths, else similar names anywhere. */
export async function foldersNear(vault: Vault, wanted: string): Promise<readonly VaultPath[]> {
  const folders = new Set<VaultPath>();
  for (const { path } of (await vault.index.refresh({ rows: [] })).files())
    for (let folder = folderOf(path); folder !== ROOT && !folders.has(folder); folder = folderOf(folder))
      folders.add(folder);
  const all = [...folders];
  const paths = nearest(wanted, all, MAX_NEAR).flatMap((near) => all.filter((folder) => folder === near));
  if (paths.length > 0) return paths;
  const names = nearest(baseName(wanted), all.map(baseName), MAX_NEAR);
  return names.flatMap((name) => all.filter((folder) => baseName(folder) === name)).slice(0, MAX_NEAR);
}
