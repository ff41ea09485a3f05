/** What a task has wherever it is drawn: a circle that completes it, and its title, which opens it. */
import type { JSX, TargetedMouseEvent } from "preact";
import { routeText } from "../state/address.js";
import { usePage } from "../state/page.js";
import { canChange, statusName, tick } from "../state/task-actions.js";
import type { TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";
import { Button } from "./controls.js";
import { Icon } from "./icon.js";

interface TaskTickProps {
  readonly task: Pick<TaskRow, "id" | "status" | "ticked">;
  readonly title: string;
  /** It cannot be done here. */
  readonly isFixed?: boolean;
  readonly onTick: () => Promise<void>;
}

/** Its colour comes from a `data-status` around it. */
export function TaskTick({ task, title, isFixed = false, onTick }: TaskTickProps): JSX.Element {
  const page = usePage();
  const { status, ticked = status } = task;
  const isDone = ticked === "Done";
  const isOver = isDone || ticked === "Cancelled";
  const shownClass = isOver ? "tick over" : "tick";
  const icon = ticked === "Cancelled" ? "close" : "check";
  if (isFixed || !canChange(page))
    return (
      <span class={shownClass} role="img" aria-label={statusName(status)}>
        {isOver && <Icon name={icon} />}
      </span>
    );
  return (
    <Button
      class={shownClass}
      icon={icon}
      tabIndex={-1}
      aria-label={isDone ? WORDS.reopen(title) : WORDS.complete(title)}
      onClick={(event) => tick(page, task, event, onTick)}
    />
  );
}

interface OpeningLinkProps extends Pick<JSX.IntrinsicElements["a"], "class" | "children" | "aria-describedby"> {
  readonly kind: "task" | "note";
  /** The task's id, or the note's path. */
  readonly name: string;
  /** The list's stop for the Tab key. */
  readonly isStop: boolean;
  readonly stopName?: string;
  /** Instead of opening it. @returns whether it did anything */
  readonly onPlainClick?: (event: TargetedMouseEvent<HTMLAnchorElement>) => boolean;
}

/** Opens the drawer above the view; with Ctrl or Cmd, the browser's new tab. */
export function OpeningLink({ kind, name, isStop, stopName, onPlainClick, ...rest }: OpeningLinkProps): JSX.Element {
  const { address } = usePage();
  const { view } = address.route.value;
  return (
    <a
      {...rest}
      href={routeText({ view, params: { ...address.filters.value, [kind]: name } })}
      data-stop={stopName}
      tabIndex={isStop ? 0 : -1}
      dir="auto"
      draggable={false}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        if (onPlainClick?.(event) !== true) address.open(kind, name);
      }}
    />
  );
}
