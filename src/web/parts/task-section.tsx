import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { Button } from "./controls.js";
import { usePage } from "../state/page.js";
import type { TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";
import { useDayDrop } from "./dragging.js";
import { TaskList } from "./task-list.js";

interface TaskSectionProps {
  readonly name: string;
  readonly heading: string;
  readonly note?: string | undefined;
  readonly tasks: readonly TaskRow[];
  readonly total: number;
  readonly today: string;
  readonly empty: string;
  /** The day that a drop sets. */
  readonly day?: string | undefined;
  /** Whether its tasks can be dragged to another section; default: where `day` is given. */
  readonly isDraggable?: boolean;
  readonly status?: string;
  readonly isColumn?: boolean;
  readonly fold?: number;
  readonly onMore?: ((count?: number) => unknown) | undefined;
  readonly remarkOf?: ((task: TaskRow) => string | undefined) | undefined;
  readonly keepsDone?: boolean;
  readonly children?: ComponentChildren;
}

export function TaskSection(props: TaskSectionProps): JSX.Element {
  const { name, heading, note, total, today, empty, remarkOf, keepsDone = false, day, children } = props;
  const { isDraggable = day !== undefined, isColumn = false, status, fold = Infinity, onMore } = props;
  const { changes } = usePage();
  const isOpen = useSignal(false);
  const [drop, isOver] = useDayDrop(day);
  const isThere = ({ id }: TaskRow) => keepsDone || changes.drawn.value.get(id)?.status !== "Done";
  const isFolded = !isOpen.value && props.tasks.length > fold;
  const tasks = props.tasks
    .filter(isThere)
    .slice(0, isFolded ? fold : Infinity)
    .map((task) => (remarkOf?.(task) === undefined ? changes.seen(task) : task));
  const rest = total - (isFolded ? fold : props.tasks.length);
  const more = () => {
    // The rest of the first page is there already.
    if (!isFolded) void onMore?.();
    isOpen.value = true;
  };
  return (
    <section
      class={`${isColumn ? "column" : "task-section"} ${name}${isOver ? " over" : ""}${day === today ? " is-today" : ""}`}
      {...drop}
      aria-labelledby={`section-${name}`}
      data-day={day}
    >
      <h2 class="row wrap" id={`section-${name}`} aria-current={day === today ? "date" : undefined}>
        {status !== undefined && <span class="status-dot" data-status={status} />}
        {heading} {note !== undefined && note !== heading && <small>{note}</small>}{" "}
        <span class="count">{(total > 0 || !isColumn) && WORDS.number(total)}</span>
        {children}
      </h2>
      {tasks.length === 0 ? (
        empty !== "" && <p class="empty">{empty}</p>
      ) : (
        <TaskList
          name={name}
          label={heading}
          tasks={tasks}
          total={total}
          today={today}
          day={day}
          remarkOf={remarkOf}
          isDraggable={isDraggable}
          onEnd={(count) => {
            isOpen.value = true;
            return onMore?.(count);
          }}
        />
      )}
      {rest > 0 && (
        <p class="hint">
          {onMore || isFolded ? (
            <Button class="quiet" onClick={more}>
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
