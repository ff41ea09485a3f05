/** Tasks under a heading with their number. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { Button, ShowMore } from "./controls.js";
import type { ToolAnswers, ToolArguments } from "../transport/transport.js";
import { routeText } from "../state/address.js";
import { type AddPlace, usePage } from "../state/page.js";
import { useList, useTasks } from "../state/queries.js";
import type { TaskRow } from "../state/task-row.js";
import { PAGE_WORDS } from "../page-words.js";
import { WORDS } from "../words.js";
import { useDayDrop, type useDrop } from "./dragging.js";
import { RefusedQuery } from "./query-state.js";
import { TaskTitle } from "./task-line.js";
import { TaskList } from "./task-list.js";

interface TaskSectionProps {
  readonly name: string;
  readonly heading: string;
  readonly note?: string | undefined;
  readonly items: readonly TaskRow[];
  /** Includes tasks not in `items`. */
  readonly total: number;
  /** Shown without tasks. */
  readonly empty?: string;
  /** A drop sets it. */
  readonly day?: string | undefined;
  /** Replaces setting `day`. */
  readonly drop?: ReturnType<typeof useDrop> | undefined;
  readonly add?: NamedPlace | undefined;
  /** Instead of the total. */
  readonly count?: ComponentChildren;
  /** To another section; default: if `day` is given. */
  readonly isDraggable?: boolean;
  /** Of all its tasks. */
  readonly status?: string;
  /** One of several next to each other. */
  readonly isColumn?: boolean;
  /** Tasks shown at first. */
  readonly fold?: number;
  /** @param count of pages */
  readonly showMore?: ((count?: number) => unknown) | undefined;
  readonly remarkOf?: ((task: TaskRow) => string | undefined) | undefined;
  /** Keeps tasks that were just completed. */
  readonly keepsDone?: boolean;
  /** The board's filter for all of them. */
  readonly board?: Readonly<Record<string, string>> | undefined;
  readonly children?: ComponentChildren;
}

export function TaskSection(props: TaskSectionProps): JSX.Element {
  const { name, heading, note, items, total, empty = "", day, count, add, showMore, remarkOf, children, board } = props;
  const { isDraggable = day !== undefined, isColumn = false, status, fold = Infinity, keepsDone = false } = props;
  const { changes, connection } = usePage();
  const isToday = day === connection.today.value;
  const isOpen = useSignal(false);
  const dayDrop = useDayDrop(day);
  const [drop, isOver] = props.drop ?? dayDrop;
  const isThere = ({ id }: TaskRow) => keepsDone || changes.drawn.value.get(id)?.status !== "Done";
  const isFolded = !isOpen.value && items.length > fold;
  const tasks = items
    .filter(isThere)
    .slice(0, isFolded ? fold : Infinity)
    .map((task) => (remarkOf?.(task) === undefined ? changes.seen(task) : task));
  const rest = total - (isFolded ? fold : items.length);
  const link = board && <a href={routeText({ view: "board", params: board })}>{WORDS.allOnBoard(total)}</a>;
  const more = () => {
    // The rest of the first page is there already.
    if (!isFolded) void showMore?.();
    isOpen.value = true;
  };
  return (
    <section
      class={`${isColumn ? "column" : "task-section"} ${name}${isOver ? " over" : ""}${isToday ? " is-today" : ""}`}
      {...drop}
      aria-labelledby={`section-${name}`}
      data-day={day}
    >
      <h2 class="row wrap" id={`section-${name}`} aria-current={isToday ? "date" : undefined}>
        {status !== undefined && <span class="status-dot" data-status={status} />}
        <span dir="auto">
          <TaskTitle text={heading} />
        </span>{" "}
        {note !== undefined && note !== heading && <small>{note}</small>}{" "}
        {count ?? <span class="count">{total > 0 && WORDS.number(total)}</span>}
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
          day={day}
          remarkOf={remarkOf}
          isDraggable={isDraggable}
          onEnd={(count) => {
            isOpen.value = true;
            return showMore?.(count);
          }}
        />
      )}
      {(showMore || isFolded) && <ShowMore rest={rest} onMore={more} />}
      {!showMore && !isFolded && rest > 0 && <p class="hint">{link ?? WORDS.more(rest)}</p>}
      {add && <AddHere place={add} />}
    </section>
  );
}

type NamedPlace = AddPlace & { readonly name: string };

/** Adds tasks at the end of a column. */
export function AddHere({ place }: { readonly place: NamedPlace }): JSX.Element | null {
  const { connection, overlay } = usePage();
  if (!connection.offers("add_tasks")) return null;
  return (
    <Button
      icon="add"
      class="quiet add-here"
      aria-label={WORDS.addTo(place.name)}
      onClick={() => (overlay.value = { kind: "add", place })}
    >
      {WORDS.addButton}
    </Button>
  );
}

/** Tasks shown at first, and added each time. */
export const SECTION_LENGTH = 20;

interface FoundSectionProps extends Omit<TaskSectionProps, "items" | "total"> {
  readonly args: ToolArguments;
}

/** The results of a search. Without any, only a column is shown. */
export function FoundSection({ args, ...rest }: FoundSectionProps): JSX.Element {
  const list = useTasks({ query: "*", ...args }, SECTION_LENGTH);
  return (
    <>
      <RefusedQuery query={list.query} name={rest.heading} />
      {(list.total > 0 || rest.isColumn === true) && <TaskSection {...rest} {...list} />}
    </>
  );
}

interface ListedSectionProps extends Omit<TaskSectionProps, "items" | "total"> {
  readonly args: ToolArguments;
  /** With its first tasks; undefined: the agenda has none for this day. */
  readonly section: NonNullable<ToolAnswers["get_agenda"]["sections"]>[number] | undefined;
}

/** Projected instances of a series get a remark. */
export function ListedSection({ args, section, ...rest }: ListedSectionProps): JSX.Element {
  const { tasks = [], total: all = 0, kind = "", day: name = kind } = section ?? {};
  const first = { items: tasks, total: all, hasMore: tasks.length < all };
  const partOf = ({ sections: [found] = [] }: ToolAnswers["get_agenda"]) =>
    [found?.tasks ?? [], found?.total ?? 0] as const;
  const list = useList("get_agenda", { ...args, section: name }, SECTION_LENGTH, partOf, { first });
  const projected = new Set(list.items.filter((entry) => entry.projected === true).map(({ id }) => id));
  const remarkOf = ({ id }: TaskRow) => (projected.has(id) ? PAGE_WORDS.projected : undefined);
  return <TaskSection {...rest} {...list} remarkOf={remarkOf} />;
}
