/** get_agenda: what stands on which day, a review, or how far projects are (spec: tasks-2, section 7). */
import { describeDay } from "../../dates/day-echo.js";
import { VaultError } from "../../errors.js";
import type { AgendaEntry, AgendaSection, Task } from "../../tasks/service.js";
import type { Infer, Schema } from "../schema.js";
import { defineTool } from "../tool.js";
import type { OpenVault } from "../workspace.js";
import { AnswerRoom } from "../answer-room.js";
import { agendaText, DAY_LINES, entryLine, projectLine } from "./agenda-text.js";
import { REMARKS, shown, TASK_PROPERTIES, TASK_REQUIRED, viewOf } from "./task-view.js";

/** Sections of a review name at most so many. */
const REVIEW_LINES = 10;
const MOST_PROJECTS = 50;
/** What headings, totals and names of days take at most. */
const FRAME_WEIGHT = 4_000;
const VIEWS = ["day", "week", "review", "projects"] as const;

const text = (description: string) => ({ type: "string", description }) as const satisfies Schema;
const count = (description: string) => ({ type: "integer", minimum: 0, description }) as const satisfies Schema;

const ENTRY = {
  type: "object",
  description: "A task as it stands there",
  properties: {
    ...TASK_PROPERTIES,
    projected: { type: "boolean", description: "True for a later instance of its series, which no note holds yet" },
    done: text("The day it, or an instance of it, was finished"),
    doneIn: text("That day for reading"),
  },
  required: TASK_REQUIRED,
  additionalProperties: false,
} as const satisfies Schema;

const SECTION = {
  type: "object",
  description: "What stands under one heading",
  properties: {
    name: text("Overdue, Sat 2026-11-21, Waiting and so on"),
    day: text("The day it is, YYYY-MM-DD"),
    total: count("How many tasks stand here, those not listed included"),
    tasks: { type: "array", items: ENTRY, description: "The first of them" },
  },
  required: ["name", "total", "tasks"],
  additionalProperties: false,
} as const satisfies Schema;

const PROJECT = {
  type: "object",
  description: "A project or area",
  properties: {
    kind: { type: "string", enum: ["project", "area"], description: "What it is" },
    name: text("Its name"),
    done: count("Tasks that are done"),
    open: count("Outstanding tasks"),
    blocked: count("Outstanding tasks that are held up"),
    next: text("Title of the first task that is ready"),
    nextId: text("Its id"),
    nextDay: text("The earliest day of an outstanding task"),
    nextDayIn: text("That day for reading"),
    daysWithoutChange: count("Days since a note of it was last changed"),
  },
  required: ["kind", "name", "done", "open", "blocked", "daysWithoutChange"],
  additionalProperties: false,
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    view: { type: "string", enum: VIEWS, description: "As asked" },
    today: text("Today, YYYY-MM-DD"),
    todayIn: text("Today for reading"),
    from: text("First day shown; of day and week"),
    to: text("Last day shown"),
    sections: { type: "array", items: SECTION, description: "Of day, week and review" },
    stuckProjects: {
      type: "array",
      items: { type: "string" },
      description: "Of review: projects without a ready task",
    },
    stuckProjectCount: count("How many those are in all"),
    doneWithoutDay: count("Of review: done tasks that do not say when"),
    days: {
      type: "array",
      description: "Of review with days: the days on which something was done or made",
      items: {
        type: "object",
        description: "A day",
        properties: { day: text("YYYY-MM-DD"), done: count("Tasks done"), created: count("Tasks made") },
        required: ["day", "done", "created"],
        additionalProperties: false,
      },
    },
    projects: { type: "array", items: PROJECT, description: "Of projects: projects, then areas" },
    projectCount: count("How many projects there are in all"),
    areaCount: count("How many areas there are in all"),
    remarks: REMARKS,
  },
  required: ["view", "today", "todayIn", "remarks"],
  additionalProperties: false,
} as const satisfies Schema;

export type AgendaAnswer = Infer<typeof output>;

