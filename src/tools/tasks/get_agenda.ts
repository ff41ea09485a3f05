/** Tasks by day, a review, or the progress of projects (docs: tasks, "Finding"). */
import { fingerprintOf, fingerprintText } from "../../tasks/rows/fingerprint.js";
import { linksAsText } from "../../markdown/plain-text.js";
import type { LocalDate } from "../../clock.js";
import { describeDay, parseDay } from "../../dates/read-day.js";
import { VaultError } from "../../errors.js";
import { cursorText, pageFrom, parseCursor } from "../../tasks/query/selection.js";
import { MAX_SPAN_DAYS, SECTION_KINDS } from "../../tasks/agenda.js";
import type { AgendaEntry, AgendaSection, WaitsFor } from "../../tasks/service.js";
import { integer, object, optional, string } from "../schema.js";
import { defineTool } from "../tool.js";
import type { OpenVault } from "../workspace.js";
import { AnswerRoom } from "../paging.js";
import {
  AGENDA_OUTPUT,
  type AgendaAnswer,
  agendaText,
  DAY_LINES,
  entryLine,
  headingOf,
  PROJECT_KINDS,
  projectLine,
  AGENDA_VIEWS,
} from "./agenda-text.js";
import { excerpt } from "../text.js";
import { LIST_LIMIT, notCountedLines, shownText, viewOf } from "./task-view.js";

/** Tasks of each section in a whole review. */
const REVIEW_LINES = 10;
/** Projects, and areas, in an answer. */
const MAX_PROJECTS = 50;
/** The maximum weight of headings, totals and names of days. */
const FRAME_WEIGHT = 4_000;

export const getAgenda = defineTool({
  name: "get_agenda",
  title: "Get agenda",
  toolset: "tasks",
  effect: "reads",
  description:
    "Tasks by day: overdue first, then each day's tasks and coming instances of series. " +
    "review: what was done, waits or is stale; projects: progress and next task of each project and area.",
  input: object({
    view: string("What to show", { enum: AGENDA_VIEWS, default: "day" }),
    date: optional(string("First day, or a range such as next week; default today")),
    days: optional(integer("How many days; of review: counts by day", { minimum: 1, maximum: MAX_SPAN_DAYS })),
    section: optional(string("Only this section: its kind, or a day")),
    kind: optional(string("Of projects: only these", { enum: PROJECT_KINDS })),
    limit: optional(integer("Maximum a section or kind", { minimum: 1, maximum: LIST_LIMIT })),
    cursor: optional(string("From the last answer")),
  }),
  output: AGENDA_OUTPUT,
  failure: "❌ Error getting agenda:",
  async run({ view, date, days, section, kind, limit, cursor }, { workspace, signal, onProgress }) {
    const vault = await workspace.current();
    const options = { signal, onProgress };
    const today = vault.vault.clock.today();
    const frame = { view, today, todayIn: describeDay(today, today), remarks: [] };
    // After the answer: it counts in the state that the answer was of.
    const notCounted = async (): Promise<string | undefined> =>
      notCountedLines(await vault.tasks.notCounted?.({}, options), await vault.tasks.unreadDays?.(options));
    if (view === "projects") {
      refuse(view, { date, days, section });
      if (cursor !== undefined && kind === undefined) throw needsList("kind");
      const progress = await vault.tasks.projects(options);
      const facts = projectFacts(progress, vault, { kind, limit, cursor });
      return { ...frame, ...facts, notCounted: await notCounted() };
    }
    refuse(view, { kind, date: view === "review" ? date : undefined });
    if (cursor !== undefined && section === undefined) throw needsList("section");
    const page = { limit: LIST_LIMIT, offset: cursor === undefined ? undefined : parseCursor(cursor).offset };
    const wanted = section === undefined ? undefined : readSection(section, today);
    if (view === "review") {
      const review = await vault.tasks.review({ days, ...page }, options);
      const { remarks, sections } = cut(chosen(review.sections, wanted), vault, review.waitsFor, {
        most: Infinity,
        mostEach: limit ?? (wanted ? LIST_LIMIT : REVIEW_LINES),
        cursor,
      });
      const facts = wanted ? {} : reviewFacts(review, days);
      return { ...frame, remarks, sections, ...facts, notCounted: await notCounted() };
    }
    const agenda = await vault.tasks.days({ date, days, week: view === "week", ...page }, options);
    const { from, to, waitsFor } = agenda;
    const { remarks, sections } = cut(chosen(agenda.sections, wanted), vault, waitsFor, {
      most: limit === undefined ? DAY_LINES : Infinity,
      mostEach: limit ?? DAY_LINES,
      cursor,
    });
    const all = [...agenda.remarks, ...remarks];
    return { ...frame, from, to, sections, remarks: all, notCounted: await notCounted() };
  },
  text: agendaText,
});

/** Refuses options that this view would ignore. */
function refuse(view: string, given: Readonly<Record<string, unknown>>): void {
  const [name] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined)
    throw new VaultError("INVALID_ARGUMENT", `The view ${view} takes no ${name}.`, { hint: `Leave out ${name}.` });
}

function needsList(argument: "section" | "kind"): VaultError {
  return new VaultError("INVALID_ARGUMENT", `cursor goes on in one list, and ${argument} does not name it.`, {
    hint: `Give the ${argument} that the cursor was given for.`,
  });
}

