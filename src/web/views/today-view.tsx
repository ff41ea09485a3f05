/** Overdue tasks, today, the next seven days, and important tasks without a date (docs: web, "Views"). */
import type { JSX } from "preact";
import { QuickAdd } from "../parts/quick-add.js";
import { QueryState } from "../parts/query-state.js";
import { TaskSection } from "../parts/task-section.js";
import { type ShownAgenda, type ShownSection, sectionRows, useSections } from "../state/agenda.js";
import { dayText, longDay } from "../state/days.js";
import { usePage, useQuery } from "../state/page.js";
import { canChange, updateMany } from "../state/task-actions.js";
import type { TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";

const DAYS = 8;

/** Undated tasks, the most important first; the view shows those of high priority. */
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
  const undated = useQuery("important", async ({ connection }, signal) => {
    const { tasks } = await connection.call("search_tasks", IMPORTANT, { signal });
    return tasks.filter(({ priority }) => priority === "High");
  });
  const agenda = query.data.value;
  return (
    <div class="today-view">
      <header class="view-heading">
        <h1>{WORDS.today}</h1>
        {agenda && <p>{longDay(agenda.today)}</p>}
      </header>
      {page.connection.offers("add_tasks") && <QuickAdd name="quick-add" />}
      <QueryState query={query} />
      {agenda && undated.data.value && <Sections agenda={agenda} undated={undated.data.value} onMore={showMore} />}
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
        <TaskSection {...shared} {...more(overdue)} name="overdue" heading={WORDS.overdueSection}>
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
        // The weekday is named once.
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
  const move = async () => {
    const found = await page.connection.call("search_tasks", { query: "*", due: "overdue", is: ["outstanding"] });
    if (found.selection !== undefined) await updateMany(page, [found.selection], { dueDate: today });
  };
  return (
    <button type="button" class="quiet" onClick={() => void move()}>
      {WORDS.overdueToToday}
    </button>
  );
}
