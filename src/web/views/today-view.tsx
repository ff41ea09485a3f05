/** What wants doing: overdue, today, the next seven days, and what is important without a date (spec: web, section 4). */
import type { JSX } from "preact";
import type { ToolAnswers } from "../carrier/carrier.js";
import { QuickAdd } from "../parts/quick-add.js";
import { QueryState } from "../parts/query-state.js";
import { TaskSection } from "../parts/task-section.js";
import { dayText, longDay } from "../state/days.js";
import { type TasksPage, usePage, useQuery } from "../state/page.js";
import type { TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";

type Agenda = ToolAnswers["get_agenda"];
type AgendaSection = NonNullable<Agenda["sections"]>[number];

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
    <div class="today-view">
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
  const overdue = sections.find(({ day }) => day === undefined);
  const now = sections.find(({ day }) => day === today);
  const later = sections.filter(({ day }) => day !== undefined && day > today);
  const isEmpty = sections.length === 0 && undated.length === 0;
  const shared = { today, empty: WORDS.nothingMore };
  return (
    <>
      {isEmpty && <p class="empty">{WORDS.allClear}</p>}
      {overdue && <TaskSection {...shared} {...listed(overdue)} name="overdue" heading={WORDS.overdueSection} />}
      {!isEmpty && (
        <TaskSection
          {...shared}
          {...listed(now ?? { tasks: [], total: 0 })}
          name="now"
          heading={WORDS.today}
          empty={WORDS.nothingToday}
        />
      )}
      {later.map(({ day = "", ...section }) => {
        const heading = WORDS.capital(dayText(day, today));
        // A weekday is said once.
        const note = longDay(day).replace(`${heading} `, "");
        return <TaskSection {...shared} {...listed(section)} key={day} name={day} heading={heading} note={note} />;
      })}
      {undated.length > 0 && (
        <TaskSection {...shared} name="undated" heading={WORDS.undatedSection} tasks={undated} total={undated.length} />
      )}
    </>
  );
}

/** What a section of the agenda lists; later instances of a series are no tasks yet. */
function listed({ tasks, total }: Pick<AgendaSection, "tasks" | "total">) {
  const projected = new Set(tasks.filter((entry) => entry.projected === true).map(({ id }) => id));
  return { tasks, total, remarkOf: ({ id }: TaskRow) => (projected.has(id) ? WORDS.projected : undefined) };
}
