/** One Kanban board with its own lanes and limits (docs: web, "Views"). */
import type { JSX } from "preact";
import { ShowMore } from "../parts/controls.js";
import type { ToolAnswers } from "../transport/transport.js";
import { useDrop } from "../parts/dragging.js";
import { QueryState } from "../parts/query-state.js";
import { TaskSection } from "../parts/task-section.js";
import { noteName } from "../state/names.js";
import { usePage } from "../state/page.js";
import { useCall, useTasks } from "../state/queries.js";
import type { TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";
import { LATER_WORDS } from "../later-words.js";

type Lane = NonNullable<ToolAnswers["read_note"]["lanes"]>[number];

/** Cards shown at first, and added by "Show more". */
const PAGE_LENGTH = 300;

export default function KanbanView(): JSX.Element {
  const page = usePage();
  const { path = "" } = page.address.filters.value;
  const note = useCall("read_note", { path });
  const { query, items, total, showMore } = useTasks({ query: "*", note: path, sort: "agenda" }, PAGE_LENGTH);
  const { lanes = [] } = note.data.value ?? {};
  const cards = items.map((task) => page.changes.seen(task)).toSorted(inNoteOrder);
  return (
    <div class="board-view">
      <header class="view-heading filters row wrap">
        <h1 dir="auto">{noteName(path)}</h1>
        <ShowMore rest={total - items.length} onMore={showMore} />
      </header>
      <QueryState query={note.data.value ? query : note} />
      {note.data.value && lanes.length === 0 && <p class="empty">{LATER_WORDS.noBoard}</p>}
      <div class="board">
        {lanes.map((lane) => (
          <LaneColumn key={lane.title} lane={lane} cards={cards.filter((card) => card.lane === lane.title)} />
        ))}
      </div>
    </div>
  );
}

const inNoteOrder = (one: TaskRow, other: TaskRow): number => (one.line ?? 0) - (other.line ?? 0);

interface LaneColumnProps {
  readonly lane: Lane;
  readonly cards: readonly TaskRow[];
}

function LaneColumn({ lane, cards }: LaneColumnProps): JSX.Element {
  const page = usePage();
  const { title, limit } = lane;
  const move = (task: TaskRow) =>
    void page.changes.update(task, { lane: title }, (written) => WORDS.moved(written.title, title));
  const drop = useDrop(move, (task) => task.board !== undefined && page.changes.seen(task).lane !== title);
  const isFull = limit !== undefined && cards.length > limit;
  return (
    <TaskSection
      name={`lane-${title.replaceAll(/\s/g, "-")}`}
      heading={title}
      count={
        <span class={isFull ? "count full" : "count"}>
          {limit === undefined ? WORDS.number(cards.length) : LATER_WORDS.ofLimit(cards.length, limit)}
        </span>
      }
      tasks={cards}
      total={cards.length}
      today={page.connection.today.value}
      empty=""
      drop={drop}
      isDraggable
      isColumn
      keepsDone
    />
  );
}
