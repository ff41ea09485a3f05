/** The answer of get_agenda: schema, pages of projects, and text with headings, totals and a line per task. */
import type { LocalDate } from "../../clock.js";
import { call, joined, said, type Wording, counted } from "../../text/wording.js";
import { weekdayName } from "../../dates/read-day.js";
import { type AgendaEntry, type DaySpan, SECTION_KINDS, type SectionKind } from "../../tasks/agenda.js";
import { formatMinutes } from "../../tasks/fields/property-values.js";
import { DONE_DAYS } from "../../tasks/review.js";
import { array, boolean, count, object, optional, string, type Infer, optionalObjects } from "../schema.js";
import { oneLine } from "../safe-text.js";
import {
  REMARKS,
  TASK_PROPERTIES,
  type TaskView,
  dayInWords,
  detailsOf,
  projectSuffix,
  shownText,
} from "./task-view.js";
import { fingerprintOf } from "../../text/hash.js";
import { linksAsText } from "../../markdown/plain-text.js";
import { cursorText, listName, pageFrom, parseCursor } from "../../search/cursor.js";
import type { OpenVault } from "../workspace.js";
import { answerRoom } from "../paging.js";

export const AGENDA_VIEWS = ["day", "week", "review", "projects"] as const;
export const PROJECT_KINDS = ["project", "area"] as const;

const ENTRY = object(
  {
    ...TASK_PROPERTIES,
    projected: optional(boolean("True for a later instance of its series, which no note holds yet")),
    done: optional(string("The day it, or an instance of it, was finished")),
    sameTitle: optional(count("How many tasks of this title are listed as this one, its first")),
  },
  "A task and why it is listed",
);

/** A later instance is on its section's day alone. */
const NO_DAYS = {
  due: undefined,
  dueTime: undefined,
  scheduled: undefined,
  scheduledTime: undefined,
  completed: undefined,
};

export function entryView({ projected, done, remind }: AgendaEntry, task: TaskView, count: number) {
  return {
    ...task,
    ...(projected && NO_DAYS),
    sameTitle: count === 1 ? undefined : count,
    projected: projected || undefined,
    remind,
    ...(done && { done, completed: undefined }),
  };
}

const SECTION = object(
  {
    kind: string("What its tasks have in common", { enum: SECTION_KINDS }),
    name: string("Its heading: Overdue, Sat 2026-11-21, Waiting and so on"),
    day: optional(string("Of a day, YYYY-MM-DD")),
    total: count("How many tasks it has, those not listed included"),
    estimate: optional(count("Of a day: minutes that its tasks are estimated at; absent when none says")),
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
    state: optional(string("The status that its note states, such as active")),
    done: count("Tasks that are done"),
    open: count("Outstanding tasks"),
    blocked: count("Outstanding tasks that are held up"),
    next: optional(string("Title of the first task that is ready")),
    nextId: optional(string("Its id")),
    nextStatus: optional(string("Its status, unless To Do")),
    nextDay: optional(string("The earliest day of an outstanding task")),
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
  from: optional(string("First day shown; of a review with date: first day of what is done")),
  to: optional(string("Last day shown")),
  sections: optional(array(SECTION, "Of day, week and review")),
  stuckProjects: optionalObjects("Of review: projects without a ready task", "A project", {
    name: string("Its name"),
    open: count("Outstanding tasks"),
    state: optional(string("The status that its note states, such as paused")),
  }),
  stuckProjectCount: optional(count("How many those are in all")),
  doneWithoutDay: optional(count("Of review: done tasks that do not say when")),
  days: optionalObjects("Of review with days: the first day, and those on which something was done or made", "A day", {
    day: string("YYYY-MM-DD"),
    done: count("Tasks done"),
    created: count("Tasks made"),
    open: count("Tasks outstanding at its end"),
  }),
  projects: optional(array(PROJECT, "Of projects: projects, then areas")),
  projectCount: optional(count("How many projects there are in all")),
  projectCursor: optional(string("Give it with section project to see those that follow; absent at the end")),
  areaCount: optional(count("How many areas there are in all")),
  areaCursor: optional(string("The same with section area")),
  remarks: REMARKS,
  notCounted: optional(
    string("Open checkboxes that are no tasks, and days that cannot be read, in words; absent when there are none"),
  ),
});

