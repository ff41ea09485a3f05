/** A new task before it has a file: the caller's values made clean, its id, and its note's text (spec: tasks, section 4). */
import type { LocalDate } from "../clock.js";
import { parseLocalDate } from "../clock.js";
import { VaultError } from "../errors.js";
import { writeFrontmatter, type NewValue, type SetOptions } from "../markdown/frontmatter-edit.js";
import { headingWords } from "../markdown/outline.js";
import { isTemplated } from "../vault/ignore.js";
import type { Dialect } from "./dialect.js";
import { cleanTags } from "./field-kinds.js";
import { FIELD_NAMES, fieldNamed, type Values } from "./fields.js";
import { bareName, oneLine } from "./property-values.js";
import type { TaskDraft } from "./use-cases.js";

/** A draft whose values can be written as they are. */
export interface CleanDraft {
  readonly title: string;
  readonly values: Values;
  readonly description: string;
  readonly adjustments: readonly string[];
}

const SLUG_LENGTH = 60;
const MARKER_TAG = "task";

/**
 * Makes a draft clean.
 * @throws VaultError INVALID_ARGUMENT when title or area are blank or the due date is no day
 */
export function cleanDraft(draft: TaskDraft): CleanDraft {
  const title = cleanText("title", draft.title);
  const area = cleanName("area", draft.area);
  const { tags, adjustments } = cleanTags(draft.tags ?? []);
  const due = draft.dueDate === undefined ? undefined : cleanDate(draft.dueDate);
  const projects = cleanNames(draft.parentProjects ?? []);
  return {
    title: title.text,
    values: {
      status: draft.status ?? "To Do",
      priority: draft.priority ?? "Medium",
      ...(due !== undefined && { due }),
      area,
      ...(projects.length > 0 && { projects }),
      ...(tags.length > 0 && { tags }),
    },
    description: draft.description ?? "",
    adjustments: [...title.adjustments, ...adjustments],
  };
}

/** A title on one line. @throws VaultError INVALID_ARGUMENT when it is blank */
export function cleanText(argument: string, text: string): { text: string; adjustments: string[] } {
  const clean = oneLine(text);
  if (clean === "") throw blank(argument);
  const broken = clean !== text.trim();
  return { text: clean, adjustments: broken ? [`line breaks in ${argument} were written as spaces`] : [] };
}

/** The bare name of an area. @throws VaultError INVALID_ARGUMENT when it is blank or a placeholder */
export function cleanName(argument: string, text: string): string {
  const name = settled(oneLine(text));
  if (name === "") throw blank(argument);
  if (isTemplated(name)) {
    throw new VaultError("INVALID_ARGUMENT", `${argument} holds a template placeholder ({{...}} or <%...%>).`, {
      hint: "Notes with placeholders in their properties count as templates. Leave the placeholder out.",
    });
  }
  return name;
}

/** The bare names of projects, each once, blank ones left out. */
export function cleanNames(texts: readonly string[]): string[] {
  const names = texts.filter((text) => text.trim() !== "").map((text) => cleanName("parentProjects", text));
  return [...new Set(names)];
}

/** A name that reads back as itself: `[[[[Work]]]]` is a link in brackets. */
function settled(text: string): string {
  const name = bareName(text);
  return name === text || name === "" ? name : settled(name);
}

/** A day that exists. @throws VaultError INVALID_ARGUMENT naming it */
export function cleanDate(text: string): LocalDate {
  const day = parseLocalDate(text);
  if (day !== undefined) return day;
  throw new VaultError("INVALID_ARGUMENT", `dueDate ${JSON.stringify(text.slice(0, 40))} is not a day that exists.`, {
    hint: "Give a day of the calendar as YYYY-MM-DD, such as 2025-09-15.",
  });
}

function blank(argument: string): VaultError {
  return new VaultError("INVALID_ARGUMENT", `${argument} must not be blank.`, {
    hint: `Give the ${argument} at least one visible character.`,
  });
}

/** `task-<slug>-<suffix>`; the slug keeps letters and digits of every script, and is left out when nothing remains. */
export function taskId(title: string, suffix: string): string {
  const words = title
    .normalize("NFC")
    .toLowerCase()
    .replace(/\ufe0f/g, "");
  const parts = words.match(/(?:\p{L}\p{M}*|\p{N})+/gu) ?? [];
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
    // In the frontmatter a placeholder would make the note a template; the heading says the title just as well.
    ...(!isTemplated(draft.title) && { title: draft.title }),
    ...(tags !== undefined && { tags: [...new Set(tags)] }),
    created: today,
    ...(draft.values.status === "Done" && dialect.keys.completed !== undefined && { completed: today }),
  };
  const properties: [string, NewValue, SetOptions?][] = [];
  for (const name of FIELD_NAMES) {
    const value = values[name];
    if (value === undefined) continue;
    const field = fieldNamed(name);
    const key = dialect.keys[name] ?? field.key;
    if (properties.some(([taken]) => taken === key)) continue;
    const written = field.write(value, { old: undefined, field: name, dialect });
    properties.push(written.options ? [key, written.value, written.options] : [key, written.value]);
  }
  const description = draft.description.replace(/\r\n?/g, "\n").replace(/^(?:[ \t]*\n)+|\s+$/g, "");
  return `${writeFrontmatter(properties)}# ${headingWords(draft.title)}\n${description === "" ? "" : `\n${description}\n`}`;
}
