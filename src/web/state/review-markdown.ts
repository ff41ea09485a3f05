/** A review as Markdown to paste into a note or a mail. */
import { WORDS } from "../words.js";
import { REVIEW_WORDS } from "./review-words.js";
import { dayText, longDay } from "./days.js";
import type { TaskRow } from "./task-row.js";

interface ReviewText {
  readonly today: string;
  readonly sums: readonly { readonly name: string; readonly value: number; readonly remark?: string | undefined }[];
  readonly sections: readonly {
    readonly heading: string;
    readonly total: number;
    readonly tasks: readonly TaskRow[];
    readonly remarkOf?: ((task: TaskRow) => string | undefined) | undefined;
  }[];
  readonly stuckProjects: readonly string[];
  readonly stuckProjectCount: number;
}

export function reviewMarkdown({ today, sums, sections, stuckProjects, stuckProjectCount }: ReviewText): string {
  const parts = [
    `# ${REVIEW_WORDS.reviewOn(longDay(today))}`,
    sums
      .map(({ name, value, remark }) => `- ${name}: ${value}${remark === undefined ? "" : ` (${remark})`}`)
      .join("\n"),
    ...sections.map(({ heading, total, tasks, remarkOf }) =>
      list(
        heading,
        total,
        tasks.map((task) => taskLine(task, today, remarkOf?.(task))),
      ),
    ),
    list(
      REVIEW_WORDS.stuckSection,
      stuckProjectCount,
      stuckProjects.map((name) => `- ${escaped(name)}`),
    ),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function list(heading: string, total: number, lines: readonly string[]): string {
  if (total === 0) return "";
  const rest = total > lines.length ? [`- … ${WORDS.more(total - lines.length)}`] : [];
  return [`## ${heading} (${total})`, "", ...lines, ...rest].join("\n");
}

/** No checkbox: in the vault it would become a task. */
function taskLine(task: TaskRow, today: string, remark: string | undefined): string {
  const { title, due, priority, area, parentProjects = [] } = task;
  const facts = [
    remark,
    remark === undefined && due !== undefined ? WORDS.dueOn(dayText(due, today)) : undefined,
    priority === "High" ? WORDS.highPriority : undefined,
    [area, parentProjects[0]].filter((name) => name !== undefined).join(" · "),
  ].filter((fact) => fact !== undefined && fact !== "");
  return `- ${escaped(title)}${facts.length === 0 ? "" : ` (${facts.map((fact) => escaped(fact ?? "")).join(", ")})`}`;
}

/** Escapes Markdown's characters, and `#`, which would make a tag. */
function escaped(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>#|~=$%]/g, String.raw`\$&`);
}
