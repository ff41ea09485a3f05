/** Draws a task tool's answer as cards, and repeats the call to refresh it. */
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { ToolAnswers, ToolArguments, ToolName } from "../transport/transport.js";
import { ProjectSection, type ProjectSectionProps } from "../parts/project-list.js";
import { QueryState } from "../parts/query-state.js";
import { TaskSection } from "../parts/task-section.js";
import { dayText } from "../state/days.js";
import { usePage } from "../state/page.js";
import { useQuery } from "../state/queries.js";
import type { TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";
import type { Given } from "./host.js";
import { APP_WORDS, PROJECT_WORDS } from "../later-words.js";

type Search = ToolAnswers["search_tasks"];
type Agenda = ToolAnswers["get_agenda"];
type Scan = ToolAnswers["scan_vault"];

/** Shown at first: an answer is one of many in a conversation. */
const FEW = 5;
const PAGE_SIZE = 20;
/** The limit of `search_tasks`; the board shows more. */
const MAX_ROWS = 100;

interface Section {
  readonly name: string;
  readonly heading: string;
  readonly items: readonly TaskRow[];
  readonly total: number;
}

/** Hosts need not name the tool: the answer's properties identify it. */
function toolOf(data: object): ToolName {
  return "view" in data ? "get_agenda" : "query" in data ? "search_tasks" : "scan_vault";
}

function sectionsOf(data: object, today: string): readonly Section[] {
  const list = (name: string, heading: string, items: readonly TaskRow[], total = items.length) => [
    { name, heading, items, total },
  ];
  if ("query" in data) return list("found", WORDS.searchTasks, (data as Search).tasks, (data as Search).total);
  if (!("view" in data)) {
    const { tasks, alsoDue } = data as Scan;
    const due = alsoDue.length > 0 ? list("due", APP_WORDS.alsoDue, alsoDue) : [];
    return [...list("first", APP_WORDS.mostUrgent, tasks), ...due];
  }
  return ((data as Agenda).sections ?? []).flatMap(({ kind, name, day, total, tasks }) =>
    list(day ?? kind, day === undefined ? name : WORDS.capital(dayText(day, today)), tasks, total),
  );
}

const PROJECT_LISTS = [
  { kind: "project", heading: PROJECT_WORDS.projects },
  { kind: "area", heading: PROJECT_WORDS.areas },
] as const;

interface GivenProps {
  /** Null without a board. */
  readonly onProject: ProjectSectionProps["onOpen"];
  readonly args: ToolArguments;
  readonly answer: Extract<Given, { kind: "answer" }>;
}

export function GivenAnswer({ args, onProject, answer: { data: given, number } }: GivenProps): JSX.Element {
  const { connection } = usePage();
  const tool = toolOf(given);
  const isSearch = tool === "search_tasks";
  const [limit, setLimit] = useState(0);
  const isGiven = useRef(true);
  // The given answer first, then that of a repeated call.
  const query = useQuery<object>(
    `given:${number}:${limit}`,
    async (call) => {
      const isRepeated = !isGiven.current && connection.offers(tool);
      isGiven.current = false;
      return isRepeated ? await call(tool, { ...args, ...(limit > 0 && { limit }) }) : given;
    },
    { keepsLast: true },
  );
  const data = query.data.value ?? given;
  const { projects = [] } = data as Partial<Agenda>;
  const sections = sectionsOf(data, connection.today.value);
  const shown = sections[0]?.items.length ?? 0;
  const canGrow = isSearch && connection.offers(tool) && shown < MAX_ROWS;
  const isEmpty = projects.length === 0 && sections.every(({ total }) => total === 0);
  return (
    <>
      <QueryState query={query} />
      {"totalOutstanding" in data && <p class="totals">{sumsOf(data as Scan)}</p>}
      {tool === "get_agenda" && isEmpty && <p class="empty">{WORDS.nothingToday}</p>}
      {sections.map((section) => (
        <TaskSection
          key={section.name}
          {...section}
          empty={isSearch ? WORDS.nothingFound : ""}
          fold={FEW}
          keepsDone
          showMore={canGrow ? () => setLimit(Math.min(shown + PAGE_SIZE, MAX_ROWS)) : undefined}
        />
      ))}
      {PROJECT_LISTS.map(({ kind, heading }) => {
        const rows = projects.filter((row) => row.kind === kind);
        return (
          rows.length > 0 && (
            <ProjectSection key={kind} label={heading} total={rows.length} rows={rows} fold={FEW} onOpen={onProject} />
          )
        );
      })}
    </>
  );
}

const sumsOf = ({ totalOutstanding, overdueCount, dueThisWeekCount }: Scan): string =>
  APP_WORDS.sums(totalOutstanding, overdueCount, dueThisWeekCount);
