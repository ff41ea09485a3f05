/** The board: a column per status, and one for other statuses (docs: web, "Views"). */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "../parts/controls.js";
import { FilterBar } from "../parts/filter-bar.js";
import { RefusedQuery } from "../parts/query-state.js";
import { usePage } from "../state/page.js";
import { useCall } from "../state/queries.js";
import { compact } from "../state/stored.js";
import { COLUMN_STATUSES, ROW_PRIORITIES } from "../state/task-row.js";
import { WORDS } from "../words.js";
import { BoardColumn, type Group } from "./board-column.js";

/** Each group loads columns of its own. */
const GROUPS_AT_ONCE = 6;

function groupsBy(
  field: string | undefined,
  namesOf: (kind: "area" | "project") => readonly string[],
): readonly Group[] | undefined {
  if (field === "priority") return ROW_PRIORITIES.map((value) => ({ field, value }));
  if (field !== "area" && field !== "project") return undefined;
  return [...namesOf(field), undefined].map((value) => ({ field, value }));
}

const nameOf = ({ field, value }: Group) =>
  field === "priority" ? WORDS.priorities[value as "High"] : (value ?? WORDS.noneOf[field]);

export function BoardView(): JSX.Element {
  const page = usePage();
  const seenTags = useSignal<ReadonlySet<string>>(new Set());
  const names = useCall("get_agenda", { view: "projects" });
  const shownGroups = useSignal(GROUPS_AT_ONCE);
  const today = page.connection.today.value;
  const known = names.data.value?.projects ?? [];
  const namesOf = (kind: "area" | "project") => known.filter((one) => one.kind === kind).map(({ name }) => name);
  const noteTags = (tags: readonly string[]) => {
    const fresh = tags.filter((tag) => !seenTags.value.has(tag));
    if (fresh.length > 0) seenTags.value = new Set([...seenTags.value, ...fresh]);
  };
  const { group: by, cancelled } = page.address.filters.value;
  const groups = groupsBy(by, namesOf);
  const statuses = [...COLUMN_STATUSES, ...(cancelled === undefined ? [] : ["Cancelled" as const]), "Other" as const];
  const columns = (group: Group | undefined) => (
    <div class={compact.value === "on" ? "board compact" : "board"}>
      {statuses.map((status) => (
        <BoardColumn key={status} status={status} today={today} onTags={noteTags} group={group} />
      ))}
    </div>
  );
  return (
    <div class="board-view">
      <h1 class="unseen">{WORDS.board}</h1>
      <FilterBar areas={namesOf("area")} projects={namesOf("project")} tags={[...seenTags.value].toSorted()} />
      <RefusedQuery query={names} name={WORDS.projectsAndAreas} />
      {groups === undefined ? (
        columns(undefined)
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
