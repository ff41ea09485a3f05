/** Shared parts of drawn tasks: a circle that completes it, title, link. */
import type { ComponentChildren, JSX, TargetedMouseEvent } from "preact";
import { routeText } from "../state/address.js";
import { usePage } from "../state/page.js";
import { canChange, statusName, tick } from "../state/task-actions.js";
import type { TaskRow } from "../state/task-row.js";
import { plainTitle, type TitlePart, titleParts } from "../state/title.js";
import { WORDS } from "../words.js";
import { Button } from "./controls.js";
import { Icon } from "./icon.js";

export function TaskTitle({ text }: { readonly text: string }): JSX.Element {
  const drawn = (parts: readonly TitlePart[]): ComponentChildren[] =>
    parts.map((part) => (typeof part === "string" ? part : <part.tag>{drawn(part.inner)}</part.tag>));
  return <>{drawn(titleParts(text))}</>;
}

/** Only the title if there is no id. */
export function TaskLink({ id, title }: { readonly id?: string | undefined; readonly title: string }): JSX.Element {
  const { address } = usePage();
  if (id === undefined) return <TaskTitle text={title} />;
  return (
    <Button class="link" onClick={() => address.open("task", id)}>
      <TaskTitle text={title} />
    </Button>
  );
}

interface TaskTickProps {
  readonly task: Pick<TaskRow, "id" | "title" | "status" | "ticked">;
  /** Cannot be completed here. */
  readonly isFixed?: boolean;
  readonly onTick: () => Promise<void>;
}

/** A surrounding `data-status` sets its colour. */
export function TaskTick({ task, isFixed = false, onTick }: TaskTickProps): JSX.Element {
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
      aria-label={(isDone ? WORDS.reopen : WORDS.complete)(plainTitle(task.title))}
      onClick={(event) => tick(page, task, event, onTick)}
    />
  );
}

interface OpeningLinkProps extends Pick<JSX.IntrinsicElements["a"], "class" | "children" | "aria-describedby"> {
  readonly kind: "task" | "note";
  /** A task's id, or a note's path. */
  readonly name: string;
  /** The list's Tab stop. */
  readonly isStop: boolean;
  readonly stopName?: string;
  /** Instead of opening it. @returns whether it did anything */
  readonly onPlainClick?: (event: TargetedMouseEvent<HTMLAnchorElement>) => boolean;
}

/** Opens the drawer above the view; with Ctrl or Cmd, a new tab. Its tooltip is a title that is cut. */
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
      lang={navigator.language}
      draggable={false}
      onMouseEnter={({ currentTarget: link }) => {
        link.title = link.scrollHeight > link.clientHeight ? (link.textContent ?? "") : "";
      }}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        if (onPlainClick?.(event) !== true) address.open(kind, name);
      }}
    />
  );
}
