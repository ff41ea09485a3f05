/** Tasks under a heading with their number. */
import type { ComponentChildren, JSX } from "preact";
import { Button } from "./controls.js";
import { usePage } from "../state/page.js";
import { moveToDay } from "../state/task-actions.js";
import type { TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";
import { useDrop } from "./dragging.js";
import { TaskList } from "./task-list.js";

interface TaskSectionProps {
  readonly name: string;
  readonly heading: string;
  readonly note?: string | undefined;
  readonly tasks: readonly TaskRow[];
  /** Including unlisted tasks. */
  readonly total: number;
  readonly today: string;
  readonly empty: string;
  /** The day that a drop sets. */
  readonly day?: string | undefined;
  /** Whether its tasks can be dragged to another section; default: where `day` is given. */
  readonly isDraggable?: boolean;
  readonly onMore?: (() => void) | undefined;
  readonly remarkOf?: ((task: TaskRow) => string | undefined) | undefined;
  /** Keeps tasks that were just completed. */
  readonly keepsDone?: boolean;
  /** After the heading. */
  readonly children?: ComponentChildren;
}

export function TaskSection(props: TaskSectionProps): JSX.Element {
  const { name, heading, note, total, today, empty, remarkOf, keepsDone = false, day, onMore, children } = props;
  const { isDraggable = day !== undefined } = props;
  const page = usePage();
  const { changes } = page;
  const [section, isOver] = useDrop(
    day === undefined ? undefined : (task, isOther) => void moveToDay(page, task, day, { isOther }),
  );
  const isThere = ({ id }: TaskRow) => keepsDone || changes.drawn.value.get(id)?.status !== "Done";
  const tasks = props.tasks.filter(isThere).map((task) => (remarkOf?.(task) === undefined ? changes.seen(task) : task));
  const rest = total - props.tasks.length;
  return (
    <section class={`task-section ${name}${isOver ? " over" : ""}`} ref={section} aria-labelledby={`section-${name}`}>
      <h2 class="row wrap" id={`section-${name}`}>
        {heading} {note !== undefined && note !== heading && <small>{note}</small>}{" "}
        <span class="count">{WORDS.number(total)}</span>
        {children}
      </h2>
      {tasks.length === 0 ? (
        <p class="empty">{empty}</p>
      ) : (
        <TaskList
          name={name}
          label={heading}
          tasks={tasks}
          today={today}
          remarkOf={remarkOf}
          isDraggable={isDraggable}
        />
      )}
      {rest > 0 && (
        <p class="hint">
          {onMore ? (
            <Button class="quiet" onClick={onMore}>
              {WORDS.showMoreOf(rest)}
            </Button>
          ) : (
            WORDS.more(rest)
          )}
        </p>
      )}
    </section>
  );
}
