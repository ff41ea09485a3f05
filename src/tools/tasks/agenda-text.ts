/** The answer of get_agenda: its schema, and its text with headings, totals and a line for each task. */
import type { LocalDate } from "../../clock.js";
import { weekdayName } from "../../dates/read-day.js";
import { SECTION_KINDS, type SectionKind } from "../../tasks/agenda.js";
import { parseCursor } from "../../tasks/query/selection.js";
import { formatMinutes } from "../../tasks/fields/property-values.js";
import { DONE_DAYS } from "../../tasks/review.js";
import { array, boolean, count, object, optional, string, type Infer } from "../schema.js";
import { oneLine } from "../text.js";
import { detailsOf, projectSuffix, REMARKS, TASK_PROPERTIES } from "./task-view.js";

export const AGENDA_VIEWS = ["day", "week", "review", "projects"] as const;
export const PROJECT_KINDS = ["project", "area"] as const;

const ENTRY = object(
  {
    ...TASK_PROPERTIES,
    projected: optional(boolean("True for a later instance of its series, which no note holds yet")),
    done: optional(string("The day it, or an instance of it, was finished")),
  },
  "A task and why it is listed",
);

const SECTION = object(
  {
    kind: string("What its tasks have in common", { enum: SECTION_KINDS }),
    name: string("Its heading: Overdue, Sat 2026-11-21, Waiting and so on"),
    day: optional(string("Of a day, YYYY-MM-DD")),
    total: count("How many tasks it has, those not listed included"),
    offset: optional(count("How many come before the first one here; absent at the beginning")),
    tasks: array(ENTRY, "Those listed"),
    cursor: optional(string("Give it with section to see those that follow; absent at the end")),
  },
  "Tasks under one heading",
);

const PROJECT = object(
  {
    kind: string("What it is", { enum: PROJECT_KINDS }),
    name: string("Its name"),
    done: count("Tasks that are done"),
    open: count("Outstanding tasks"),
    blocked: count("Outstanding tasks that are held up"),
    next: optional(string("Title of the first task that is ready")),
    nextId: optional(string("Its id")),
    nextStatus: optional(string("Its status")),
    nextDay: optional(string("The earliest day of an outstanding task")),
    nextDayIn: optional(string("That day for reading")),
    estimateLeft: optional(count("Minutes that its outstanding tasks are estimated at; absent when none says")),
    estimated: optional(count("How many of its outstanding tasks have an estimate")),
    daysWithoutChange: optional(count("Days since a note of it was last changed; absent while it has no tasks")),
  },
  "A project or area",
);

export const AGENDA_OUTPUT = object({
  view: string("As asked", { enum: AGENDA_VIEWS }),
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
  projectCursor: optional(string("Give it with kind project to see those that follow; absent at the end")),
  areaCount: optional(count("How many areas there are in all")),
  areaCursor: optional(string("The same with kind area")),
  remarks: REMARKS,
  notCounted: optional(
    string("Open checkboxes that are no tasks, and days that cannot be read, in words; absent when there are none"),
  ),
});

export type AgendaAnswer = Infer<typeof AGENDA_OUTPUT>;

export const DAY_LINES = 50;
/** Days that are only named, with their totals; later days are one sum. */
const MAX_NAMED_DAYS = 14;

type Section = NonNullable<AgendaAnswer["sections"]>[number];
type Project = NonNullable<AgendaAnswer["projects"]>[number];

export function agendaText(answer: AgendaAnswer): string {
  const parts = { day: dayParts, week: dayParts, review: reviewParts, projects: projectParts }[answer.view](answer);
  return [...answer.remarks, ...parts, ...(answer.notCounted ? [answer.notCounted] : [])].join("\n\n");
}

const HEADINGS: Readonly<Record<Exclude<SectionKind, "day">, string>> = {
  overdue: "Overdue",
  done: `Done in the last ${DONE_DAYS} days`,
  waiting: "Waiting",
  stale: "Stale",
  important: "High priority without a day",
  undated: "Undated",
};

export function headingOf(kind: SectionKind, day: LocalDate | undefined): string {
  return kind === "day" ? `${day === undefined ? "" : weekdayName(day)} ${day ?? ""}` : HEADINGS[kind];
}

function dayParts({ from = "", to = "", today, todayIn, sections = [] }: AgendaAnswer): readonly string[] {
  const span = from === to ? from : `${from} to ${to}`;
  const heading = `📅 Agenda for ${span}, seen on ${todayIn}`;
  const includesToday = from <= today && today <= to;
  if (sections.length === 0) return [heading, `Nothing is ${includesToday ? "overdue, " : ""}scheduled or due.`];
  const end = sections.findLastIndex(({ tasks }) => tasks.length > 0) + 1;
  return [heading, ...sections.slice(0, end).map(sectionText), ...further(sections.slice(end))];
}

