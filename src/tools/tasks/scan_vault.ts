/** Open tasks, and what cannot be read (docs: tasks, "scan_vault"). */
import { call, joined, said, type Wording, counted } from "../../text/wording.js";
import { array, count, object, optional, string, type Infer } from "../schema.js";
import { oneLine } from "../safe-text.js";
import { defineTool } from "../tool.js";
import {
  detailsOf,
  LIST_LIMIT,
  numberedLine,
  PROBLEM_SCHEMA,
  problemView,
  projectSuffix,
  TASK_SCHEMA,
  type TaskView,
  viewOf,
} from "./task-view.js";

/** Tasks in the text. */
const TOP = 7;
/** Further due tasks in the second block. */
const MAX_ALSO_DUE = 20;
const MAX_NAMED_PROBLEMS = 5;

const list = (description: string) => array(string(), description, { maxItems: LIST_LIMIT });

const output = object({
  vault: string("The vault as it was named"),
  today: string("The day overdue is counted from, YYYY-MM-DD"),
  tasks: array(TASK_SCHEMA, "The first outstanding tasks", { maxItems: TOP }),
  totalOutstanding: count("All outstanding tasks"),
  overdueCount: count("Outstanding tasks due before today"),
  overdue: list("Their ids, at most 100"),
  dueThisWeekCount: count("Outstanding tasks due from today through today + 7 days"),
  dueThisWeek: list("Their ids, at most 100"),
  alsoDue: array(TASK_SCHEMA, "Overdue tasks and those due this week that are not among tasks, at most 20", {
    maxItems: MAX_ALSO_DUE,
  }),
  inlineTasks: optional(count("How many of the outstanding tasks are checkboxes in notes; absent when none is")),
  inlineNotes: optional(count("In how many notes those are")),
  notCounted: optional(string("Open checkboxes that are no tasks, in words; absent when there are none")),
  unreadInline: optional(
    count("Checkboxes marked as tasks that do not count; absent when there are none or they are not known"),
  ),
  taskCount: count("All tasks, done and archived ones included"),
  noteCount: count("All notes"),
  paraFolders: object(
    {
      projects: list("Projects folders"),
      areas: list("Areas folders"),
      resources: list("Resources folders"),
      archive: list("Archive folders"),
      inbox: list("Inbox folders"),
    },
    "The PARA folders found, as vault paths",
  ),
  problemCount: count("Everything that cannot be read; a note may have several"),
  problems: array(PROBLEM_SCHEMA, "What cannot be read and where, at most 100", { maxItems: LIST_LIMIT }),
});
type Scan = Infer<typeof output>;
export type ScanAnswer = Scan;

export const scanVault = defineTool({
  name: "scan_vault",
  title: "Scan vault",
  toolset: "tasks",
  effect: "reads",
  description:
    "Start here, or ask what is due: lists an Obsidian vault's top outstanding tasks with totals, overdue and due-this-week counts. " +
    "The scanned vault is the one the other tools use. Then search_tasks for more, get_task for one.",
  input: object({
    vaultPath: optional(
      string("Path to the Obsidian vault directory", {
        examples: ["C:/Users/username/Documents/Vaults/MyVault", "/Users/username/Documents/Vaults/MyVault"],
        minLength: 1,
      }),
    ),
  }),
  vaultArgument: "vaultPath",
  output,
  failure: "❌ Error scanning vault:",
  async run({ vaultPath }, { workspace, log, say, signal, onProgress }) {
    const vault = await workspace.open(vaultPath);
    log.debug(`Scanning vault: ${oneLine(vaultPath ?? vault.name)}`);
    const agenda = await vault.tasks.agenda({ limit: LIST_LIMIT, signal, onProgress });
    const [notCounted] = say([await vault.tasks.notCounted?.({}, { signal })]);
    const { projects, areas, resources, archive, inbox } = agenda.paraFolders;
    const some = (texts: readonly string[]) => texts.slice(0, LIST_LIMIT);
    const ids = (tasks: typeof agenda.outstanding) => some(tasks.map((task) => task.id));
    const views = (tasks: typeof agenda.outstanding) => tasks.map((task) => viewOf(task, agenda.waitsFor.get(task)));
    const top = agenda.outstanding.slice(0, TOP);
    const alsoDue = [...agenda.overdue, ...agenda.dueThisWeek].filter((task) => !top.includes(task));
    return {
      vault: vaultPath ?? vault.name,
      today: agenda.today,
      tasks: views(top),
      totalOutstanding: agenda.totals.outstanding,
      overdueCount: agenda.totals.overdue,
      overdue: ids(agenda.overdue),
      dueThisWeekCount: agenda.totals.dueThisWeek,
      dueThisWeek: ids(agenda.dueThisWeek),
      alsoDue: views(alsoDue.slice(0, MAX_ALSO_DUE)),
      inlineTasks: agenda.inline.tasks || undefined,
      inlineNotes: agenda.inline.notes || undefined,
      notCounted,
      unreadInline: agenda.unreadInline || undefined,
      taskCount: agenda.taskCount,
      noteCount: agenda.noteCount,
      paraFolders: {
        projects: some(projects),
        areas: some(areas),
        resources: some(resources),
        archive: some(archive),
        inbox: some(inbox),
      },
      problemCount: agenda.problems.length,
      problems: agenda.problems.slice(0, LIST_LIMIT).map(problemView),
    };
  },
  text: summary,
  details,
});

