/** Search and commands: actions, tasks, projects and notes (docs: web, "Views"). */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX, TargetedKeyboardEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "./controls.js";
import { messageOf, type ToolAnswers } from "../transport/transport.js";
import { savedViews, singleKeys } from "../state/stored.js";
import { usePage } from "../state/page.js";
import { useNames, noteName } from "../state/names.js";
import { everyItem, useLater, useQuery } from "../state/queries.js";
import { hasKeys, pressOnCard, stepTo } from "../state/shortcuts.js";
import { canChange, moveOverdue, statusName } from "../state/task-actions.js";
import type { TaskRow } from "../state/task-row.js";
import { plainTitle } from "../state/title.js";
import { useViewSources, viewTitles } from "../state/view-names.js";
import type { ViewRow } from "../views/views.js";
import { WORDS } from "../words.js";
import { DueChip } from "./chips.js";
import { Dialog } from "./dialog.js";
import { Icon, type IconName } from "./icon.js";
import { TaskTitle } from "./task-line.js";

const PAUSE_MS = 120;
const MAX_EACH = 10;
/** The limit of `find_notes`. */
const MAX_NOTES = 50;

interface Found {
  readonly words: string;
  readonly tasks: ToolAnswers["search_tasks"]["tasks"];
  readonly total: number;
  /** Undefined until searched. */
  readonly notes: NonNullable<ToolAnswers["find_notes"]["notes"]> | undefined;
}

export interface SearchDialogProps {
  readonly views: readonly ViewRow[];
  /** Replaces opening the task. */
  readonly onChoose?: ((task: TaskRow) => void) | undefined;
}

export function SearchDialog({ views, onChoose }: SearchDialogProps): JSX.Element {
  const page = usePage();
  const query = useSignal("");
  const found = useSignal<Found | undefined>(undefined);
  const failure = useSignal("");
  /** Enter was pressed before the hits arrived. */
  const isWaiting = useRef(false);
  const dialog = useRef<HTMLDivElement>(null);
  const firstHit = () => dialog.current?.closest("dialog")?.querySelector<HTMLElement>(".hit");
  const isCurrent = () => query.value.trim() === (found.value?.words ?? "") || failure.value !== "";
  useEffect(() => {
    if (!isWaiting.current || !isCurrent()) return;
    isWaiting.current = false;
    firstHit()?.click();
  }, [found.value]);

  const hasNotes = onChoose === undefined && page.connection.offers("find_notes");
  const look = async (signal: AbortSignal) => {
    const words = query.value.trim();
    if (words === "") found.value = undefined;
    if (words === "") return;
    const asked = page.connection.call("search_tasks", { query: words, limit: MAX_EACH }, { signal });
    const askedNotes = hasNotes
      ? page.connection.call("find_notes", { query: words, limit: 3 * MAX_EACH, include_content: false }, { signal })
      : undefined;
    askedNotes?.catch(() => {});
    try {
      const { tasks, total } = await asked;
      if (signal.aborted) return;
      failure.value = "";
      // The first search in a large vault's notes takes longer.
      found.value = { words, tasks, total, notes: askedNotes ? undefined : [] };
      const { notes = [] } = (await askedNotes) ?? {};
      const others = notes.filter(({ task }) => task === undefined).slice(0, MAX_EACH);
      if (!signal.aborted) found.value = { words, tasks, total, notes: others };
    } catch (error) {
      if (!signal.aborted) failure.value = messageOf(error);
    }
  };
  useLater(PAUSE_MS, look, [query.value, hasNotes]);

  const go: HitsProps["go"] = (found) => {
    page.closeOverlay();
    if (typeof found === "string") page.address.open("note", found);
    else if (onChoose) onChoose(found);
    else page.address.open("task", found.id);
  };
  const parts = [
    onChoose === undefined && <Commands key="commands" typed={query.value} views={views} />,
    found.value && <Hits key="hits" found={found.value} go={go} />,
  ];
  const typed = query.value.trim().toLocaleLowerCase();
  // A task with exactly this name precedes commands that contain it.
  const isNamed =
    found.value?.tasks.some(({ title }) =>
      [title, plainTitle(title)].some((one) => one.toLocaleLowerCase() === typed),
    ) ?? false;
  return (
    <Dialog label={WORDS.search} name="search-dialog" hasHeading={false} onClose={() => page.closeOverlay()}>
      <div class="search-field row" role="search" ref={dialog}>
        <Icon name="search" />
        <input
          type="text"
          enterkeyhint="search"
          data-first-focus
          value={query.value}
          placeholder={WORDS.searchHint}
          aria-label={WORDS.searchHint}
          onInput={(event) => {
            isWaiting.current = false;
            query.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if ((event.key !== "ArrowDown" && event.key !== "Enter") || event.isComposing) return;
            event.preventDefault();
            if (event.key === "ArrowDown") firstHit()?.focus();
            else if (isCurrent()) firstHit()?.click();
            else isWaiting.current = true;
          }}
        />
      </div>
      {failure.value !== "" && <p class="problem">{failure.value}</p>}
      {isNamed ? parts.toReversed() : parts}
    </Dialog>
  );
}

const BOARDS = {
  properties: { "kanban-plugin": "*" },
  sort_by: "path",
  sort_order: "asc",
  include_content: false,
};

