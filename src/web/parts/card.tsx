/** A task in a list, with circle, title, facts and menu. */
import type { HTMLAttributes, JSX } from "preact";
import { useRef } from "preact/hooks";
import { Button } from "./controls.js";
import { routeText } from "../state/address.js";
import { usePage } from "../state/page.js";
import { select } from "../state/shortcuts.js";
import { type AskedField, askFor, canChange, statusName, tick, toggleDone } from "../state/task-actions.js";
import type { TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";
import { CardFacts } from "./chips.js";
import { useDrag } from "./dragging.js";
import { Icon } from "./icon.js";

interface CardProps {
  readonly task: TaskRow;
  readonly today: string;
  /** The list's stop for the Tab key. */
  readonly isStop: boolean;
  /** Distinguishes cards of the same task. */
  readonly listName: string;
  readonly isDraggable?: boolean | undefined;
  /** On a task that cannot be done yet, or is done. */
  readonly remark?: string | undefined;
  readonly position?: { readonly at: number; readonly of: number } | undefined;
}

export function Card({ task, today, isStop, listName, isDraggable = false, remark, position }: CardProps): JSX.Element {
  const page = usePage();
  const item = useRef<HTMLLIElement>(null);
  const mayChange = canChange(page);
  const { id, status, ticked = status } = task;
  const title = task.titleText ?? task.title;

  useDrag(item, task, isDraggable && mayChange && remark === undefined);
  const isSelected = page.selection.has(id);
  const longPress = useLongPress(() => select(page, task));

  const { view } = page.address.route.value;
  // The remark of a done task says when.
  const { completedIn: _said, ...unsaid } = task;
  const href = routeText({ view, params: { ...page.address.filters.value, task: id } });
  const factsId = `facts-${listName}-${id}`;
  const isDone = ticked === "Done";
  const openMenu = (anchor: HTMLElement) => (page.overlay.value = { kind: "move", task, anchor });
  const ask = (field: string, chip: HTMLElement) => {
    if (field === "priority") openMenu(chip);
    else if (field === "board") page.address.show("kanban", { path: task.path });
    else askFor(page, task, field as AskedField);
  };
  return (
    <li
      class={isSelected ? "card panel selected" : "card panel"}
      ref={item}
      data-task={id}
      data-status={ticked}
      aria-setsize={position?.of}
      aria-posinset={position?.at}
      {...longPress}
      onContextMenu={(event) => {
        // From the keyboard only: a pointer gets the browser's own menu.
        if (event.button === 2 || !mayChange) return;
        event.preventDefault();
        if ((event as unknown as PointerEvent).pointerType !== "touch") openMenu(event.currentTarget);
      }}
    >
      {mayChange && remark === undefined ? (
        <Button
          icon="check"
          class="tick"
          tabIndex={-1}
          aria-label={isDone ? WORDS.reopen(title) : WORDS.complete(title)}
          onClick={(event) => tick(page, task, event, () => toggleDone(page, task))}
        />
      ) : (
        <span class="tick" role="img" aria-label={statusName(status)}>
          {isDone && <Icon name="check" />}
        </span>
      )}
      <a
        class="card-title"
        href={href}
        tabIndex={isStop ? 0 : -1}
        dir="auto"
        draggable={false}
        aria-describedby={factsId}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey) return;
          event.preventDefault();
          const isTap = (event as unknown as PointerEvent).pointerType === "touch";
          if (event.shiftKey || (isTap && page.selection.size.value > 0)) select(page, task);
          else page.address.open("task", id);
        }}
      >
        {title}
      </a>
      <CardFacts
        task={remark === undefined ? task : unsaid}
        today={today}
        id={factsId}
        onAsk={mayChange && remark === undefined ? ask : undefined}
      >
        {isSelected && <span class="unseen">{WORDS.isSelected}</span>}
        {remark !== undefined && <span class="chip remark">{remark}</span>}
      </CardFacts>
      {mayChange && (
        <Button
          icon="more"
          class="quiet more"
          tabIndex={-1}
          aria-label={WORDS.actions(title)}
          aria-haspopup="menu"
          onClick={(event) => openMenu(event.currentTarget)}
        />
      )}
    </li>
  );
}

const LONG_PRESS_MS = 500;
/** A finger that moves farther scrolls. */
const MAX_PRESS_MOVE_PX = 8;

/** Reports a long press of a finger, and suppresses the click that ends it. */
function useLongPress(report: () => void): HTMLAttributes<HTMLLIElement> {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const isLong = useRef(false);
  const end = () => clearTimeout(timer.current);
  return {
    onPointerDown: ({ pointerType }) => {
      isLong.current = false;
      if (pointerType !== "touch") return;
      timer.current = setTimeout(() => {
        isLong.current = true;
        report();
      }, LONG_PRESS_MS);
    },
    onPointerUp: end,
    onPointerMove: ({ movementX, movementY }) => {
      if (Math.abs(movementX) + Math.abs(movementY) > MAX_PRESS_MOVE_PX) end();
    },
    onPointerCancel: end,
    onClickCapture: (event) => {
      if (!isLong.current) return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}
