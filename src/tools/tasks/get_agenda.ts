/** Tasks by day, a review, or the progress of projects (docs: tasks, "Finding"). */
import { fingerprintText } from "../../text/hash.js";
import type { LocalDate } from "../../clock.js";
import { describeDay, parseDay } from "../../dates/read-day.js";
import { VaultError } from "../../errors.js";
import { argument, said, type Wording } from "../../text/wording.js";
import { type Cursor, cursorText, listName, pageFrom, parseCursor } from "../../search/cursor.js";
import { type DaySpan, MAX_SPAN_DAYS, readSpan, SECTION_KINDS } from "../../tasks/agenda.js";
import type { AgendaEntry, AgendaSection, WaitsFor } from "../../tasks/service.js";
import { integer, object, optional, string, unlisted } from "../schema.js";
import { defineTool } from "../tool.js";
import type { OpenVault } from "../workspace.js";
import { foldName } from "../../storage/path.js";
import { grouped } from "../../tasks/task.js";
import { ANSWER_WEIGHT } from "../../text/answer-weight.js";
import { answerRoom } from "../paging.js";
import {
  AGENDA_OUTPUT,
  AGENDA_VIEWS,
  DAY_LINES,
  FRAME_WEIGHT,
  PROJECT_KINDS,
  type ProjectPage,
  agendaText,
  entryLine,
  entryView,
  headingOf,
  projectFacts,
  projectPages,
} from "./agenda-text.js";
import { excerpt } from "../safe-text.js";
import { ALL_FIELDS, firstShown, LIST_LIMIT, notCountedLines, shownText, viewOf } from "./task-view.js";

/** Tasks of each section in a whole review. */
const REVIEW_LINES = 7;
const PERIOD_LINES = 20;
/** Projects without a ready task in a review. */
const MAX_STUCK = 20;
/** Overdue tasks listed before days. */
const MAX_LATE = 10;
/** Tasks of a section that are read to count equal titles. */
const MAX_GROUPED = 500;
/** Of a whole agenda, about 1,000 tokens, and of its overdue tasks, about 350. */
const AGENDA_WEIGHT = 3_300;
const LATE_WEIGHT = 1_500;
const OF_TODAY = "This section is as of today; date asks for what was done.";

