/** Dragging tasks; the library is loaded on first use. */
import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { usePage } from "../state/page.js";
import { canChange } from "../state/task-actions.js";
import type { TaskRow } from "../state/task-row.js";

type Adapter = typeof import("@atlaskit/pragmatic-drag-and-drop/element/adapter");

let loading: Promise<Adapter> | undefined;

/** @param prepare returns its undo */
function whenDraggable(prepare: (adapter: Adapter) => () => void): () => void {
  let undo: (() => void) | undefined;
  let isOver = false;
  const wait = async () => {
    loading ??= import("@atlaskit/pragmatic-drag-and-drop/element/adapter");
    const adapter = await loading;
    if (!isOver) undo = prepare(adapter);
  };
  // Without this, menus and keys still move cards; the next card tries again.
  wait().catch(() => (loading = undefined));
  return () => {
    isOver = true;
    undo?.();
  };
}

export function useDrag(item: RefObject<HTMLElement | null>, task: TaskRow, isDraggable: boolean): void {
  // A list that is refreshed during a drag must not register its tasks again.
  const latest = useRef(task);
  latest.current = task;
  useEffect(() => {
    const element = item.current;
    if (!isDraggable || element === null) return undefined;
    return whenDraggable(({ draggable }) => draggable({ element, getInitialData: () => ({ task: latest.current }) }));
  }, [isDraggable]);
}

/**
 * @param onDrop undefined accepts no task; `isOther`: with a modifier key
 * @returns the target, and whether a task is over it
 */
export function useDrop(
  onDrop: ((task: TaskRow, isOther: boolean) => void) | undefined,
  accepts: (task: TaskRow) => boolean = () => true,
): readonly [target: RefObject<HTMLElement | null>, isOver: boolean] {
  const target = useRef<HTMLElement>(null);
  const isOver = useSignal(false);
  const latest = useRef({ onDrop, accepts });
  latest.current = { onDrop, accepts };
  const takes = onDrop !== undefined && canChange(usePage());
  useEffect(() => {
    const element = target.current;
    // The server may go during a drag.
    if (!takes) isOver.value = false;
    if (element === null || !takes) return undefined;
    const taskOf = (data: Record<string | symbol, unknown>) => data["task"] as TaskRow | undefined;
    return whenDraggable(({ dropTargetForElements }) =>
      dropTargetForElements({
        element,
        canDrop: ({ source }) => {
          const task = taskOf(source.data);
          return task !== undefined && latest.current.accepts(task);
        },
        onDragEnter: () => (isOver.value = true),
        onDragLeave: () => (isOver.value = false),
        onDrop: ({ source, location }) => {
          isOver.value = false;
          const task = taskOf(source.data);
          const { altKey, shiftKey, ctrlKey, metaKey } = location.current.input;
          if (task) latest.current.onDrop?.(task, altKey || shiftKey || ctrlKey || metaKey);
        },
      }),
    );
  }, [takes]);
  return [target, isOver.value];
}
