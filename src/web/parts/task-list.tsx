/** Cards as one Tab stop; the focus survives a card's removal. */
import type { JSX, TargetedKeyboardEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { type AddPlace, MAX_CHANGED, usePage } from "../state/page.js";
import { hasModifier, pressOnCard, stepOf, stepTo, useStop } from "../state/shortcuts.js";
import { canChange } from "../state/task-actions.js";
import type { TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";
import { Card } from "./card.js";

interface TaskListProps {
  readonly name: string;
  readonly label: string;
  readonly tasks: readonly TaskRow[];
  readonly isDraggable?: boolean;
  /** Includes tasks not loaded. */
  readonly total?: number;
  readonly remarkOf?: ((task: TaskRow) => string | undefined) | undefined;
  /** The list's day, omitted on cards. */
  readonly day?: string | undefined;
  /** Values of all cards, omitted on them. */
  readonly place?: AddPlace | undefined;
  /** @param count of pages to load */
  readonly onEnd?: ((count?: number) => unknown) | undefined;
  /** Scrolling to the end loads more. */
  readonly grows?: boolean;
}

/** Distance from the end that loads more cards. */
const NEAR_END_PX = 600;
/** Pages of 20, for a full selection. */
const ALL_PAGES = 25;

export function TaskList(props: TaskListProps): JSX.Element {
  const { name, label, tasks, isDraggable, total = tasks.length, remarkOf, day, place, onEnd, grows } = props;
  const page = usePage();
  const list = useRef<HTMLUListElement>(null);
  const focused = useRef<{ readonly id: string; readonly at: number } | undefined>(undefined);
  const latest = useRef(tasks);
  latest.current = tasks;
  const [stopId, setStop] = useStop(tasks.map(({ id }) => id));

  useLayoutEffect(() => {
    const had = focused.current;
    if (had === undefined || document.activeElement !== document.body) return;
    if (!tasks.some(({ id }) => id === had.id)) focused.current = undefined;
    refocus(page.changes.latestId(had.id), list.current, tasks[Math.min(had.at, tasks.length - 1)]?.id);
  });
  useLayoutEffect(
    () => () => {
      if (focused.current) refocus(page.changes.latestId(focused.current.id), null, undefined);
    },
    [],
  );

  const taskAt = ({ target }: Event) => {
    const id = (target as HTMLElement).closest<HTMLElement>("[data-task]")?.dataset["task"];
    return tasks.find((one) => one.id === id);
  };

  const select = (some: readonly TaskRow[]) => page.selection.add(some) || page.notices.fail(WORDS.tooManySelected);

  const selectAll = async () => {
    if (total > tasks.length) await onEnd?.(ALL_PAGES);
    // Until they are drawn.
    await new Promise((resolve) => requestAnimationFrame(resolve));
    select(latest.current.slice(0, MAX_CHANGED));
    if (total > MAX_CHANGED) page.notices.fail(WORDS.tooManySelected);
  };

  /** Shift with an arrow selects this card and the next, Ctrl or Cmd with A all. */
  const extendSelection = (event: TargetedKeyboardEvent<HTMLUListElement>, task: TaskRow): boolean => {
    if ((event.ctrlKey || event.metaKey) && event.key === "a" && canChange(page)) {
      void selectAll();
      return true;
    }
    if (!event.shiftKey || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return false;
    const next = tasks[tasks.indexOf(task) + (event.key === "ArrowDown" ? 1 : -1)];
    if (next === undefined) return true;
    select([task, next]);
    focusCard(event.currentTarget, next.id);
    return true;
  };

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLUListElement>) => {
    const task = taskAt(event);
    if (task === undefined) return;
    const isDone = extendSelection(event, task) || pressOnCard(page, task, event);
    if (isDone || moveFocus(event, tasks, task)) event.preventDefault();
  };

  return (
    <ul
      class="task-list stack"
      ref={list}
      aria-label={label}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        if (grows && scrollHeight - scrollTop - clientHeight < NEAR_END_PX) void onEnd?.();
      }}
      onKeyDown={onKeyDown}
      onFocusIn={(event) => {
        const task = taskAt(event);
        if (task === undefined) return;
        focused.current = { id: task.id, at: tasks.indexOf(task) };
        setStop(task.id);
      }}
      onFocusOut={(event) => {
        if (event.relatedTarget !== null) focused.current = undefined;
      }}
    >
      {tasks.map((task, index) => (
        <Card
          key={task.id}
          task={task}
          listName={name}
          isStop={task.id === stopId}
          isDraggable={isDraggable}
          remark={remarkOf?.(task)}
          day={day}
          place={place}
          position={total > tasks.length ? { at: index + 1, of: total } : undefined}
        />
      ))}
    </ul>
  );
}

/** By arrows, Home and End: within the list, or to the neighbouring column's. */
function moveFocus(event: TargetedKeyboardEvent<HTMLUListElement>, tasks: readonly TaskRow[], task: TaskRow): boolean {
  const { key, shiftKey, currentTarget: list } = event;
  if (shiftKey || hasModifier(event)) return false;
  const target = stepTo(key, tasks.indexOf(task), tasks.length);
  if (target !== undefined) {
    focusCard(list, tasks[target]?.id);
    return true;
  }
  if (key !== "ArrowRight" && key !== "ArrowLeft") return false;
  const lists = [...document.querySelectorAll("main .task-list")].filter((other) => other.querySelector("[data-task]"));
  const next = lists[lists.indexOf(list) + stepOf(key, list)];
  next?.querySelector<HTMLElement>(".card-title[tabindex='0']")?.focus();
  return true;
}

function focusCard(list: Element | null, id: string | undefined): void {
  if (id === undefined) return;
  list?.querySelector<HTMLElement>(`[data-task="${CSS.escape(id)}"] .card-title`)?.focus();
}

/**
 * Restores the focus of a moved card, or gives a removed card's to its successor. Deferred, because lists are drawn one
 * after the other.
 */
function refocus(id: string, list: Element | null, successor: string | undefined): void {
  queueMicrotask(() => {
    const isLost = () => document.activeElement === document.body;
    const main = document.getElementById("main");
    if (isLost()) focusCard(main, id);
    if (isLost()) focusCard(list, successor);
    if (isLost()) (main?.querySelector<HTMLElement>(".card-title[tabindex='0']") ?? main)?.focus();
  });
}
