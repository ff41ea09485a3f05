/** Search over everything: tasks first, then notes, while one types (spec: web, section 4). */
import { useSignal } from "@preact/signals";
import type { JSX, TargetedKeyboardEvent } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { ToolAnswers } from "../carrier/carrier.js";
import { usePage } from "../state/page.js";
import { statusName } from "../state/task-actions.js";
import { WORDS } from "../words.js";
import { DueChip } from "./chips.js";
import { Dialog } from "./dialog.js";
import { Icon } from "./icon.js";

const PAUSE_MS = 120;
const MOST_EACH = 10;

interface Found {
  readonly tasks: ToolAnswers["search_tasks"]["tasks"];
  readonly notes: NonNullable<ToolAnswers["find_notes"]["notes"]>;
}

export function SearchDialog({ today }: { readonly today: string }): JSX.Element {
  const page = usePage();
  const field = useRef<HTMLInputElement>(null);
  const query = useSignal("");
  const found = useSignal<Found | undefined>(undefined);
  const failure = useSignal("");

  // Before the next key: what is typed after `/` is the search.
  useLayoutEffect(() => field.current?.focus(), []);
  useEffect(() => {
    const words = query.value.trim();
    if (words === "") {
      found.value = undefined;
      return undefined;
    }
    const ended = new AbortController();
    const { signal } = ended;
    const look = async () => {
      const { connection } = page;
      const tasks = connection.call("search_tasks", { query: words, limit: MOST_EACH }, { signal });
      const notes = connection.offers("find_notes")
        ? connection.call("find_notes", { query: words, limit: MOST_EACH, include_content: false }, { signal })
        : undefined;
      try {
        const [{ tasks: hits }, pages] = await Promise.all([tasks, notes]);
        const paths = new Set(hits.map(({ path }) => path));
        const others = (pages?.notes ?? []).filter(({ path }) => !paths.has(path));
        if (signal.aborted) return;
        found.value = { tasks: hits, notes: others };
        failure.value = "";
      } catch (error) {
        if (!signal.aborted) failure.value = error instanceof Error ? error.message : "";
      }
    };
    const timer = setTimeout(() => void look(), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [query.value, page.connection.tools.value]);

  const go = (what: "task" | "note", name: string) => {
    page.closeOverlay();
    page.address.open(what, name);
  };
  return (
    <Dialog
      label={WORDS.search}
      name="search-dialog"
      onClose={() => {
        page.closeOverlay();
      }}
    >
      <div class="search-field" role="search">
        <Icon name="search" />
        <input
          ref={field}
          type="search"
          value={query.value}
          placeholder={WORDS.searchHint}
          aria-label={WORDS.searchHint}
          onInput={(event) => (query.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "ArrowDown" && event.key !== "Enter") return;
            const first = event.currentTarget.closest("dialog")?.querySelector<HTMLElement>(".hit");
            if (!first) return;
            event.preventDefault();
            if (event.key === "Enter") first.click();
            else first.focus();
          }}
        />
      </div>
      {failure.value !== "" && <p class="problem">{failure.value}</p>}
      {found.value && <Hits found={found.value} today={today} go={go} />}
    </Dialog>
  );
}

interface HitsProps {
  readonly found: Found;
  readonly today: string;
  readonly go: (what: "task" | "note", name: string) => void;
}

function Hits({ found: { tasks, notes }, today, go }: HitsProps): JSX.Element {
  if (tasks.length + notes.length === 0) return <p class="empty">{WORDS.nothingFound}</p>;
  return (
    <div class="hits" onKeyDown={moveInHits}>
      {tasks.length > 0 && (
        <section aria-label={WORDS.searchTasks}>
          <h3>{WORDS.searchTasks}</h3>
          {tasks.map((task) => (
            <button
              type="button"
              class="hit"
              key={task.id}
              data-status={task.status}
              onClick={() => go("task", task.id)}
            >
              <span class="status-dot" role="img" aria-label={statusName(task.status)} />
              <span class="hit-words">
                <span class="hit-title">{task.title}</span>
                <DueChip task={task} today={today} />
                {task.area !== undefined && <span class="hit-place">{task.area}</span>}
              </span>
            </button>
          ))}
        </section>
      )}
      {notes.length > 0 && (
        <section aria-label={WORDS.searchNotes}>
          <h3>{WORDS.searchNotes}</h3>
          {notes.map(({ path, title, snippet }) => (
            <button type="button" class="hit" key={path} onClick={() => go("note", path)}>
              <Icon name="note" />
              <span class="hit-words">
                <span class="hit-title">{title}</span>
                <span class="hit-place">{snippet ?? path}</span>
              </span>
            </button>
          ))}
        </section>
      )}
    </div>
  );
}

function moveInHits(event: TargetedKeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const hits = [...event.currentTarget.querySelectorAll<HTMLElement>(".hit")];
  const at = hits.findIndex((hit) => hit === document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
  event.preventDefault();
  if (at < 0) event.currentTarget.closest("dialog")?.querySelector<HTMLElement>("input")?.focus();
  else hits[at]?.focus();
}
