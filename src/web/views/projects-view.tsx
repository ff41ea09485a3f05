/** Projects and areas: progress, next tasks, and what is stuck (docs: web, "Views"). */
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { ProjectList, type ProjectRow } from "../parts/project-list.js";
import { QueryState } from "../parts/query-state.js";
import { type TasksPage, usePage, useQuery } from "../state/page.js";
import { WORDS } from "../words.js";

const SECTIONS = [
  { kind: "project", heading: WORDS.projects, empty: WORDS.noProjects, count: "projectCount" },
  { kind: "area", heading: WORDS.areas, empty: WORDS.noAreas, count: "areaCount" },
] as const;

/** Rows shown at first, and added by "Show more". */
const PAGE_LENGTH = 50;

export function ProjectsView(): JSX.Element {
  return (
    <div class="projects-view">
      <header class="view-heading">
        <h1>{WORDS.projectsAndAreas}</h1>
      </header>
      {SECTIONS.map((section) => (
        <Section key={section.kind} {...section} />
      ))}
    </div>
  );
}

function Section({ kind, heading, empty, count }: (typeof SECTIONS)[number]): JSX.Element {
  const page = usePage();
  const wanted = useRef(PAGE_LENGTH);
  const query = useQuery(kind, (from, signal) => load(from, kind, wanted.current, signal), { remembers: true });
  const { rows = [], answer } = query.data.value ?? {};
  const total = answer?.[count] ?? rows.length;
  const showMore = () => {
    wanted.current += PAGE_LENGTH;
    void query.refresh();
  };
  return (
    <section class="project-section" aria-labelledby={`section-${kind}`}>
      <h2 id={`section-${kind}`}>
        {heading} <span class="count">{answer && WORDS.number(total)}</span>
        {kind === "project" && total > 0 && <small>{summaryOf(rows)}</small>}
      </h2>
      <QueryState query={query} />
      {answer && rows.length === 0 && <p class="empty">{empty}</p>}
      {rows.length > 0 && (
        <ProjectList label={heading} rows={stuckFirst(rows)} today={answer?.today ?? page.connection.today.value} />
      )}
      {total > rows.length && (
        <button type="button" class="quiet" onClick={showMore}>
          {WORDS.showMoreOf(total - rows.length)}
        </button>
      )}
    </section>
  );
}

async function load({ connection }: TasksPage, kind: "project" | "area", wanted: number, signal: AbortSignal) {
  const rows: ProjectRow[] = [];
  let cursor: string | undefined;
  for (;;) {
    const args = { view: "projects", kind, limit: PAGE_LENGTH, ...(cursor && { cursor }) };
    const answer = await connection.call("get_agenda", args, { signal });
    rows.push(...(answer.projects ?? []));
    cursor = kind === "project" ? answer.projectCursor : answer.areaCursor;
    if (cursor === undefined || rows.length >= wanted) return { rows, answer };
  }
}

const isStuck = ({ open, next }: ProjectRow) => open > 0 && next === undefined;

/** Puts first what has open tasks, but none ready: it needs a decision. */
function stuckFirst(rows: readonly ProjectRow[]): readonly ProjectRow[] {
  return rows.toSorted((a, b) => Number(isStuck(b)) - Number(isStuck(a)));
}

function summaryOf(rows: readonly ProjectRow[]): string {
  return WORDS.projectSummary(rows.filter(({ open }) => open > 0).length, rows.filter(isStuck).length);
}
