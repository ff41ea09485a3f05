/** Drags tasks by the browser's drag and drop. */
import { useSignal } from "@preact/signals";
import type { HTMLAttributes } from "preact";
import { usePage } from "../state/page.js";
import { moveToDay } from "../state/task-actions.js";
import type { TaskRow } from "../state/task-row.js";

type DragHandlers = Pick<
  HTMLAttributes<HTMLElement>,
  "draggable" | "onDragStart" | "onDragOver" | "onDragLeave" | "onDrop"
>;

/** As it was when its drag began. */
let dragged: TaskRow | undefined;
// A card that is drawn again meanwhile gets no event of the end.
for (const name of ["dragstart", "dragend"]) addEventListener(name, () => (dragged = undefined), true);

export function dragHandlers(task: TaskRow): DragHandlers {
  return {
    draggable: true,
    onDragStart: ({ dataTransfer }) => {
      dragged = task;
      // Firefox drags nothing without data.
      dataTransfer?.setData("text/plain", task.title);
    },
  };
}

/**
 * @param onDrop undefined accepts no task
 * @returns the target's handlers, and whether a task is over it
 */
export function useDrop(
  onDrop: ((task: TaskRow) => unknown) | undefined,
  accepts: (task: TaskRow) => boolean = () => true,
): readonly [handlers: DragHandlers, isOver: boolean] {
  const isOver = useSignal(false);
  if (onDrop === undefined) return [{}, false];
  const handlers: DragHandlers = {
    onDragOver: (event) => {
      if (dragged === undefined || !accepts(dragged)) return;
      event.preventDefault();
      isOver.value = true;
    },
    onDragLeave: ({ currentTarget, relatedTarget }) => {
      if (!currentTarget.contains(relatedTarget as Node | null)) isOver.value = false;
    },
    onDrop: (event) => {
      event.preventDefault();
      isOver.value = false;
      if (dragged !== undefined && accepts(dragged)) onDrop(dragged);
    },
  };
  return [handlers, isOver.value];
}

/** @param day undefined accepts no task */
export function useDayDrop(day: string | undefined) {
  const page = usePage();
  return useDrop(day === undefined ? undefined : (task) => moveToDay(page, task, day));
}
