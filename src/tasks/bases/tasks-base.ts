/** Generates Obsidian Bases over a vault's tasks (docs: tasks, "Tasks.base"). */
import { meansAll } from "../../search/words.js";
import { call, said } from "../../text/wording.js";
import type { LocalDate } from "../../clock.js";
import { toDayNumber } from "../../dates/days.js";
import { type DayRange, requireDayRange } from "../../dates/read-day.js";
import { type VaultError, invalidArgument } from "../../errors.js";
import { tagsMeant } from "../../markdown/links/property-links.js";
import type { VaultPath } from "../../storage/path.js";
import type { Conventions } from "../note-format/note-settings.js";
import { type Dialect, keyFor, ownPriorityOf, statusWords } from "../fields/dialect.js";
import { isStatus, type Priority, type Status } from "../fields/vocabulary.js";
import { FIELDS, type FieldName, type FilteredField } from "../fields/field-table.js";
import { bareName } from "../fields/property-values.js";
import { DAY_FILTERS } from "../fields/task-fields.js";
import { meansNoneOrAny, STALE_DAYS } from "../query/filter.js";
import type { TaskFilters, TaskState } from "../task.js";

export interface BaseSettings {
  readonly dialect: Dialect;
  readonly archive: readonly VaultPath[];
  readonly conventions: Pick<Conventions, "tag" | "property" | "explicit">;
  readonly archiveTag: string | undefined;
  /** Folders whose notes are no tasks. */
  readonly excluded: readonly string[];
}

const MAX_DONE = 100;

/** With documented keys, and without subtracting dates: every Bases version reads it. */
export function tasksBaseText(settings: BaseSettings): string {
  const { dialect, key, columns, isOpen, waits, head } = vocabularyOf(settings);
  const [due, scheduled] = [dateOf(key("due")), dateOf(key("scheduled"))];
  return [
    ...head(false),
    "views:",
    ...view("Today", columns, [...isOpen, or(due.before(dayAhead(1)), scheduled.before(dayAhead(1)))]),
    ...view("This week", columns, [...isOpen, due.from(dayAhead(0)), due.before(dayAhead(8))]),
    ...view("Waiting", columns, [...isOpen, waits]),
    ...view("By project", columns, isOpen, groupedBy(key("projects"))),
    ...view("Done", columns, [isAnyOf(key("status"), closedWords(dialect))], [`    limit: ${MAX_DONE}`]),
    "",
  ].join("\n");
}

export const BASE_GROUPS = ["project", "area", "priority", "status"] as const;
type BaseGroup = (typeof BASE_GROUPS)[number];

export interface BaseView {
  readonly name: string;
  readonly filters: TaskFilters;
  readonly group?: BaseGroup | undefined;
  readonly today: LocalDate;
}

/** @throws INVALID_ARGUMENT for a filter that a base cannot express */
export function viewBaseText(settings: BaseSettings, { name, filters, group, today }: BaseView): string {
  const known = vocabularyOf(settings);
  const { key, columns, head } = known;
  const grouped = group === undefined ? [] : groupedBy(key(group === "project" ? "projects" : group));
  const tests = conditions(filters, known, today);
  return [...head(filters.includeArchived === true), "views:", ...view(name, columns, tests, grouped), ""].join("\n");
}

type FilterTests = {
  readonly [Name in keyof TaskFilters]-?: (
    value: NonNullable<TaskFilters[Name]>,
    known: Vocabulary,
    today: LocalDate,
  ) => readonly string[];
};

const TESTS: FilterTests = {
  query: (query, { key }) => {
    const words = meansAll(query) ? [] : query.trim().toLowerCase().split(/\s+/);
    return words.map((word) => `(file.name + " " + ${note(key("title"))}).lower().contains(${quote(word)})`);
  },
  status: (status, { dialect, key }) => {
    const wanted = [status].flat();
    const words = wanted.flatMap((one) => {
      if (one === "Other") throw inexpressible('status "Other"');
      return isStatus(one) ? openWords(one, dialect) : [one];
    });
    const isUnset = wanted.includes("To Do") ? [`${note(key("status"))}.isEmpty()`] : [];
    return words.length === 0 ? [] : [or(isAnyOf(key("status"), words), ...isUnset)];
  },
  area: (area, { key }) => [names(key("area"), area)],
  project: (project, { key }) => anyTest([project].flat().map((one) => names(key("projects"), one))),
  context: (context, { key }) => [names(key("contexts"), context.trim().replace(/^@/, ""), "@")],
  note: () => {
    throw inexpressible("note");
  },
  priority: (priority, { dialect, key }) => {
    const wanted = [priority].flat();
    const words = wanted.flatMap((one) => prioritiesOf(one, dialect));
    const isUnset = wanted.includes("Medium") ? [`${note(key("priority"))}.isEmpty()`] : [];
    return words.length === 0 ? [] : [or(isAnyOf(key("priority"), words), ...isUnset)];
  },
  tags: (tags) => {
    const named = [...new Set(tags.filter((tag) => !meansNoneOrAny(tag)).flatMap(tagsMeant))];
    const tests = tags.filter(meansNoneOrAny).map((word) => (/any/i.test(word) ? "!" : "") + "file.tags.isEmpty()");
    return anyTest(named.length === 0 ? tests : [...tests, `file.hasTag(${named.map(quote).join(", ")})`]);
  },
  // In the base's own filters.
  includeArchived: () => [],
  ...(Object.fromEntries(DAY_FILTERS.map((filter) => [filter.name, dayTests(filter)])) as Pick<
    FilterTests,
    FilteredField
  >),
  is: (states, known) => states.flatMap((state) => inState(state, known)),
};

