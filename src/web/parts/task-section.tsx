/** Tasks under a heading with their number. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { Button } from "./controls.js";
import type { ToolArguments } from "../transport/transport.js";
import { usePage } from "../state/page.js";
import { useTasks } from "../state/queries.js";
import type { TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";
import { useDayDrop } from "./dragging.js";
import { RefusedQuery } from "./query-state.js";
import { TaskList } from "./task-list.js";

interface TaskSectionProps {
  readonly name: string;
  readonly heading: string;
  readonly note?: string | undefined;
  readonly tasks: readonly TaskRow[];
  /** Including tasks not in `tasks`. */
  readonly total: number;
  readonly today: string;
  readonly empty: string;
  /** The day that a drop sets. */
  readonly day?: string | undefined;
  /** Whether its tasks can be dragged to another section; default: where `day` is given. */
  readonly isDraggable?: boolean;
  /** That all its tasks have. */
  readonly status?: string;
  /** One of several next to each other. */
  readonly isColumn?: boolean;
  /** How many tasks are shown until more are asked for. */
  readonly fold?: number;
  /** @param count of pages */
  readonly onMore?: ((count?: number) => unknown) | undefined;
  readonly remarkOf?: ((task: TaskRow) => string | undefined) | undefined;
  /** Keeps tasks that were just completed. */
  readonly keepsDone?: boolean;
  /** After the heading. */
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

/** Tasks shown at first, and added each time. */
const PAGE_LENGTH = 20;

interface FoundSectionProps extends Omit<TaskSectionProps, "tasks" | "total" | "empty" | "onMore"> {
  /** Of `search_tasks`. */
  readonly args: ToolArguments;
}

/** The tasks that a search finds; nothing without any, except in a column. */
export function FoundSection({ args, ...rest }: FoundSectionProps): JSX.Element {
  const { query, showMore } = useTasks({ query: "*", ...args }, PAGE_LENGTH);
  const { items = [], total = 0 } = query.data.value ?? {};
  return (
    <>
      <RefusedQuery query={query} name={rest.heading} />
      {(total > 0 || rest.isColumn === true) && (
        <TaskSection {...rest} tasks={items} total={total} empty="" onMore={showMore} />
      )}
    </>
  );
}
