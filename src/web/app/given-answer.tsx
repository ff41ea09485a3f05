/** Draws a task tool's answer as lists of cards, and repeats the call to refresh it. */
import type { ComponentChildren, JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { ToolAnswers, ToolArguments, ToolName } from "../carrier/carrier.js";
import { QueryState } from "../parts/query-state.js";
import { TaskList } from "../parts/task-list.js";
import { dayText, localToday } from "../state/days.js";
import { usePage } from "../state/page.js";
import { useQuery } from "../state/queries.js";
import type { TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";
import type { Given, Host } from "./host.js";

type Search = ToolAnswers["search_tasks"];
type Agenda = ToolAnswers["get_agenda"];
type Scan = ToolAnswers["scan_vault"];

const PAGE_SIZE = 20;
/** The limit of `search_tasks`; the board shows more. */
const MAX_ROWS = 100;

interface GivenProps {
  readonly host: Host;
  readonly answer: Extract<Given, { kind: "answer" }>;
}

/** Hosts need not name the tool: the answer's properties identify it. */
export function GivenAnswer({ host, answer: { data, number } }: GivenProps): JSX.Element {
  const given = { args: host.args.value, number };
  if ("view" in data) return <AgendaAnswer {...given} given={data as unknown as Agenda} />;
  if ("query" in data) return <SearchAnswer {...given} given={data as unknown as Search} />;
  return <ScanAnswer {...given} given={data as unknown as Scan} />;
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
  const rest = total - tasks.length;
  return (
    <>
      <QueryState query={query} />
      <TaskSection name="found" heading={WORDS.foundTasks} total={total} tasks={tasks} />
      {total === 0 && <p class="empty">{WORDS.nothingFound}</p>}
      {rest > 0 &&
        (connection.offers("search_tasks") && limit < MAX_ROWS ? (
          <button type="button" onClick={() => setLimit(Math.min(limit + PAGE_SIZE, MAX_ROWS))}>
            {WORDS.showMoreOf(rest)}
          </button>
        ) : (
          <p class="hint">{WORDS.more(rest)}</p>
        ))}
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
      {sections.map(({ name, day, total, tasks }) => {
        const heading = day === undefined ? name : WORDS.capital(dayText(day, today));
        return (
          <TaskSection key={name} name={name} heading={heading} total={total} tasks={tasks} today={today}>
            {total > tasks.length && <p class="hint">{WORDS.more(total - tasks.length)}</p>}
          </TaskSection>
        );
      })}
      {projects.length > 0 && (
        <ul class="project-rows">
          {projects.map(({ kind, name, done, open, next, nextId }) => (
            <li key={`${kind} ${name}`}>
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
    <button type="button" class="link" onClick={() => address.open("task", id)}>
      {WORDS.nextTask(title)}
    </button>
  );
}

function ScanAnswer(props: AnswerProps<Scan>): JSX.Element {
  const query = useAnswer("scan_vault", props);
  const { tasks, alsoDue, totalOutstanding, overdueCount, dueThisWeekCount, today } = query.data.value ?? props.given;
  return (
    <>
      <QueryState query={query} />
      <p class="totals">{WORDS.sums(totalOutstanding, overdueCount, dueThisWeekCount)}</p>
      <TaskSection name="first" heading={WORDS.mostUrgent} tasks={tasks} today={today} />
      {alsoDue.length > 0 && <TaskSection name="due" heading={WORDS.alsoDue} tasks={alsoDue} today={today} />}
    </>
  );
}

interface TaskSectionProps {
  readonly name: string;
  readonly heading: string;
  readonly tasks: readonly TaskRow[];
  readonly total?: number;
  readonly today?: string;
  readonly children?: ComponentChildren;
}

function TaskSection({ name, heading, tasks, total, today = localToday(), children }: TaskSectionProps): JSX.Element {
  const { changes } = usePage();
  return (
    <section class="task-section" aria-label={heading}>
      <h2>
        {heading} {total !== undefined && <span class="count">{total}</span>}
      </h2>
      {tasks.length > 0 && (
        <TaskList name={name} label={heading} tasks={tasks.map((task) => changes.seen(task))} today={today} />
      )}
      {children}
    </section>
  );
}
