/** search_tasks: ranked search over tasks, narrowed by status, area and tags (spec: tasks, section 6). */
import type { Infer, Schema } from "../schema.js";
import { oneLine } from "../text.js";
import { defineTool } from "../tool.js";
import { SETTABLE_STATUSES } from "../../tasks/task.js";
import { LIST_LIMIT, TASK_SCHEMA, projectSuffix, viewOf } from "./task-view.js";

const output = {
  type: "object",
  properties: {
    query: { type: "string", description: "The query, on one line" },
    total: { type: "integer", minimum: 0, description: "How many tasks match" },
    tasks: {
      type: "array",
      items: TASK_SCHEMA,
      maxItems: LIST_LIMIT,
      description: "The best matches, best first, at most limit",
    },
  },
  required: ["query", "total", "tasks"],
  additionalProperties: false,
} as const satisfies Schema;

export const searchTasks = defineTool({
  name: "search_tasks",
  title: "Search tasks",
  toolset: "tasks",
  effect: "reads",
  limit: "search",
  description:
    "Finds tasks by words in title, tags, area, projects and text; tolerates typos, takes word beginnings; every word must match. " +
    "Gives ids for get_task and update_task.",
  input: {
    type: "object",
    properties: {
      query: { type: "string", minLength: 1, maxLength: 1000, description: "Search words; * finds all" },
      status: { type: "string", enum: SETTABLE_STATUSES, description: "Only this status" },
      area: { type: "string", description: "Only this area" },
      tags: { type: "array", items: { type: "string" }, description: "Only tasks with any of these tags" },
      includeArchived: { type: "boolean", description: "Archived tasks too" },
      limit: { type: "integer", minimum: 1, maximum: 100, default: 20, description: "Most results to return" },
    },
    required: ["query"],
    additionalProperties: false,
  },
  output,
  failure: "❌ Error searching tasks:",
  async run(wanted, { workspace, log, signal, onProgress }) {
    log.debug(`Searching for: ${oneLine(wanted.query)}`);
    const vault = await workspace.current();
    const { tasks, total } = await vault.tasks.search(wanted, { signal, ...(onProgress ? { onProgress } : {}) });
    return {
      query: oneLine(wanted.query),
      total,
      tasks: tasks.map((task) => viewOf(task, vault)),
    };
  },
  text: results,
});

function results({ query, total, tasks }: Infer<typeof output>): string {
  if (total === 0) return `🔍 No tasks found matching "${query}"`;
  const lines = tasks.map(
    (task, index) =>
      `${index + 1}. **${task.title}** (${task.status}) - ${task.area ?? "Unassigned"}${projectSuffix(task)}${task.archived ? " - Archived" : ""}`,
  );
  const cut = tasks.length < total ? `\nShowing the first ${tasks.length}.` : "";
  return `🔍 Search Results for "${query}":

${lines.join("\n")}

Found ${total} tasks.${cut}`;
}
