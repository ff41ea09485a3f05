/** The words of get_agenda: headings with true totals, a line for each task. */
import type { LocalDate } from "../../clock.js";
import { weekdayName } from "../../dates/day-echo.js";
import type { SectionKind } from "../../tasks/day-agenda.js";
import { parseCursor } from "../../tasks/query/cursor.js";
import { formatMinutes } from "../../tasks/fields/planning-kinds.js";
import { DONE_DAYS } from "../../tasks/review.js";
import { oneLine } from "../text.js";
import type { AgendaAnswer } from "./get_agenda.js";
import { detailsOf, projectSuffix } from "./task-view.js";

/** How many tasks an agenda of days lists. */
export const DAY_LINES = 50;
/** How many days beyond those are named with their totals; of the rest the sum is given. */
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

/** What people read above a section. */
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

/** The text for days beyond those listed: their totals. */
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

/** What a list does not show, and how to see it. */
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
  // One section was asked for.
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
  const { name, done, open, blocked, next, nextId = "", nextDayIn, daysWithoutChange } = project;
  if (done + open === 0 && daysWithoutChange === undefined) return `- ${name}: no tasks yet`;
  const { estimateLeft = 0, estimated = 0 } = project;
  const estimate =
    estimated === 0
      ? ""
      : `. Estimate left: ${formatMinutes(estimateLeft)} (${estimated} of ${open} open tasks have one).`;
  const facts = [
    `${done} of ${done + open} done`,
    ...(blocked === 0 ? [] : [`${blocked} blocked`]),
    ...(next === undefined ? (open === 0 ? [] : ["no task is ready"]) : [`next: ${next} (id ${oneLine(nextId)})`]),
    ...(nextDayIn === undefined ? [] : [`next day ${nextDayIn}`]),
    `${daysWithoutChange} days without change`,
  ];
  return `- ${name}: ${facts.join("; ")}${estimate}`;
}
