/** Advice on searches without results, and on names that no task has (docs: tasks, "Finding"). */
import type { LocalDate } from "../../clock.js";
import { parseDayRange } from "../../dates/day-words.js";
import { foldName } from "../../storage/path.js";
import { nearest } from "../../text/nearest.js";
import { bareName } from "../fields/property-values.js";
import { DAY_FILTERS } from "../fields/task-fields.js";
import { statusOf } from "../fields/vocabulary.js";
import { meansAll } from "./order.js";
import { tagsMeant } from "../../markdown/links/property-links.js";
import { hasTag, isInArea, isOfProject, meansNoneOrAny, TASK_STATES, type TaskFilters } from "./filter.js";
import type { Task } from "../task.js";

const FILTER_NAMES: Readonly<Record<string, keyof TaskFilters>> = {
  ...Object.fromEntries(DAY_FILTERS.map(({ name }) => [name.toLowerCase(), name])),
  status: "status",
  area: "area",
  project: "project",
  priority: "priority",
  context: "context",
  note: "note",
  tag: "tags",
  tags: "tags",
  done: "completed",
  is: "is",
};

/** If words are a filter's value, names the filter. */
export function filterAdvice(query: string, today: LocalDate): readonly string[] {
  if (meansAll(query)) return [];
  const whole = filterMeant(query.trim(), today);
  const words = query.trim().split(/\s+/);
  const found =
    whole === undefined
      ? words.map((word) => [word, filterMeant(word, today)] as const)
      : [[query.trim(), whole] as const];
  const meant = new Map(found.flatMap(([word, filter]) => (filter === undefined ? [] : [[word, filter] as const])));
  if (meant.size === 0) return [];
  const rest = whole === undefined ? words.filter((word) => !meant.has(word)).join(" ") : "";
  const named = [...meant.keys()].map((word) => `"${word}"`).join(" and ");
  const filters = [...new Set(meant.values())].join(", ");
  const kind = meant.size === 1 ? "is a filter, not a word" : "are filters, not words";
  return [`${named} ${kind}: call search_tasks with query ${JSON.stringify(rest === "" ? "*" : rest)} and ${filters}.`];
}

function filterMeant(text: string, today: LocalDate): string | undefined {
  const [, name = "", value = ""] = /^([A-Za-z]+):\s*(.+)$/s.exec(text) ?? [];
  const filter = FILTER_NAMES[name.toLowerCase()];
  if (filter !== undefined) return argument(filter, value);
  if (/^#[^\s#]+$/.test(text)) return argument("tags", text.slice(1));
  const word = text.toLowerCase();
  const [, finished] = /^(?:done|completed|finished) (.+)$/.exec(word) ?? [];
  if (finished !== undefined && parseDayRange(finished, today) !== undefined) return argument("completed", finished);
  if ((TASK_STATES as readonly string[]).includes(word)) return argument("is", word);
  const status = statusOf(text);
  if (status !== undefined && /\p{L}{3}/u.test(text)) return argument("status", status);
  return parseDayRange(text, today) === undefined || word === "any" || word === "none"
    ? undefined
    : argument("due", text);
}

function argument(name: string, value: string): string {
  const isList = name === "tags" || name === "is" || name === "status";
  return `${name} ${JSON.stringify(isList ? [value] : value)}`;
}

/** Suggests the nearest existing names. */
export function unknownNames(filters: TaskFilters, tasks: readonly Task[]): readonly string[] {
  const { area, project, tags = [] } = filters;
  const unknown: string[] = [];
  if (area !== undefined && !meansNoneOrAny(area) && !tasks.some(isInArea(area)))
    unknown.push(
      sentence(
        "area",
        area,
        tasks.flatMap((task) => task.area ?? []),
      ),
    );
  if (project !== undefined && !meansNoneOrAny(project) && !tasks.some(isOfProject(project)))
    unknown.push(
      sentence(
        "project",
        project,
        tasks.flatMap(({ parentProjects }) => parentProjects),
      ),
    );
  for (const tag of tags) {
    const wanted = tagsMeant(tag).map(foldName);
    if (wanted.length > 0 && !tasks.some((task) => wanted.some((one) => hasTag(task, one))))
      unknown.push(
        sentence(
          "tag",
          tag.replace(/^#+/, ""),
          tasks.flatMap((task) => task.tags),
        ),
      );
  }
  return unknown;
}

function sentence(kind: string, given: string, names: readonly string[]): string {
  const shown = bareName(given).replace(/\s+/g, " ").slice(0, 80);
  const near = nearest(shown, spellings(names));
  const hint = near.length === 0 ? "" : ` The nearest: ${near.map((name) => `"${name}"`).join(", ")}.`;
  return `No task has the ${kind} "${shown}".${hint}`;
}

function spellings(names: readonly string[]): string[] {
  const known = new Map<string, string>();
  for (const name of names) if (!known.has(foldName(name))) known.set(foldName(name), bareName(name));
  return [...known.values()];
}
