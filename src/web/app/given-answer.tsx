/** Draws a task tool's answer as lists of cards, and repeats the call to refresh it. */
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { Button } from "../parts/controls.js";
import type { ToolAnswers, ToolArguments, ToolName } from "../carrier/carrier.js";
import { QueryState } from "../parts/query-state.js";
import { TaskSection } from "../parts/task-section.js";
import { dayText, localToday } from "../state/days.js";
import { usePage } from "../state/page.js";
import { useQuery } from "../state/queries.js";
import { WORDS } from "../words.js";
import type { Given } from "./host.js";

type Search = ToolAnswers["search_tasks"];
type Agenda = ToolAnswers["get_agenda"];
type Scan = ToolAnswers["scan_vault"];

const PAGE_SIZE = 20;
/** The limit of `search_tasks`; the board shows more. */
const MAX_ROWS = 100;

interface GivenProps {
  readonly args: ToolArguments;
  readonly answer: Extract<Given, { kind: "answer" }>;
}

/** Hosts need not name the tool: the answer's properties identify it. */
export function GivenAnswer({ args, answer: { data, number } }: GivenProps): JSX.Element {
  if ("view" in data) return <AgendaAnswer given={data as Agenda} args={args} number={number} />;
  if ("query" in data) return <SearchAnswer given={data as Search} args={args} number={number} />;
  return <ScanAnswer given={data as Scan} args={args} number={number} />;
}

/** The given answer first, then that of a repeated call. */
function useAnswer<Name extends ToolName>(
  name: Name,
  { given, args, number }: AnswerProps<ToolAnswers[Name]>,
  more: { readonly limit?: number } = {},
) {
  const { connection } = usePage();
  const isGiven = useRef(true);
  return useQuery(
    `given:${number}:${more.limit}`,
    async (call) => {
      const isRepeated = !isGiven.current && connection.offers(name);
      isGiven.current = false;
      return isRepeated ? await call(name, { ...args, ...more }) : given;
    },
    { keepsLast: true },
  );
}

interface AnswerProps<Answer> {
  readonly given: Answer;
  readonly args: ToolArguments;
  readonly number: number;
}

function SearchAnswer(props: AnswerProps<Search>): JSX.Element {
  const { given } = props;
  const { connection } = usePage();
  const [limit, setLimit] = useState(given.tasks.length);
  const query = useAnswer("search_tasks", props, limit > given.tasks.length ? { limit } : {});
  const { tasks, total } = query.data.value ?? given;
  const canGrow = connection.offers("search_tasks") && limit < MAX_ROWS;
  return (
    <>
      <QueryState query={query} />
      <TaskSection
        name="found"
        heading={WORDS.foundTasks}
        tasks={tasks}
        total={total}
        today={localToday()}
        empty={WORDS.nothingFound}
        keepsDone
        onMore={canGrow ? () => setLimit(Math.min(limit + PAGE_SIZE, MAX_ROWS)) : undefined}
      />
    </>
  );
}

function AgendaAnswer(props: AnswerProps<Agenda>): JSX.Element {
  const query = useAnswer("get_agenda", props);
  const { sections = [], projects = [], today } = query.data.value ?? props.given;
  const isEmpty = sections.every(({ total }) => total === 0) && projects.length === 0;
  return (
    <>
      <QueryState query={query} />
      {isEmpty && <p class="empty">{WORDS.nothingToday}</p>}
      {sections.map(({ kind, name, day, total, tasks }) => (
        <TaskSection
          key={name}
          name={day ?? kind}
          heading={day === undefined ? name : WORDS.capital(dayText(day, today))}
          tasks={tasks}
          total={total}
          today={today}
          empty=""
          keepsDone
        />
      ))}
      {projects.length > 0 && (
        <ul class="project-rows stack">
          {projects.map(({ kind, name, done, open, next, nextId }) => (
            <li class="row wrap" key={`${kind} ${name}`}>
              <strong>{name}</strong> <span>{WORDS.doneOfAll(done, done + open)}</span>
              {next !== undefined && nextId !== undefined && <NextTask title={next} id={nextId} />}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function NextTask({ title, id }: { readonly title: string; readonly id: string }): JSX.Element {
  const { address, connection } = usePage();
  if (!connection.offers("get_task")) return <span>{WORDS.nextTask(title)}</span>;
  return (
    <Button class="link" onClick={() => address.open("task", id)}>
      {WORDS.nextTask(title)}
    </Button>
  );
}

function ScanAnswer(props: AnswerProps<Scan>): JSX.Element {
  const query = useAnswer("scan_vault", props);
  const { tasks, alsoDue, totalOutstanding, overdueCount, dueThisWeekCount, today } = query.data.value ?? props.given;
  return (
    <>
      <QueryState query={query} />
      <p class="totals">{WORDS.sums(totalOutstanding, overdueCount, dueThisWeekCount)}</p>
      {[
        { name: "first", heading: WORDS.mostUrgent, tasks },
        { name: "due", heading: WORDS.alsoDue, tasks: alsoDue },
      ]
        .filter((section, at) => at === 0 || section.tasks.length > 0)
        .map((section) => (
          <TaskSection {...section} key={section.name} total={section.tasks.length} today={today} empty="" keepsDone />
        ))}
    </>
  );
}
