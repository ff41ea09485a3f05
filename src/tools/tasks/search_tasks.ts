/** Finds tasks by words and filters (docs: tasks, "search_tasks"; tasks, "Finding"). */
import { doneDaysMeant } from "../../tasks/query/filter.js";
import { cursorText } from "../../search/cursor.js";
import { joined, nextPage, said, type Wording } from "../../text/wording.js";
import { type FilteredField, PRIORITY_NAMES } from "../../tasks/fields/field-table.js";
import { DAY_FILTERS } from "../../tasks/fields/task-fields.js";
import { TASK_SORTS, TASK_STATES } from "../../tasks/task.js";
import { STATUS_FILTERS } from "../../tasks/fields/vocabulary.js";
import { weightOf } from "../../text/answer-weight.js";
import { answerRoom } from "../paging.js";
import { array, boolean, count, integer, object, optional, string, type Infer } from "../schema.js";
import { oneLine } from "../safe-text.js";
import { defineTool } from "../tool.js";
import { isVaultError, orIfFailed } from "../../errors.js";
import type { ProgressOptions } from "../../index/refresh.js";
import type { OpenVault } from "../workspace.js";
import { folderPath } from "../../storage/path.js";
import { folderThere } from "../../vault/new-path.js";
import type { Vault } from "../../vault/vault.js";
import {
  ALL_FIELDS,
  LIST_LIMIT,
  notCountedLines,
  numberedLine,
  projectSuffix,
  REMARKS,
  TASK_SCHEMA,
  type TaskView,
  TODAY,
  viewOf,
} from "./task-view.js";

const output = object({
  query: string("The query, on one line"),
  today: TODAY,
  total: count("How many tasks match"),
  offset: count("How many matches come before the first one here"),
  tasks: array(TASK_SCHEMA, "The best matches, best first, at most limit", { maxItems: LIST_LIMIT }),
  selection: optional(string("Names all that match, for update_tasks; absent when nothing does")),
  more: optional(count("How many matches follow; absent at the end")),
  cursor: optional(string("Give it to see those that follow; absent at the end")),
  remarks: REMARKS,
  notCounted: optional(
    string("Open checkboxes that are no tasks, and days that cannot be read, in words; absent when there are none"),
  ),
});
export type SearchTasksAnswer = Infer<typeof output>;

const dayFilter = (name: string, description: string) =>
  optional(string(description, name === "due" || name === "completed" ? { role: name } : {}));
const dayFilters = Object.fromEntries(
  DAY_FILTERS.map(({ name, filter }) => [name, dayFilter(name, filter)]),
) as Readonly<Record<FilteredField, ReturnType<typeof dayFilter>>>;

export const searchTasks = defineTool({
  name: "search_tasks",
  title: "Search tasks",
  toolset: "tasks",
  effect: "reads",
  limit: "search",
  description: "Finds tasks by words and filters; all must hold. Gives ids and a selection of all.",
  input: object({
    query: string("Search words; * finds all", { role: "words", minLength: 1, maxLength: 1000 }),
    status: optional(
      array(
        string(undefined, { role: "status", examples: STATUS_FILTERS }),
        "Any of these or an own word; Other: all own",
        {
          orOne: true,
        },
      ),
    ),
    area: optional(string("Only this area; none, any")),
    tags: optional(array(string(), "Any of these", { role: "tags" })),
    includeArchived: optional(boolean("Archived tasks too")),
    limit: integer("Maximum results", { minimum: 1, maximum: 100, default: 20 }),
    project: optional(array(string(), "Any of these; none, any", { role: "project", orOne: true })),
    priority: optional(
      array(string(undefined, { role: "priority", enum: PRIORITY_NAMES }), "Any of these", { orOne: true }),
    ),
    context: optional(string("Only this context; none, any")),
    note: optional(string("This note or folder", { role: "place" })),
    ...dayFilters,
    is: optional(array(string(undefined, { enum: TASK_STATES }), "All of these")),
    sort: optional(string("Default: relevance; agenda for *", { enum: TASK_SORTS })),
    cursor: optional(string("From the last answer")),
    allFields: ALL_FIELDS,
  }),
  documentedLimits: ["query", "limit"],
  output,
  failure: "❌ Error searching tasks:",
  async run({ allFields, ...given }, { workspace, log, say, signal, onProgress }) {
    log.debug(`Searching for: ${oneLine(given.query)}`);
    const vault = await workspace.current();
    const folder = given.note === undefined ? undefined : await folderThere(vault.vault, given.note);
    const wanted = { ...given, note: folder || given.note };
    const hits = await vault.tasks.search(wanted, { signal, onProgress });
    const { total, offset, fingerprint, today } = hits;
    if (total === 0 && wanted.note !== undefined && !(await isFolder(vault.vault, wanted.note)))
      await locate(wanted.note, vault, { signal, onProgress });
    const selection = total === 0 ? undefined : hits.selection;
    const found = hits.tasks.map((task) => {
      const view = viewOf(task, hits.waitsFor.get(task), allFields);
      const days = doneDaysMeant(wanted, task, today);
      return { days, view: days.length === 0 ? view : { ...view, completed: days[0] } };
    });
    const several = found.flatMap(({ view, days }) => (days.length < 2 ? [] : [severalDays(view.title, days)]));
    const remarks = [...say(hits.remarks), ...several].map(oneLine);
    const fit = answerRoom(FRAME_WEIGHT + weightOf(`${wanted.query} ${hits.selection} ${remarks.join(" ")}`));
    const views = found.map(({ view }) => view);
    const tasks = fit(views, (task, index) => linesOf(task, offset + index + 1, today));
    const end = offset + tasks.length;
    const next = cursorText({ offset: end, fingerprint });
    const rest = end < total ? { more: total - end, cursor: next } : {};
    const { limit: _limit, sort: _sort, cursor: _cursor, ...filters } = wanted;
    const days = DAY_FILTERS.flatMap(({ name }) => (filters[name] === undefined ? [] : [name]));
    const unread = (await vault.tasks.unread?.({ days }, { signal })) ?? [];
    const notCounted = notCountedLines(say([await vault.tasks.notCounted?.(filters, { signal }), ...unread]));
    return { query: oneLine(wanted.query), today, total, offset, tasks, selection, ...rest, remarks, notCounted };
  },
  text: results,
  details,
});