export const getAgenda = defineTool({
  name: "get_agenda",
  title: "Get agenda",
  toolset: "tasks",
  effect: "reads",
  description:
    "Tasks by day, with overdue ones. " +
    "review: what was done, waits or is stale; projects: progress and next task of each project and area.",
  input: object({
    view: string("What to show", { enum: AGENDA_VIEWS, default: "day" }),
    date: optional(string("First day, or a range such as next week; of review: when done")),
    days: optional(integer("How many days; of review: counts", { minimum: 1, maximum: MAX_SPAN_DAYS })),
    section: optional(string("Only this section: its kind, or a day")),
    kind: unlisted(string("Of projects: only these", { enum: PROJECT_KINDS })),
    limit: unlisted(integer("Maximum a section or kind", { minimum: 1, maximum: LIST_LIMIT })),
    cursor: optional(string("From the last answer")),
    allFields: ALL_FIELDS,
  }),
  output: AGENDA_OUTPUT,
  failure: "❌ Error getting agenda:",
  async run(given, { workspace, say, signal, onProgress }) {
    const { view, date, days, section, limit, cursor, allFields } = given;
    const vault = await workspace.current();
    const options = { signal, onProgress };
    const today = vault.vault.clock.today();
    const frame = { view, today, todayIn: describeDay(today, today), remarks: [] };
    // After the answer, so that it counts in the same state.
    const notCounted = async (): Promise<string | undefined> => {
      const unread = await vault.tasks.unread?.(
        { days: view === "review" ? ["due", "scheduled", "completed"] : ["due", "scheduled"] },
        options,
      );
      return notCountedLines(say([await vault.tasks.notCounted?.({}, options), ...(unread ?? [])]));
    };
    if (view === "projects") {
      refuse(`The view ${view}`, { days });
      const kind = given.kind ?? (section === undefined ? undefined : kindMeant(section));
      if (cursor !== undefined && kind === undefined) throw needsSection();
      const span = date === undefined ? undefined : readSpan({ date }, today);
      let pages: readonly ProjectPage[] = [];
      let leftOut = 0;
      const progress = await vault.tasks.projects({
        ...options,
        shown(all) {
          const within = all.filter(({ nextDay }) => isWithin(nextDay, span, today));
          pages = projectPages(within, { kind, limit, cursor, date });
          const isAsked = (row: (typeof all)[number]) => kind === undefined || row.kind === kind;
          leftOut = all.filter(isAsked).length - within.filter(isAsked).length;
          return pages.flatMap(({ rows: some }) => some);
        },
      });
      const facts = projectFacts(pages, progress, vault);
      const rows = facts.projects ?? [];
      const named = rows.filter((row) => row.kind === "project").map(({ name }) => name);
      const states = await vault.tasks.projectStates?.(named, options);
      const withState = (row: (typeof rows)[number]) =>
        row.kind === "project" ? Object.assign({ state: stateIn(states, row.name) }, row) : row;
      const projects = rows.map(withState);
      const listed =
        span &&
        `Listed: those whose next day is in ${span.from}..${span.to}${hasToday(span, today) ? ", or past" : ""}; ${leftOut} ${leftOut === 1 ? "other is" : "others are"} not.`;
      const remarks = [...say([span?.echo, listed]), ...facts.remarks];
      return { ...frame, ...facts, projects, remarks, notCounted: await notCounted() };
    }
    refuse(`The view ${view}`, { kind: given.kind });
    if (cursor !== undefined && section === undefined) throw needsSection();
    // A part that the caller names is listed as it is.
    const isWhole = section === undefined && limit === undefined;
    // A period asks for what was done in it; the other sections are of today.
    const isPeriod = isWhole && date !== undefined;
    const reviewLines = isPeriod ? PERIOD_LINES : REVIEW_LINES;
    const wanted = section === undefined ? undefined : readSection(section, today);
    const listOf = (kind: string, day?: string): string => listName("get_agenda", view, date, days, kind, day);
    const at =
      cursor === undefined || wanted === undefined ? undefined : parseCursor(cursor, listOf(wanted.kind, wanted.day));
    const page = {
      limit: isWhole ? MAX_GROUPED : LIST_LIMIT,
      offset: at?.offset,
      titles: isWhole ? (view === "review" ? reviewLines : DAY_LINES) : undefined,
    };
    if (view === "review") {
      if (wanted?.kind === "day") throw noSection(view, section, `Its sections are ${NAMED_SECTIONS.join(", ")}.`);
      if (wanted) refuse("A section of the review", { days });
      const isOfToday = wanted !== undefined && wanted.kind !== "done" && date !== undefined;
      const review = await vault.tasks.review({ date, days, ...page }, options);
      const listed = isPeriod
        ? review.sections.map((one) => (one.kind === "done" ? one : { ...one, entries: [] }))
        : chosen(review.sections, wanted);
      const { remarks, sections } = cut(listed, vault, review.waitsFor, {
        most: Infinity,
        mostEach: () => limit ?? (wanted ? LIST_LIMIT : reviewLines),
        isWhole,
        allFields,
        cursor: at,
        listOf,
        done: review.done,
      });
      const facts = wanted ? {} : await reviewFacts(review, { days, isPeriod }, vault);
      return {
        ...frame,
        ...(review.done && { from: review.done.from, to: review.done.to }),
        remarks: [...say([...review.remarks, isOfToday ? OF_TODAY : undefined]), ...remarks],
        sections,
        ...facts,
        notCounted: await notCounted(),
      };
    }
    const agenda = await vault.tasks.days({ date, days, week: view === "week", ...page }, options);
    const { from, to, waitsFor } = agenda;
    if (wanted) assertListed(wanted, { view, section, today, from, to });
    const isBesideDays = isWhole && agenda.sections.some(({ kind }) => kind === "day");
    const daysFirst = isBesideDays && from !== to;
    const { remarks, sections: found } = cut(chosen(agenda.sections, wanted), vault, waitsFor, {
      most: limit === undefined ? DAY_LINES + (daysFirst ? MAX_LATE : 0) : Infinity,
      daysFirst,
      mostEach: (kind) => limit ?? (kind === "overdue" && isBesideDays ? MAX_LATE : DAY_LINES),
      isWhole,
      allFields,
      cursor: at,
      listOf,
    });
    const sections = from === to ? found.toSorted(lateFirst) : found;
    const all = [...say(agenda.remarks), ...remarks];
    return { ...frame, from, to, sections, remarks: all, notCounted: await notCounted() };
  },
  text: agendaText,
});

