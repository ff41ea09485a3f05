/** A card's facts: day, priority, area, projects, blockers. */
import type { ComponentChildren, JSX } from "preact";
import { daysBetween, dayText, timeText } from "../state/days.js";
import { type AddPlace, usePage } from "../state/page.js";
import type { TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";
import { Icon } from "./icon.js";
import { TaskTitle } from "./task-line.js";

/** A day's colour. @param distance in days from today */
function nearness(distance: number): string {
  if (distance < 0) return "overdue";
  if (distance === 0) return "today";
  return distance <= 3 ? "soon" : "later";
}

interface DueChipProps {
  readonly task: TaskRow;
  /** The list's day, omitted on the card. */
  readonly day?: string | undefined;
}

export function DueChip({ task, day }: DueChipProps): JSX.Element | null {
  const today = usePage().connection.today.value;
  const { due, dueTime, scheduled, scheduledTime, status, archived = false } = task;
  const isOver = status === "Done" || status === "Cancelled";
  const time = (due === day && dueTime) || (scheduled === day && scheduledTime);
  const isDue = due !== undefined;
  const shown = due ?? scheduled;
  const isThere = shown === undefined || shown === day || (!isDue && isOver);
  const text = timeText(
    dayText(shown ?? "", today),
    (isDue && dueTime) || (scheduled === shown ? scheduledTime : undefined),
  );
  return (
    <>
      {time && <span class="chip time">{time}</span>}
      {!isThere && (
        <DayChip day={shown} asks={isDue ? "dueDate" : "scheduled"} isPlain={!isDue || isOver || archived}>
          {(isDue ? WORDS.dueOn : WORDS.planned)(text)}
        </DayChip>
      )}
    </>
  );
}

interface DayChipProps {
  readonly day: string;
  readonly asks?: "dueDate" | "scheduled";
  readonly isPlain?: boolean;
  readonly children: ComponentChildren;
}

/** Coloured by nearness, unless plain. */
export function DayChip({ day, asks = "dueDate", isPlain = false, children }: DayChipProps): JSX.Element {
  const today = usePage().connection.today.value;
  return (
    <span class={isPlain ? "chip day" : `chip day ${nearness(daysBetween(today, day))}`} data-asks={asks}>
      {children}
    </span>
  );
}

/** `task` usually only marks the note; a line also has its tags in its title. */
const isTelling = (tag: string, title: string) => tag.toLowerCase() !== "task" && !title.includes(`#${tag}`);

interface CardFactsProps {
  readonly task: TaskRow;
  readonly id: string;
  readonly day?: string | undefined;
  /** The list's or group's values, omitted on the card. */
  readonly place?: AddPlace | undefined;
  /** Keys and touch use the menu. */
  readonly onAsk?: ((field: string, chip: HTMLElement) => void) | undefined;
  readonly children?: ComponentChildren;
}

/** Most important first. `data-asks` names the field that a click changes. */
export function CardFacts({ task, id, day, place, onAsk, children }: CardFactsProps): JSX.Element {
  const { status, completed, archived, priority, waitsFor = [], repeats, remind } = task;
  const { area, parentProjects = [], board, lane, tags = [] } = task;
  const { address, connection } = usePage();
  const { view, params } = address.route.value;
  // The page's title, a filter or a group already shows these; a project has one area.
  const said = { ...params, ...place };
  const shownArea = view === "project" || area === said["area"] ? undefined : area;
  const project = parentProjects.find((one) => one !== said["project"]);
  return (
    <p
      class={onAsk ? "facts row wrap asking" : "facts row wrap"}
      id={id}
      onClick={(event) => {
        const chip = (event.target as HTMLElement).closest<HTMLElement>("[data-asks]");
        if (chip?.dataset["asks"] !== undefined) onAsk?.(chip.dataset["asks"], chip);
      }}
    >
      {status !== "Done" && (
        <>
          <DueChip task={task} day={day} />
          {(priority === "High" || priority === "Low") && priority !== said["priority"] && (
            <span class={priority === "High" ? "chip high" : "chip"} data-asks="priority">
              {priority === "High" && <Icon name="flag" />}
              {WORDS.priorities[priority]}
            </span>
          )}
          {waitsFor.length > 0 && (
            <span class="chip waits">
              <TaskTitle text={WORDS.waitsFor(waitsFor)} />
            </span>
          )}
          {(shownArea ?? project) !== undefined && (
            <span class="chip place">
              {shownArea !== undefined && <span data-asks="area">{shownArea}</span>}
              {shownArea !== undefined && project !== undefined && " · "}
              {project !== undefined && <span data-asks="parentProjects">{project}</span>}
            </span>
          )}
          {board !== undefined && view !== "kanban" && (
            <span class="chip place" data-asks="board">
              {WORDS.cardPlace(board, lane)}
            </span>
          )}
          {tags
            .filter((tag) => isTelling(tag, task.title))
            .slice(0, 3)
            .map((tag) => (
              <span class="chip place" data-asks="tags" key={tag}>{`#${tag}`}</span>
            ))}
          {repeats !== undefined && <span class="chip place">{WORDS.repeats(repeats)}</span>}
          {remind !== undefined && <span class="chip">{WORDS.remind(remind)}</span>}
        </>
      )}
      {status === "Done" && completed !== undefined && (
        <span class="chip">{WORDS.doneOn([dayText(completed, connection.today.value)])}</span>
      )}
      {archived === true && <span class="chip">{WORDS.archived}</span>}
      {children}
    </p>
  );
}