export const getAgenda = defineTool({
  name: "get_agenda",
  title: "Get agenda",
  toolset: "tasks",
  effect: "reads",
  description:
    "What stands on a day or week: overdue first, then each day's tasks and coming instances of series. " +
    "review: what was done, waits or lies still; projects: progress and next task of each project and area.",
  input: {
    type: "object",
    properties: {
      view: { type: "string", enum: VIEWS, default: "day", description: "What to show" },
      date: { type: "string", description: "First day, of day and week; default today" },
      days: { type: "integer", minimum: 1, maximum: 371, description: "How many days; of review: adds counts by day" },
    },
    additionalProperties: false,
  },
  output,
  failure: "❌ Error getting agenda:",
  async run({ view, date, days }, { workspace, signal, onProgress }) {
    const vault = await workspace.current();
    const options = { signal, ...(onProgress ? { onProgress } : {}) };
    const today = vault.vault.clock.today();
    const frame = { view, today, todayIn: describeDay(today, today), remarks: [] };
    if (view === "projects") {
      refuse(view, { date, days });
      return { ...frame, ...projectFacts(await vault.tasks.projects(options), vault) };
    }
    if (view === "review") {
      refuse(view, { date });
      return { ...frame, ...reviewFacts(await vault.tasks.review({ days }, options), vault, days) };
    }
    const { from, to, sections, waitsFor, remarks } = await vault.tasks.days(
      { date, days: days ?? (view === "week" ? 7 : 1) },
      options,
    );
    return { ...frame, from, to, sections: cut(sections, vault, waitsFor, DAY_LINES), remarks };
  },
  text: agendaText,
});

/** An option that does nothing would be believed. @throws VaultError INVALID_ARGUMENT */
function refuse(view: string, given: Readonly<Record<string, unknown>>): void {
  const [name] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined)
    throw new VaultError("INVALID_ARGUMENT", `The view ${view} takes no ${name}.`, { hint: `Leave out ${name}.` });
}

type WaitsFor = ReadonlyMap<Task, readonly string[]>;

/** Sections with as many tasks as the answer has lines for, in all and each; totals stay true. */
function cut(sections: readonly AgendaSection[], vault: OpenVault, waitsFor: WaitsFor, most: number, mostEach = most) {
  const room = new AnswerRoom(FRAME_WEIGHT);
  let left = most;
  return sections.map(({ name, day, entries }) => {
    const views = entries.slice(0, Math.min(left, mostEach)).map((entry) => entryView(entry, vault, waitsFor));
    const tasks = room.fit(views, entryLine);
    left -= tasks.length;
    return { name, ...(day && { day }), total: entries.length, tasks };
  });
}

function entryView({ task, projected, done }: AgendaEntry, vault: OpenVault, waitsFor: WaitsFor) {
  return {
    ...viewOf(task, vault, waitsFor.get(task)),
    ...(projected && { projected }),
    ...(done && { done, doneIn: describeDay(done, vault.vault.clock.today()) }),
  };
}

type Reviewed = Awaited<ReturnType<OpenVault["tasks"]["review"]>>;
type Progress = Awaited<ReturnType<OpenVault["tasks"]["projects"]>>;

function reviewFacts(review: Reviewed, vault: OpenVault, days: number | undefined) {
  const { sections, stuckProjects, doneWithoutDay, waitsFor } = review;
  return {
    sections: cut(sections, vault, waitsFor, Infinity, REVIEW_LINES),
    stuckProjects: stuckProjects.slice(0, REVIEW_LINES).map(shown),
    stuckProjectCount: stuckProjects.length,
    doneWithoutDay,
    ...(days === undefined ? {} : { days: review.days }),
  };
}

function projectFacts(progress: Progress, vault: OpenVault) {
  const projectCount = progress.filter(({ kind }) => kind === "project").length;
  const rows = progress.slice(0, MOST_PROJECTS).map((row) => projectRow(row, vault));
  const projects = new AnswerRoom(FRAME_WEIGHT).fit(rows, projectLine);
  return { projects, projectCount, areaCount: progress.length - projectCount };
}

function projectRow(row: Progress[number], vault: OpenVault) {
  const { kind, name, done, open, blocked, next, nextDay, daysWithoutChange } = row;
  return {
    kind,
    name: shown(name),
    done,
    open,
    blocked,
    ...(next && { next: shown(next.title), nextId: next.id }),
    ...(nextDay && { nextDay, nextDayIn: describeDay(nextDay, vault.vault.clock.today()) }),
    daysWithoutChange,
  };
}
