/** The review: sums, a year in two pictures, and tasks that need a decision (docs: web, "Views"). */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { ToolAnswers } from "../transport/transport.js";
import { CopyButton } from "../parts/copy-button.js";
import { FirstStep } from "../parts/quick-add.js";
import { QueryState } from "../parts/query-state.js";
import { SECTION_LENGTH, TaskSection } from "../parts/task-section.js";
import { HeatMap } from "../pictures/heat-map.js";
import { OpenChart } from "../pictures/open-chart.js";
import { yearDays, reviewMarkdown, reviewSections, reviewSums } from "../state/review.js";
import { routeText } from "../state/address.js";
import { longDay } from "../state/days.js";
import { useCall } from "../state/queries.js";
import { PAGE_WORDS } from "../page-words.js";
import { WORDS } from "../words.js";
import { REVIEW_WORDS } from "../later-words.js";

/** 53 weeks, the server's limit. */
const DAYS = 371;

type ReviewAnswer = ToolAnswers["get_agenda"];

export default function ReviewView(): JSX.Element {
  const query = useCall("get_agenda", { view: "review", days: DAYS, limit: SECTION_LENGTH });
  const answer = query.data.value;
  return (
    <div class="review-view">
      <header class="view-heading row wrap">
        <h1>{PAGE_WORDS.titles.review}</h1>
        {answer && (
          <>
            <p>{longDay(answer.today)}</p>
            <CopyButton
              label={REVIEW_WORDS.copyMarkdown}
              copied={REVIEW_WORDS.copied}
              textOf={() => reviewMarkdown(answer)}
            />
          </>
        )}
      </header>
      <QueryState query={query} />
      {answer && <Reviewed answer={answer} />}
    </div>
  );
}

function Reviewed({ answer }: { readonly answer: ReviewAnswer }): JSX.Element {
  const { today, days: counted = [], doneWithoutDay = 0 } = answer;
  const chosen = useSignal<string | undefined>(undefined);
  const days = useMemo(() => yearDays(counted, today), [counted, today]);
  const sections = reviewSections(answer);
  const found = days.findIndex(({ day }) => day === chosen.value);
  const at = found < 0 ? days.length - 1 : found;
  const lists = sections.map((section) => (
    <TaskSection key={section.name} {...section} keepsDone={section.name === "done"} />
  ));
  if (days.every(({ open, done }) => open + done === 0)) return <FirstStep otherwise={REVIEW_WORDS.nothingYet} />;
  const choose = (index: number) => (chosen.value = days[index]?.day);
  return (
    <>
      <dl class="sums">
        {reviewSums(sections, days).map(({ name, value, remark, list }) => (
          <div key={name}>
            <dt class="hint">{name}</dt>
            <dd>
              <a
                href={typeof list === "string" ? "#/review" : routeText({ view: "board", params: list })}
                aria-label={REVIEW_WORDS.listOf(name, value)}
                onClick={(event) => {
                  if (typeof list !== "string") return;
                  event.preventDefault();
                  document.getElementById(`section-${list}`)?.scrollIntoView();
                }}
              >
                <strong>{WORDS.number(value)}</strong>
              </a>{" "}
              {remark !== undefined && <small class="label">{remark}</small>}
            </dd>
          </div>
        ))}
      </dl>
      <OpenChart days={days} at={at} onChoose={choose} />
      <HeatMap days={days} at={at} onChoose={choose} />
      {doneWithoutDay > 0 && <p class="hint">{REVIEW_WORDS.doneWithoutDay(doneWithoutDay)}</p>}
      <div class="review-sections">
        {lists.slice(0, -1)}
        <StuckProjects answer={answer} />
        {lists.at(-1)}
      </div>
    </>
  );
}

function StuckProjects({ answer }: { readonly answer: ReviewAnswer }): JSX.Element {
  const { stuckProjects = [], stuckProjectCount = 0 } = answer;
  const rest = stuckProjectCount - stuckProjects.length;
  return (
    <section class="task-section" aria-labelledby="section-stuck">
      <h2 class="row wrap" id="section-stuck">
        {REVIEW_WORDS.stuckSection} <span class="count">{WORDS.number(stuckProjectCount)}</span>
      </h2>
      {stuckProjectCount === 0 ? (
        <p class="empty">{REVIEW_WORDS.nothingStuck}</p>
      ) : (
        <ul class="names panel">
          {stuckProjects.map(({ name: project }) => (
            <li key={project}>
              <a href={routeText({ view: "board", params: { project } })}>{project}</a>
            </li>
          ))}
        </ul>
      )}
      {rest > 0 && <p class="hint">{WORDS.more(rest)}</p>}
    </section>
  );
}
