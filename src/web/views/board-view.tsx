/** The board: a column per status, and one for other statuses, each loaded by pages (docs: web). */
import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Button, ShowMore } from "../parts/controls.js";
import { useDrop } from "../parts/dragging.js";
import { FilterBar, searchArguments } from "../parts/filter-bar.js";
import { QueryState, RefusedQuery } from "../parts/query-state.js";
import { TaskList } from "../parts/task-list.js";
import { AddHere } from "../parts/task-section.js";
import { collapsed } from "../state/stored.js";
import { type TasksPage, usePage } from "../state/page.js";
import { useNames } from "../state/names.js";
import { useTasks } from "../state/queries.js";
import { canChange, setStatus, statusName } from "../state/task-actions.js";
import { canHold, COLUMN_STATUSES, type ColumnStatus, isColumnStatus, ROW_PRIORITIES } from "../state/task-row.js";
import type { RowUpdates, TaskRow } from "../state/task-row.js";
import { countOf, WORDS } from "../words.js";

/** Each loads its own columns. */
const GROUPS_AT_ONCE = 6;
const STATUSES = [...COLUMN_STATUSES, "Other"] as const;

function groupsBy(field: string | undefined, projects: readonly string[]): readonly Group[] | undefined {
  if (field === "priority") return ROW_PRIORITIES.map((value) => ({ field, value }));
  return field === "project" ? [...projects, undefined].map((value) => ({ field, value })) : undefined;
}

const nameOf = ({ field, value }: Group) =>
  field === "priority" ? WORDS.priorities[value as "High"] : (value ?? WORDS.noneOf[field]);

export default function BoardView(): JSX.Element {
  const page = usePage();
  const { group } = page.address.filters.value;
  const projects = useNames(group === "project" ? "project" : undefined);
  const shownGroups = useSignal(GROUPS_AT_ONCE);
  const groups = groupsBy(group, projects.data.value ?? []);
  const lists: Lists = useSignal({});
  const columns = (group?: Group) => (
    <div class="board">
      {STATUSES.map((status) => (
        <BoardColumn key={status} status={status} group={group} lists={lists} />
      ))}
    </div>
  );
  return (
    <div class="board-view">
      <h1 class="unseen">{WORDS.board}</h1>
      <FilterBar />
      <FoundStatus lists={lists} />
      <RefusedQuery query={projects} name={WORDS.projectsAndAreas} />
      {groups === undefined ? (
        columns()
      ) : (
        <div class="groups">
          {groups.slice(0, shownGroups.value).map((group) => (
            <section key={group.value} class="group" aria-label={nameOf(group)}>
              <h2>{nameOf(group)}</h2>
              {columns(group)}
            </section>
          ))}
          <ShowMore rest={groups.length - shownGroups.value} onMore={() => (shownGroups.value += GROUPS_AT_ONCE)} />
        </div>
      )}
    </div>
  );
}

type Lists = Signal<Readonly<Record<string, Pick<ReturnType<typeof useTasks>, "query" | "total">>>>;

/** How many tasks the filters leave, for screen readers; shown if there are none. A refusal of all columns is one. */
function FoundStatus({ lists }: { readonly lists: Lists }): JSX.Element {
  const all = Object.values(lists.value);
  const refused = all.find(({ query }) => query.failure.value);
  const loaded = all.filter(({ query }) => query.data.value);
  const found = loaded.reduce((sum, { total }) => sum + total, 0);
  const isSaid = isFiltered(usePage()) && loaded.length > 0;
  return (
    <>
      {refused && <RefusedQuery query={refused.query} />}
      <p class={isSaid && found === 0 ? "empty" : "unseen"} role="status">
        {isSaid && (found === 0 ? WORDS.nothingFound : countOf(found, "task"))}
      </p>
    </>
  );
}

function isFiltered({ address }: TasksPage): boolean {
  return Object.keys(address.filters.value).some((name) => name !== "group");
}

const PAGE_LENGTH = 50;
/** Longer columns need a filter. */
const MAX_SHOWN = 500;

interface BoardColumnProps {
  /** No tool sets `Other`. */
  readonly status: ColumnStatus | "Other";
  /** Distinguishes the columns of groups. */
  readonly group?: Group | undefined;
  /** Those of all columns. */
  readonly lists: Lists;
}

/** A group's common value; undefined: none. */
interface Group {
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

function BoardColumn({ status, group, lists }: BoardColumnProps): JSX.Element | null {
  const page = usePage();
  const filters = page.address.filters.value;
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
  const own = group === undefined ? status : `${status}-${group.value ?? ""}`;
  useEffect(() => {
    lists.value = { ...lists.peek(), [own]: { query, total } };
    return () => {
      const { [own]: _ended, ...others } = lists.peek();
      lists.value = others;
    };
  }, [own, query, total]);
  // Most vaults have no such statuses.
  if (status === "Other" && total === 0) return null;
  const name = status === "Other" ? WORDS.other : statusName(status);
  const id = `column-${own.replaceAll(" ", "-")}`;
  const isCollapsed = collapsed.value.includes(status);
  const others = collapsed.value.filter((one) => one !== status);
  const place = {
    name,
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
        {name} <span class="count">{isLoaded && WORDS.number(total)}</span>
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
          <QueryState query={query} saysWhy={false} />
          {isLoaded && tasks.length === 0 && status !== "Other" && !isFiltered(page) && (
            <p class="empty">{WORDS.emptyColumn[status]}</p>
          )}
          <TaskList
            // Another filter shows its list from the top.
            key={JSON.stringify(args)}
            name={own}
            label={WORDS.tasksIn(name)}
            tasks={tasks}
            total={total}
            place={place}
            isDraggable={canChange(page)}
            onEnd={showMore}
            grows
          />
          {beyond > 0 && <p class="hint">{WORDS.tooManyShown(beyond)}</p>}
          {place.status !== undefined && place.status !== "Done" && <AddHere place={place} />}
        </>
      )}
    </section>
  );
}

/** Includes pending changes; arriving tasks come first. */
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
