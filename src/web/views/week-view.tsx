/** Seven days, overdue and undated tasks, and a month to navigate. */
import type { JSX } from "preact";
import { Button } from "../parts/controls.js";
import { weekFrom, inGrid, MonthGrid } from "../parts/month-grid.js";
import { QueryState } from "../parts/query-state.js";
import { ListedSection, FoundSection, SECTION_LENGTH } from "../parts/task-section.js";
import { dayAfter, dayMonth, fullDay, isDay, mondayOf, weekdayText } from "../state/days.js";
import { usePage } from "../state/page.js";
import { useCall } from "../state/queries.js";
import { PAGE_WORDS } from "../page-words.js";
import { WORDS } from "../words.js";
import { LATER_WORDS } from "../later-words.js";

/** Lists next to the days. */
const SIDE = [
  {
    name: "overdue",
    heading: PAGE_WORDS.overdueSection,
    args: { is: ["outstanding"], due: "overdue", sort: "agenda" },
  },
  {
    name: "undated",
    heading: WORDS.noDate,
    args: { is: ["outstanding"], due: "none", scheduled: "none", sort: "priority" },
  },
] as const;

export default function WeekView(): JSX.Element {
  const page = usePage();
  const today = page.connection.today.value;
  // Seven days from today, or the calendar week of a day.
  const { day = "" } = page.address.filters.value;
  const isCalendar = isDay(day);
  const first = isCalendar ? mondayOf(inGrid(day)) : today;
  const args = { view: "week", date: first, days: 7 };
  const query = useCall("get_agenda", { ...args, limit: SECTION_LENGTH });
  const sections = query.data.value?.sections ?? [];
  const show = (day: string) => page.address.filter({ day });
  return (
    <div class="week-view">
      <header class="view-heading row wrap">
        <h1>{LATER_WORDS.weekOf(dayMonth(first), dayMonth(dayAfter(first, 6)))}</h1>
        <span class="buttons">
          <Button icon="back" aria-label={LATER_WORDS.previousWeek} onClick={() => show(dayAfter(first, -7))} />
          <Button icon="today" aria-pressed={!isCalendar} onClick={() => show("")}>
            <span>{LATER_WORDS.fromToday}</span>
          </Button>
          <Button icon="week" aria-pressed={isCalendar && mondayOf(today) === first} onClick={() => show(today)}>
            <span>{LATER_WORDS.thisWeek}</span>
          </Button>
          <Button
            icon="forward"
            aria-label={LATER_WORDS.followingWeek}
            onClick={() => show(dayAfter(mondayOf(first), 7))}
          />
        </span>
      </header>
      <div class="week">
        <aside class="week-side">
          <details open={matchMedia("(min-width: 46rem)").matches}>
            <summary>{LATER_WORDS.month}</summary>
            <MonthGrid
              day={isCalendar ? inGrid(day) : today}
              label={LATER_WORDS.month}
              marksWeek={isCalendar}
              onChoose={show}
            />
          </details>
          {SIDE.map((side) => (
            <FoundSection key={side.name} {...side} isColumn isDraggable />
          ))}
        </aside>
        <div class="week-main">
          <QueryState query={query} />
          <div class="week-days">
            {query.data.value &&
              weekFrom(first).map((day) => {
                const section = sections.find((one) => one.day === day);
                return (
                  <ListedSection
                    key={day}
                    args={args}
                    section={section}
                    name={day < today && !section ? `${day} over-day` : day}
                    heading={weekdayText(day)}
                    note={dayMonth(day)}
                    day={day}
                    add={day < today ? undefined : { name: fullDay(day), due: day }}
                    isColumn
                  />
                );
              })}
          </div>
        </div>
      </div>
    </div>
  );
}