export type AgendaAnswer = Infer<typeof AGENDA_OUTPUT>;

export const DAY_LINES = 50;
/** Days that are only named; later days are summed. */
const MAX_NAMED_DAYS = 14;

type Section = NonNullable<AgendaAnswer["sections"]>[number];
type Project = NonNullable<AgendaAnswer["projects"]>[number];

export function agendaText(answer: AgendaAnswer): Wording {
  const parts = { day: dayParts, week: dayParts, review: reviewParts, projects: projectParts }[answer.view](answer);
  return joined([...answer.remarks, ...parts, answer.notCounted], "\n\n");
}

const HEADINGS: Readonly<Record<Exclude<SectionKind, "day">, string>> = {
  overdue: "Overdue",
  done: `Done in the last ${DONE_DAYS} days`,
  waiting: "Waiting",
  stale: "Stale",
  important: "High priority without a day",
  undated: "Undated",
};

/** @param done the days asked for */
export function headingOf(kind: SectionKind, day: LocalDate | undefined, done?: DaySpan): string {
  if (kind === "done" && done)
    return done.from === done.to ? `Done on ${done.from}` : `Done ${done.from} to ${done.to}`;
  return kind === "day" ? `${day === undefined ? "" : weekdayName(day)} ${day ?? ""}` : HEADINGS[kind];
}

function dayParts({ from = "", to = "", today, todayIn, sections = [] }: AgendaAnswer): readonly Wording[] {
  const span = from === to ? from : `${from} to ${to}`;
  const late = sections.find(({ kind }) => kind === "overdue");
  const overdue = late === undefined || sections[0] === late ? "" : `; ${late.total} overdue`;
  const heading = `📅 Agenda for ${span}, seen on ${todayIn}${overdue}`;
  const includesToday = from <= today && today <= to;
  if (sections.length === 0) return [heading, `Nothing is ${includesToday ? "overdue, " : ""}scheduled or due.`];
  const isListed = ({ kind, tasks, total }: Section): boolean => kind !== "day" || tasks.length > 0 || total === 0;
  const listed = sections.filter(isListed).map((section) => sectionText(section, today));
  return [heading, ...listed, ...further(sections.filter((section) => !isListed(section)))];
}

function further(sections: readonly Section[]): readonly Wording[] {
  if (sections.length === 0) return [];
  const named = sections.slice(0, MAX_NAMED_DAYS).map(({ name, total }) => `${name} (${total})`);
  const rest = sections.slice(MAX_NAMED_DAYS);
  const sum = rest.reduce((all, { total }) => all + total, 0);
  const more = rest.length === 0 ? "" : ` and ${sum} on ${rest.length} later days`;
  const ask = call("get_agenda", { section: "a day" }, "Ask for fewer days, a later date, or one day as section.");
  return [joined([`Not listed: ${named.join(", ")}${more}.`, said`${ask}`], " ")];
}

function sectionText({ kind, day, name, total, estimate, offset = 0, tasks, cursor }: Section, today: string): Wording {
  if (total === 0) return `${name} (0)`;
  const list = { section: day ?? kind };
  const hidden = cursor === undefined ? total - offset - listedCount(tasks) : 0;
  const rest = hidden > 0 ? moreOf(hidden, list, (words) => `${words} lists all`) : restLine(total, list, cursor);
  const planned = estimate === undefined ? "" : `; estimate ${formatMinutes(estimate)}`;
  return joined([`${name} (${total}${planned}):`, ...tasks.map((task) => entryLine(task, today)), ...rest]);
}

/** Tasks of equal title are listed as one. */
const listedCount = (tasks: Section["tasks"]): number => tasks.reduce((sum, { sameTitle = 1 }) => sum + sameTitle, 0);

type List = Readonly<Record<string, string>>;