const MAX_DAYS = 7;

/** @param days the last first */
function severalDays(title: string, days: readonly string[]): string {
  const rest = days.length > MAX_DAYS ? `, and ${days.length - MAX_DAYS} earlier days` : "";
  return `"${title}" was done on ${days.slice(0, MAX_DAYS).join(", ")}${rest}.`;
}

/** @throws VaultError FILE_NOT_FOUND with the nearest folders, too */
async function locate(note: string, { vault, notes }: OpenVault, options: ProgressOptions): Promise<void> {
  try {
    await notes.locate(note, options);
  } catch (error) {
    if (!isVaultError(error, "FILE_NOT_FOUND")) throw error;
    const { foldersNear } = await import("../../notes/find-filter.js");
    const folders = (await foldersNear(vault, note)).map((path) => ({ id: `${path}/`, title: path, path }));
    throw folders.length === 0 ? error : error.with({ candidates: [...folders, ...(error.candidates ?? [])] });
  }
}

async function isFolder(vault: Vault, path: string): Promise<boolean> {
  const listed = (async () => await vault.children(folderPath(path, vault.pathRules)))();
  return (await orIfFailed(listed, undefined)) !== undefined;
}

/** The weight of headings, totals and the cursor. */
const FRAME_WEIGHT = 400;

/** A task's lines in both blocks. */
function linesOf(task: TaskView, number: number, today: string): string {
  return `${hitLine(task, number)}\n${numberedLine(task, number, today)}\n`;
}

function hitLine(task: TaskView, number: number): string {
  const archived = task.archived === true ? " - Archived" : "";
  return `${number}. **${task.title}** (${task.status}) - ${task.area ?? "Unassigned"}${projectSuffix(task)}${archived}`;
}

function results({ query, total, offset, tasks }: SearchTasksAnswer): string {
  if (total === 0) return `🔍 No tasks found matching "${query}"`;
  const lines = tasks.map((task, index) => hitLine(task, offset + index + 1));
  return `🔍 Search Results for "${query}":

${lines.join("\n")}

Found ${total} tasks.${cutNote(offset, tasks.length, total)}`;
}

function cutNote(offset: number, shown: number, total: number): string {
  if (shown === total) return "";
  return offset === 0 ? `\nShowing the first ${shown}.` : `\nShowing ${offset + 1} to ${offset + shown}.`;
}

function details({ offset, today, tasks, selection, more, cursor, remarks, notCounted }: SearchTasksAnswer): Wording {
  const lines = tasks.map((task, index) => numberedLine(task, offset + index + 1, today));
  const names = selection === undefined ? [] : [`Selection: ${selection}`];
  const next = nextPage(`${more?.toLocaleString("en-US")}, cursor "${cursor ?? ""}"`);
  return joined([...remarks, ...lines, ...names, more === undefined ? undefined : said`More: ${next}`, notCounted]);
}
