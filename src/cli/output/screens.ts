/** What a person sees on a terminal, made of a command's data: headings, rows in columns, totals, and a hint on the last line. */
import type { CommandName } from "../commands.js";
import { hanging, wrapped } from "./columns.js";
import { printable } from "../terminal.js";
import { painter, type Paint } from "./style.js";
import { taskLines, type TaskRow } from "./task-rows.js";

export interface ScreenOptions {
  readonly columns: number;
  readonly color: boolean;
  /** YYYY-MM-DD: decides what is overdue where the data does not say. */
  readonly today: string;
  /** Whether the last line says what to do next. */
  readonly hints: boolean;
}

interface Screen extends ScreenOptions {
  readonly paint: Paint;
}

type Data = Readonly<Record<string, any>>;

/** Commands that have a screen of their own; of others the words are laid out. */
const SCREENS: Readonly<Partial<Record<CommandName, (data: Data, screen: Screen) => readonly string[]>>> = {
  scan: scanned,
  list: listed,
  search: listed,
  today: agenda,
  week: agenda,
  find: foundNotes,
};

/** What a natural next step would be; with tasks or notes to take it with. */
const NEXT: Readonly<Partial<Record<CommandName, string>>> = {
  scan: "Next: show <task> or done <task>; list --due overdue, --is ready and others narrow.",
  list: "Next: show <task>, done <task> or set <task> field=value.",
  search: "Next: show <task>, done <task> or set <task> field=value.",
  today: "Next: done <task>, or week for the days to come.",
  week: "Next: done <task>, or set <task> due=friday.",
  find: "Next: read <note>.",
  add: "Next: show <task>; undo takes it back.",
  done: "Next: today; undo takes it back.",
  set: "Next: show <task>; undo takes it back.",
};

/** @param words what is shown of commands without a screen of their own */
export function screenOf(name: CommandName, data: Data, words: string, options: ScreenOptions): string {
  const screen = { ...options, paint: painter(options.color) };
  const own = SCREENS[name];
  const lines = own ? own(harmless(data), screen) : laidOut(printable(words), screen);
  const hint = !options.hints || isEmpty(name, data) ? undefined : NEXT[name];
  const last =
    hint === undefined ? [] : ["", ...wrapped(hint, options.columns).map((line) => screen.paint("dim", line))];
  return [...lines, ...last].join("\n");
}

/** Data whose texts drive no terminal and stay on their line. */
function harmless(data: Data): Data {
  const text = JSON.stringify(data, (_, value: unknown) =>
    typeof value === "string" ? printable(value).replace(/\s+/g, " ") : value,
  );
  return JSON.parse(text) as Data;
}

/** Words as they are, wrapped with what hangs below where it began; titles bold. */
function laidOut(words: string, { columns, paint }: Screen): string[] {
  return words
    .split("\n")
    .flatMap((line) => hanging(line, columns))
    .map((line) => line.replace(/\*\*(.+?)\*\*/g, (_, title: string) => paint("bold", title)));
}

function isEmpty(name: CommandName, { tasks, notes, sections }: Data): boolean {
  const isList = ["scan", "list", "search", "today", "week", "find"].includes(name);
  if (!isList) return false;
  const rows =
    tasks ?? notes ?? (sections as readonly { tasks: readonly unknown[] }[] | undefined)?.flatMap((one) => one.tasks);
  return (rows?.length ?? 0) === 0;
}

function scanned(data: Data, { columns, today, paint }: Screen): string[] {
  const rows: readonly TaskRow[] = data["tasks"];
  if (data["totalOutstanding"] === 0) return [`No outstanding tasks in ${data["vault"]}.`];
  const counts = [
    `${data["totalOutstanding"]} outstanding`,
    data["overdueCount"] > 0 ? paint("overdue", `${data["overdueCount"]} overdue`) : "none overdue",
    `${data["dueThisWeekCount"]} due this week`,
  ];
  return [
    ...wrapped(`${data["vault"]}: ${counts.join(", ")}`, columns),
    "",
    ...taskLines(rows, columns, data["today"] ?? today, paint),
  ];
}

function listed(data: Data, { columns, today, paint }: Screen): string[] {
  const {
    total,
    offset,
    tasks: rows,
    more,
  } = data as { total: number; offset: number; tasks: readonly TaskRow[]; more?: number };
  if (total === 0) return [`No tasks found for "${data["query"]}".`];
  const range = more === undefined ? "" : `; these are ${offset + 1} to ${offset + rows.length}, --limit shows more`;
  return [
    ...taskLines(rows, columns, today, paint),
    "",
    ...wrapped(`${total} ${total === 1 ? "task" : "tasks"}${range}`, columns),
  ];
}

function agenda(data: Data, screen: Screen): string[] {
  const sections: readonly { name: string; total: number; tasks: readonly TaskRow[] }[] = data["sections"] ?? [];
  const filled = sections.filter(({ total }) => total > 0);
  if (filled.length === 0) return ["Nothing is overdue, scheduled or due."];
  return filled.flatMap(({ name, total, tasks }, at) => [
    ...(at === 0 ? [] : [""]),
    screen.paint(name === "Overdue" ? "overdue" : "bold", `${name} (${total})`),
    ...taskLines(tasks, screen.columns, data["today"] ?? screen.today, screen.paint),
    ...(total > tasks.length ? [`… and ${total - tasks.length} more`] : []),
  ]);
}

function foundNotes(data: Data, { columns, paint }: Screen): string[] {
  const notes: readonly { title: string; path: string; mtime: string; date?: string; snippet?: string }[] =
    data["notes"];
  const total: number = data["match_count"];
  if (total === 0) return ["No notes found."];
  const rows = notes.flatMap(({ title, path, mtime, date, snippet }) => [
    ...hanging(title, columns).map((line) => paint("bold", line)),
    ...wrapped(`${path} · ${date ?? mtime.slice(0, 10)}`, columns - 2).map((line) => `  ${paint("dim", line)}`),
    ...(snippet === undefined ? [] : wrapped(snippet, columns - 2).map((line) => `  ${line}`)),
  ]);
  const rest = data["next_offset"] === undefined ? "" : `; these are the first ${notes.length}, --limit shows more`;
  return [...rows, "", ...wrapped(`${total} ${total === 1 ? "note" : "notes"}${rest}`, columns)];
}
