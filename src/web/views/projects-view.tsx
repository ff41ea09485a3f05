/** Projects and areas: progress, next tasks, and what is stuck (docs: web, "Views"). */
import type { JSX } from "preact";
import { Button } from "../parts/controls.js";
import { ProjectList, type ProjectRow } from "../parts/project-list.js";
import { QueryState } from "../parts/query-state.js";
import { usePage } from "../state/page.js";
import { usePages } from "../state/queries.js";
import { WORDS } from "../words.js";

const SECTIONS = [
  { kind: "project", heading: WORDS.projects, empty: WORDS.noProjects, count: "projectCount" },
  { kind: "area", heading: WORDS.areas, empty: WORDS.noAreas, count: "areaCount" },
] as const;

/** Rows shown at first, and added by "Show more". */
const PAGE_LENGTH = 50;

export default function ProjectsView(): JSX.Element {
  return (
    <div class="projects-view">
      <header class="view-heading row wrap">
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
  const { query, showMore } = usePages("get_agenda", { view: "projects", kind }, PAGE_LENGTH, (answers) => ({
    answer: answers.at(-1),
    rows: answers.flatMap(({ projects = [] }) => projects),
  }));
  const { rows = [], answer } = query.data.value ?? {};
  const total = answer?.[count] ?? rows.length;
  return (
    <section class="project-section" aria-labelledby={`section-${kind}`}>
      <h2 class="row" id={`section-${kind}`}>
        {heading} <span class="count">{answer && WORDS.number(total)}</span>
        {kind === "project" && total > 0 && <small>{summaryOf(rows)}</small>}
      </h2>
      <QueryState query={query} />
      {answer && rows.length === 0 && <p class="empty">{empty}</p>}
      {rows.length > 0 && (
        <ProjectList label={heading} rows={stuckFirst(rows)} today={answer?.today ?? page.connection.today.value} />
      )}
      {total > rows.length && (
        <Button class="quiet" onClick={showMore}>
          {WORDS.showMoreOf(total - rows.length)}
        </Button>
      )}
    </section>
  );
}

const isStuck = ({ open, next }: ProjectRow) => open > 0 && next === undefined;

/** Puts first what has open tasks, but none ready: it needs a decision. */
function stuckFirst(rows: readonly ProjectRow[]): readonly ProjectRow[] {
  return rows.toSorted((a, b) => Number(isStuck(b)) - Number(isStuck(a)));
}

function summaryOf(rows: readonly ProjectRow[]): string {
  return WORDS.projectSummary(rows.filter(({ open }) => open > 0).length, rows.filter(isStuck).length);
}
