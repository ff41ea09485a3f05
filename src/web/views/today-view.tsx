/** What wants doing: overdue, today, the next seven days, and what is important without a date (spec: web, section 4). */
import type { JSX } from "preact";
import type { ToolAnswers } from "../carrier/carrier.js";
import { QuickAdd } from "../parts/quick-add.js";
import { QueryState } from "../parts/query-state.js";
import { TaskList } from "../parts/task-list.js";
import { dayText, longDay } from "../state/days.js";
import { type TasksPage, usePage, useQuery } from "../state/page.js";
import type { TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";

type Agenda = ToolAnswers["get_agenda"];
type Entry = NonNullable<Agenda["sections"]>[number]["tasks"][number];

const DAYS = 8;
const MOST_UNDATED = 20;

interface Today {
  readonly agenda: Agenda;
  readonly undated: readonly TaskRow[];
}

async function load({ connection }: TasksPage, signal: AbortSignal): Promise<Today> {
  const undated = {
    query: "*",
    due: "none",
    scheduled: "none",
    is: ["outstanding"],
    sort: "priority",
    limit: MOST_UNDATED,
  };
  const [agenda, { tasks }] = await Promise.all([
    connection.call("get_agenda", { view: "week", days: DAYS }, { signal }),
    connection.call("search_tasks", undated, { signal }),
  ]);
  return { agenda, undated: tasks.filter(({ priority }) => priority === "High") };
}

export function TodayView(): JSX.Element {
  const page = usePage();
  const query = useQuery("today", load);
  const data = query.data.value;
  return (
    <div class="today">
      <header class="view-heading">
        <h1>{WORDS.today}</h1>
        {data && <p>{longDay(data.agenda.today)}</p>}
      </header>
      {page.connection.offers("add_tasks") && <QuickAdd name="quick-add" />}
      <QueryState query={query} />
      {data && <Sections {...data} />}
    </div>
  );
}

function Sections({ agenda, undated }: Today): JSX.Element {
  const { today, sections = [] } = agenda;
  const { changes } = usePage();
  const isThere = ({ id }: TaskRow) => changes.drawn.value.get(id)?.status !== "Done";
  const overdue = sections.find(({ day }) => day === undefined);
  const now = sections.find(({ day }) => day === today);
  const later = sections.filter(({ day }) => day !== undefined && day > today);
  const isEmpty = sections.length === 0 && undated.length === 0;
  return (
    <>
      {isEmpty && <p class="empty">{WORDS.allClear}</p>}
      {overdue && (
        <DaySection
          name="overdue"
          heading={WORDS.overdueSection}
          entries={overdue.tasks}
          total={overdue.total}
          today={today}
          isThere={isThere}
        />
      )}
      {!isEmpty && (
        <DaySection
          name="now"
          heading={WORDS.today}
          entries={now?.tasks ?? []}
          total={now?.total ?? 0}
          today={today}
          isThere={isThere}
        />
      )}
      {later.map(({ day = "", tasks, total }) => (
        <DaySection
          key={day}
          name={day}
          heading={WORDS.capital(dayText(day, today))}
          note={longDay(day)}
          entries={tasks}
          total={total}
          today={today}
          isThere={isThere}
        />
      ))}
      {undated.length > 0 && (
        <DaySection
          name="undated"
          heading={WORDS.undatedSection}
          entries={undated}
          total={undated.length}
          today={today}
          isThere={isThere}
        />
      )}
    </>
  );
}

interface DaySectionProps {
  readonly name: string;
  readonly heading: string;
  readonly note?: string;
  readonly entries: readonly Entry[];
  readonly total: number;
  readonly today: string;
  readonly isThere: (task: TaskRow) => boolean;
}

function DaySection({ name, heading, note, entries, total, today, isThere }: DaySectionProps): JSX.Element {
  const { changes } = usePage();
  const tasks = entries.filter(isThere).map((entry) => changes.seen(entry));
  const projected = new Set(entries.filter((entry) => entry.projected === true).map(({ id }) => id));
  const rest = total - entries.length;
  return (
    <section class={`day-section ${name}`} aria-labelledby={`day-${name}`}>
      <h2 id={`day-${name}`}>
        {heading} {note !== undefined && note !== heading && <small>{note}</small>} <span class="count">{total}</span>
      </h2>
      {tasks.length === 0 ? (
        <p class="empty">{name === "now" ? WORDS.nothingToday : WORDS.nothingMore}</p>
      ) : (
        <TaskList
          name={name}
          label={heading}
          tasks={tasks}
          today={today}
          remarkOf={({ id }) => (projected.has(id) ? WORDS.projected : undefined)}
        />
      )}
      {rest > 0 && <p class="hint">{WORDS.more(rest)}</p>}
    </section>
  );
}