function summary(scan: Scan): string {
  if (scan.totalOutstanding === 0 && scan.unreadInline === undefined)
    return `🎉 No outstanding tasks found in vault: ${oneLine(scan.vault)}`;
  const tasks = scan.tasks.map((task, index) => {
    const due = task.due ?? "No Due Date";
    return `${index + 1}. **${task.title}** (${task.status}) - Due: ${due} - Area: ${task.area ?? "Unassigned"}${projectSuffix(task)}`;
  });
  const totals = [
    "📊 Summary:",
    `   Total outstanding tasks: ${scan.totalOutstanding}`,
    `   Overdue tasks: ${scan.overdueCount}`,
    `   Due this week: ${scan.dueThisWeekCount}${inlineLine(scan)}`,
  ];
  const blocks = [["📋 Top 7 Outstanding Tasks:"], tasks, totals].filter((lines) => lines.length > 0);
  return [`🔍 Vault: ${oneLine(scan.vault)}`, ...blocks.map((lines) => lines.join("\n"))].join("\n\n");
}

function inlineLine({ inlineTasks, inlineNotes = 0 }: Scan): string {
  return inlineTasks === undefined
    ? ""
    : `\n   Inline tasks: ${inlineTasks} of these, in ${counted(inlineNotes, "note")}`;
}

/** Of the tasks above, then other due tasks. */
function details(scan: Scan): Wording {
  const among = (tasks: readonly TaskView[], overdue: boolean): readonly TaskView[] =>
    tasks.filter(({ due }) => due !== undefined && due < scan.today === overdue);
  const late = {
    heading: "Overdue, not among the above:",
    filter: "overdue",
    listed: among(scan.alsoDue, true),
    total: scan.overdueCount - among(scan.tasks, true).length,
  };
  const week = {
    heading: "Due this week, not among the above:",
    filter: "this week",
    listed: among(scan.alsoDue, false),
    total: scan.dueThisWeekCount - scan.tasks.filter(({ id }) => scan.dueThisWeek.includes(id)).length,
  };
  const numbered = scan.tasks.map((task, index) => numberedLine(task, index + 1, scan.today));
  return joined([
    ...numbered,
    ...dueLines(late, scan.today),
    ...dueLines(week, scan.today),
    ...unreadLine(scan),
    ...problemLines(scan),
    scan.notCounted,
  ]);
}

function unreadLine({ unreadInline = 0 }: Scan): readonly Wording[] {
  if (unreadInline === 0) return [];
  const what = `Checkboxes marked as tasks that do not count here: ${unreadInline}`;
  const list = call("search_tasks", { is: ["inline"] }, 'search_tasks with is: ["inline"]');
  return [said`${what}; ${list} lists them.`.or(`${what}.`)];
}

function problemLines({ problems, problemCount }: Scan): readonly string[] {
  if (problemCount === 0) return [];
  const first = problems.slice(0, MAX_NAMED_PROBLEMS).map(({ path, line, message }) => {
    return `- ${oneLine(path)}${line === undefined ? "" : `, line ${line}`}: ${message}`;
  });
  const rest = problemCount - first.length;
  return [
    "Cannot be read, or only in part, so that tasks may be missing:",
    ...first,
    ...(rest > 0 ? [`- and ${rest} more`] : []),
  ];
}

interface DueList {
  readonly heading: string;
  readonly filter: string;
  readonly listed: readonly TaskView[];
  readonly total: number;
}

function dueLines({ heading, filter, listed, total }: DueList, today: string): readonly Wording[] {
  if (total <= 0) return [];
  const rest = total - listed.length;
  const lines = listed.map((task) => `- ${task.title}: ${detailsOf(task, today)}`);
  const more = `- and ${rest} more`;
  const list = call("search_tasks", { query: "*", is: ["outstanding"], due: filter });
  return [heading, ...lines, ...(rest > 0 ? [said`${more}: ${list}`.or(more)] : [])];
}