function dayTests({ name, looks }: (typeof DAY_FILTERS)[number]): FilterTests[FilteredField] {
  return (text, known, today) => inRange(name, requireDayRange(name, text, today, looks), known, today);
}

const anyTest = (tests: readonly string[]): readonly string[] => (tests.length === 0 ? [] : [or(...tests)]);

function conditions(filters: TaskFilters, known: Vocabulary, today: LocalDate): readonly string[] {
  return (Object.keys(TESTS) as (keyof TaskFilters)[]).flatMap((name) => {
    const value: unknown = filters[name];
    return value === undefined
      ? []
      : (TESTS[name] as (value: unknown, ...others: unknown[]) => string[])(value, known, today);
  });
}

function inRange(field: FieldName, range: DayRange, { key, isOpen }: Vocabulary, today: LocalDate): readonly string[] {
  const value = note(key(field));
  const day = `date(${value})`;
  const isSet = `!${value}.isEmpty()`;
  if (range.kind !== "days")
    return { none: [`${value}.isEmpty()`], any: [isSet], overdue: [isSet, `${day} < today()`, ...isOpen] }[range.kind];
  const compared = (sign: string, ahead: number): string =>
    ahead < 0 ? `${day} + "${-ahead}d" ${sign} today()` : `${day} ${sign} ${dayAhead(ahead)}`;
  const aheadOf = (end: LocalDate): number => toDayNumber(end) - toDayNumber(today);
  const { from, to } = range;
  return [
    isSet,
    ...(from === undefined ? [] : [compared(">=", aheadOf(from))]),
    ...(to === undefined ? [] : [compared("<", aheadOf(to) + 1)]),
  ];
}

function inState(state: TaskState, { key, isOpen, waits }: Vocabulary): readonly string[] {
  const tests: Readonly<Partial<Record<TaskState, readonly string[]>>> = {
    note: [],
    outstanding: isOpen,
    blocked: [...isOpen, waits],
    ready: [...isOpen, `!${waits}`],
    recurring: [`!${note(key("recurrence"))}.isEmpty()`],
    stale: [...isOpen, `file.mtime + "${STALE_DAYS}d" < now()`],
  };
  const found = tests[state];
  if (found === undefined) throw inexpressible(`is "${state}"`);
  return found;
}

/** Texts or links, alone or in a list. */
function names(key: string, given: string, sign = ""): string {
  const [value, name] = [note(key), bareName(given)];
  if (meansNoneOrAny(given)) return `${/none/i.test(given) ? "" : "!"}${value}.isEmpty()`;
  return or(namesIt(key, name, ...(sign === "" ? [] : [sign + name])), `list(${value}).contains(link(${quote(name)}))`);
}

const isAnyOf = (key: string, words: readonly string[]): string =>
  or(...words.map((word) => `${note(key)} == ${quote(word)}`));

function inexpressible(filter: string): VaultError {
  return invalidArgument(`A base cannot filter by ${filter}.`, [
    "Bases list notes by their properties.",
    said`Call ${call("search_tasks")} without that filter, and give its selection.`,
  ]);
}

type Vocabulary = ReturnType<typeof vocabularyOf>;

/** TaskNotes' words count before a task has them. */
function openWords(status: Status, dialect: Dialect): readonly string[] {
  const isListed = (dialect.own?.statuses.length ?? 0) > 0;
  const words = isListed ? statusWords(status, dialect) : (dialect.statusWords[status] ?? []);
  return words.length > 0 ? words : [status];
}

