/** Projects or areas with progress and next task, as one Tab stop. */
import type { ComponentChildren, JSX, TargetedKeyboardEvent } from "preact";
import { useState } from "preact/hooks";
import { ShowMore } from "./controls.js";
import type { ToolAnswers } from "../transport/transport.js";
import { routeText } from "../state/address.js";
import { daysBetween, dayText } from "../state/days.js";
import { type TasksPage, usePage } from "../state/page.js";
import { hasModifier, moveInRows, useStop } from "../state/shortcuts.js";
import { canChange, setStatus } from "../state/task-actions.js";
import { WORDS } from "../words.js";
import { DayChip } from "./chips.js";
import { OpeningLink, TaskTick, TaskTitle } from "./task-line.js";
import { PROJECT_WORDS } from "../later-words.js";

export type ProjectRow = NonNullable<ToolAnswers["get_agenda"]["projects"]>[number];

/** Added by "Show more". */
const MORE = 50;

export interface ProjectSectionProps extends ProjectListProps {
  /** Undefined while unknown. */
  readonly total: number | undefined;
  readonly note?: string | undefined;
  /** Between heading and list. */
  readonly children?: ComponentChildren;
}

export function ProjectSection({ total, note, children, ...list }: ProjectSectionProps): JSX.Element {
  return (
    <section class="project-section" aria-label={list.label}>
      <h2 class="row">
        {list.label} <span class="count">{total !== undefined && WORDS.number(total)}</span>
        {note !== undefined && <small>{note}</small>}
      </h2>
      {children}
      {list.rows.length > 0 && <ProjectList {...list} />}
    </section>
  );
}

interface ProjectListProps {
  readonly label: string;
  readonly rows: readonly ProjectRow[];
  /** Rows shown at first. */
  readonly fold?: number;
  /** Instead of its page; null opens nothing. */
  readonly onOpen?: ((row: ProjectRow) => void) | null | undefined;
}

function ProjectList({ label, rows: all, fold = Infinity, onOpen }: ProjectListProps): JSX.Element {
  const page = usePage();
  const [shown, setShown] = useState(fold);
  const rows = all.slice(0, shown);
  const [stopAt, setStop] = useStop(
    rows.flatMap(({ name, nextId }) => [`name:${name}`, ...(nextId === undefined ? [] : [`next:${name}`])]),
  );

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLUListElement>) => {
    if (event.shiftKey || hasModifier(event)) return;
    const item = (event.target as HTMLElement).closest<HTMLElement>("[data-project]");
    const row = rows.find(({ name }) => name === item?.dataset["project"]);
    if (item === null || row === undefined) return;
    if (event.key === " ") void completeNext(page, row);
    else if (!moveInRows(event, [...event.currentTarget.children], "[data-stop]")) return;
    event.preventDefault();
  };
  return (
    <>
      <ul
        class="project-list panel"
        aria-label={label}
        onKeyDown={onKeyDown}
        onFocusIn={(event) => setStop((event.target as HTMLElement).dataset["stop"])}
      >
        {rows.map((row) => (
          <ProjectItem key={row.name} row={row} onOpen={onOpen} stopAt={stopAt} />
        ))}
      </ul>
      <ShowMore rest={all.length - shown} onMore={() => setShown(shown + MORE)} />
    </>
  );
}

interface ProjectItemProps extends Pick<ProjectListProps, "onOpen"> {
  readonly row: ProjectRow;
  readonly stopAt: string | undefined;
}

