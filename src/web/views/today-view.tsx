/** Today: overdue tasks, the next days, and important undated tasks (docs: web, "Views"). */
import type { JSX } from "preact";
import { Button } from "../parts/controls.js";
import { QuickAdd } from "../parts/quick-add.js";
import { QueryState, RefusedQuery } from "../parts/query-state.js";
import { TaskSection } from "../parts/task-section.js";
import { type ShownAgenda, type ShownSection, sectionRows, useSections } from "../state/agenda.js";
import { dayText, longDay } from "../state/days.js";
import { usePage } from "../state/page.js";
import { useCall, useQuery } from "../state/queries.js";
import { canChange, moveOverdue } from "../state/task-actions.js";
import type { TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";

const DAYS = 8;

/** Sorted by priority; the view keeps the high ones. */
const IMPORTANT = {
  query: "*",
  due: "none",
  scheduled: "none",
  is: ["outstanding"],
  sort: "priority",
  limit: 20,
};

export function TodayView(): JSX.Element {
  const page = usePage();
  const { query, showMore } = useSections({ view: "week", days: DAYS });
  const undated = useCall("search_tasks", IMPORTANT);
  const counts = useQuery("counts", async (call) => {
    const count = async (args: object) => (await call("search_tasks", { query: "*", limit: 1, ...args })).total;
    const [done, all] = await Promise.all([count({ completed: "today" }), count({ includeArchived: true })]);
    return { done, all };
  });
  const agenda = query.data.value;
  const { done = 0, all } = counts.data.value ?? {};
  const left = agenda?.sections?.find(({ day }) => day === agenda.today)?.total ?? 0;
  return (
    <div class="today-view">
      <header class="view-heading row wrap">
        <h1>{WORDS.today}</h1>
        {agenda && <p>{longDay(agenda.today)}</p>}
        {agenda && done + left > 0 && (
          <label class="day-progress row hint">
            {WORDS.doneToday(done, done + left)} <progress value={done} max={done + left} />
          </label>
        )}
      </header>
      {page.connection.offers("add_tasks") && <QuickAdd name="quick-add" />}
      <QueryState query={query} />
      <RefusedQuery query={undated} name={WORDS.undatedSection} />
      <RefusedQuery query={counts} name={WORDS.progress} />
      {all === 0 && (
        <section class="first-step">
          <h2>{WORDS.noTasks}</h2>
          <p>{page.connection.offers("add_tasks") ? WORDS.firstStep : WORDS.firstStepElsewhere}</p>
        </section>
      )}
      {agenda && all !== 0 && (undated.data.value ?? undated.failure.value) && (
        <Sections
          agenda={agenda}
          undated={undated.data.value?.tasks.filter(({ priority }) => priority === "High") ?? []}
          onMore={showMore}
        />
      )}
    </div>
  );
}

interface SectionsProps {
  readonly agenda: ShownAgenda;
  readonly undated: readonly TaskRow[];
  readonly onMore: (section: ShownSection) => void;
}

function Sections({ agenda, undated, onMore }: SectionsProps): JSX.Element {
  const { today, sections = [] } = agenda;
  const overdue = sections.find(({ kind }) => kind === "overdue");
  const now = sections.find(({ day }) => day === today);
  const later = sections.filter(({ day }) => day !== undefined && day > today);
  const isEmpty = sections.length === 0 && undated.length === 0;
  const shared = { today, empty: WORDS.nothingMore };
  const more = (section: ShownSection) => ({ ...sectionRows(section), onMore: () => onMore(section) });
  return (
    <>
      {isEmpty && <p class="empty">{WORDS.allClear}</p>}
      {overdue && (
        <TaskSection {...shared} {...more(overdue)} name="overdue" heading={WORDS.overdueSection} isDraggable>
          <OverdueToToday today={today} />
        </TaskSection>
      )}
      {!isEmpty && (
        <TaskSection
          {...shared}
          {...(now ? more(now) : { tasks: [], total: 0 })}
          name="now"
          day={today}
          heading={WORDS.today}
          empty={WORDS.nothingToday}
        />
      )}
      {later.map((section) => {
        const { day = "" } = section;
        const heading = WORDS.capital(dayText(day, today));
        // Names the weekday only once.
        const note = heading.includes(" ") ? undefined : longDay(day).replace(`${heading} `, "");
        return (
          <TaskSection {...shared} {...more(section)} key={day} name={day} day={day} heading={heading} note={note} />
        );
      })}
      {undated.length > 0 && (
        <TaskSection {...shared} name="undated" heading={WORDS.undatedSection} tasks={undated} total={undated.length} />
      )}
    </>
  );
}

function OverdueToToday({ today }: { readonly today: string }): JSX.Element | null {
  const page = usePage();
  if (!canChange(page) || !page.connection.offers("update_tasks")) return null;
  return (
    <Button class="quiet" onClick={() => void moveOverdue(page, today)}>
      {WORDS.overdueToToday}
    </Button>
  );
}
