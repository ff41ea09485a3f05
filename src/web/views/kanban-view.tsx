/** One Kanban board with its own lanes and limits (docs: web, "Views"). */
import type { JSX } from "preact";
import { Button } from "../parts/controls.js";
import type { ToolAnswers } from "../transport/transport.js";
import { useDrop } from "../parts/dragging.js";
import { QueryState } from "../parts/query-state.js";
import { TaskList } from "../parts/task-list.js";
import { TaskTitle } from "../parts/task-line.js";
import { noteName } from "../state/names.js";
import { usePage } from "../state/page.js";
import { useCall, useTasks } from "../state/queries.js";
import { canChange } from "../state/task-actions.js";
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
        {total > items.length && (
          <Button onClick={() => void showMore()}>{WORDS.showMoreOf(total - items.length)}</Button>
        )}
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
  const [drop, isOver] = useDrop(move, (task) => task.board !== undefined && page.changes.seen(task).lane !== title);
  const isFull = limit !== undefined && cards.length > limit;
  const id = `lane-${title.replaceAll(/\s/g, "-")}`;
  return (
    <section class={isOver ? "column over" : "column"} {...drop} aria-labelledby={id}>
      <h2 class="row" id={id}>
        <span dir="auto">
          <TaskTitle text={title} />
        </span>{" "}
        <span class={isFull ? "count full" : "count"}>
          {limit === undefined ? WORDS.number(cards.length) : LATER_WORDS.ofLimit(cards.length, limit)}
        </span>
      </h2>
      <TaskList
        name={title}
        label={WORDS.tasksIn(title)}
        tasks={cards}
        today={page.connection.today.value}
        isDraggable={canChange(page)}
      />
    </section>
  );
}
