/** A field that adds tasks and shows how each was understood (docs: web, "Views"). */
import { computed, useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";
import { Button } from "./controls.js";
import { type AddPlace, type TasksPage, usePage } from "../state/page.js";
import { storedDraft } from "../state/stored.js";
import { dayText, fullDay, isDay, nearDays, timeText } from "../state/days.js";
import { type Added, addFromText, askFor, canChange, hasNoDay, setDays } from "../state/task-actions.js";
import type { TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";
import { PAGE_WORDS } from "../page-words.js";
import { useNames } from "../state/names.js";
import { useLater, useQuery } from "../state/queries.js";
import { offered, SIGNS, useCompletions } from "./completions.js";
import { Icon } from "./icon.js";
import { TaskLink, TaskTitle } from "./task-line.js";

/** Wait after the last key before asking the server. */
const PAUSE_MS = 150;

/** The same in every field, so that no line is added from two of them. */
const draft = storedDraft("quick-add");
const text = computed(() => draft.value?.text ?? "");
/** Lines that were sent and not answered yet. */
const unanswered = storedDraft("quick-add-sent");

function type(typed: string): void {
  draft.value = typed === "" ? undefined : { text: typed, was: "" };
}
// The page was reloaded meanwhile. Lines that arrived are in the field too: the plan says that such a task is open.
if (unanswered.value) type([unanswered.value.text, text.value].filter(Boolean).join("\n"));
unanswered.value = undefined;

/** Begins a line in the view's field, or in the dialog where the view has none. */
function startLine(page: TasksPage, line: string): void {
  type(line);
  const field = document.getElementById("quick-add");
  if (field === null) page.overlay.value = { kind: "add" };
  else field.focus();
}

interface QuickAddProps {
  /** Distinguishes the dialog's field from a view's. */
  readonly name: string;
  readonly takesFocus?: boolean;
  readonly place?: AddPlace | undefined;
}

export function QuickAdd({ name, takesFocus = false, place = {} }: QuickAddProps): JSX.Element {
  const page = usePage();
  const sending = useRef<Promise<void>>(Promise.resolve());
  const added = useSignal<Added | undefined>(undefined);
  const failure = useSignal("");
  const plan = useSignal<Plan | undefined>(undefined);
  /** The cursor after the last input, before which a name is completed; 0 offers none. */
  const caret = useSignal(0);
  const field = useRef<HTMLTextAreaElement>(null);

  const add = async (sent: string) => {
    failure.value = "";
    added.value = await addFromText(page, { ...place, text: sent }, (why) => {
      // That there is no connection, the page says itself.
      if (page.connection.isOnline.peek()) failure.value = why;
    });
    const lines = sent.split("\n");
    const left = added.value ? (added.value.refused ?? []).map(({ line }) => lines[line - 1] ?? "") : lines;
    if (left.length > 0) type([...left, ...(text.value === "" ? [] : [text.value])].join("\n"));
    waitFor(unanswered.value?.text.slice(sent.length + 1));
    if (added.value !== undefined) return page.reread();
  };
  const waitFor = (lines = "") => (unanswered.value = lines === "" ? undefined : { text: lines, was: "" });
  /** Empties the field at once for the next line; lines are added in their order. */
  const send = () => {
    const sent = text.value;
    if (sent.trim() === "" || !page.connection.canWrite.value) return;
    type("");
    waitFor([...(unanswered.value ? [unanswered.value.text] : []), sent].join("\n"));
    sending.current = sending.current.then(() => add(sent));
  };

  // How the server reads the text; writes nothing.
  const readText = async (signal: AbortSignal) => {
    if (text.value.trim() === "") return;
    const args = { text: text.value, plan: true };
    const answer = await page.connection.call("add_tasks", args, { signal }).catch(() => undefined);
    if (!signal.aborted && answer !== undefined) plan.value = { text: text.value, lines: answer.planned ?? [] };
  };
  useLater(PAUSE_MS, readText, [text.value, page.connection.canWrite.value]);

  const word = /(?:^|\s)([+#@])([^\s+#@]*)$/.exec(text.value.slice(0, caret.value));
  const options = offered(useNames(SIGNS[word?.[1] ?? ""]).data.value ?? [], word?.[2] ?? "", (one) => one);
  const complete = (index: number) => {
    const chosen = options[index] ?? "";
    const start = caret.value - (word?.[2]?.length ?? 0);
    const before = text.value.slice(0, start) + (/\s/.test(chosen) ? `[[${chosen}]]` : chosen) + " ";
    type(before + text.value.slice(caret.value));
    caret.value = 0;
    requestAnimationFrame(() => field.current?.setSelectionRange(before.length, before.length));
  };
  const onEscape = () => void (caret.value = 0);
  const names = useCompletions({ id: name, options, isByTab: true, onChoose: complete, onEscape });

  return (
    <form
      class="quick-add stack"
      aria-label={WORDS.quickAdd}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div class="quick-add-row panel row wrap">
        <Icon name="add" />
        <div class="quick-text">
          <div class="marks" aria-hidden="true">
            {marked(text.value, plan.value)}
          </div>
          <textarea
            id={name}
            ref={field}
            data-first-focus={takesFocus || undefined}
            rows={1}
            maxLength={20_000}
            value={text.value}
            placeholder={WORDS.quickAddHint}
            aria-label={WORDS.quickAdd}
            aria-describedby={`${name}-help`}
            {...names.field}
            onInput={({ currentTarget }) => {
              type(currentTarget.value);
              caret.value = currentTarget.selectionStart;
              names.reset();
            }}
            onBlur={() => (caret.value = 0)}
            onKeyDown={(event) => {
              if (event.isComposing) return;
              if (!names.press(event)) {
                if (event.key !== "Enter" || event.shiftKey) return;
                send();
              }
              event.preventDefault();
              event.stopPropagation();
            }}
          />
        </div>
        <button type="submit" class="primary" disabled={!page.connection.canWrite.value}>
          {WORDS.addButton}
        </button>
      </div>
      {names.list}
      <div class="hint" id={`${name}-help`} role="status">
        {plan.value === undefined || text.value.trim() === "" ? (
          <p>{unanswered.value ? WORDS.ask(unanswered.value.text) : WORDS.quickAddHelp}</p>
        ) : (
          <PlanText plan={plan.value} />
        )}
      </div>
      {failure.value !== "" && (
        <p class="problem" role="alert">
          {failure.value}
        </p>
      )}
      {added.value && (
        <Understood added={added.value} mayOffer={place.due === undefined && place.heading === undefined} />
      )}
    </form>
  );
}

interface Plan {
  readonly text: string;
  readonly lines: NonNullable<Added["planned"]>;
}

/** Marks what was read, where the text is still the same. */
function marked(text: string, plan: Plan | undefined): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let at = 0;
  const ranges = (plan?.lines ?? [])
    .flatMap(({ read, unread = [] }) => [read, unread.map(({ from, to }) => ({ from, to, field: "unread" }))].flat())
    .map(({ from = 0, to = 0, field }) => ({ from, to, field }))
    .toSorted((a, b) => a.from - b.from);
  for (const { from, to, field } of ranges) {
    if (from < at || text.slice(from, to) !== plan?.text.slice(from, to)) continue;
    parts.push(text.slice(at, from), <mark data-field={field}>{text.slice(from, to)}</mark>);
    at = to;
  }
  // Gives a line break at the end a height.
  return [...parts, `${text.slice(at)}\u200b`];
}

/** Other fields, such as a project, may be named like a day. */
const DAY_FIELD = /^(?:dueDate|scheduled|start|created|completed)$/;

function PlanText({ plan: { lines } }: { readonly plan: Plan }): JSX.Element {
  return (
    <>
      {lines.map(({ line, title, read, unread = [], problem, open }) => (
        <p key={line}>
          <strong dir="auto">
            <TaskTitle text={title} />
          </strong>{" "}
          {[
            ...read.map(({ field, value }) =>
              WORDS.readAs(fieldName(field), DAY_FIELD.test(field) && isDay(value) ? fullDay(value) : value),
            ),
            ...unread.map(({ text, reason }) => WORDS.notRead(text, reason)),
            ...(open === undefined ? [] : [WORDS.openAlready]),
            ...(problem === undefined ? [] : [problem]),
          ].join(" · ")}
        </p>
      ))}
    </>
  );
}

function fieldName(field: string): string {
  const names: Readonly<Record<string, string>> = WORDS.fieldNames;
  return names[field] ?? WORDS.capital(field);
}

/** Says where a task without a day is, and offers days. */
function DayOffer({ id }: { readonly id: string }): JSX.Element | null {
  const page = usePage();
  const isOver = useSignal(false);
  if (isOver.value || !canChange(page)) return null;
  const today = page.connection.today.value;
  const change = async (act: (task: TaskRow) => unknown) => {
    isOver.value = true;
    act(await page.connection.call("get_task", { taskId: id }));
  };
  return (
    <span class="row wrap hint">
      {WORDS.addedWithoutDay}
      {nearDays(today)
        .slice(0, 2)
        .map(([name, day]) => (
          <Button key={name} onClick={() => void change((task) => setDays(page, task, { dueDate: day }))}>
            {name}
          </Button>
        ))}
      <Button onClick={() => void change((task) => askFor(page, task, "dueDate"))}>{WORDS.pickDate}</Button>
    </span>
  );
}

interface UnderstoodProps {
  readonly added: Added;
  /** Whether to offer a day to what has none. */
  readonly mayOffer: boolean;
}

function Understood({ added: { added, adjustments = [] }, mayOffer }: UnderstoodProps): JSX.Element {
  const today = usePage().connection.today.value;
  return (
    <div class="understood">
      <ul class="stack">
        {added.map((task) => (
          <li class="row wrap" key={task.place}>
            <TaskLink id={task.id} title={task.title} />
            {task.facts?.map(({ words, day, time }) => (
              <span class="chip" key={words}>
                {WORDS.capital(day === undefined ? words : `${words} ${timeText(dayText(day, today), time)}`)}
              </span>
            ))}
            {task.id !== undefined && mayOffer && hasNoDay(task) && <DayOffer id={task.id} />}
          </li>
        ))}
      </ul>
      {adjustments.map((sentence) => (
        <p class="hint" key={sentence}>
          {sentence}
        </p>
      ))}
    </div>
  );
}

/** How the first task is written. @param otherwise for a vault that has tasks, which the view does not show */
export function FirstStep({ otherwise }: { readonly otherwise: string }): JSX.Element | null {
  const page = usePage();
  const query = useQuery("any", async (call) => {
    const { total } = await call("search_tasks", { query: "*", limit: 1, includeArchived: true });
    return total;
  });
  if (query.data.value === undefined) return null;
  if (query.data.value > 0) return <p class="empty">{otherwise}</p>;
  const canAdd = page.connection.offers("add_tasks");
  return (
    <section class="first-step stack">
      <h2>{PAGE_WORDS.noTasks}</h2>
      <p>{canAdd ? PAGE_WORDS.firstStep : PAGE_WORDS.firstStepElsewhere}</p>
      {canAdd &&
        PAGE_WORDS.sampleLines.map((line) => (
          <Button key={line} onClick={() => startLine(page, line)}>
            {line}
          </Button>
        ))}
    </section>
  );
}
