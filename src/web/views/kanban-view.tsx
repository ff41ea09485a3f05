/** One Kanban board with its own lanes and limits (docs: web, "Views"). */
import type { JSX, TargetedKeyboardEvent } from "preact";
import { useRef } from "preact/hooks";
import { ObsidianLink } from "../parts/controls.js";
import type { ToolAnswers } from "../transport/transport.js";
import { useDrop } from "../parts/dragging.js";
import { QueryState } from "../parts/query-state.js";
import { TaskSection } from "../parts/task-section.js";
import { noteName } from "../state/names.js";
import { type TasksPage, usePage } from "../state/page.js";
import { useCall, useTasks } from "../state/queries.js";
import { stepOf } from "../state/shortcuts.js";
import { changeNow } from "../state/task-actions.js";
import type { TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";
import { LATER_WORDS } from "../later-words.js";

type Lane = NonNullable<ToolAnswers["read_note"]["lanes"]>[number];

/** Cards of all lanes per page. */
const PAGE_LENGTH = 300;

export default function KanbanView(): JSX.Element {
  const page = usePage();
  const { path = "" } = page.address.filters.value;
  const note = useCall("read_note", { path });
  const ofBoard = { query: "*", note: path, sort: "agenda" };
  const { query, ...tasks } = useTasks(ofBoard, PAGE_LENGTH);
  // Cards that are no tasks.
  const plain = useTasks({ ...ofBoard, is: ["checkbox"] }, PAGE_LENGTH);
  const items = [...tasks.items, ...plain.items];
  const isLoaded = query.data.value !== undefined && plain.query.data.value !== undefined;
  const isWhole = items.length === tasks.total + plain.total;
  const latest = useRef(items);
  latest.current = items;
  /** Loads pages until the lane has another card, because a page may have cards of other lanes only. */
  const showMoreOf = async (lane: string) => {
    const count = () => latest.current.filter((card) => card.lane === lane).length;
    const before = count();
    for (let loaded = -1; count() === before && loaded < latest.current.length;) {
      loaded = latest.current.length;
      await Promise.all([tasks.showMore(), plain.showMore()]);
      // Until they are drawn.
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  };
  const { lanes = [] } = note.data.value ?? {};
  const cards = items.map((task) => page.changes.seen(task)).toSorted(inNoteOrder);
  const moveCard = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const { shiftKey, key, currentTarget } = event;
    const id = (event.target as HTMLElement).closest<HTMLElement>("[data-task]")?.dataset["task"];
    const card = cards.find((one) => one.id === id);
    if (!shiftKey || !/^Arrow(Left|Right)$/.test(key) || card === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const lane = lanes[lanes.findIndex(({ title }) => title === card.lane) + stepOf(key, currentTarget)];
    if (lane !== undefined) void setLane(page, card, lane.title);
  };
  return (
    <div class="board-view">
      <header class="view-heading filters row wrap">
        <h1 dir="auto">{noteName(path)}</h1>
        <ObsidianLink link={note.data.value?.link} />
      </header>
      <QueryState query={[query, plain.query].find(({ data }) => note.data.value && !data.value) ?? note} />
      {note.data.value && lanes.length === 0 && <p class="empty">{LATER_WORDS.noBoard}</p>}
      <div class="board" onKeyDownCapture={moveCard}>
        {(isLoaded ? lanes : []).map((lane) => (
          <LaneColumn
            key={lane.title}
            path={note.data.value?.path ?? path}
            lane={lane}
            cards={cards.filter((card) => card.lane === lane.title)}
            isWhole={isWhole}
            onMore={() => showMoreOf(lane.title)}
          />
        ))}
      </div>
    </div>
  );
}

const setLane = (page: TasksPage, task: TaskRow, lane: string) =>
  changeNow(page, task, { lane }, ({ title }) => WORDS.moved(title, lane));

const inNoteOrder = (one: TaskRow, other: TaskRow): number => (one.line ?? 0) - (other.line ?? 0);

interface LaneColumnProps {
  readonly lane: Lane;
  readonly path: string;
  readonly cards: readonly TaskRow[];
  /** All lanes are loaded. */
  readonly isWhole: boolean;
  readonly onMore: () => unknown;
}

function LaneColumn({ lane, path, cards, isWhole, onMore }: LaneColumnProps): JSX.Element {
  const page = usePage();
  const { title, limit } = lane;
  const count = isWhole ? cards.length : Math.max(lane.cards, cards.length);
  const drop = useDrop(
    (task) => setLane(page, task, title),
    (task) => task.board !== undefined && page.changes.seen(task).lane !== title,
  );
  const isFull = limit !== undefined && count > limit;
  return (
    <TaskSection
      name={`lane-${title.replaceAll(/\s/g, "-")}`}
      heading={title}
      count={
        <span class={isFull ? "count full" : "count"}>
          {limit === undefined ? WORDS.number(count) : LATER_WORDS.ofLimit(count, limit)}
        </span>
      }
      items={cards}
      total={count}
      empty={count === 0 ? LATER_WORDS.noCards : ""}
      add={{ name: title, note: path, heading: title }}
      drop={drop}
      showMore={isWhole ? undefined : onMore}
      isDraggable
      isColumn
      keepsDone
    />
  );
}
