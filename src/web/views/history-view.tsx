/** Changes made through the server, with difference and undo (docs: web, "Views"). */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "../parts/controls.js";
import type { ToolAnswers } from "../carrier/carrier.js";
import { QueryState } from "../parts/query-state.js";
import { usePage } from "../state/page.js";
import { useCall, usePages } from "../state/queries.js";
import { undoOperation } from "../state/task-actions.js";
import { WORDS } from "../words.js";

type Change = NonNullable<ToolAnswers["get_history"]["changes"]>[number];

const PAGE_LENGTH = 30;

export default function HistoryView(): JSX.Element {
  const { query, showMore } = usePages("get_history", {}, PAGE_LENGTH, (answers) => ({
    changes: answers.flatMap(({ changes = [] }) => changes),
  }));
  const { changes = [], hasMore = false } = query.data.value ?? {};
  return (
    <div class="history-view">
      <header class="view-heading row wrap">
        <h1>{WORDS.history}</h1>
        <p>{WORDS.historyHelp}</p>
      </header>
      <QueryState query={query} />
      {query.data.value && changes.length === 0 && <p class="empty">{WORDS.noHistory}</p>}
      {changes.length > 0 && (
        <ol class="changes panel">
          {changes.map((change) => (
            <ChangeItem key={change.operation} change={change} />
          ))}
        </ol>
      )}
      {hasMore && <Button onClick={showMore}>{WORDS.showMore}</Button>}
    </div>
  );
}

function ChangeItem({ change }: { readonly change: Change }): JSX.Element {
  const page = usePage();
  const isOpen = useSignal(false);
  const { operation, at, by, tool, files, fileCount } = change;
  const undo = undoOperation(page, operation);
  const names = files.map((path) => path.replace(/\.md$/i, ""));
  return (
    <li>
      <div class="change row wrap">
        <time class="hint" dateTime={at.replace(" ", "T")}>
          {at}
        </time>
        <strong dir="auto" id={operation}>
          {fileCount === 1 ? names[0] : WORDS.notesChanged(fileCount)}
        </strong>
        <span class="chip">{plainName(tool)}</span>
        <span class="chip">{by}</span>
        <span class="buttons">
          <Button
            aria-describedby={operation}
            aria-expanded={isOpen.value}
            onClick={() => (isOpen.value = !isOpen.value)}
          >
            {WORDS.showDifference}
          </Button>
          {undo && (
            <Button aria-describedby={operation} disabled={!page.connection.canWrite.value} onClick={() => void undo()}>
              {WORDS.takeBack}
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
      {cut === true && <p class="hint">{WORDS.differenceCut}</p>}
    </>
  );
}
