/** Projects and areas: progress, next tasks, and what is stuck (docs: web, "Views"). */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Select } from "../parts/controls.js";
import { ProjectSection, type ProjectRow } from "../parts/project-list.js";
import { QueryState } from "../parts/query-state.js";
import { useList } from "../state/queries.js";
import { WORDS } from "../words.js";
import { LATER_WORDS, PROJECT_WORDS } from "../later-words.js";

const SECTIONS = [
  { kind: "project", heading: PROJECT_WORDS.projects, empty: LATER_WORDS.noProjects, count: "projectCount" },
  { kind: "area", heading: PROJECT_WORDS.areas, empty: LATER_WORDS.noAreas, count: "areaCount" },
] as const;

/** All, because stuck ones may be last. */
const PAGE_LENGTH = 1_000;

/** Rows shown at first. */
const FOLD = 50;

const isStuck = ({ open, next }: ProjectRow) => open > 0 && next === undefined;
const byDay = ({ nextDay = "~" }: ProjectRow, other: ProjectRow) => (nextDay < (other.nextDay ?? "~") ? -1 : 1);

/** By name. Open tasks without a ready one need a decision. */
const ORDERS: Readonly<Record<string, (one: ProjectRow, other: ProjectRow) => number>> = {
  stuck: (one, other) => Number(isStuck(other)) - Number(isStuck(one)),
  late: byDay,
  name: (one, other) => one.name.localeCompare(other.name),
};

export default function ProjectsView(): JSX.Element {
  const order = useSignal("stuck");
  return (
    <div class="projects-view">
      <header class="view-heading row wrap">
        <h1>{WORDS.projectsAndAreas}</h1>
        <Select
          aria-label={LATER_WORDS.order}
          value={order.value}
          options={Object.entries(LATER_WORDS.orders)}
          onChoose={(chosen) => (order.value = chosen)}
        />
      </header>
      {SECTIONS.map((section) => (
        <Section key={section.kind} {...section} order={order.value} />
      ))}
    </div>
  );
}

function Section(props: (typeof SECTIONS)[number] & { readonly order: string }): JSX.Element {
  const { kind, heading, empty, count, order } = props;
  const { query, items, total } = useList("get_agenda", { view: "projects", kind }, PAGE_LENGTH, (answer) => [
    answer.projects ?? [],
    answer[count] ?? 0,
  ]);
  const active = items.filter(({ open }) => open > 0).length;
  const stuck = items.filter((row) => isStuck(row)).length;
  const hasNote = kind === "project" && (stuck > 0 || active < total);
  return (
    <ProjectSection
      label={heading}
      total={query.data.value && total}
      note={hasNote ? LATER_WORDS.projectSummary(active, stuck) : undefined}
      rows={items.toSorted(ORDERS[order])}
      fold={FOLD}
    >
      <QueryState query={query} />
      {query.data.value && items.length === 0 && <p class="empty">{empty}</p>}
    </ProjectSection>
  );
}
