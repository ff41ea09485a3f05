/** Today: overdue tasks, the next days, important undated tasks, and what was done (docs: web, "Views"). */
import type { JSX } from "preact";
import { Button } from "../parts/controls.js";
import { FirstStep, QuickAdd } from "../parts/quick-add.js";
import { QueryState, RefusedQuery } from "../parts/query-state.js";
import { TaskSection } from "../parts/task-section.js";
import { dayText, longDay } from "../state/days.js";
import { usePage } from "../state/page.js";
import { type ShownSection, sectionRows, useSections, useTasks } from "../state/queries.js";
import { canChange, moveOverdue } from "../state/task-actions.js";
import { WORDS } from "../words.js";
import { PAGE_WORDS } from "../page-words.js";

const DAYS = 8;
const PAGE_LENGTH = 20;
/** Overdue tasks shown at first. */
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
  const { query, showMore } = useSections({ view: "week", days: DAYS });
  const undated = useTasks(IMPORTANT, PAGE_LENGTH);
  const done = useTasks({ query: "*", completed: "today", sort: "modified" }, PAGE_LENGTH);
  const agenda = query.data.value;
  const { today = page.connection.today.value, sections = [] } = agenda ?? {};
  const { items: important = [], total: importantCount = 0 } = undated.query.data.value ?? {};
  const { items: finished = [], total: doneCount = 0 } = done.query.data.value ?? {};
  const overdue = sections.find(({ kind }) => kind === "overdue");
  const now = sections.find(({ day }) => day === today);
  const later = sections.filter(({ day }) => day !== undefined && day > today);
  const left = now?.total ?? 0;
  const isEmpty = agenda && undated.query.data.value && sections.length + importantCount === 0;
  const shared = { today, empty: PAGE_WORDS.nothingMore };
  const more = (section: ShownSection) => ({
    ...sectionRows(section),
    onMore: (count?: number) => showMore(section, count),
  });
  return (
    <div class="today-view">
      <header class="view-heading row wrap">
        <h1>{PAGE_WORDS.titles.today}</h1>
        {agenda && <p>{longDay(today)}</p>}
        {agenda && doneCount + left > 0 && (
          <label class="day-progress row hint">
            {PAGE_WORDS.doneToday(doneCount, doneCount + left)} <progress value={doneCount} max={doneCount + left} />
          </label>
        )}
      </header>
      {page.connection.offers("add_tasks") && <QuickAdd name="quick-add" />}
      <QueryState query={query} />
      <RefusedQuery query={undated.query} name={PAGE_WORDS.undatedSection} />
      <RefusedQuery query={done.query} name={PAGE_WORDS.doneTodaySection} />
      {isEmpty &&
        (doneCount === 0 ? <FirstStep otherwise={PAGE_WORDS.allClear} /> : <p class="empty">{PAGE_WORDS.allClear}</p>)}
      {overdue && (
        <TaskSection
          {...shared}
          {...more(overdue)}
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
        </TaskSection>
      )}
      {agenda && !isEmpty && (
        <TaskSection
          {...shared}
          {...(now ? more(now) : { tasks: [], total: 0 })}
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
          <TaskSection {...shared} {...more(section)} key={day} name={day} day={day} heading={heading} note={note} />
        );
      })}
      {importantCount > 0 && (
        <TaskSection
          {...shared}
          name="undated"
          heading={PAGE_WORDS.undatedSection}
          tasks={important}
          total={importantCount}
          onMore={undated.showMore}
          isDraggable
        />
      )}
      {doneCount > 0 && (
        <details class="done-today">
          <summary>
            {PAGE_WORDS.doneTodaySection} <span class="count">{WORDS.number(doneCount)}</span>
          </summary>
          <TaskSection
            {...shared}
            name="done"
            heading={PAGE_WORDS.doneTodaySection}
            tasks={finished}
            total={doneCount}
            onMore={done.showMore}
            keepsDone
          />
        </details>
      )}
    </div>
  );
}
