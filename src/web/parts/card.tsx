/** A task in a list: circle, title, facts and menu. */
import type { HTMLAttributes, JSX } from "preact";
import { useRef } from "preact/hooks";
import { Button } from "./controls.js";
import { type AddPlace, usePage } from "../state/page.js";
import { select } from "../state/shortcuts.js";
import { type AskedField, askFor, canChange, toggleDone } from "../state/task-actions.js";
import { rowPath, type TaskRow } from "../state/task-row.js";
import { plainTitle } from "../state/title.js";
import { WORDS } from "../words.js";
import { CardFacts } from "./chips.js";
import { dragHandlers } from "./dragging.js";
import { OpeningLink, TaskTick, TaskTitle } from "./task-line.js";

interface CardProps {
  readonly task: TaskRow;
  /** The list's Tab stop. */
  readonly isStop: boolean;
  /** Distinguishes cards of the same task. */
  readonly listName: string;
  readonly isDraggable?: boolean | undefined;
  /** On a task that is done or cannot be done yet. */
  readonly remark?: string | undefined;
  /** The list's day, omitted on the card. */
  readonly day?: string | undefined;
  readonly place?: AddPlace | undefined;
  readonly position?: { readonly at: number; readonly of: number } | undefined;
}

export function Card(props: CardProps): JSX.Element {
  const { task, isStop, listName, isDraggable = false, remark, day, place, position } = props;
  const page = usePage();
  const mayChange = canChange(page);
  const isFree = mayChange && remark === undefined;
  const { id, status, ticked = status } = task;
  const isSelected = page.selection.has(id);
  const touch = useTouch({
    press: () => select(page, task),
    right: () => remark === undefined && toggleDone(page, task),
    left: () => remark === undefined && askFor(page, task, "dueDate"),
  });

  // A done task's remark includes it.
  const { completed: _said, ...unsaid } = task;
  const factsId = `facts-${listName}-${id}`;
  const openMenu = (anchor: HTMLElement) => (page.overlay.value = { kind: "move", task, anchor });
  const ask = (field: string, chip: HTMLElement) => {
    if (field === "priority") openMenu(chip);
    else if (field === "board") page.address.show("kanban", { path: rowPath(task) });
    else askFor(page, task, field as AskedField, chip);
  };
  return (
    <li
      class={isSelected ? "card panel selected" : "card panel"}
      data-task={id}
      data-status={ticked}
      aria-setsize={position?.of}
      aria-posinset={position?.at}
      {...touch}
      {...(isDraggable && isFree && dragHandlers(task))}
      onContextMenu={(event) => {
        // Keyboard only: a pointer gets the browser's menu.
        if (event.button === 2 || !mayChange) return;
        event.preventDefault();
        if ((event as unknown as PointerEvent).pointerType !== "touch") openMenu(event.currentTarget);
      }}
    >
      <TaskTick task={task} isFixed={remark !== undefined} onTick={() => toggleDone(page, task)} />
      <OpeningLink
        kind="task"
        name={id}
        class="card-title"
        isStop={isStop}
        aria-describedby={factsId}
        onPlainClick={(event) => {
          const isTap = (event as unknown as PointerEvent).pointerType === "touch";
          return (event.shiftKey || (isTap && page.selection.tasks.value.size > 0)) && select(page, task);
        }}
      >
        <TaskTitle text={task.title} />
      </OpeningLink>
      <CardFacts
        task={remark === undefined ? task : unsaid}
        id={factsId}
        day={day}
        place={place}
        onAsk={isFree ? ask : undefined}
      >
        {isSelected && <span class="unseen">{WORDS.isSelected}</span>}
        {remark !== undefined && <span class="chip remark">{remark}</span>}
      </CardFacts>
      {mayChange && (
        <Button
          icon="more"
          class="quiet more"
          tabIndex={-1}
          aria-label={WORDS.actions(plainTitle(task.title))}
          aria-haspopup="menu"
          onClick={(event) => openMenu(event.currentTarget)}
        />
      )}
    </li>
  );
}

const LONG_PRESS_MS = 500;
/** Longer moves scroll or swipe. */
const MAX_PRESS_MOVE_PX = 8;
const SWIPE_PX = 80;

type Gesture = "press" | "left" | "right";

/** Reports long presses and swipes, and suppresses the click that ends them. */
function useTouch(report: Readonly<Record<Gesture, () => unknown>>): HTMLAttributes<HTMLLIElement> {
  const finger = useRef({ timer: 0, x: 0, y: 0, isDone: false, isDown: false });
  const now = finger.current;
  const end = () => {
    clearTimeout(now.timer);
    now.isDown = false;
  };
  return {
    onPointerDown: ({ pointerType, clientX: x, clientY: y }) => {
      now.isDone = false;
      if (pointerType !== "touch") return;
      const act = () => {
        now.isDone = true;
        report.press();
      };
      Object.assign(now, { x, y, isDown: true, timer: setTimeout(act, LONG_PRESS_MS) });
    },
    onPointerMove: ({ clientX, clientY }) => {
      const [x, y] = [clientX - now.x, clientY - now.y];
      if (Math.abs(x) + Math.abs(y) > MAX_PRESS_MOVE_PX) clearTimeout(now.timer);
      if (!now.isDown || now.isDone || Math.abs(x) < SWIPE_PX || Math.abs(y) > Math.abs(x) / 2) return;
      end();
      now.isDone = true;
      report[x > 0 ? "right" : "left"]();
    },
    onPointerUp: end,
    onPointerCancel: end,
    onClickCapture: (event) => {
      if (!now.isDone) return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}