function Commands({ typed, views }: { readonly typed: string } & Pick<SearchDialogProps, "views">): JSX.Element | null {
  const page = usePage();
  const { connection, address, overlay } = page;
  const projects = useNames("project");
  const isBoards = connection.offers("find_notes");
  const boards = useQuery(`boards:${isBoards}`, async (call) =>
    isBoards ? await everyItem(call, "find_notes", BOARDS, ({ notes = [] }) => notes, MAX_NOTES) : [],
  );
  const viewSources = useViewSources(connection.offers("run_view"));
  const words = typed.trim().toLocaleLowerCase();
  /** @param place distinguishes equal titles */
  const command = (icon: IconName, title: string, act: () => unknown, keys = "", place = "") => ({
    icon,
    title,
    act,
    keys,
    place,
  });
  const general = [
    ...(connection.offers("add_tasks")
      ? [command("add", WORDS.add, () => (overlay.value = { kind: "add" }), "n")]
      : []),
    ...(canChange(page) && connection.offers("update_tasks")
      ? [command("today", WORDS.overdueCommand, () => moveOverdue(page))]
      : []),
    ...Object.entries(WORDS.groupChoices).map(([group, title]) =>
      command("board", WORDS.groupCommand(title), () => address.show("board", { group })),
    ),
    ...(hasKeys ? [command("keys", WORDS.keys, () => (overlay.value = { kind: "keys" }), "?")] : []),
    ...savedViews.value.map((saved) => command("filter", saved.name, () => address.follow(saved.address))),
  ];
  const named = [
    ...(projects.data.value ?? []).map((name) =>
      command("projects", WORDS.inProject(name), () => address.show("project", { project: name })),
    ),
    ...(boards.data.value ?? []).map(({ path, title = noteName(path) }) =>
      command("board", WORDS.inBoard(title), () => address.show("kanban", { path }), "", path),
    ),
    ...(viewSources.data.value ?? [])
      .flatMap((found) => viewTitles(found))
      .map(({ title, address: to, source }) => command("views", title, () => address.follow(to), "", source)),
  ];
  const offered = views.flatMap(({ name, title, icon, needs }) =>
    icon && connection.offers(needs)
      ? [command(icon, WORDS.goTo(title), () => address.show(name), `g ${name[0]}`)]
      : [],
  );
  const fitting = [...offered, ...general, ...(words === "" ? [] : named)].filter(({ title }) =>
    title.toLocaleLowerCase().includes(words),
  );
  if (fitting.length === 0) return null;
  const isNamedTwice = (title: string) => fitting.filter((one) => one.title === title).length > 1;
  return (
    <section class="hits" aria-label={WORDS.commands} onKeyDown={moveInHits}>
      {fitting.slice(0, MAX_EACH).map(({ title, icon, act, place, keys }) => (
        <Hit
          icon={icon}
          key={title + place}
          name={title}
          place={isNamedTwice(title) ? place : undefined}
          onClick={() => {
            page.closeOverlay();
            act();
          }}
        >
          {keys !== "" && singleKeys.value === "on" && <kbd aria-hidden="true">{keys}</kbd>}
        </Hit>
      ))}
    </section>
  );
}

interface HitProps extends Omit<JSX.IntrinsicElements["button"], "name"> {
  readonly icon?: IconName;
  readonly name: ComponentChildren;
  readonly place: string | undefined;
  readonly "data-status"?: string;
}

function Hit({ name, place, children, ...rest }: HitProps): JSX.Element {
  const { "data-status": status } = rest;
  return (
    <Button class="hit" {...rest}>
      {status !== undefined && <span class="status-dot" role="img" aria-label={statusName(status)} />}
      <span class="hit-words row wrap">
        <span class="hit-title">{name}</span>
        {children}
        {place !== undefined && <span class="hit-place hint">{place}</span>}
      </span>
    </Button>
  );
}

interface HitsProps {
  readonly found: Found;
  readonly go: (found: TaskRow | string) => void;
}

function Hits({ found: { words, tasks, total, notes }, go }: HitsProps): JSX.Element {
  const page = usePage();
  if (notes !== undefined && tasks.length + notes.length === 0) return <p class="empty">{WORDS.nothingFound}</p>;
  const shown = tasks.map((task) => page.changes.seen(task));
  const taskHits = shown.map((task) => (
    <Hit
      key={task.id}
      data-status={task.status}
      name={<TaskTitle text={task.title} />}
      place={task.area}
      onClick={() => go(task)}
      onKeyDown={(event) => {
        // Space presses the button.
        if (event.key !== " " && pressOnCard(page, task, event)) event.preventDefault();
      }}
    >
      <DueChip task={task} />
    </Hit>
  ));
  const noteHits = notes?.map(({ path, title = noteName(path), snippet }) => (
    <Hit icon="note" key={path} name={title} place={snippet ?? path} onClick={() => go(path)} />
  ));
  const section = (name: string, hits: readonly JSX.Element[] = []) =>
    hits.length > 0 && (
      <section aria-label={name}>
        <h3 class="label">{name}</h3>
        {hits}
      </section>
    );
  return (
    <div class="hits" onKeyDown={moveInHits}>
      {section(WORDS.searchTasks, taskHits)}
      {total > shown.length && (
        <Button
          icon="board"
          class="hit"
          onClick={() => {
            page.closeOverlay();
            page.address.show("board", { words });
          }}
        >
          {WORDS.allOnBoard(total)}
        </Button>
      )}
      {notes === undefined && <p class="empty">{WORDS.searchingNotes}</p>}
      {section(WORDS.searchNotes, noteHits)}
    </div>
  );
}

function moveInHits(event: TargetedKeyboardEvent<HTMLElement>): void {
  const dialog = event.currentTarget.closest("dialog");
  const hits = [...(dialog?.querySelectorAll<HTMLElement>(".hit") ?? [])];
  const at = stepTo(event.key, hits.indexOf(document.activeElement as HTMLElement), hits.length);
  if (at === undefined) return;
  event.preventDefault();
  (at < 0 ? dialog?.querySelector<HTMLElement>("input") : hits[at])?.focus();
}