type Wanted = Pick<AgendaSection, "kind" | "day">;

function readSection(text: string, today: LocalDate): Wanted {
  const kind = SECTION_KINDS.find((one) => one === text.trim().toLowerCase() && one !== "day");
  if (kind !== undefined) return { kind };
  const day = parseDay(text, today)?.day;
  if (day !== undefined) return { kind: "day", day };
  const kinds = SECTION_KINDS.filter((one) => one !== "day").join(", ");
  throw new VaultError("INVALID_ARGUMENT", `"${excerpt(text, 40)}" is no section.`, {
    hint: `Sections are a day such as ${today}, and ${kinds}.`,
  });
}

/** A requested section without tasks is listed as empty. */
function chosen(sections: readonly AgendaSection[], wanted: Wanted | undefined): readonly AgendaSection[] {
  if (wanted === undefined) return sections;
  const { kind, day } = wanted;
  return [
    sections.find((one) => one.kind === kind && one.day === day) ?? { ...wanted, total: 0, mark: 0, entries: [] },
  ];
}

interface CutOptions {
  /** Maximum tasks of all sections together, and of each. */
  readonly most: number;
  readonly mostEach: number;
  /** Where the only section continues. */
  readonly cursor: string | undefined;
}

/** Lists as many tasks as fit; totals still count all. */
function cut(sections: readonly AgendaSection[], vault: OpenVault, waitsFor: WaitsFor, options: CutOptions) {
  const room = new AnswerRoom(FRAME_WEIGHT);
  const cursor = options.cursor === undefined ? undefined : parseCursor(options.cursor);
  const remarks: string[] = [];
  let left = options.most;
  const views = sections.map(({ kind, day, total, mark, entries }) => {
    const fingerprint = fingerprintText(mark);
    const page = pageFrom(total, cursor, fingerprint);
    remarks.push(...page.remarks);
    const most = entries.slice(0, Math.min(left, options.mostEach));
    const tasks = room.fit(
      most.map((entry) => entryView(entry, vault, waitsFor)),
      entryLine,
    );
    left -= tasks.length;
    const end = page.offset + tasks.length;
    return {
      kind,
      name: headingOf(kind, day),
      day,
      total,
      offset: page.offset || undefined,
      tasks,
      cursor: end < total ? cursorText({ offset: end, fingerprint }) : undefined,
    };
  });
  return { sections: views, remarks };
}

function entryView({ task, projected, done, remind }: AgendaEntry, vault: OpenVault, waitsFor: WaitsFor) {
  return {
    ...viewOf(task, vault, waitsFor.get(task)),
    projected: projected || undefined,
    remind,
    ...(done && { done, completedIn: describeDay(done, vault.vault.clock.today()) }),
  };
}

type Reviewed = Awaited<ReturnType<OpenVault["tasks"]["review"]>>;
type Progress = Awaited<ReturnType<OpenVault["tasks"]["projects"]>>;

function reviewFacts({ stuckProjects, doneWithoutDay, days }: Reviewed, wanted: number | undefined) {
  return {
    stuckProjects: stuckProjects.slice(0, REVIEW_LINES).map(shownText),
    stuckProjectCount: stuckProjects.length,
    doneWithoutDay,
    days: wanted === undefined ? undefined : days,
  };
}

interface ProjectsQuery {
  readonly kind: (typeof PROJECT_KINDS)[number] | undefined;
  readonly limit: number | undefined;
  readonly cursor: string | undefined;
}

function projectFacts(progress: Progress, vault: OpenVault, { kind, limit, cursor: given }: ProjectsQuery) {
  const room = new AnswerRoom(FRAME_WEIGHT);
  const cursor = given === undefined ? undefined : parseCursor(given);
  const remarks: string[] = [];
  const lists = PROJECT_KINDS.filter((one) => kind === undefined || one === kind).map((one) => {
    const all = progress.filter((row) => row.kind === one);
    const fingerprint = fingerprintOf(all.map(({ name }) => ({ id: name })));
    const page = pageFrom(all.length, cursor, fingerprint);
    remarks.push(...page.remarks);
    const most = all.slice(page.offset, page.offset + (limit ?? MAX_PROJECTS));
    const rows = room.fit(
      most.map((row) => projectRow(row, vault)),
      projectLine,
    );
    const end = page.offset + rows.length;
    const next = end < all.length ? cursorText({ offset: end, fingerprint }) : undefined;
    return { rows, facts: { [`${one}Count`]: all.length, [`${one}Cursor`]: next } };
  });
  const projects = lists.flatMap(({ rows }) => rows);
  return Object.assign({ projects, remarks }, ...lists.map(({ facts }) => facts)) as Pick<
    AgendaAnswer,
    "projects" | "remarks" | "projectCount" | "projectCursor" | "areaCount" | "areaCursor"
  >;
}

function projectRow(row: Progress[number], vault: OpenVault) {
  const { kind, name, done, open, blocked, next, nextDay, estimateLeft, estimated, daysWithoutChange } = row;
  return {
    kind,
    name: shownText(name),
    done,
    open,
    blocked,
    next: next && shownText(linksAsText(next.title)),
    nextId: next?.id,
    nextStatus: next && shownText(next.status),
    nextDay,
    nextDayIn: nextDay && describeDay(nextDay, vault.vault.clock.today()),
    ...(estimated > 0 && { estimateLeft, estimated }),
    daysWithoutChange,
  };
}
