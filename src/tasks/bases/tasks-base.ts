/**
 * The text of an Obsidian Bases file over a vault's tasks, in the vault's own keys and words (docs: tasks,
 * "Tasks.base").
 */
import type { VaultPath } from "../../storage/path.js";
import { type Dialect, keyFor } from "../fields/dialect.js";
import { FIELDS, type FieldName } from "../fields/fields.js";
import type { Status } from "../fields/vocabulary.js";

export interface BaseSettings {
  readonly dialect: Dialect;
  /** Folders whose tasks are archived. */
  readonly archive: readonly VaultPath[];
}

const MAX_DONE = 100;

/**
 * Uses only documented keys, and compares dates instead of subtracting them, so that every version of the plugin
 * reads it.
 */
export function tasksBaseText({ dialect, archive }: BaseSettings): string {
  const key = (field: FieldName): string => keyFor(field, FIELDS[field].key, dialect);
  const [due, scheduled] = [dateOf(key("due")), dateOf(key("scheduled"))];
  const isOpen = closedWords(dialect).map((word) => `${note(key("status"))} != ${quote(word)}`);
  const waits = dialect.statusWords.Blocked ?? ["Blocked"];
  const columns = [
    "file.name",
    ...(["status", "priority", "due", "scheduled"] as const).map((field) => `note.${key(field)}`),
  ];
  return [
    ...block("filters", "and", [isTask(dialect, key), ...archive.map((folder) => `!file.inFolder(${quote(folder)})`)]),
    "views:",
    ...view("Today", columns, [...isOpen, or(due.by("today()"), scheduled.by("today()"))]),
    ...view("This week", columns, [...isOpen, due.from("today()"), due.by('today() + "7d"')]),
    ...view("Waiting", columns, [
      ...isOpen,
      or(
        ...waits.map((word) => `${note(key("status"))} == ${quote(word)}`),
        `list(${note(key("blockedBy"))}).length > 0`,
      ),
    ]),
    ...view("By project", columns, isOpen, [
      `    groupBy:`,
      `      property: ${yaml(`note.${key("projects")}`)}`,
      "      direction: ASC",
    ]),
    ...view(
      "Done",
      columns,
      [or(...closedWords(dialect).map((word) => `${note(key("status"))} == ${quote(word)}`))],
      [`    limit: ${MAX_DONE}`],
    ),
    "",
  ].join("\n");
}

function isTask(dialect: Dialect, key: (field: FieldName) => string): string {
  const tagged = `list(${note(key("tags"))}).contains("task")`;
  return or(`list(${note(key("type"))}).contains(${quote(dialect.typeWord)})`, tagged);
}

/** The vault's words for closed; ours where it has none. */
function closedWords({ statusWords }: Dialect): readonly string[] {
  const wordsOf = (status: Status): readonly string[] => statusWords[status] ?? [status];
  return [...new Set([...wordsOf("Done"), ...wordsOf("Cancelled")])];
}

/** Comparisons of a date property that are false where it is empty. */
function dateOf(key: string) {
  const value = note(key);
  const compared = (sign: string, day: string): string => `(!${value}.isEmpty() && date(${value}) ${sign} ${day})`;
  return { by: (day: string) => compared("<=", day), from: (day: string) => compared(">=", day) };
}

const note = (key: string): string => `note[${quote(key)}]`;
const quote = (text: string): string => JSON.stringify(text);
const or = (...parts: readonly string[]): string => (parts.length === 1 ? parts.join("") : `(${parts.join(" || ")})`);
/** Only single quotes need escaping. */
const yaml = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function block(name: string, how: "and", lines: readonly string[], indent = ""): string[] {
  return [`${indent}${name}:`, `${indent}  ${how}:`, ...lines.map((line) => `${indent}    - ${yaml(line)}`)];
}

function view(
  name: string,
  columns: readonly string[],
  filters: readonly string[],
  more: readonly string[] = [],
): string[] {
  return [
    "  - type: table",
    `    name: ${name}`,
    ...block("filters", "and", filters, "    "),
    ...more,
    "    order:",
    ...columns.map((column) => `      - ${yaml(column)}`),
  ];
}