function prioritiesOf(priority: Priority, { own, priorityWords }: Dialect): readonly string[] {
  const listed = own?.priorities.filter(({ value }) => ownPriorityOf(value, own) === priority) ?? [];
  const words = new Set([...(priorityWords[priority] ?? []), ...listed.map(({ value }) => value)]);
  return words.size > 0 ? [...words] : [priority];
}

function vocabularyOf({ dialect, archive, conventions, archiveTag, excluded }: BaseSettings) {
  const key = (field: FieldName): string => keyFor(field, FIELDS[field].key, dialect);
  const outside = (folder: string): string => `!file.inFolder(${quote(folder)})`;
  const archived = archive.map(outside);
  if (archiveTag !== undefined) archived.push(`!${isTagged(key("tags"), [archiveTag], [" "])}`);
  const columns = (["status", "priority", "due", "scheduled"] as const).map((field) => `note.${key(field)}`);
  return {
    dialect,
    key,
    columns: ["file.name", ...columns],
    isOpen: closedWords(dialect).map((word) => `${note(key("status"))} != ${quote(word)}`),
    waits: or(
      ...openWords("Blocked", dialect).map((word) => `${note(key("status"))} == ${quote(word)}`),
      `list(${note(key("blockedBy"))}).length > 0`,
    ),
    head: (withArchived: boolean) =>
      filterBlock([isTask(dialect, key, conventions), ...excluded.map(outside), ...(withArchived ? [] : archived)]),
  };
}

const groupedBy = (key: string): readonly string[] => [
  "    groupBy:",
  `      property: ${yaml(`note.${key}`)}`,
  "      direction: ASC",
];

function isTask(
  { typeWord, types }: Dialect,
  key: (field: FieldName) => string,
  { tag, property, explicit }: BaseSettings["conventions"],
): string {
  const has = (name: string, ...words: readonly string[]): readonly string[] =>
    words.map((word) => `list(${note(name)}).contains(${quote(word)})`);
  const words = [...new Set([typeWord, ...types.words])];
  const own =
    property?.value === "" ? [`!${note(property.name)}.isEmpty()`] : property && has(property.name, property.value);
  return or(
    ...[...new Set([key("type"), ...types.keys])].flatMap((name) => has(name, ...words)),
    isTagged(key("tags"), ["task", ...(tag === undefined ? [] : [tag])]),
    ...(own ?? []),
    ...(explicit?.keys ?? []).map((name) => namesIt(name, explicit?.name ?? "")),
  );
}

/** Ignores case; alone or in a list. */
function namesIt(key: string, ...named: readonly string[]): string {
  const marked = named.map((name) => quote(`|${name.toLowerCase()}|`)).join(", ");
  return `("|" + list(${note(key)}).join("|").lower() + "|").containsAny(${marked})`;
}

/** By properties alone, unlike `file.hasTag`; nested tags match unless `ends` excludes them. */
function isTagged(key: string, tags: readonly string[], ends = [" ", "/"]): string {
  const forms = tags.flatMap((tag) =>
    ["", "#"].flatMap((sign) => ends.map((end) => quote(` ${sign}${tag}${end}`.toLowerCase()))),
  );
  return `(" " + list(${note(key)}).join(" ").lower() + " ").containsAny(${forms.join(", ")})`;
}

const closedWords = (dialect: Dialect): readonly string[] => [
  ...new Set([...statusWords("Done", dialect), ...statusWords("Cancelled", dialect)]),
];

/** Values may have a time, so a range ends before the next midnight. */
const dayAhead = (days: number): string => `today()${days === 0 ? "" : ` + "${days}d"`}`;

function dateOf(key: string) {
  const value = note(key);
  const compared = (sign: string, day: string): string => `(!${value}.isEmpty() && date(${value}) ${sign} ${day})`;
  return { before: (day: string) => compared("<", day), from: (day: string) => compared(">=", day) };
}

const note = (key: string): string => `note[${quote(key)}]`;
const quote = (text: string): string => JSON.stringify(text);
const or = (...parts: readonly string[]): string => (parts.length === 1 ? parts.join("") : `(${parts.join(" || ")})`);
/** Only single quotes need escaping. */
const yaml = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function filterBlock(lines: readonly string[], indent = ""): string[] {
  return [`${indent}filters:`, `${indent}  and:`, ...lines.map((line) => `${indent}    - ${yaml(line)}`)];
}

function view(
  name: string,
  columns: readonly string[],
  filters: readonly string[],
  more: readonly string[] = [],
): string[] {
  return [
    "  - type: table",
    `    name: ${/^[\w ]+$/.test(name) ? name : yaml(name)}`,
    ...(filters.length === 0 ? [] : filterBlock(filters, "    ")),
    ...more,
    "    order:",
    ...columns.map((column) => `      - ${yaml(column)}`),
  ];
}