function ProjectItem({ row, onOpen, stopAt }: ProjectItemProps): JSX.Element {
  const today = usePage().connection.today.value;
  const { kind, name, done, open, blocked, nextDay, daysWithoutChange = 0 } = row;
  const factsId = `${kind}-facts-${name}`;
  const isOver = open === 0;
  return (
    <li class={isOver ? "project over" : "project"} data-project={name}>
      <ProgressRing done={done} all={done + open} />
      <div>
        <h3>
          {onOpen === null ? (
            name
          ) : (
            <a
              href={routeText({ view: "project", params: { [kind]: name } })}
              data-stop={`name:${name}`}
              tabIndex={stopAt === `name:${name}` ? 0 : -1}
              aria-describedby={factsId}
              onClick={(event) => {
                if (!onOpen) return;
                event.preventDefault();
                onOpen(row);
              }}
            >
              {name}
            </a>
          )}
        </h3>
        <p class="facts row wrap" id={factsId}>
          <span class="chip">
            {done + open === 0 ? PROJECT_WORDS.noTasksYet : PROJECT_WORDS.doneOfAll(done, done + open)}
          </span>
          {blocked > 0 && <span class="chip waits">{PROJECT_WORDS.blockedCount(blocked)}</span>}
          {daysWithoutChange > 0 && <span class="chip">{PROJECT_WORDS.unchangedFor(daysWithoutChange)}</span>}
        </p>
      </div>
      <NextAction row={row} isStop={stopAt === `next:${name}`} />
      <p class="project-day">
        {nextDay !== undefined && (
          <DayChip day={nextDay}>
            {daysBetween(today, nextDay) < 0
              ? PROJECT_WORDS.lateSince(dayText(nextDay, today))
              : PROJECT_WORDS.nextDay(dayText(nextDay, today))}
          </DayChip>
        )}
      </p>
    </li>
  );
}

function NextAction({ row, isStop }: { readonly row: ProjectRow; readonly isStop: boolean }): JSX.Element {
  const page = usePage();
  const { name, open, next, nextId, nextStatus } = row;
  if (next === undefined || nextId === undefined)
    return <p class="next-action hint">{open === 0 ? PROJECT_WORDS.nothingOpen : PROJECT_WORDS.nothingReady}</p>;
  const { status = nextStatus ?? "To Do", ticked = status } = page.changes.drawn.value.get(nextId) ?? {};
  return (
    <div class="next-action row" data-status={ticked}>
      {canChange(page) && (
        <TaskTick task={{ id: nextId, title: next, status, ticked }} onTick={() => completeNext(page, row)} />
      )}
      <OpeningLink kind="task" name={nextId} isStop={isStop} stopName={`next:${name}`}>
        <span>
          <b class="unseen">{PROJECT_WORDS.nextAction}</b> <TaskTitle text={next} />
        </span>
      </OpeningLink>
    </div>
  );
}

/** Reads the task first, because the row has no revision. */
async function completeNext(page: TasksPage, { nextId }: ProjectRow): Promise<void> {
  if (nextId === undefined || !canChange(page) || page.changes.drawn.value.has(nextId)) return;
  await page.notices.attempt(async () =>
    setStatus(page, await page.connection.call("get_task", { taskId: nextId }), "Done"),
  );
}

const CENTRE = 22;
const RADIUS = 18;

/** The words next to the ring give the numbers. */
export function ProgressRing({ done, all }: { readonly done: number; readonly all: number }): JSX.Element {
  const share = all === 0 ? 0 : done / all;
  // Not full or empty too early.
  const percent = Math.min(Math.max(Math.round(share * 100), done > 0 ? 1 : 0), done < all ? 99 : 100);
  const isFull = percent === 100 && all > 0;
  const circle = { cx: CENTRE, cy: CENTRE, r: RADIUS, pathLength: 100 };
  return (
    <svg class={isFull ? "ring full" : "ring"} viewBox="0 0 44 44" aria-hidden="true">
      <circle {...circle} />
      {done > 0 && (
        <circle
          class="share"
          {...circle}
          stroke-dasharray={`${percent} 100`}
          transform={`rotate(-90 ${CENTRE} ${CENTRE})`}
        />
      )}
      {isFull ? (
        <path class="tick-mark" d="M15.5 22.5l4.5 4.5 8.5-9.5" />
      ) : (
        <text x={CENTRE} y={CENTRE + 4}>
          {all === 0 ? "–" : PROJECT_WORDS.percent(percent)}
        </text>
      )}
    </svg>
  );
}