function restLine(total: number, list: List, cursor: string | undefined): readonly Wording[] {
  if (cursor === undefined) return [];
  return moreOf(total - Number.parseInt(cursor, 10), list, (words) => `${words}, cursor "${cursor}"`);
}

/** @param how to see a whole list, after its argument */
function moreOf(count: number, list: List, how: (words: string) => string): readonly Wording[] {
  const [[name, value] = ["", ""]] = Object.entries(list);
  const more = `… and ${count} more`;
  return [said`${more}: ${call("get_agenda", list, how(`${name} "${value}"`))}`.or(more)];
}

export function entryLine(task: Section["tasks"][number], today: string): string {
  const state = [
    task.projected === true ? "projected" : task.status,
    ...(task.sameTitle === undefined ? [] : [`${task.sameTitle} of this title`]),
  ].join(", ");
  return `- **${task.title}** (${state}) - ${task.area ?? "Unassigned"}${projectSuffix(task)}; ${detailsOf(task, today)}${task.done === undefined ? "" : `; done ${dayInWords(task.done, today)}`}`;
}

function reviewParts(answer: AgendaAnswer): readonly Wording[] {
  const { today, todayIn, sections = [], doneWithoutDay = 0, days } = answer;
  const texts = sections.map((section) => sectionText(section, today));
  const [done, ...others] = sections;
  if (answer.from !== undefined && answer.stuckProjectCount !== undefined && done !== undefined)
    return [
      `📅 Review on ${todayIn}`,
      sectionText(done, today),
      ...(doneWithoutDay === 0 ? [] : [`Done, without saying when: ${doneWithoutDay}`]),
      ...(days === undefined ? [] : [countsText(days)]),
      nowText(others, answer.stuckProjectCount),
    ];
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

/** What a review of a period only counts. */
function nowText(sections: readonly Section[], stuck: number): Wording {
  const counts = [
    ...sections.map(({ name, total }) => `${name} (${total})`),
    `Projects without a ready task (${stuck})`,
  ];
  return joined(
    [
      `Today: ${counts.join(", ")}.`,
      said`${call("get_agenda", { view: "review" }, 'View "review" without date lists them.')}`,
    ],
    " ",
  );
}

function stuckText({ stuckProjects = [], stuckProjectCount = 0 }: AgendaAnswer): string {
  const heading = `Projects without a ready task (${stuckProjectCount})`;
  if (stuckProjectCount === 0) return heading;
  const rest = stuckProjectCount - stuckProjects.length;
  const lines = stuckProjects.map(({ name, open, state }) => {
    const facts = [...(state === undefined ? [] : [state]), open === 0 ? "no tasks" : `${open} open`];
    return `- ${name} (${facts.join("; ")})`;
  });
  return [`${heading}:`, ...lines, ...(rest > 0 ? [`… and ${rest} more: view "projects" lists all`] : [])].join("\n");
}

function countsText(all: NonNullable<AgendaAnswer["days"]>): string {
  const days = all.filter(({ done, created }) => done > 0 || created > 0);
  const since = `By day since ${all[0]?.day ?? ""}`;
  if (days.length === 0) return `${since}: nothing was done or made.`;
  return `${since}, done/made: ${days.map(({ day, done, created }) => `${day} ${done}/${created}`).join(", ")}`;
}

function projectParts(answer: AgendaAnswer): readonly Wording[] {
  const list = (kind: Project["kind"], heading: string, total: number | undefined, cursor: string | undefined) => {
    if (total === undefined) return [];
    const rows = (answer.projects ?? []).filter((project) => project.kind === kind);
    const rest = restLine(total, { section: kind }, cursor);
    return [
      joined([
        `${heading} (${total})${total === 0 ? "" : ":"}`,
        ...rows.map((row) => projectLine(row, answer.today)),
        ...rest,
      ]),
    ];
  };
  return [
    `📅 Projects and areas on ${answer.todayIn}`,
    ...list("project", "Projects", answer.projectCount, answer.projectCursor),
    ...list("area", "Areas", answer.areaCount, answer.areaCursor),
  ];
}

function projectLine(project: Project, today: string): string {
  const {
    name,
    state,
    done,
    open,
    blocked,
    next,
    nextId = "",
    nextStatus = "To Do",
    nextDay,
    daysWithoutChange,
  } = project;
  const called = state === undefined ? name : `${name} (${state})`;
  if (done + open === 0 && daysWithoutChange === undefined) return `- ${called}: no tasks yet`;
  const { estimateLeft = 0, estimated = 0 } = project;
  const begun = nextStatus === "To Do" ? "" : `, ${nextStatus}`;
  const estimate =
    estimated === 0
      ? ""
      : `. Estimate left: ${formatMinutes(estimateLeft)} (${estimated} of ${counted(open, "open task")} ${estimated === 1 ? "has" : "have"} one).`;
  const facts = [
    `${done} of ${done + open} done`,
    ...(blocked === 0 ? [] : [`${blocked} blocked`]),
    ...(next === undefined
      ? open === 0
        ? []
        : ["no task is ready"]
      : [`next: ${next} (id ${oneLine(nextId)}${begun})`]),
    ...(nextDay === undefined ? [] : [`next day ${dayInWords(nextDay, today)}`]),
    `${counted(daysWithoutChange ?? 0, "day")} without change`,
  ];
  return `- ${called}: ${facts.join("; ")}${estimate}`;
}

/** Projects, and areas, in an answer. */
const MAX_PROJECTS = 50;
/** Of headings, totals and names of days, at most. */
export const FRAME_WEIGHT = 4_000;

type Progress = Awaited<ReturnType<OpenVault["tasks"]["projects"]>>;

interface ProjectsQuery {
  readonly kind: (typeof PROJECT_KINDS)[number] | undefined;
  readonly limit: number | undefined;
  readonly cursor: string | undefined;
  readonly date: string | undefined;
}

export function projectPages(progress: Progress, { kind, limit, cursor: given, date }: ProjectsQuery) {
  return PROJECT_KINDS.filter((one) => kind === undefined || one === kind).map((one) => {
    const all = progress.filter((row) => row.kind === one);
    const fingerprint = fingerprintOf(all.map(({ name }) => ({ id: name })));
    const list = listName("get_agenda", "projects", date, one);
    const cursor = given === undefined ? undefined : parseCursor(given, list);
    const { offset, remarks } = pageFrom(all.length, cursor, fingerprint);
    const rows = all.slice(offset, offset + (limit ?? MAX_PROJECTS));
    return { kind: one, total: all.length, list, fingerprint, offset, remarks, rows };
  });
}

export type ProjectPage = ReturnType<typeof projectPages>[number];

/** @param shown the pages' rows, with what is next */
export function projectFacts(pages: readonly ProjectPage[], shown: Progress, vault: OpenVault) {
  const fit = answerRoom(FRAME_WEIGHT);
  const lists = pages.map(({ kind, total, list, offset, fingerprint }) => {
    const own = shown.filter((row) => row.kind === kind).map(projectRow);
    const rows = fit(own, (row) => projectLine(row, vault.vault.clock.today()));
    const end = offset + rows.length;
    const next = end < total ? cursorText({ offset: end, fingerprint }, list) : undefined;
    return { rows, facts: { [`${kind}Count`]: total, [`${kind}Cursor`]: next } };
  });
  const projects = lists.flatMap(({ rows }) => rows);
  const remarks = pages.flatMap((page) => page.remarks);
  return Object.assign({ projects, remarks }, ...lists.map(({ facts }) => facts)) as Pick<
    AgendaAnswer,
    "projects" | "remarks" | "projectCount" | "projectCursor" | "areaCount" | "areaCursor"
  >;
}

function projectRow(row: Progress[number]) {
  const { kind, name, done, open, blocked, next, nextDay, estimateLeft, estimated, daysWithoutChange } = row;
  return {
    kind,
    name: shownText(name),
    done,
    open,
    blocked,
    next: next && shownText(linksAsText(next.title)),
    nextId: next?.id,
    nextStatus: next && next.status !== "To Do" ? shownText(next.status) : undefined,
    nextDay,
    ...(estimated > 0 && { estimateLeft, estimated }),
    daysWithoutChange,
  };
}
