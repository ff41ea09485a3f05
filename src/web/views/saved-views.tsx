/** The vault's saved views, and the rows of one (docs: web, "Views"). */
import type { JSX } from "preact";
import { isCallFailure, type ToolAnswers } from "../transport/transport.js";
import { BaseTable, groupName, Summaries, taskOf } from "../parts/base-table.js";
import { Button, ObsidianLink, ShowMore } from "../parts/controls.js";
import { CopyButton } from "../parts/copy-button.js";
import { Icon } from "../parts/icon.js";
import { QueryState } from "../parts/query-state.js";
import { TaskSection } from "../parts/task-section.js";
import { noteName } from "../state/names.js";
import { usePage } from "../state/page.js";
import { type LiveQuery, useList } from "../state/queries.js";
import { useViewSources, viewAddress, type ViewSource, viewsIn } from "../state/view-names.js";
import { VIEW_WORDS } from "../later-words.js";
import { WORDS } from "../words.js";
import { PAGE_WORDS } from "../page-words.js";

type ViewAnswer = ToolAnswers["run_view"];
type Group = NonNullable<ViewAnswer["groups"]>[number];

/** Rows shown at first, and added each time. */
const PAGE_LENGTH = 50;

export default function SavedViews(): JSX.Element {
  const { source, view = "" } = usePage().address.filters.value;
  const query = useViewSources();
  const sources = query.data.value ?? [];
  return (
    <div class="views-view">
      {source === undefined ? (
        <SourceList query={query} />
      ) : (
        <OneView
          key={`${source}#${view}`}
          view={view}
          found={sources.find((one) => one.source === source) ?? { source, views: [] }}
        />
      )}
    </div>
  );
}

