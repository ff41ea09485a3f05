/** The words of get_agenda: headings with true totals, a line for each task. */
import { oneLine } from "../text.js";
import type { AgendaAnswer } from "./get_agenda.js";
import { detailsOf, projectSuffix } from "./task-view.js";

/** A day's or week's answer names at most so many tasks. */
export const DAY_LINES = 50;
/** Further days are named with their totals; of more than so many the sum. */
const MOST_NAMED_DAYS = 14;

type Section = NonNullable<AgendaAnswer["sections"]>[number];
type Project = NonNullable<AgendaAnswer["projects"]>[number];

export function agendaText(answer: AgendaAnswer): string {
  const parts = { day: dayParts, week: dayParts, review: reviewParts, projects: projectParts }[answer.view](answer);
  return [...answer.remarks, ...parts].join("\n\n");
}

function dayParts({ from = "", to = "", todayIn, sections = [] }: AgendaAnswer): readonly string[] {
  const span = from === to ? from : `${from} to ${to}`;
  const heading = `📅 Agenda for ${span}, seen on ${todayIn}`;
  if (sections.length === 0) return [heading, "Nothing is overdue, scheduled or due."];
  const end = sections.findLastIndex(({ tasks }) => tasks.length > 0) + 1;
  return [heading, ...sections.slice(0, end).map(sectionText), ...further(sections.slice(end))];
}

/** The text for days beyond those listed: their totals. */
function further(sections: readonly Section[]): readonly string[] {
  if (sections.length === 0) return [];
  const named = sections.slice(0, MOST_NAMED_DAYS).map(({ name, total }) => `${name} (${total})`);
  const rest = sections.slice(MOST_NAMED_DAYS);
  const sum = rest.reduce((all, { total }) => all + total, 0);
  const more = rest.length === 0 ? "" : ` and ${sum} on ${rest.length} later days`;
  return [`Not listed: ${named.join(", ")}${more}. Ask for fewer days, or with a later date.`];
}

function sectionText({ name, total, tasks }: Section): string {
  if (total === 0) return `${name} (0)`;
  const rest = total > tasks.length ? [`… and ${total - tasks.length} more`] : [];
  return [`${name} (${total}):`, ...tasks.map(entryLine), ...rest].join("\n");
}

export function entryLine(task: Section["tasks"][number]): string {
  const state = task.projected === true ? "projected" : task.status;
  const done = task.doneIn === undefined ? "" : `; done ${task.doneIn}`;
  return `- **${task.title}** (${state}) - ${task.area ?? "Unassigned"}${projectSuffix(task)}; ${detailsOf(task)}${done}`;
}

function reviewParts(answer: AgendaAnswer): readonly string[] {
  const { todayIn, sections = [], doneWithoutDay = 0, days } = answer;
  const texts = sections.map(sectionText);
  const place = sections.findIndex(({ name }) => name === "Stale") + 1;
  const without = doneWithoutDay === 0 ? [] : [`Done, but not said when: ${doneWithoutDay}`];
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
  return [`${heading}:`, ...lines, ...(rest > 0 ? [`… and ${rest} more`] : [])].join("\n");
}

function countsText(all: NonNullable<AgendaAnswer["days"]>): string {
  const days = all.filter(({ done, created }) => done > 0 || created > 0);
  if (days.length === 0) return "By day: nothing was done or made.";
  return `By day, done/made: ${days.map(({ day, done, created }) => `${day} ${done}/${created}`).join(", ")}`;
}

function projectParts({ todayIn, projects = [], projectCount = 0, areaCount = 0 }: AgendaAnswer): readonly string[] {
  const list = (kind: Project["kind"], heading: string, total: number): string => {
    const rows = projects.filter((project) => project.kind === kind);
    const rest = total > rows.length ? [`… and ${total - rows.length} more`] : [];
    return [`${heading} (${total})${total === 0 ? "" : ":"}`, ...rows.map(projectLine), ...rest].join("\n");
  };
  const parts = [list("project", "Projects", projectCount), list("area", "Areas", areaCount)];
  return [`📅 Projects and areas on ${todayIn}`, ...parts];
}

export function projectLine(project: Project): string {
  const { name, done, open, blocked, next, nextId = "", nextDayIn, daysWithoutChange } = project;
  const facts = [
    `${done} of ${done + open} done`,
    ...(blocked === 0 ? [] : [`${blocked} blocked`]),
    ...(next === undefined ? (open === 0 ? [] : ["no task is ready"]) : [`next: ${next} (id ${oneLine(nextId)})`]),
    ...(nextDayIn === undefined ? [] : [`next day ${nextDayIn}`]),
    `${daysWithoutChange} days without change`,
  ];
  return `- ${name}: ${facts.join("; ")}`;
}
