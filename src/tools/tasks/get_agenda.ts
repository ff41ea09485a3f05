/** get_agenda: which tasks fall on which day, a review, or how far projects are (spec: tasks-2, section 7). */
import { describeDay } from "../../dates/day-echo.js";
import { VaultError } from "../../errors.js";
import type { AgendaEntry, AgendaSection, Task } from "../../tasks/service.js";
import { array, boolean, count, integer, object, optional, string, type Infer } from "../schema.js";
import { defineTool } from "../tool.js";
import type { OpenVault } from "../workspace.js";
import { AnswerRoom } from "../answer-room.js";
import { agendaText, DAY_LINES, entryLine, projectLine } from "./agenda-text.js";
import { REMARKS, shown, TASK_PROPERTIES, viewOf } from "./task-view.js";

/** Sections of a review name at most so many. */
const REVIEW_LINES = 10;
const MOST_PROJECTS = 50;
/** What headings, totals and names of days take at most. */
const FRAME_WEIGHT = 4_000;
const VIEWS = ["day", "week", "review", "projects"] as const;

const ENTRY = object(
  {
    ...TASK_PROPERTIES,
    projected: optional(boolean("True for a later instance of its series, which no note holds yet")),
    done: optional(string("The day it, or an instance of it, was finished")),
    doneIn: optional(string("That day for reading")),
  },
  "A task as it stands there",
);

const SECTION = object(
  {
    name: string("Overdue, Sat 2026-11-21, Waiting and so on"),
    day: optional(string("The day it is, YYYY-MM-DD")),
    total: count("How many tasks stand here, those not listed included"),
    tasks: array(ENTRY, "The first of them"),
  },
  "What stands under one heading",
);

const PROJECT = object(
  {
    kind: string("What it is", { enum: ["project", "area"] }),
    name: string("Its name"),
    done: count("Tasks that are done"),
    open: count("Outstanding tasks"),
    blocked: count("Outstanding tasks that are held up"),
    next: optional(string("Title of the first task that is ready")),
    nextId: optional(string("Its id")),
    nextDay: optional(string("The earliest day of an outstanding task")),
    nextDayIn: optional(string("That day for reading")),
    daysWithoutChange: count("Days since a note of it was last changed"),
  },
  "A project or area",
);

const output = object({
  view: string("As asked", { enum: VIEWS }),
  today: string("Today, YYYY-MM-DD"),
  todayIn: string("Today for reading"),
  from: optional(string("First day shown; of day and week")),
  to: optional(string("Last day shown")),
  sections: optional(array(SECTION, "Of day, week and review")),
  stuckProjects: optional(array(string(), "Of review: projects without a ready task")),
  stuckProjectCount: optional(count("How many those are in all")),
  doneWithoutDay: optional(count("Of review: done tasks that do not say when")),
  days: optional(
    array(
      object(
        {
          day: string("YYYY-MM-DD"),
          done: count("Tasks done"),
          created: count("Tasks made"),
          open: count("Tasks outstanding at its end"),
        },
        "A day",
      ),
      "Of review with days: the first day, and those on which something was done or made",
    ),
  ),
  projects: optional(array(PROJECT, "Of projects: projects, then areas")),
  projectCount: optional(count("How many projects there are in all")),
  areaCount: optional(count("How many areas there are in all")),
  remarks: REMARKS,
});

export type AgendaAnswer = Infer<typeof output>;

export const getAgenda = defineTool({
  name: "get_agenda",
  title: "Get agenda",
  toolset: "tasks",
  effect: "reads",
  description:
    "What stands on a day or week: overdue first, then each day's tasks and coming instances of series. " +
    "review: what was done, waits or lies still; projects: progress and next task of each project and area.",
  input: object({
    view: string("What to show", { enum: VIEWS, default: "day" }),
    date: optional(string("First day, of day and week; default today")),
    days: optional(integer("How many days; of review: adds counts by day", { minimum: 1, maximum: 371 })),
  }),
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

/** Refuses options that this view would ignore: a caller would believe in them. @throws VaultError INVALID_ARGUMENT */
function refuse(view: string, given: Readonly<Record<string, unknown>>): void {
  const [name] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined)
    throw new VaultError("INVALID_ARGUMENT", `The view ${view} takes no ${name}.`, { hint: `Leave out ${name}.` });
}

type WaitsFor = ReadonlyMap<Task, readonly string[]>;

/** Sections with as many tasks as the answer has lines for, in total and for each section; totals still count all. */
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