function SourceList({ query }: { readonly query: LiveQuery<readonly ViewSource[]> }): JSX.Element {
  const sources = query.data.value;
  return (
    <>
      <header class="view-heading row wrap">
        <h1>{PAGE_WORDS.titles.views}</h1>
        {sources !== undefined && sources.length > 0 && <p>{VIEW_WORDS.help}</p>}
      </header>
      <QueryState query={query} />
      {sources?.length === 0 && <FirstStep />}
      {sources?.map((found) => (
        <section key={found.source} class="project-section" aria-labelledby={`source-${found.source}`}>
          <h2 class="row" id={`source-${found.source}`} title={found.source}>
            <span dir="auto">{noteName(found.source)}</span>
          </h2>
          <ul class="names panel">
            {viewsIn(found).map(({ view, name, kind }) => (
              <li key={view}>
                <a class="row" href={viewAddress(found.source, view)}>
                  <Icon name={kind === "tasks" ? "check" : "views"} />
                  <span dir="auto">{name}</span>
                  {kind !== "view" && (
                    <small class="hint">{VIEW_WORDS.block(PAGE_WORDS.viewKinds[kind], name, view)}</small>
                  )}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function FirstStep(): JSX.Element {
  return (
    <section class="first-step stack">
      <h2>{VIEW_WORDS.none}</h2>
      <p>{VIEW_WORDS.firstStep}</p>
      {VIEW_WORDS.samples.map(([name, text]) => (
        <div class="sample panel stack" key={name}>
          <pre tabIndex={0}>{text.trim()}</pre>
          <CopyButton label={VIEW_WORDS.copySample(name)} copied={VIEW_WORDS.copied} textOf={() => text} />
        </div>
      ))}
    </section>
  );
}

interface OneViewProps {
  readonly found: ViewSource;
  readonly view: string;
}

function OneView({ found, view }: OneViewProps): JSX.Element {
  const page = usePage();
  const { source, link } = found;
  const args = { source, ...(view !== "" && { view }) };
  const { query, items, showMore } = useList("run_view", args, PAGE_LENGTH, (answer) => [[answer], answer.total]);
  const answer = joined(items);
  const views = viewsIn(found);
  const { name = view || noteName(source) } = views.find((one) => one.view === view) ?? {};
  return (
    <>
      <header class="view-heading row wrap">
        <h1 dir="auto">{name}</h1>
        {answer && <p>{VIEW_WORDS.rows(answer.total)}</p>}
        <span class="buttons row">
          {/\.md$/i.test(source) && (
            <Button icon="note" onClick={() => page.address.open("note", source)}>
              {noteName(source)}
            </Button>
          )}
          <ObsidianLink link={link} />
        </span>
      </header>
      <nav class="siblings row wrap" aria-label={VIEW_WORDS.viewsOf(noteName(source))}>
        <a class="row" href="#/views">
          <Icon name="back" /> {PAGE_WORDS.titles.views}
        </a>
        {views.length > 1 &&
          views.map((one) => (
            <a
              key={one.view}
              class="row"
              href={viewAddress(source, one.view)}
              aria-current={one.view === view ? "page" : undefined}
              dir="auto"
            >
              {one.name}
            </a>
          ))}
      </nav>
      <Refused query={query} />
      {answer && query.failure.value === undefined && <Answered answer={answer} onMore={showMore} />}
    </>
  );
}

/** Joins a group that continues in the next answer. */
function joined(answers: readonly ViewAnswer[]): ViewAnswer | undefined {
  const groups: Group[] = [];
  for (const group of answers.flatMap((answer) => answer.groups ?? [])) {
    const last = groups.at(-1);
    if (last !== undefined && last.labels.join("\n") === group.labels.join("\n"))
      groups.splice(-1, 1, { ...last, rows: [...last.rows, ...group.rows] });
    else groups.push(group);
  }
  const [first] = answers;
  return first && { ...first, groups, cursor: answers.at(-1)?.cursor };
}

/** Clauses that are not understood, each with its place. */
function Refused({ query }: { readonly query: LiveQuery<unknown> }): JSX.Element {
  const failure = query.failure.value;
  if (!isCallFailure(failure) || failure.faults.length === 0) return <QueryState query={query} />;
  return (
    <div class="refused panel stack" role="alert">
      <h2 class="problem">{VIEW_WORDS.refused}</h2>
      <ul class="stack">
        {failure.faults.map(({ clause, place, reason, nearest }) => (
          <li key={place}>
            <code>{clause}</code>
            <p>
              {VIEW_WORDS.fault(place, reason)} {nearest !== undefined && <b>{VIEW_WORDS.nearest(nearest)}</b>}
            </p>
          </li>
        ))}
      </ul>
      <p class="hint">{VIEW_WORDS.correctIt}</p>
    </div>
  );
}

interface AnsweredProps {
  readonly answer: ViewAnswer;
  /** @param count of pages */
  readonly onMore: (count?: number) => unknown;
}

function Answered({ answer, onMore }: AnsweredProps): JSX.Element {
  const { kind, columns = [], groups = [], summaries, warnings, total, cursor } = answer;
  const rest = total - groups.reduce((sum, { rows }) => sum + rows.length, 0);
  const { rows: lastRows = [], total: lastTotal = 0 } = groups.at(-1) ?? {};
  // Its section offers the rest of its tasks.
  const isCut = kind === "tasks" && lastRows.length < lastTotal;
  return (
    <>
      {warnings.map((warning) => (
        <p class="hint" key={warning}>
          {warning}
        </p>
      ))}
      {total === 0 && <p class="empty">{VIEW_WORDS.noRows}</p>}
      {kind === "base" && total > 0 && <BaseTable columns={columns} groups={groups} />}
      {kind === "tasks" &&
        groups.map((group, at) => (
          <TaskSection
            key={group.labels.join("\n")}
            name={`group-${at}`}
            heading={groupName(group.labels) || WORDS.searchTasks}
            items={group.rows.flatMap((row) => taskOf(row) ?? [])}
            total={group.total}
            keepsDone
            showMore={onMore}
          />
        ))}
      {cursor !== undefined && !isCut && <ShowMore rest={rest} onMore={onMore} />}
      <p class="row wrap">
        <Summaries of={summaries} />
      </p>
    </>
  );
}
