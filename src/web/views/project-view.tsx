/** One project or area: progress, tasks by status, dependencies and note (docs: web, "Views"). */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { isCallFailure } from "../transport/transport.js";
import { Button, ObsidianLink } from "../parts/controls.js";
import { NoteBody } from "../parts/note-body.js";
import { Icon } from "../parts/icon.js";
import { ProgressRing, type ProjectRow } from "../parts/project-list.js";
import { QueryState, RefusedQuery } from "../parts/query-state.js";
import { FoundSection } from "../parts/task-section.js";
import { routeText } from "../state/address.js";
import { dayAfter, dayMonth, mondayOf } from "../state/days.js";
import { textBelow } from "../state/names.js";
import { usePage } from "../state/page.js";
import { type CallTool, pagesOf, useQuery } from "../state/queries.js";
import { COLUMN_STATUSES } from "../state/task-row.js";
import { WORDS } from "../words.js";
import { LATER_WORDS, PROJECT_WORDS } from "../later-words.js";

const WEEKS = 8;
const FEW_DONE = 5;
/** In characters; a shorter note follows the tasks. */
const LONG_NOTE = 200;
/** A longer note is folded after a paragraph. */
const FOLDED_NOTE = 600;

export default function ProjectView(): JSX.Element {
  const page = usePage();
  const { project, area } = page.address.filters.value;
  const kind = project === undefined ? "area" : "project";
  const name = project ?? area ?? "";
  const filter = { [kind]: name };
  const key = `${kind}:${name}`;
  const query = useQuery(key, (call) => findRow(call, kind, name));
  const note = useQuery(`note:${name}`, async (call) => {
    // Most areas and some projects have no note.
    const orNone = (error: unknown) => {
      if (!isCallFailure(error) || error.code !== "FILE_NOT_FOUND") throw error;
    };
    return (await call("read_note", { path: name }).catch(orNone)) ?? undefined;
  });
  const row = query.data.value?.row;
  const { text: whole = "" } = note.data.value ?? {};
  const text = textBelow(name, whole).trim();
  const isOpen = useSignal(false);
  const fold = text.indexOf("\n\n", FOLDED_NOTE);
  const isFolded = !isOpen.value && fold > 0;
  const noteSection = (
    <>
      <RefusedQuery query={note} name={WORDS.note} />
      {note.data.value && text !== "" && (
        <section class="panel stack" aria-label={WORDS.note}>
          <h2 class="unseen">{WORDS.note}</h2>
          <NoteBody path={note.data.value.path} text={isFolded ? text.slice(0, fold) : text} isTickable />
          {isFolded && (
            <Button class="quiet show-more" onClick={() => (isOpen.value = true)}>
              {WORDS.showMore}
            </Button>
          )}
        </section>
      )}
    </>
  );
  return (
    <div class="project-view">
      <header class="view-heading row wrap">
        {row && <ProgressRing done={row.done} all={row.done + row.open} />}
        <div>
          <h1 dir="auto">{name}</h1>
          {row && <p class="hint">{progressOf(row)}</p>}
        </div>
        <span class="buttons">
          <a class="button" href={routeText({ view: "board", params: filter })}>
            <Icon name="board" /> <span>{LATER_WORDS.onTheBoard}</span>
          </a>
          <ObsidianLink link={note.data.value?.link} />
        </span>
      </header>
      <QueryState query={query} />
      {query.data.value && !row && <p class="empty">{PROJECT_WORDS.noTasksYet}</p>}
      {text.length >= LONG_NOTE && noteSection}
      {COLUMN_STATUSES.map((status) => (
        <FoundSection
          key={`${key}:${status}`}
          args={{ ...filter, status: [status], sort: "agenda" }}
          name={status.replaceAll(" ", "-")}
          heading={WORDS.statuses[status]}
          status={status}
          fold={status === "Done" ? FEW_DONE : Infinity}
          add={status === "To Do" ? { name, ...filter } : undefined}
          keepsDone
        />
      ))}
      {text.length < LONG_NOTE && noteSection}
      <DoneByWeek filter={filter} />
    </div>
  );
}

const progressOf = ({ done, open, blocked, estimateLeft, estimated = 0 }: ProjectRow): string =>
  [
    PROJECT_WORDS.doneOfAll(done, done + open),
    ...(blocked > 0 ? [PROJECT_WORDS.blockedCount(blocked)] : []),
    ...(estimateLeft === undefined ? [] : [LATER_WORDS.estimateLeft(estimateLeft, estimated, open)]),
  ].join(" · ");

async function findRow(call: CallTool, kind: "project" | "area", name: string) {
  for await (const { projects = [] } of pagesOf(call, "get_agenda", { view: "projects", kind })) {
    const row = projects.find((one) => one.name === name);
    if (row !== undefined) return { row };
  }
  return {};
}

function DoneByWeek({ filter }: { readonly filter: Readonly<Record<string, string>> }): JSX.Element | null {
  const today = usePage().connection.today.value;
  const first = dayAfter(mondayOf(today), -7 * (WEEKS - 1));
  const query = useQuery(`weeks:${JSON.stringify(filter)}:${today}`, (call) =>
    Promise.all(
      Array.from({ length: WEEKS }, async (_, week) => {
        const from = dayAfter(first, week * 7);
        const completed = `${from} to ${dayAfter(from, 6)}`;
        const { total } = await call("search_tasks", { query: "*", ...filter, completed, limit: 1 });
        return { from, total };
      }),
    ),
  );
  const weeks = query.data.value ?? [];
  const most = Math.max(0, ...weeks.map(({ total }) => total));
  if (most === 0) return <RefusedQuery query={query} name={LATER_WORDS.doneByWeek} />;
  return (
    <section class="by-week" aria-labelledby="by-week">
      <h2 id="by-week">{LATER_WORDS.doneByWeek}</h2>
      <ol>
        {weeks.map(({ from, total }) => (
          <li key={from} style={{ "--share": `${(100 * total) / most}%` }}>
            <span class="count">{WORDS.number(total)}</span>
            <small>{dayMonth(from)}</small>
          </li>
        ))}
      </ol>
    </section>
  );
}
