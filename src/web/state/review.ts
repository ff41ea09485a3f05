/** A review in the page's words: its sections and sums, and the last 53 weeks by day. */
import type { ToolAnswers } from "../transport/transport.js";
import { WORDS } from "../words.js";
import { REVIEW_WORDS } from "../later-words.js";
import { dayText, longDay, dayAfter, daysBetween, mondayOf } from "./days.js";
import type { TaskRow } from "./task-row.js";

type ReviewAnswer = ToolAnswers["get_agenda"];
type Entry = NonNullable<ReviewAnswer["sections"]>[number]["tasks"][number];

const WEEK_DAYS = 7;
const RECENT_DAYS = 30;

/** In page order. `undated` includes high-priority tasks. */
const SECTIONS = [
  { name: "overdue", ...REVIEW_WORDS.reviewSections.overdue, board: { due: "overdue" } },
  { name: "waiting", ...REVIEW_WORDS.reviewSections.waiting, board: { state: "blocked" } },
  { name: "stale", ...REVIEW_WORDS.reviewSections.stale, board: { state: "stale" } },
  { name: "undated", ...REVIEW_WORDS.reviewSections.undated, board: { due: "none" } },
  { name: "done", ...REVIEW_WORDS.reviewSections.done },
] as const;

interface ReviewSection {
  readonly name: string;
  readonly heading: string;
  readonly note?: string;
  readonly empty: string;
  readonly total: number;
  readonly items: readonly TaskRow[];
  readonly remarkOf?: (task: TaskRow) => string | undefined;
  /** The board's filter for all of them. */
  readonly board?: Readonly<Record<string, string>>;
}

export function reviewSections({ sections = [], today }: ReviewAnswer): readonly ReviewSection[] {
  return SECTIONS.map((row) => {
    const { tasks: items = [], total = 0 } = sections.find(({ kind }) => kind === row.name) ?? {};
    const listed = row.name === "done" ? finished(items, total, today) : { items, total };
    return Object.assign(listed, row);
  });
}

/** Merges the completed instances of a task. */
function finished(entries: readonly Entry[], total: number, today: string) {
  const days = new Map<string, string[]>();
  for (const { id, done = "" } of entries) days.set(id, [...(days.get(id) ?? []), dayText(done, today)]);
  const items = [...new Map(entries.map((entry) => [entry.id, entry])).values()];
  const remarkOf = ({ id }: TaskRow) => WORDS.doneOn(days.get(id) ?? []);
  return { items, total: total - (entries.length - items.length), remarkOf };
}

interface ReviewSum {
  readonly name: string;
  readonly value: number;
  readonly remark?: string;
  /** Board filters, or a section of the review. */
  readonly list: Readonly<Record<string, string>> | string;
}

export function reviewSums(sections: readonly ReviewSection[], days: readonly YearDay[]): readonly ReviewSum[] {
  const open = days.at(-1)?.open ?? 0;
  const before = days.at(-1 - RECENT_DAYS)?.open ?? 0;
  return [
    {
      name: REVIEW_WORDS.reviewSums.open,
      value: open,
      remark: REVIEW_WORDS.sinceThen(open - before, RECENT_DAYS),
      list: {},
    },
    {
      name: REVIEW_WORDS.reviewSums.done,
      value: sumOf(days.slice(-1 - WEEK_DAYS), "done"),
      remark: REVIEW_WORDS.inDays(sumOf(days.slice(-1 - RECENT_DAYS), "done"), RECENT_DAYS),
      list: "done",
    },
    ...sections.flatMap(({ heading: name, total: value, board }) => (board ? [{ name, value, list: board }] : [])),
  ];
}