function further(sections: readonly Section[]): readonly string[] {
  if (sections.length === 0) return [];
  const named = sections.slice(0, MAX_NAMED_DAYS).map(({ name, total }) => `${name} (${total})`);
  const rest = sections.slice(MAX_NAMED_DAYS);
  const sum = rest.reduce((all, { total }) => all + total, 0);
  const more = rest.length === 0 ? "" : ` and ${sum} on ${rest.length} later days`;
  return [`Not listed: ${named.join(", ")}${more}. Ask for fewer days, a later date, or one day as section.`];
}

function sectionText({ kind, day, name, total, tasks, cursor }: Section): string {
  if (total === 0) return `${name} (0)`;
  const rest = restLine(total, `section "${day ?? kind}"`, cursor);
  return [`${name} (${total}):`, ...tasks.map(entryLine), ...rest].join("\n");
}

function restLine(total: number, list: string, cursor: string | undefined): readonly string[] {
  return cursor === undefined ? [] : [`… and ${total - parseCursor(cursor).offset} more: ${list}, cursor "${cursor}"`];
}

export function entryLine(task: Section["tasks"][number]): string {
  const state = task.projected === true ? "projected" : task.status;
  return `- **${task.title}** (${state}) - ${task.area ?? "Unassigned"}${projectSuffix(task)}; ${detailsOf(task)}`;
}

function reviewParts(answer: AgendaAnswer): readonly string[] {
  const { todayIn, sections = [], doneWithoutDay = 0, days } = answer;
  const texts = sections.map(sectionText);
  // Only one section was requested.
  if (answer.stuckProjectCount === undefined) return [`📅 Review on ${todayIn}`, ...texts];
  const place = sections.findIndex(({ kind }) => kind === "stale") + 1;
  const without = doneWithoutDay === 0 ? [] : [`Done, without saying when: ${doneWithoutDay}`];
  return [
    `📅 Review on ${todayIn}`,
    ...texts.slice(0, 1),
    ...without,
    ...texts.slice(1, place),
    stuckText(answer),
    ...texts.slice(place),
    ...(days === undefined ? [] : [countsText(days)]),
  ];
}

function stuckText({ stuckProjects = [], stuckProjectCount = 0 }: AgendaAnswer): string {
  const heading = `Projects without a ready task (${stuckProjectCount})`;
  if (stuckProjectCount === 0) return heading;
  const rest = stuckProjectCount - stuckProjects.length;
  const lines = stuckProjects.map((name) => `- ${name}`);
  return [`${heading}:`, ...lines, ...(rest > 0 ? [`… and ${rest} more: view "projects" lists all`] : [])].join("\n");
}

function countsText(all: NonNullable<AgendaAnswer["days"]>): string {
  const days = all.filter(({ done, created }) => done > 0 || created > 0);
  if (days.length === 0) return "By day: nothing was done or made.";
  return `By day, done/made: ${days.map(({ day, done, created }) => `${day} ${done}/${created}`).join(", ")}`;
}

function projectParts(answer: AgendaAnswer): readonly string[] {
  const list = (kind: Project["kind"], heading: string, total: number | undefined, cursor: string | undefined) => {
    if (total === undefined) return [];
    const rows = (answer.projects ?? []).filter((project) => project.kind === kind);
    const rest = restLine(total, `kind "${kind}"`, cursor);
    return [[`${heading} (${total})${total === 0 ? "" : ":"}`, ...rows.map(projectLine), ...rest].join("\n")];
  };
  return [
    `📅 Projects and areas on ${answer.todayIn}`,
    ...list("project", "Projects", answer.projectCount, answer.projectCursor),
    ...list("area", "Areas", answer.areaCount, answer.areaCursor),
  ];
}

export function projectLine(project: Project): string {
  const { name, done, open, blocked, next, nextId = "", nextStatus = "To Do", nextDayIn, daysWithoutChange } = project;
  if (done + open === 0 && daysWithoutChange === undefined) return `- ${name}: no tasks yet`;
  const { estimateLeft = 0, estimated = 0 } = project;
  const begun = nextStatus === "To Do" ? "" : `, ${nextStatus}`;
  const estimate =
    estimated === 0
      ? ""
      : `. Estimate left: ${formatMinutes(estimateLeft)} (${estimated} of ${open} open tasks have one).`;
  const facts = [
    `${done} of ${done + open} done`,
    ...(blocked === 0 ? [] : [`${blocked} blocked`]),
    ...(next === undefined
      ? open === 0
        ? []
        : ["no task is ready"]
      : [`next: ${next} (id ${oneLine(nextId)}${begun})`]),
    ...(nextDayIn === undefined ? [] : [`next day ${nextDayIn}`]),
    `${daysWithoutChange} days without change`,
  ];
  return `- ${name}: ${facts.join("; ")}${estimate}`;
}
