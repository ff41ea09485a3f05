/** A new task before it has a file: the caller's values made clean, its id, and its note's text (spec: tasks, section 4). */
import type { LocalDate } from "../../clock.js";
import { VaultError } from "../../errors.js";
import { readFrontmatter } from "../../markdown/frontmatter/frontmatter.js";
import { type NewValue, type SetOptions, writeFrontmatter } from "../../markdown/frontmatter/edit.js";
import { headingWords } from "../../markdown/outline.js";
import { isTemplated } from "../../catalog/ignore.js";
import { type Dialect, keyFor } from "../fields/dialect.js";
import { factsOf, type TaskFacts } from "./facts.js";
import { cleanValues, FIELD_NAMES, fieldNamed, isNothing, type Values } from "../fields/fields.js";
import type { TaskDraft } from "../api.js";

/** A draft whose values can be written as they are. */
export interface CleanDraft {
  readonly title: string;
  readonly values: Values;
  readonly description: string;
  readonly adjustments: readonly string[];
}

const SLUG_LENGTH = 60;
const MARKER_TAG = "task";

const DEFAULTS: Values = { status: "To Do", priority: "Medium" };

/**
 * Makes a draft clean.
 * @throws VaultError INVALID_ARGUMENT when title or area are blank or the due date is no day
 */
export function cleanDraft(draft: TaskDraft): CleanDraft {
  // Callers without types may leave out what is required.
  const { values, adjustments } = cleanValues({ ...draft, title: draft.title ?? "", area: draft.area ?? "" });
  return {
    title: values.title ?? "",
    values: { ...DEFAULTS, ...values },
    description: draft.description ?? "",
    adjustments,
  };
}

/** `task-<slug>-<suffix>`; the slug keeps letters and digits of every script, and is left out when nothing remains. */
export function taskId(title: string, suffix: string): string {
  const words = title
    .normalize("NFC")
    .toLowerCase()
    .replace(/\ufe0f/g, "");
  // The pattern of all scripts takes V8 half a millisecond to read, which most titles can do without.
  const isPlain = /^[\x20-\x7e]*$/.test(words);
  const parts = words.match(isPlain ? /[a-z0-9]+/g : /(?:\p{L}\p{M}*|\p{N})+/gu) ?? [];
  const slug = Array.from(parts.join("-")).slice(0, SLUG_LENGTH).join("").replace(/-+$/, "");
  return slug === "" ? `task-${suffix}` : `task-${slug}-${suffix}`;
}

/** The text of a new task's note in the vault's dialect. */
export function newTaskNote(draft: CleanDraft, id: string, today: LocalDate, dialect: Dialect): string {
  const tags = dialect.marker === "tag" ? [MARKER_TAG, ...(draft.values.tags ?? [])] : draft.values.tags;
  const values: Values = {
    ...draft.values,
    id,
    ...(dialect.marker === "type" && { type: "task" }),
    ...(tags !== undefined && { tags: [...new Set(tags)] }),
    created: today,
    ...(draft.values.status === "Done" && dialect.keys.completed !== undefined && { completed: today }),
  };
  const properties: [string, NewValue, SetOptions?][] = [];
  for (const name of FIELD_NAMES) {
    const value = values[name];
    if (value === undefined || isNothing(value)) continue;
    // In the frontmatter a placeholder would make the note a template; the heading says the title just as well.
    if (name === "title" && isTemplated(draft.title)) continue;
    const field = fieldNamed(name);
    const key = keyFor(name, field.key, dialect);
    if (properties.some(([taken]) => taken === key)) continue;
    const written = field.write(value, { old: undefined, field: name, dialect });
    properties.push(written.options ? [key, written.value, written.options] : [key, written.value]);
  }
  const description = draft.description.replace(/\r\n?/g, "\n").replace(/^(?:[ \t]*\n)+|\s+$/g, "");
  return `${writeFrontmatter(properties)}# ${headingWords(draft.title)}\n${description === "" ? "" : `\n${description}\n`}`;
}

/**
 * What is read out of a new note's text again.
 * @throws VaultError INVALID_ARGUMENT when that is no task: its properties are too long
 */
export function readBack(text: string): TaskFacts {
  const facts = factsOf(text);
  if (facts !== undefined) return facts;
  const reason = readFrontmatter(text).problem?.message ?? "They make no task.";
  throw new VaultError("INVALID_ARGUMENT", `These values could not be read back: ${reason}`, {
    hint: "Give fewer or shorter tags and projects. Nothing was written.",
  });
}
