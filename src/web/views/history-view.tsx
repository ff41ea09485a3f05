/** Changes made through the server, by day, with diff and undo (docs: web, "Views"). */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { Button } from "../parts/controls.js";
import { openLinked } from "../parts/note-body.js";
import type { ToolAnswers } from "../transport/transport.js";
import { QueryState } from "../parts/query-state.js";
import { dayText } from "../state/days.js";
import { readChange } from "../state/field-changes.js";
import { noteName } from "../state/names.js";
import { type TasksPage, usePage } from "../state/page.js";
import { useCall, useList, useQuery } from "../state/queries.js";
import { moveInRows, useStop } from "../state/shortcuts.js";
import { undoOperation } from "../state/task-actions.js";
import { PAGE_WORDS } from "../page-words.js";
import { WORDS } from "../words.js";
import { LATER_WORDS } from "../later-words.js";

type Change = NonNullable<ToolAnswers["get_history"]["changes"]>[number];

const PAGE_LENGTH = 30;
/** Pages that a filter searches. */
const SEARCHED_PAGES = 6;
/** Changes of more files show no diff. */
const FEW_FILES = 3;

export default function HistoryView(): JSX.Element {
  const { today } = usePage().connection;
  const words = useSignal("");
  const list = useList("get_history", {}, PAGE_LENGTH, ({ changes = [] }) => [changes, 0]);
  const { query, items: changes, hasMore, showMore } = list;
  const isWanted = ({ files, by, tool, fields = "" }: Change) =>
    [...files, by, LATER_WORDS.actions[actionOf(tool)], fields]
      .join("\n")
      .toLocaleLowerCase()
      .includes(words.value.trim().toLocaleLowerCase());
  const shown = changes.filter((change) => isWanted(change));
  const days = [...new Set(shown.map(({ at }) => at.slice(0, 10)))];
  const [stopAt, setStop] = useStop(shown.map(({ operation }) => operation));
  return (
    <div class="history-view">
      <header class="view-heading row wrap">
        <h1>{PAGE_WORDS.titles.history}</h1>
        <input
          type="search"
          aria-label={LATER_WORDS.filterChanges}
          placeholder={LATER_WORDS.filterChanges}
          value={words.value}
          onInput={({ currentTarget }) => {
            words.value = currentTarget.value;
            void showMore(SEARCHED_PAGES);
          }}
        />
      </header>
      <QueryState query={query} />
      {query.data.value && shown.length === 0 && (
        <p class="empty">{changes.length === 0 ? LATER_WORDS.noHistory : WORDS.nothingFound}</p>
      )}
      {days.map((day) => (
        <section key={day} class="task-section">
          <h2>{WORDS.capital(dayText(day, today.value))}</h2>
          <ol
            class="task-list stack"
            onKeyDown={(event) => {
              const rows = [...document.querySelectorAll(".change")];
              if (moveInRows(event, rows, "button")) event.preventDefault();
            }}
          >
            {shown.map(
              (change, at) =>
                change.at.startsWith(day) && (
                  <ChangeItem
                    key={change.operation}
                    change={change}
                    isSameBy={shown[at - 1]?.by === change.by && shown[at - 1]?.at.startsWith(day)}
                    isStop={change.operation === stopAt}
                    onFocus={() => setStop(change.operation)}
                  />
                ),
            )}
          </ol>
        </section>
      ))}
      {hasMore && (
        <Button class="quiet show-more" onClick={() => void showMore()}>
          {WORDS.showMore}
        </Button>
      )}
    </div>
  );
}

/** By tool name; otherwise "changed". */
const ACTIONS = [
  ["deleted", /delete/],
  ["moved", /move|rename/],
  ["extended", /insert|append|prepend/],
  ["added", /add|create/],
] as const;

const actionOf = (tool: string) => ACTIONS.find(([, names]) => names.test(tool))?.[0] ?? "changed";

interface ChangeItemProps {
  readonly change: Change;
  /** As the change above. */
  readonly isSameBy: boolean | undefined;
  /** The list's Tab stop. */
  readonly isStop: boolean;
  readonly onFocus: () => void;
}

