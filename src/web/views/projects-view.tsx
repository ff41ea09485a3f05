/** Projects and areas: progress, next tasks, and days without change (docs: web, "Views"). */
import type { JSX } from "preact";
import { ProjectList, type ProjectRow } from "../parts/project-list.js";
import { QueryState } from "../parts/query-state.js";
import { useQuery } from "../state/page.js";
import { WORDS } from "../words.js";

const SECTIONS = [
  { kind: "project", heading: WORDS.projects, empty: WORDS.noProjects, count: "projectCount" },
  { kind: "area", heading: WORDS.areas, empty: WORDS.noAreas, count: "areaCount" },
] as const;

export function ProjectsView(): JSX.Element {
  const query = useQuery("projects", ({ connection }, signal) =>
    connection.call("get_agenda", { view: "projects" }, { signal }),
  );
  const answer = query.data.value;
  const { projects = [], today = "" } = answer ?? {};
  return (
    <div class="projects-view">
      <header class="view-heading">
        <h1>{WORDS.projectsAndAreas}</h1>
        {answer && <p>{summaryOf(projects)}</p>}
      </header>
      <QueryState query={query} />
      {answer &&
        SECTIONS.map(({ kind, heading, empty, count }) => {
          const rows = projects.filter((row) => row.kind === kind);
          const total = answer[count] ?? rows.length;
          return (
            <section key={kind} class="project-section" aria-labelledby={`section-${kind}`}>
              <h2 id={`section-${kind}`}>
                {heading} <span class="count">{WORDS.number(total)}</span>
              </h2>
              {rows.length === 0 ? (
                <p class="empty">{empty}</p>
              ) : (
                <ProjectList label={heading} rows={rows} today={today} />
              )}
              {total > rows.length && <p class="hint">{WORDS.more(total - rows.length)}</p>}
            </section>
          );
        })}
    </div>
  );
}

function summaryOf(rows: readonly ProjectRow[]): string {
  const projects = rows.filter(({ kind, open }) => kind === "project" && open > 0);
  const stuck = projects.filter(({ next }) => next === undefined);
  return WORDS.projectSummary(projects.length, stuck.length);
}