/** For one day: late tasks come before due ones. */
const lateFirst = (a: { readonly kind: string }, b: { readonly kind: string }): number =>
  Number(b.kind === "overdue") - Number(a.kind === "overdue");

/** Refuses options that this part would ignore. */
function refuse(part: string, given: Readonly<Record<string, unknown>>): void {
  const [name] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined)
    throw new VaultError("INVALID_ARGUMENT", `${part} takes no ${name}.`, { hint: `Leave out ${name}.` });
}

function needsSection(): VaultError {
  return new VaultError("INVALID_ARGUMENT", "cursor goes on in one list, and section does not name it.", {
    hint: "Give the section that the cursor was given for.",
  });
}

function kindMeant(section: string): (typeof PROJECT_KINDS)[number] {
  const kind = PROJECT_KINDS.find((one) => [one, `${one}s`].includes(section.trim().toLowerCase()));
  if (kind) return kind;
  throw noSection("projects", section, `Its sections are ${PROJECT_KINDS.join(" and ")}.`);
}

type Wanted = Pick<AgendaSection, "kind" | "day">;

function readSection(text: string, today: LocalDate): Wanted {
  const kind = SECTION_KINDS.find((one) => one === text.trim().toLowerCase() && one !== "day");
  if (kind !== undefined) return { kind };
  const day = parseDay(text, today)?.day;
  if (day !== undefined) return { kind: "day", day };
  throw new VaultError("INVALID_ARGUMENT", `"${excerpt(text, 40)}" is no section.`, {
    hint: `Sections are a day such as ${today}, and ${NAMED_SECTIONS.join(", ")}.`,
  });
}

const NAMED_SECTIONS = SECTION_KINDS.filter((one) => one !== "day");

function noSection(view: string, section: string | undefined, hint: Wording): VaultError {
  return new VaultError("INVALID_ARGUMENT", `The view ${view} has no section "${excerpt(section ?? "", 40)}".`, {
    hint,
  });
}

interface ListedDays extends DaySpan {
  readonly view: string;
  readonly section: string | undefined;
  readonly today: LocalDate;
}

/** A section that the listed days do not have is not an empty one. */
function assertListed({ kind, day }: Wanted, { view, section, today, from, to }: ListedDays): void {
  if (kind === "day" && day !== undefined && (day < from || day > to))
    throw noSection(view, section, said`It lists ${from} to ${to}. Give ${argument("date")} "${day}" instead.`);
  if (kind === "overdue" && (today < from || today > to))
    throw noSection(view, section, said`It lists ${from} to ${to}, without today. Leave ${argument("date")} out.`);
  if (kind !== "day" && kind !== "overdue")
    throw noSection(view, section, said`Give ${argument("view")} "review", which has it.`);
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
  /** Tasks of all sections together, and of each. */
  readonly most: number;
  readonly mostEach: (kind: AgendaSection["kind"]) => number;
  /** Equal titles are then listed once. */
  readonly isWhole: boolean;
  /** Overdue tasks get the room that days leave. */
  readonly daysFirst?: boolean;
  readonly allFields: boolean | undefined;
  /** Where the only section continues. */
  readonly cursor: Cursor | undefined;
  readonly listOf: (kind: string, day?: string) => string;
  /** Of a review's done tasks, if the caller names them. */
  readonly done?: DaySpan | undefined;
}

