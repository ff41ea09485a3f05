/** Changes made through the server, by day, with difference and undo (docs: web, "Views"). */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "../parts/controls.js";
import type { ToolAnswers } from "../transport/transport.js";
import { QueryState } from "../parts/query-state.js";
import { dayText } from "../state/days.js";
import { changedFields } from "../state/field-changes.js";
import { noteName } from "../state/names.js";
import { usePage } from "../state/page.js";
import { useCall, useList, useQuery } from "../state/queries.js";
import { undoOperation } from "../state/task-actions.js";
import { PAGE_WORDS } from "../page-words.js";
import { WORDS } from "../words.js";
import { LATER_WORDS } from "../later-words.js";

type Change = NonNullable<ToolAnswers["get_history"]["changes"]>[number];

const PAGE_LENGTH = 30;

export default function HistoryView(): JSX.Element {
  const { today } = usePage().connection;
  const words = useSignal("");
  const list = useList("get_history", {}, PAGE_LENGTH, ({ changes = [] }) => [changes, 0]);
  const { query, items: changes, hasMore, showMore } = list;
  const isWanted = ({ files, by, tool }: Change) =>
    [...files, by, plainName(tool)].join("\n").toLocaleLowerCase().includes(words.value.trim().toLocaleLowerCase());
  const shown = changes.filter((change) => isWanted(change));
  const days = [...new Set(shown.map(({ at }) => at.slice(0, 10)))];
  return (
    <div class="history-view">
      <header class="view-heading row wrap">
        <h1>{PAGE_WORDS.titles.history}</h1>
        <p>{LATER_WORDS.historyHelp}</p>
        <input
          type="search"
          aria-label={LATER_WORDS.filterChanges}
          placeholder={LATER_WORDS.filterChanges}
          value={words.value}
          onInput={({ currentTarget }) => (words.value = currentTarget.value)}
        />
      </header>
      <QueryState query={query} />
      {query.data.value && changes.length === 0 && <p class="empty">{LATER_WORDS.noHistory}</p>}
      {days.map((day) => (
        <section key={day} class="project-section">
          <h2>{WORDS.capital(dayText(day, today.value))}</h2>
          <ol class="changes panel">
            {shown.map((change) => change.at.startsWith(day) && <ChangeItem key={change.operation} change={change} />)}
          </ol>
        </section>
      ))}
      {hasMore && <Button onClick={() => void showMore()}>{WORDS.showMore}</Button>}
    </div>
  );
}

function ChangeItem({ change }: { readonly change: Change }): JSX.Element {
  const page = usePage();
  const isOpen = useSignal(false);
  const { operation, at, by, tool, files, fileCount = files.length } = change;
  const isFields = tool === "update_task" && fileCount === 1;
  const fields = useQuery(`fields:${operation}:${isFields}`, async (call) =>
    isFields ? changedFields((await call("get_history", { diff: operation })).diff, page.connection.today.value) : "",
  );
  const undo = undoOperation(page, operation);
  return (
    <li>
      <div class="change row wrap">
        <time class="hint" dateTime={at.replace(" ", "T")}>
          {at.slice(11)}
        </time>
        <strong dir="auto" id={operation} title={files[0]}>
          {fileCount === 1 ? noteName(files[0] ?? "") : LATER_WORDS.notesChanged(fileCount)}
        </strong>
        <span class="chip">{fields.data.value || plainName(tool)}</span>
        <span class="chip">{by}</span>
        <span class="buttons">
          <Button
            aria-describedby={operation}
            aria-expanded={isOpen.value}
            onClick={() => (isOpen.value = !isOpen.value)}
          >
            {LATER_WORDS.showDifference}
          </Button>
          {undo && (
            <Button aria-describedby={operation} disabled={!page.connection.canWrite.value} onClick={() => void undo()}>
              {/undo/.test(tool) ? LATER_WORDS.redo : LATER_WORDS.takeBack}
            </Button>
          )}
        </span>
      </div>
      {isOpen.value && <Difference operation={operation} />}
    </li>
  );
}

/** Of `str_replace`, `obsidian_create_note`, `update_task`: tools have English names. */
const plainName = (tool: string): string =>
  WORDS.capital(
    tool
      .replace(/^obsidian_/, "")
      .replace("str_replace", "replace text")
      .replaceAll("_", " "),
  );

function Difference({ operation }: { readonly operation: string }): JSX.Element {
  const query = useCall("get_history", { diff: operation });
  const { diff, cut } = query.data.value ?? {};
  return (
    <>
      <QueryState query={query} />
      {diff !== undefined && (
        <pre class="diff" tabIndex={0}>
          {diff.split("\n").map((line) => (
            <span data-sign={/^(\+\+\+|---)/.test(line) ? "" : line.charAt(0)}>{`${line}\n`}</span>
          ))}
        </pre>
      )}
      {cut === true && <p class="hint">{LATER_WORDS.differenceCut}</p>}
    </>
  );
}