export function reviewMarkdown(answer: ReviewAnswer): string {
  const { today, days = [], stuckProjects = [], stuckProjectCount = 0 } = answer;
  const sections = reviewSections(answer);
  const parts = [
    `# ${REVIEW_WORDS.reviewOn(longDay(today))}`,
    reviewSums(sections, yearDays(days, today))
      .map(({ name, value, remark }) => `- ${name}: ${value}${remark === undefined ? "" : ` (${remark})`}`)
      .join("\n"),
    ...sections.map(({ heading, total, items, remarkOf }) =>
      list(
        heading,
        total,
        items.map((task) => taskLine(task, today, remarkOf?.(task))),
      ),
    ),
    list(
      REVIEW_WORDS.stuckSection,
      stuckProjectCount,
      stuckProjects.map(({ name }) => `- ${escaped(name)}`),
    ),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function list(heading: string, total: number, lines: readonly string[]): string {
  if (total === 0) return "";
  const rest = total > lines.length ? [`- … ${WORDS.more(total - lines.length)}`] : [];
  return [`## ${heading} (${total})`, "", ...lines, ...rest].join("\n");
}

/** No checkbox, which would become a task in the vault. */
function taskLine(task: TaskRow, today: string, remark: string | undefined): string {
  const { title, due, priority, area, parentProjects = [] } = task;
  const facts = [
    remark,
    remark === undefined && due !== undefined ? WORDS.dueOn(dayText(due, today)) : undefined,
    priority === "High" ? REVIEW_WORDS.highPriority : undefined,
    [area, parentProjects[0]].filter((name) => name !== undefined).join(" · "),
  ].filter((fact) => fact !== undefined && fact !== "");
  return `- ${escaped(title)}${facts.length === 0 ? "" : ` (${facts.map((fact) => escaped(fact ?? "")).join(", ")})`}`;
}

/** Also escapes `#`, which would make a tag. */
function escaped(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>#|~=$%]/g, String.raw`\$&`);
}

export const WEEKS_SHOWN = 53;

type ReviewDay = NonNullable<ToolAnswers["get_agenda"]["days"]>[number];
export interface YearDay extends ReviewDay {}

/** From the Monday 52 weeks ago to today. */
export function yearDays(counted: readonly ReviewDay[], today: string): readonly YearDay[] {
  const first = dayAfter(mondayOf(today), -7 * (WEEKS_SHOWN - 1));
  const known = new Map(counted.map((row) => [row.day, row]));
  let open = counted.findLast(({ day }) => day <= first)?.open ?? 0;
  return Array.from({ length: daysBetween(first, today) + 1 }, (_, index) => {
    const day = dayAfter(first, index);
    const { done = 0, created = 0 } = known.get(day) ?? {};
    open = known.get(day)?.open ?? open;
    return { day, done, created, open };
  });
}

/** A week's sums under its Monday; `open` as at its end. */
export function yearWeeks(days: readonly YearDay[]): readonly YearDay[] {
  const weeks = Array.from({ length: Math.ceil(days.length / 7) }, (_, week) => days.slice(week * 7, week * 7 + 7));
  return weeks.map((week) => ({
    day: week[0]?.day ?? "",
    done: sumOf(week, "done"),
    created: sumOf(week, "created"),
    open: week.at(-1)?.open ?? 0,
  }));
}

export function sumOf(days: readonly YearDay[], what: "done" | "created"): number {
  return days.reduce((sum, day) => sum + day[what], 0);
}

/** Whole numbers from 0, or from near `least` where 0 would flatten the line, to at least `greatest`. */
export function axisTicks(least: number, greatest: number): readonly number[] {
  const from = least > greatest / 2 && least < greatest ? least : 0;
  const gap = Math.max(1, (greatest - from) / 4);
  const power = 10 ** Math.floor(Math.log10(gap));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= gap) ?? 1;
  const first = Math.floor(from / step);
  const count = Math.max(1, Math.ceil(greatest / step) - first) + 1;
  return Array.from({ length: count }, (_, index) => (first + index) * step);
}

/** The value of the strongest colour, chosen so that one busy day does not pale all others. */
export function strongest(days: readonly YearDay[]): number {
  const counts = days.map(({ done }) => done).filter((done) => done > 0);
  counts.sort((a, b) => a - b);
  return Math.max(4, counts[Math.floor(counts.length * 0.95)] ?? 0);
}
