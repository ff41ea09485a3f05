/** One task in a list: its title opens it, its circle completes it, its menu moves it; it can be dragged. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { routeText } from "../state/address.js";
import { usePage } from "../state/page.js";
import { canChange, statusName, toggleDone } from "../state/task-actions.js";
import type { TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";
import { CardFacts } from "./chips.js";
import { whenDraggable } from "./dragging.js";
import { Icon } from "./icon.js";

export interface CardProps {
  readonly task: TaskRow;
  readonly today: string;
  /** Whether this card is the list's stop for the Tab key. */
  readonly isStop: boolean;
  /** Tells cards apart where one task stands twice. */
  readonly listName: string;
  readonly isDraggable?: boolean | undefined;
  /** What stands here is not to be done yet, or already is. */
  readonly remark?: string | undefined;
  readonly position?: { readonly at: number; readonly of: number } | undefined;
}

/** What a dragged card carries. */
export function draggedTask(data: Record<string | symbol, unknown>): TaskRow | undefined {
  return data["task"] as TaskRow | undefined;
}

export function Card({ task, today, isStop, listName, isDraggable = false, remark, position }: CardProps): JSX.Element {
  const page = usePage();
  const item = useRef<HTMLLIElement>(null);
  const mayChange = canChange(page);
  const { id, title, status } = task;

  useEffect(() => {
    const element = item.current;
    if (!isDraggable || !mayChange || element === null) return undefined;
    return whenDraggable(({ draggable }) => draggable({ element, getInitialData: () => ({ task }) }));
  }, [isDraggable, mayChange, task]);

  const { view } = page.address.route.value;
  const href = routeText({ view, params: { ...page.address.filters.value, task: id } });
  const factsId = `facts-${listName}-${id}`;
  const isDone = status === "Done";
  return (
    <li
      class="card"
      ref={item}
      data-task={id}
      data-status={status}
      aria-setsize={position?.of}
      aria-posinset={position?.at}
      onContextMenu={(event) => {
        // The context menu key of a focused card; a pointer gets the browser's own menu.
        if (event.button === 2 || !mayChange) return;
        event.preventDefault();
        page.overlay.value = { kind: "move", task, anchor: event.currentTarget };
      }}
    >
      {mayChange && remark === undefined ? (
        <button
          type="button"
          class="tick"
          tabIndex={-1}
          aria-label={isDone ? WORDS.reopen(title) : WORDS.complete(title)}
          onClick={() => void toggleDone(page, task)}
        >
          <Icon name="check" />
        </button>
      ) : (
        <span class="tick" role="img" aria-label={statusName(status)}>
          {isDone && <Icon name="check" />}
        </span>
      )}
      <a
        class="card-title"
        href={href}
        tabIndex={isStop ? 0 : -1}
        draggable={false}
        aria-describedby={factsId}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          page.address.open("task", id);
        }}
      >
        {title}
      </a>
      <CardFacts task={task} today={today} id={factsId}>
        {remark !== undefined && <span class="chip">{remark}</span>}
      </CardFacts>
      {mayChange && (
        <button
          type="button"
          class="quiet more"
          tabIndex={-1}
          aria-label={WORDS.actions(title)}
          aria-haspopup="menu"
          onClick={(event) => {
            page.overlay.value = { kind: "move", task, anchor: event.currentTarget };
          }}
        >
          <Icon name="more" />
        </button>
      )}
    </li>
  );
}
