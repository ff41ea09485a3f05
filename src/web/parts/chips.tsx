/** The facts on a card: day, priority, area and projects, blockers. */
import type { ComponentChildren, JSX } from "preact";
import { daysBetween, dayText } from "../state/days.js";
import type { TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";
import { Icon } from "./icon.js";

/** How near a day is; selects its colour. */
type Nearness = "overdue" | "today" | "soon" | "later";

function nearness(distance: number): Nearness {
  if (distance < 0) return "overdue";
  if (distance === 0) return "today";
  return distance <= 3 ? "soon" : "later";
}

export function DueChip({ task, today }: { readonly task: TaskRow; readonly today: string }): JSX.Element | null {
  const { due, scheduled, status, overdue = false } = task;
  const isOver = status === "Done" || status === "Cancelled";
  if (due === undefined) {
    if (scheduled === undefined || isOver) return null;
    return <span class="chip day">{WORDS.planned(dayText(scheduled, today))}</span>;
  }
  const distance = daysBetween(today, due);
  // A past day is not late when nothing is left to do, as of an archived task.
  if (isOver || (distance < 0 && !overdue)) return <span class="chip day">{WORDS.dueOn(dayText(due, today))}</span>;
  return (
    <DayChip day={due} today={today}>
      {overdue ? WORDS.overdue(-distance) : WORDS.dueOn(dayText(due, today))}
    </DayChip>
  );
}

/** A text about a day in the colour of its nearness. */
export function DayChip({
  day,
  today,
  children,
}: {
  readonly day: string;
  readonly today: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return <span class={`chip day ${nearness(daysBetween(today, day))}`}>{children}</span>;
}

/** The tag `task` usually only marks the note as a task. */
const isTelling = (tag: string) => tag.toLowerCase() !== "task";

/** All facts of a task in one line, the most important first. */
export function CardFacts({
  task,
  today,
  id,
  children,
}: {
  readonly task: TaskRow;
  readonly today: string;
  readonly id: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { priority, area, parentProjects = [], tags = [], waitsFor = [], repeats, archived } = task;
  const place = [area, parentProjects[0]].filter((name) => name !== undefined);
  return (
    <p class="facts" id={id}>
      <DueChip task={task} today={today} />
      {priority === "High" && (
        <span class="chip high">
          <Icon name="flag" />
          {WORDS.priorities.High}
        </span>
      )}
      {priority === "Low" && <span class="chip low">{WORDS.priorities.Low}</span>}
      {waitsFor.length > 0 && <span class="chip waits">{WORDS.waitsFor(waitsFor)}</span>}
      {place.length > 0 && <span class="chip place">{place.join(" · ")}</span>}
      {tags
        .filter(isTelling)
        .slice(0, 3)
        .map((tag) => (
          <span class="chip tag" key={tag}>{`#${tag}`}</span>
        ))}
      {repeats !== undefined && <span class="chip repeats">{WORDS.repeats(repeats)}</span>}
      {archived === true && <span class="chip">{WORDS.archived}</span>}
      {children}
    </p>
  );
}
