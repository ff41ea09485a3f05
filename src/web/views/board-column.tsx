/** A column of the board, loaded page by page (docs: web, "Views", "Stack"). */
import type { JSX } from "preact";
import { Button } from "../parts/controls.js";
import { useDrop } from "../parts/dragging.js";
import { searchArguments } from "../parts/filter-bar.js";
import { QueryState } from "../parts/query-state.js";
import { TaskList } from "../parts/task-list.js";
import { collapsed } from "../state/stored.js";
import { type TasksPage, usePage } from "../state/page.js";
import { useTasks } from "../state/queries.js";
import { canChange, setStatus, statusName } from "../state/task-actions.js";
import { canHold, type ColumnStatus, isColumnStatus, type RowUpdates, type TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";

const PAGE_LENGTH = 50;
/** Longer columns need a filter. */
const MAX_SHOWN = 500;

interface BoardColumnProps {
  /** No tool sets `Other`. */
  readonly status: ColumnStatus | "Other";
  readonly today: string;
  /** Distinguishes the columns of groups. */
  readonly group?: Group | undefined;
}

/** The value that a group's tasks share; undefined: they have none. */
export interface Group {
  readonly field: "project" | "priority";
  readonly value: string | undefined;
}

function updatesInto(task: TaskRow, { field, value }: Group): RowUpdates {
  if (isIn(task, { field, value })) return {};
  if (field === "project") return { parentProjects: value === undefined ? [] : [value] };
  return { priority: value as "High" };
}

function isIn(task: TaskRow, { field, value }: Group): boolean {
  if (field !== "project") return task[field] === value;
  const { parentProjects = [] } = task;
  return value === undefined ? parentProjects.length === 0 : parentProjects.includes(value);
}

export function BoardColumn({ status, today, group }: BoardColumnProps): JSX.Element | null {
  const page = usePage();
  const filters = page.address.filters.value;
  const hasFilters = Object.keys(filters).some((name) => name !== "group");
  const args = {
    ...searchArguments(filters),
    ...(group && { [group.field]: group.value ?? "none" }),
    status: [status],
    sort: status === "Done" ? "modified" : "agenda",
  };
  const list = useTasks(args, PAGE_LENGTH, MAX_SHOWN);
  const { query, showMore } = list;
  const isLoaded = query.data.value !== undefined;
  const [drop, isOver] = useDrop(
    isColumnStatus(status)
      ? (task) => void setStatus(page, task, status, group && updatesInto(page.changes.seen(task), group))
      : undefined,
    (task) => canHold(task, status),
  );
  const tasks = rowsOf(page, list.items, status, group);
  const total = list.total + tasks.length - list.items.length;
  // Most vaults have no such statuses.
  if (status === "Other" && total === 0) return null;
  const name = status === "Other" ? WORDS.other : statusName(status);
  const own = group === undefined ? status : `${status}-${group.value ?? ""}`;
  const id = `column-${own.replaceAll(" ", "-")}`;
  const isCollapsed = collapsed.value.includes(status);
  const others = collapsed.value.filter((one) => one !== status);
  const place = {
    status: isColumnStatus(status) ? status : undefined,
    area: filters["area"] === WORDS.unassigned ? undefined : filters["area"],
    project: filters["project"],
    ...(group && { [group.field]: group.value }),
  };
  const beyond = tasks.length >= MAX_SHOWN ? total - tasks.length : 0;
  return (
    <section
      class={`column${isOver ? " over" : ""}${isCollapsed ? " collapsed" : ""}`}
      {...drop}
      aria-labelledby={group === undefined ? id : undefined}
      aria-label={group && `${name}: ${group.value ?? WORDS.noneOf[group.field as "project"]}`}
      data-status={status}
    >
      <h2 class="row" id={id}>
        <span class="status-dot" />
        {name} <span class="count">{isLoaded ? total.toLocaleString("en") : ""}</span>
      </h2>
      <Button
        icon={isCollapsed ? "forward" : "back"}
        class="quiet fold"
        aria-expanded={!isCollapsed}
        aria-label={isCollapsed ? WORDS.expand(name) : WORDS.collapse(name)}
        onClick={() => (collapsed.value = isCollapsed ? others : [...others, status])}
      />
      {!isCollapsed && (
        <>
          {status === "Other" && <p class="hint">{WORDS.otherHelp}</p>}
          <QueryState query={query} />
          {isLoaded && tasks.length === 0 && status !== "Other" && (
            <p class="empty">{hasFilters ? WORDS.nothingFound : WORDS.emptyColumn[status]}</p>
          )}
          <TaskList
            // Another filter shows its list from the top.
            key={JSON.stringify(args)}
            name={own}
            label={WORDS.tasksIn(name)}
            tasks={tasks}
            total={total}
            today={today}
            isDraggable={canChange(page)}
            onEnd={showMore}
            grows
          />
          {beyond > 0 && <p class="hint">{WORDS.tooManyShown(beyond)}</p>}
          {place.status !== undefined && place.status !== "Done" && page.connection.offers("add_tasks") && (
            <Button
              icon="add"
              class="quiet add-here"
              aria-label={WORDS.addTo(name)}
              onClick={() => (page.overlay.value = { kind: "add", place })}
            >
              {WORDS.addButton}
            </Button>
          )}
        </>
      )}
    </section>
  );
}

/** Includes pending changes; arriving tasks come on top. */
function rowsOf(
  { changes }: TasksPage,
  tasks: readonly TaskRow[],
  status: BoardColumnProps["status"],
  group: Group | undefined,
): readonly TaskRow[] {
  const drawn = changes.drawn.value;
  if (drawn.size === 0) return tasks;
  const isHere = (row: TaskRow) =>
    (status === "Other" ? !isColumnStatus(row.status) && row.status !== "Cancelled" : row.status === status) &&
    (group === undefined || isIn(row, group));
  const known = new Set(tasks.map(({ id }) => id));
  const coming = [...drawn].flatMap(([id, row]) => (!known.has(id) && isHere(row) ? [row] : []));
  return [...coming, ...tasks.map((task) => changes.seen(task)).filter(isHere)];
}
