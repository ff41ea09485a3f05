/** Today: overdue tasks, the next days, important undated tasks, and what was done (docs: web, "Views"). */
import type { JSX } from "preact";
import { Button } from "../parts/controls.js";
import { FirstStep, QuickAdd } from "../parts/quick-add.js";
import { QueryState, RefusedQuery } from "../parts/query-state.js";
import { ListedSection, SECTION_LENGTH, TaskSection } from "../parts/task-section.js";
import { dayText, longDay } from "../state/days.js";
import { usePage } from "../state/page.js";
import { useCall, useTasks } from "../state/queries.js";
import { canChange, moveOverdue } from "../state/task-actions.js";
import { WORDS } from "../words.js";
import { PAGE_WORDS } from "../page-words.js";

const AGENDA = { view: "week", days: 8 };
/** Shown at first. */
const FEW = 5;

const IMPORTANT = {
  query: "*",
  due: "none",
  scheduled: "none",
  is: ["outstanding"],
  priority: "High",
};

export function TodayView(): JSX.Element {
  const page = usePage();
  const query = useCall("get_agenda", { ...AGENDA, limit: SECTION_LENGTH });
  const undated = useTasks(IMPORTANT, SECTION_LENGTH);
  const done = useTasks({ query: "*", completed: "today", sort: "modified" }, SECTION_LENGTH);
  const agenda = query.data.value;
  const { today = page.connection.today.value, sections = [] } = agenda ?? {};
  const overdue = sections.find(({ kind }) => kind === "overdue");
  const now = sections.find(({ day }) => day === today);
  const later = sections.filter(({ day }) => day !== undefined && day > today);
  const all = done.total + (now?.total ?? 0);
  const isEmpty = agenda && undated.query.data.value && sections.length + undated.total === 0;
  const shared = { args: AGENDA, empty: PAGE_WORDS.nothingMore };
  return (
    <div class="today-view">
      <header class="view-heading row wrap">
        <h1>{PAGE_WORDS.titles.today}</h1>
        {agenda && <p>{longDay(today)}</p>}
        {agenda && all > 0 && (
          <label class="day-progress row hint">
            {PAGE_WORDS.doneToday(done.total, all)} <progress value={done.total} max={all} />
          </label>
        )}
      </header>
      {page.connection.offers("add_tasks") && <QuickAdd name="quick-add" />}
      <QueryState query={query} />
      <RefusedQuery query={undated.query} name={PAGE_WORDS.undatedSection} />
      <RefusedQuery query={done.query} name={PAGE_WORDS.doneTodaySection} />
      {isEmpty &&
        (done.total === 0 ? <FirstStep otherwise={PAGE_WORDS.allClear} /> : <p class="empty">{PAGE_WORDS.allClear}</p>)}
      {overdue && (
        <ListedSection
          {...shared}
          section={overdue}
          name="overdue"
          heading={PAGE_WORDS.overdueSection}
          fold={FEW}
          isDraggable
        >
          {canChange(page) && page.connection.offers("update_tasks") && (
            <Button class="quiet" onClick={() => void moveOverdue(page)}>
              {PAGE_WORDS.overdueToToday}
            </Button>
          )}
        </ListedSection>
      )}
      {agenda && !isEmpty && (
        <ListedSection
          {...shared}
          section={now}
          name="now"
          day={today}
          heading={PAGE_WORDS.titles.today}
          empty={WORDS.nothingToday}
        />
      )}
      {later.map((section) => {
        const { day = "" } = section;
        const heading = WORDS.capital(dayText(day, today));
        // Names the weekday only once.
        const note = heading.includes(" ") ? undefined : longDay(day).replace(`${heading} `, "");
        return (
          <ListedSection {...shared} section={section} key={day} name={day} day={day} heading={heading} note={note} />
        );
      })}
      {undated.total > 0 && (
        <TaskSection
          {...undated}
          name="undated"
          heading={PAGE_WORDS.undatedSection}
          empty={PAGE_WORDS.nothingMore}
          isDraggable
        />
      )}
      {done.total > 0 && (
        <details class="done-today">
          <summary>
            {PAGE_WORDS.doneTodaySection} <span class="count">{WORDS.number(done.total)}</span>
          </summary>
          <TaskSection
            {...done}
            name="done"
            heading={PAGE_WORDS.doneTodaySection}
            empty={PAGE_WORDS.nothingMore}
            keepsDone
          />
        </details>
      )}
    </div>
  );
}
