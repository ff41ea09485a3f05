/** search_tasks: tasks by words and filters, in an order, with what names them for the next call (spec: tasks, section 6; tasks-2, section 7). */
import { cursorText } from "../../tasks/selection.js";
import { TASK_STATES } from "../../tasks/task-filter.js";
import { TASK_SORTS } from "../../tasks/task-order.js";
import { STATUSES } from "../../tasks/task.js";
import { weightOf } from "../../text/answer-weight.js";
import { AnswerRoom } from "../answer-room.js";
import type { Infer, Schema } from "../schema.js";
import { oneLine } from "../text.js";
import { defineTool } from "../tool.js";
import { detailsOf, LIST_LIMIT, projectSuffix, REMARKS, TASK_SCHEMA, type TaskView, viewOf } from "./task-view.js";

const count = (description: string) => ({ type: "integer", minimum: 0, description }) as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    query: { type: "string", description: "The query, on one line" },
    total: count("How many tasks match"),
    offset: count("How many matches come before the first one here"),
    tasks: {
      type: "array",
      items: TASK_SCHEMA,
      maxItems: LIST_LIMIT,
      description: "The best matches, best first, at most limit",
    },
    selection: { type: "string", description: "Names all that match, for update_tasks; absent when nothing does" },
    more: count("How many matches follow; absent at the end"),
    cursor: { type: "string", description: "Give it to see those that follow; absent at the end" },
    remarks: REMARKS,
  },
  required: ["query", "total", "offset", "tasks", "remarks"],
  additionalProperties: false,
} as const satisfies Schema;
type Results = Infer<typeof output>;

const RANGE = "Day or range: overdue, today, this week, next 7 days, before friday, none, any";

export const searchTasks = defineTool({
  name: "search_tasks",
  title: "Search tasks",
  toolset: "tasks",
  effect: "reads",
  limit: "search",
  description:
    "Finds tasks by words in title, tags, area, projects and text, and by filters; all must hold. Tolerates typos, takes word beginnings. " +
    "Gives ids for get_task and update_task, and a selection that names all found.",
  input: {
    type: "object",
    properties: {
      query: { type: "string", minLength: 1, maxLength: 1000, description: "Search words; * finds all" },
      status: { type: "array", items: { type: "string", enum: STATUSES }, description: "Any of these" },
      area: { type: "string", description: "Only this area" },
      tags: { type: "array", items: { type: "string" }, description: "Any of these" },
      includeArchived: { type: "boolean", description: "Archived tasks too" },
      limit: { type: "integer", minimum: 1, maximum: 100, default: 20, description: "Most results to return" },
      project: { type: "string", description: "Only this project" },
      due: { type: "string", description: RANGE },
      scheduled: { type: "string", description: "The same" },
      completed: { type: "string", description: "The same, but overdue" },
      is: { type: "array", items: { type: "string", enum: TASK_STATES }, description: "All of these" },
      sort: { type: "string", enum: TASK_SORTS, description: "Default: relevance; agenda for *" },
      cursor: { type: "string", description: "Where the last answer said more follows" },
    },
    required: ["query"],
    additionalProperties: false,
  },
  publishedMinLength: ["query"],
  output,
  failure: "❌ Error searching tasks:",
  async run(wanted, { workspace, log, signal, onProgress }) {
    log.debug(`Searching for: ${oneLine(wanted.query)}`);
    const vault = await workspace.current();
    const hits = await vault.tasks.search(wanted, { signal, ...(onProgress ? { onProgress } : {}) });
    const { total, offset, fingerprint } = hits;
    const remarks = hits.remarks.map(oneLine);
    const selection = total === 0 ? {} : { selection: hits.selection };
    const found = hits.tasks.map((task) => viewOf(task, vault, hits.waitsFor.get(task)));
    const room = new AnswerRoom(FRAME_WEIGHT + weightOf(`${wanted.query} ${hits.selection} ${remarks.join(" ")}`));
    const tasks = room.fit(found, (task, index) => linesOf(task, offset + index + 1));
    const end = offset + tasks.length;
    const rest = end < total ? { more: total - end, cursor: cursorText({ offset: end, fingerprint }) } : {};
    return { query: oneLine(wanted.query), total, offset, tasks, ...selection, ...rest, remarks };
  },
  text: results,
  details,
});

/** What an answer says around its tasks: headings, totals, the cursor. */
const FRAME_WEIGHT = 400;

/** A task's lines in both blocks. */
function linesOf(task: TaskView, number: number): string {
  return `${hitLine(task, number)}\n${number}: ${detailsOf(task)}\n`;
}

function hitLine(task: TaskView, number: number): string {
  const archived = task.archived === true ? " - Archived" : "";
  return `${number}. **${task.title}** (${task.status}) - ${task.area ?? "Unassigned"}${projectSuffix(task)}${archived}`;
}

function results({ query, total, offset, tasks }: Results): string {
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

function details({ offset, tasks, selection, more, cursor, remarks }: Results): string {
  const lines = tasks.map((task, index) => `${offset + index + 1}: ${detailsOf(task)}`);
  const names = selection === undefined ? [] : [`Selection: ${selection}`];
  const rest = more === undefined ? [] : [`More: ${more.toLocaleString("en-US")}, cursor "${cursor ?? ""}"`];
  return [...remarks, ...lines, ...names, ...rest].join("\n");
}
