/** A week: a column per day, overdue and undated tasks, and a month to navigate. */
import type { JSX } from "preact";
import { Button } from "../parts/controls.js";
import { useDrop } from "../parts/dragging.js";
import { daysFrom, inGrid, MonthGrid } from "../parts/month-grid.js";
import { QueryState, RefusedQuery } from "../parts/query-state.js";
import { TaskList } from "../parts/task-list.js";
import { type ShownSection, sectionRows, useSections } from "../state/agenda.js";
import { dayAfter, dayMonth, mondayOf, weekdayText } from "../state/days.js";
import { routeText } from "../state/address.js";
import { usePage } from "../state/page.js";
import { useCall, useQuery } from "../state/queries.js";
import { moveToDay } from "../state/task-actions.js";
import { WORDS } from "../words.js";

/** Undated tasks offered for planning. */
const MAX_UNDATED = 50;
/** Overdue tasks next to another week than this. */
const MAX_OVERDUE = 50;

export default function WeekView(): JSX.Element {
  const page = usePage();
  const today = page.connection.today.value;
  const { day = today } = page.address.filters.value;
  const shown = Number.isNaN(Date.parse(day)) ? today : inGrid(day);
  const monday = mondayOf(shown);
  const { query, showMore } = useSections({ view: "week", date: monday, days: 7 });
  const undated = useCall("search_tasks", {
    query: "*",
    due: "none",
    scheduled: "none",
    is: ["outstanding"],
    sort: "priority",
    limit: MAX_UNDATED,
  });
  const isOther = mondayOf(today) !== monday;
  const now = useQuery(`overdue:${isOther}`, async (call) =>
    isOther ? await call("get_agenda", { view: "day", limit: MAX_OVERDUE }) : undefined,
  );
  const sections = query.data.value?.sections ?? [];
  const overdue = [...sections, ...(now.data.value?.sections ?? [])].find(({ kind }) => kind === "overdue");
  const show = (day: string) => page.address.filter({ day: mondayOf(day) === mondayOf(today) ? "" : day });
  return (
    <div class="week-view">
      <header class="view-heading row wrap">
        <h1>{WORDS.weekOf(dayMonth(monday), dayMonth(dayAfter(monday, 6)))}</h1>
        <span class="buttons">
          <Button onClick={() => show(dayAfter(monday, -7))}>{WORDS.previousWeek}</Button>
          <Button onClick={() => show(today)}>{WORDS.thisWeek}</Button>
          <Button onClick={() => show(dayAfter(monday, 7))}>{WORDS.followingWeek}</Button>
        </span>
      </header>
      <QueryState query={query} />
      <div class="week">
        <aside class="week-side stack">
          <details open={matchMedia("(min-width: 46rem)").matches}>
            <summary>{WORDS.month}</summary>
            <MonthGrid today={today} day={shown} label={WORDS.month} marksWeek onChoose={show} />
          </details>
          <RefusedQuery query={now} name={WORDS.overdueSection} />
          {overdue && (
            <DayColumn
              name="overdue"
              heading={WORDS.overdueSection}
              section={overdue}
              {...(isOther ? { rest: routeText({ view: "board", params: { due: "overdue" } }) } : { onMore: showMore })}
            />
          )}
          <RefusedQuery query={undated} name={WORDS.reviewSections.undated.heading} />
          <DayColumn
            name="undated"
            heading={WORDS.reviewSections.undated.heading}
            section={{ tasks: undated.data.value?.tasks ?? [], total: undated.data.value?.total ?? 0 }}
            rest={routeText({ view: "board", params: { due: "none" } })}
          />
        </aside>
        <div class="week-days">
          {daysFrom(monday, 7).map((day) => (
            <DayColumn
              key={day}
              name={day}
              heading={weekdayText(day)}
              note={dayMonth(day)}
              day={day}
              section={sections.find((one) => one.day === day) ?? { tasks: [], total: 0 }}
              onMore={showMore}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

interface DayColumnProps {
  readonly name: string;
  readonly heading: string;
  readonly note?: string;
  /** The day that a drop sets. */
  readonly day?: string;
  readonly section: ShownSection | Pick<ShownSection, "tasks" | "total">;
  readonly onMore?: (section: ShownSection) => void;
  /** The address of all its tasks, where they cannot all be shown here. */
  readonly rest?: string;
}

function DayColumn({ name, heading, note, day, section, onMore, rest }: DayColumnProps): JSX.Element {
  const page = usePage();
  const today = page.connection.today.value;
  const [column, isOver] = useDrop(
    day === undefined ? undefined : (task, isOther) => void moveToDay(page, task, day, { isOther }),
  );
  const { tasks, total, remarkOf } = sectionRows(section);
  const classes = ["column", isOver && "over", day === today && "today", name === "overdue" && "overdue"];
  return (
    <section
      class={classes.filter(Boolean).join(" ")}
      ref={column}
      aria-labelledby={`day-${name}`}
      data-day={day ?? ""}
    >
      <h2 class="row wrap" id={`day-${name}`} aria-current={day === today ? "date" : undefined}>
        {heading} {note !== undefined && <small>{note}</small>}{" "}
        <span class="count">{total > 0 && WORDS.number(total)}</span>
      </h2>
      <TaskList
        name={name}
        label={note === undefined ? heading : `${heading} ${note}`}
        tasks={tasks.map((task) => (remarkOf(task) === undefined ? page.changes.seen(task) : task))}
        total={total}
        today={today}
        isDraggable
        remarkOf={remarkOf}
      />
      {onMore && "kind" in section && total > tasks.length && (
        <Button class="quiet show-more" onClick={() => onMore(section)}>
          {WORDS.showMoreOf(total - tasks.length)}
        </Button>
      )}
      {rest !== undefined && total > tasks.length && (
        <a class="show-more" href={rest}>
          {WORDS.onTheBoard} ({WORDS.number(total)})
        </a>
      )}
    </section>
  );
}