/** Lists as many tasks as fit; totals still count all. */
function cut(sections: readonly AgendaSection[], vault: OpenVault, waitsFor: WaitsFor, options: CutOptions) {
  const { isWhole, daysFirst = false } = options;
  const room = AGENDA_WEIGHT + (daysFirst ? LATE_WEIGHT : 0);
  const fit = answerRoom(isWhole ? ANSWER_WEIGHT - room : FRAME_WEIGHT);
  const lateWeight = sections.some(({ kind }) => kind === "day") ? LATE_WEIGHT : AGENDA_WEIGHT + LATE_WEIGHT;
  const fitLate = answerRoom(ANSWER_WEIGHT - lateWeight);
  const today = vault.vault.clock.today();
  const remarks: string[] = [];
  let left = options.most;
  let areDaysCut = false;
  const shown = sections.map(({ kind, day, total, estimate, mark, entries }) => {
    const fingerprint = fingerprintText(mark);
    const page = pageFrom(total, options.cursor, fingerprint);
    remarks.push(...page.remarks);
    const groups = isWhole && kind === "day" ? byTitle(entries) : entries.map(alone);
    const isLate = isWhole && kind === "overdue";
    const most = isLate && daysFirst && areDaysCut ? [] : groups.slice(0, Math.min(left, options.mostEach(kind)));
    const views = most.map(({ entry, count }) =>
      entryView(entry, viewOf(entry.task, waitsFor.get(entry.task), options.allFields), count),
    );
    const lineOf = (entry: (typeof views)[number]): string => entryLine(entry, today);
    const late = isLate ? fitLate(views, lineOf) : views;
    const tasks = isLate && !daysFirst ? late : fit(late, lineOf);
    if (!isLate || daysFirst) left -= tasks.length;
    areDaysCut ||= kind === "day" && (tasks.length < groups.length || entries.length < total);
    const isInOrder = most.every(({ count }) => count === 1);
    const end = page.offset + tasks.length;
    return {
      kind,
      name: headingOf(kind, day, options.done),
      day,
      total,
      estimate,
      offset: page.offset || undefined,
      tasks,
      cursor:
        isInOrder && end < total ? cursorText({ offset: end, fingerprint }, options.listOf(kind, day)) : undefined,
    };
  });
  return { sections: shown, remarks };
}

interface Group {
  readonly entry: AgendaEntry;
  readonly count: number;
}

const alone = (entry: AgendaEntry): Group => ({ entry, count: entry.sameTitle ?? 1 });

/** The first of each title. */
function byTitle(entries: readonly AgendaEntry[]): readonly Group[] {
  return [
    ...grouped(entries, ({ task, projected = false }) => [`${projected} ${foldName(task.title)}`]).values(),
  ].flatMap((all) => {
    const [entry] = all;
    return entry === undefined ? [] : [{ entry, count: all.length }];
  });
}

type Reviewed = Awaited<ReturnType<OpenVault["tasks"]["review"]>>;

async function reviewFacts(
  { stuckProjects, doneWithoutDay, days }: Reviewed,
  { days: wanted, isPeriod }: { readonly days: number | undefined; readonly isPeriod: boolean },
  { tasks }: OpenVault,
) {
  const shown = stuckProjects.slice(0, isPeriod ? 0 : MAX_STUCK);
  const states = await tasks.projectStates?.(shown.map(({ name }) => name));
  return {
    stuckProjects: firstShown(shown, ({ name, open }) => ({
      name: shownText(name),
      open,
      state: stateIn(states, name),
    })),
    stuckProjectCount: stuckProjects.length,
    doneWithoutDay,
    days: wanted === undefined ? undefined : days,
  };
}

function stateIn(states: ReadonlyMap<string, string> | undefined, name: string): string | undefined {
  const state = states?.get(name);
  return state === undefined ? undefined : shownText(state);
}

const hasToday = (span: DaySpan, today: LocalDate): boolean => span.from <= today && today <= span.to;

/** Days that include today include late tasks. */
const isWithin = (day: LocalDate | undefined, span: DaySpan | undefined, today: LocalDate): boolean =>
  span === undefined || (day !== undefined && day <= span.to && (day >= span.from || hasToday(span, today)));
