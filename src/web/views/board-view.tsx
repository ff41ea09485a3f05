/** The board: a column per status, and one for other statuses (docs: web, "Views"). */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "../parts/controls.js";
import { FilterBar } from "../parts/filter-bar.js";
import { RefusedQuery } from "../parts/query-state.js";
import { useNames } from "../state/names.js";
import { usePage } from "../state/page.js";
import { COLUMN_STATUSES, ROW_PRIORITIES } from "../state/task-row.js";
import { WORDS } from "../words.js";
import { BoardColumn, type Group } from "./board-column.js";

/** Each group loads columns of its own. */
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
  const today = page.connection.today.value;
  const groups = groupsBy(group, projects.data.value ?? []);
  const columns = (group?: Group) => (
    <div class="board">
      {STATUSES.map((status) => (
        <BoardColumn key={status} status={status} today={today} group={group} />
      ))}
    </div>
  );
  return (
    <div class="board-view">
      <h1 class="unseen">{WORDS.board}</h1>
      <FilterBar />
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
          {groups.length > shownGroups.value && (
            <Button onClick={() => (shownGroups.value += GROUPS_AT_ONCE)}>
              {WORDS.showMoreGroups(groups.length - shownGroups.value)}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