function ChangeItem({ change, isSameBy, isStop, onFocus }: ChangeItemProps): JSX.Element {
  const page = usePage();
  const isOpen = useSignal(false);
  const { operation, at, by, tool, files, fileCount = files.length, fields } = change;
  const action = actionOf(tool);
  const today = page.connection.today.value;
  const isRead = (action === "changed" || tool === "add_tasks") && fileCount <= FEW_FILES;
  // Loaded once: it never changes.
  const diff = useRef<string | undefined>(isRead ? undefined : "");
  const { data } = useQuery(`change:${operation}:${today}`, async (call) =>
    readChange((diff.current ??= (await call("get_history", { diff: operation })).diff ?? ""), today),
  );
  const { title, fields: read } = data.value ?? {};
  const named = files.slice(0, FEW_FILES).map((file) => noteName(file));
  const rest = fileCount > named.length ? [WORDS.more(fileCount - named.length)] : [];
  const what = fields === undefined ? LATER_WORDS.actions[action] : givenFields(fields);
  return (
    <li class="card change" onFocusIn={onFocus}>
      <time class="hint" dateTime={at.replace(" ", "T")}>
        {at.slice(11)}
      </time>
      <Button
        class="link card-title"
        dir="auto"
        id={operation}
        tabIndex={isStop ? 0 : -1}
        aria-describedby={`facts-${operation}`}
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        {(fileCount === 1 && title) || [...named, ...rest].join(", ")}
      </Button>
      {page.connection.offers("undo_edit") && (
        <Button
          class="quiet"
          tabIndex={-1}
          aria-describedby={operation}
          disabled={!page.connection.canWrite.value}
          onClick={(event) => {
            const row = event.currentTarget.closest("li");
            const next = row?.nextElementSibling ?? row?.previousElementSibling;
            void takeBack(page, operation).then(() => next?.querySelector("button")?.focus());
          }}
        >
          {LATER_WORDS.takeBack}
        </Button>
      )}
      <p class="facts row wrap" id={`facts-${operation}`}>
        <span>{(action === "changed" && read && withUnseen(read, fields)) || what}</span>
        <span class={isSameBy ? "unseen" : undefined}>{LATER_WORDS.changedBy(by)}</span>
      </p>
      {isOpen.value && <Difference operation={operation} />}
    </li>
  );
}

/** @param fields `status → Done`, of a series */
function withUnseen(read: string, fields = ""): string {
  const [, status] = /status → ([^,]+)/.exec(fields) ?? [];
  return status === undefined || read.includes(status) ? read : `${status}, ${read}`;
}

function givenFields(fields: string): string {
  const names = fields.replaceAll(/(?<=^|, )\w+/g, (name) => WORDS.fieldNames[name as "title"] ?? name);
  return names.includes(" → ") ? names : LATER_WORDS.changed(names);
}

/** A diff, by note. */
const partsOf = (diff: string) =>
  diff.split(/^(?=--- (?:a\/|\/dev\/null))/m).map((patch) => {
    const [, from = "", to = "", text = ""] = /^--- (.*)\n\+\+\+ (.*)\n([^]*)$/.exec(patch) ?? [];
    const [before, path] = [from.slice(2), to.slice(2)];
    // The first hunk header says little; later ones mark omitted text.
    const lines = text.trimEnd().split("\n").slice(1);
    return { patch, path, isText: path !== "" && before === path, isThere: to.startsWith("b/"), lines };
  });

/** If only texts changed, the diff can redo it. */
async function takeBack(page: TasksPage, operation: string): Promise<void> {
  const { connection, notices } = page;
  const { diff = "", cut } = await connection
    .call("get_history", { diff: operation })
    .catch((): ToolAnswers["get_history"] => ({}));
  const parts = partsOf(diff);
  const redo = async () => {
    await notices.attempt(async () => {
      for (const { path, patch } of parts) await connection.call("edit_note", { path, patch });
    });
    await page.reread();
  };
  const canRedo = cut !== true && parts.every(({ isText }) => isText) && connection.offers("edit_note");
  const label = canRedo ? LATER_WORDS.redo : undefined;
  await undoOperation(page, operation, WORDS.operationTakenBack, canRedo ? redo : undefined, label)?.();
}

function Difference({ operation }: { readonly operation: string }): JSX.Element {
  const page = usePage();
  const query = useCall("get_history", { diff: operation });
  const { diff, cut } = query.data.value ?? {};
  return (
    <div class="difference">
      <QueryState query={query} />
      {partsOf(diff ?? "").map(({ path, isThere, lines }) => (
        <div key={path}>
          {isThere && (
            <Button class="link" onClick={() => void openLinked(page, path)}>
              {noteName(path)}
            </Button>
          )}
          <pre class="diff" tabIndex={0}>
            {lines.map((line) => (
              <span data-sign={line.charAt(0)}>{line.startsWith("@@") ? "⋯" : line || " "}</span>
            ))}
          </pre>
        </div>
      ))}
      {cut === true && <p class="hint">{LATER_WORDS.differenceCut}</p>}
    </div>
  );
}
