/** The board: a column per status, and one for the vault's own words (docs: web, "Views"). */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { FilterBar } from "../parts/filter-bar.js";
import { usePage, useQuery } from "../state/page.js";
import { COLUMN_STATUSES } from "../state/task-row.js";
import { WORDS } from "../words.js";
import { BoardColumn } from "./board-column.js";

export function BoardView(): JSX.Element {
  const page = usePage();
  const seenTags = useSignal<ReadonlySet<string>>(new Set());
  const names = useQuery("names", ({ connection }, signal) =>
    connection.call("get_agenda", { view: "projects" }, { signal }),
  );
  const today = page.connection.today.value;
  const known = names.data.value?.projects ?? [];
  const namesOf = (kind: "area" | "project") => known.filter((one) => one.kind === kind).map(({ name }) => name);
  const noteTags = (tags: readonly string[]) => {
    const fresh = tags.filter((tag) => !seenTags.value.has(tag));
    if (fresh.length > 0) seenTags.value = new Set([...seenTags.value, ...fresh]);
  };
  return (
    <div class="board-view">
      <h1 class="unseen">{WORDS.board}</h1>
      <FilterBar areas={namesOf("area")} projects={namesOf("project")} tags={[...seenTags.value].toSorted()} />
      <div class="board">
        {COLUMN_STATUSES.map((status) => (
          <BoardColumn key={status} status={status} today={today} onTags={noteTags} />
        ))}
        {page.address.filters.value["cancelled"] !== undefined && (
          <BoardColumn status="Cancelled" today={today} onTags={noteTags} />
        )}
        <BoardColumn status="Other" today={today} onTags={noteTags} />
      </div>
    </div>
  );
}
