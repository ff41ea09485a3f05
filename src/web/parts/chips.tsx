/** The facts on a card: day, priority, area, projects, blockers. */
import type { ComponentChildren, JSX } from "preact";
import { daysBetween, dayText } from "../state/days.js";
import { usePage } from "../state/page.js";
import type { TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";
import { Icon } from "./icon.js";

/** Selects a day's colour. */
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
    return (
      <span class="chip day" data-asks="scheduled">
        {WORDS.planned(dayText(scheduled, today))}
      </span>
    );
  }
  const distance = daysBetween(today, due);
  // With nothing left to do, as when archived, a past day is not late.
  if (isOver || (distance < 0 && !overdue))
    return (
      <span class="chip day" data-asks="dueDate">
        {WORDS.dueOn(dayText(due, today))}
      </span>
    );
  return (
    <DayChip day={due} today={today}>
      {overdue ? WORDS.overdue(-distance) : WORDS.dueOn(dayText(due, today))}
    </DayChip>
  );
}

/** Coloured by the day's nearness. */
export function DayChip({
  day,
  today,
  children,
}: {
  readonly day: string;
  readonly today: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <span class={`chip day ${nearness(daysBetween(today, day))}`} data-asks="dueDate">
      {children}
    </span>
  );
}

/** `task` usually only marks the note as a task. */
const isTelling = (tag: string) => tag.toLowerCase() !== "task";

/** The most important first. `data-asks` names the field that a click changes. */
export function CardFacts({
  task,
  today,
  id,
  onAsk,
  children,
}: {
  readonly task: TaskRow;
  readonly today: string;
  readonly id: string;
  /** Keys and touch use the menu. */
  readonly onAsk?: ((field: string, chip: HTMLElement) => void) | undefined;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const {
    priority,
    area,
    parentProjects = [],
    tags = [],
    waitsFor = [],
    repeats,
    archived,
    board,
    lane,
    status,
  } = task;
  const isOnBoard = usePage().address.route.value.view === "kanban";
  const [completed] = /\d{4}-\d\d-\d\d/.exec(task.completedIn ?? "") ?? [];
  return (
    <p
      class={onAsk ? "facts row wrap asking" : "facts row wrap"}
      id={id}
      onClick={(event) => {
        const chip = (event.target as HTMLElement).closest<HTMLElement>("[data-asks]");
        if (chip?.dataset["asks"] !== undefined) onAsk?.(chip.dataset["asks"], chip);
      }}
    >
      <DueChip task={task} today={today} />
      {priority === "High" && (
        <span class="chip high" data-asks="priority">
          <Icon name="flag" />
          {WORDS.priorities.High}
        </span>
      )}
      {priority === "Low" && (
        <span class="chip low" data-asks="priority">
          {WORDS.priorities.Low}
        </span>
      )}
      {waitsFor.length > 0 && <span class="chip waits">{WORDS.waitsFor(waitsFor)}</span>}
      {(area ?? parentProjects[0]) !== undefined && (
        <span class="chip place">
          {area !== undefined && <span data-asks="area">{area}</span>}
          {area !== undefined && parentProjects.length > 0 && "·"}
          {parentProjects[0] !== undefined && <span data-asks="parentProjects">{parentProjects[0]}</span>}
        </span>
      )}
      {board !== undefined && !isOnBoard && (
        <span class="chip" data-asks="board">
          {WORDS.cardPlace(board, lane)}
        </span>
      )}
      {tags
        .filter(isTelling)
        .slice(0, 3)
        .map((tag) => (
          <span class="chip tag" data-asks="tags" key={tag}>{`#${tag}`}</span>
        ))}
      {repeats !== undefined && <span class="chip repeats">{WORDS.repeats(repeats)}</span>}
      {status === "Done" && completed !== undefined && (
        <span class="chip">{WORDS.doneOn([dayText(completed, today)])}</span>
      )}
      {archived === true && <span class="chip">{WORDS.archived}</span>}
      {children}
    </p>
  );
}
